// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of the next token, against a plain one that sorts all tokens, in f64.
#include "KernelCases.h"
#include "ttrt/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <random>

using namespace ttc::test;

namespace {

constexpr int64_t kContext = 96;

/// The state of a sequence, as the device has it.
struct State {
  int32_t emitted = -7, token = 3, position = 40;
  alignas(64) ttrt_sampling sampling = TTRT_SAMPLING_INIT;
  std::vector<int32_t> history = std::vector<int32_t>(kContext, 0);
};

class Sampler {
public:
  explicit Sampler(const std::vector<int64_t> &sizes, const mlir::ttc::CpuTarget &target = host()) {
    const std::string one = "tensor<1xi32>", words = "tensor<64xi32>",
                      history = "tensor<" + std::to_string(kContext) + "xi32>";
    for (int64_t size : sizes)
      suite.addSeveral("ttc.sample %0, %1, %2, %3, %4",
                       {tensor({1, size}), one, one, words, history},
                       {one, one, one, words, history});
    EXPECT_TRUE(suite.compile(target));
  }

  /// In place, and to other memory: both leave the same.
  void step(size_t index, const std::vector<float> &logits, State &state) {
    Buffer values(logits.size());
    std::copy(logits.begin(), logits.end(), values.data());
    auto word = [](const auto *p) { return reinterpret_cast<const float *>(p); };
    State copy;
    const State before = state;
    std::fill(copy.history.begin(), copy.history.end(), -99);
    suite.program(index)({values.data(), word(&state.token), word(&state.position),
                          word(&state.sampling), word(state.history.data()), word(&copy.emitted),
                          word(&copy.token), word(&copy.position), word(&copy.sampling),
                          word(copy.history.data())});
    EXPECT_EQ(std::memcmp(&state.sampling, &before.sampling, sizeof(ttrt_sampling)), 0);
    EXPECT_EQ(state.history, before.history);
    suite.program(index)({values.data(), word(&state.token), word(&state.position),
                          word(&state.sampling), word(state.history.data()), word(&state.emitted),
                          word(&state.token), word(&state.position), word(&state.sampling),
                          word(state.history.data())});
    EXPECT_EQ(state.emitted, copy.emitted);
    EXPECT_EQ(state.token, copy.token);
    EXPECT_EQ(state.position, copy.position);
    EXPECT_EQ(std::memcmp(&state.sampling, &copy.sampling, sizeof(ttrt_sampling)), 0);
    EXPECT_EQ(state.history, copy.history);
  }

private:
  KernelSuite suite;
};

/// The tokens that can be chosen, in the order of their numbers, with their probabilities.
std::vector<std::pair<int32_t, double>> getChoices(const std::vector<float> &logits,
                                                   const State &state) {
  const ttrt_sampling &s = state.sampling;
  std::vector<double> values(logits.begin(), logits.end());
  if (s.repetition_penalty > 0 && s.repetition_penalty != 1) {
    std::vector<bool> seen(values.size());
    const int32_t window = s.penalty_window ? s.penalty_window : kContext;
    for (int32_t i = std::max(0, state.position + 1 - window); i <= state.position; ++i)
      if (state.history[i] >= 0 && state.history[i] < static_cast<int64_t>(seen.size()))
        seen[state.history[i]] = true;
    for (size_t i = 0; i < values.size(); ++i)
      if (seen[i])
        values[i] =
            logits[i] > 0 ? logits[i] / s.repetition_penalty : logits[i] * s.repetition_penalty;
  }
  std::vector<int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  if (!(s.temperature > 0))
    return {{order[0], 1.0}};
  if (s.top_k)
    order.resize(std::min<size_t>(s.top_k, order.size()));
  std::vector<double> weights;
  for (int32_t token : order)
    weights.push_back(std::exp((values[token] - values[order[0]]) / s.temperature));
  if (s.top_p > 0 && s.top_p < 1) {
    const double whole = std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0;
    size_t count = 0;
    while (count < weights.size() && sum < whole * s.top_p)
      sum += weights[count++];
    weights.resize(count);
  }
  const double whole = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::pair<int32_t, double>> choices;
  for (size_t i = 0; i < weights.size(); ++i)
    choices.emplace_back(order[i], weights[i] / whole);
  std::sort(choices.begin(), choices.end());
  return choices;
}

/// The drawn token; others are as good if the number is within rounding errors of the border.
void expectChoice(const std::vector<float> &logits, const State &before, const State &after,
                  const std::string &what) {
  auto choices = getChoices(logits, before);
  const double uniform = ttrt_sampling_uniform(before.sampling.seed, before.sampling.counter);
  double low = 0;
  bool found = false;
  for (auto [token, probability] : choices) {
    if (token == after.token) {
      found = choices.size() == 1 || (uniform >= low - 1e-5 && uniform < low + probability + 1e-5);
      break;
    }
    low += probability;
  }
  ASSERT_TRUE(found) << what << ": " << after.token << " is not the choice";
  EXPECT_EQ(after.emitted, after.token);
  EXPECT_EQ(after.position, before.position + 1);
  EXPECT_EQ(after.history[before.position + 1], after.token);
  EXPECT_EQ(after.sampling.counter[0],
            before.sampling.counter[0] + (before.sampling.temperature > 0));
}

void testChoices(const mlir::ttc::CpuTarget &target) {
  const std::vector<int64_t> sizes{1, 7, 300, 5000, 49152, 151936};
  Sampler sampler(sizes, target);
  std::mt19937 engine(5);
  std::normal_distribution<float> normal(0, 3);
  for (auto [index, size] : llvm::enumerate(sizes))
    for (int round = 0; round < (ttrt::test::isNightly() ? 6 : 3); ++round) {
      std::vector<float> logits(size);
      for (float &logit : logits) {
        logit = normal(engine);
        if (round % 3 == 2) // many of equal size
          logit = std::round(logit);
      }
      for (auto [temperature, topK, topP, penalty, window] :
           std::initializer_list<std::tuple<float, uint32_t, float, float, uint32_t>>{
               {0, 0, 0, 0, 0},
               {0, 5, 0.5f, 1.5f, 0},
               {1, 0, 1, 1, 0},
               {0.8f, 40, 0, 0, 0},
               {0.8f, 0, 0.9f, 1.2f, 8},
               {0.3f, 50, 0.95f, 1.1f, 0},
               {2, 1000, 0.99f, 0, 0},
               {1.5f, 0, 0.9999f, 0, 0},
               {1, 1, 0, 0, 0},
               {0.01f, 0, 0.5f, 0, 0}}) {
        State before;
        for (int32_t &token : before.history)
          token = static_cast<int32_t>(engine() % size);
        before.history[38] = -5; // what is no token has no logit
        before.history[39] = INT32_MAX;
        before.sampling.temperature = temperature;
        before.sampling.top_k = topK;
        before.sampling.top_p = topP;
        before.sampling.repetition_penalty = penalty;
        before.sampling.penalty_window = window;
        before.sampling.seed[0] = engine();
        before.sampling.seed[1] = engine();
        before.sampling.counter[0] = engine();
        State after = before;
        sampler.step(index, logits, after);
        expectChoice(logits, before, after,
                     std::to_string(size) + " tokens, temperature " + std::to_string(temperature) +
                         ", top-k " + std::to_string(topK) + ", top-p " + std::to_string(topP));
      }
    }
}

TEST(SampleKernel, Host) { testChoices(host()); }
TEST(SampleKernel, Avx2) { testChoices(*mlir::ttc::getCpuTarget("x86-64-v3")); }

// Each token is drawn as often as its probability says.
TEST(SampleKernel, Distribution) {
  Sampler sampler({6});
  const std::vector<float> logits{0, 1, -1, 2, 0.5f, -30};
  State state;
  state.sampling.temperature = 1.5f;
  state.sampling.seed[0] = 42;
  auto choices = getChoices(logits, state);
  std::vector<int> counts(6);
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    state.position = 40;
    sampler.step(0, logits, state);
    ++counts[state.token];
  }
  EXPECT_EQ(state.sampling.counter[0], static_cast<uint32_t>(kDraws));
  for (auto [token, probability] : choices)
    EXPECT_NEAR(counts[token], kDraws * probability, 4 * std::sqrt(kDraws * probability) + 1);
}

