// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of both queues at the same time, and addresses that a queue checks.

#include "test/unit/Support/Loaded.h"
#include "ttrt/queue.h"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

/// A trace per queue, each of which waits for the other while it runs.
TEST(QueuePrograms, RunAtTheSameTime) {
  BundleBuilder builder;
  uint32_t in = builder.buffer("x", fb::BufferKind::Slot, 0, 8);
  uint32_t out[2];
  uint64_t words[2] = {64, 128}, met[2] = {192, 256};
  for (int i = 0; i < 2; ++i) {
    builder.buffer(i ? "b" : "a", fb::BufferKind::State, words[i], 8);
    out[i] = builder.buffer(i ? "met1" : "met0", fb::BufferKind::Slot, met[i], 8);
  }
  uint32_t meet = builder.program("test_meet", 1, {8}, {8, 8});
  fb::EntryPointT &entry = builder.entry("main");
  BundleBuilder::port(entry.inputs, "x", {1}, in, fb::DType::U64);
  BundleBuilder::step(entry, fb::StepKind::Write, 0);
  for (uint32_t i = 0; i < 2; ++i) {
    StreamBuilder stream;
    stream.dispatch(meet, {words[1 - i], words[i], met[i]});
    stream.end();
    builder.trace(i ? "t1" : "t0", stream);
    BundleBuilder::step(entry, fb::StepKind::Execute, i);
    BundleBuilder::port(entry.outputs, i ? "met1" : "met0", {1}, out[i], fb::DType::U64);
  }
  BundleBuilder::step(entry, fb::StepKind::Read, 0);
  BundleBuilder::step(entry, fb::StepKind::Read, 1);
  TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), deviceOptions(2, 2));
  uint64_t result[2] = {};
  for (uint32_t i = 0; i < 2; ++i) {
    ASSERT_EQ(ttrt_enqueue_execute(loaded.device, i, i, 0, nullptr), TTRT_OK);
    ASSERT_EQ(ttrt_enqueue_read(loaded.device, i, 0, i, &result[i], 8, 0, nullptr), TTRT_OK);
  }
  ASSERT_EQ(ttrt_device_synchronize(loaded.device, nullptr), TTRT_OK);
  EXPECT_EQ(result[0], 1u);
  EXPECT_EQ(result[1], 1u);
}

/// Programs with scratch on both queues at the same time, on as many cores each: none is shared.
TEST(QueuePrograms, HaveScratchOfTheirOwn) {
  BundleBuilder builder;
  const uint32_t reverse = builder.program("test_reverse", 16, {kSampleBytes}, {kSampleBytes}, 64);
  fb::EntryPointT &entry = builder.entry("main");
  for (uint32_t i = 0; i < 2; ++i) {
    const uint64_t x = 2 * i * kSampleBytes, y = x + kSampleBytes;
    const std::string name = i ? "1" : "0";
    const uint32_t in = builder.buffer("x" + name, fb::BufferKind::Slot, x, kSampleBytes),
                   out = builder.buffer("y" + name, fb::BufferKind::Slot, y, kSampleBytes);
    BundleBuilder::port(entry.inputs, "x" + name, {256}, in);
    BundleBuilder::port(entry.outputs, "y" + name, {256}, out);
    StreamBuilder stream;
    for (int j = 0; j < 50; ++j) {
      stream.dispatch(reverse, {x, y});
      stream.barrier();
    }
    stream.end();
    builder.trace("t" + name, stream);
  }
  for (fb::StepKind kind : {fb::StepKind::Write, fb::StepKind::Execute, fb::StepKind::Read})
    for (uint32_t i = 0; i < 2; ++i)
      BundleBuilder::step(entry, kind, i);
  TemporaryFile file(builder.finish());
  ttrt_device_options options = deviceOptions(2, 2);
  options.queue1_cores = 2;
  Loaded loaded(file.path(), options);
  std::vector<float> inputs[2], outputs[2], expected[2];
  for (uint32_t i = 0; i < 2; ++i) {
    inputs[i] = sampleInput(1000 + i);
    outputs[i].resize(kSampleElements);
    expected[i].assign(inputs[i].rbegin(), inputs[i].rend());
    ttrt_enqueue_write(loaded.device, i, 0, i, inputs[i].data(), kSampleBytes, 0, nullptr);
  }
  for (int round = 0; round < 20; ++round) {
    for (uint32_t i = 0; i < 2; ++i) {
      ttrt_enqueue_execute(loaded.device, i, i, 0, nullptr);
      ttrt_enqueue_read(loaded.device, i, 0, i, outputs[i].data(), kSampleBytes, 0, nullptr);
    }
    ASSERT_EQ(ttrt_device_synchronize(loaded.device, nullptr), TTRT_OK);
    for (uint32_t i = 0; i < 2; ++i)
      ASSERT_EQ(outputs[i], expected[i]) << "queue " << i << ", round " << round;
  }
}

