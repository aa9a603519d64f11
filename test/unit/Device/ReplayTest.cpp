// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/Support/Loaded.h"

#include "ttrt/queue.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace ttrt;
using namespace ttrt::test;

namespace {

class Replay : public testing::TestWithParam<uint32_t> {};

TEST_P(Replay, SampleIsRight) {
  TemporaryFile file(sampleBundle().finish());
  Loaded loaded(file.path(), GetParam());
  EXPECT_EQ(ttrt_device_cores(loaded.device), GetParam());
  for (int i = 0; i < 50; ++i) {
    std::vector<float> input = ramp(kSampleElements);
    input[0] = static_cast<float>(i);
    EXPECT_EQ(loaded.run(input, kSampleElements), sampleResult(input));
    EXPECT_EQ(loaded.run(input, kSampleElements, /*noTrace=*/true), sampleResult(input));
  }
}

TEST_P(Replay, ChainWithAndWithoutBarriers) {
  for (bool barriers : {false, true}) {
    TemporaryFile file(chainBundle(1000, barriers).finish());
    Loaded loaded(file.path(), GetParam());
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(loaded.run(std::vector<float>(8, 1.0f), 8), std::vector<float>(8, 1001.0f));
    EXPECT_EQ(loaded.run(std::vector<float>(8, 1.0f), 8, /*noTrace=*/true),
              std::vector<float>(8, 1001.0f));
  }
}

/// Cores that wait long enough to fall asleep, at a barrier and between runs, wake up again.
TEST_P(Replay, SleepersWakeUp) {
  BundleBuilder builder = sampleBundle();
  builder.bundle.programs[0]->symbol = "test_slow";
  builder.bundle.programs[0]->operands.erase(builder.bundle.programs[0]->operands.begin() + 1);
  StreamBuilder stream;
  const auto words = builder.streams[0].words;
  stream.dispatch(0, {words[2], words[4]});
  stream.barrier();
  stream.dispatch(1, {words[4], words[9]});
  stream.barrier();
  stream.dispatch(0, {words[9], words[4]});
  stream.barrier();
  stream.dispatch(1, {words[4], words[20]});
  stream.end();
  builder.streams[0] = stream;
  TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), GetParam());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements), ramp(kSampleElements));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST_P(Replay, CopyAndFill) {
  // y = x copied in two steps around a fill; sizes that are no multiple of anything.
  const uint64_t bytes = 300001, slot = 300032;
  BundleBuilder builder;
  uint32_t in = builder.buffer("x", fb::BufferKind::Slot, 0, bytes);
  uint32_t out = builder.buffer("y", fb::BufferKind::Slot, slot, 2 * slot);
  StreamBuilder stream;
  stream.fill(slot, 2 * slot, 0x0807060504030201);
  stream.barrier();
  stream.copy(slot + 13, 0, bytes);
  stream.end();
  uint32_t trace = builder.trace("t", stream);
  builder.entry("main", {"x", {int64_t(bytes)}, in, fb::DType::U8},
                {"y", {int64_t(2 * slot)}, out, fb::DType::U8}, {trace});
  TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), GetParam());

  std::vector<uint8_t> input(bytes), output(2 * slot), expected(2 * slot);
  std::iota(input.begin(), input.end(), uint8_t(17));
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = 1 + i % 8;
  memcpy(expected.data() + 13, input.data(), bytes);
  ttrt_input i{input.data(), input.size()};
  ttrt_output o{output.data(), output.size()};
  ASSERT_EQ(ttrt_run(loaded.device, 0, &i, &o, nullptr, nullptr), TTRT_OK);
  EXPECT_EQ(output, expected);
}

