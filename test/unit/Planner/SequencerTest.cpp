// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search by relations agrees with the search by placements on what is possible.
#include "lib/Planner/Sequencer.h"
#include "Problems.h"
#include "ttc/Planner/Validator.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace ttc::planner;

namespace {

constexpr int64_t kPlenty = 1'000'000;

/// Small enough that every search ends; every third has a fixed buffer, every second alignments.
std::vector<Buffer> smallProblem(unsigned seed) {
  std::mt19937 random(seed);
  auto below = [&](int bound) { return static_cast<int64_t>(random() % bound); };
  std::vector<Buffer> buffers;
  for (int i = 0; i < 9; ++i) {
    const int64_t lower = below(8);
    const int64_t alignment = seed % 2 == 0 ? 1 : int64_t(1) << below(3);
    buffers.push_back({lower, lower + 1 + below(5), 1 + below(7), alignment});
  }
  if (seed % 3 == 0)
    buffers[0].offset = buffers[0].alignment * below(6);
  return buffers;
}

void expectRight(const std::vector<Buffer> &buffers, const Instance &instance,
                 const std::vector<int64_t> &offsets, int64_t capacity) {
  Plan plan;
  for (const Buffer &buffer : buffers)
    plan.offsets.push_back(buffer.offset.value_or(0));
  for (size_t i = 0; i < instance.size(); ++i)
    plan.offsets[instance.items[i].buffer] = offsets[i];
  for (size_t i = 0; i < buffers.size(); ++i)
    plan.arenaSize = std::max(plan.arenaSize, plan.offsets[i] + buffers[i].size);
  for (const Fault &fault : validate(buffers, plan, std::max(capacity, lowerBound(buffers))))
    ADD_FAILURE() << fault.message;
}

TEST(Sequencer, AgreesWithTheSearchOnEveryHeight) {
  int impossible = 0, found = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    const std::vector<Buffer> buffers = smallProblem(seed);
    const Instance instance(buffers);
    Search search(instance);
    Sequencer sequencer(instance);
    std::vector<int32_t> ranks(instance.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const std::vector<double> preference(instance.size(), 1.0);
    const int64_t highest = plan(buffers).arenaSize;
    for (int64_t capacity = std::max<int64_t>(0, highest - 8); capacity <= highest; ++capacity) {
      const Outcome expected = search.run(capacity, ranks, kPlenty, std::nullopt);
      ASSERT_NE(expected, Outcome::GaveUp);
      for (bool fromAbove : {false, true})
        for (bool slackFirst : {false, true}) {
          const Outcome outcome = sequencer.run(capacity, {fromAbove, slackFirst}, preference,
                                                kPlenty, kPlenty, std::nullopt);
          EXPECT_EQ(outcome, expected) << "seed " << seed << ", capacity " << capacity;
          if (outcome == Outcome::Found)
            expectRight(buffers, instance, sequencer.getOffsets(), capacity);
        }
      ++(expected == Outcome::Found ? found : impossible);
    }
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(impossible, 100);
}

TEST(Sequencer, KeepsToItsLimits) {
  const std::vector<Buffer> buffers = test::noise(11, 120);
  const Instance instance(buffers);
  Sequencer sequencer(instance);
  const std::vector<double> preference(instance.size(), 1.0);
  const int64_t bound = lowerBound(buffers);
  for (int64_t work : {1, 50, 1000}) {
    EXPECT_EQ(sequencer.run(bound, {}, preference, kPlenty, work, std::nullopt), Outcome::GaveUp);
    EXPECT_LE(sequencer.getWork(), work);
  }
  EXPECT_EQ(sequencer.run(bound, {}, preference, 0, kPlenty, std::nullopt), Outcome::GaveUp);
}

} // namespace
