// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of a generator: which sequences are their rows, and whose tokens come next.

#include "generate/Generator.h"

#include <algorithm>
#include <cmath>

namespace ttrt::generate {

void Generator::settle() noexcept {
  ttrt_private.settle(turns(), current_);
  while (ttrt_private.pop(turns(), current_, popped_.data(), TTRT_DONT_WAIT)) {
  }
  for (Sequence &sequence : sequences_)
    sequence.isActive = false;
  activeCount_ = 0;
  inFlight_ = 0;
  row_ = rows_.size();
  taken_ = SIZE_MAX;
  isOutdated_ = true;
}

/// Ends a sequence, and drops what steps have computed for it that was not delivered.
void Generator::drop(uint32_t sequence) noexcept {
  end(sequence);
  std::replace(rows_.begin(), rows_.end(), sequence, kNone);
}

/// Its row stays where fewer rows would not need another entry point: it costs as good as nothing.
void Generator::end(uint32_t sequence) noexcept {
  if (!sequences_[sequence].isActive)
    return;
  sequences_[sequence].isActive = false;
  --activeCount_;
  if (activeCount_ == 0 || chooseSteps() != current_)
    isOutdated_ = true;
}

void Generator::stop(uint32_t sequence) {
  requireSequence(sequence);
  drop(sequence);
}

/// Whether the best logits are enough (TTRT_SAMPLING_BEST).
static bool needsOnlyBest(const ttrt_sampling &sampling) {
  const auto isPositive = [](float x) { return x > 0 && std::isfinite(x); };
  const bool hasPenalty =
      isPositive(sampling.repetition_penalty) && sampling.repetition_penalty != 1;
  return !hasPenalty && (!isPositive(sampling.temperature) ||
                         (sampling.top_k > 0 && sampling.top_k <= TTRT_SAMPLING_BEST));
}

/// The entry point of the fewest rows that are enough for the active sequences.
uint32_t Generator::chooseSteps() const noexcept {
  uint32_t index = 0;
  while (steps_[index].rows < activeCount_)
    ++index;
  const bool best = std::all_of(sequences_.begin(), sequences_.end(), [](const Sequence &at) {
    return !at.isActive || needsOnlyBest(at.sampling);
  });
  return best && steps_[index].best != kNone ? steps_[index].best : index;
}

/// Makes the active sequences the rows of the steps that follow; nothing is in flight. Returns
/// false if there are none.
bool Generator::group() {
  if (activeCount_ == 0)
    return false;
  ttrt_private.settle(turns(), current_);
  current_ = chooseSteps();
  ttrt_private.take_over(turns(), current_);
  std::fill(rows_.begin(), rows_.end(), kNone);
  budget_ = UINT64_MAX;
  uint32_t row = 0;
  for (uint32_t i = 0; i < sequences(); ++i)
    if (const Sequence &sequence = sequences_[i]; sequence.isActive) {
      rows_[row++] = i;
      // The device does not have the limits on tokens.
      budget_ = std::min(budget_, sequence.limit - sequence.taken);
    }
  for (uint32_t i = 0; i < sequences(); ++i)
    setActive(i, rows_[i]);
  isOutdated_ = false;
  taken_ = SIZE_MAX;
  return true;
}

void Generator::enqueueAhead() {
  for (; !isOutdated_ && budget_ > 0 && inFlight_ < ahead_; --budget_, ++inFlight_)
    ttrt_private.enqueue(turns(), current_);
}

bool Generator::next(ttrt_generated *generated) {
  while (activeCount_ > 0) {
    requireNoFailure();
    if (deliver(generated))
      return true;
    enqueueAhead();
    if (inFlight_ == 0) {
      group();
      continue;
    }
    if (!ttrt_private.pop(turns(), current_, popped_.data(), TTRT_WAIT)) {
      requireNoFailure();
      fail(TTRT_FAILED, "the device gave no token");
    }
    --inFlight_;
    row_ = 0;
  }
  return false;
}

/// The next row of the popped step that an active sequence has. Returns false if there is none.
bool Generator::deliver(ttrt_generated *generated) {
  while (row_ < rows_.size()) {
    const size_t row = row_++;
    const uint32_t index = rows_[row];
    if (index == kNone || !sequences_[index].isActive)
      continue;
    Sequence &sequence = sequences_[index];
    int32_t token;
    memcpy(&token, static_cast<const int32_t *>(popped_[0]) + row, sizeof(token));
    taken_ = row;
    ttrt_ended ended = TTRT_NOT_ENDED;
    const int32_t *stops = sequence.sampling.stop, *lastStop = stops + sequence.sampling.stop_count;
    sequence.taken += token >= 0;
    if (token < 0 || std::find(stops, lastStop, token) != lastStop)
      ended = TTRT_ENDED_BY_STOP;
    else if (sequence.taken == sequence.limit)
      ended = sequence.limit == sequence.room ? TTRT_ENDED_BY_CONTEXT : TTRT_ENDED_BY_TOKENS;
    *generated = {sizeof(ttrt_generated), index, token, static_cast<uint32_t>(sequence.taken),
                  ended};
    if (ended != TTRT_NOT_ENDED)
      end(index);
    return true;
  }
  return false;
}

const float *Generator::logits(size_t *count) const {
  const Steps &steps = steps_[current_];
  if (steps.logitsOutput < 0 || taken_ == SIZE_MAX)
    return nullptr;
  const auto output = static_cast<size_t>(steps.logitsOutput);
  *count = steps.logits;
  return static_cast<const float *>(popped_[output]) + taken_ * *count;
}

} // namespace ttrt::generate
