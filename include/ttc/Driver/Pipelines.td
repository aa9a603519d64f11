// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole pipeline as one pass (lib/Driver/Pipelines.cpp).
#ifndef TTC_DRIVER_PIPELINES_TD
#define TTC_DRIVER_PIPELINES_TD

include "ttc/Transforms/Options.td"

def TracePipeline : Pass<"ttc-trace-pipeline", "::mlir::ModuleOp"> {
  let summary = "Compiles ops on tensors to a planned module with machine code: all of a bundle";
  let description = [{
    Runs all passes of the compiler in order (docs/architecture.md). It is a pass, and not a
    registered pass pipeline, so that TableGen declares its options, which are those of the passes
    that it runs and of `ttc-translate --onnx-to-bundle`.
  }];
  let options = [
    TargetOption, TargetCpuOption, MeshOption, ParallelOption, MicroBatchesOption, WeightsOption, OptimizeOption, WinogradOption, StrassenOption, AttentionOption, WorkgroupsOption, TuningOption, FloatRoundingOption, QueuesOption, SchedulesOption, SlotsOption, ShardOption,
    MemoryOption, InputMemoryOption, ShareActivationsOption, TraceRegionSizeOption,
    InstrumentOption, StateOption, AlgorithmOption, HideExchangesOption, ProgressOption,
    Option<"fuseCommands", "fuse-commands", "bool", /*default=*/"true",
           "Make one program of those that one core repeats, and of the loop (default: true)">,
    Option<"compile", "compile", "bool", /*default=*/"true",
           "Compile the programs to machine code (default: true)">
  ];
}

#endif // TTC_DRIVER_PIPELINES_TD
