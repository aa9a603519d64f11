// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OrderFaults.h"

#include "Oracle.h"
#include "ProofBundles.h"

namespace ttrt::test {

OrderFaults seedOrderFaults(const std::function<BundleBuilder()> &make, const Reference &reference,
                            const ExploreOptions &options, size_t every) {
  OrderFaults faults;
  for (const FaultKind &kind : faultKinds()) {
    if (kind.order == FaultKind::Order::No)
      continue;
    for (size_t variant = 0; variant < 300; variant += every) {
      BundleBuilder builder = make();
      if (!kind.seed(builder, variant))
        break;
      const std::string said = verdict(builder), found = exploreAll(builder, reference, options);
      // Which program has one workgroup depends on the CPU, and not each races with itself on more.
      bool tables = false;
      const bool isOtherCode = said.find("for which its code was generated") != std::string::npos;
      if (said.empty() && found.empty())
        ++faults.harmless;
      else if (!said.empty() && !found.empty())
        ++faults.harmful;
      else if (isOtherCode || (!said.empty() && !findFault(builder, 3, &tables).empty() && tables))
        ++faults.inTables;
      else if (said.empty() && kind.order == FaultKind::Order::Work &&
               found.find("data: ") != std::string::npos)
        ++faults.otherResults;
      else
        faults.disagreements.push_back(std::string(kind.name) + ", variant " +
                                       std::to_string(variant) + ": the runtime says '" + said +
                                       "', of the interleavings '" + found + "'");
    }
  }
  return faults;
}

} // namespace ttrt::test
