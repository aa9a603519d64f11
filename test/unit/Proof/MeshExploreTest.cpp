// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small meshes by every interleaving there is (MeshExplorer.h), and whether the proof says the
// same.

#include "MeshExplorer.h"
#include "ProofBundles.h"
#include "test/unit/Support/Certify.h"
#include "test/unit/Support/MeshBundle.h"
#include "test/unit/Support/Rounds.h"
#include "ttrt/format/collectives.h"

#include <gtest/gtest.h>
#include <random>

namespace ttrt::test {
namespace {

struct SmallMesh {
  std::string name;
  std::function<BundleBuilder()> make;
  uint32_t bodies = 2; ///< of changed bundles
};

std::vector<SmallMesh> smallMeshes() {
  std::vector<SmallMesh> all;
  for (fb::CollectiveKind kind : fb::EnumValuesCollectiveKind())
    for (fb::CollectiveAlgorithm algorithm : fb::EnumValuesCollectiveAlgorithm())
      for (uint32_t devices : {2, 3})
        if (collectives::isDefined(kind, algorithm, devices))
          all.push_back({std::string(fb::EnumNameCollectiveKind(kind)) +
                             fb::EnumNameCollectiveAlgorithm(algorithm) + std::to_string(devices),
                         [=] { return tinyMeshBundle(devices, kind, algorithm); },
                         devices == 2 ? 2u : 1u});
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
    EXPECT_GT(found.states, 20u);
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, MeshExplore, testing::ValuesIn(smallMeshes()),
                         [](const auto &info) { return info.param.name; });

/// What the proof says of changed bundles, and what becomes of them.
struct Tally {
  uint32_t harmful = 0;  ///< refused, and an interleaving goes wrong
  uint32_t harmless = 0; ///< taken, and none does
  uint32_t cautious = 0; ///< refused, and none does: by the tables, or for data that nothing uses
  std::vector<std::string> wrong; ///< taken, and one does

