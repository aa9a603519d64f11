// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_PROOF_SEEDFAULTS_H
#define TTC_TEST_UNIT_PROOF_SEEDFAULTS_H

#include "ProofBundles.h"

#include <map>

namespace ttrt::test {

/// What came of the variants of one kind of fault.
struct Tally {
  uint32_t rejected = 0;
  uint32_t harmless = 0; ///< taken, and the oracle finds nothing wrong
  std::string message;   ///< of the first one that was rejected
  std::vector<std::string> disagreements;
};

/// Seeds every kind of fault into a bundle, up to `most` variants of each, and compares what the
/// runtime says with the oracle.
std::map<std::string, Tally> seedFaults(const std::function<BundleBuilder()> &make, uint32_t most);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_SEEDFAULTS_H
