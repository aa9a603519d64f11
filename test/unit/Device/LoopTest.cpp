// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in command streams: how often bodies run, on how many cores, and how they end.

#include "Device/WorkgroupClaims.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/LoopBundle.h"
#include "ttrt/memory.h"
#include "ttrt/queue.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace ttrt;
using namespace ttrt::test;

namespace {

/// A bundle of loops on a device.
class Looping {
public:
  Looping(const LoopShape &shape, uint32_t cores, uint32_t queues = 0)
      : Looping(shape, loopBundle(shape), cores, queues) {}
  Looping(const LoopShape &shape, BundleBuilder builder, uint32_t cores, uint32_t queues = 0)
      : shape(shape), file(builder.finish()), loaded(file.path(), deviceOptions(cores, queues)),
        input(ramp(shape.elements())), output(shape.elements()) {}

  ttrt_status run(int64_t n, bool noTrace = false) {
    const ttrt_input in[] = {{input.data(), input.size() * sizeof(float)}, {&n, sizeof(n)}};
    const ttrt_output out{output.data(), output.size() * sizeof(float)};
    ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
    options.no_trace = noTrace;
    return ttrt_run(loaded.device, 0, in, &out, &options, &error);
  }
  /// What so many executions of the body give.
  std::vector<float> expected(uint64_t executions) const {
    std::vector<float> values = input;
    for (uint64_t i = 0; i < executions; ++i)
      for (float &value : values)
        value += shape.isWide ? LoopBundle::kMore : 1.0f;
    return values;
  }
  void expect(int64_t n, bool noTrace = false) {
    ASSERT_EQ(run(n, noTrace), TTRT_OK) << error.message;
    EXPECT_EQ(output, expected(shape.executions(n))) << n << " iterations";
  }

  LoopShape shape;
  TemporaryFile file;
  Loaded loaded;
  std::vector<float> input, output;
  ttrt_error error{};
};

class Loop : public testing::TestWithParam<uint32_t> {
protected:
  const uint32_t cores = GetParam();
};

TEST_P(Loop, RunsAsOftenAsItSays) {
  for (bool isWide : {false, true})
    for (uint64_t times : {1, 2, 3, 1000}) {
      Looping looping({.isWide = isWide, .times = times}, cores);
      for (bool noTrace : {false, true})
        looping.expect(0, noTrace);
    }
}

TEST_P(Loop, RunsAsLongAsItsFlag) {
  for (bool isWide : {false, true}) {
    Looping looping({.isWide = isWide, .hasFlag = true, .times = 300}, cores);
    for (int64_t n : {0, 1, 2, 3, 299, 300, 301, 1000})
      for (bool noTrace : {false, true})
        looping.expect(n, noTrace);
  }
}

TEST_P(Loop, IsNested) {
  for (bool isWide : {false, true})
    for (bool hasFlag : {false, true})
      for (uint32_t depth : {2u, 3u, kMaxRepeatDepth}) {
        Looping looping({.isWide = isWide, .hasFlag = hasFlag, .times = 5, .depth = depth}, cores);
        for (int64_t n : {0, 1, 4, 7})
          looping.expect(n);
      }
}

/// A loop of one core in a loop of all of them, and commands of all around both.
TEST_P(Loop, OfOneCoreInOneOfAll) {
  LoopBundle bundle({.isWide = true});
  const uint32_t tiny = bundle.builder.program("test_tiny", 1, {32}, {32});
  bundle.begin();
  bundle.stream.repeat(7, {{bundle.a, bundle.bytes}});
  bundle.addTo(bundle.b, bundle.a);
  bundle.stream.barrier();
  bundle.stream.repeat(11, {{bundle.b, 32}}, kSequential);
  bundle.stream.dispatch(tiny, {bundle.b, bundle.a});
  bundle.stream.copy(bundle.b, bundle.a, 32);
  bundle.stream.endRepeat();
  bundle.stream.copy(bundle.a, bundle.b, bundle.bytes);
  bundle.stream.endRepeat();
  bundle.end();
  Looping looping(bundle.shape, bundle.finish(), cores);
  ASSERT_EQ(looping.run(0), TTRT_OK) << looping.error.message;
  std::vector<float> expected = looping.expected(7);
  for (size_t i = 0; i < 8; ++i)
    expected[i] = looping.input[i] + 7 * (LoopBundle::kMore + 11);
  EXPECT_EQ(looping.output, expected);
}

TEST_P(Loop, FailsAtItsLimitIfAsked) {
  for (bool isWide : {false, true}) {
    Looping looping({.isWide = isWide, .hasFlag = true, .times = 20, .fails = true}, cores);
    for (bool noTrace : {false, true}) {
      looping.expect(20, noTrace);
      EXPECT_EQ(looping.run(21, noTrace), TTRT_FAILED);
      EXPECT_STREQ(looping.error.message, "the loop at command 3 of trace 'main_t0' has not ended "
                                          "after 20 iterations");
      looping.expect(3, noTrace);
    }
  }
}

/// A loop of one iteration is a check; what its command came from is what it says.
TEST_P(Loop, IsACheck) {
  Looping looping({.isWide = false, .hasFlag = true, .times = 1, .fails = true}, cores);
  looping.expect(1);
  EXPECT_EQ(looping.run(2), TTRT_FAILED);
  EXPECT_STREQ(looping.error.message, "command 3 of trace 'main_t0' fails: its flag is set");
  looping.expect(0);
}

TEST_P(Loop, StopsAQueueAtItsLimit) {
  Looping looping({.isWide = true, .hasFlag = true, .times = 20, .fails = true}, cores, 1);
  ttrt_device *device = looping.loaded.device;
  int64_t n = 30;
  const ttrt_input x{looping.input.data(), looping.input.size() * sizeof(float)};
  ASSERT_EQ(ttrt_enqueue_write(device, 0, 0, 0, x.data, x.bytes, 0, &looping.error), TTRT_OK);
  ASSERT_EQ(ttrt_enqueue_write(device, 0, 0, 1, &n, sizeof(n), 0, &looping.error), TTRT_OK);
  EXPECT_EQ(ttrt_enqueue_execute(device, 0, 0, /*blocking=*/1, &looping.error), TTRT_FAILED);
  EXPECT_NE(std::string(looping.error.message).find("has not ended after 20 iterations"),
            std::string::npos)
      << looping.error.message;
  ASSERT_EQ(ttrt_device_reset(device, &looping.error), TTRT_OK) << looping.error.message;
  n = 7;
  ASSERT_EQ(ttrt_enqueue_write(device, 0, 0, 1, &n, sizeof(n), 0, &looping.error), TTRT_OK);
  EXPECT_EQ(ttrt_enqueue_execute(device, 0, 0, 1, &looping.error), TTRT_OK)
      << looping.error.message;
}

/// Loops that would take years.
TEST_P(Loop, EndsWhenItIsCancelled) {
  for (bool isWide : {false, true})
    for (bool hasFlag : {false, true})
      for (uint32_t depth : {1u, 3u}) {
        Looping looping({.isWide = isWide,
                         .hasFlag = hasFlag,
                         .times = uint64_t(1) << (depth > 1 && !hasFlag ? 8 : 40),
                         .depth = depth,
                         .outerTimes = uint64_t(1) << 40},
                        cores);
        std::thread canceller([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          EXPECT_EQ(ttrt_device_cancel(looping.loaded.device, nullptr), TTRT_OK);
        });
        EXPECT_EQ(looping.run(INT64_MAX), TTRT_CANCELLED);
        canceller.join();
        ASSERT_EQ(ttrt_device_reset(looping.loaded.device, &looping.error), TTRT_OK);
        looping.input[0] = 3;
      }
}

/// More than the cores let each other fall behind: they meet in between.
TEST_P(Loop, GoesOnPastTheirMeetings) {
  constexpr uint64_t kTimes = 60000; // 16 workgroups, and one more command, in each
  for (bool hasFlag : {false, true}) {
    Looping looping({.isWide = true, .hasFlag = hasFlag, .times = kTimes}, cores);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(looping.run(kTimes), TTRT_OK) << looping.error.message;
      EXPECT_EQ(looping.output, looping.expected(kTimes));
    }
  }
}