TEST(SampleKernel, Ends) {
  Sampler sampler({50});
  std::vector<float> logits(50);
  logits[17] = 1;
  // A stop token is emitted; nothing changes after it.
  State state;
  state.sampling.stop_count = 2;
  state.sampling.stop[0] = 4;
  state.sampling.stop[1] = 17;
  sampler.step(0, logits, state);
  EXPECT_EQ(state.emitted, 17);
  EXPECT_EQ(state.position, 41);
  EXPECT_EQ(state.sampling.done, 1u);
  State done = state;
  sampler.step(0, logits, done);
  EXPECT_EQ(done.emitted, -1);
  EXPECT_EQ(done.position, 41);
  EXPECT_EQ(done.token, state.token);
  EXPECT_EQ(done.history, state.history);
  // A stop beyond the count is none, and no count reads beyond the struct.
  State other;
  other.sampling.stop_count = 1;
  other.sampling.stop[1] = 17;
  sampler.step(0, logits, other);
  EXPECT_EQ(other.sampling.done, 0u);
  other.sampling.stop_count = UINT32_MAX;
  sampler.step(0, logits, other);
  EXPECT_EQ(other.sampling.done, 1u);
  // The last position: its token is emitted, and there is no next step.
  State last;
  last.position = kContext - 1;
  sampler.step(0, logits, last);
  EXPECT_EQ(last.emitted, 17);
  EXPECT_EQ(last.position, kContext);
  EXPECT_EQ(last.sampling.done, 1u);
  for (int32_t position : {-1, INT32_MIN, static_cast<int32_t>(kContext), INT32_MAX}) {
    State outside;
    outside.position = position;
    const State before = outside;
    sampler.step(0, logits, outside);
    EXPECT_EQ(outside.emitted, -1);
    EXPECT_EQ(outside.position, position);
    EXPECT_EQ(outside.history, before.history);
    EXPECT_EQ(outside.sampling.done, 1u);
  }
}

