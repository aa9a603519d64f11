// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each allocation of the C API fails once, and each one and all later ones: the call that it
// belongs to returns TTRT_OUT_OF_MEMORY, nothing is lost, and the next attempt succeeds.

#include "test/unit/Support/FailAllocations.h"
#include "test/unit/Support/QueueBundle.h"
#include "test/unit/Support/Scenario.h"
#include "test/unit/Support/TemporaryFolder.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sched.h>

/// More CPUs than there are, so that several threads hash.
extern "C" int sched_getaffinity(pid_t, size_t size, cpu_set_t *set) noexcept {
  CPU_ZERO_S(size, set);
  for (int cpu = 0; cpu < 4; ++cpu)
    CPU_SET_S(cpu, size, set);
  return 0;
}

namespace ttrt::test {
namespace {

class AllocationFailure : public testing::TestWithParam<bool> {
protected:
  AllocationFailure() {
#ifndef TTRT_TEST_SANITIZED
    // Each arena reserves as many bytes as a lost device would.
    mallopt(M_ARENA_MAX, 1);
#endif
  }

  /// One attempt in which an allocation fails. Returns whether there was such an allocation.
  bool attempt(long n, Outcome (*use)(const char *), const char *path, Outcome &outcome) {
    failAllocation(n, GetParam());
    outcome = use(path);
    return stopFailingAllocations();
  }

  void failEach(Outcome (*use)(const char *), const std::vector<uint8_t> &bytes) {
    TemporaryFile file(bytes);
    Outcome outcome;
    for (int i = 0; i < 2; ++i) { // what the C library allocates once is allocated now
      outcome = use(file.path());
      ASSERT_STREQ(outcome.call, "") << outcome.error.message;
      ASSERT_FALSE(outcome.wrong);
    }
    const Resources before = resources();
    const char *call = "";
    long n = 1, failures = 0, live = liveAllocations;
    while (attempt(n, use, file.path(), outcome)) {
      SCOPED_TRACE("allocation " + std::to_string(n));
      if (*outcome.call) {
        ++failures;
        EXPECT_EQ(outcome.error.status, TTRT_OUT_OF_MEMORY)
            << outcome.call << ": " << outcome.error.message;
        EXPECT_STRNE(outcome.error.message, "") << outcome.call;
      }
      EXPECT_FALSE(outcome.wrong);
      EXPECT_STREQ(outcome.broken, "") << outcome.call;
      // The C library keeps some memory for the next time; it does so only once.
      for (int i = 0; i < 3 && liveAllocations > live; ++i) {
        live = liveAllocations;
        attempt(n, use, file.path(), outcome);
      }
      EXPECT_LE(liveAllocations, live) << "lost in " << outcome.call;
      live = liveAllocations;
      // After the last failure of a call, and now and then.
      if (n % 64 == 0 || strcmp(outcome.call, call) != 0) {
        call = outcome.call;
        const Resources after = resources();
        EXPECT_EQ(after.descriptors, before.descriptors);
        EXPECT_EQ(after.threads, before.threads);
        EXPECT_EQ(after.files, 0);
        EXPECT_LT(after.mappedBytes, before.mappedBytes + (48 << 20));
        outcome = use(file.path());
        EXPECT_STREQ(outcome.call, "") << outcome.error.message;
        EXPECT_FALSE(outcome.wrong);
        live = liveAllocations;
      }
      if (HasFailure())
        break;
      ++n;
    }
    EXPECT_GT(failures, n / 2);
    RecordProperty("allocations", static_cast<int>(n - 1));
  }

  MonitoredFolder folder;
};

TEST_P(AllocationFailure, EveryCall) {
  BundleBuilder builder = queueBundle();
  auto &schedules = builder.bundle.entries[0]->schedules;
  std::erase_if(schedules, [](const auto &schedule) {
    return schedule->name != "single" && schedule->name != "overlap-io";
  });
  failEach(useEverything, builder.finish());
}

/// Large enough to be hashed, and copied, by several threads.
BundleBuilder largeBundle() {
  BundleBuilder builder;
  const std::vector<float> weights(8 << 20, 0.5f);
  builder.constant("w", weights.data(), weights.size() * sizeof(float));
  const uint32_t slot = builder.buffer("x", fb::BufferKind::Slot, builder.dataBegin(), 64);
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {16}, slot);
  BundleBuilder::step(entry, fb::StepKind::Write, 0);
  return builder;
}

TEST_P(AllocationFailure, ThreadsThatHash) { failEach(openBundle, largeBundle().finish()); }

TEST_P(AllocationFailure, ThreadsThatCopy) { failEach(openWithHugePages, largeBundle().finish()); }

INSTANTIATE_TEST_SUITE_P(Failures, AllocationFailure, testing::Bool(),
                         [](const auto &info) { return info.param ? "AllLater" : "One"; });

} // namespace
} // namespace ttrt::test
