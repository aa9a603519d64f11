// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of buffers: always one that can be planned, and as a rule the best one.
#include "ttc/Planner/Chooser.h"
#include "Problems.h"
#include <gtest/gtest.h>

using namespace ttc::planner;

namespace {

std::vector<Buffer> chosenOf(const std::vector<Candidate> &candidates,
                             const std::vector<bool> &chosen, const std::vector<Buffer> &required) {
  std::vector<Buffer> buffers = required;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (chosen[i])
      buffers.push_back(candidates[i].buffer);
  return buffers;
}

/// Whether there is any plan: the search until it has looked at everything.
bool canBePlanned(const std::vector<Buffer> &buffers, int64_t capacity) {
  return solve(buffers, {.capacity = capacity}).plan.arenaSize <= capacity;
}

/// The most that any choice is worth, by looking at all of them.
int64_t bestValue(const std::vector<Candidate> &candidates, const std::vector<Buffer> &required,
                  int64_t capacity) {
  int64_t best = 0;
  for (size_t set = 0; set < size_t(1) << candidates.size(); ++set) {
    std::vector<bool> chosen;
    int64_t value = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
      chosen.push_back(set >> i & 1);
      value += chosen.back() ? candidates[i].value : 0;
    }
    if (value > best && canBePlanned(chosenOf(candidates, chosen, required), capacity))
      best = value;
  }
  return best;
}

/// A small network: tensors worth twice to five times their bytes, scratch at the bottom.
struct Problem {
  std::vector<Candidate> candidates;
  std::vector<Buffer> scratch;
  int64_t capacity;

  Problem(unsigned seed, int count) {
    std::mt19937 random(seed);
    auto below = [&](int bound) { return static_cast<int64_t>(random() % bound); };
    for (int i = 0; i < count; ++i) {
      const int64_t lower = below(12), size = 64 * (1 + below(10));
      candidates.push_back(
          {{lower, lower + 1 + below(5), size, 64, std::nullopt}, size * (2 + below(4))});
      if (below(3) == 0)
        scratch.push_back({i, i + 1, 64 * (1 + below(4)), 64, 0});
    }
    capacity = 64 * (8 + below(12));
  }
};

TEST(Chooser, IsOptimalOnSmallProblems) {
  int optimal = 0, claimed = 0;
  double worst = 1;
  constexpr int kProblems = 150;
  for (unsigned seed = 0; seed < kProblems; ++seed) {
    const Problem problem(seed, 9);
    const Choice choice = choose(problem.candidates, problem.scratch, problem.capacity);
    EXPECT_TRUE(canBePlanned(chosenOf(problem.candidates, choice.chosen, problem.scratch),
                             problem.capacity));
    const int64_t best = bestValue(problem.candidates, problem.scratch, problem.capacity);
    EXPECT_LE(choice.value, best);
    if (choice.isOptimal) {
      ++claimed;
      EXPECT_EQ(choice.value, best) << "seed " << seed;
    }
    optimal += choice.value == best;
    worst =
        std::min(worst, best ? static_cast<double>(choice.value) / static_cast<double>(best) : 1.0);
  }
  RecordProperty("optimal", optimal);
  RecordProperty("worst_percent", static_cast<int>(worst * 100));
  EXPECT_EQ(optimal, kProblems);
  EXPECT_EQ(claimed, kProblems);
}

TEST(Chooser, IsGoodWhereItMayOnlyTryAFew) {
  int optimal = 0;
  double worst = 1;
  constexpr int kProblems = 150;
  for (unsigned seed = 0; seed < kProblems; ++seed) {
    const Problem problem(seed, 9);
    const Choice choice = choose(problem.candidates, problem.scratch, problem.capacity,
                                 {.nodes = 10, .planNodes = 50});
    EXPECT_TRUE(canBePlanned(chosenOf(problem.candidates, choice.chosen, problem.scratch),
                             problem.capacity));
    const int64_t best = bestValue(problem.candidates, problem.scratch, problem.capacity);
    optimal += choice.value == best;
    worst =
        std::min(worst, best ? static_cast<double>(choice.value) / static_cast<double>(best) : 1.0);
  }
  RecordProperty("optimal", optimal);
  RecordProperty("worst_percent", static_cast<int>(worst * 100));
  EXPECT_GE(optimal, kProblems * 8 / 10);
  EXPECT_GE(worst, 0.7);
}

TEST(Chooser, TakesAllWhereAllFits) {
  std::vector<Candidate> candidates;
  for (const Buffer &buffer : test::network(1, 300))
    candidates.push_back({buffer, buffer.size});
  const Choice choice = choose(candidates, {}, int64_t(1) << 40);
  EXPECT_EQ(std::count(choice.chosen.begin(), choice.chosen.end(), true), 300);
  EXPECT_TRUE(choice.isOptimal);
}

TEST(Chooser, LeavesOutWhatIsWorthNothing) {
  const Choice choice =
      choose(std::vector<Candidate>{{{0, 1, 64}, 0}, {{0, 1, 64}, -5}, {{0, 1, 64}, 1}}, {}, 1024);
  EXPECT_EQ(choice.chosen, (std::vector<bool>{false, false, true}));
}

TEST(Chooser, ChoosesNothingWhereWhatIsRequiredDoesNotFit) {
  const Choice choice =
      choose(std::vector<Candidate>{{{5, 6, 64}, 9}}, std::vector<Buffer>{{0, 2, 128}}, 64);
  EXPECT_EQ(choice.chosen, std::vector<bool>{false});
  EXPECT_EQ(choice.value, 0);
}

TEST(Chooser, OfALargeNetworkTakesMostOfWhatThereIsRoomFor) {
  std::vector<Candidate> candidates;
  for (const Buffer &buffer : test::network(3, 400))
    candidates.push_back({buffer, 2 * buffer.size});
  const int64_t capacity = 64 * 1000;
  const Choice choice = choose(candidates, {}, capacity, {.nodes = 3000, .planNodes = 1000});
  const Choice again = choose(candidates, {}, capacity, {.nodes = 3000, .planNodes = 1000});
  EXPECT_EQ(choice.chosen, again.chosen);
  int64_t all = 0;
  for (const Candidate &candidate : candidates)
    all += candidate.value;
  EXPECT_GT(choice.value, all / 2);
  EXPECT_TRUE(canBePlanned(chosenOf(candidates, choice.chosen, {}), capacity));
}

} // namespace
