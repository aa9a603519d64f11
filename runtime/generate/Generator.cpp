// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate/Generator.h"

#include "Api/ApiChecks.h"

#include <algorithm>
#include <charconv>

namespace ttrt {

static constexpr std::string_view kDecode = "decode", kDecodeRows = "decode_",
                                  kPrefill = "prefill_", kBest = "_best";

static uint32_t chooseAhead(uint32_t ahead) {
  constexpr uint32_t kMost = 4096;
  if (ahead > kMost)
    fail(TTRT_INVALID_ARGUMENT, "expected at most {} steps ahead, found {}", kMost, ahead);
  return ahead ? ahead : 16;
}

static const fb::EntryPoint &tableOf(const Device &device, uint32_t entry) {
  return *device.bundle().metadata().entries()->Get(entry);
}

static uint64_t elementsOf(const fb::Port &port) { return sizeOf(port) / sizeOf(port.dtype()); }

/// N of a name that is `prefix` and N; 0 if it is none.
static uint32_t parseNumber(std::string_view name, std::string_view prefix) {
  uint32_t number = 0;
  if (!name.starts_with(prefix))
    return 0;
  const char *digits = name.data() + prefix.size(), *end = name.data() + name.size();
  const auto [last, status] = std::from_chars(digits, end, number);
  return status == std::errc() && last == end ? number : 0;
}

Generator::Generator(std::shared_ptr<Device> device, const ttrt_generator_options &options)
    : ahead_(chooseAhead(options.ahead)) {
  findSteps(device, options);
  const uint64_t sequences = sequences_.size();
  rows_.assign(sequences, kNone);
  row_ = sequences;
  token_ = findState("token", fb::DType::I32, 1);
  position_ = findState("position", fb::DType::I32, 1);
  sampling_ = findState("sampling", fb::DType::I32, sizeof(ttrt_sampling) / sizeof(int32_t));
  history_ = findState("history", fb::DType::I32, 0);
  context_ = history_.bytes / sizeof(int32_t);
  if (sequences > 1)
    active_ = findState("active", fb::DType::I32, 1);
  findBuckets();
  planBuckets();
  size_t outputs = 0;
  for (uint32_t i = 0; const ResolvedEntry *entry = device->entry(i); ++i)
    outputs = std::max(outputs, entry->outputs.size());
  outputs_.assign(outputs, {nullptr, 0});
  popped_.resize(outputs);
}

/// `decode`, or decode_B for several B: 1, the number of sequences, and some between them. Each may
/// have a variant for the best logits.
void Generator::findSteps(const std::shared_ptr<Device> &device,
                          const ttrt_generator_options &options) {
  struct Found {
    bool isBest;
    uint32_t rows, entry;
    auto operator<=>(const Found &) const = default;
  };
  std::vector<Found> found;
  std::string known;
  bool hasOne = false;
  for (uint32_t i = 0; const ResolvedEntry *entry = device->entry(i); ++i) {
    std::string_view name = entry->name;
    const bool isBest = name.ends_with(kBest);
    if (isBest)
      name.remove_suffix(kBest.size());
    hasOne |= name == kDecode && !isBest;
    if (const uint32_t rows = name == kDecode ? 1 : parseNumber(name, kDecodeRows))
      found.push_back({isBest, rows, i});
    known += (i ? ", " : "") + std::string(entry->name);
  }
  std::sort(found.begin(), found.end());
  const auto whole = std::count_if(found.begin(), found.end(), [](auto &at) { return !at.isBest; });
  if (whole < (hasOne ? 1 : 2) || found[0].rows != 1)
    fail(TTRT_UNSUPPORTED,
         "the bundle generates nothing: expected an entry point 'decode', found {}", known);
  for (const Found &at : found) {
    const auto steps = std::find_if(steps_.begin(), steps_.end(),
                                    [&](const Steps &of) { return of.rows == at.rows; });
    if (at.isBest && steps == steps_.end())
      continue;
    if (at.isBest)
      steps->best = static_cast<uint32_t>(steps_.size());
    else
      sequences_.resize(at.rows);
    addSteps(device, at.entry, at.rows, options);
  }
}

void Generator::addSteps(const std::shared_ptr<Device> &device, uint32_t entry, uint32_t rows,
                         const ttrt_generator_options &options) {
  ttrt_pipeline_options pipeline = TTRT_PIPELINE_OPTIONS_INIT;
  pipeline.entry = entry;
  pipeline.outputs = ahead_;
  pipeline.schedule = options.schedule;
  pipeline.no_trace = options.no_trace;
  Steps steps{entry, rows, -1, std::make_unique<PipelineState>(device, pipeline)};
  const fb::EntryPoint &table = tableOf(*device, entry);
  if (count(table.inputs()) != 0)
    fail(TTRT_UNSUPPORTED, "entry point '{}' has {} inputs; expected none: it reads states",
         text(table.name()), count(table.inputs()));
  const fb::Port &token = *table.outputs()->Get(0);
  if (token.dtype() != fb::DType::I32 || elementsOf(token) != rows)
    fail(TTRT_UNSUPPORTED, "output '{}' of entry point '{}' is not {} of type i32",
         text(token.name()), text(table.name()),
         rows == 1 ? "a number" : std::to_string(rows) + " numbers");
  for (uint32_t i = 1; i < count(table.outputs()); ++i)
    if (const fb::Port &port = *table.outputs()->Get(i); strcmp(text(port.name()), "logits") == 0 &&
                                                         port.dtype() == fb::DType::F32 &&
                                                         elementsOf(port) % rows == 0)
      steps.logitsOutput = static_cast<int>(i);
  steps_.push_back(std::move(steps));
}

/// `elements` of each sequence; 0: any number.
Generator::State Generator::findState(const char *name, fb::DType type, uint64_t elements) {
  const auto *states = device().bundle().metadata().states();
  const uint64_t sequences = sequences_.size();
  for (uint32_t i = 0; i < count(states); ++i) {
    const fb::Port &state = *states->Get(i);
    if (strcmp(text(state.name()), name) != 0)
      continue;
    const uint64_t found = elementsOf(state), wanted = elements * sequences;
    if (state.dtype() != type || (elements ? found != wanted : found % sequences != 0))
      fail(TTRT_UNSUPPORTED, "state '{}' has {} elements of type {}; expected {} of i32", name,
           found, fb::EnumNameDType(state.dtype()), elements ? std::to_string(wanted) : "some");
    const fb::Buffer &buffer = *device().bundle().metadata().buffers()->Get(state.buffer());
    return {device().memory().base() + device().bundle().address(buffer),
            found / sequences * sizeof(int32_t)};
  }
  fail(TTRT_UNSUPPORTED,
       "the bundle has no state '{}', which the entry point '{}' of a decoder has", name,
       text(tableOf(device(), steps_[0].entry).name()));
}

//===----------------------------------------------------------------------===//
// The prompt
//===----------------------------------------------------------------------===//

/// Entry points prefill_N with the inputs `tokens`, N numbers, and `count`; with several sequences,
/// `sequence`, too.
void Generator::findBuckets() {
  const bool hasSequence = sequences() > 1;
  for (uint32_t i = 0; const ResolvedEntry *entry = device().entry(i); ++i) {
    const std::string_view name = entry->name;
    if (!name.starts_with(kPrefill))
      continue;
    Bucket bucket{i, parseNumber(name, kPrefill), kNone, kNone, kNone};
    const fb::EntryPoint &table = tableOf(device(), i);
    for (uint32_t j = 0; j < count(table.inputs()); ++j) {
      const fb::Port &port = *table.inputs()->Get(j);
      const std::string_view input = text(port.name());
      uint32_t &index = input == "tokens"                    ? bucket.tokensInput
                        : hasSequence && input == "sequence" ? bucket.sequenceInput
                                                             : bucket.countInput;
      if (port.dtype() == fb::DType::I32 &&
          elementsOf(port) == (input == "tokens" ? bucket.tokens : 1))
        index = j;
    }
    if (bucket.tokens == 0 || count(table.inputs()) != (hasSequence ? 3 : 2) ||
        bucket.tokensInput == kNone || bucket.countInput == kNone ||
        (hasSequence && bucket.sequenceInput == kNone))
      fail(TTRT_UNSUPPORTED,
           "entry point '{}' is not one for many tokens: expected prefill_N with the inputs "
           "'tokens', of N numbers of type i32, and 'count'{}, of one",
           name, hasSequence ? " and 'sequence'" : "");
    buckets_.push_back(bucket);
  }
  std::sort(buckets_.begin(), buckets_.end(),
            [](const Bucket &a, const Bucket &b) { return a.tokens < b.tokens; });
  padded_.resize(buckets_.empty() ? 0 : buckets_.back().tokens);
  inputs_.resize(3);
}

/// For each number of tokens that are left, the bucket to take first: that which makes all runs
/// compute the fewest rows. A run reads the weights, which takes as long as some rows.
void Generator::planBuckets() {
  constexpr uint64_t kRowsOfARun = 8;
  if (buckets_.empty())
    return;
  std::vector<uint64_t> cost(buckets_.back().tokens + 1);
  plan_.resize(cost.size());
  for (uint64_t left = 1; left < cost.size(); ++left) {
    cost[left] = UINT64_MAX;
    for (uint32_t i = static_cast<uint32_t>(buckets_.size()); i-- > 0;) {
      const uint64_t rows = buckets_[i].tokens;
      const uint64_t total = rows + kRowsOfARun + cost[left - std::min(left, rows)];
      if (total < cost[left]) {
        cost[left] = total;
        plan_[left] = i;
      }
    }
  }
}

/// Runs an entry point on the calling thread; nothing is in flight.
void Generator::run(uint32_t entry, const ttrt_input *inputs) {
  Device &target = device();
  InUse use(target.busy(), "another call on this device");
  const ResolvedEntry &resolved = *target.entry(entry);
  if (!target.residency().isWhole()) [[unlikely]]
    for (const ResolvedStep *step : resolved.steps)
      requireLoaded(target, *step);
  target.watch().run(entry, inputs);
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  if (const char *problem = target.run(resolved, inputs, outputs_.data(), options)) [[unlikely]]
    fail(TTRT_FAILED, "{}", problem);
}

static void setNumber(uint8_t *state, uint64_t value) {
  const auto number = static_cast<int32_t>(value);
  memcpy(state, &number, sizeof(number));
}

/// How many tokens of the prompt the states hold what was computed of: below the position, they are
/// those of the history. The states may come from a file, too.
uint64_t Generator::countKnown(uint32_t sequence, const int32_t *prompt, uint64_t tokens) const {
  int32_t position;
  memcpy(&position, position_.of(sequence), sizeof(position));
  const uint64_t most = std::min<uint64_t>(tokens, static_cast<uint32_t>(std::max(position, 0)));
  const uint8_t *history = history_.of(sequence);
  uint64_t known = 0;
  while (known < most &&
         memcmp(history + known * sizeof(int32_t), &prompt[known], sizeof(int32_t)) == 0)
    ++known;
  return known;
}

/// Positions [begin, end) of the prompt, which are not its last one.
void Generator::prefill(uint32_t sequence, const int32_t *prompt, uint64_t begin, uint64_t end) {
  while (begin < end) {
    const uint64_t left = end - begin;
    const Bucket &bucket = left < plan_.size() ? buckets_[plan_[left]] : buckets_.back();
    const auto valid = static_cast<int32_t>(std::min<uint64_t>(left, bucket.tokens));
    std::copy_n(prompt + begin, valid, padded_.begin());
    std::fill(padded_.begin() + valid, padded_.begin() + bucket.tokens, 0);
    inputs_[bucket.tokensInput] = {padded_.data(), bucket.tokens * sizeof(int32_t)};
    inputs_[bucket.countInput] = {&valid, sizeof(valid)};
    if (bucket.sequenceInput != kNone)
      inputs_[bucket.sequenceInput] = {&sequence, sizeof(sequence)};
    run(bucket.entry, inputs_.data());
    begin += static_cast<uint64_t>(valid);
  }
}

/// The tokens that the steps choose are dropped: each step has written its token after its own
/// position.
void Generator::prefillBySteps(uint32_t sequence, const int32_t *prompt, uint64_t begin,
                               uint64_t end) {
  const ttrt_sampling greedy = TTRT_SAMPLING_INIT;
  setActive(0, sequence);
  for (uint64_t i = begin; i < end; ++i) {
    setNumber(token_.of(sequence), static_cast<uint64_t>(prompt[i]));
    setNumber(position_.of(sequence), i);
    memcpy(sampling_.of(sequence), &greedy, sizeof(greedy));
    run(steps_[0].entry, nullptr);
    memcpy(history_.of(sequence) + (i + 1) * sizeof(int32_t), &prompt[i + 1], sizeof(int32_t));
  }
}

void Generator::setActive(uint32_t row, uint32_t sequence) {
  if (active_.data)
    memcpy(active_.of(row), &sequence, sizeof(sequence));
}

void Generator::requireSequence(uint32_t sequence) const {
  if (sequence >= sequences())
    fail(TTRT_INVALID_ARGUMENT, "expected a sequence below {}, found {}", sequences(), sequence);
}

void Generator::start(uint32_t sequence, const int32_t *prompt, size_t tokens,
                      const ttrt_generation &generation, bool alone) {
  requireSequence(sequence);
  if (tokens > context_)
    fail(TTRT_INVALID_ARGUMENT, "the prompt has {} tokens; the context has room for {}", tokens,
         context_);
  for (size_t i = 0; i < tokens; ++i)
    if (prompt[i] < 0)
      fail(TTRT_INVALID_ARGUMENT, "token {} of the prompt is {}; expected one that is not negative",
           i, prompt[i]);
  // The last token needs no position: it is not computed with.
  const uint64_t room = context_ - tokens + 1;
  if (generation.tokens > room)
    fail(TTRT_INVALID_ARGUMENT,
         "the prompt has {} tokens, and {} more are wanted; the context of {} has room for {} more",
         tokens, generation.tokens, context_, room);
  ttrt_sampling sampling = TTRT_SAMPLING_INIT;
  if (generation.sampling) {
    if (generation.sampling->size != sizeof(ttrt_sampling) ||
        generation.sampling->stop_count > TTRT_SAMPLING_STOPS)
      fail(
          TTRT_INVALID_ARGUMENT,
          "expected a ttrt_sampling of {} bytes with at most {} stop tokens, found {} bytes and {}",
          sizeof(ttrt_sampling), TTRT_SAMPLING_STOPS, generation.sampling->size,
          generation.sampling->stop_count);
    sampling = *generation.sampling;
  }

  if (alone)
    settle();
  else
    steps_[current_].pipeline->settle();
  drop(sequence);
  isOutdated_ = true;
  requireNoFailure(device());
  // The first step computes the last token.
  const uint64_t computed = tokens - 1;
  reused_ = generation.reuse ? countKnown(sequence, prompt, computed) : 0;
  setNumber(position_.of(sequence), reused_);
  memcpy(history_.of(sequence), prompt, tokens * sizeof(int32_t));
  if (buckets_.empty() || generation.by_steps)
    prefillBySteps(sequence, prompt, reused_, computed);
  else
    prefill(sequence, prompt, reused_, computed);
  setNumber(token_.of(sequence), static_cast<uint64_t>(prompt[computed]));
  setNumber(position_.of(sequence), computed);
  memcpy(sampling_.of(sequence), &sampling, sizeof(sampling));
  sequences_[sequence] = {generation.tokens ? generation.tokens : room, 0, room, sampling, true};
  ++activeCount_;
  if (alone && group())
    enqueueAhead();
}

} // namespace ttrt
