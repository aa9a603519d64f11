// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof that devices have equal outputs where the tables say so: along the axes of the mesh
// that do not divide them (docs/proof.md).

#ifndef TTRT_LIB_PROOF_REPLICAPROVER_H
#define TTRT_LIB_PROOF_REPLICAPROVER_H

#include "Bundle/DecodedPlan.h"

namespace ttrt {

/// Follows which devices have equal data through the default schedule of every entry point, where
/// all other properties have been proved. Throws Error.
void verifyReplicas(const Bundle &bundle, const PlacedPlan &plan);

} // namespace ttrt

#endif // TTRT_LIB_PROOF_REPLICAPROVER_H
