// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When schedules are proved (docs/proof.md): those of ttrt_run() when the bundle is opened, others
// before a pipeline executes them; and how much work that is.

#include "Bundle/Bundle.h"
#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"
#include "ttrt/pipeline.h"

#include <thread>

namespace ttrt::test {
namespace {

constexpr uint32_t kIo = 2; // the schedule 'overlap-io'

/// queueBundle(), where the device computes before the input is there.
BundleBuilder earlyBundle() {
  BundleBuilder builder = queueBundle();
  std::erase_if(builder.bundle.entries[0]->schedules[kIo]->body, [](const auto &step) {
    return step->kind == fb::StepKind::Wait && step->queue == 0;
  });
  return builder;
}

constexpr const char *kEarly = "schedule 'overlap-io' of entry point 'main': ";

std::string open(ttrt_device *device, const char *schedule, ttrt_status expected) {
  ttrt_error error{};
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.schedule = schedule;
  ttrt_pipeline *pipeline = nullptr;
  EXPECT_EQ(ttrt_pipeline_open(device, &options, &pipeline, &error), expected) << error.message;
  EXPECT_EQ(pipeline != nullptr, expected == TTRT_OK);
  ttrt_pipeline_close(pipeline);
  return error.message;
}

TEST(FirstUse, RefusesAScheduleThatIsWrong) {
  const TemporaryFile file(earlyBundle().finish());
  Loaded loaded(file.path(), deviceOptions(2, 2));
  for (int i = 0; i < 2; ++i) { // whatever was refused or used before
    EXPECT_EQ(open(loaded.device, "overlap-io", TTRT_BAD_BUNDLE).find(kEarly), 0u);
    EXPECT_EQ(open(loaded.device, "overlap-input", TTRT_OK), "");
    EXPECT_EQ(loaded.run(ramp(kSampleElements), kSampleElements),
              sampleResult(ramp(kSampleElements)));
  }
  ttrt_error error;
  EXPECT_EQ(ttrt_bundle_prove(loaded.bundle, &error), TTRT_BAD_BUNDLE);
  EXPECT_EQ(std::string(error.message).find(kEarly), 0u) << error.message;
  EXPECT_EQ(open(loaded.device, "overlap-io", TTRT_BAD_BUNDLE), error.message);
}

/// Without a dataflow, the default schedule says what the others must compute: also if another one
/// was refused before.
TEST(FirstUse, RefusesAScheduleThatComputesSomethingElse) {
  BundleBuilder builder = queueBundle();
  auto words = builder.streams[1].words; // of the schedule 'signals': test_add, then test_reverse
  StreamBuilder stream;
  const uint64_t x = words[2], w = words[3], a = words[4], y = builder.streams[0].words[20];
  stream.dispatch(0, {x, w, a});
  stream.signal(/*consumed_inside*/ 4);
  stream.barrier();
  stream.dispatch(1, {a, y});
  stream.signal(/*produced_inside*/ 5);
  stream.end();
  const uint32_t shorter = builder.trace("shorter", stream);
  for (const auto &step : builder.bundle.entries[0]->schedules[kIo]->prologue)
    if (step->kind == fb::StepKind::Execute)
      step->index = shorter;
  for (const auto &step : builder.bundle.entries[0]->schedules[kIo]->body)
    if (step->kind == fb::StepKind::Execute)
      step->index = shorter;
  const TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), deviceOptions(2, 2));
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(open(loaded.device, "overlap-io", TTRT_BAD_BUNDLE).find("expected"),
              std::string::npos);
    EXPECT_EQ(open(loaded.device, "rotated", TTRT_OK), "");
  }
}

TEST(FirstUse, ProvesOnRequest) {
  const TemporaryFile file(queueBundle().finish());
  ttrt_error error;
  {
    const Loaded loaded(file.path(), 1);
    EXPECT_EQ(ttrt_bundle_prove(loaded.bundle, &error), TTRT_OK) << error.message;
    const Proof proof = loaded.bundle->bundle->prove();
    EXPECT_EQ(proof.schedules, 6u);
    // Nothing is proved twice.
    EXPECT_EQ(loaded.bundle->bundle->prove().accesses, proof.accesses);
  }
  ttrt_bundle *bundle;
  ASSERT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_NONE, &bundle, &error), TTRT_OK);
  EXPECT_EQ(ttrt_bundle_prove(bundle, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "the bundle was opened with TTRT_VERIFY_NONE; expected a level with "
                              "the proof");
  ttrt_bundle_close(bundle);
  EXPECT_EQ(ttrt_bundle_prove(nullptr, &error), TTRT_INVALID_ARGUMENT);
}

