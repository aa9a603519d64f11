// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exhaustive model checking of a small mesh: every state that its devices, their queues and cores
// can reach, by every interleaving. It models what each may do next, and what a collective promises
// (fb::CollectiveKind), but has no theory of what happens before what.
//
// Work reads when it begins and writes when it ends, with everything that others do in between. The
// moves of an exchange are those of collectives.h, each with a beginning and an end. Two cores
// execute a queue.
//
//   data      an output is not what the same inference gives if all devices execute one command
//   after
//             the other, each exchange doing what its kind promises
//   order     devices execute exchanges in different orders, or one device two at a time
// deadlock  nothing can continue

#ifndef TTC_TEST_UNIT_PROOF_MESHEXPLORER_H
#define TTC_TEST_UNIT_PROOF_MESHEXPLORER_H

#include "test/unit/Support/BundleBuilder.h"

namespace ttrt::test {

/// The outputs of one schedule on all devices, executed in the order of the host.
using MeshReference = std::vector<uint64_t>;
MeshReference meshReferenceOf(const BundleBuilder &good, uint32_t bodies);

struct MeshExplored {
  std::string fault; ///< "" if there is none
  uint64_t states = 0;
};

/// All interleavings of a schedule of the first entry point, with `bodies` bodies. Gives up with
/// "too large" after `mostStates`.
MeshExplored exploreMesh(const BundleBuilder &builder, const MeshReference &reference,
                         size_t schedule, uint32_t bodies, uint64_t mostStates = 400'000);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_MESHEXPLORER_H
