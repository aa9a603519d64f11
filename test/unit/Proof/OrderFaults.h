// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TEST_UNIT_PROOF_ORDERFAULTS_H
#define TTC_TEST_UNIT_PROOF_ORDERFAULTS_H

#include "Explorer.h"

#include <functional>

namespace ttrt::test {

/// Events, barriers and steps dropped, moved, exchanged, doubled or put on the other queue: what
/// the runtime says to each such bundle, and what becomes of it in every interleaving.
struct OrderFaults {
  uint32_t harmful = 0;  ///< refused, and one interleaving goes wrong
  uint32_t harmless = 0; ///< taken, and none does
  /// Refused for what the tables say, such as a wait without a record, with no harm done.
  uint32_t inTables = 0;
  /// Taken, but programs that come in another order compute something else from the same buffers:
  /// the proof follows where data goes, not what is computed.
  uint32_t otherResults = 0;
  std::vector<std::string> disagreements;
};

/// Every `every`-th variant of each kind.
OrderFaults seedOrderFaults(const std::function<BundleBuilder()> &make, const Reference &reference,
                            const ExploreOptions &options, size_t every = 1);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_PROOF_ORDERFAULTS_H
