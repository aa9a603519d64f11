// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs whose slots are used by other tensors after they have been read, and outputs that are used
// where they lie: by runs, replays of single traces, queues and pipelines.

#include "test/unit/Support/Loaded.h"
#include "ttrt/memory.h"
#include "ttrt/pipeline.h"
#include "ttrt/queue.h"

#include <atomic>
#include <cstring>
#include <thread>

namespace ttrt::test {
namespace {

constexpr uint64_t kElements = 64, kBytes = kElements * sizeof(float);

/// y = x, by two traces. The slot of x is in L1, where the second trace fills an activation that
/// has taken its bytes. Entry point "other" has a slot that is its own.
BundleBuilder sharedSlot() {
  BundleBuilder builder;
  fb::TargetT &target = *builder.bundle.target;
  target.interleaved_l1 = true;
  target.queues = 2;
  const uint64_t l1 = target.dram_bank_bytes + target.cores * target.l1_bytes;
  const uint64_t x = l1, a = l1 + kBytes, b = l1;
  const uint64_t y = 4096, x2 = 8192, y2 = 12288, share = kBytes / target.cores;
  auto slot = [&](const char *name, uint64_t offset) {
    return builder.buffer(name, fb::BufferKind::Slot, offset, kBytes);
  };
  auto inL1 = [&](const char *name, fb::BufferKind kind, uint64_t offset, uint64_t begin,
                  uint64_t end) {
    return builder.buffer(name, kind, offset, share, begin, end, fb::MemorySpace::L1);
  };
  // Points: 0 write; 1 copy, 2 end; 3 fill, 4 barrier, 5 copy, 6 end; 7 read.
  const uint32_t xBuffer = inL1("x", fb::BufferKind::Slot, 0, 0, 2), yBuffer = slot("y", y),
                 x2Buffer = slot("x2", x2), y2Buffer = slot("y2", y2);
  inL1("a", fb::BufferKind::Activation, share, 1, 6);
  inL1("b", fb::BufferKind::Activation, 0, 3, 4);

  StreamBuilder first, second, other;
  first.copy(a, x, kBytes);
  first.end();
  second.fill(b, kBytes, 7);
  second.barrier();
  second.copy(y, a, kBytes);
  second.end();
  other.copy(y2, x2, kBytes);
  other.end();
  const uint32_t traces[] = {builder.trace("first", first), builder.trace("second", second),
                             builder.trace("other", other)};
  auto add = [&](const char *name, uint32_t in, uint32_t out, std::vector<uint32_t> its) {
    fb::EntryPointT &entry = builder.entry(name);
    BundleBuilder::port(entry.inputs, "x", {int64_t(kElements)}, in);
    BundleBuilder::port(entry.outputs, "y", {int64_t(kElements)}, out);
    BundleBuilder::step(entry, fb::StepKind::Write, 0);
    for (uint32_t trace : its)
      BundleBuilder::step(entry, fb::StepKind::Execute, trace);
    BundleBuilder::step(entry, fb::StepKind::Read, 0);
  };
  add("main", xBuffer, yBuffer, {traces[0], traces[1]});
  add("other", x2Buffer, y2Buffer, {traces[2]});
  return builder;
}

class Slots : public testing::Test {
protected:
  Slots() : file(sharedSlot().finish()), loaded(file.path(), options()) {}

