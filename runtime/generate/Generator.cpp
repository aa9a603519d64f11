// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate/Generator.h"

#include "ttrt/state.h"
#include "ttrt/ttc_bundle_generated.h"

#include <algorithm>
#include <charconv>
#include <compare>

namespace ttrt::generate {

static constexpr std::string_view kDecode = "decode", kDecodeRows = "decode_",
                                  kPrefill = "prefill_", kBest = "_best";

static uint32_t chooseAhead(uint32_t ahead) {
  constexpr uint32_t kMost = 4096;
  if (ahead > kMost)
    fail(TTRT_INVALID_ARGUMENT, "expected at most %u steps ahead, found %u", kMost, ahead);
  return ahead ? ahead : 16;
}

/// Throws Error unless `status` is TTRT_OK.
static void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK) [[unlikely]]
    throw Error{status, error.message};
}

static ttrt_entry entryOf(const ttrt_bundle *bundle, uint32_t entry) {
  ttrt_entry info = TTRT_ENTRY_INIT;
  ttrt_error error;
  check(ttrt_bundle_entry(bundle, entry, &info, &error), error);
  return info;
}

/// `Describe` is ttrt_bundle_input or ttrt_bundle_output.
template <auto Describe> ttrt_port portOf(const ttrt_bundle *bundle, uint32_t entry, uint32_t i) {
  ttrt_port port = TTRT_PORT_INIT;
  ttrt_error error;
  check(Describe(bundle, entry, i, &port, &error), error);
  return port;
}

static uint64_t elementsOf(const ttrt_port &port) {
  uint64_t elements = 1;
  for (uint32_t i = 0; i < port.rank; ++i)
    elements *= static_cast<uint64_t>(port.shape[i]);
  return elements;
}

/// N of a name that is `prefix` and N; 0 if it is none.
static uint32_t parseNumber(std::string_view name, std::string_view prefix) {
  uint32_t number = 0;
  if (!name.starts_with(prefix))
    return 0;
  const char *digits = name.data() + prefix.size(), *end = name.data() + name.size();
  const auto [last, status] = std::from_chars(digits, end, number);
  return status == std::errc() && last == end ? number : 0;
}

Generator::Generator(ttrt_device *device, const ttrt_generator_options *given) {
  ttrt_turns *turns;
  ttrt_error error;
  check(ttrt_private.open(device, &turns, &error), error);
  turns_.reset(turns);
  const ttrt_generator_options options = readOptions(given, "ttrt_generator_options");
  ahead_ = chooseAhead(options.ahead);
  findSteps(options);
  const uint64_t sequences = sequences_.size();
  rows_.assign(sequences, kNone);
  row_ = sequences;
  token_ = findState("token", 1);
  position_ = findState("position", 1);
  sampling_ = findState("sampling", sizeof(ttrt_sampling) / sizeof(int32_t));
  history_ = findState("history", 0);
  context_ = history_.bytes / sizeof(int32_t);
  vocabulary_ = findVocabulary();
  if (sequences > 1)
    active_ = findState("active", 1);
  findBuckets();
  planBuckets();
  size_t outputs = 0;
  for (uint32_t i = 0; i < ttrt_bundle_entries(bundle()); ++i)
    outputs = std::max<size_t>(outputs, entryOf(bundle(), i).outputs);
  popped_.resize(outputs);
  check(ttrt_private.start(turns, &error), error);
}

/// The number of tokens that the metadata has; 0 if it has none.
uint64_t Generator::findVocabulary() const {
  const void *text;
  uint64_t bytes, number = 0;
  if (ttrt_bundle_metadata(bundle(), "vocabulary", &text, &bytes, nullptr) == TTRT_OK) {
    const char *digits = static_cast<const char *>(text);
    const auto [end, status] = std::from_chars(digits, digits + bytes, number);
    if (status != std::errc() || end != digits + bytes || number == 0)
      fail(TTRT_BAD_BUNDLE, "expected a positive number as the metadata 'vocabulary'");
    return number;
  }
  return 0;
}

