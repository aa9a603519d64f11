// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Problems.h"
#include "test/unit/Support/Rounds.h"
#include "ttc/Planner/Validator.h"
#include <gtest/gtest.h>

using namespace ttc::planner;

TEST(Planner, NothingTakesNothing) {
  Plan result = plan({});
  EXPECT_TRUE(result.offsets.empty());
  EXPECT_EQ(result.arenaSize, 0);
  EXPECT_EQ(lowerBound({}), 0);
}

TEST(Planner, BuffersThatFollowEachOtherShareBytes) {
  std::vector<Buffer> buffers = {{0, 2, 100}, {2, 4, 100}, {4, 6, 100}};
  EXPECT_EQ(plan(buffers).arenaSize, 100);
}

TEST(Planner, ChainNeedsItsTwoLargestNeighbours) {
  std::vector<Buffer> buffers = {{0, 2, 100}, {1, 3, 50}, {2, 4, 100}, {3, 5, 50}};
  EXPECT_EQ(lowerBound(buffers), 150);
  EXPECT_EQ(plan(buffers).arenaSize, 150);
}

TEST(Planner, LowerBoundCountsFixedBuffers) {
  std::vector<Buffer> buffers = {{0, 1, 10, 1, 1000}};
  EXPECT_EQ(lowerBound(buffers), 1010);
}

TEST(Planner, FixedBuffersStayAndOthersGoAround) {
  std::vector<Buffer> buffers = {{0, 4, 100, 1, 50}, {0, 4, 60, 1}, {0, 4, 50, 1}};
  Plan result = plan(buffers);
  EXPECT_EQ(result.offsets[0], 50);
  EXPECT_EQ(result.offsets[2], 0); // the only gap that is large enough
  EXPECT_TRUE(validate(buffers, result).empty());
}

TEST(Planner, EqualInputGivesEqualPlan) {
  std::vector<Buffer> buffers = test::noise(7, 300);
  EXPECT_EQ(plan(buffers).offsets, plan(buffers).offsets);
}

TEST(Planner, PlansAreRight) {
  for (int seed = 0; seed < ttrt::test::rounds(20, 5); ++seed)
    for (const std::vector<Buffer> &buffers : {test::network(seed, 200), test::noise(seed, 200)}) {
      Plan result = plan(buffers);
      std::vector<Fault> faults = validate(buffers, result);
      EXPECT_TRUE(faults.empty()) << faults.front().message;
      EXPECT_GE(result.arenaSize, lowerBound(buffers));
    }
}

TEST(Planner, NetworksComeNearTheLowerBound) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<Buffer> buffers = test::network(seed, 500);
    EXPECT_LE(plan(buffers).arenaSize, lowerBound(buffers) * 1.15) << "seed " << seed;
  }
}
