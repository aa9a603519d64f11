// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to be watched (TTRT_MONITOR): the smallest inference there is, a trace of one tiny
// command on one core, from devices that are watched and that are not.

#include "test/unit/Support/Loaded.h"

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <string>
#include <unistd.h>

using namespace ttrt::test;

static void inference(benchmark::State &state, const char *monitor) {
  std::string folder = "/tmp/ttrt-bench-XXXXXX";
  if (!mkdtemp(folder.data()))
    return state.SkipWithError("cannot make a folder");
  setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
  setenv("TTRT_MONITOR", monitor, 1);
  {
    TemporaryFile file(chainBundle(1, false).finish());
    Loaded loaded(file.path(), 1);
    const bool watched = access((folder + "/ttrt").c_str(), F_OK) == 0;
    if (watched != (*monitor == '1'))
      state.SkipWithError("watched although it should not be, or the other way round");
    float in[8] = {}, out[8];
    ttrt_input input{in, sizeof(in)};
    ttrt_output output{out, sizeof(out)};
    for (auto _ : state)
      if (ttrt_run(loaded.device, 0, &input, &output, nullptr, nullptr) != TTRT_OK)
        state.SkipWithError("run failed");
  }
  rmdir((folder + "/ttrt").c_str());
  rmdir(folder.c_str());
}

BENCHMARK_CAPTURE(inference, unwatched, "0");
BENCHMARK_CAPTURE(inference, watched, "1");

BENCHMARK_MAIN();
