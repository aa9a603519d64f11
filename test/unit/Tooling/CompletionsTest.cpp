// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When inferences are complete, however late they are popped.

#include "Run/Mesh/Completions.h"

#include "test/unit/Support/QueueBundle.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace ttrt;

/// The sample's 1024 bytes in and 1024 out take a millisecond each.
TEST(Completions, AreNotThePops) {
  const test::TemporaryFile file(test::queueBundle().finish());
  ttrt_error error;
  ttrt_bundle *bundle = nullptr;
  ASSERT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK);
  ttrt_device_options deviceOptions = TTRT_DEVICE_OPTIONS_INIT;
  deviceOptions.cores = 1;
  deviceOptions.queues = 2;
  deviceOptions.link_bytes_per_second = 1024000;
  ttrt_device *device = nullptr;
  ASSERT_EQ(ttrt_device_open(bundle, &deviceOptions, &device, &error), TTRT_OK) << error.message;
  for (const char *schedule : test::kSchedules) {
    constexpr uint64_t kInferences = 6;
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.schedule = schedule;
    ttrun::Completions completions(options, 1, kInferences);
    ttrt_pipeline *pipeline = nullptr;
    ASSERT_EQ(ttrt_pipeline_open(device, &options, &pipeline, &error), TTRT_OK) << error.message;
    const std::vector<float> values(256);
    const ttrt_input input = {values.data(), 1024};
    for (uint64_t i = 0; i < kInferences; ++i)
      ASSERT_EQ(ttrt_pipeline_enqueue(pipeline, &input, nullptr, TTRT_WAIT, &error), TTRT_OK);
    ASSERT_EQ(ttrt_pipeline_finish(pipeline, &error), TTRT_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(4 * kInferences));
    const void *output = nullptr;
    for (uint64_t i = 0; i < kInferences; ++i)
      ASSERT_EQ(ttrt_pipeline_pop(pipeline, &output, TTRT_WAIT, &error), TTRT_OK);
    ttrt_pipeline_close(pipeline);
    ASSERT_EQ(completions.ends.size(), kInferences) << schedule;
    EXPECT_TRUE(std::is_sorted(completions.ends.begin(), completions.ends.end()));
    // Each reads its output between the end of the one before and its own. A late thread delays an
    // end; then the next one may come early.
    EXPECT_GE(completions.ends.back() - completions.ends.front(), (kInferences - 2) * 1000000)
        << schedule;
  }
  ttrt_device_close(device);
  ttrt_bundle_close(bundle);
}
