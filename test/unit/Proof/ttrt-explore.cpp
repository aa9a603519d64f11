// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-explore BUNDLE [BODIES [EVERY]]: every state that the queues and cores of a bundle's
// schedules can reach, with 0 to BODIES bodies (default 2) on two cores each. For small bundles:
// one that has more than MOST STATES (default 4,000,000) is given up. Prints how many states and
// interleavings there are and, if something is wrong, one interleaving that leads there; exit
// status 1 then.

#include "OrderFaults.h"
#include "ProofBundles.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace ttrt::test;

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: ttrt-explore BUNDLE [BODIES [EVERY]]\n");
    return 2;
  }
  ExploreOptions options;
  const uint32_t most = argc > 2 ? static_cast<uint32_t>(atoi(argv[2])) : 2;
  try {
    const BundleBuilder builder = readBundle(argv[1]);
    const Reference reference = referenceOf(builder, 4 * most + 8);
    for (size_t e = 0; e < builder.bundle.entries.size(); ++e)
      for (size_t s = 0; s < builder.bundle.entries[e]->schedules.size(); ++s)
        for (options.bodies = 0; options.bodies <= most; ++options.bodies) {
          const Explored explored = explore(builder, e, s, reference, options);
          printf("%s, %s, %u bodies: %llu states, %.3g interleavings%s%s\n",
                 builder.bundle.entries[e]->name.c_str(),
                 builder.bundle.entries[e]->schedules[s]->name.c_str(), options.bodies,
                 static_cast<unsigned long long>(explored.states), explored.interleavings,
                 explored.fault.empty() ? ": all good" : ": ", explored.fault.c_str());
          for (const std::string &step : explored.trail)
            printf("  %s\n", step.c_str());
          if (!explored.fault.empty())
            return 1;
        }
    if (argc > 3) {
      options.bodies = most;
      const OrderFaults faults = seedOrderFaults([&] { return readBundle(argv[1]); }, reference,
                                                 options, std::max(1, atoi(argv[3])));
      for (const std::string &disagreement : faults.disagreements)
        printf("WRONG %s\n", disagreement.c_str());
      printf(
          "%u other orders are refused and go wrong, %u are taken and go well, %u are refused for "
          "what the tables say, %u compute something else, %zu wrong\n",
          faults.harmful, faults.harmless, faults.inTables, faults.otherResults,
          faults.disagreements.size());
      return !faults.disagreements.empty();
    }
  } catch (const std::exception &error) {
    fprintf(stderr, "ttrt-explore: %s\n", error.what());
    return 1;
  }
  return 0;
}
