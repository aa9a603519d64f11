// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command costs: traces of 1000 tiny commands (8 floats each), replayed and dispatched from
// the host, with and without barriers between them. One core is the trace alone; more cores show
// the barrier.

#include "test/unit/Support/Loaded.h"

#include <benchmark/benchmark.h>

using namespace ttrt::test;

static constexpr uint32_t kCommands = 1000;

static void replay(benchmark::State &state, bool barriers, bool noTrace) {
  TemporaryFile file(chainBundle(kCommands, barriers).finish());
  Loaded loaded(file.path(), static_cast<uint32_t>(state.range(0)));
  float in[8] = {}, out[8];
  ttrt_input input{in, sizeof(in)};
  ttrt_output output{out, sizeof(out)};
  ttrt_run_options options = TTRT_RUN_OPTIONS_INIT;
  options.no_trace = noTrace;
  for (auto _ : state)
    if (ttrt_run(loaded.device, 0, &input, &output, &options, nullptr) != TTRT_OK)
      state.SkipWithError("run failed");
  if (out[0] != kCommands)
    state.SkipWithError("wrong result");
  state.counters["per command"] = benchmark::Counter(
      kCommands, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(replay, traced, false, false)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(replay, traced_barriers, true, false)->Arg(1)->Arg(2)->Arg(4)->UseRealTime();
BENCHMARK_CAPTURE(replay, one_by_one, false, true)->Arg(1)->Arg(2)->UseRealTime();

BENCHMARK_MAIN();