  static ttrt_device_options options() {
    ttrt_device_options options = deviceOptions(1, 2);
    options.check_outputs = 1;
    return options;
  }
  /// With the input that the slot holds.
  ttrt_status runInPlace(uint32_t entry = 0) {
    ttrt_input input{};
    ttrt_output output{got.data(), kBytes};
    return ttrt_run(loaded.device, entry, &input, &output, nullptr, &error);
  }
  void fillSlot(uint32_t entry = 0) {
    void *slot = nullptr;
    ASSERT_EQ(ttrt_device_input_slot(loaded.device, entry, 0, &slot, &error), TTRT_OK);
    memcpy(slot, values.data(), kBytes);
  }
  ttrt_output_view view(uint32_t entry = 0) {
    ttrt_output_view view{};
    EXPECT_EQ(ttrt_device_view_output(loaded.device, entry, 0, &view, &error), TTRT_OK)
        << error.message;
    return view;
  }
  ttrt_status check(const ttrt_output_view &view) {
    return ttrt_device_check_output(loaded.device, &view, &error);
  }
  ttrt_status replay(uint32_t trace) { return ttrt_trace_execute(loaded.device, trace, &error); }

  TemporaryFile file;
  Loaded loaded;
  ttrt_error error;
  std::vector<float> values = ramp(kElements), got = std::vector<float>(kElements);
};

TEST_F(Slots, AnInputThatOthersHaveOverwrittenIsNotUsed) {
  EXPECT_EQ(loaded.run(values, kElements), values);
  EXPECT_EQ(runInPlace(), TTRT_OVERWRITTEN);
  EXPECT_STREQ(error.message,
               "input 'x' of entry point 'main': its slot has been overwritten by other tensors "
               "that share its bytes; write the input, or call ttrt_device_input_slot() and fill "
               "it, before every run");
  EXPECT_EQ(runInPlace(), TTRT_OVERWRITTEN);
  fillSlot();
  ASSERT_EQ(runInPlace(), TTRT_OK) << error.message;
  EXPECT_EQ(got, values);
  EXPECT_EQ(runInPlace(), TTRT_OVERWRITTEN);
  EXPECT_EQ(loaded.run(values, kElements), values);
}

/// y = x by two entry points, as variants of a model are: their inputs have the same bytes.
BundleBuilder overlaidSlots() {
  BundleBuilder builder;
  builder.bundle.target->queues = 2;
  for (uint32_t i = 0; i < 2; ++i) {
    // Points of each: write; copy, end; read.
    const uint64_t x = 4096, y = 8192 + i * 4096, begin = 4 * i;
    const std::string number = std::to_string(i);
    StreamBuilder stream;
    stream.copy(y, x, kBytes);
    stream.end();
    const uint32_t xBuffer =
        builder.buffer("x" + number, fb::BufferKind::Slot, x, kBytes, begin, begin + 2);
    const uint32_t yBuffer = builder.buffer("y" + number, fb::BufferKind::Slot, y, kBytes);
    fb::EntryPointT &entry = builder.entry("main." + number);
    BundleBuilder::port(entry.inputs, "x", {int64_t(kElements)}, xBuffer);
    BundleBuilder::port(entry.outputs, "y", {int64_t(kElements)}, yBuffer);
    builder.run(entry, {builder.trace("t" + number, stream)});
  }
  return builder;
}

/// Filling the slot of one variant overwrites that of another one, which has not run since.
TEST(OverlaidSlots, AnInputThatAnotherOneHasOverwrittenIsNotUsed) {
  const TemporaryFile file(overlaidSlots().finish());
  Loaded loaded(file.path(), deviceOptions(1, 2));
  ttrt_error error;
  const std::vector<float> values = ramp(kElements), others(kElements, 5);
  std::vector<float> got(kElements);
  auto fill = [&](uint32_t entry, const std::vector<float> &with) {
    void *slot = nullptr;
    ASSERT_EQ(ttrt_device_input_slot(loaded.device, entry, 0, &slot, &error), TTRT_OK);
    memcpy(slot, with.data(), kBytes);
  };
  auto run = [&](uint32_t entry) {
    ttrt_input input{};
    ttrt_output output{got.data(), kBytes};
    return ttrt_run(loaded.device, entry, &input, &output, nullptr, &error);
  };
  fill(0, values);
  fill(1, others);
  EXPECT_EQ(run(0), TTRT_OVERWRITTEN);
  ASSERT_EQ(run(1), TTRT_OK) << error.message;
  EXPECT_EQ(got, others);
  fill(0, values);
  ASSERT_EQ(run(0), TTRT_OK) << error.message;
  EXPECT_EQ(got, values);
  ASSERT_EQ(run(0), TTRT_OK) << "it keeps what it has";
  // A pipeline uses its bytes.
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  ttrt_pipeline *pipeline;
  ASSERT_EQ(ttrt_pipeline_open(loaded.device, &options, &pipeline, &error), TTRT_OK)
      << error.message;
  void *slot = nullptr;
  EXPECT_EQ(ttrt_device_input_slot(loaded.device, 1, 0, &slot, &error), TTRT_BUSY);
  EXPECT_STREQ(error.message, "the device has a pipeline, which may use the bytes of this slot; "
                              "close it first");
  EXPECT_EQ(slot, nullptr);
  ttrt_pipeline_close(pipeline);
  // By commands of a queue.
  auto write = [&](uint32_t entry, const std::vector<float> &with) {
    ASSERT_EQ(ttrt_enqueue_write(loaded.device, 0, entry, 0, with.data(), kBytes, 0, &error),
              TTRT_OK)
        << error.message;
  };
  write(0, values);
  write(1, others);
  EXPECT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, 0, &error), TTRT_OVERWRITTEN);
  EXPECT_EQ(ttrt_enqueue_execute(loaded.device, 0, 1, 0, &error), TTRT_OK) << error.message;
  EXPECT_EQ(ttrt_device_synchronize(loaded.device, &error), TTRT_OK) << error.message;
}

