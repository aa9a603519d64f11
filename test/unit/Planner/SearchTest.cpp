// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search: finds what first-fit does not, says what is impossible, keeps to its limits.
#include "Problems.h"
#include "ttc/Planner/Csv.h"
#include "ttc/Planner/Validator.h"
#include <algorithm>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>

using namespace ttc::planner;

namespace {

void expectRight(const std::vector<Buffer> &buffers, const Solution &solution) {
  for (const Fault &fault : validate(buffers, solution.plan))
    ADD_FAILURE() << fault.message;
  EXPECT_GE(solution.plan.arenaSize, solution.lowerBound);
}

/// The smallest arena of all plans, by trying every order of placement: some order gives each plan
/// in which every buffer is as low as possible, and one of those is the smallest.
int64_t smallestByOrders(const std::vector<Buffer> &buffers) {
  std::vector<size_t> order;
  for (size_t i = 0; i < buffers.size(); ++i)
    order.push_back(i);
  int64_t best = INT64_MAX;
  do {
    std::vector<int64_t> offset(buffers.size(), -1);
    int64_t arenaSize = 0;
    for (size_t i : order) {
      const Buffer &b = buffers[i];
      int64_t at = b.offset.value_or(0);
      auto meets = [&](size_t other) {
        const Buffer &o = buffers[other];
        const int64_t where = o.offset ? *o.offset : offset[other];
        return other != i && where >= 0 && o.lower < b.upper && b.lower < o.upper &&
               where < at + b.size && at < where + o.size;
      };
      while (!b.offset && (at % b.alignment || [&] {
        for (size_t other : order)
          if (meets(other))
            return true;
        return false;
      }()))
        ++at;
      offset[i] = at;
      arenaSize = std::max(arenaSize, at + b.size);
    }
    best = std::min(best, arenaSize);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Search, IsOptimalWhereEveryOrderCanBeTried) {
  std::mt19937 random(3);
  auto below = [&](int bound) { return static_cast<int64_t>(random() % bound); };
  for (int problem = 0; problem < 150; ++problem) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 6; ++i) {
      const int64_t lower = below(6);
      buffers.push_back({lower, lower + 1 + below(4), 1 + below(7), int64_t(1) << below(3)});
    }
    if (problem % 3 == 0)
      buffers[0].offset = buffers[0].alignment * below(4);
    const Solution solution = solve(buffers, {.nodes = 100000});
    expectRight(buffers, solution);
    EXPECT_TRUE(solution.isOptimal);
    EXPECT_EQ(solution.plan.arenaSize, smallestByOrders(buffers)) << "problem " << problem;
  }
}

TEST(Search, SaysThatNothingFits) {
  // Alignment leaves gaps, so that the bound of 5 cannot be reached.
  const std::vector<Buffer> buffers = {{0, 1, 1, 4}, {0, 1, 1, 4}, {0, 1, 3, 4}};
  const Solution solution = solve(buffers, {});
  EXPECT_EQ(solution.lowerBound, 5);
  EXPECT_EQ(solution.plan.arenaSize, 9);
  EXPECT_TRUE(solution.isOptimal);
}

TEST(Search, IsContentWithTheCapacity) {
  const std::vector<Buffer> buffers = test::network(1, 300);
  const Plan greedy = plan(buffers);
  const Solution solution = solve(buffers, {.capacity = greedy.arenaSize});
  EXPECT_EQ(solution.nodes, 0);
  EXPECT_LE(solution.plan.arenaSize, greedy.arenaSize);
}

TEST(Search, EqualInputAndNodesGiveEqualPlans) {
  const std::vector<Buffer> buffers = test::noise(11, 120);
  const Solution first = solve(buffers, {.nodes = 3000}), second = solve(buffers, {.nodes = 3000});
  expectRight(buffers, first);
  EXPECT_EQ(first.plan.offsets, second.plan.offsets);
  EXPECT_EQ(first.nodes, second.nodes);
}

TEST(Search, KeepsToItsNodes) {
  for (int64_t nodes : {0, 1, 100, 1000}) {
    const Solution solution = solve(test::noise(11, 120), {.nodes = nodes});
    EXPECT_LE(solution.nodes, nodes + 1);
  }
}

TEST(Search, IsNeverWorseThanFirstFit) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<Buffer> buffers = test::noise(seed, 60);
    const Solution solution = solve(buffers, {.nodes = 2000});
    expectRight(buffers, solution);
    EXPECT_LE(solution.plan.arenaSize, plan(buffers).arenaSize);
  }
}

TEST(Search, FixedBuffersStay) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<Buffer> buffers = test::noise(seed, 40);
    const Plan before = plan(buffers);
    for (size_t i = 0; i < buffers.size(); i += 5)
      buffers[i].offset = before.offsets[i];
    expectRight(buffers, solve(buffers, {.nodes = 2000}));
  }
}

/// The public problems that no greedy method solves; those that take least time here.
TEST(Search, SolvesHardProblems) {
  const char *folder = std::getenv("TTC_SHARED");
  const std::string data = std::string(folder ? folder : TTC_SHARED_FOLDER) + "/data/minimalloc/";
  for (const char *name : {"C", "G"}) {
    std::ifstream file(data + name + ".1048576.csv");
    if (!file)
      GTEST_SKIP() << "no problems at " << data << " (TTC_SHARED names the shared folder)";
    std::string error;
    const std::optional<Problem> problem = readCsv(file, error);
    ASSERT_TRUE(problem) << error;
    EXPECT_GT(plan(problem->buffers).arenaSize, 1048576) << name;
    const Solution solution = solve(problem->buffers, {.capacity = 1048576, .nodes = 1'000'000});
    expectRight(problem->buffers, solution);
    EXPECT_LE(solution.plan.arenaSize, 1048576) << name << " after " << solution.nodes << " nodes";
  }
}

void expectNearTheLowerBound(const std::vector<Buffer> &buffers, double ratio, int64_t nodes) {
  const Solution solution = solve(buffers, {.nodes = nodes});
  expectRight(buffers, solution);
  EXPECT_LE(static_cast<double>(solution.plan.arenaSize),
            ratio * static_cast<double>(solution.lowerBound));
}

TEST(Search, LargeNetworksEndNearTheLowerBound) {
  expectNearTheLowerBound(test::network(5, 20000), 1.01, 0);
}

TEST(Search, LargeNetworksWithoutASimpleOrderEndNearTheLowerBound) {
  const int skips[] = {1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 1000};
  expectNearTheLowerBound(test::crowd(2, 3000, skips), 1.01, 30'000);
  const int branches[] = {1, 2, 2, 3, 40, 200}; // forty buffers of any size at any time
  expectNearTheLowerBound(test::crowd(1, 3000, branches), 1.03, 30'000);
}

/// There are more pairs of overlapping buffers than may be listed.
TEST(Search, LargeNetworksInWhichNearlyAllMeetEndNearTheLowerBound) {
  expectNearTheLowerBound(test::mirrored(3, 12000), 1.01, 0);
}

TEST(Search, WithoutTimeThereIsAPlan) {
  for (const std::vector<Buffer> &buffers : {test::mirrored(4, 4000), test::noise(4, 200)})
    expectRight(buffers, solve(buffers, {.time = std::chrono::seconds(0)}));
}

} // namespace
