// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Driver/Pipelines.h"
#include "Support/Suggest.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Codegen/Pipelines.h"
#include "ttc/Mesh/Passes.h"
#include "ttc/Shapes/Passes.h"
#include "ttc/Transforms/Passes.h"
#include "ttc/Transforms/Schedules.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_TRACEPIPELINE
#include "ttc/Driver/Pipelines.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Calls a hook.
struct HookPass : PassWrapper<HookPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HookPass)

  explicit HookPass(std::function<LogicalResult(ModuleOp)> hook) : hook(std::move(hook)) {}
  StringRef getName() const override { return "HookPass"; }
  void runOnOperation() override {
    if (failed(hook(getOperation())))
      signalPassFailure();
  }

  std::function<LogicalResult(ModuleOp)> hook;
};

/// As a pass it builds the pipeline and runs it on the module.
struct TracePipelinePass : mlir::ttc::impl::TracePipelineBase<TracePipelinePass> {
  using TracePipelineBase::progress;
  using TracePipelineBase::queues;
  using TracePipelineBase::schedules;
  using TracePipelineBase::TracePipelineBase;
  using TracePipelineBase::tuning;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager manager(ModuleOp::getOperationName());
    build(manager);
    manager.getDependentDialects(registry);
  }

  /// Suggests an option for one that there is not.
  LogicalResult
  initializeOptions(StringRef options,
                    function_ref<LogicalResult(const Twine &)> errorHandler) override {
    return TracePipelineBase::initializeOptions(options, [&](const Twine &text) {
      const std::string message = StringRef(text.str()).trim().str();
      std::vector<std::string> names = {compile.ArgStr.str()};
      for (llvm::cl::Option *option : getProgramOptions())
        names.push_back(option->ArgStr.str());
      const StringRef unknown = StringRef(message).split("no such option ").second;
      return errorHandler(message +
                          (unknown.empty() ? "" : ::ttc::suggestion(unknown.str(), names)));
    });
  }

  void runOnOperation() override {
    OpPassManager manager(ModuleOp::getOperationName());
    build(manager);
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }

  void build(OpPassManager &manager, const TuningHooks &hooks = {}) const;

  bool takesLoops() const { return mesh.empty() && shard == ShardKind::None; }

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
            &mesh,
            &parallel,
            &microBatches,
            &weights,
            &optimize,
            &winograd,
            &strassen,
            &attention,
            &workgroups,
            &tuning,
            &floatRounding,
            &queues,
            static_cast<llvm::cl::Option *>(std::addressof(schedules)),
            &slots,
            &shard,
            &memory,
            &inputMemory,
            &shareActivations,
            &traceRegionSize,
            &algorithm,
            &hideExchanges,
            &fuseCommands,
            &instrument,
            static_cast<llvm::cl::Option *>(std::addressof(state)),
            &progress};
  }
};

} // namespace