TEST_F(Slots, AnInputWithASlotOfItsOwnIsKept) {
  fillSlot(1);
  for (int i = 0; i < 3; ++i) {
    loaded.run(values, kElements); // of the other entry point
    ASSERT_EQ(runInPlace(1), TTRT_OK) << error.message;
    EXPECT_EQ(got, values);
  }
}

TEST_F(Slots, ReplaysOfSingleTraces) {
  fillSlot();
  for (int i = 0; i < 2; ++i) // it does not overwrite what it reads
    ASSERT_EQ(replay(0), TTRT_OK) << error.message;
  ASSERT_EQ(replay(1), TTRT_OK) << error.message;
  EXPECT_EQ(memcmp(view().data, values.data(), kBytes), 0);
  EXPECT_EQ(replay(1), TTRT_OK) << "it does not read the slot";
  EXPECT_EQ(replay(0), TTRT_OVERWRITTEN);
  EXPECT_EQ(runInPlace(), TTRT_OVERWRITTEN);
  fillSlot();
  EXPECT_EQ(replay(0), TTRT_OK) << error.message;
}

TEST_F(Slots, Queues) {
  auto write = [&] {
    return ttrt_enqueue_write(loaded.device, 0, 0, 0, values.data(), kBytes, 0, &error);
  };
  auto execute = [&](uint32_t trace) {
    return ttrt_enqueue_execute(loaded.device, 0, trace, 0, &error);
  };
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(write(), TTRT_OK);
    ASSERT_EQ(execute(0), TTRT_OK) << error.message;
    ASSERT_EQ(execute(1), TTRT_OK) << error.message;
    EXPECT_EQ(execute(0), TTRT_OVERWRITTEN);
  }
  ASSERT_EQ(ttrt_device_synchronize(loaded.device, &error), TTRT_OK) << error.message;
  EXPECT_EQ(memcmp(view().data, values.data(), kBytes), 0);
}