/// A host step between two traces: device -> staging -> a program of the host -> staging -> device.
TEST_P(Replay, HostStepsBetweenTraces) {
  BundleBuilder builder;
  builder.bundle.target->host_bytes = 4096;
  builder.bundle.target->cores = 2; // a device may have more
  const uint64_t x = 0, y = kSampleBytes, a = 2 * kSampleBytes, b = 3 * kSampleBytes;
  const uint64_t host =
      builder.bundle.target->dram_bank_bytes + 2 * builder.bundle.target->l1_bytes;
  uint32_t in = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  uint32_t out = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  builder.buffer("a", fb::BufferKind::Activation, a, kSampleBytes, 1, 4);
  builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes, 5, 8);
  builder.buffer("h0", fb::BufferKind::Host, 0, kSampleBytes, 3, 5, fb::MemorySpace::Host);
  builder.buffer("h1", fb::BufferKind::Host, kSampleBytes, kSampleBytes, 4, 6,
                 fb::MemorySpace::Host);
  uint32_t reverse = builder.program("test_reverse", 16, {kSampleBytes}, {kSampleBytes}, 64);
  uint32_t add = builder.program("test_add", 16, {kSampleBytes, kSampleBytes}, {kSampleBytes});
  // Points: 0 write; 1 reverse, 2 end; 3 copy; 4 host; 5 copy; 6 add, 7 end; 8 dispatch; 9 read.
  StreamBuilder first, second;
  first.dispatch(reverse, {x, a});
  first.end();
  second.dispatch(add, {b, x, y});
  second.end();
  uint32_t t0 = builder.trace("t0", first), t1 = builder.trace("t1", second);
  builder.buffer("z", fb::BufferKind::Slot, 4 * kSampleBytes, kSampleBytes);
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {256}, in);
  BundleBuilder::port(entry.outputs, "z", {256}, out + 5);
  auto copy = [&](uint64_t dst, uint64_t src) {
    fb::StepT &step = BundleBuilder::step(entry, fb::StepKind::Copy, 0);
    step.dst = dst;
    step.src = src;
    step.bytes = kSampleBytes;
  };
  BundleBuilder::step(entry, fb::StepKind::Write, 0);
  BundleBuilder::step(entry, fb::StepKind::Execute, t0);
  copy(host, a);
  BundleBuilder::step(entry, fb::StepKind::HostDispatch, reverse).operands = {host,
                                                                              host + kSampleBytes};
  copy(b, host + kSampleBytes);
  BundleBuilder::step(entry, fb::StepKind::Execute, t1);
  BundleBuilder::step(entry, fb::StepKind::Dispatch, reverse).operands = {y, 4 * kSampleBytes};
  BundleBuilder::step(entry, fb::StepKind::Read, 0);
  TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), GetParam());
  std::vector<float> input = ramp(kSampleElements), expected(kSampleElements);
  for (size_t i = 0; i < kSampleElements; ++i)
    expected[i] = 2 * input[kSampleElements - 1 - i];
  EXPECT_EQ(loaded.run(input, kSampleElements), expected);
  EXPECT_EQ(loaded.run(input, kSampleElements, /*noTrace=*/true), expected);
}

TEST_P(Replay, SignalsAndWaits) {
  BundleBuilder builder = sampleBundle();
  for (const char *name : {"e0", "e1"})
    builder.event(name);
  // A signal is also a barrier: it takes the place of the first one, and a wait that of the next.
  const auto words = builder.streams[0].words;
  StreamBuilder stream;
  stream.dispatch(0, {words[2], words[3], words[4]});
  stream.signal(0);
  stream.dispatch(1, {words[4], words[9]});
  stream.barrier();
  stream.dispatch(0, {words[9], words[3], words[4]});
  stream.signal(1);
  stream.dispatch(1, {words[4], words[20]});
  stream.wait(1);
  stream.wait(0);
  stream.end();
  builder.streams[0] = stream;
  builder.bundle.traces[0]->commands = stream.commands;
  builder.bundle.traces[0]->sources.clear();
  BundleBuilder::step(*builder.bundle.entries[0], fb::StepKind::Record, 1);
  BundleBuilder::step(*builder.bundle.entries[0], fb::StepKind::Wait, 1);
  TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), GetParam());
  std::vector<float> input = ramp(kSampleElements);
  EXPECT_EQ(loaded.run(input, kSampleElements), sampleResult(input));
}

/// The caller's rounding mode neither changes the result nor is it changed.
TEST_P(Replay, RoundingModeOfTheCallerDoesNotMatter) {
  BundleBuilder builder = sampleBundle();
  builder.bundle.programs[1]->symbol = "test_third";
  TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), GetParam());
  std::vector<float> input = ramp(kSampleElements);
  std::vector<float> expected = loaded.run(input, kSampleElements);
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  std::vector<float> got = loaded.run(input, kSampleElements);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(got, expected);
}

