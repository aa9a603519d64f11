// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small meshes by every interleaving there is (MeshExplorer.h), and whether the proof says the
// same.

#include "Certify.h"
#include "MeshBundle.h"
#include "MeshExplorer.h"
#include "ProofBundles.h"
#include "ttrt/collectives.h"

#include <gtest/gtest.h>
#include <random>

namespace ttrt::test {
namespace {

struct SmallMesh {
  std::string name;
  std::function<BundleBuilder()> make;
};

std::vector<SmallMesh> smallMeshes() {
  std::vector<SmallMesh> all;
  for (fb::CollectiveKind kind : fb::EnumValuesCollectiveKind())
    for (fb::CollectiveAlgorithm algorithm : fb::EnumValuesCollectiveAlgorithm())
      for (uint32_t devices : {2, 3})
        if (collectives::isDefined(kind, algorithm, devices))
          all.push_back({std::string(fb::EnumNameCollectiveKind(kind)) +
                             fb::EnumNameCollectiveAlgorithm(algorithm) + std::to_string(devices),
                         [=] { return tinyMeshBundle(devices, kind, algorithm); }});
  all.push_back({"Queues", [] { return meshQueuesBundle(); }});
  return all;
}

class MeshExplore : public testing::TestWithParam<SmallMesh> {};

TEST_P(MeshExplore, EveryInterleavingGivesTheResult) {
  const BundleBuilder good = GetParam().make();
  const MeshReference reference = meshReferenceOf(good, 3);
  for (size_t schedule = 0; schedule < good.bundle.entries[0]->schedules.size(); ++schedule) {
    const MeshExplored found = exploreMesh(good, reference, schedule, 1, 2'000'000);
    EXPECT_EQ(found.fault, "");
    printf("%zu: %llu states\n", schedule, static_cast<unsigned long long>(found.states));
    EXPECT_GT(found.states, 20u);
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, MeshExplore, testing::ValuesIn(smallMeshes()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace ttrt::test
