// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttrt/generate.h"

#include "Api/ApiChecks.h"
#include "Base/StructSize.h"
#include "generate/Generator.h"
#include "ttrt/state.h"

using namespace ttrt;

struct ttrt_generator {
  ttrt_generator(std::shared_ptr<Device> device, const ttrt_generator_options &options)
      : generator(device, options), device{std::move(device)} {}
  Generator generator;
  ttrt_device device;
  std::atomic<bool> busy{false};
};

/// Runs `use` while no other call uses the generator.
template <typename Use>
static ttrt_status withGenerator(ttrt_generator *generator, ttrt_error *error, Use use) {
  return guarded(error, [&] {
    require(generator, "generator is NULL");
    requireHostThread(*generator->device.device);
    InUse call(generator->busy, "another call on this generator");
    use(generator->generator);
  });
}

static void watchPipelines(ttrt_generator &generator) {
  generator.generator.forEachPipeline([&](const PipelineState &, uint32_t entry) {
    generator.device.device->watch().pipeline(entry);
  });
}

static ttrt_status startSequence(ttrt_generator *generator, uint32_t sequence,
                                 const int32_t *prompt, size_t tokens,
                                 const ttrt_generation *generation, bool alone, ttrt_error *error) {
  return withGenerator(generator, error, [&](Generator &target) {
    require(prompt && tokens, "the prompt is empty");
    target.start(sequence, prompt, tokens, readOptions(generation, "ttrt_generation"), alone);
  });
}

static ttrt_status reportEnd(ttrt_status status, bool found, ttrt_error *error) {
  return status != TTRT_OK || found ? status : report(error, TTRT_END, "the generation has ended");
}

extern "C" {

ttrt_status ttrt_generator_open(ttrt_device *device, const ttrt_generator_options *options,
                                ttrt_generator **generator, ttrt_error *error) {
  if (generator)
    *generator = nullptr;
  return guarded(error, [&] {
    require(device && generator, "device or generator is NULL");
    Device &target = *device->device;
    requireOwnProcess(target);
    InUse use(target.busy(), "another call on this device");
    requireIdleQueues(target);
    requireNoFailure(target);
    auto opened = std::make_unique<ttrt_generator>(device->device,
                                                   readOptions(options, "ttrt_generator_options"));
    opened->generator.forEachPipeline([&](const PipelineState &pipeline, uint32_t) {
      const ResolvedSchedule &schedule = pipeline.schedule();
      for (const auto *part : {&schedule.prologue, &schedule.body, &schedule.epilogue})
        for (const ResolvedStep &step : *part)
          requireLoaded(target, step);
    });
    watchPipelines(*opened);
    *generator = opened.release();
    target.piped().store(true, std::memory_order_release);
  });
}

void ttrt_generator_close(ttrt_generator *generator) {
  if (!generator)
    return;
  // The generator may be the last to hold the device.
  std::shared_ptr<Device> device = generator->device.device;
  watchPipelines(*generator);
  delete generator;
  device->piped().store(false, std::memory_order_release);
}

ttrt_status ttrt_generator_start(ttrt_generator *generator, const int32_t *prompt, size_t tokens,
                                 const ttrt_generation *generation, ttrt_error *error) {
  return startSequence(generator, 0, prompt, tokens, generation, /*alone=*/true, error);
}

ttrt_status ttrt_generator_start_sequence(ttrt_generator *generator, uint32_t sequence,
                                          const int32_t *prompt, size_t tokens,
                                          const ttrt_generation *generation, ttrt_error *error) {
  return startSequence(generator, sequence, prompt, tokens, generation, /*alone=*/false, error);
}

ttrt_status ttrt_generator_stop_sequence(ttrt_generator *generator, uint32_t sequence,
                                         ttrt_error *error) {
  return withGenerator(generator, error, [&](Generator &target) { target.stop(sequence); });
}

ttrt_status ttrt_generator_next(ttrt_generator *generator, int32_t *token, ttrt_error *error) {
  bool found = true;
  const ttrt_status status = withGenerator(generator, error, [&](Generator &target) {
    require(token, "token is NULL");
    ttrt_generated generated;
    // A sequence can end without a token.
    do
      found = target.next(&generated);
    while (found && generated.token < 0);
    if (found)
      *token = generated.token;
  });
  return reportEnd(status, found, error);
}

ttrt_status ttrt_generator_next_of_all(ttrt_generator *generator, ttrt_generated *generated,
                                       ttrt_error *error) {
  bool found = true;
  const ttrt_status status = withGenerator(generator, error, [&](Generator &target) {
    require(generated, "generated is NULL");
    checkResult(generated, "ttrt_generated");
    ttrt_generated result;
    found = target.next(&result);
    if (found)
      writeResult(generated, result);
  });
  return reportEnd(status, found, error);
}

ttrt_status ttrt_generator_reset(ttrt_generator *generator, ttrt_error *error) {
  const ttrt_status status =
      withGenerator(generator, error, [&](Generator &target) { target.settle(); });
  return status == TTRT_OK ? ttrt_state_reset(&generator->device, error) : status;
}

uint32_t ttrt_generator_sequences(const ttrt_generator *generator) {
  return generator ? generator->generator.sequences() : 0;
}

uint64_t ttrt_generator_context(const ttrt_generator *generator) {
  return generator ? generator->generator.context() : 0;
}

uint64_t ttrt_generator_reused(const ttrt_generator *generator) {
  return generator ? generator->generator.reused() : 0;
}

const float *ttrt_generator_logits(const ttrt_generator *generator, size_t *count) {
  if (count)
    *count = 0;
  return generator && count ? generator->generator.logits(count) : nullptr;
}

} // extern "C"
