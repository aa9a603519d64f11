// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles of a mesh: good ones pass, and every kind of fault is refused with a message that names
// it.

#include "Bundle/Bundle.h"
#include "test/unit/Proof/FaultPlaces.h"
#include "test/unit/Proof/MeshFaults.h"
#include "test/unit/Proof/ProofBundles.h"
#include "test/unit/Support/Certify.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/MeshBundle.h"

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

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

/// Into the bundle whose devices each have a `w` of their own.
const MeshFault kShardFaults[] = {
    {"ShardsOfSomeDevices",
     [](BundleBuilder &b) { b.bundle.mesh->shards.pop_back(); },
     {"the mesh names the shards of 3 devices; expected none, or those of all 4"}},
    {"ShardThatDoesNotExist",
     [](BundleBuilder &b) { b.bundle.mesh->shards[2] = 4; },
     {"device 2 of the mesh has shard 4 of the constants; the bundle has no such segment"}},
    {"ShardOfNoDevice",
     [](BundleBuilder &b) { b.bundle.mesh->shards[3] = 0; },
     {"segment constants, shard 3: no device of the mesh has it"}},
    {"NoShards",
     [](BundleBuilder &b) { b.bundle.mesh->shards.clear(); },
     {"segment constants, shard 0: no device of the mesh has it"}},
    {"ShardIsTooSmall",
     [](BundleBuilder &b) { b.shards[2].resize(512); },
     {"constant 'w' at 0x0 + 1024 bytes is not in the constants' segment"}},
    {"ShardAtAnotherAddress",
     [](BundleBuilder &b) {
       b.beforeWriting = [](fb::BundleT &bundle) { bundle.segments[1]->address += kPageSize; };
     },
     {"segment constants, shard 1, is at 0x1000; expected 0x0, as shard 0"}},
    {"TwoSegmentsOfOneShard",
     [](BundleBuilder &b) {
       b.beforeWriting = [](fb::BundleT &bundle) { bundle.segments[1]->shard = 1; };
     },
     {"two segments"}},
    {"ShardsOverConstants",
     [](BundleBuilder &b) {
       b.constants.resize(64);
       b.beforeWriting = [](fb::BundleT &bundle) {
         for (auto &segment : bundle.segments)
           if (segment->shard)
             segment->address = 0;
       };
     },
     {"share a page with the constants of all devices"}},
    {"ShardsOverTensors",
     [](BundleBuilder &b) {
       for (auto &shard : b.shards)
         shard.resize(8192);
     },
     {"buffer 'x' at 0x1000 + 1024 bytes is in the pages of the sharded constants, 0x0 to 0x2000"}},
    {"ShardIsSent",
     [](BundleBuilder &b) {
       b.streams[0].words[commands(b)[kAllReduce].word + 2] = b.shardsBegin();
     },
     {"exchanges 'sum_over_y' with operand 0 at 0x0 + 1024 bytes, in the constants"}},
    {"ConstantOutsideTheShards",
     [](BundleBuilder &b) { b.bundle.buffers[0]->size += 64; },
     {"constant 'w' at 0x0 + 1088 bytes is not in the constants' segment"}},
};

class MeshShardTest : public testing::TestWithParam<MeshFault> {};

TEST_P(MeshShardTest, IsRefused) {
  BundleBuilder builder = meshBundle(/*sharded=*/true);
  GetParam().seed(builder);
  const std::string said = verdict(builder);
  EXPECT_NE(said.find(GetParam().message[0]), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(Faults, MeshShardTest, testing::ValuesIn(kShardFaults),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Mesh, ShardsCountInTheDataflow) {
  BundleBuilder builder = meshBundle(/*sharded=*/true);
  certify(builder);
  EXPECT_EQ(verdict(builder), "");
  // Two devices with each other's weights.
  std::swap(builder.bundle.mesh->shards[1], builder.bundle.mesh->shards[2]);
  EXPECT_NE(verdict(builder).find("what the entry point's dataflow does not"), std::string::npos);
  std::swap(builder.bundle.mesh->shards[1], builder.bundle.mesh->shards[2]);
  // The weights of one device.
  builder.shards[3][5] ^= 1;
  EXPECT_NE(verdict(builder).find("what the entry point's dataflow does not"), std::string::npos);
}

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

/// The schedule with two queues in which queue 0 writes x again as soon as the program of queue 1
/// has read it, while the exchange there may still be under way. With `ordered`, queue 0 waits for
/// that exchange, too; `queue` records the event in the prologue.
BundleBuilder aheadBundle(bool ordered, uint8_t queue = 1) {
  BundleBuilder builder = meshQueuesBundle();
  enum : uint32_t { kWritten, kFirst, kConsumed, kSecond };
  builder.event("third");
  const std::vector<uint64_t> words = builder.streams[1].words;
  StreamBuilder stream;
  stream.dispatch(1, {words[2], words[3]});
  stream.signal(kConsumed);
  stream.exchange(1, {words[7], words[8]});
  stream.end();
  builder.streams[1] = stream;
  fb::ScheduleT &two = *builder.bundle.entries[0]->schedules[1];
  auto add = [](auto &part, fb::StepKind kind, uint32_t index, uint8_t queue) {
    BundleBuilder::step(part, kind, index, queue);
  };
  two.body.clear();
  if (ordered) {
    add(two.prologue, fb::StepKind::Record, kSecond, queue);
    add(two.body, fb::StepKind::Wait, kSecond, 0);
  }
  add(two.body, fb::StepKind::Wait, kConsumed, 0);
  add(two.body, fb::StepKind::Write, 0, 0);
  add(two.body, fb::StepKind::Record, kWritten, 0);
  add(two.body, fb::StepKind::Wait, kWritten, 1);
  add(two.body, fb::StepKind::Execute, 0, 0);
  add(two.body, fb::StepKind::Record, kFirst, 0);
  add(two.body, fb::StepKind::Wait, kFirst, 1);
  add(two.body, fb::StepKind::Execute, 1, 1);
  add(two.body, fb::StepKind::Read, 1, 1);
  add(two.body, fb::StepKind::Record, kSecond, 1);
  add(two.body, fb::StepKind::Read, 0, 0);
  return builder;
}

TEST(MeshQueues, TheOrderHoldsInEveryIteration) {
  // The exchange of queue 0 in the next iteration may pass that of queue 1 in this one.
  BundleBuilder ahead = aheadBundle(/*ordered=*/false);
  EXPECT_EQ(verdict(ahead),
            "schedule 'two' of entry point 'main': command 2 of trace 'main_t0' (sum_0) on queue 0 "
            "in iteration 1 exchanges data with other devices before or after command 2 of trace "
            "'main_t1' (sum_1) on queue 1 in iteration 0; expected one order on all devices: "
            "expected queue 0 to wait, before the second, for an event that queue 1 records after "
            "the first");
  BundleBuilder ordered = aheadBundle(/*ordered=*/true);
  EXPECT_EQ(verdict(ordered), "");
}

TEST(MeshQueues, TheOrderHoldsInRestarts) {
  // If the prologue records the event on queue 0, the first wait of a restart is for nothing: only
  // an idle device may start again.
  for (uint8_t queue : {1, 0}) {
    BundleBuilder builder = aheadBundle(/*ordered=*/true, queue);
    const TemporaryFile file(builder.finish());
    const Bundle bundle(file.path(), TTRT_VERIFY_FULL);
    EXPECT_EQ(bundle.prove(0, /*two*/ 1), queue == 1);
  }
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
