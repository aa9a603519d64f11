// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof that the exchanges of devices which execute different streams match (docs/proof.md):
// every send has its receive, in all inferences, without a cycle of waits.

#ifndef TTRT_LIB_PROOF_EXCHANGEMATCHING_H
#define TTRT_LIB_PROOF_EXCHANGEMATCHING_H

#include "Bundle/DecodedPlan.h"

namespace ttrt {

/// All entry points of some devices. Relies on verifyRoles(). OrderProver proves that each device
/// executes its meetings in the order of the host. Throws Error.
void verifyExchangesMatch(const Bundle &bundle, const DecodedPlan &plan);

} // namespace ttrt

#endif // TTRT_LIB_PROOF_EXCHANGEMATCHING_H
