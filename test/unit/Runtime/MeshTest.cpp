// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles of a mesh: good ones pass, and every kind of fault is refused with a message that names
// it.

#include "Certify.h"
#include "FaultPlaces.h"
#include "Loaded.h"
#include "MeshBundle.h"
#include "MeshFaults.h"
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

class MeshFaultTest : public testing::TestWithParam<MeshFault> {};

TEST_P(MeshFaultTest, IsRefused) {
  BundleBuilder builder = meshBundle();
  GetParam().seed(builder);
  const std::string said = verdict(builder);
  for (const char *part : GetParam().message)
    EXPECT_NE(said.find(part), std::string::npos) << "'" << said << "' lacks '" << part << "'";
  EXPECT_NE(said, "");
}

INSTANTIATE_TEST_SUITE_P(Faults, MeshFaultTest, testing::ValuesIn(meshFaults()),
                         [](const auto &info) { return std::string(info.param.name); });

/// Removes the steps of a kind from the schedule with two queues.
void eraseSteps(BundleBuilder &builder, fb::StepKind kind, uint32_t index) {
  std::erase_if(builder.bundle.entries[0]->schedules[1]->body,
                [&](const auto &step) { return step->kind == kind && step->index == index; });
}

TEST(MeshQueues, ExchangesOfTwoQueuesHaveOneOrder) {
  // Without the wait, the data is right on each device, but the devices may disagree on the order.
  BundleBuilder builder = meshQueuesBundle();
  eraseSteps(builder, fb::StepKind::Wait, 1);
  EXPECT_EQ(verdict(builder),
            "schedule 'two' of entry point 'main': command 2 of trace 'main_t1' (sum_1) "
            "exchanges data with other devices before or after command 2 of trace 'main_t0' "
            "(sum_0); expected one order on all devices: expected queue 1 to wait, before the "
            "second, for an event that queue 0 records after the first");
}

TEST(MeshQueues, TheOrderHoldsInEveryIteration) {
  // The exchange of the next iteration must not pass the last one of this iteration.
  BundleBuilder builder = meshQueuesBundle();
  auto &body = builder.bundle.entries[0]->schedules[1]->body;
  ASSERT_EQ(body[9]->kind, fb::StepKind::Wait);
  // Queue 1 reads z itself. Queue 0 writes x again when queue 1 has read x.
  body[10]->queue = 1;
  body[9]->queue = 1;
  EXPECT_NE(verdict(builder), "");
}

TEST(Mesh, TheDataflowNamesCollectives) {
  // Each of these moves as many bytes to the same places, and nothing else would notice.
  const std::pair<const char *, std::function<void(BundleBuilder &)>> changes[] = {
      {"other collective",
       [](BundleBuilder &b) {
         b.streams[0].words[commands(b)[kAllReduce].word + 1] = 2 | uint64_t(2) << 32;
       }},
      {"other groups",
       [](BundleBuilder &b) {
         b.bundle.collectives[0]->groups[0]->devices = {0, 2};
         b.bundle.collectives[0]->groups[1]->devices = {1, 3};
       }},
      {"other order of parts",
       [](BundleBuilder &b) { b.bundle.collectives[2]->groups[0]->devices = {1, 0, 2, 3}; }},
      {"other reduction",
       [](BundleBuilder &b) { b.bundle.collectives[0]->reduction = fb::Reduction::Max; }},
      {"other type", [](BundleBuilder &b) { b.bundle.collectives[0]->dtype = fb::DType::I32; }},
      {"other algorithm",
       [](BundleBuilder &b) {
         b.bundle.collectives[0]->algorithm = fb::CollectiveAlgorithm::Ring;
       }},
      {"other rows", [](BundleBuilder &b) { b.bundle.collectives[1]->rows = 2; }},
      {"other kind",
       [](BundleBuilder &b) { b.bundle.collectives[0]->kind = fb::CollectiveKind::Broadcast; }},
  };
  for (const auto &[name, change] : changes) {
    BundleBuilder builder = meshBundle();
    certify(builder);
    EXPECT_EQ(verdict(builder), "");
    change(builder);
    EXPECT_NE(verdict(builder).find("what the entry point's dataflow does not"), std::string::npos)
        << name << ": " << verdict(builder);
  }
}

TEST(Mesh, SourcesMayLeaveOutDevices) {
  // What a device without a source finds in the output was there before, so that is read, too.
  BundleBuilder builder =
      tinyMeshBundle(2, fb::CollectiveKind::Permute, fb::CollectiveAlgorithm::Direct);
  builder.bundle.collectives[0]->sources = {1, kNoSource};
  builder.bundle.collectives[0]->operands[1]->access = fb::Access::ReadWrite;
  const std::string said = verdict(builder);
  EXPECT_NE(said.find("(exchange_0), operand 1, reads"), std::string::npos) << said;
  EXPECT_NE(said.find("of 'b'"), std::string::npos) << said;
}

TEST(Mesh, GroupsThatAreTooLarge) {
  BundleBuilder builder =
      tinyMeshBundle(257, fb::CollectiveKind::Broadcast, fb::CollectiveAlgorithm::Direct);
  EXPECT_NE(verdict(builder).find("more devices than the 256 that this runtime proves"),
            std::string::npos)
      << verdict(builder);
  BundleBuilder large =
      tinyMeshBundle(256, fb::CollectiveKind::AllReduce, fb::CollectiveAlgorithm::Ring);
  EXPECT_EQ(verdict(large), "");
}

} // namespace
} // namespace ttrt::test
