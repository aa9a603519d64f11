// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-seed-faults BUNDLE [MOST]: seeds faults of every kind into a bundle, up to MOST of each, and
// writes it again with the right hashes. What is wrong must be rejected, what is harmless accepted:
// an oracle that executes the schedules step by step says which is which. Exit status 1 if they
// disagree. A fault of state must be refused whatever it does, if the bundle says what it computes.

#include "Oracle.h"
#include "SeedFaults.h"
#include "StateFaults.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

using namespace ttrt::test;

/// A bundle whose default schedule says what is computed, and whose tables say what programs are:
/// the oracle has no more information.
static BundleBuilder readUncertified(const std::string &path) {
  BundleBuilder builder = readBundle(path);
  builder.facts.reset();
  for (auto &entry : builder.bundle.entries)
    entry->dataflow = nullptr;
  return builder;
}

/// Seeds faults of state into the bundle as it is: with facts, and a dataflow that names the order
/// of all uses of state. Returns how many changed something and were taken.
static uint32_t seedStateFaults(const std::string &path, uint32_t most) {
  uint32_t refused = 0, kinds = 0, taken = 0;
  const std::vector<uint8_t> unchanged = readBundle(path).finish();
  for (const FaultKind &kind : stateFaultKinds()) {
    const uint32_t before = refused;
    for (size_t variant = 0; variant < most; ++variant) {
      BundleBuilder builder = readBundle(path);
      if (!kind.seed(builder, variant))
        break;
      if (builder.finish() == unchanged)
        continue;
      if (!verdict(builder).empty()) {
        ++refused;
        continue;
      }
      if (kind.order != FaultKind::Order::No && findFault(builder, 3).empty())
        continue; // an order that does no harm
      printf("  TAKEN %s, variant %zu\n", kind.name, variant);
      ++taken;
    }
    kinds += refused != before;
  }
  printf("%u kinds of faults of state, with the dataflow: %u rejected, %u taken\n", kinds, refused,
         taken);
  return taken;
}

static int run(int argc, char **argv) {
  const std::string path = argv[1];
  const uint32_t most = argc > 2 ? static_cast<uint32_t>(atoi(argv[2])) : 50;
  BundleBuilder good = readUncertified(path);
  const std::string said = verdict(good), found = findFault(good, 3);
  if (!said.empty() || !found.empty()) {
    printf("the bundle itself: '%s' '%s'\n", said.c_str(), found.c_str());
    return 1;
  }
  uint32_t rejected = 0, harmless = 0, kinds = 0, wrong = 0;
  for (const auto &[kind, tally] : seedFaults([&] { return readUncertified(path); }, most)) {
    if (tally.rejected + tally.harmless == 0)
      continue;
    printf("%-22s %4u rejected, %4u harmless  %s\n", kind.c_str(), tally.rejected, tally.harmless,
           tally.message.c_str());
    for (const std::string &disagreement : tally.disagreements)
      printf("  WRONG %s\n", disagreement.c_str());
    rejected += tally.rejected;
    harmless += tally.harmless;
    kinds += tally.rejected != 0;
    wrong += static_cast<uint32_t>(tally.disagreements.size());
  }
  if (!good.bundle.states.empty())
    wrong += seedStateFaults(path, most);
  printf("%u kinds of faults: %u rejected, %u harmless, %u wrong\n", kinds, rejected, harmless,
         wrong);
  return wrong != 0;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: ttrt-seed-faults BUNDLE [MOST]\n");
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    fprintf(stderr, "ttrt-seed-faults: %s\n", error.what());
    return 2;
  }
}
