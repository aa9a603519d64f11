// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over a cache, against attention in f64 over plain arrays: steps, prompts, positions
// that are not within the cache, caches that are updated in place and that are copied.
#include "CacheCases.h"

using namespace ttc::test;

namespace {

std::vector<double> rotate(const Case &c, const Data &data, const float *x, int64_t position) {
  std::vector<double> y(x, x + c.depth);
  if (c.rope == Rope::none)
    return y;
  for (int64_t i = 0; i < c.depth / 2; ++i) {
    const int64_t a = c.rope == Rope::pairs ? 2 * i : i;
    const int64_t b = c.rope == Rope::pairs ? 2 * i + 1 : i + c.depth / 2;
    const double cosine = data.table[position * c.depth + i];
    const double sine = data.table[position * c.depth + c.depth / 2 + i];
    y[a] = x[a] * cosine - x[b] * sine;
    y[b] = x[b] * cosine + x[a] * sine;
  }
  return y;
}

/// In f64, on the elements as the cache rounds them. Replaces the caches and y.
void naiveAttention(const Case &c, Data &data, int64_t count) {
  for (size_t i = 0; i < data.y.size(); ++i)
    data.y[i] = 0;
  std::vector<int32_t> seen;
  for (int64_t m = 0; m < std::min(c.hasCount ? count : c.rows, c.rows); ++m) {
    const int32_t s = !c.sequences ? 0 : c.active[c.isOneSequence() ? 0 : m];
    if (s < 0 || s >= c.caches() || std::ranges::find(seen, s) != seen.end() || data.at[s] < 0)
      continue;
    const int64_t p = data.at[s] + (c.isOneSequence() ? m : 0);
    if (!c.isOneSequence())
      seen.push_back(s);
    if (p >= c.context)
      continue;
    const float *row = data.qkv.data() + m * c.width();
    for (int64_t g = 0; g < c.groups; ++g) {
      const float *value = row + (c.heads + c.groups + g) * c.depth;
      data.keys.set(s, g, p, rotate(c, data, row + (c.heads + g) * c.depth, p));
      data.values.set(s, g, p, std::vector<double>(value, value + c.depth));
    }
    for (int64_t h = 0; h < c.heads; ++h) {
      const int64_t g = h / (c.heads / c.groups);
      std::vector<double> query = rotate(c, data, row + h * c.depth, p), scores(p + 1);
      const int64_t first = c.firstAttended(p);
      double most = c.hasSinks ? data.sinks[h] : -INFINITY;
      for (int64_t j = first; j <= p; ++j) {
        for (int64_t d = 0; d < c.depth; ++d)
          scores[j] += query[d] * data.keys(s, g, j, d);
        scores[j] *= 0.125;
        if (c.softCap != 0)
          scores[j] = c.softCap * std::tanh(scores[j] / c.softCap);
        most = std::max(most, scores[j]);
      }
      double sum = c.hasSinks ? std::exp(data.sinks[h] - most) : 0;
      for (int64_t j = first; j <= p; ++j)
        sum += scores[j] = std::exp(scores[j] - most);
      for (int64_t d = 0; d < c.depth; ++d) {
        double value = 0;
        for (int64_t j = first; j <= p; ++j)
          value += scores[j] * data.values(s, g, j, d);
        data.y[(m * c.heads + h) * c.depth + d] = static_cast<float>(value / sum);
      }
    }
  }
}

/// Keys are rounded after a rotation in f32 or f64, which may differ by one unit.
void expectCaches(const Case &c, const Data &expected, const Cache &keys, const Cache &values,
                  const Data &before, const std::string &what) {
  ASSERT_TRUE(keys.guardIntact() && values.guardIntact()) << what;
  ASSERT_TRUE(values == expected.values) << what;
  const double unit = c.element == Element::f32 ? 1e-6 : c.element == Element::f16 ? 1e-3 : 0;
  const double least = c.element == Element::i8 ? 6.0 / 127 : 1e-6;
  for (int64_t s = 0; s < c.caches(); ++s)
    for (int64_t g = 0; g < c.groups; ++g)
      for (int64_t p = 0; p < c.context; ++p)
        for (int64_t d = 0; d < c.depth; ++d) {
          const double wanted = expected.keys(s, g, p, d), found = keys(s, g, p, d);
          if (std::isnan(wanted))
            ASSERT_TRUE(std::isnan(found)) << what << ": wrote key " << p << " of " << s;
          else if (wanted == before.keys(s, g, p, d))
            ASSERT_EQ(wanted, found) << what << ": wrote key " << p << " of " << s;
          else
            ASSERT_NEAR(wanted, found, std::abs(wanted) * unit + least) << what;
        }
}

/// The programs of a case in a suite.
struct Programs {
  Case c;
  size_t first, second;

