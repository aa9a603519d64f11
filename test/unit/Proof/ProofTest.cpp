// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof against faults of every kind, with an oracle as the judge: no fault is taken, nothing
// good is refused, and the message names what is wrong.

#include "L1Bundle.h"
#include "Oracle.h"
#include "SeedFaults.h"
#include "test/unit/Support/Rounds.h"

#include <gtest/gtest.h>

namespace ttrt::test {
namespace {

std::vector<NamedBundle> bundles() {
  std::vector<NamedBundle> all = proofBundles();
  all.push_back({"L1", [] { return writeAheadBundle(); }});
  all.push_back({"OwnTraces", ownTracesBundle});
  return all;
}

class Proof : public testing::TestWithParam<NamedBundle> {};

TEST_P(Proof, GoodBundlePasses) {
  BundleBuilder builder = GetParam().make();
  EXPECT_EQ(verdict(builder), "");
  EXPECT_EQ(findFault(builder, 4), "");
}

TEST_P(Proof, FaultsAreFoundAndNothingElse) {
  for (const auto &[kind, tally] : seedFaults(GetParam().make, ttrt::test::rounds(200)))
    for (const std::string &disagreement : tally.disagreements)
      ADD_FAILURE() << kind << ", " << disagreement;
}

INSTANTIATE_TEST_SUITE_P(Bundles, Proof, testing::ValuesIn(bundles()),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(ProofFaults, EveryKindOfFaultIsFoundSomewhere) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "what it executes, FaultsAreFoundAndNothingElse does, too";
#endif
  std::map<std::string, uint32_t> rejected;
  for (const NamedBundle &bundle : bundles())
    for (const auto &[kind, tally] : seedFaults(bundle.make, 12))
      if (tally.rejected + tally.harmless) // waits in streams: ExploreTest
        rejected[kind] += tally.rejected;
  EXPECT_GE(rejected.size(), 20u);
  for (const auto &[kind, times] : rejected)
    EXPECT_GT(times, 0u) << kind;
}

} // namespace
} // namespace ttrt::test