#if defined(__x86_64__)
/// Subnormal numbers count as zero where that was asked for, on all cores, and nowhere else: the
/// caller's mode neither changes the result nor is it changed.
TEST_P(Replay, SubnormalNumbers) {
  BundleBuilder builder;
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, 0, kSampleBytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, kSampleBytes, kSampleBytes);
  StreamBuilder stream;
  stream.dispatch(builder.program("test_third", 16, {kSampleBytes}, {kSampleBytes}),
                  {0, kSampleBytes});
  stream.end();
  builder.entry("main", {"x", {1, 256}, in}, {"y", {1, 256}, out},
                {builder.trace("main_t0", stream)});
  TemporaryFile file(builder.finish());
  // What test_third computes from the least normal number is subnormal; so are operands.
  const float least = std::numeric_limits<float>::min();
  std::vector<float> input(kSampleElements, least);
  for (size_t i = 0; i < input.size(); i += 2)
    input[i] = least / 1024;
  constexpr unsigned kFlush = 0x8040; // FTZ and DAZ
  const unsigned mode = _mm_getcsr();
  for (bool flushes : {false, true})
    for (uint32_t queues : {0, 1})
      for (unsigned callers : {mode, mode | kFlush}) {
        ttrt_device_options options = deviceOptions(GetParam(), queues);
        options.flush_denormals = flushes;
        Loaded loaded(file.path(), options);
        std::vector<float> output(kSampleElements, 1);
        _mm_setcsr(callers);
        if (queues) {
          ttrt_error error;
          EXPECT_EQ(
              ttrt_enqueue_write(loaded.device, 0, 0, 0, input.data(), kSampleBytes, 0, &error),
              TTRT_OK);
          EXPECT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, 0, &error), TTRT_OK);
          EXPECT_EQ(
              ttrt_enqueue_read(loaded.device, 0, 0, 0, output.data(), kSampleBytes, 1, &error),
              TTRT_OK);
        } else {
          output = loaded.run(input, kSampleElements);
        }
        EXPECT_EQ(_mm_getcsr() & kFlush, callers & kFlush);
        _mm_setcsr(mode);
        size_t subnormal = 0, zero = 0;
        for (float value : output) {
          subnormal += std::fpclassify(value) == FP_SUBNORMAL;
          zero += value == 0;
        }
        EXPECT_EQ(subnormal != 0, !flushes) << queues << " queues";
        EXPECT_EQ(zero != 0, flushes) << queues << " queues";
      }
}
#endif

INSTANTIATE_TEST_SUITE_P(Cores, Replay, testing::Values(1, 2, 3, 4, 7));

TEST(ReplayBits, DoNotDependOnTheNumberOfCores) {
  BundleBuilder builder = sampleBundle();
  builder.bundle.programs[1]->symbol = "test_third";
  TemporaryFile file(builder.finish());
  std::vector<float> expected;
  for (uint32_t cores : {1, 2, 3, 4, 5, 16}) {
    Loaded loaded(file.path(), cores);
    for (bool noTrace : {false, true}) {
      std::vector<float> got = loaded.run(ramp(kSampleElements), kSampleElements, noTrace);
      if (expected.empty())
        expected = got;
      EXPECT_EQ(memcmp(got.data(), expected.data(), kSampleBytes), 0) << cores << " cores";
    }
  }
}

TEST(Workgroups, EveryCoreTakesItsShare) {
  for (uint64_t grid : {1, 2, 3, 7, 16, 1000})
    for (uint32_t cores : {1, 2, 3, 4, 5, 64}) {
      EXPECT_EQ(firstWorkgroup(grid, 0, cores), 0u);
      EXPECT_EQ(firstWorkgroup(grid, cores, cores), grid);
      for (uint32_t core = 0; core < cores; ++core) {
        uint64_t share = firstWorkgroup(grid, core + 1, cores) - firstWorkgroup(grid, core, cores);
        EXPECT_LE(share, (grid + cores - 1) / cores);
      }
      EXPECT_GE(firstWorkgroup(grid, 1, cores), 1u); // workgroup 0 is core 0's
    }
}

} // namespace
