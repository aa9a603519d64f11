// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof of a collective (docs/proof.md): its moves, executed symbolically on all devices of a
// group at once. OrderProver proves that all devices execute the same exchanges in the same order.

#ifndef TTRT_LIB_PROOF_MESHPROVER_H
#define TTRT_LIB_PROOF_MESHPROVER_H

#include "Bundle/Bundle.h"
#include "ttrt/format/collectives.h"

#include <string>

namespace ttrt {

/// The most devices of a group that the proof supports: its time grows with their third power.
inline constexpr uint32_t kMaxProvedDevices = 256;

/// Where the moves come from: collectives::forEachMove() or, in tests, something that is wrong.
class MoveSource {
public:
  using Visit = void (*)(void *context, const collectives::Move &move);

  virtual ~MoveSource() = default;
  virtual void forEachMove(const collectives::Shape &shape, uint32_t self, Visit visit,
                           void *context) const {
    collectives::forEachMove(shape, self,
                             [&](const collectives::Move &move) { visit(context, move); });
  }
};

/// What is wrong with the moves of a collective of a verified shape; "" if nothing. `elementBytes`:
/// of what a sum adds. Devices are numbered by their index in the group.
std::string findMoveProblem(const collectives::Shape &shape, uint64_t elementBytes,
                            const MoveSource &source = {});

/// Every collective computes what it promises, whatever the speed of the devices. Throws Error.
void verifyCollectiveMoves(const Bundle &bundle);

} // namespace ttrt

#endif // TTRT_LIB_PROOF_MESHPROVER_H