TEST(SampleKernel, SpecialNumbers) {
  Sampler sampler({300});
  for (float temperature : {0.0f, 1.0f, -1.0f, NAN, INFINITY, 1e-40f}) {
    State state;
    state.sampling.temperature = temperature;
    std::vector<float> logits(300, NAN);
    logits[211] = -5;
    State one = state;
    sampler.step(0, logits, one);
    EXPECT_EQ(one.token, 211) << temperature;
    logits[212] = INFINITY;
    one = state;
    sampler.step(0, logits, one);
    EXPECT_EQ(one.token, 212) << temperature;
    // No number at all: there is a token still.
    one = state;
    sampler.step(0, std::vector<float>(300, NAN), one);
    EXPECT_EQ(one.token, 0);
    // Only -infinity beside the candidates of top-k.
    std::vector<float> few(300, -INFINITY);
    few[9] = 1;
    one = state;
    one.sampling.top_k = 40;
    one.sampling.top_p = 0.9f;
    sampler.step(0, few, one);
    EXPECT_EQ(one.token, 9) << temperature;
  }
}

/// The states of several sequences, as the device has them, and what steps emit.
struct States {
  explicit States(size_t sequences, size_t rows)
      : emitted(rows, -7), token(sequences, 3), position(sequences),
        sampling(sequences, TTRT_SAMPLING_INIT), history(sequences * kContext) {}
  bool operator==(const States &other) const {
    return emitted == other.emitted && token == other.token && position == other.position &&
           history == other.history &&
           std::memcmp(sampling.data(), other.sampling.data(),
                       sampling.size() * sizeof(ttrt_sampling)) == 0;
  }
  std::vector<int32_t> emitted, token, position;
  std::vector<ttrt_sampling> sampling;
  std::vector<int32_t> history;
};

