// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Generation.h"

#include "../Utf8.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

namespace ttrun {

using Clock = std::chrono::steady_clock;

static double msSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void Generator::check(ttrt_status status, const ttrt_error &error) const {
  if (status == TTRT_OK)
    return;
  if (status == TTRT_INVALID_ARGUMENT || status == TTRT_NOT_FOUND)
    throw UserError(path + ": " + error.message);
  throw BadBundle(bundleMessage(path, status, error.message));
}

Generator::Generator(const std::string &path, Session &session,
                     const ttrt_generator_options &options, const Tokenizer *tokenizer)
    : path(path), tokenizer(tokenizer) {
  ttrt_generator *opened;
  ttrt_error error;
  check(ttrt_generator_open(session.device(), &options, &opened, &error), error);
  handle.reset(opened);
}

Generated Generator::run(const std::vector<int32_t> &prompt, const GenerationOptions &options,
                         const Use &use) {
  ttrt_generation generation = TTRT_GENERATION_INIT;
  generation.sampling = &options.sampling;
  generation.tokens = options.tokens;
  generation.reuse = options.reuse;
  generation.by_steps = options.bySteps;
  Generated result;
  result.prompt = prompt.size();
  ttrt_error error;
  const auto begin = Clock::now();
  check(ttrt_generator_start(handle.get(), prompt.data(), prompt.size(), &generation, &error),
        error);
  result.promptMs = msSince(begin);
  result.reused = ttrt_generator_reused(handle.get());
  const auto computed = Clock::now();

  const int32_t *stops = options.sampling.stop;
  Utf8Stream stream;
  std::string bytes;
  std::vector<double> times; // of the tokens, since the prompt's end
  result.ended = "context";
  for (;;) {
    int32_t token;
    const ttrt_status status = ttrt_generator_next(handle.get(), &token, &error);
    if (status == TTRT_END)
      break;
    check(status, error);
    result.decodeMs = msSince(computed);
    times.push_back(result.decodeMs);
    if (result.tokens.empty())
      result.firstMs = msSince(begin);
    result.tokens.push_back(token);
    if (keepsLogits)
      if (const float *row = ttrt_generator_logits(handle.get(), &vocabulary))
        logits.insert(logits.end(), row, row + vocabulary);
    const bool isStop = std::find(stops, stops + options.sampling.stop_count, token) !=
                        stops + options.sampling.stop_count;
    bytes.clear();
    if (tokenizer && !isStop && token < tokenizer->size())
      tokenizer->decode(token, bytes);
    const std::string text = stream.push(bytes);
    result.text += text;
    use(token, text);
    if (isStop)
      result.ended = "stop";
  }
  if (times.size() > 1) {
    std::adjacent_difference(times.begin(), times.end(), times.begin());
    const auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin() + 1, middle, times.end());
    result.stepMs = *middle;
  }
  if (strcmp(result.ended, "stop") != 0 && result.tokens.size() == options.tokens)
    result.ended = "tokens";
  if (const std::string rest = stream.finish(); !rest.empty()) {
    result.text += rest;
    use(-1, rest);
  }
  return result;
}

Tensor Generator::takeLogits() {
  if (logits.empty())
    throw UserError(path + ": the entry point 'decode' has no output 'logits'; compile the model "
                           "with --logits");
  Tensor tensor;
  tensor.dtype = TTRT_F32;
  tensor.shape = {static_cast<int64_t>(logits.size() / vocabulary),
                  static_cast<int64_t>(vocabulary)};
  tensor.bytes.resize(logits.size() * sizeof(float));
  memcpy(tensor.bytes.data(), logits.data(), tensor.bytes.size());
  return tensor;
}

} // namespace ttrun
