// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_PROOF_STATEFAULTS_H
#define TTC_TEST_UNIT_PROOF_STATEFAULTS_H

#include "ProofBundles.h"

namespace ttrt::test {

/// The kinds of faults that only a bundle with state can have; part of faultKinds().
const std::vector<FaultKind> &stateFaultKinds();

/// A state that queue 0 updates, and that queue 1 copies to the output.
BundleBuilder stateQueuesBundle();

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_STATEFAULTS_H