TEST_F(Slots, OutputsThatReplaysAndQueuesOverwriteAreDiagnosed) {
  loaded.run(values, kElements);
  const ttrt_output_view first = view();
  fillSlot();
  ASSERT_EQ(replay(0), TTRT_OK);
  EXPECT_EQ(check(first), TTRT_OK) << "this trace does not write it";
  ASSERT_EQ(replay(1), TTRT_OK);
  EXPECT_EQ(check(first), TTRT_OVERWRITTEN);
  EXPECT_NE(strstr(error.message, "output 'y' of entry point 'main' is of run 1, and run 2"),
            nullptr)
      << error.message;
  const ttrt_output_view second = view();
  EXPECT_EQ(check(second), TTRT_OK);
  ASSERT_EQ(ttrt_enqueue_execute(loaded.device, 1, 1, 1, &error), TTRT_OK) << error.message;
  EXPECT_EQ(check(second), TTRT_OVERWRITTEN);
  loaded.run(values, kElements, false, 1);
  const ttrt_output_view third = view();
  loaded.run(values, kElements, false, 1);
  EXPECT_EQ(check(third), TTRT_OK) << "the other entry point has a slot of its own";
}

TEST_F(Slots, Pipelines) {
  loaded.run(values, kElements);
  const ttrt_output_view before = view();
  fillSlot();
  ttrt_pipeline *pipeline = nullptr;
  ASSERT_EQ(ttrt_pipeline_open(loaded.device, nullptr, &pipeline, &error), TTRT_OK)
      << error.message;
  EXPECT_EQ(check(before), TTRT_OVERWRITTEN);
  const ttrt_output_view meanwhile = view();
  ttrt_pipeline_close(pipeline);
  EXPECT_EQ(check(meanwhile), TTRT_OVERWRITTEN);
  EXPECT_EQ(runInPlace(), TTRT_OVERWRITTEN) << "it wrote inputs of its own";
}

TEST_F(Slots, APipelineMustBeGivenWhatItCannotKeep) {
  for (uint32_t entry : {0, 1}) {
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.entry = entry;
    ttrt_pipeline *pipeline = nullptr;
    ASSERT_EQ(ttrt_pipeline_open(loaded.device, &options, &pipeline, &error), TTRT_OK);
    for (const bool isGiven : {true, false}) {
      const ttrt_input input{isGiven ? values.data() : nullptr, kBytes};
      const ttrt_status status =
          ttrt_pipeline_enqueue(pipeline, &input, nullptr, TTRT_WAIT, &error);
      if (entry == 0 && !isGiven) {
        EXPECT_EQ(status, TTRT_INVALID_ARGUMENT);
        EXPECT_STREQ(error.message,
                     "input 'x' is NULL; expected data for every inference, since other "
                     "tensors share the bytes of its slot");
        continue;
      }
      ASSERT_EQ(status, TTRT_OK) << error.message;
      const void *output;
      ASSERT_EQ(ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, &error), TTRT_OK);
      EXPECT_EQ(memcmp(output, values.data(), kBytes), 0);
    }
    ttrt_pipeline_close(pipeline);
  }
}

/// Where the proof was left out, the first device that watches slots decodes the bundle's plan.
TEST_F(Slots, DevicesThatAreOpenedAtTheSameTimeShareThePlan) {
  ttrt_bundle *bundle = nullptr;
  ASSERT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_NONE, &bundle, &error), TTRT_OK);
  std::atomic<int> watching{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const ttrt_device_options chosen = options();
      ttrt_device *device = nullptr;
      ttrt_error failure;
      if (ttrt_device_open(bundle, &chosen, &device, &failure) != TTRT_OK)
        return;
      std::vector<float> result(kElements);
      const ttrt_input given{values.data(), kBytes}, inPlace{};
      const ttrt_output output{result.data(), kBytes};
      watching += ttrt_run(device, 0, &given, &output, nullptr, &failure) == TTRT_OK &&
                  result == values &&
                  ttrt_run(device, 0, &inPlace, &output, nullptr, &failure) == TTRT_OVERWRITTEN;
      ttrt_device_close(device);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(watching, 4);
  ttrt_bundle_close(bundle);
}

} // namespace
} // namespace ttrt::test