  Programs(KernelSuite &suite, const Case &c) : c(c) {
    std::string y = tensor({c.rows, c.heads * c.depth});
    std::vector<std::string> caches{c.keysType(), c.valuesType()};
    if (!c.isDecode()) {
      first = suite.addSeveral(c.op("update_cache"), c.operandTypes(), caches);
      second = suite.add(c.op("prefill_attention"), c.operandTypes(), y);
      return;
    }
    std::string partials = tensor({c.splits, c.rows * c.heads, c.partialRow()});
    first = suite.addSeveral(c.op("decode_attention"), c.operandTypes(),
                             {c.splits == 1 ? y : partials, caches[0], caches[1]});
    if (c.splits > 1)
      second =
          suite.add("ttc.kernel.combine_attention %0 {rows = " + std::to_string(c.rows) + " : i64}",
                    {partials}, y);
  }

  /// `keys` and `values` are where the new caches are stored, which may be where the old ones are.
  void run(const KernelSuite &suite, const Data &data, const Cache &keys, const Cache &values,
           const Buffer &y, bool reversed) const {
    auto operands = data.operands(c);
    if (!c.isDecode()) {
      operands.insert(operands.end(), {keys.data(), values.data()});
      suite.program(first)(operands, reversed);
      operands = data.operands(c);
      operands[1] = keys.data();
      operands[2] = values.data();
      operands.push_back(y.data());
      suite.program(second)(operands, reversed);
      return;
    }
    Buffer partials(c.splits * c.rows * c.heads * c.partialRow(), NAN);
    operands.insert(operands.end(),
                    {c.splits == 1 ? y.data() : partials.data(), keys.data(), values.data()});
    suite.program(first)(operands, reversed);
    ASSERT_TRUE(partials.guardIntact());
    if (c.splits > 1)
      suite.program(second)({partials.data(), y.data()});
  }
};

void testCase(const KernelSuite &suite, const Programs &programs, int64_t position, int64_t count,
              unsigned seed) {
  const Case &c = programs.c;
  const std::string what = std::to_string(c.rows) + " rows, " + std::to_string(c.heads) + "/" +
                           std::to_string(c.groups) + " heads of " + std::to_string(c.depth) +
                           ", position " + std::to_string(position) + ", count " +
                           std::to_string(count) + ", window " + std::to_string(c.window);
  const Data before(c, position, count, seed);
  Data expected(c, position, count, seed);
  naiveAttention(c, expected, count);
  std::vector<float> bits;
  for (bool inPlace : {true, false})
    for (bool reversed : {false, true}) {
      const Data data(c, position, count, seed);
      const Cache keys(c, true), values(c, false);
      const Buffer y(c.rows * c.heads * c.depth, NAN);
      const Cache &newKeys = inPlace ? data.keys : keys;
      const Cache &newValues = inPlace ? data.values : values;
      programs.run(suite, data, newKeys, newValues, y, reversed);
      ASSERT_TRUE(y.guardIntact()) << what;
      for (size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(expected.y[i], y[i], c.element == Element::f32 ? 5e-6 : 2e-3)
            << what << " at " << i;
      expectCaches(c, expected, newKeys, newValues, before,
                   what + (inPlace ? ", in place" : ", copied"));
      // Neither the order of workgroups nor the place of the caches changes a bit.
      std::vector<float> found(y.data(), y.data() + y.size());
      if (bits.empty())
        bits = found;
      ASSERT_EQ(std::memcmp(bits.data(), found.data(), bits.size() * 4), 0) << what;
    }
}

std::vector<Case> getCases() {
  return {
      {1, 9, 3, 64, 256, Element::f16, Rope::pairs, false, 4}, // SmolLM2
      {1, 9, 3, 64, 256, Element::f32, Rope::pairs, true, 4},
      {1, 14, 2, 64, 128, Element::f16, Rope::halves, false, 2}, // Qwen2
      {1, 4, 4, 96, 96, Element::f32, Rope::halves, false, 3},   // a group for each head
      {1, 6, 1, 32, 64, Element::f16, Rope::none, true, 1},      // one group, no parts
      {1, 32, 2, 128, 64, Element::f32, Rope::pairs, false, 1},  // more heads than registers
      {16, 9, 3, 64, 128, Element::f16, Rope::pairs, true},
      {16, 9, 3, 64, 128, Element::f32, Rope::halves, false},
      {5, 4, 2, 32, 64, Element::f32, Rope::none, true}, // no whole tile
      {64, 3, 1, 64, 640, Element::f16, Rope::pairs, true},
      {256, 2, 2, 32, 320, Element::f32, Rope::halves, true},
      {1, 9, 3, 64, 256, Element::i8, Rope::pairs, true, 4},
      {1, 4, 2, 96, 96, Element::i8, Rope::none, false, 1},
      {1, 32, 2, 128, 64, Element::i8, Rope::halves, false, 2},
      {16, 9, 3, 64, 128, Element::i8, Rope::pairs, true},
      {64, 3, 1, 32, 640, Element::i8, Rope::none, false},
      // Rows of different sequences: one twice, and two that do not exist. Sequence 1 has no row.
      {5, 9, 3, 64, 256, Element::f16, Rope::pairs, true, 4, 3, {2, 0, 2, -1, 3}},
      {5, 4, 2, 32, 128, Element::f32, Rope::none, false, 1, 3, {3, 1, 1, -1, 2}},
      {4, 6, 2, 96, 128, Element::i8, Rope::halves, true, 2, 5, {4, 1, 0, 3}},
      {1, 6, 2, 64, 128, Element::f16, Rope::halves, false, 2, 3, {1}},
      // Rows of one sequence.
      {16, 9, 3, 64, 128, Element::f32, Rope::pairs, true, 1, 3, {1}},
      {16, 6, 2, 32, 128, Element::i8, Rope::halves, true, 1, 2, {1}},
      {16, 6, 2, 32, 128, Element::i8, Rope::none, false, 1, 2, {2}},
  };
}

/// The same with windows of all kinds, caps and sinks.
std::vector<Case> getSpecialCases() {
  // A step in parts and alone, prompts in several tiles, several chunks, rows of sequences.
  const std::vector<Case> plain{
      {1, 6, 2, 64, 320, Element::f16, Rope::pairs, false, 3},
      {1, 4, 2, 32, 96, Element::i8, Rope::none, true, 1},
      {1, 32, 2, 128, 96, Element::f32, Rope::halves, false, 2},
      {16, 6, 2, 64, 128, Element::f16, Rope::pairs, true},
      {64, 3, 1, 32, 640, Element::i8, Rope::none, false},
      {80, 4, 1, 32, 768, Element::f32, Rope::halves, true},
      {5, 6, 2, 64, 192, Element::f16, Rope::pairs, true, 2, 3, {2, 0, 2, -1, 3}},
      {16, 6, 2, 32, 128, Element::i8, Rope::halves, true, 1, 2, {1}},
  };
  std::vector<Case> cases;
  for (size_t i = 0; i < plain.size(); ++i) {
    // Windows in turns, and caps and sinks alone and together: each is in steps and in prompts.
    const Case &c = plain[i];
    const int64_t windows[] = {1, 32, c.context - 1, 33, 90, 31, c.context, 0};
    for (size_t turn : {i, i + 3, i + 5}) {
      cases.push_back(c);
      cases.back().window = windows[turn % std::size(windows)];
      cases.back().softCap = turn % 3 == 0 ? 2.5f : 0;
      cases.back().hasSinks = turn % 2 == 0;
    }
  }
  return cases;
}

void testCases(const mlir::ttc::CpuTarget &target, const std::vector<Case> &cases) {
  KernelSuite suite;
  std::vector<Programs> programs;
  for (const Case &c : cases)
    programs.emplace_back(suite, c);
  ASSERT_TRUE(suite.compile(target));
  unsigned seed = 0;
  for (const Programs &program : programs) {
    const Case &c = program.c;
    std::vector<int64_t> positions{
        0, 1, 31, 32, 33, c.context - c.rows - 1, c.context - c.rows, c.context - 1};
    if (c.window) {
      for (int64_t crossed : {c.window - c.rows, c.window - 1, c.window, c.window + 40})
        positions.push_back(crossed < c.context ? crossed : -1);
    }
    for (int64_t position : positions) {
      if (position < 0)
        continue;
      testCase(suite, program, position, c.rows, seed += 10);
      if (testing::Test::HasFatalFailure())
        return;
      if (c.hasCount)
        for (int64_t count : {int64_t(0), c.rows / 2, c.rows + 5})
          testCase(suite, program, position, count, seed += 10);
    }
  }
}

TEST(CachedAttentionKernel, Host) { testCases(host(), getCases()); }
TEST(CachedAttentionKernel, HostSpecial) { testCases(host(), getSpecialCases()); }

// Any CPU that can run the tests can run AVX2's code.
TEST(CachedAttentionKernel, Avx2) {
  testCases(*mlir::ttc::getCpuTarget("x86-64-v3"), casesOfRun(getCases()));
}
TEST(CachedAttentionKernel, Avx2Special) {
  testCases(*mlir::ttc::getCpuTarget("x86-64-v3"), casesOfRun(getSpecialCases()));
}

// Scores far beyond the cap are equal, and no score is not a number. Sinks of any size leave what
// they should.
TEST(CachedAttentionKernel, ExtremeScores) {
  for (const Case &plain : {Case{1, 2, 1, 32, 96, Element::f32, Rope::none, false, 2},
                            Case{16, 2, 1, 32, 96, Element::f16, Rope::none, false}})
    for (float cap : {0.0f, 30.0f}) {
      Case c = plain;
      c.window = 40;
      c.softCap = cap;
      c.hasSinks = true;
      KernelSuite suite;
      const Programs programs(suite, c);
      ASSERT_TRUE(suite.compile(host()));
      for (float factor : {0.0f, 1e-20f, 100.0f, 1e5f})
        for (float sink : {-INFINITY, -1e30f, 0.0f, 80.0f, 1e30f}) {
          Data data(c, 50, c.rows, 9), expected(c, 50, c.rows, 9);
          for (int64_t row = 0; row < c.rows; ++row)
            for (int64_t i = 0; i < c.heads * c.depth; ++i)
              expected.qkv[row * c.width() + i] = data.qkv[row * c.width() + i] *= factor;
          for (int64_t head = 0; head < c.heads; ++head)
            expected.sinks[head] = data.sinks[head] = sink;
          naiveAttention(c, expected, c.rows);
          const Buffer y(c.rows * c.heads * c.depth, NAN);
          programs.run(suite, data, data.keys, data.values, y, false);
          // Large scores have large errors; without a cap, they must still be numbers.
          const bool isSmall = cap != 0 || factor < 1;
          for (size_t i = 0; i < y.size(); ++i)
            if (isSmall && factor < 1e5f)
              ASSERT_NEAR(expected.y[i], y[i], 2e-3) << factor << ", " << sink << " at " << i;
            else
              ASSERT_TRUE(std::isfinite(y[i])) << factor << ", " << sink << " at " << i;
        }
    }
}

// Whatever the bytes of position and count are, nothing is written that does not exist.
TEST(CachedAttentionKernel, PositionsOutside) {
  KernelSuite suite;
  std::vector<Programs> programs;
  for (const Case &c : {Case{1, 9, 3, 64, 256, Element::f16, Rope::pairs, true, 4},
                        Case{3, 4, 2, 32, 64, Element::i8, Rope::none, true, 2, 3, {2, 0, 1}},
                        Case{16, 4, 2, 32, 64, Element::i8, Rope::none, true, 1, 2, {1}},
                        Case{1, 4, 2, 32, 64, Element::f32, Rope::none, true, 1},
                        Case{16, 9, 3, 64, 128, Element::f16, Rope::halves, true}})
    programs.emplace_back(suite, c);
  ASSERT_TRUE(suite.compile(host()));
  for (const Programs &program : programs)
    for (int64_t position : {int64_t(-1), program.c.context, program.c.context + 1,
                             int64_t(INT32_MAX), int64_t(INT32_MIN)})
      for (int64_t count : {int64_t(1), int64_t(-1), int64_t(INT32_MIN), int64_t(INT32_MAX)}) {
        const Case &c = program.c;
        const Data before(c, position, count, 5), data(c, position, count, 5);
        const Buffer y(c.rows * c.heads * c.depth, NAN);
        program.run(suite, data, data.keys, data.values, y, /*reversed=*/false);
        ASSERT_TRUE(data.keys == before.keys && data.values == before.values);
        for (size_t i = 0; i < y.size(); ++i)
          ASSERT_EQ(y[i], 0.0f) << "position " << position << ", count " << count;
      }
  // Negative counts are none.
  const Programs &program = programs[0];
  for (int64_t count : {int64_t(-1), int64_t(INT32_MIN)})
    testCase(suite, program, 40, count, 7);
}

// A prompt at once leaves what its tokens leave one after the other.
TEST(CachedAttentionKernel, PromptIsSteps) {
  for (Element element : {Element::f16, Element::i8}) {
    const Case prompt{16, 9, 3, 64, 128, element, Rope::pairs, false};
    Case step = prompt;
    step.rows = 1;
    step.splits = 4;
    KernelSuite suite;
    const Programs together(suite, prompt), alone(suite, step);
    ASSERT_TRUE(suite.compile(host()));
    const Data data(prompt, 25, 16, 3);
    Data steps(prompt, 25, 16, 3);
    const Buffer y(data.y.size());
    together.run(suite, data, data.keys, data.values, y, false);
    for (int64_t m = 0; m < prompt.rows; ++m) {
      Data one(step, 25 + m, 1, 0);
      std::copy_n(steps.qkv.data() + m * step.width(), step.width(), one.qkv.data());
      one.keys.swap(steps.keys);
      one.values.swap(steps.values);
      const Buffer row(step.heads * step.depth);
      alone.run(suite, one, one.keys, one.values, row, false);
      for (size_t i = 0; i < row.size(); ++i)
        ASSERT_NEAR(row[i], y[m * row.size() + i], 2e-6) << "token " << m;
      one.keys.swap(steps.keys);
      one.values.swap(steps.values);
    }
    EXPECT_TRUE(steps.keys == data.keys && steps.values == data.values);
  }
}

// Zeros, numbers whose scale is 0 or subnormal in f16, and halves between two integers.
TEST(CachedAttentionKernel, Scales) {
  const Case c{1, 1, 1, 32, 32, Element::i8, Rope::none, false, 1};
  for (const char *cpu : {"native", "x86-64-v3"}) {
    KernelSuite suite;
    const Programs programs(suite, c);
    ASSERT_TRUE(suite.compile(*mlir::ttc::getCpuTarget(cpu)));
    for (double largest : {0.0, 1e-30, 3e-6, 2.5e-5, 127.0, 254.0, 6e4, 8e6}) {
      Data data(c, 0, 1, 1), expected(c, 0, 1, 1);
      for (int64_t head = 0; head < 3; ++head)
        for (int64_t i = 0; i < 32; ++i)
          data.qkv[head * 32 + i] = expected.qkv[head * 32 + i] =
              head == 0 ? 0 : static_cast<float>(largest * (i == 5 ? -1 : (i - 16.5) / 127));
      naiveAttention(c, expected, 1);
      const Buffer y(32, NAN);
      programs.run(suite, data, data.keys, data.values, y, false);
      EXPECT_TRUE(data.keys == expected.keys && data.values == expected.values) << largest;
      for (int64_t i = 0; i < 32; ++i)
        EXPECT_NEAR(y[i], data.qkv[64 + i], largest * 0.005 + 4e-6) << largest << " at " << i;
    }
  }
}

// What is not a finite number is not hidden by the integers.
TEST(CachedAttentionKernel, NotFinite) {
  const Case c{1, 1, 1, 64, 32, Element::i8, Rope::none, false, 1};
  KernelSuite suite;
  const Programs programs(suite, c);
  ASSERT_TRUE(suite.compile(host()));
  for (float value : {NAN, INFINITY, -INFINITY}) {
    const Data before(c, 3, 1, 1);
    Data data(c, 3, 1, 1);
    data.qkv[2 * 64 + 40] = value; // an element of the value
    const Buffer y(64);
    programs.run(suite, data, data.keys, data.values, y, false);
    for (int64_t i = 0; i < 64; ++i)
      EXPECT_EQ(std::isnan(y[i]), i >= 32) << i;
  }
}

} // namespace