  void add(const std::string &name, const BundleBuilder &builder, const MeshReference &reference,
           uint32_t bodies) {
    BundleBuilder copy = builder;
    const std::string said = verdict(copy);
    std::string found;
    for (size_t i = 0; i < builder.bundle.entries[0]->schedules.size() && found.empty(); ++i)
      found = exploreMesh(builder, reference, i, bodies).fault;
    harmful += !said.empty() && !found.empty();
    harmless += said.empty() && found.empty();
    cautious += !said.empty() && found.empty();
    if (said.empty() && !found.empty())
      wrong.push_back(name + ": " + found);
  }
};

/// Events, barriers and steps dropped, moved, exchanged, doubled or put on the other queue.
TEST_P(MeshExplore, TheProofTakesNothingThatGoesWrong) {
  Tally tally;
  const MeshReference reference = meshReferenceOf(GetParam().make(), 3);
  for (const FaultKind &kind : faultKinds())
    for (size_t variant = 0; kind.order != FaultKind::Order::No && variant < size_t(rounds(40));
         ++variant) {
      BundleBuilder builder = GetParam().make();
      certify(builder);
      for (auto &trace :
           builder.bundle.traces) // finish() has placed them; faults change their size
        trace->address = trace->size = 0;
      builder.bundle.trace_region.reset();
      if (!kind.seed(builder, variant))
        break;
      tally.add(std::string(kind.name) + " " + std::to_string(variant), builder, reference,
                GetParam().bodies);
    }
  for (const std::string &wrong : tally.wrong)
    ADD_FAILURE() << wrong;
  EXPECT_GT(tally.harmful, 0u);
  RecordProperty("harmful", static_cast<int>(tally.harmful));
  RecordProperty("harmless", static_cast<int>(tally.harmless));
}

/// Commands in any order that reads what has been written, on one queue and on two, with barriers
/// and waits at some places.
BundleBuilder randomMesh(uint32_t seed) {
  std::mt19937 random(seed);
  auto chance = [&](uint32_t percent) { return random() % 100 < percent; };
  BundleBuilder builder;
  const uint32_t devices = 2;
  const uint64_t bytes = 64 * devices;
  builder.mesh({{"x", devices}});
  builder.bundle.target->queues = 2;
  std::vector<uint32_t> collectives;
  using enum fb::CollectiveKind;
  for (fb::CollectiveKind kind : {AllReduce, AllToAll, Permute})
    collectives.push_back(builder.collective(
        fb::EnumNameCollectiveKind(kind), kind, fb::CollectiveAlgorithm::Direct, {{0, 1}}, bytes, 1,
        0, kind == Permute ? std::vector<uint32_t>{1, 0} : std::vector<uint32_t>{}));
  const uint32_t wide = builder.program("test_reverse", 2, {bytes}, {bytes});
  const uint32_t narrow = builder.program("test_third", 1, {bytes}, {bytes});
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, 0, bytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, bytes, bytes);
  std::vector<uint64_t> buffers;
  for (uint32_t i = 0; i < 4; ++i) {
    buffers.push_back((2 + i) * bytes);
    builder.buffer("b" + std::to_string(i), fb::BufferKind::Activation, buffers.back(), bytes);
  }
  for (const char *name : {"a", "b", "c"})
    builder.event(name);
  std::vector<uint64_t> written = {0};
  uint32_t traces[2];
  for (uint32_t i = 0; i < 2; ++i) {
    StreamBuilder stream;
    for (uint32_t commands = 1 + random() % 3; commands; --commands) {
      const uint64_t from = written[random() % written.size()];
      uint64_t to = buffers[random() % buffers.size()];
      while (to == from)
        to = buffers[random() % buffers.size()];
      if (chance(50))
        stream.exchange(collectives[random() % 3], {from, to});
      else
        stream.dispatch(chance(60) ? wide : narrow, {from, to});
      written.push_back(to);
      if (chance(75))
        stream.barrier();
    }
    if (i == 1)
      stream.dispatch(narrow, {written.back(), bytes});
    stream.end();
    traces[i] = builder.trace("main_t" + std::to_string(i), stream);
  }
  fb::EntryPointT &entry = builder.entry("main", {"x", {devices * 16}, in},
                                         {"y", {devices * 16}, out}, {traces[0], traces[1]});
  // What the devices compute need not be equal.
  entry.outputs[0]->sharding.push_back(std::make_unique<fb::AxisListT>());
  entry.outputs[0]->sharding.back()->axes = {0};
  fb::ScheduleT &two = BundleBuilder::schedule(entry, "two", 2);
  auto add = [&](fb::StepKind kind, uint32_t index, uint8_t queue) {
    BundleBuilder::step(two.body, kind, index, queue);
  };
  add(fb::StepKind::Write, 0, 0);
  if (chance(50)) {
    add(fb::StepKind::Record, 0, 0);
    add(fb::StepKind::Wait, 0, 1);
  }
  add(fb::StepKind::Execute, traces[0], 0);
  add(fb::StepKind::Record, 1, 0);
  if (chance(70))
    add(fb::StepKind::Wait, 1, 1);
  add(fb::StepKind::Execute, traces[1], 1);
  const bool reads = chance(50);
  if (reads)
    add(fb::StepKind::Read, 0, 1);
  add(fb::StepKind::Record, 2, 1);
  if (chance(70))
    add(fb::StepKind::Wait, 2, 0);
  if (!reads)
    add(fb::StepKind::Read, 0, 0);
  return builder;
}

TEST(MeshExplorePlans, TheProofSaysTheSameOfRandomPlans) {
  Tally tally;
  const auto kPlans = uint32_t(rounds(1500, 60));
  uint32_t orders = 0;
  for (uint32_t seed = 0; seed < kPlans; ++seed) {
    BundleBuilder builder = randomMesh(seed);
    orders += verdict(builder).find("expected one order on all devices") != std::string::npos;
    tally.add("seed " + std::to_string(seed), builder, meshReferenceOf(builder, 2), 2);
  }
  for (const std::string &wrong : tally.wrong)
    ADD_FAILURE() << wrong;
  EXPECT_GT(orders, kPlans / 20);
  EXPECT_GT(tally.harmless, kPlans / 4);
  EXPECT_LT(tally.cautious, tally.harmful / 8);
}

} // namespace
} // namespace ttrt::test
