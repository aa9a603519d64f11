// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators of one sequence.

#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Generating.h"
#include "ttrt/pipeline.hpp"

#include <functional>
#include <numeric>

using namespace ttrt;
using namespace ttrt::test;

namespace {

class Generating : public GeneratorOnDevice {
public:
  explicit Generating(uint32_t queues = 2, uint32_t ahead = 0,
                      BundleBuilder builder = generateBundle(), int noTrace = 0)
      : GeneratorOnDevice(std::move(builder), queues, ahead, noTrace) {}

  ttrt_status start(const Tokens &prompt, const ttrt_generation &generation) {
    return ttrt_generator_start(generator, prompt.data(), prompt.size(), &generation, &error);
  }
  Tokens take(size_t most = SIZE_MAX) {
    Tokens tokens;
    int32_t token = -2;
    while (tokens.size() < most && ttrt_generator_next(generator, &token, &error) == TTRT_OK)
      tokens.push_back(token);
    if (tokens.size() < most) {
      EXPECT_EQ(error.status, TTRT_END) << error.message;
    }
    return tokens;
  }
  Tokens run(const Tokens &prompt, size_t tokens, const Tokens &stops = {}, int reuse = 0,
             int bySteps = 0) {
    ttrt_sampling sampling = TTRT_SAMPLING_INIT;
    for (int32_t stop : stops)
      sampling.stop[sampling.stop_count++] = stop;
    ttrt_generation generation = TTRT_GENERATION_INIT;
    generation.sampling = &sampling;
    generation.tokens = tokens;
    generation.reuse = reuse;
    generation.by_steps = bySteps;
    EXPECT_EQ(start(prompt, generation), TTRT_OK) << error.message;
    return take();
  }
};

class Ahead : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {};

TEST_P(Ahead, GivesTheSameTokens) {
  const auto [queues, ahead] = GetParam();
  for (int noTrace : {0, 1}) {
    Generating generating(queues, ahead, generateBundle(), noTrace);
    EXPECT_EQ(ttrt_generator_context(generating.generator), kContext);
    for (size_t prompt : {1, 2, 4, 5, 6, 16, 17, 18, 21, 40, 63, 64})
      for (size_t tokens : {1, 3, 17, 40})
        if (prompt + tokens <= kContext + 1) {
          const Tokens wanted = expectedOf(promptOf(prompt), tokens);
          EXPECT_EQ(generating.run(promptOf(prompt), tokens), wanted)
              << prompt << " tokens, " << tokens << " more";
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Generate, Ahead,
                         testing::Combine(testing::Values(1, 2),
                                          testing::Values(1, 2, 10, 20, 200)));

TEST(Generate, EndsWithTheContext) {
  Generating generating;
  for (size_t prompt : {1, 10, 63, 64}) {
    const Tokens tokens = generating.run(promptOf(prompt), 0);
    EXPECT_EQ(tokens, expectedOf(promptOf(prompt), SIZE_MAX));
    EXPECT_EQ(tokens.size(), kContext - prompt + 1);
    EXPECT_TRUE(generating.take().empty());
    ttrt_generator_reset(generating.generator, nullptr);
  }
}

TEST(Generate, EndsBehindAStopToken) {
  for (uint32_t ahead : {1, 16}) {
    Generating generating(2, ahead);
    const Tokens prompt = promptOf(9), all = expectedOf(prompt, 30);
    const Tokens stops = {5000, all[12], all[20]};
    EXPECT_EQ(generating.run(prompt, 0, stops), Tokens(all.begin(), all.begin() + 13));
    EXPECT_TRUE(generating.take().empty());
    // Steps after it did nothing.
    ASSERT_EQ(ttrt_device_synchronize(generating.loaded.device, &generating.error), TTRT_OK);
    EXPECT_EQ(generating.state("position")[0], 9 + 12);
    EXPECT_EQ(generating.state("token")[0], all[12]);
    EXPECT_EQ(generating.run(prompt, 30), all);
  }
}

TEST(Generate, DrawsFromTheCounterOn) {
  Generating generating;
  ttrt_sampling sampling = TTRT_SAMPLING_INIT;
  sampling.temperature = 1;
  sampling.seed[0] = 40;
  sampling.counter[0] = 2;
  ttrt_generation generation = TTRT_GENERATION_INIT;
  generation.sampling = &sampling;
  generation.tokens = 8;
  for (int again = 0; again < 2; ++again) {
    ASSERT_EQ(generating.start(promptOf(3), generation), TTRT_OK);
    EXPECT_EQ(generating.take(), expectedOf(promptOf(3), 8, {}, 42, true));
  }
}

TEST(Generate, BeginsAgainInTheMiddle) {
  Generating generating(2, 20);
  for (uint32_t i = 0; i < 50; ++i) {
    const size_t prompt = 1 + i % 30;
    ASSERT_EQ(generating.start(promptOf(prompt, i), TTRT_GENERATION_INIT), TTRT_OK);
    const Tokens wanted = expectedOf(promptOf(prompt, i), 30);
    EXPECT_EQ(generating.take(i % 7), Tokens(wanted.begin(), wanted.begin() + i % 7));
    if (i % 3 == 0)
      EXPECT_EQ(ttrt_generator_reset(generating.generator, &generating.error), TTRT_OK);
  }
}

TEST(Generate, ResetsAllStates) {
  Generating generating;
  generating.run(promptOf(20), 10);
  EXPECT_NE(generating.state("keys"), Tokens(kContext));
  ASSERT_EQ(ttrt_generator_reset(generating.generator, &generating.error), TTRT_OK);
  for (const char *name : {"token", "position", "sampling", "history", "keys"}) {
    const Tokens words = generating.state(name);
    EXPECT_EQ(words, Tokens(words.size())) << name;
  }
}

TEST(Generate, ByStepsAndByPrefill) {
  Generating steps, many(2, 0, generateBundle({})), prefill;
  for (size_t prompt : {1, 2, 17, 50}) {
    const Tokens wanted = expectedOf(promptOf(prompt), 10);
    EXPECT_EQ(steps.run(promptOf(prompt), 10, {}, 0, 1), wanted);
    EXPECT_EQ(many.run(promptOf(prompt), 10), wanted);
    EXPECT_EQ(prefill.run(promptOf(prompt), 10), wanted);
    EXPECT_EQ(steps.state("keys"), prefill.state("keys"));
    EXPECT_EQ(steps.state("history"), prefill.state("history"));
  }
}

TEST(Generate, KeepsTheBeginningOfAPrompt) {
  Generating generating;
  Tokens text = promptOf(20);
  const Tokens answer = generating.run(text, 10);
  EXPECT_EQ(ttrt_generator_reused(generating.generator), 0u);
  // All but the last token of the answer has been computed with.
  text.insert(text.end(), answer.begin(), answer.end());
  text.insert(text.end(), {7, 8, 9});
  EXPECT_EQ(generating.run(text, 10, {}, 1), expectedOf(text, 10));
  EXPECT_GE(ttrt_generator_reused(generating.generator), 29u);
  // Another continuation, and the same prompt again.
  text[25] = 3;
  EXPECT_EQ(generating.run(text, 10, {}, 1), expectedOf(text, 10));
  EXPECT_EQ(ttrt_generator_reused(generating.generator), 25u);
  EXPECT_EQ(generating.run(text, 10, {}, 1), expectedOf(text, 10));
  EXPECT_EQ(ttrt_generator_reused(generating.generator), text.size() - 1);
  EXPECT_EQ(generating.run(text, 10), expectedOf(text, 10));
  EXPECT_EQ(ttrt_generator_reused(generating.generator), 0u);
  ttrt_generator_reset(generating.generator, nullptr);
  EXPECT_EQ(generating.run(Tokens(5), 10, {}, 1), expectedOf(Tokens(5), 10));
  EXPECT_EQ(ttrt_generator_reused(generating.generator), 0u);
}

TEST(Generate, KeepsAPromptInAFile) {
  const TemporaryFile states({});
  const Tokens prompt = promptOf(40);
  ttrt_error error;
  {
    Generating generating;
    generating.run(prompt, 1);
    ASSERT_EQ(ttrt_state_save(generating.loaded.device, states.path(), &error), TTRT_OK)
        << error.message;
  }
  Generating generating;
  generating.run(promptOf(8), 5);
  ASSERT_EQ(ttrt_state_restore(generating.loaded.device, states.path(), &error), TTRT_OK)
      << error.message;
  EXPECT_EQ(generating.run(prompt, 10, {}, 1), expectedOf(prompt, 10));
  EXPECT_EQ(ttrt_generator_reused(generating.generator), 39u);
}

TEST(Generate, Logits) {
  Generating generating;
  size_t count = 7;
  EXPECT_EQ(ttrt_generator_logits(generating.generator, &count), nullptr);
  EXPECT_EQ(count, 0u);
  ASSERT_EQ(generating.start(promptOf(5), TTRT_GENERATION_INIT), TTRT_OK);
  for (int i = 0; i < 10; ++i) {
    const Tokens token = generating.take(1);
    const float *logits = ttrt_generator_logits(generating.generator, &count);
    ASSERT_TRUE(logits);
    EXPECT_EQ(count, 4u);
    EXPECT_EQ(logits[0], static_cast<float>(token[0]));
    EXPECT_EQ(logits[1], static_cast<float>(4 + i));
  }
}

TEST(Generate, AllocatesNothing) {
#ifdef TTRT_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer has its own allocator";
#else
  Generating generating;
  const Tokens prompt = promptOf(30);
  int32_t token;
  uint64_t taken = 0;
  const long before = allocations.load();
  for (int round = 0; round < 1000; ++round) {
    ttrt_generation generation = TTRT_GENERATION_INIT;
    generation.reuse = round % 2;
    ASSERT_EQ(ttrt_generator_start(generating.generator, prompt.data(), prompt.size(), &generation,
                                   nullptr),
              TTRT_OK);
    while (ttrt_generator_next(generating.generator, &token, nullptr) == TTRT_OK)
      ++taken;
    if (round % 5 == 0)
      ASSERT_EQ(ttrt_generator_reset(generating.generator, nullptr), TTRT_OK);
  }
  EXPECT_EQ(allocations.load(), before);
  EXPECT_EQ(taken, 1000u * 35);
#endif
}

/// At any time: in the steps that are in flight, between two tokens, in a prompt.
TEST(Generate, IsCancelled) {
  for (uint32_t queues : {1, 2})
    for (size_t taken : {0, 1, 5}) {
      Generating generating(queues);
      ttrt_generation generation = TTRT_GENERATION_INIT;
      ASSERT_EQ(generating.start(promptOf(20), generation), TTRT_OK);
      generating.take(taken);
      ASSERT_EQ(ttrt_device_cancel(generating.loaded.device, nullptr), TTRT_OK);
      // Steps that were complete before can still be taken.
      int32_t token;
      ttrt_status status = TTRT_OK;
      for (size_t i = 0; i < kContext && status == TTRT_OK; ++i)
        status = ttrt_generator_next(generating.generator, &token, &generating.error);
      EXPECT_EQ(status, TTRT_CANCELLED) << generating.error.message;
      EXPECT_EQ(generating.start(promptOf(20), generation), TTRT_CANCELLED);
      ttrt_generator_close(generating.generator);
      generating.generator = nullptr;
      ASSERT_EQ(ttrt_device_reset(generating.loaded.device, &generating.error), TTRT_OK);
      ASSERT_EQ(ttrt_state_reset(generating.loaded.device, &generating.error), TTRT_OK);
      ASSERT_EQ(ttrt_generator_open(generating.loaded.device, nullptr, &generating.generator,
                                    &generating.error),
                TTRT_OK);
      EXPECT_EQ(generating.run(promptOf(20), 10), expectedOf(promptOf(20), 10));
      ASSERT_EQ(ttrt_device_set_deadline(generating.loaded.device, 0, nullptr), TTRT_OK);
      EXPECT_EQ(generating.start(promptOf(20), generation), TTRT_DEADLINE_EXCEEDED);
    }
}

TEST(Generate, RefusesWhatDoesNotFit) {
  Generating generating;
  generating.run(promptOf(20), 5);
  const Tokens keys = generating.state("keys"), history = generating.state("history");
  auto refused = [&](const Tokens &prompt, uint64_t tokens, const char *message) {
    ttrt_generation generation = TTRT_GENERATION_INIT;
    generation.tokens = tokens;
    EXPECT_EQ(generating.start(prompt, generation), TTRT_INVALID_ARGUMENT);
    EXPECT_STREQ(generating.error.message, message);
  };
  refused({}, 1, "the prompt is empty");
  refused(promptOf(65), 0, "the prompt has 65 tokens; the context has room for 64");
  refused(promptOf(60), 6,
          "the prompt has 60 tokens, and 6 more are wanted; the context of 64 has room for 5 more");
  refused({1, -2}, 1, "token 1 of the prompt is -2; expected one that is not negative");
  EXPECT_EQ(generating.state("keys"), keys);
  EXPECT_EQ(generating.state("history"), history);
  ttrt_sampling sampling = TTRT_SAMPLING_INIT;
  sampling.size = 255;
  ttrt_generation generation = TTRT_GENERATION_INIT;
  generation.sampling = &sampling;
  EXPECT_EQ(generating.start({1}, generation), TTRT_INVALID_ARGUMENT);
  sampling.size = sizeof(sampling);
  sampling.stop_count = 33;
  EXPECT_EQ(generating.start({1}, generation), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(generating.run(promptOf(60), 5), expectedOf(promptOf(60), 5));
}

TEST(Generate, HasTheDeviceForItself) {
  Generating generating;
  ttrt_error error;
  ttrt_generator *second = nullptr;
  EXPECT_EQ(ttrt_generator_open(generating.loaded.device, nullptr, &second, &error), TTRT_BUSY);
  ttrt_output outputs[2] = {};
  EXPECT_EQ(ttrt_run(generating.loaded.device, 0, nullptr, outputs, nullptr, &error), TTRT_BUSY);
  ttrt_generator_close(generating.generator);
  generating.generator = nullptr;
  EXPECT_EQ(ttrt_run(generating.loaded.device, 0, nullptr, outputs, nullptr, &error), TTRT_OK)
      << error.message;
  ASSERT_EQ(ttrt_generator_open(generating.loaded.device, nullptr, &generating.generator, &error),
            TTRT_OK)
      << error.message;
  // The generator keeps the device.
  ttrt_device_close(generating.loaded.device);
  generating.loaded.device = nullptr;
  EXPECT_EQ(generating.run(promptOf(20), 5), expectedOf(promptOf(20), 5));
}

TEST(Generate, Arguments) {
  Generating generating;
  ttrt_error error;
  int32_t token = 5;
  EXPECT_EQ(ttrt_generator_next(generating.generator, &token, &error), TTRT_END);
  EXPECT_EQ(ttrt_generator_next(generating.generator, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_next(nullptr, &token, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_start(generating.generator, nullptr, 3, nullptr, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_start(generating.generator, &token, 1, nullptr, &error), TTRT_OK);
  EXPECT_EQ(ttrt_generator_start(nullptr, &token, 1, nullptr, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_reset(nullptr, &error), TTRT_INVALID_ARGUMENT);
  ttrt_generator *none = nullptr; // a failed call sets it to NULL
  EXPECT_EQ(ttrt_generator_open(nullptr, nullptr, &none, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(ttrt_generator_context(nullptr), 0u);
  EXPECT_EQ(ttrt_generator_reused(nullptr), 0u);
  EXPECT_EQ(ttrt_generator_logits(nullptr, nullptr), nullptr);
  ttrt_generator_close(nullptr);
}

//===----------------------------------------------------------------------===//
// Bundles that generate nothing
//===----------------------------------------------------------------------===//

std::string openMessage(BundleBuilder builder, uint32_t queues = 2, uint32_t ahead = 0) {
  const TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), deviceOptions(1, queues));
  ttrt_generator_options options = TTRT_GENERATOR_OPTIONS_INIT;
  options.ahead = ahead;
  ttrt_generator *generator = nullptr;
  ttrt_error error{};
  EXPECT_NE(ttrt_generator_open(loaded.device, &options, &generator, &error), TTRT_OK);
  EXPECT_EQ(generator, nullptr);
  return error.message;
}

std::string openChanged(const std::function<void(fb::BundleT &)> &change) {
  BundleBuilder builder = generateBundle();
  change(builder.bundle);
  for (auto &entry : builder.bundle.entries)
    entry->dataflow.reset(); // which has the names, too
  builder.facts->certified = false;
  return openMessage(std::move(builder));
}

TEST(GenerateErrors, Bundles) {
  auto has = [](const std::string &message, const char *words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  has(openMessage(generateBundle(), 0), "a device with 1 or 2 queues; found 0");
  has(openMessage(generateBundle(), 2, 5000), "at most 4096 steps ahead, found 5000");
  has(openChanged([](fb::BundleT &bundle) { bundle.entries[0]->name = "step"; }),
      "expected an entry point 'decode', found step, prefill_4, prefill_16");
  has(openChanged(
          [](fb::BundleT &bundle) { bundle.entries[0]->outputs[0]->dtype = fb::DType::F32; }),
      "output 'token' of entry point 'decode' is not a number of type i32");
  has(openChanged([](fb::BundleT &bundle) { bundle.entries[1]->name = "prefill_5"; }),
      "entry point 'prefill_5' is not one for many tokens: expected prefill_N with the inputs");
  has(openChanged([](fb::BundleT &bundle) { bundle.entries[1]->name = "prefill_x"; }),
      "entry point 'prefill_x' is not one for many tokens");
  has(openChanged(
          [](fb::BundleT &bundle) { bundle.entries[1]->inputs[1]->dtype = fb::DType::F32; }),
      "is not one for many tokens");
  has(openChanged([](fb::BundleT &bundle) {
        for (auto &state : bundle.states)
          if (state->name == "sampling") {
            state->shape = {63};
            return;
          }
      }),
      "state 'sampling' has 63 elements of type I32; expected 64 of i32");
  has(openChanged([](fb::BundleT &bundle) {
        for (auto *name :
             {&bundle.states[3]->name, &bundle.buffers[bundle.states[3]->buffer]->name})
          *name = "past";
      }),
      "the bundle has no state 'history'");
}

TEST(GenerateErrors, DecodeWithInputs) {
  BundleBuilder builder = sampleBundle();
  builder.bundle.entries[0]->name = "decode";
  builder.bundle.entries[0]->dataflow.reset();
  builder.bundle.target->queues = 1;
  EXPECT_EQ(openMessage(std::move(builder), 1),
            "entry point 'decode' has 1 inputs; expected none: it reads states");
}

//===----------------------------------------------------------------------===//
// Pipelines of entry points without inputs
//===----------------------------------------------------------------------===//

TEST(PipelineWithoutInputs, ComputesWhatWasEnqueued) {
  const TemporaryFile file(generateBundle().finish());
  for (const char *schedule : {"single", "overlap-io"}) {
    Loaded loaded(file.path(), deviceOptions(1, 2));
    ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
    options.schedule = schedule;
    Tokens got;
    {
      Pipeline pipeline(loaded.bundle, loaded.device, options);
      for (int batch : {1, 2, 16, 1, 5}) {
        for (int i = 0; i < batch; ++i)
          pipeline.enqueue({});
        for (const auto &outputs : pipeline.popAll())
          got.push_back(*outputs[0].as<int32_t>());
      }
    }
    EXPECT_EQ(got, expectedOf({0}, 25));
    int32_t position = 0;
    uint32_t state;
    ttrt_bundle_find_state(loaded.bundle, "position", &state, nullptr);
    ASSERT_EQ(ttrt_state_read(loaded.device, state, 0, &position, 4, nullptr), TTRT_OK);
    EXPECT_EQ(position, 25) << "no step that was not enqueued";
  }
}

} // namespace