/// `decode`, or decode_B for several B: 1, the number of sequences, and some between them. Each may
/// have a variant for the best logits.
void Generator::findSteps(const ttrt_generator_options &options) {
  struct Found {
    bool isBest;
    uint32_t rows, entry;
    auto operator<=>(const Found &) const = default;
  };
  std::vector<Found> found;
  std::string known;
  bool hasOne = false;
  for (uint32_t i = 0; i < ttrt_bundle_entries(bundle()); ++i) {
    const char *const whole = entryOf(bundle(), i).name;
    std::string_view name = whole;
    const bool isBest = name.ends_with(kBest);
    if (isBest)
      name.remove_suffix(kBest.size());
    hasOne |= name == kDecode && !isBest;
    if (const uint32_t rows = name == kDecode ? 1 : parseNumber(name, kDecodeRows))
      found.push_back({isBest, rows, i});
    known += (i ? ", " : "") + std::string(whole);
  }
  std::sort(found.begin(), found.end());
  const auto whole = std::count_if(found.begin(), found.end(), [](auto &at) { return !at.isBest; });
  if (whole < (hasOne ? 1 : 2) || found[0].rows != 1)
    fail(TTRT_UNSUPPORTED,
         "the bundle generates nothing: expected an entry point 'decode', found %s", known.c_str());
  for (const Found &at : found) {
    const auto steps = std::find_if(steps_.begin(), steps_.end(),
                                    [&](const Steps &of) { return of.rows == at.rows; });
    if (at.isBest && steps == steps_.end())
      continue;
    if (at.isBest)
      steps->best = static_cast<uint32_t>(steps_.size());
    else
      sequences_.resize(at.rows);
    addSteps(at.entry, at.rows, options);
  }
}

void Generator::addSteps(uint32_t entry, uint32_t rows, const ttrt_generator_options &options) {
  ttrt_pipeline_options pipeline = TTRT_PIPELINE_OPTIONS_INIT;
  pipeline.entry = entry;
  pipeline.outputs = ahead_;
  pipeline.schedule = options.schedule;
  pipeline.no_trace = options.no_trace;
  ttrt_error error;
  check(ttrt_private.add(turns(), &pipeline, &error), error);
  Steps steps{entry, rows};
  const ttrt_entry table = entryOf(bundle(), entry);
  if (table.inputs != 0)
    fail(TTRT_UNSUPPORTED, "entry point '%s' has %u inputs; expected none: it reads states",
         table.name, table.inputs);
  const ttrt_port token = portOf<ttrt_bundle_output>(bundle(), entry, 0);
  if (token.dtype != TTRT_I32 || elementsOf(token) != rows)
    fail(TTRT_UNSUPPORTED, "output '%s' of entry point '%s' is not %s of type i32", token.name,
         table.name, rows == 1 ? "a number" : (std::to_string(rows) + " numbers").c_str());
  for (uint32_t i = 1; i < table.outputs; ++i)
    if (const ttrt_port port = portOf<ttrt_bundle_output>(bundle(), entry, i);
        port.name == std::string_view("logits") && port.dtype == TTRT_F32 &&
        elementsOf(port) % rows == 0) {
      steps.logitsOutput = static_cast<int>(i);
      steps.logits = elementsOf(port) / rows;
    }
  steps_.push_back(steps);
}

/// `elements` of each sequence; 0: any number.
Generator::State Generator::findState(const char *name, uint64_t elements) {
  const uint64_t sequences = sequences_.size();
  for (uint32_t i = 0; i < ttrt_bundle_states(bundle()); ++i) {
    ttrt_port state = TTRT_PORT_INIT;
    ttrt_error error;
    check(ttrt_bundle_state(bundle(), i, &state, &error), error);
    if (strcmp(state.name, name) != 0)
      continue;
    const uint64_t found = elementsOf(state), wanted = elements * sequences;
    if (state.dtype != TTRT_I32 || (elements ? found != wanted : found % sequences != 0))
      fail(TTRT_UNSUPPORTED, "state '%s' has %llu elements of type %s; expected %s of i32", name,
           static_cast<unsigned long long>(found),
           fb::EnumNameDType(static_cast<fb::DType>(state.dtype)),
           elements ? std::to_string(wanted).c_str() : "some");
    return {static_cast<uint8_t *>(ttrt_private.state(turns(), i)),
            found / sequences * sizeof(int32_t)};
  }
  fail(TTRT_UNSUPPORTED,
       "the bundle has no state '%s', which the entry point '%s' of a decoder has", name,
       entryOf(bundle(), steps_[0].entry).name);
}

