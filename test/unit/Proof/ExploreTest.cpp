// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small schedules by every interleaving there is (Explorer.h), and whether the proof says the same.

#include "Bundle/Bundle.h"
#include "OrderFaults.h"
#include "ProofBundles.h"
#include "test/unit/Support/QueueBundle.h"

#include <gtest/gtest.h>

namespace ttrt::test {
namespace {

/// Builds that are not optimised, such as those with sanitizers, look at some of the orders only.
#ifdef __OPTIMIZE__
constexpr size_t kEvery = 1;
constexpr uint32_t kBodies = 4;
#else
constexpr size_t kEvery = 11;
constexpr uint32_t kBodies = 2;
#endif

std::vector<NamedBundle> smallBundles() {
  std::vector<NamedBundle> bundles = proofBundles();
  bundles.push_back({"Queues", queueBundle});
  return bundles;
}

class Explore : public testing::TestWithParam<NamedBundle> {
protected:
  static constexpr uint32_t kInferences = 24;
  BundleBuilder good = GetParam().make();
  Reference reference = referenceOf(good, kInferences);

  std::string faultOf(const BundleBuilder &builder, const ExploreOptions &options,
                      Explored *sum = nullptr) {
    return exploreAll(builder, reference, options, sum);
  }
};

TEST_P(Explore, EveryInterleavingGivesTheResult) {
  for (uint32_t cores : {1, 2, 3}) {
    ExploreOptions options;
    options.bodies = kBodies;
    options.cores = cores;
    Explored sum;
    EXPECT_EQ(faultOf(good, options, &sum), "") << cores << " cores";
    for (const std::string &step : sum.trail)
      ADD_FAILURE() << step;
    EXPECT_GT(sum.states, 50u);
    RecordProperty("states_on_" + std::to_string(cores) + "_cores", std::to_string(sum.states));
  }
}

/// The host is a thread, too, and the rings are short: no thread is blocked forever.
TEST_P(Explore, EveryInterleavingOfAHostThatIsHeldBack) {
  for (uint32_t capacity : {1, 2, 5}) {
    ExploreOptions options;
    options.bodies = 2;
    options.capacity = capacity;
    EXPECT_EQ(faultOf(good, options), "") << "room for " << capacity;
  }
}

/// Events dropped, moved, exchanged or on the other queue, barriers and steps, too: what the proof
/// takes goes well in every interleaving, and what it refuses goes wrong in one.
TEST_P(Explore, TheProofSaysTheSameOfEveryOrder) {
  ExploreOptions options;
  options.bodies = 2;
  const OrderFaults faults = seedOrderFaults(GetParam().make, reference, options, kEvery);
  for (const std::string &disagreement : faults.disagreements)
    ADD_FAILURE() << disagreement;
  EXPECT_GT(faults.harmful, 0u);
  RecordProperty("harmful", std::to_string(faults.harmful));
  RecordProperty("harmless", std::to_string(faults.harmless));
  RecordProperty("other_results", std::to_string(faults.otherResults));
  RecordProperty("against_the_tables", std::to_string(faults.inTables));
}

/// Which schedules can be run again without a wait in between.
TEST_P(Explore, TheProofSaysTheSameOfPlayingAgain) {
  const TemporaryFile file(good.finish());
  const Bundle bundle(file.path(), TTRT_VERIFY_FULL);
  for (uint32_t e = 0; e < good.bundle.entries.size(); ++e)
    for (uint32_t s = 0; s < good.bundle.entries[e]->schedules.size(); ++s) {
      const fb::Schedule *schedule = bundle.metadata().entries()->Get(e)->schedules()->Get(s);
      const bool proved = bundle.prove(e, s);
      bool good = true;
      for (uint32_t bodies : {0, 1, 2}) {
        ExploreOptions options;
        options.bodies = bodies;
        options.runs = 3;
        good &= explore(this->good, e, s, reference, options).fault.empty();
      }
      EXPECT_EQ(good, proved) << schedule->name()->c_str();
    }
}

INSTANTIATE_TEST_SUITE_P(Bundles, Explore, testing::ValuesIn(smallBundles()),
                         [](const auto &info) { return std::string(info.param.name); });

/// It says what goes wrong, and by which steps.
TEST(ExploreFaults, HaveATrail) {
  const Reference reference = referenceOf(queueBundle(), 8);
  ExploreOptions options;
  Explored race;
  BundleBuilder builder = queueBundle();
  // overlap-input: queue 0 no longer waits for the write.
  auto &body = builder.bundle.entries[0]->schedules[1]->body;
  std::erase_if(body, [](const auto &step) {
    return step->kind == fb::StepKind::Wait && step->queue == 0 && step->index == 0;
  });
  const std::string said = exploreAll(builder, reference, options, &race);
  EXPECT_NE(said.find("schedule 'overlap-input', 1 bodies: race: "), std::string::npos) << said;
  ASSERT_FALSE(race.trail.empty());
  EXPECT_NE(race.trail.back().find(" begins "), std::string::npos) << race.trail.back();

  // The readback comes before its own inference.
  builder = queueBundle();
  auto &steps = builder.bundle.entries[0]->schedules[0]->body;
  std::rotate(steps.begin(), steps.end() - 2, steps.end() - 1);
  EXPECT_EQ(exploreAll(builder, reference, options),
            "schedule 'single', 1 bodies: data: read y of inference 0 does not give its result");

  options.mostStates = 100;
  EXPECT_EQ(exploreAll(queueBundle(), reference, options),
            "schedule 'single', 1 bodies: too large");
}

/// Queues that wait for each other in a cycle. No schedule can ask for that, since a wait is for
/// what was enqueued before: the model is bent to it.
TEST(ExploreFaults, Deadlock) {
  BundleBuilder builder = queueBundle();
  const Reference reference = referenceOf(builder, 8);
  const ScheduleModel model(builder);
  ExploreOptions options;
  options.bodies = 1;
  Unrolled unrolled = model.unroll(*builder.bundle.entries[0]->schedules[1], 1);
  for (Instance &instance : unrolled.instances)
    if (instance.step->kind == fb::StepKind::Wait && instance.queue == 1)
      instance.targets[0] = static_cast<int>(unrolled.records) - 1;
  EXPECT_EQ(explore(model, 0, 1, std::move(unrolled), reference, options).fault,
            "deadlock: no thread can continue");
}

} // namespace
} // namespace ttrt::test
