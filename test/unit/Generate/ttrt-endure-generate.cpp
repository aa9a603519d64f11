// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-endure-generate BUNDLE [STEPS [CORES]]: generates texts with a decoder (ttrt/generate.h)
// until STEPS tokens have been taken (default 100,000), in rounds of four texts: the most likely
// tokens, drawn ones, a prompt by steps, and a text that is left in its middle; the states are
// reset after each second one. Every round must give the tokens of the first one. After the first
// round, memory, mappings, files and threads stay as they are; after opening, nothing allocates.
// Exit status 1 if something differs.

#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/Loaded.h"
#include "ttrt/generate.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

using namespace ttrt::test;

namespace {

constexpr size_t kKinds = 4;
[[maybe_unused]] constexpr long kSlackKb =
    512; ///< of resident memory: pages of the C library's own

long allocated() {
#ifdef TTRT_TEST_SANITIZED
  return 0; // a sanitizer owns malloc
#else
  return allocations.load();
#endif
}

/// What the process has, read without allocating.
struct Usage {
  long residentKb = 0, mappings = 0, files = 0, threads = 0;
};

/// Calls f(line) for each line of a file.
template <typename F> void forEachLine(const char *path, F f) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  static char buffer[4096];
  size_t kept = 0;
  for (ssize_t got; (got = read(file, buffer + kept, sizeof(buffer) - 1 - kept)) > 0;) {
    kept += static_cast<size_t>(got);
    char *begin = buffer;
    while (char *end = static_cast<char *>(memchr(begin, '\n', kept))) {
      *end = 0;
      f(begin);
      kept -= static_cast<size_t>(end + 1 - begin);
      begin = end + 1;
    }
    memmove(buffer, begin, kept);
    if (kept == sizeof(buffer) - 1)
      kept = 0;
  }
  close(file);
}

Usage usage() {
  Usage found;
  forEachLine("/proc/self/status", [&](const char *line) {
    sscanf(line, "VmRSS: %ld", &found.residentKb);
    sscanf(line, "Threads: %ld", &found.threads);
  });
  forEachLine("/proc/self/maps", [&](const char *) { ++found.mappings; });
  for (int file = 0; file < 256; ++file)
    found.files += fcntl(file, F_GETFD) >= 0;
  return found;
}

int fail(const char *what) {
  std::printf("WRONG: %s\n", what);
  return 1;
}

/// One text of a kind; returns whether it went well. Appends its tokens.
bool generate(ttrt_generator *generator, size_t kind, size_t context,
              std::vector<int32_t> &tokens) {
  std::array<int32_t, 16> prompt;
  const size_t length = std::min(prompt.size(), context / 2);
  for (size_t i = 0; i < length; ++i)
    prompt[i] = static_cast<int32_t>(i * 37 % 200 + kind);
  ttrt_sampling sampling = TTRT_SAMPLING_INIT;
  if (kind == 1) {
    sampling.temperature = 0.8f;
    sampling.top_k = 40;
    sampling.top_p = 0.95f;
    sampling.repetition_penalty = 1.1f;
    sampling.seed[0] = 7;
  }
  ttrt_generation generation = TTRT_GENERATION_INIT;
  generation.sampling = &sampling;
  generation.by_steps = kind == 2;
  const bool left = kind == 3;
  ttrt_error error;
  ttrt_status status = ttrt_generator_start(generator, prompt.data(), length, &generation, &error);
  int32_t token = 0;
  while (status == TTRT_OK) {
    status = ttrt_generator_next(generator, &token, &error);
    if (status == TTRT_OK)
      tokens.push_back(token);
    if (left && tokens.size() >= context / 2)
      return true;
  }
  if (status != TTRT_END)
    std::printf("%s\n", error.message);
  return status == TTRT_END;
}

int run(const char *path, uint64_t steps, uint32_t cores) {
  Loaded loaded(path, deviceOptions(cores, 2));
  ttrt_generator *generator = nullptr;
  ttrt_error error;
  if (!loaded.device || ttrt_generator_open(loaded.device, nullptr, &generator, &error) != TTRT_OK)
    return fail(loaded.device ? error.message : "the bundle cannot be opened");
  const size_t context = ttrt_generator_context(generator);
  std::array<std::vector<int32_t>, kKinds> first;
  std::vector<int32_t> tokens;
  for (auto *list : {&first[0], &first[1], &first[2], &first[3], &tokens})
    list->reserve(context + 1);
  const long before = allocated();
  Usage begin, end;
  uint64_t taken = 0, rounds = 0, resets = 0, wrong = 0;
  const auto started = std::chrono::steady_clock::now();
  for (; taken < steps || rounds < 2; ++rounds) {
    for (size_t kind = 0; kind < kKinds; ++kind) {
      tokens.clear();
      if (!generate(generator, kind, context, tokens))
        return fail("a text has ended with an error");
      taken += tokens.size();
      if (rounds == 0)
        first[kind].assign(tokens.begin(), tokens.end());
      wrong += tokens != first[kind];
      if (kind % 2 == 1) {
        if (ttrt_generator_reset(generator, &error) != TTRT_OK)
          return fail(error.message);
        ++resets;
      }
    }
    end = usage();
    if (rounds == 0)
      begin = end;
  }
  const long allocating = allocated() - before;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  ttrt_generator_close(generator);
  std::printf(
      "%llu steps in %llu rounds, %llu resets, %.1f s: %llu texts differ, %ld allocations\n",
      static_cast<unsigned long long>(taken), static_cast<unsigned long long>(rounds),
      static_cast<unsigned long long>(resets), seconds, static_cast<unsigned long long>(wrong),
      allocating);
  std::printf("resident %ld to %ld KB, mappings %ld to %ld, files %ld to %ld, threads %ld to %ld\n",
              begin.residentKb, end.residentKb, begin.mappings, end.mappings, begin.files,
              end.files, begin.threads, end.threads);
  if (wrong)
    return fail("tokens differ from those of the first round");
  if (allocating)
    return fail("something was allocated after opening");
  if (begin.files != end.files || begin.threads != end.threads)
    return fail("files or threads were left");
#ifndef TTRT_TEST_SANITIZED
  if (begin.mappings != end.mappings || end.residentKb > begin.residentKb + kSlackKb)
    return fail("memory has grown");
#endif
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ttrt-endure-generate BUNDLE [STEPS [CORES]]\n");
    return 2;
  }
  return run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100000,
             argc > 3 ? static_cast<uint32_t>(std::atoi(argv[3])) : 2);
}