/// Devices on several threads wait for each other's proofs, and each gets the same answer.
TEST(FirstUse, IsThreadSafe) {
  const TemporaryFile file(earlyBundle().finish());
  const Loaded loaded(file.path(), 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      ttrt_device *device = nullptr;
      const ttrt_device_options options = deviceOptions(1, 2);
      ASSERT_EQ(ttrt_device_open(loaded.bundle, &options, &device, nullptr), TTRT_OK);
      EXPECT_EQ(open(device, i % 2 ? "signals" : "unrolled", TTRT_OK), "");
      EXPECT_EQ(open(device, "overlap-io", TTRT_BAD_BUNDLE).find(kEarly), 0u);
      ttrt_device_close(device);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Commands that read one tensor at the same time, and write tensors of their own.
BundleBuilder fanBundle(uint32_t readers) {
  BundleBuilder builder;
  const uint64_t bytes = 8 * sizeof(float);
  const uint32_t in = builder.buffer("x", fb::BufferKind::Slot, 0, bytes);
  const uint32_t out = builder.buffer("y", fb::BufferKind::Slot, 64, bytes);
  const uint32_t tiny = builder.program("test_tiny", 1, {bytes}, {bytes});
  StreamBuilder stream;
  for (uint32_t i = 0; i < readers; ++i) {
    const uint64_t own = 128 + uint64_t(64) * i;
    builder.buffer("a" + std::to_string(i), fb::BufferKind::Activation, own, bytes);
    stream.dispatch(tiny, {0, own});
  }
  stream.dispatch(tiny, {128, 64});
  stream.end();
  builder.entry("main", {"x", {8}, in}, {"y", {8}, out}, {builder.trace("fan", stream)});
  return builder;
}

TEST(FirstUse, TakesWorkInProportionToTheCommands) {
  auto workOf = [](const BundleBuilder &builder) {
    const TemporaryFile file(BundleBuilder(builder).finish());
    const Proof proof = Bundle(file.path(), TTRT_VERIFY_FULL).prove();
    return proof.accesses + proof.pairs;
  };
  for (auto make : {fanBundle, +[](uint32_t length) { return chainBundle(length, true); }}) {
    const uint64_t few = workOf(make(100)), many = workOf(make(400));
    EXPECT_LT(many, few * 9 / 2);
  }
}

struct Writer : StepWriter<Writer> {};

/// Entry points with the same trace, each with a schedule of two queues and events of its own.
BundleBuilder manyEntries(uint32_t count) {
  BundleBuilder builder = fanBundle(1);
  builder.bundle.target->queues = 2;
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = "entry" + std::to_string(i);
    fb::EntryPointT &entry = builder.entry(name, {"x", {8}, 0}, {"y", {8}, 1}, {0});
    const uint32_t written = builder.event(name + "_written");
    const uint32_t consumed = builder.event(name + "_consumed");
    fb::ScheduleT &schedule = BundleBuilder::schedule(entry, "overlap-input", 2);
    Writer{schedule.prologue}.record(consumed, 0);
    Writer{schedule.body}.wait(consumed, 1).write(1).record(written, 1).wait(written, 0);
    Writer{schedule.body}.execute(0).record(consumed, 0).read(0);
  }
  return builder;
}

TEST(FirstUse, TakesMemoryInProportionToTheEntryPoints) {
  auto bytesOf = [](uint32_t entries) {
    const TemporaryFile file(manyEntries(entries).finish());
    const long before = allocatedBytes;
    EXPECT_EQ(Bundle(file.path(), TTRT_VERIFY_FULL).prove().schedules, 2 * entries + 1);
    return allocatedBytes - before;
  };
  const long few = bytesOf(100), many = bytesOf(800);
  EXPECT_LE(many, few * 9);
}

} // namespace
} // namespace ttrt::test
