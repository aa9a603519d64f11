// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Driver/Pipelines.h"
#include "dialects/Ttc/TtcOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Codegen/Pipelines.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_TRACEPIPELINE
#include "ttc/Driver/Pipelines.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// As a pass it builds the pipeline and runs it on the module.
struct TracePipelinePass : mlir::ttc::impl::TracePipelineBase<TracePipelinePass> {
  using TracePipelineBase::progress;
  using TracePipelineBase::TracePipelineBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager manager(ModuleOp::getOperationName());
    build(manager);
    manager.getDependentDialects(registry);
  }

  void runOnOperation() override {
    OpPassManager manager(ModuleOp::getOperationName());
    build(manager);
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }

  void build(OpPassManager &manager) const;

  LogicalResult verifyOptions() const {
    if (traceRegionSize.getNumOccurrences() == 0 || traceRegionSize >= 0)
      return success();
    llvm::errs() << "error: expected --trace-region-size of at least 0 bytes, found "
                 << traceRegionSize.getValue() << "\n";
    return failure();
  }

  /// The options that programs have, too.
  SmallVector<llvm::cl::Option *> getProgramOptions() {
    return {&target,
            &targetCpu,
            &queues,
            static_cast<llvm::cl::Option *>(std::addressof(schedules)),
            &slots,
            &shard,
            &memory,
            &inputMemory,
            &shareActivations,
            &traceRegionSize,
            &progress};
  }
};

} // namespace

void TracePipelinePass::build(OpPassManager &manager) const {
  // Everything below asks the module for its target.
  manager.addPass(createSetTarget({target, targetCpu}));

  // --- Ops on tensors -> programs. ---------------------------------------------------------
  // Importers leave dead and equal ops behind; the fewer there are, the less folding computes.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Batch norms go into weights before weights change their layout.
  manager.addPass(createFoldConstants());
  // Kernels want channels last. The transposes that this makes meet and cancel by canonicalising,
  // and those of weights fold below.
  manager.addPass(createChannelsLast());
  manager.addPass(createCanonicalizerPass());
  // What a kernel computes must be known before fusing: an anchor takes its tail along.
  manager.addPass(createChooseKernels());
  manager.addPass(createFuse());
  // The packing of weights that kernels asked for happens now, not at run time.
  manager.addPass(createFoldConstants());
  manager.addPass(createOutlinePrograms());

  // --- Programs -> traces. -----------------------------------------------------------------
  // After outlining a function holds nothing but dispatches, views and constants: what a trace
  // can hold is plain to see, and a person's own ttc.traced region has been fused inside only.
  manager.addNestedPass<func::FuncOp>(createFormTraces());
  manager.addPass(createHoistIO());
  manager.addPass(createVerifyHoisted());
  ScheduleQueuesOptions schedule;
  schedule.schedules.assign(schedules.begin(), schedules.end());
  if (schedule.schedules.empty())
    schedule.schedules.push_back(ScheduleChoice::All);
  schedule.queues = queues;
  schedule.slots = slots;
  manager.addPass(createScheduleQueues(schedule));

  // Before programs are lowered: they are compiled for the rows in which their operands lie.
  manager.addPass(createElideCopies());

  // Behind it, because a part of another tensor cannot be sharded; and before programs are lowered:
  // those on shards are compiled for one shard's shape.
  manager.addPass(createShardTensors({shard}));

  // --- Programs -> LLVM dialect. -----------------------------------------------------------
  // How a gemm is computed depends on layouts and shards, which are final now.
  manager.addNestedPass<ProgramOp>(createPlanGemms());
  // Before planning and encoding, because it finds the grids (which barriers depend on) and the
  // scratch that must fit into L1.
  buildLowerProgramsPipeline(manager);

  // --- Traces -> bytes. --------------------------------------------------------------------
  manager.addPass(createBindBuffers());
  // Only now is known how much scratch each command leaves of L1 for tensors.
  manager.addPass(createPlaceTensors({memory, inputMemory, shareActivations}));
  // Addresses first: barriers depend on who shares bytes. The streams' size is known only when
  // they are complete; they lie at the other end of DRAM, so nothing moves any more.
  manager.addPass(createPreallocate({shareActivations}));
  manager.addPass(createEncodeCommands());
  // The schedules beside `single`: events go to where the last command touches an input's slot and
  // the first one an output's, which is known now; they make streams, so it is done before those
  // get their place.
  manager.addPass(createOverlapTransfers());
  manager.addPass(createSizeTraceRegion({traceRegionSize}));
  manager.addPass(createVerifyPlan());

  // --- Programs -> machine code. -----------------------------------------------------------
  // Last, because it takes longest: what can fail has failed by now.
  if (compile)
    manager.addPass(createCompilePrograms({progress}));
}

void TracePipeline::addToCommandLine(llvm::cl::OptionCategory &category) {
  for (llvm::cl::Option *option : static_cast<TracePipelinePass &>(*pass).getProgramOptions()) {
    // The options of a pass belong to a command of their own.
    option->Subs.clear();
    option->addSubCommand(llvm::cl::SubCommand::getTopLevel());
    option->addCategory(category);
    option->addArgument();
  }
}

bool TracePipeline::showsProgress() const {
  return static_cast<const TracePipelinePass &>(*pass).progress;
}

void TracePipeline::setShowsProgress(bool shows) {
  static_cast<TracePipelinePass &>(*pass).progress = shows;
}

LogicalResult TracePipeline::build(OpPassManager &manager) const {
  const auto &options = static_cast<const TracePipelinePass &>(*pass);
  if (failed(options.verifyOptions()))
    return failure();
  options.build(manager);
  return success();
}
