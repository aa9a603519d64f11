// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate/Generator.h"
#include "ttrt/generate.h"

#include <cstddef>

using namespace ttrt::generate;

// A size must tell which fields its struct has, so no field may ever be placed in former padding.
#define TTRT_ENDS_WITH(type, field)                                                                \
  static_assert(offsetof(type, size) == 0 &&                                                       \
                offsetof(type, field) + sizeof(type::field) == sizeof(type))
TTRT_ENDS_WITH(ttrt_generator_options, schedule);
TTRT_ENDS_WITH(ttrt_generation, by_steps);
TTRT_ENDS_WITH(ttrt_generated, ended);
#undef TTRT_ENDS_WITH

struct ttrt_generator {
  ttrt_generator(ttrt_device *device, const ttrt_generator_options *options)
      : generator(device, options) {}
  Generator generator;
};

/// Runs `use` while no other call uses the generator.
template <typename Use>
static ttrt_status withGenerator(ttrt_generator *generator, ttrt_error *error, Use use) {
  if (!generator)
    return report(error, TTRT_INVALID_ARGUMENT, "generator is NULL");
  ttrt_turns *turns = generator->generator.turns();
  if (const ttrt_status status = ttrt_private.enter(turns, error); status != TTRT_OK) [[unlikely]]
    return status;
  const ttrt_status status = guarded(error, [&] { use(generator->generator); });
  ttrt_private.leave(turns);
  return status;
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
    *generator = new ttrt_generator(device, options);
  });
}

void ttrt_generator_close(ttrt_generator *generator) { delete generator; }

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
  return status == TTRT_OK ? ttrt_private.reset(generator->generator.turns(), error) : status;
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
