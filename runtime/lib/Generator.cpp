// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Generator.h"

#include "ApiChecks.h"

#include <algorithm>
#include <charconv>

namespace ttrt {

static constexpr char kDecode[] = "decode";
static constexpr char kPrefill[] = "prefill_";

static uint32_t findDecode(const Device &device) {
  std::string known;
  for (uint32_t i = 0; const ResolvedEntry *entry = device.entry(i); ++i) {
    if (strcmp(entry->name, kDecode) == 0)
      return i;
    known += (i ? ", " : "") + std::string(entry->name);
  }
  fail(TTRT_UNSUPPORTED, "the bundle generates nothing: expected an entry point 'decode', found {}",
       known);
}

static uint32_t chooseAhead(uint32_t ahead) {
  constexpr uint32_t kMost = 4096;
  if (ahead > kMost)
    fail(TTRT_INVALID_ARGUMENT, "expected at most {} steps ahead, found {}", kMost, ahead);
  return ahead ? ahead : 16;
}

ttrt_pipeline_options Generator::pipelineOptions(const ttrt_generator_options &options) const {
  ttrt_pipeline_options pipeline = TTRT_PIPELINE_OPTIONS_INIT;
  pipeline.entry = decode_;
  pipeline.outputs = ahead_;
  pipeline.schedule = options.schedule;
  pipeline.no_trace = options.no_trace;
  return pipeline;
}

static const fb::EntryPoint &tableOf(const Device &device, uint32_t entry) {
  return *device.bundle().metadata().entries()->Get(entry);
}

static uint64_t elementsOf(const fb::Port &port) { return sizeOf(port) / sizeOf(port.dtype()); }

Generator::Generator(std::shared_ptr<Device> device, const ttrt_generator_options &options)
    : decode_(findDecode(*device)), ahead_(chooseAhead(options.ahead)),
      pipeline_(device, pipelineOptions(options)) {
  const fb::EntryPoint &decode = tableOf(*device, decode_);
  if (count(decode.inputs()) != 0)
    fail(TTRT_UNSUPPORTED, "entry point 'decode' has {} inputs; expected none: it reads states",
         count(decode.inputs()));
  const fb::Port &token = *decode.outputs()->Get(0);
  if (token.dtype() != fb::DType::I32 || elementsOf(token) != 1)
    fail(TTRT_UNSUPPORTED, "output '{}' of entry point 'decode' is not a number of type i32",
         text(token.name()));
  for (uint32_t i = 1; i < count(decode.outputs()); ++i)
    if (const fb::Port &port = *decode.outputs()->Get(i);
        strcmp(text(port.name()), "logits") == 0 && port.dtype() == fb::DType::F32)
      logitsOutput_ = static_cast<int>(i);
  token_ = findState("token", fb::DType::I32, 1);
  position_ = findState("position", fb::DType::I32, 1);
  sampling_ = findState("sampling", fb::DType::I32, sizeof(ttrt_sampling) / sizeof(int32_t));
  history_ = findState("history", fb::DType::I32, 0);
  context_ = history_.bytes / sizeof(int32_t);
  findBuckets();
  planBuckets();
  size_t outputs = 0;
  for (uint32_t i = 0; const ResolvedEntry *entry = device->entry(i); ++i)
    outputs = std::max(outputs, entry->outputs.size());
  outputs_.assign(outputs, {nullptr, 0});
  popped_.resize(pipeline_.entry().outputs.size());
}

/// `elements` 0: any number.
Generator::State Generator::findState(const char *name, fb::DType type, uint64_t elements) {
  const Device &device = pipeline_.device();
  const auto *states = device.bundle().metadata().states();
  for (uint32_t i = 0; i < count(states); ++i) {
    const fb::Port &state = *states->Get(i);
    if (strcmp(text(state.name()), name) != 0)
      continue;
    const uint64_t found = elementsOf(state);
    if (state.dtype() != type || (elements && found != elements))
      fail(TTRT_UNSUPPORTED, "state '{}' has {} elements of type {}; expected {} of i32", name,
           found, fb::EnumNameDType(state.dtype()), elements ? std::to_string(elements) : "some");
    const fb::Buffer &buffer = *device.bundle().metadata().buffers()->Get(state.buffer());
    return {device.memory().base() + device.bundle().address(buffer), found * sizeof(int32_t)};
  }
  fail(TTRT_UNSUPPORTED,
       "the bundle has no state '{}', which the entry point 'decode' of a decoder has", name);
}

//===----------------------------------------------------------------------===//
// The prompt
//===----------------------------------------------------------------------===//

/// Entry points prefill_N with the inputs `tokens`, N numbers, and `count`.
void Generator::findBuckets() {
  Device &device = pipeline_.device();
  for (uint32_t i = 0; const ResolvedEntry *entry = device.entry(i); ++i) {
    const std::string_view name = entry->name;
    if (!name.starts_with(kPrefill))
      continue;
    Bucket bucket{i, 0, UINT32_MAX, UINT32_MAX};
    const char *digits = name.data() + strlen(kPrefill), *end = name.data() + name.size();
    const auto [last, status] = std::from_chars(digits, end, bucket.tokens);
    const fb::EntryPoint &table = tableOf(device, i);
    for (uint32_t j = 0; j < count(table.inputs()); ++j) {
      const fb::Port &port = *table.inputs()->Get(j);
      const bool isTokens = strcmp(text(port.name()), "tokens") == 0;
      if (port.dtype() == fb::DType::I32 && elementsOf(port) == (isTokens ? bucket.tokens : 1))
        (isTokens ? bucket.tokensInput : bucket.countInput) = j;
    }
    if (status != std::errc() || last != end || bucket.tokens == 0 || count(table.inputs()) != 2 ||
        bucket.tokensInput == UINT32_MAX || bucket.countInput == UINT32_MAX)
      fail(TTRT_UNSUPPORTED,
           "entry point '{}' is not one for many tokens: expected prefill_N with the inputs "
           "'tokens', of N numbers of type i32, and 'count', of one",
           name);
    buckets_.push_back(bucket);
  }
  std::sort(buckets_.begin(), buckets_.end(),
            [](const Bucket &a, const Bucket &b) { return a.tokens < b.tokens; });
  padded_.resize(buckets_.empty() ? 0 : buckets_.back().tokens);
  inputs_.resize(2);
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
  Device &device = pipeline_.device();
  InUse use(device.busy(), "another call on this device");
  const ResolvedEntry &resolved = *device.entry(entry);
  if (!device.residency().isWhole()) [[unlikely]]
    for (const ResolvedStep *step : resolved.steps)
      requireLoaded(device, *step);
  device.watch().run(entry, inputs);
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  if (const char *problem = device.run(resolved, inputs, outputs_.data(), options)) [[unlikely]]
    fail(TTRT_FAILED, "{}", problem);
}

template <typename State> static void setNumber(const State &state, uint64_t value) {
  const auto number = static_cast<int32_t>(value);
  memcpy(state.data, &number, sizeof(number));
}

/// How many tokens of the prompt the states hold what was computed of: below the position, they are
/// those of the history. The states may come from a file, too.
uint64_t Generator::countKnown(const int32_t *prompt, uint64_t tokens) const {
  int32_t position;
  memcpy(&position, position_.data, sizeof(position));
  const uint64_t most = std::min<uint64_t>(tokens, static_cast<uint32_t>(std::max(position, 0)));
  uint64_t known = 0;
  while (known < most &&
         memcmp(history_.data + known * sizeof(int32_t), &prompt[known], sizeof(int32_t)) == 0)
    ++known;
  return known;
}

/// Positions [begin, end) of the prompt, which are not its last one.
void Generator::prefill(const int32_t *prompt, uint64_t begin, uint64_t end) {
  while (begin < end) {
    const uint64_t left = end - begin;
    const Bucket &bucket = left < plan_.size() ? buckets_[plan_[left]] : buckets_.back();
    const auto valid = static_cast<int32_t>(std::min<uint64_t>(left, bucket.tokens));
    std::copy_n(prompt + begin, valid, padded_.begin());
    std::fill(padded_.begin() + valid, padded_.begin() + bucket.tokens, 0);
    inputs_[bucket.tokensInput] = {padded_.data(), bucket.tokens * sizeof(int32_t)};
    inputs_[bucket.countInput] = {&valid, sizeof(valid)};
    run(bucket.entry, inputs_.data());
    begin += static_cast<uint64_t>(valid);
  }
}

/// The tokens that the steps choose are dropped: each has written it behind its own.
void Generator::prefillBySteps(const int32_t *prompt, uint64_t begin, uint64_t end) {
  const ttrt_sampling greedy = TTRT_SAMPLING_INIT;
  for (uint64_t i = begin; i < end; ++i) {
    setNumber(token_, static_cast<uint64_t>(prompt[i]));
    setNumber(position_, i);
    memcpy(sampling_.data, &greedy, sizeof(greedy));
    run(decode_, nullptr);
    memcpy(history_.data + (i + 1) * sizeof(int32_t), &prompt[i + 1], sizeof(int32_t));
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Generator::settle() noexcept {
  ended_ = true;
  pipeline_.settle();
  while (pipeline_.pop(popped_.data(), TTRT_DONT_WAIT) == PipelineState::Pop::Ready) {
  }
}

void Generator::start(const int32_t *prompt, size_t tokens, const ttrt_generation &generation) {
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

  settle();
  requireNoFailure(pipeline_.device());
  // The first step computes the last token.
  const uint64_t computed = tokens - 1;
  reused_ = generation.reuse ? countKnown(prompt, computed) : 0;
  setNumber(position_, reused_);
  memcpy(history_.data, prompt, tokens * sizeof(int32_t));
  if (buckets_.empty() || generation.by_steps)
    prefillBySteps(prompt, reused_, computed);
  else
    prefill(prompt, reused_, computed);
  setNumber(token_, static_cast<uint64_t>(prompt[computed]));
  setNumber(position_, computed);
  memcpy(sampling_.data, &sampling, sizeof(sampling));
  limit_ = generation.tokens ? generation.tokens : room;
  enqueued_ = taken_ = 0;
  ended_ = false;
  enqueueAhead();
}

void Generator::enqueueAhead() {
  while (enqueued_ < limit_ && enqueued_ - taken_ < ahead_) {
    pipeline_.enqueue(nullptr, nullptr);
    ++enqueued_;
  }
}

bool Generator::next(int32_t *token) {
  if (ended_)
    return false;
  requireNoFailure(pipeline_.device());
  enqueueAhead();
  if (taken_ == enqueued_) {
    ended_ = true;
    return false;
  }
  const PipelineState::Pop result = pipeline_.pop(popped_.data(), TTRT_WAIT);
  if (result != PipelineState::Pop::Ready) {
    requireNoFailure(pipeline_.device());
    fail(TTRT_FAILED, "the device gave no token");
  }
  ++taken_;
  int32_t found;
  memcpy(&found, popped_[0], sizeof(found));
  if (found < 0) { // the device has stopped
    ended_ = true;
    return false;
  }
  *token = found;
  return true;
}

const float *Generator::logits(size_t *count) const {
  if (logitsOutput_ < 0 || taken_ == 0)
    return nullptr;
  const auto output = static_cast<size_t>(logitsOutput_);
  *count = pipeline_.entry().outputs[output].bytes / sizeof(float);
  return static_cast<const float *>(popped_[output]);
}

} // namespace ttrt
