// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DRIVER_PIPELINES_H
#define TTC_DRIVER_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::ttc {

struct TracePipelineOptions : PassPipelineOptions<TracePipelineOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("cpu (this machine), wormhole_n150, wormhole_n300, blackhole_p150, or a "
                     ".json file"),
      llvm::cl::init("cpu")};
  Option<std::string> targetCpu{
      *this, "target-cpu",
      llvm::cl::desc(
          "The CPU that runs the machine code, by LLVM's name; native is this machine's"),
      llvm::cl::init("native")};
  Option<int64_t> traceRegionSize{
      *this, "trace-region-size",
      llvm::cl::desc("Bytes reserved for the trace region; without it the region takes what it "
                     "needs"),
      llvm::cl::init(-1)};
  Option<int64_t> queues{
      *this, "queues",
      llvm::cl::desc("Command queues that schedules may use; 0: as many as the target has"),
      llvm::cl::init(0)};
  ListOption<std::string> schedules{
      *this, "schedules",
      llvm::cl::desc("Names of the schedules beside `single`; without it, all for so many queues")};
  Option<int64_t> slots{
      *this, "slots",
      llvm::cl::desc("Slots of each input and output, used in turn by schedules of two queues"),
      llvm::cl::init(1)};
  Option<std::string> memory{
      *this, "memory",
      llvm::cl::desc("Where tensors lie: auto (in L1 where that saves traffic through DRAM), dram"),
      llvm::cl::init("auto")};
  Option<std::string> inputMemory{*this, "input-memory",
                                  llvm::cl::desc("Where the slots of inputs lie: auto, dram, l1"),
                                  llvm::cl::init("auto")};
  Option<bool> shareActivations{
      *this, "share-activations",
      llvm::cl::desc("Let activations of different entry points share bytes"),
      llvm::cl::init(true)};
  Option<std::string> shard{
      *this, "shard",
      llvm::cl::desc("none; height, width or block: shard activations over the cores"),
      llvm::cl::init("none")};
  Option<bool> compile{*this, "compile", llvm::cl::desc("Compile the programs to machine code"),
                       llvm::cl::init(true)};
  Option<bool> progress{*this, "progress",
                        llvm::cl::desc("Say on standard error how far compiling is"),
                        llvm::cl::init(false)};
};

/// Ops on tensors in, level 4 with machine code out: --ttc-trace-pipeline.
void buildTracePipeline(OpPassManager &manager, const TracePipelineOptions &options);

void registerTracePipeline();

} // namespace mlir::ttc

#endif // TTC_DRIVER_PIPELINES_H