//===----------------------------------------------------------------------===//
// The prompt
//===----------------------------------------------------------------------===//

/// Entry points prefill_N with the inputs `tokens`, N numbers, and `count`; with several sequences,
/// `sequence`, too.
void Generator::findBuckets() {
  const bool hasSequence = sequences() > 1;
  for (uint32_t i = 0; i < ttrt_bundle_entries(bundle()); ++i) {
    const ttrt_entry table = entryOf(bundle(), i);
    const std::string_view name = table.name;
    if (!name.starts_with(kPrefill))
      continue;
    Bucket bucket{i, parseNumber(name, kPrefill), kNone, kNone, kNone};
    for (uint32_t j = 0; j < table.inputs; ++j) {
      const ttrt_port port = portOf<ttrt_bundle_input>(bundle(), i, j);
      const std::string_view input = port.name;
      uint32_t &index = input == "tokens"                    ? bucket.tokensInput
                        : hasSequence && input == "sequence" ? bucket.sequenceInput
                                                             : bucket.countInput;
      if (port.dtype == TTRT_I32 && elementsOf(port) == (input == "tokens" ? bucket.tokens : 1))
        index = j;
    }
    if (bucket.tokens == 0 || table.inputs != (hasSequence ? 3 : 2) ||
        bucket.tokensInput == kNone || bucket.countInput == kNone ||
        (hasSequence && bucket.sequenceInput == kNone))
      fail(TTRT_UNSUPPORTED,
           "entry point '%s' is not one for many tokens: expected prefill_N with the inputs "
           "'tokens', of N numbers of type i32, and 'count'%s, of one",
           table.name, hasSequence ? " and 'sequence'" : "");
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
  ttrt_error error;
  check(ttrt_private.run(turns(), entry, inputs, &error), error);
}

void Generator::requireNoFailure() const {
  if (const ttrt_error *failure = ttrt_private.failure(turns())) [[unlikely]]
    throw Error{failure->status, failure->message};
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
    fail(TTRT_INVALID_ARGUMENT, "expected a sequence below %u, found %u", sequences(), sequence);
}

void Generator::start(uint32_t sequence, const int32_t *prompt, size_t tokens,
                      const ttrt_generation &generation, bool alone) {
  requireSequence(sequence);
  if (tokens > context_)
    fail(TTRT_INVALID_ARGUMENT, "the prompt has %zu tokens; the context has room for %llu", tokens,
         static_cast<unsigned long long>(context_));
  for (size_t i = 0; i < tokens; ++i) {
    if (prompt[i] < 0)
      fail(TTRT_INVALID_ARGUMENT,
           "token %zu of the prompt is %d; expected one that is not negative", i, prompt[i]);
    if (vocabulary_ && static_cast<uint64_t>(prompt[i]) >= vocabulary_)
      fail(TTRT_INVALID_ARGUMENT, "token %zu of the prompt is %d; expected one below %llu", i,
           prompt[i], static_cast<unsigned long long>(vocabulary_));
  }
  // The last token needs no position: it is not computed with.
  const uint64_t room = context_ - tokens + 1;
  if (generation.tokens > room)
    fail(TTRT_INVALID_ARGUMENT,
         "the prompt has %zu tokens, and %llu more are wanted; the context of %llu has room for "
         "%llu "
         "more",
         tokens, static_cast<unsigned long long>(generation.tokens),
         static_cast<unsigned long long>(context_), static_cast<unsigned long long>(room));
  ttrt_sampling sampling = TTRT_SAMPLING_INIT;
  if (generation.sampling) {
    if (generation.sampling->size != sizeof(ttrt_sampling) ||
        generation.sampling->stop_count > TTRT_SAMPLING_STOPS)
      fail(TTRT_INVALID_ARGUMENT,
           "expected a ttrt_sampling of %zu bytes with at most %d stop tokens, found %u bytes and "
           "%u",
           sizeof(ttrt_sampling), TTRT_SAMPLING_STOPS, generation.sampling->size,
           generation.sampling->stop_count);
    sampling = *generation.sampling;
  }

  if (alone)
    settle();
  else
    ttrt_private.settle(turns(), current_);
  drop(sequence);
  isOutdated_ = true;
  requireNoFailure();
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

} // namespace ttrt::generate
