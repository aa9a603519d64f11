// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators around test_decode (TestPrograms.c), a decoder that is no model: every token depends
// on all before it, so that anything that is lost, done twice or out of order shows.

#ifndef TTC_TEST_UNIT_SUPPORT_GENERATING_H
#define TTC_TEST_UNIT_SUPPORT_GENERATING_H

#include "GenerateBundle.h"
#include "Loaded.h"
#include "ttrt/generate.h"
#include "ttrt/state.h"

#include <algorithm>
#include <random>

namespace ttrt::test {

using Tokens = std::vector<int32_t>;

/// What test_decode gives.
inline Tokens expectedOf(Tokens all, size_t most, const Tokens &stops = {}, uint32_t drawn = 0,
                         bool draws = false) {
  Tokens result;
  while (result.size() < most && all.size() <= kContext) {
    uint32_t sum = 0;
    for (size_t i = 0; i < all.size(); ++i)
      sum += static_cast<uint32_t>(all[i]) * static_cast<uint32_t>(2 * i + 1);
    if (draws)
      sum += drawn++;
    result.push_back(static_cast<int32_t>((sum * 2654435761u >> 8) % 1000));
    all.push_back(result.back());
    if (std::find(stops.begin(), stops.end(), result.back()) != stops.end())
      break;
  }
  return result;
}

inline Tokens promptOf(size_t tokens, uint32_t seed = 1) {
  std::mt19937 random(seed);
  Tokens prompt(tokens);
  for (int32_t &token : prompt)
    token = static_cast<int32_t>(random() % 1000);
  return prompt;
}

/// A generator on a device with a core; failures are test failures.
class GeneratorOnDevice {
public:
  GeneratorOnDevice(BundleBuilder builder, uint32_t queues, uint32_t ahead, int noTrace)
      : file(builder.finish()), loaded(file.path(), deviceOptions(1, queues)) {
    ttrt_generator_options options = TTRT_GENERATOR_OPTIONS_INIT;
    options.ahead = ahead;
    options.no_trace = noTrace;
    EXPECT_EQ(ttrt_generator_open(loaded.device, &options, &generator, &error), TTRT_OK)
        << error.message;
  }
  ~GeneratorOnDevice() { ttrt_generator_close(generator); }

  /// One of several sequences has its part of each state.
  Tokens state(const char *name, uint32_t sequence = 0, uint32_t sequences = 1) {
    uint32_t index;
    EXPECT_EQ(ttrt_bundle_find_state(loaded.bundle, name, &index, &error), TTRT_OK);
    ttrt_port port = TTRT_PORT_INIT;
    ttrt_bundle_state(loaded.bundle, index, &port, &error);
    Tokens words(port.bytes / 4 / sequences);
    EXPECT_EQ(ttrt_state_read(loaded.device, index, sequence * words.size() * 4, words.data(),
                              words.size() * 4, &error),
              TTRT_OK)
        << error.message;
    return words;
  }

  TemporaryFile file;
  Loaded loaded;
  ttrt_generator *generator = nullptr;
  ttrt_error error{};
};

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_GENERATING_H
