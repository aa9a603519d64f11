// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State: every inference accesses it in the order of the default schedule ("What is computed" in
// docs/proof.md).

#include "Proof/OrderProver.h"

#include "ttrt/format/dataflow.h"

namespace ttrt {

/// The place of an access to state in the order of all accesses to the same buffer.
struct OrderProver::StatePlace {
  StateBuffer buffer;
  uint64_t index;       ///< from the first access on
  uint64_t inInference; ///< from the first one of the inference on
  int64_t inference;
  uint64_t digest; ///< of the bytes in the buffer
};

OrderProver::StatePlace OrderProver::nextStateAccess(const Access &access) {
  StatePlace place{reference.stateAt(access.address), 0, 0, 0, 0};
  place.index = state->counts[statesAt + place.buffer.number]++;
  // While the first inference is learned, all accesses so far are its own.
  const uint64_t each = reference.perInference(place.buffer);
  place.inInference = each ? place.index % each : place.index;
  place.inference = each ? static_cast<int64_t>(place.index / each) : 0;
  place.digest = dataflow::combine(place.buffer.index, access.address - place.buffer.address,
                                   access.bytes, access.row, access.pitch);
  return place;
}

/// After an epilogue: what has been written is as often what has been read.
int64_t OrderProver::countInferences() const {
  return statesAt || firstMessage != kNone ? baseInference() : 1;
}

/// Inferences of the first port or, without ports, of messages; 0 if there is neither.
int64_t OrderProver::baseInference() const {
  return statesAt                ? static_cast<int64_t>(state->counts[0])
         : firstMessage != kNone ? static_cast<int64_t>(state->counts[messagesAt + firstMessage] /
                                                        perInference(firstMessage))
                                 : 0;
}

/// After an epilogue, each inference has accessed state as often as in the default schedule.
void OrderProver::checkStateAccesses() {
  const auto inferences = static_cast<uint64_t>(countInferences());
  for (const StateBuffer &buffer : reference.states())
    if (const uint64_t expected = reference.perInference(buffer) * inferences,
        found = state->counts[statesAt + buffer.number];
        found != expected)
      failHere("state buffer '{}' is accessed {} times; expected {}",
               text(bundle.metadata().buffers()->Get(buffer.index)->name()), found, expected);
}

/// Checks that the access is the one that follows in the order of the default schedule. State that
/// inference n reads is data of inference n: what the previous one left, or it wrote itself.
uint64_t OrderProver::readState(const Access &access, Touch touch) {
  const StatePlace place = nextStateAccess(access);
  const uint64_t digest =
      dataflow::digestOf(dataflow::Kind::StateRead, place.digest, place.inInference);
  if (!reference.isStateAccess(place.buffer, place.index, digest))
    failDataflow(touch, "reads, out of turn,");
  else if (inference != kNoInference && inference != place.inference)
    failState(touch, place.inference);
  inference = place.inference;
  inferenceFrom = touch;
  return digest;
}

void OrderProver::writeState(const Access &access, Touch touch, uint64_t write) {
  const StatePlace place = nextStateAccess(access);
  const uint64_t digest =
      dataflow::digestOf(dataflow::Kind::StateWrite, place.digest, place.inInference, write);
  if (!reference.isStateAccess(place.buffer, place.index, digest))
    failDataflow(touch, "writes, out of turn,");
  else if (inference != kNoInference && inference != place.inference)
    failState(touch, place.inference);
}

} // namespace ttrt