class QueueChecks : public testing::Test {
protected:
  static ttrt_device_options options() {
    ttrt_device_options options = deviceOptions(2, 1);
    options.checks = 1;
    return options;
  }
  TemporaryFile file{sampleBundle().finish()};
  Loaded loaded{file.path(), options()};
  ttrt_error error{};
};

TEST_F(QueueChecks, AWrongAddressOfTheHostIsAnError) {
  std::vector<float> input = ramp(kSampleElements), output(kSampleElements);
  ttrt_enqueue_write(loaded.device, 0, 0, 0, input.data(), kSampleBytes, 0, nullptr);
  ttrt_enqueue_execute(loaded.device, 0, 0, 0, nullptr);
  ASSERT_EQ(ttrt_enqueue_read(loaded.device, 0, 0, 0, output.data(), kSampleBytes, 1, &error),
            TTRT_OK)
      << error.message;
  EXPECT_EQ(output, sampleResult(input));
  auto *nowhere = reinterpret_cast<void *>(uintptr_t(4096));
  EXPECT_EQ(ttrt_enqueue_read(loaded.device, 0, 0, 0, nowhere, kSampleBytes, 1, &error),
            TTRT_FAILED);
  EXPECT_STREQ(error.message, "queue 0 stopped at read 'y': expected 1024 writable bytes of host "
                              "memory at 0x1000");
  ASSERT_EQ(ttrt_device_reset(loaded.device, &error), TTRT_OK);
  EXPECT_EQ(ttrt_enqueue_write(loaded.device, 0, 0, 0, nowhere, kSampleBytes, 1, &error),
            TTRT_FAILED);
  EXPECT_STREQ(error.message, "queue 0 stopped at write 'x': expected 1024 readable bytes of host "
                              "memory at 0x1000");
  ASSERT_EQ(ttrt_device_reset(loaded.device, &error), TTRT_OK);
  ASSERT_EQ(ttrt_enqueue_read(loaded.device, 0, 0, 0, output.data(), kSampleBytes, 1, &error),
            TTRT_OK)
      << error.message;
}

/// Somebody overwrites the bundle's file after it was opened.
TEST_F(QueueChecks, AWrongAddressInATraceIsAnError) {
  BundleBuilder builder = sampleBundle();
  builder.finish();
  uint64_t offset = 0;
  for (const auto &segment : builder.bundle.segments)
    if (segment->kind == fb::SegmentKind::Streams)
      offset = segment->offset;
  // The first dispatch: header, program and count, then its operands.
  const uint64_t wrong = uint64_t(1) << 40;
  const int descriptor = open(file.path(), O_WRONLY);
  ASSERT_EQ(pwrite(descriptor, &wrong, 8, static_cast<off_t>(offset + 24)), 8);
  close(descriptor);
  EXPECT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, 1, &error), TTRT_FAILED);
  EXPECT_NE(strstr(error.message,
                   "queue 0 stopped at execute 'main_t0': trace 'main_t0', command 0 at byte 0 "
                   "(from Add_0): runs 'test_add' with operand 1 at 0x10000000000"),
            nullptr)
      << error.message;
}

} // namespace
