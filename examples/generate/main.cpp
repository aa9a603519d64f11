// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens of a decoder, by number. An application brings its own tokenizer; the one of `ttrun
// generate` is not part of libttrt.
//
//   ttrt-generate BUNDLE TOKENS PROMPT...      ttrt-generate smollm2.ttcb 16 504 3575 253 655

#include <charconv>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <ttrt/generate.h>
#include <vector>

using Bundle = std::unique_ptr<ttrt_bundle, void (*)(ttrt_bundle *)>;
using Device = std::unique_ptr<ttrt_device, void (*)(ttrt_device *)>;
using Generator = std::unique_ptr<ttrt_generator, void (*)(ttrt_generator *)>;

static void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK)
    throw std::runtime_error(error.message);
}

static Bundle openBundle(const char *path) {
  ttrt_error error;
  ttrt_bundle *bundle;
  check(ttrt_bundle_open(path, TTRT_VERIFY_FULL, &bundle, &error), error);
  return {bundle, ttrt_bundle_close};
}

static Device openDevice(const ttrt_bundle *bundle) {
  ttrt_error error;
  ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
  options.queues = 2; // one computes, the other one reads the tokens
  ttrt_device *device;
  check(ttrt_device_open(bundle, &options, &device, &error), error);
  return {device, ttrt_device_close};
}

static Generator openGenerator(ttrt_device *device) {
  ttrt_error error;
  ttrt_generator *generator;
  check(ttrt_generator_open(device, nullptr, &generator, &error), error);
  return {generator, ttrt_generator_close};
}

template <typename Number> static Number numberOf(std::string_view text) {
  Number number{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("expected a number, found '" + std::string(text) + "'");
  return number;
}

static void generate(const char *path, uint64_t tokens, const std::vector<int32_t> &prompt) {
  const Bundle bundle = openBundle(path);
  const Device device = openDevice(bundle.get());
  const Generator generator = openGenerator(device.get());
  ttrt_error error;

  // Sampling options, such as a temperature and the tokens that end a text, go into a
  // ttrt_sampling.
  ttrt_generation generation = TTRT_GENERATION_INIT;
  generation.tokens = tokens;
  check(ttrt_generator_start(generator.get(), prompt.data(), prompt.size(), &generation, &error),
        error);
  // The steps that follow are already enqueued: the device does not wait for this loop.
  int32_t token;
  ttrt_status status;
  while ((status = ttrt_generator_next(generator.get(), &token, &error)) == TTRT_OK) {
    std::printf("%d\n", token);
    std::fflush(stdout);
  }
  if (status != TTRT_END)
    check(status, error);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: ttrt-generate BUNDLE TOKENS PROMPT...\n");
    return 2;
  }
  try {
    std::vector<int32_t> prompt;
    for (int i = 3; i < argc; ++i)
      prompt.push_back(numberOf<int32_t>(argv[i]));
    generate(argv[1], numberOf<uint64_t>(argv[2]), prompt);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "ttrt-generate: %s\n", error.what());
    return 1;
  }
}
