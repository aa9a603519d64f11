// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of a schedule on other numbers of cores, for phases whose times can be computed by
// hand.

#include "Profile/Scaling.h"

#include <gtest/gtest.h>

using namespace ttrun::report;

namespace {

TEST(Scaling, OneCoreDoesAllTheWork) {
  const ScaledTime time = scaled({{{16, 1600, 0, "a"}, {1, 300, 0, "b"}}, {{4, 100, 0, "c"}}}, 1);
  EXPECT_DOUBLE_EQ(time.time, 2000);
  EXPECT_DOUBLE_EQ(time.work, 2000);
  EXPECT_DOUBLE_EQ(time.barriers, 0);
  EXPECT_DOUBLE_EQ(time.idle, 0);
}

TEST(Scaling, WorkgroupsAreDividedAmongCores) {
  for (uint32_t cores : {2, 4, 8, 16}) {
    const ScaledTime time = scaled({{{16, 1600, 0, "a"}}}, cores);
    const double groups = 16.0 / cores;
    EXPECT_DOUBLE_EQ(time.time, groups * (100 + claimTime(cores)) + barrierTime(cores));
    EXPECT_DOUBLE_EQ(time.work, 1600.0 / cores);
  }
  // More cores than workgroups wait.
  const ScaledTime time = scaled({{{16, 1600, 0, "a"}}}, 64);
  EXPECT_DOUBLE_EQ(time.time, 100 + claimTime(64) + barrierTime(64));
  EXPECT_GT(time.idle, 70);
  EXPECT_EQ(time.most, "a");
}

TEST(Scaling, UnevenGridsWaitForTheLastWorkgroup) {
  const ScaledTime time = scaled({{{3, 300, 0, "a"}}}, 2);
  EXPECT_DOUBLE_EQ(time.time, 2 * (100 + claimTime(2)) + barrierTime(2));
}

/// Core 0 runs both, one after the other, while core 1 takes the workgroups of the third.
TEST(Scaling, CommandsOfOneWorkgroupAreCore0s) {
  const ScaledTime time = scaled({{{1, 100, 0, "a"}, {1, 200, 0, "b"}, {4, 200, 0, "c"}}}, 2);
  EXPECT_DOUBLE_EQ(time.time, 300 + 2 * claimTime(2) + barrierTime(2));
}

TEST(Scaling, BarriersSeparatePhases) {
  const double apart = scaled({{{1, 100, 0, "a"}}, {{2, 200, 0, "b"}}}, 2).time;
  const double together = scaled({{{1, 100, 0, "a"}, {2, 200, 0, "b"}}}, 2).time;
  EXPECT_DOUBLE_EQ(apart, 200 + 2 * claimTime(2) + 2 * barrierTime(2));
  EXPECT_DOUBLE_EQ(together, 200 + 2 * claimTime(2) + barrierTime(2));
}

TEST(Scaling, ConstantsComeAsFastAsMemoryGivesThem) {
  EXPECT_DOUBLE_EQ(scaled({{{16, 1600, 700, "a"}}}, 8).time, 700 + barrierTime(8));
  EXPECT_DOUBLE_EQ(scaled({{{16, 1600, 700, "a"}}}, 1).time, 1600);
}

TEST(Scaling, NothingTakesNoTime) {
  EXPECT_DOUBLE_EQ(scaled({}, 4).time, 0);
  EXPECT_DOUBLE_EQ(scaled({}, 4).efficiency(1), 0);
}

} // namespace