/// Cores that come late, in every place that threads of a busy machine stop at.
TEST_P(Loop, WaitsForNoCoreThatIsLate) {
  Looping flagged({.isWide = true, .hasFlag = true, .times = 1000, .depth = 2}, cores);
  Looping counted({.isWide = true, .times = 100, .depth = 2}, cores);
  std::atomic<bool> ends{false};
  std::vector<std::thread> others; // that take the CPUs
  for (int i = 0; i < 3; ++i)
    others.emplace_back([&] {
      while (!ends.load(std::memory_order_relaxed))
        std::this_thread::yield();
    });
  for (int64_t n = 0; n < 60; ++n) {
    flagged.expect(n * 7 % 50);
    counted.expect(0);
  }
  ends = true;
  for (std::thread &other : others)
    other.join();
}

INSTANTIATE_TEST_SUITE_P(Cores, Loop, testing::Values(1, 2, 3, 4, 9));

/// Shares that have long been empty do not keep a command from being claimed.
TEST(LoopClaims, AShareIsLeft) {
  WorkgroupClaims claims(2);
  uint32_t workgroup = 0;
  EXPECT_TRUE(claims.claimOwn(1, 5, 0, 1, workgroup));
  const uint32_t later = 5 + (uint32_t(1) << 31) + 7;
  EXPECT_FALSE(claims.claimOwn(1, later, 0, 1, workgroup)) << "compared modulo 2^32";
  claims.leaveShare(1, later - 1);
  EXPECT_FALSE(claims.claimOther(1, later - 1, 0, 1, workgroup));
  EXPECT_TRUE(claims.claimOwn(1, later, 0, 1, workgroup));
}

/// A core that asks late gets the decision that it asks for.
TEST(LoopClaims, ADecisionIsThatOfItsTurn) {
  WorkgroupClaims claims(2);
  claims.decide(WorkgroupClaims::kContinue, 7);
  EXPECT_EQ(claims.decision(7), WorkgroupClaims::kContinue);
  claims.decide(WorkgroupClaims::kEnd, 8);
  EXPECT_EQ(claims.decision(7), WorkgroupClaims::kContinue);
  EXPECT_EQ(claims.decision(8), WorkgroupClaims::kEnd);
  claims.decide(WorkgroupClaims::kStop, 9);
  EXPECT_EQ(claims.decision(9), WorkgroupClaims::kStop);
}

} // namespace
