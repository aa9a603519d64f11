// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines over every shape of schedule, through the C and the C++ API.

#include "ttrt/pipeline.hpp"
#include "test/unit/Support/Jitter.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"

#include <atomic>
#include <thread>

using namespace ttrt;
using namespace ttrt::test;

namespace {

std::vector<float> inputOf(uint64_t i) {
  std::vector<float> input = ramp(kSampleElements);
  for (size_t j = 0; j < kSampleElements; j += 16)
    input[j] = static_cast<float>(i + j);
  return input;
}

ttrt_pipeline_options named(const char *schedule, uint32_t outputs = 0) {
  ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
  options.schedule = schedule;
  options.outputs = outputs;
  return options;
}

using Case = std::tuple<const char *, uint32_t>; ///< schedule, cores

class Pipelines : public testing::TestWithParam<Case> {
protected:
  TemporaryFile file{queueBundle().finish()};
  Loaded loaded{file.path(), deviceOptions(std::get<1>(GetParam()), 2)};
  const char *schedule = std::get<0>(GetParam());
};

TEST_P(Pipelines, EveryOutputIsItsInputs) {
  Pipeline pipeline(loaded.bundle, loaded.device, named(schedule, 24));
  EXPECT_STREQ(pipeline.schedule(), schedule);
  // Batches of different lengths: each ends a run, with or without a remainder.
  uint64_t next = 0;
  for (int batch : {1, 2, 3, 5, 24, 1, 16}) {
    std::vector<std::vector<float>> inputs;
    for (int i = 0; i < batch; ++i)
      inputs.push_back(inputOf(next + i));
    for (const auto &input : inputs)
      pipeline.enqueue({input});
    const auto all = pipeline.popAll();
    ASSERT_EQ(all.size(), inputs.size());
    for (int i = 0; i < batch; ++i) {
      ASSERT_EQ(all[i].size(), 1u);
      ASSERT_EQ(std::vector<float>(all[i][0].as<float>(),
                                   all[i][0].as<float>() + all[i][0].size<float>()),
                sampleResult(inputs[i]))
          << "inference " << next + i;
    }
    next += batch;
  }
}

TEST_P(Pipelines, WithoutTheTrace) {
  ttrt_pipeline_options options = named(schedule);
  options.no_trace = 1;
  Pipeline pipeline(loaded.bundle, loaded.device, options);
  std::vector<std::vector<float>> inputs;
  for (int i = 0; i < 12; ++i)
    inputs.push_back(inputOf(i));
  for (const auto &input : inputs)
    pipeline.enqueue({input});
  std::vector<Output> outputs;
  for (const auto &input : inputs) {
    ASSERT_TRUE(pipeline.pop(outputs));
    EXPECT_EQ(std::vector<float>(outputs[0].as<float>(), outputs[0].as<float>() + kSampleElements),
              sampleResult(input));
  }
  EXPECT_FALSE(pipeline.pop(outputs));
}

/// One thread feeds, one drains, both queues run late at random: nothing lost, nothing mixed up.
TEST_P(Pipelines, StreamingWithDelays) {
  const uint64_t inferences = std::get<1>(GetParam()) == 1 ? 500 : 100, kInputs = 7;
  std::vector<std::vector<float>> inputs, expected;
  for (uint64_t i = 0; i < kInputs; ++i) {
    inputs.push_back(inputOf(i));
    expected.push_back(sampleResult(inputs[i]));
  }
  for (uint32_t depth : {1, 2, 5, 16}) {
    Jitter jitter;
    ttrt_pipeline_options options = named(schedule, depth);
    options.on_step = Jitter::delay;
    options.user = &jitter;
    Pipeline pipeline(loaded.bundle, loaded.device, options);
    std::thread feeder([&] {
      for (uint64_t i = 0; i < inferences; ++i)
        pipeline.feed({inputs[i % kInputs]});
      pipeline.finish();
    });
    std::vector<Output> outputs;
    uint64_t popped = 0, wrong = 0;
    for (; pipeline.drain(outputs); ++popped)
      wrong += memcmp(outputs[0].data, expected[popped % kInputs].data(), kSampleBytes) != 0;
    feeder.join();
    EXPECT_EQ(popped, inferences) << "depth " << depth;
    EXPECT_EQ(wrong, 0u) << "depth " << depth;
  }
}

/// A feeder that gives an input only after it has seen the output before: each ends its run.
TEST_P(Pipelines, RequestAndResponse) {
  Pipeline pipeline(loaded.bundle, loaded.device, named(schedule));
  std::atomic<uint64_t> answered{0};
  std::vector<float> input;
  std::thread feeder([&] {
    for (uint64_t i = 0; i < 50; ++i) {
      while (answered < i)
        std::this_thread::yield();
      input = inputOf(i);
      pipeline.feed({input});
    }
    pipeline.finish();
  });
  std::vector<Output> outputs;
  for (uint64_t i = 0; pipeline.drain(outputs); ++i) {
    EXPECT_EQ(std::vector<float>(outputs[0].as<float>(), outputs[0].as<float>() + kSampleElements),
              sampleResult(inputOf(i)));
    answered = i + 1;
  }
  feeder.join();
  EXPECT_EQ(answered, 50u);
}

TEST_P(Pipelines, OutputsAreNeverOverwritten) {
  Pipeline pipeline(loaded.bundle, loaded.device, named(schedule, 3));
  const std::vector<float> input = inputOf(1);
  for (int i = 0; i < 3; ++i)
    pipeline.enqueue({input});
  try {
    pipeline.enqueue({input});
    FAIL() << "expected an error";
  } catch (const PipelineError &error) {
    EXPECT_EQ(error.status(), TTRT_WOULD_OVERWRITE);
    EXPECT_STREQ(error.what(), "the output queue is full: 3 inferences have not been popped; pop "
                               "some, or open the pipeline with a larger "
                               "ttrt_pipeline_options::outputs");
  }
  std::vector<Output> outputs;
  ASSERT_TRUE(pipeline.pop(outputs));
  pipeline.enqueue({input}); // room again
  EXPECT_EQ(pipeline.popAll().size(), 3u);
}

/// Inputs and outputs in the caller's own memory; destroying completes them.
TEST_P(Pipelines, CallersMemoryAndCleanUp) {
  constexpr size_t kInferences = 11;
  std::vector<std::vector<float>> inputs, outputs(kInferences, std::vector<float>(kSampleElements));
  for (size_t i = 0; i < kInferences; ++i)
    inputs.push_back(inputOf(i));
  ttrt_pipeline_options options = named(schedule);
  ttrt_pipeline *pipeline;
  ttrt_error error;
  ASSERT_EQ(ttrt_pipeline_open(loaded.device, &options, &pipeline, &error), TTRT_OK)
      << error.message;
  for (size_t i = 0; i < kInferences; ++i) {
    ttrt_input in{inputs[i].data(), kSampleBytes};
    ttrt_output out{outputs[i].data(), kSampleBytes};
    ASSERT_EQ(ttrt_pipeline_enqueue(pipeline, &in, &out, TTRT_DONT_WAIT, &error), TTRT_OK);
  }
  EXPECT_EQ(ttrt_pipeline_enqueued(pipeline), kInferences);
  const void *popped = nullptr;
  ASSERT_EQ(ttrt_pipeline_pop(pipeline, &popped, TTRT_WAIT, &error), TTRT_OK);
  EXPECT_EQ(popped, outputs[0].data());
  EXPECT_EQ(ttrt_pipeline_popped(pipeline), 1u);
  ttrt_pipeline_close(pipeline);
  for (size_t i = 0; i < kInferences; ++i)
    EXPECT_EQ(outputs[i], sampleResult(inputs[i])) << "inference " << i;
}

/// The same in C++: popped outputs are where the caller wanted them.
TEST_P(Pipelines, CallersMemoryInCpp) {
  Pipeline pipeline(loaded.bundle, loaded.device, named(schedule));
  std::vector<std::vector<float>> inputs, outputs(5, std::vector<float>(kSampleElements));
  for (size_t i = 0; i < outputs.size(); ++i)
    inputs.push_back(inputOf(i));
  for (size_t i = 0; i < outputs.size(); ++i)
    pipeline.enqueue({inputs[i]}, {outputs[i]});
  std::vector<Output> popped;
  for (size_t i = 0; i < outputs.size(); ++i) {
    ASSERT_TRUE(pipeline.pop(popped));
    EXPECT_EQ(popped[0].data, outputs[i].data());
    EXPECT_EQ(outputs[i], sampleResult(inputs[i]));
  }
  EXPECT_THROW(pipeline.enqueue({inputs[0]}, std::vector<Memory>{}), std::invalid_argument);
  std::vector<float> tooShort(3);
  EXPECT_THROW(pipeline.enqueue({inputs[0]}, {tooShort}), PipelineError);
}

TEST_P(Pipelines, PollingNeedsNoWaiting) {
  Pipeline owner(loaded.bundle, loaded.device, named(schedule));
  owner = Pipeline(std::move(owner));
  std::vector<float> input = inputOf(3);
  owner.enqueue({input});
  std::vector<Output> outputs;
  while (!owner.poll(outputs))
    std::this_thread::yield();
  EXPECT_EQ(std::vector<float>(outputs[0].as<float>(), outputs[0].as<float>() + kSampleElements),
            sampleResult(input));
}

/// Whichever step fails, both ends hear of it, and the device works again after a reset.
TEST_P(Pipelines, ErrorsReachBothEnds) {
  std::vector<float> input = inputOf(2);
  for (uint32_t step : {1, 2, 3, 4, 7, 20}) {
    Jitter jitter;
    jitter.failAt = step;
    ttrt_pipeline_options options = named(schedule, 4);
    options.on_step = Jitter::delay;
    options.user = &jitter;
    ttrt_error error;
    {
      Pipeline pipeline(loaded.bundle, loaded.device, options);
      std::thread feeder([&] {
        EXPECT_THROW(for (;;) pipeline.feed({input}), PipelineError);
        pipeline.finish();
      });
      std::vector<Output> outputs;
      try {
        while (pipeline.drain(outputs)) {
        }
        ADD_FAILURE() << "expected an error";
      } catch (const PipelineError &failure) {
        EXPECT_EQ(failure.status(), TTRT_FAILED);
        EXPECT_NE(std::string(failure.what()).find("the caller's function returned 5"),
                  std::string::npos)
            << failure.what();
      }
      feeder.join();
    }
    EXPECT_THROW(Pipeline(loaded.bundle, loaded.device, named(schedule)), PipelineError)
        << "not reset yet";
    ASSERT_EQ(ttrt_device_reset(loaded.device, &error), TTRT_OK) << error.message;
    Pipeline pipeline(loaded.bundle, loaded.device, named(schedule));
    pipeline.enqueue({input});
    std::vector<Output> outputs;
    ASSERT_TRUE(pipeline.pop(outputs));
    EXPECT_EQ(std::vector<float>(outputs[0].as<float>(), outputs[0].as<float>() + kSampleElements),
              sampleResult(input));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Pipelines,
                         testing::Combine(testing::ValuesIn(kSchedules), testing::Values(1, 3)),
                         [](const testing::TestParamInfo<Case> &info) {
                           std::string name = std::string(std::get<0>(info.param)) + "_" +
                                              std::to_string(std::get<1>(info.param)) + "_cores";
                           for (char &c : name)
                             if (c == '-')
                               c = '_';
                           return name;
                         });

class PipelineErrors : public testing::Test {
protected:
  TemporaryFile file{queueBundle().finish()};
  ttrt_error error{};
  std::string openError(const ttrt_device_options &device, const char *schedule) {
    Loaded loaded(file.path(), device);
    ttrt_pipeline_options options = named(schedule);
    ttrt_pipeline *pipeline;
    EXPECT_NE(ttrt_pipeline_open(loaded.device, &options, &pipeline, &error), TTRT_OK);
    EXPECT_EQ(pipeline, nullptr);
    return error.message;
  }
};

// Inputs are read after the call: a temporary would be gone.
static_assert(!std::is_constructible_v<Input, std::vector<float>>);
static_assert(std::is_constructible_v<Input, std::vector<float> &>);
static_assert(std::is_constructible_v<Input, const std::vector<float> &>);

TEST_F(PipelineErrors, WhatCannotBeOpened) {
  ttrt_device_options device = deviceOptions(1, 2);
  EXPECT_EQ(openError(device, "fast"),
            "no schedule 'fast'; entry point 'main' has: single, overlap-input, overlap-io, "
            "rotated, unrolled, signals");
  device.queues = 1;
  EXPECT_EQ(openError(device, "overlap-io"),
            "schedule 'overlap-io' has 2 queues; the device was opened with 1");
  device.queues = 0;
  EXPECT_EQ(openError(device, nullptr), "a pipeline needs a device with 1 or 2 queues; found 0");
  Loaded loaded(file.path(), deviceOptions(1, 2));
  ttrt_pipeline_options many = named("single", UINT32_MAX);
  ttrt_pipeline *pipeline;
  EXPECT_EQ(ttrt_pipeline_open(loaded.device, &many, &pipeline, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "expected an output queue of at most 16777216 inferences, found "
                              "4294967295");
}

/// What is called at a step runs on a queue's thread, which must not wait for later steps.
TEST_F(PipelineErrors, AStepDoesNotPop) {
  struct Popper {
    ttrt_pipeline *pipeline = nullptr;
    ttrt_error error{};
    static int onStep(void *user, uint32_t, ttrt_step_kind kind, int after) {
      auto &popper = *static_cast<Popper *>(user);
      const void *output;
      if (kind == TTRT_STEP_RUN && after)
        ttrt_pipeline_pop(popper.pipeline, &output, TTRT_WAIT, &popper.error);
      return 0;
    }
  };
  Loaded loaded(file.path(), deviceOptions(1, 2));
  Popper popper;
  ttrt_pipeline_options options = named("overlap-io");
  options.on_step = Popper::onStep;
  options.user = &popper;
  ASSERT_EQ(ttrt_pipeline_open(loaded.device, &options, &popper.pipeline, &error), TTRT_OK);
  const std::vector<float> input = inputOf(5);
  const ttrt_input in{input.data(), kSampleBytes};
  ASSERT_EQ(ttrt_pipeline_enqueue(popper.pipeline, &in, nullptr, TTRT_WAIT, &error), TTRT_OK);
  const void *output;
  ASSERT_EQ(ttrt_pipeline_pop(popper.pipeline, &output, TTRT_WAIT, &error), TTRT_OK);
  ttrt_pipeline_close(popper.pipeline);
  EXPECT_EQ(popper.error.status, TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(popper.error.message,
               "called from a function that queue 0 calls; the queue would wait for itself");
}

TEST_F(PipelineErrors, OnePipelineAndNothingBesideIt) {
  Loaded loaded(file.path(), deviceOptions(1, 2));
  Pipeline pipeline(loaded.bundle, loaded.device);
  EXPECT_STREQ(pipeline.schedule(), "overlap-input") << "the first one for two queues";
  ttrt_pipeline *second;
  EXPECT_EQ(ttrt_pipeline_open(loaded.device, nullptr, &second, &error), TTRT_BUSY);
  EXPECT_STREQ(error.message, "the device has a pipeline; close it first");
  EXPECT_EQ(ttrt_enqueue_execute(loaded.device, 0, 0, 0, &error), TTRT_BUSY);
  EXPECT_EQ(ttrt_device_reset(loaded.device, &error), TTRT_BUSY);
  float data[kSampleElements] = {};
  ttrt_input in{data, sizeof(data)};
  ttrt_output out{data, sizeof(data)};
  EXPECT_EQ(ttrt_run(loaded.device, 0, &in, &out, nullptr, &error), TTRT_BUSY);
}

TEST_F(PipelineErrors, WrongInputsAreNamed) {
  Loaded loaded(file.path(), deviceOptions(1, 2));
  Pipeline pipeline(loaded.bundle, loaded.device);
  std::vector<float> tooShort(3);
  EXPECT_THROW(pipeline.enqueue({tooShort}), PipelineError);
  EXPECT_THROW(pipeline.enqueue({tooShort, tooShort}), std::invalid_argument);
  std::vector<Output> outputs;
  EXPECT_FALSE(pipeline.pop(outputs)) << "nothing was enqueued";
  pipeline.finish();
  EXPECT_FALSE(pipeline.drain(outputs));
  std::vector<float> input(kSampleElements);
  EXPECT_THROW(pipeline.enqueue({input}), PipelineError) << "finished";
}

/// The pipeline holds the device: the handle may go first, with work in flight.
TEST_F(PipelineErrors, TheDeviceMayBeClosedFirst) {
  const std::vector<float> input = inputOf(5);
  std::vector<float> output(kSampleElements);
  ttrt_pipeline *pipeline;
  {
    Loaded loaded(file.path(), deviceOptions(2, 2));
    ASSERT_EQ(ttrt_pipeline_open(loaded.device, nullptr, &pipeline, &error), TTRT_OK);
    ttrt_input in{input.data(), kSampleBytes};
    ttrt_output out{output.data(), kSampleBytes};
    ASSERT_EQ(ttrt_pipeline_enqueue(pipeline, &in, &out, TTRT_WAIT, &error), TTRT_OK);
  }
  ttrt_pipeline_close(pipeline);
  EXPECT_EQ(output, sampleResult(input));
}

TEST_F(PipelineErrors, SchedulesAreListed) {
  Loaded loaded(file.path(), deviceOptions(1, 2));
  ASSERT_EQ(ttrt_bundle_schedules(loaded.bundle, 0), std::size(kSchedules));
  for (uint32_t i = 0; i < std::size(kSchedules); ++i) {
    ttrt_schedule info = TTRT_SCHEDULE_INIT;
    ASSERT_EQ(ttrt_bundle_schedule(loaded.bundle, 0, i, &info, &error), TTRT_OK);
    EXPECT_STREQ(info.name, kSchedules[i]);
    EXPECT_EQ(info.queues, i ? 2u : 1u);
  }
  ttrt_schedule info = TTRT_SCHEDULE_INIT;
  EXPECT_EQ(ttrt_bundle_schedule(loaded.bundle, 0, 9, &info, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "schedule 9; entry point 'main' has 6");
}

} // namespace
