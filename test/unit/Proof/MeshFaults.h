// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults of a mesh: what a planner, a scheduler, a writer or a person could get wrong.

#ifndef TTC_TEST_UNIT_PROOF_MESHFAULTS_H
#define TTC_TEST_UNIT_PROOF_MESHFAULTS_H

#include "test/unit/Support/BundleBuilder.h"

#include <functional>

namespace ttrt::test {

struct MeshFault {
  const char *name;
  std::function<void(BundleBuilder &)> seed; ///< into meshBundle()
  std::vector<const char *> message;         ///< parts of it
};

const std::vector<MeshFault> &meshFaults();

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_MESHFAULTS_H
