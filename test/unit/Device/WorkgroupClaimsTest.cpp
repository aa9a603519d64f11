// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workgroups are claimed: each exactly once, by whom ever, and none that needs a thread which does
// not get its CPU.

#include "Device/WorkgroupClaims.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/Sanitized.h"

#include <atomic>
#include <csignal>
#include <dirent.h>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ttrt;
using namespace ttrt::test;

namespace {

/// A core's walk over commands of random grids, each of which needs the one before.
class Walker {
public:
  Walker(WorkgroupClaims &claims, uint32_t core, uint32_t cores)
      : claims(claims), core(core), cores(cores), random(core) {}

  template <typename Run> void command(uint32_t grid, Run run) {
    ++sequence;
    uint32_t workgroup, count = 0;
    auto share = [&](uint32_t of) {
      return static_cast<uint32_t>(firstWorkgroup(grid, of, cores));
    };
    for (; claims.claimOwn(core, sequence, share(core), share(core + 1), workgroup); ++count)
      run(workgroup);
    for (uint32_t i = 1; i < cores; ++i) {
      const uint32_t other = (core + i) % cores;
      for (; claims.claimOther(other, sequence, share(other), share(other + 1), workgroup); ++count)
        run(workgroup);
    }
    for (auto yields = random() % 8 ? 0 : random() % 4; yields; --yields)
      std::this_thread::yield();
    claims.complete(0, count);
    claims.await(0, expected += grid);
  }
  uint32_t sequence = 0, expected = 0;

private:
  WorkgroupClaims &claims;
  const uint32_t core, cores;
  std::minstd_rand random;
};

TEST(WorkgroupClaims, EveryWorkgroupIsClaimedOnce) {
  constexpr uint32_t kCores = 4, kCommands = 3000;
  WorkgroupClaims claims(kCores);
  std::minstd_rand random(7);
  std::vector<std::vector<std::atomic<uint32_t>>> times;
  for (uint32_t i = 0; i < kCommands; ++i)
    times.emplace_back(1 + random() % 20);
  std::atomic<uint32_t> late{0};
  std::vector<std::thread> threads;
  for (uint32_t core = 0; core < kCores; ++core)
    threads.emplace_back([&, core] {
      Walker walker(claims, core, kCores);
      for (uint32_t i = 0; i < kCommands; ++i)
        walker.command(static_cast<uint32_t>(times[i].size()), [&](uint32_t workgroup) {
          // What came before is complete.
          if (i)
            for (const auto &one : times[i - 1])
              late += one != 1;
          ++times[i][workgroup];
        });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(late, 0u);
  for (const auto &command : times)
    for (const auto &one : command)
      EXPECT_EQ(one, 1u);
}

TEST(WorkgroupClaims, AThreadThatIsLateFindsNothing) {
  WorkgroupClaims claims(2);
  Walker first(claims, 0, 2), second(claims, 1, 2);
  std::vector<uint32_t> ran;
  auto run = [&](uint32_t workgroup) { ran.push_back(workgroup); };
  for (int i = 0; i < 3; ++i)
    first.command(5, run);
  // Its own from the front, the other's from the back.
  EXPECT_EQ(ran, (std::vector<uint32_t>{0, 1, 2, 4, 3, 0, 1, 2, 4, 3, 0, 1, 2, 4, 3}));
  ran.clear();
  for (int i = 0; i < 3; ++i)
    second.command(5, run);
  EXPECT_TRUE(ran.empty());
  second.command(5, run);
  EXPECT_EQ(ran, (std::vector<uint32_t>{3, 4, 2, 1, 0}));
}

TEST(WorkgroupClaims, NumbersOfCommandsGoRound) {
  WorkgroupClaims claims(2);
  Walker first(claims, 0, 2);
  uint32_t ran = 0;
  first.sequence = UINT32_MAX / 2 - 2;
  for (int turn = 0; turn < 3; ++turn, first.sequence += UINT32_MAX / 2 - 10)
    for (int i = 0; i < 5; ++i)
      first.command(4, [&](uint32_t) { ++ran; });
  EXPECT_EQ(ran, 3u * 5 * 4);
}

TEST(WorkgroupClaims, ALateThreadTakesTheLatestJob) {
  constexpr uint64_t kJobs = 200000;
  WorkgroupClaims claims(9); // two groups
  std::thread reader([&] {
    uint32_t expected[2];
    for (uint64_t last = 0; last < kJobs;) {
      const Job job = claims.take(expected);
      EXPECT_GE(job.number, last);
      last = job.number;
      const auto low = static_cast<uint32_t>(job.number);
      EXPECT_EQ(job.position, reinterpret_cast<const uint8_t *>(job.number * 3));
      EXPECT_EQ(job.step, low * 5);
      EXPECT_EQ(job.command, low * 7);
      EXPECT_EQ(job.sequence, low * 11);
      EXPECT_EQ(job.hasEvents, low % 2 == 1);
      EXPECT_EQ(expected[0], low * 13);
      EXPECT_EQ(expected[1], low * 17);
    }
  });
  for (uint64_t i = 1; i <= kJobs; ++i) {
    const auto low = static_cast<uint32_t>(i);
    const uint32_t expected[2] = {low * 13, low * 17};
    claims.post(
        {i, reinterpret_cast<const uint8_t *>(i * 3), low * 5, low * 7, low % 2 == 1, low * 11},
        expected);
  }
  reader.join();
}

/// A core that is late leaves a job where the others do, and at no wait before that.
TEST(WorkgroupClaims, AJobEndsAtItsTurn) {
  WorkgroupClaims claims(2);
  EXPECT_FALSE(claims.isAborted(1));
  const uint32_t turn = UINT32_MAX - 1; // numbers of turns go round
  claims.abort(3, turn);
  EXPECT_TRUE(claims.isAborted(3));
  EXPECT_FALSE(claims.isAborted(4) || claims.isAborted(4, turn));
  EXPECT_FALSE(claims.isAborted(3, turn - 1));
  for (uint32_t later : {0u, 1u, 2u, 3u})
    EXPECT_TRUE(claims.isAborted(3, turn + later));
}

//===----------------------------------------------------------------------===//
// On a device
//===----------------------------------------------------------------------===//

std::set<int> threadsOfProcess() {
  std::set<int> threads;
  DIR *folder = opendir("/proc/self/task");
  while (const dirent *entry = readdir(folder))
    if (const int thread = atoi(entry->d_name))
      threads.insert(thread);
  closedir(folder);
  return threads;
}

/// Threads that a signal holds wherever they are, as if they did not get a CPU.
class Held {
public:
  explicit Held(const std::set<int> &threads) {
    isHolding = true;
    struct sigaction action{};
    action.sa_handler = [](int) {
      ++arrived;
      while (isHolding)
        usleep(100);
      --arrived;
    };
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
    for (int thread : threads)
      EXPECT_EQ(syscall(SYS_tgkill, getpid(), thread, SIGUSR1), 0);
#ifdef TTRT_TEST_THREAD_SANITIZED
    // It delivers a signal when the thread next calls into it, or not before the thread is
    // released.
    usleep(2000);
#else
    for (int i = 0; arrived != int(threads.size()) && i < 20000; ++i)
      usleep(1000);
    EXPECT_EQ(arrived, int(threads.size()));
#endif
  }
  ~Held() {
    isHolding = false;
    while (arrived)
      usleep(100);
  }

private:
  static inline std::atomic<bool> isHolding{false};
  static inline std::atomic<int> arrived{0};
};

class Late : public testing::TestWithParam<uint32_t> {};

/// No worker gets its CPU; the calling thread does everything, again and again. Released in the
/// middle of later runs, they find their place.
TEST_P(Late, WorkersAreNotNeeded) {
  TemporaryFile file(sampleBundle().finish());
  std::thread([] {}).join(); // With the first thread, the thread sanitizer starts one of its own.
  const std::set<int> before = threadsOfProcess();
  Loaded loaded(file.path(), GetParam());
  std::set<int> workers;
  for (int thread : threadsOfProcess())
    if (!before.count(thread))
      workers.insert(thread);
  ASSERT_EQ(workers.size(), GetParam() - 1);
  std::vector<float> input = ramp(kSampleElements);
  for (int turn = 0; turn < 20; ++turn) {
    EXPECT_EQ(loaded.run(input, kSampleElements), sampleResult(input));
    {
      const Held held(workers);
      for (int i = 0; i < 5; ++i) {
        input[static_cast<size_t>(turn)] += 1;
        EXPECT_EQ(loaded.run(input, kSampleElements, /*noTrace=*/i % 2), sampleResult(input));
      }
    }
    for (int i = 0; i < turn; ++i)
      EXPECT_EQ(loaded.run(input, kSampleElements), sampleResult(input));
  }
}

/// A workgroup that takes long holds up no other of its core's share.
TEST_P(Late, AWorkgroupHoldsUpNoOther) {
  BundleBuilder builder;
  const uint64_t in = builder.dataBegin();
  const uint64_t x = in, counter = in + kSampleBytes, y = counter + kSampleBytes;
  builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  builder.buffer("counter", fb::BufferKind::Slot, counter, kSampleBytes);
  builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  const uint32_t wait =
      builder.program("test_wait_for_others", 16, {kSampleBytes}, {64, kSampleBytes});
  StreamBuilder stream;
  stream.fill(counter, 64, 0);
  stream.barrier();
  stream.dispatch(wait, {x, counter, y});
  stream.end();
  builder.trace("t", stream);
  builder.entry("main", {"x", {256}, 0}, {"y", {256}, 2}, {0});
  TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), GetParam());
  const std::vector<float> input = ramp(kSampleElements);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(loaded.run(input, kSampleElements), input);
}

INSTANTIATE_TEST_SUITE_P(Cores, Late, testing::Values(2, 3, 5, 9));

} // namespace
