// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --schedule=auto takes, and why, for times that are given.

#include "Run/AutoSchedule.h"

#include "test/unit/Support/QueueBundle.h"

#include <gtest/gtest.h>

using namespace ttrt;
using namespace ttrun;

namespace {

std::vector<Candidate> all() {
  return {{"single", 1, false, false, true, 0},
          {"signals", 2, true, true, true, 0},
          {"io", 2, true, true, true, 0},
          {"input", 2, true, false, true, 0},
          {"io-untraced", 2, true, true, false, 0}};
}

/// The name that is chosen; `tried`: of the best with two queues, and with one.
std::string chosen(const StepTimes &times, double two, double one, std::string &why) {
  std::vector<Candidate> candidates = all();
  candidates[bestExpected(candidates, times, 1)].tried = one;
  if (size_t best = bestExpected(candidates, times, 2); candidates[best].queues == 2)
    candidates[best].tried = two;
  return candidates[choose(candidates, times, why)].name;
}

TEST(AutoSchedule, ExpectsTheFullerQueue) {
  const StepTimes times{3, 5, 1, 7};
  const std::vector<Candidate> candidates = all();
  EXPECT_DOUBLE_EQ(expectedTime(candidates[0], times), 9);
  EXPECT_DOUBLE_EQ(expectedTime(candidates[1], times), 5);
  EXPECT_DOUBLE_EQ(expectedTime(candidates[3], times), 6);
  EXPECT_DOUBLE_EQ(expectedTime(candidates[4], times), 7);
  EXPECT_DOUBLE_EQ(expectedTime(candidates[1], {6, 5, 3, 7}), 9);
}

TEST(AutoSchedule, OverlapsBothWhereThatIsFaster) {
  std::string why;
  EXPECT_EQ(chosen({0.5, 1, 0.5, 1.5}, 1.02, 2.01, why), "signals") << "the first of equal ones";
  EXPECT_EQ(why,
            "write 0.5 ms, run 1, read 0.5: measured 1.02 ms per inference, 2.01 with one queue");
}

/// Reads on the same queue as writes would make that the fuller one.
TEST(AutoSchedule, OverlapsTheInputAloneWhereTransfersAreTheLimit) {
  std::string why;
  EXPECT_EQ(chosen({3, 1, 2, 1.5}, 3.05, 6.1, why), "input");
}

TEST(AutoSchedule, SaysThatTwoQueuesDoNotPay) {
  std::string why;
  EXPECT_EQ(chosen({0.01, 1, 0.01, 1.5}, 0.9, 1, why), "single") << "whatever was measured";
  EXPECT_EQ(why, "write 0.01 ms, run 1, read 0.01: two queues would save only 2 %");
}

TEST(AutoSchedule, BelievesTheTrial) {
  std::string why;
  EXPECT_EQ(chosen({0.5, 1, 0.5, 1.5}, 2.3, 2, why), "single");
  EXPECT_NE(
      why.find(
          "two queues do not pay off: measured 2.3 ms per inference with signals, 2 with single"),
      std::string::npos)
      << why;
}

/// With its error, and no claim if that contains zero.
TEST(AutoSchedule, SaysWhatATraceSaves) {
  auto text = [](const std::vector<double> &savings) {
    StepTimes times{0.5, 1, 0.5, 1.5};
    times.saving = report::savingFrom(report::TraceSaving::Kind::Measured, savings);
    std::string why;
    chosen(times, 1, 2, why);
    return why.substr(why.find("; "));
  };
  EXPECT_EQ(text({0.30, 0.31, 0.32, 0.33, 0.34, 0.35, 0.36, 0.37}),
            "; a trace saves 33.5 % (+- 2.6; 8 pairs of blocks)");
  EXPECT_EQ(text({-0.04, 0.05, -0.03, 0.04, -0.02, 0.03, -0.01, 0.02}),
            "; unclear whether a trace saves time: 0.5 % (+- 3.9; 8 pairs of blocks)");
  EXPECT_EQ(text(std::vector<double>(8, -0.05)),
            "; a trace loses 5.0 % (+- 0.0; 8 pairs of blocks)");
}

TEST(AutoSchedule, SaysThatThereIsNoOther) {
  std::vector<Candidate> candidates = {all()[0]};
  std::string why;
  EXPECT_EQ(choose(candidates, {1, 1, 1, 0}, why), 0u);
  EXPECT_EQ(why, "write 1 ms, run 1, read 1: the bundle has no schedule with two queues");
}

/// Without a device: the sample's 1024 bytes in and 1024 out take a millisecond each over this
/// link.
TEST(AutoSchedule, ExpectsByTheLink) {
  const test::TemporaryFile file(test::queueBundle().finish());
  const Bundle bundle(file.path(), TTRT_VERIFY_FULL);
  const fb::EntryPoint &entry = *bundle.metadata().entries()->Get(0);
  std::string why;
  EXPECT_EQ(expectSchedule(entry, 2, 2, 1024000, why), "overlap-io");
  EXPECT_EQ(why, "write 1 ms, run 2, read 1: expected 2 ms per inference, 4 with one queue");
  EXPECT_EQ(expectSchedule(entry, 2, 100, 1024000, why), "single");
  EXPECT_EQ(why, "write 1 ms, run 100, read 1: two queues would save only 2 %");
  EXPECT_EQ(expectSchedule(entry, 1, 2, 1024000, why), "single");
  EXPECT_EQ(why, "write 1 ms, run 2, read 1: the bundle has no schedule with two queues");
}

/// What a schedule overlaps is seen from its steps, not from its name.
TEST(AutoSchedule, ReadsSchedulesOfABundle) {
  const test::TemporaryFile file(test::queueBundle().finish());
  const Bundle bundle(file.path(), TTRT_VERIFY_FULL);
  const fb::EntryPoint &entry = *bundle.metadata().entries()->Get(0);
  std::vector<std::string> overlaps;
  for (const Candidate &candidate : candidatesOf(entry, 2))
    overlaps.push_back(candidate.name + (candidate.writesApart ? " w" : "") +
                       (candidate.readsApart ? " r" : "") + (candidate.traced ? "" : " untraced"));
  EXPECT_EQ(overlaps, (std::vector<std::string>{"single", "overlap-input w", "overlap-io w r",
                                                "rotated w r", "unrolled w r", "signals w r"}));
  EXPECT_EQ(candidatesOf(entry, 1).size(), 1u);
}

} // namespace