void TracePipelinePass::build(OpPassManager &manager, const TuningHooks &hooks) const {
  // All later passes query the target of the module.
  manager.addPass(createSetTarget({target, targetCpu, workgroups}));
  // Before anything depends on what is an input and what is state.
  if (!state.empty()) {
    BindStatesOptions states;
    states.state.assign(state.begin(), state.end());
    manager.addPass(createBindStates(states));
  }
  // Before any pass looks at ops: all of them see those of traced regions beside the others.
  manager.addPass(createInlineTraced());
  // As soon as all ops are in one list, and before any pass changes what the importer has recorded
  // of their shapes: what follows is correct for any contents of the padding.
  manager.addPass(createMaskPadding());
  // Before types and layouts change what it recognises.
  manager.addPass(createKeepStatesInPlace());
  // Early, so that a file for another CPU is an error before anything is computed.
  if (!tuning.empty())
    manager.addPass(createReadTuning({tuning}));

  // --- Ops on tensors -> programs. ---------------------------------------------------------
  // First, so that all other passes see types that are computed with, or bytes.
  manager.addPass(createLegalizeTypes());
  // Before bytes are, so that the convolutions are of bytes, too.
  manager.addPass(createDecomposeConvTranspose());
  // Before any constant is folded, which would make the weights real numbers.
  manager.addPass(createFuseQuantization());
  // Importers leave dead and equal ops; removing them first saves evaluating them.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // For a mesh: the program of each device. Before constants are folded and packed, because what
  // follows sees the types of one device and chooses kernels and tiles for them; after equal ops
  // are one, because dimensions of unused ones would restrict how others are divided.
  manager.addPass(createSetMesh({mesh, microBatches}));
  manager.addPass(createExposeDimensions());
  manager.addPass(createAnnotateSharding({parallel}));
  manager.addPass(createPartition());
  // Before all that computes, because kernels and most evaluation of constants are for f32.
  manager.addPass(createWidenFloats({floatRounding}));
  // Batch norms are folded into weights before the layout of weights changes.
  FoldConstantsOptions folding;
  folding.optimize = optimize;
  manager.addPass(createFoldConstants(folding));
  // After that, weights are the same constants in every product that they are in, and splits are
  // slices. Before kernels are chosen, because tiles depend on the number of rows.
  manager.addPass(createMergeProducts());
  // Kernels require channels last. The canonicalizer cancels the transposes that this inserts;
  // those of weights are folded below.
  manager.addPass(createChannelsLast());
  manager.addPass(createCanonicalizerPass());
  // Shuffles are transposes of the last dimension now. Before kernels are chosen, which read those
  // of their operands.
  manager.addPass(createSinkShuffles());
  // What sums weights, or products, needs them in f32, is not for the tiles of shards, and stores
  // more weights.
  const bool sums = (weights == WeightStorage::Auto || weights == WeightStorage::F32) &&
                    shard == ShardKind::None && optimize == OptimizeFor::Speed;
  // After images are channels last, because tails of products are cut into quarters; and before
  // kernels are chosen for the quarters.
  if (strassen && sums)
    manager.addPass(createStrassen());
  // Before fusing, because fusions are formed around kernel ops.
  if (hooks.beforeKernels)
    manager.addPass(std::make_unique<HookPass>(hooks.beforeKernels));
  manager.addPass(createChooseKernels({winograd && sums, optimize}));
  // Products have their views now, through transposes and splits; before fusing, which would take
  // the ops between them.
  if (attention && shard == ShardKind::None)
    manager.addPass(createFuseAttention());
  // As soon as there are kernels that pad images themselves, and attentions have taken their masks;
  // before fusing, because masks are in the way.
  manager.addPass(createFoldMasks());
  // Evaluates the packing of weights for the kernels. What it leaves, for being too large or for
  // another reason, is computed in every inference: fusing is next, and makes programs of all ops.
  manager.addPass(createFoldConstants(folding));
  // Narrows weights as kernels read them; before fusing, because the scales of int8 join the
  // epilogues.
  manager.addPass(createNarrowWeights({weights}));
  // Collectives become exchanges, which programs do not contain: fusing stops at them. It may make
  // transposes, which are fused.
  manager.addPass(createChooseCollectives({algorithm}));
  // Before fusing, which stops at loops; after all that makes ops equal, or folds them.
  manager.addPass(createPrepareLoops());
  manager.addPass(createFuse());
  // While users are in one function: what they need decides what a program may leave out.
  manager.addPass(createFollowExtents());
  manager.addPass(createOutlinePrograms());
  // As soon as there are programs, because no other pass supports zones.
  manager.addNestedPass<ProgramOp>(createExpandZones({instrument}));
  // Stages of a pipeline: after the division along all other axes, whose exchanges are ops like
  // others. Programs are cut, because their costs are known, and they are those of one device: no
  // kernel, fusion or rounding depends on where stages begin. Before traces are formed, because
  // each stage has its own.
  manager.addPass(createSplitStages({parallel}));

  // --- Programs -> traces. -----------------------------------------------------------------
  // After outlining, a function contains only dispatches, views and constants, which a trace can
  // contain, and the boundaries of ttc.traced regions that the user wrote.
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

  // Before programs are lowered, because they are compiled for the strided layouts of their
  // operands.
  manager.addPass(createElideCopies());
  // Sees all work of a trace, in its order; before planning, which keeps what is offered in its
  // place.
  if (hideExchanges)
    manager.addPass(createHideExchanges());

  // After eliding copies, because a part of another tensor cannot be sharded; and before programs
  // are lowered, because those on shards are compiled for the shape of one shard.
  manager.addPass(createShardTensors({shard}));

  // Before programs are lowered, while ops tell what they compute; after sharding, which makes
  // programs.
  manager.addNestedPass<ProgramOp>(createCountFlops());

  // --- Programs -> LLVM dialect. -----------------------------------------------------------
  // How a gemm is computed depends on layouts and shards, which are final now.
  if (hooks.beforePlans)
    manager.addPass(std::make_unique<HookPass>(hooks.beforePlans));
  manager.addPass(createPlanGemms());
  // Before planning and encoding, because it determines the grids, on which barriers depend, and
  // the scratch, which must fit into L1.
  buildLowerProgramsPipeline(manager, instrument);

  // --- Traces -> bytes. --------------------------------------------------------------------
  manager.addPass(createBindBuffers());
  // After lowering, because scratch limits the room for tensors in L1.
  manager.addPass(createPlaceTensors({memory, inputMemory, shareActivations}));
  // Addresses before commands, because barriers depend on which buffers share bytes. The size of
  // the streams is known last; they are at the other end of DRAM and displace no buffer.
  manager.addPass(createPreallocate({shareActivations}));
  manager.addPass(createEncodeCommands());
  // Before the schedules, which add streams of the same commands.
  if (fuseCommands)
    manager.addPass(createFuseCommands());
  // The schedules that --ttc-schedule-queues recorded in `wanted_schedules`: only now the last
  // command that accesses an input's slot, and the first one that accesses an output's, are known.
  // They add streams, so this precedes sizing the trace region.
  manager.addPass(createOverlapTransfers());
  manager.addPass(createSizeTraceRegion({traceRegionSize}));
  manager.addPass(createVerifyPlan());

  // --- Programs -> machine code. -----------------------------------------------------------
  // Last, because it takes longest: errors in earlier passes are reported without waiting for it.
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

bool TracePipeline::takesLoops() const {
  return static_cast<const TracePipelinePass &>(*pass).takesLoops();
}

void TracePipeline::setDefaultSchedule(StringRef name) {
  auto &options = static_cast<TracePipelinePass &>(*pass);
  auto &schedules = options.schedules;
  if (!schedules.empty() || options.queues != QueueLimit::All)
    return;
  ArrayRef<NamedSchedule> all = getNamedSchedules();
  schedules.push_back(static_cast<ScheduleChoice>(findNamedSchedule(name) - all.begin()));
}

std::string TracePipeline::getTuning() const {
  return static_cast<const TracePipelinePass &>(*pass).tuning;
}

void TracePipeline::setTuning(StringRef file) {
  static_cast<TracePipelinePass &>(*pass).tuning = file.str();
}

LogicalResult TracePipeline::build(OpPassManager &manager, const TuningHooks &hooks) const {
  const auto &options = static_cast<const TracePipelinePass &>(*pass);
  if (failed(options.verifyOptions()))
    return failure();
  options.build(manager, hooks);
  return success();
}