// Each row chooses for its sequence as it would alone; the other sequences stay. In place and to
// other memory.
TEST(SampleKernel, Sequences) {
  constexpr int64_t kSequences = 5, kSize = 3000;
  // Of 1, 4 and 10 rows.
  const std::vector<std::vector<int32_t>> choices = {
      {2},          {0, 4, -1, -1},       {3, 1, 0, 4},          {-1, 2, -1, 0},
      {1, 1, 1, 1}, {5, 3, INT32_MAX, 0}, {INT32_MIN, 0, -1, 1}, {4, 0, 4, 7, 0, 1, -3, 2, 3, 2},
  };
  auto alone = std::make_unique<Sampler>(std::vector<int64_t>{kSize});
  struct Case {
    Buffer logits;
    States before, wanted;
  };
  std::vector<Case> cases;
  std::mt19937 engine(3);
  std::normal_distribution<float> normal(0, 3);
  for (auto [index, rows] : llvm::enumerate(choices)) {
    States before(kSequences, rows.size());
    for (int64_t s = 0; s < kSequences; ++s) {
      before.position[s] = static_cast<int32_t>(s == 4 ? kContext : 20 * s + 7); // 4 is done
      before.sampling[s].temperature = s % 2 ? 0.8f : 0;
      before.sampling[s].seed[0] = engine();
      before.sampling[s].repetition_penalty = 1.2f;
      before.sampling[s].top_k = s == 3 ? 40 : 0;
    }
    for (int32_t &token : before.history)
      token = static_cast<int32_t>(engine() % kSize);
    Buffer logits(rows.size() * kSize);
    for (size_t i = 0; i < rows.size() * kSize; ++i)
      logits.data()[i] = normal(engine);

    States wanted = before;
    std::vector<bool> met(kSequences);
    for (auto [row, s] : llvm::enumerate(rows)) {
      wanted.emitted[row] = -1;
      if (s < 0 || s >= kSequences || met[s])
        continue;
      met[s] = true;
      State state;
      state.token = before.token[s];
      state.position = before.position[s];
      state.sampling = before.sampling[s];
      state.history.assign(before.history.begin() + s * kContext,
                           before.history.begin() + (s + 1) * kContext);
      alone->step(0, {logits.data() + row * kSize, logits.data() + (row + 1) * kSize}, state);
      wanted.emitted[row] = state.emitted;
      wanted.token[s] = state.token;
      wanted.position[s] = state.position;
      wanted.sampling[s] = state.sampling;
      std::copy(state.history.begin(), state.history.end(), wanted.history.begin() + s * kContext);
    }
    cases.push_back({std::move(logits), std::move(before), std::move(wanted)});
  }
  alone.reset(); // there can be only one suite at a time

  KernelSuite suite;
  auto words = [](std::initializer_list<int64_t> shape) {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + "i32>";
  };
  const std::string vector = words({kSequences}), samplings = words({kSequences, 64}),
                    histories = words({kSequences, kContext});
  std::map<size_t, size_t> programs; // by the number of rows
  for (const auto &rows : choices) {
    if (programs.count(rows.size()))
      continue;
    const auto count = static_cast<int64_t>(rows.size());
    programs[rows.size()] = suite.addSeveral(
        "ttc.sample %0, %1, %2, %3, %4 sequences %5",
        {tensor({count, kSize}), vector, vector, samplings, histories, words({count})},
        {words({count}), vector, vector, samplings, histories});
  }
  ASSERT_TRUE(suite.compile(host()));
  auto word = [](const auto &values) { return reinterpret_cast<const float *>(values.data()); };
  for (auto [index, rows] : llvm::enumerate(choices)) {
    auto &[logits, before, wanted] = cases[index];
    States from = before, other(kSequences, rows.size());
    std::fill(other.history.begin(), other.history.end(), -99);
    for (States *to : {&other, &from}) {
      suite.program(programs[rows.size()])({logits.data(), word(from.token), word(from.position),
                                            word(from.sampling), word(from.history), word(rows),
                                            word(to->emitted), word(to->token), word(to->position),
                                            word(to->sampling), word(to->history)});
      EXPECT_TRUE(*to == wanted) << index;
      EXPECT_TRUE(to == &from || from == before) << index;
    }
  }
}

// Known values of Philox4x32-10, from the tests of its authors.
TEST(Sampling, Generator) {
  const uint32_t zero[2] = {0, 0};
  EXPECT_EQ(ttrt_sampling_uniform(zero, zero),
            static_cast<double>((uint64_t(0xe169c58d) << 32 | 0x6627e8d5) >> 11) * 0x1p-53);
}

} // namespace
