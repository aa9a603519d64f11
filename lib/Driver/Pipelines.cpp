// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Driver/Pipelines.h"
#include "dialects/Ttc/TtcOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::ttc;

void mlir::ttc::buildTracePipeline(OpPassManager &manager, const TracePipelineOptions &options) {
  // Everything below asks the module for its target.
  SetTargetOptions target;
  target.target = options.target;
  target.targetCpu = options.targetCpu;
  manager.addPass(createSetTarget(target));

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
  schedule.schedules.assign(options.schedules.begin(), options.schedules.end());
  if (schedule.schedules.empty())
    schedule.schedules.push_back("all");
  schedule.queues = options.queues;
  schedule.slots = options.slots;
  manager.addPass(createScheduleQueues(schedule));

  // Before programs are lowered: they are compiled for the rows in which their operands lie.
  manager.addPass(createElideCopies());

  // Behind it, because a part of another tensor cannot be sharded; and before programs are lowered:
  // those on shards are compiled for one shard's shape.
  ShardTensorsOptions shard;
  shard.shard = options.shard;
  manager.addPass(createShardTensors(shard));

  // --- Programs -> LLVM dialect. -----------------------------------------------------------
  // Before planning and encoding, because it finds the grids (which barriers depend on) and the
  // scratch that must fit into L1.
  manager.addNestedPass<ProgramOp>(createLowerPrograms());

  // --- Traces -> bytes. --------------------------------------------------------------------
  // Only now is known how much scratch each command leaves of L1 for tensors.
  PlaceTensorsOptions place;
  place.memory = options.memory;
  place.inputMemory = options.inputMemory;
  place.shareActivations = options.shareActivations;
  manager.addPass(createPlaceTensors(place));
  // Addresses first: barriers depend on who shares bytes. The streams' size is known only when
  // they are complete; they lie at the other end of DRAM, so nothing moves any more.
  PreallocateOptions preallocate;
  preallocate.shareActivations = options.shareActivations;
  manager.addPass(createPreallocate(preallocate));
  manager.addPass(createEncodeCommands());
  // The schedules beside `single`: events go to where the last command touches an input's slot and
  // the first one an output's, which is known now; they make streams, so it is done before those
  // get their place.
  manager.addPass(createOverlapTransfers());
  SizeTraceRegionOptions region;
  region.traceRegionSize = options.traceRegionSize;
  manager.addPass(createSizeTraceRegion(region));
  manager.addPass(createVerifyPlan());

  // --- Programs -> machine code. -----------------------------------------------------------
  // Last, because it takes longest: what can fail has failed by now.
  if (options.compile) {
    CompileProgramsOptions compile;
    compile.progress = options.progress;
    manager.addPass(createCompilePrograms(compile));
  }
}

void mlir::ttc::registerTracePipeline() {
  PassPipelineRegistration<TracePipelineOptions>(
      "ttc-trace-pipeline",
      "Ops on tensors to a planned module with machine code: all that a bundle holds",
      buildTracePipeline);
}
