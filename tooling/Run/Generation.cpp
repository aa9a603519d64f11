// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Generation.h"

#include "Formats/BundleMessage.h"
#include "Support/Error.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <numeric>

namespace ttrun {

using Clock = std::chrono::steady_clock;

static double msSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void GenerationSession::check(ttrt_status status, const ttrt_error &error) const {
  if (status == TTRT_OK)
    return;
  if (status == TTRT_INVALID_ARGUMENT || status == TTRT_NOT_FOUND)
    throw UserError(path + ": " + error.message);
  throw BadBundle(bundleMessage(path, status, error.message));
}

ttrt_status GenerationSession::onEach(const Call &call, ttrt_error *error) {
  if (!mesh)
    return call(0, error);
  std::vector<ttrt_status> statuses(handles.size());
  std::vector<ttrt_error> errors(handles.size());
  mesh->onEachDevice(
      [&](size_t local, ttrt_device *) { statuses[local] = call(local, &errors[local]); });
  for (size_t local = 0; local < statuses.size(); ++local)
    if (statuses[local] != TTRT_OK && statuses[local] != TTRT_END) {
      *error = errors[local];
      return statuses[local];
    }
  return statuses[0];
}

GenerationSession::GenerationSession(const std::string &path, Session &session,
                                     const ttrt_generator_options &options, const Text *text)
    : path(path), text(text), mesh(session.mesh()), handles(mesh ? mesh->localDevices() : 1) {
  std::vector<ttrt_device *> devices{session.device()};
  if (mesh) {
    devices.resize(handles.size());
    mesh->onEachDevice([&](size_t local, ttrt_device *device) { devices[local] = device; });
  }
  ttrt_error error;
  check(onEach(
            [&](size_t local, ttrt_error *problem) {
              return ttrt_generator_open(devices[local], &options, &handles[local], problem);
            },
            &error),
        error);
}

/// Each completes what is in flight, with the others.
GenerationSession::~GenerationSession() {
  ttrt_error error;
  onEach(
      [&](size_t local, ttrt_error *) {
        ttrt_generator_close(handles[local]);
        return TTRT_OK;
      },
      &error);
}

/// All devices choose the same tokens: those of the first one count.
ttrt_status GenerationSession::next(ttrt_generated &generated, ttrt_error *error) {
  return onEach(
      [&](size_t local, ttrt_error *problem) {
        ttrt_generated own = TTRT_GENERATED_INIT;
        const ttrt_status status = ttrt_generator_next_of_all(handles[local], &own, problem);
        if (local == 0)
          generated = own;
        return status;
      },
      error);
}

static ttrt_generation toGeneration(const GenerationOptions &options) {
  ttrt_generation generation = TTRT_GENERATION_INIT;
  generation.sampling = &options.sampling;
  generation.tokens = options.tokens;
  generation.reuse = options.reuse;
  generation.by_steps = options.bySteps;
  return generation;
}

namespace {
/// One text while it is generated.
class Answer {
public:
  /// When its prompt is computed.
  Answer(const Text *text, size_t prompt, size_t reused, Clock::time_point begin)
      : begin(begin), stream(text) {
    result.prompt = prompt;
    result.reused = reused;
    result.promptMs = msSince(begin);
    result.ended = "context";
  }
  /// Returns the text that is complete with the token.
  std::string add(int32_t token, const ttrt_sampling &sampling) {
    result.decodeMs = msSince(computed);
    times.push_back(result.decodeMs);
    if (result.tokens.empty())
      result.firstMs = msSince(begin);
    result.tokens.push_back(token);
    const int32_t *stops = sampling.stop, *last = stops + sampling.stop_count;
    const bool isStop = std::find(stops, last, token) != last;
    if (isStop)
      result.ended = "stop";
    const std::string piece = isStop ? "" : stream.push(token);
    result.text += piece;
    return piece;
  }
  /// Returns the rest of the text.
  std::string finish(const GenerationOptions &options) {
    if (times.size() > 1) {
      std::adjacent_difference(times.begin(), times.end(), times.begin());
      const auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
      std::nth_element(times.begin() + 1, middle, times.end());
      result.stepMs = *middle;
    }
    if (strcmp(result.ended, "stop") != 0 && result.tokens.size() == options.tokens)
      result.ended = "tokens";
    const std::string rest = stream.finish();
    result.text += rest;
    return rest;
  }
  const Generated &generated() const { return result; }

private:
  const Clock::time_point begin, computed = Clock::now();
  Generated result;
  TextStream stream;
  std::vector<double> times; ///< of the tokens, since the prompt's end
};
} // namespace

Generated GenerationSession::run(const std::vector<int32_t> &prompt,
                                 const GenerationOptions &options, const Use &use) {
  const ttrt_generation generation = toGeneration(options);
  ttrt_error error;
  const auto begin = Clock::now();
  check(onEach(
            [&](size_t local, ttrt_error *problem) {
              return ttrt_generator_start(handles[local], prompt.data(), prompt.size(), &generation,
                                          problem);
            },
            &error),
        error);
  Answer answer(text, prompt.size(), ttrt_generator_reused(handles[0]), begin);
  for (;;) {
    ttrt_generated generated = TTRT_GENERATED_INIT;
    const ttrt_status status = next(generated, &error);
    if (status == TTRT_END)
      break;
    check(status, error);
    const int32_t token = generated.token;
    if (token < 0) // it has ended without one
      continue;
    if (keepsLogits)
      if (const float *row = ttrt_generator_logits(handles[0], &vocabulary))
        logits.insert(logits.end(), row, row + vocabulary);
    use(token, answer.add(token, options.sampling));
  }
  if (const std::string rest = answer.finish(options); !rest.empty())
    use(-1, rest);
  return answer.generated();
}

/// Nothing is computed where a later prompt would be an error.
void GenerationSession::checkFits(const std::vector<std::vector<int32_t>> &prompts,
                                  const GenerationOptions &options) const {
  for (size_t i = 0; i < prompts.size(); ++i) {
    const size_t tokens = prompts[i].size();
    if (tokens > context())
      throw UserError(fmt::format("{}: prompt {} has {} tokens; the context has room for {}", path,
                                  i + 1, tokens, context()));
    if (options.tokens > context() - tokens + 1)
      throw UserError(fmt::format(
          "{}: prompt {} has {} tokens, and {} more are wanted; the context of {} has room for {} "
          "more",
          path, i + 1, tokens, options.tokens, context(), context() - tokens + 1));
  }
}

GeneratedAll GenerationSession::runAll(const std::vector<std::vector<int32_t>> &prompts,
                                       const GenerationOptions &options, const UseText &use) {
  checkFits(prompts, options);
  const ttrt_generation generation = toGeneration(options);
  GeneratedAll all;
  std::vector<std::unique_ptr<Answer>> answers(prompts.size());
  std::vector<size_t> places(sequences()); // the prompt of each sequence
  size_t started = 0, complete = 0;
  std::vector<bool> isComplete(prompts.size());
  ttrt_error error;
  const auto begin = Clock::now();
  auto start = [&](uint32_t sequence) {
    if (started == prompts.size())
      return;
    const std::vector<int32_t> &prompt = prompts[started];
    const auto startBegin = Clock::now();
    check(onEach(
              [&](size_t local, ttrt_error *problem) {
                return ttrt_generator_start_sequence(handles[local], sequence, prompt.data(),
                                                     prompt.size(), &generation, problem);
              },
              &error),
          error);
    const size_t reused = ttrt_generator_reused(handles[0]);
    answers[started] = std::make_unique<Answer>(text, prompt.size(), reused, startBegin);
    all.prompt += prompt.size();
    all.computed += prompt.size() - reused;
    all.promptMs += answers[started]->generated().promptMs;
    places[sequence] = started++;
  };
  for (uint32_t sequence = 0; sequence < sequences(); ++sequence)
    start(sequence);
  for (;;) {
    ttrt_generated generated = TTRT_GENERATED_INIT;
    const ttrt_status status = next(generated, &error);
    if (status == TTRT_END)
      break;
    check(status, error);
    const size_t index = places[generated.sequence];
    if (generated.token >= 0)
      answers[index]->add(generated.token, options.sampling);
    if (generated.ended == TTRT_NOT_ENDED)
      continue;
    answers[index]->finish(options);
    isComplete[index] = true;
    start(generated.sequence);
    for (; complete < prompts.size() && isComplete[complete]; ++complete)
      use(complete, answers[complete]->generated());
  }
  all.decodeMs = msSince(begin) - all.promptMs;
  for (const std::unique_ptr<Answer> &answer : answers) {
    all.tokens += answer->generated().tokens.size();
    all.texts.push_back(answer->generated());
  }
  return all;
}

Tensor GenerationSession::takeLogits() {
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
