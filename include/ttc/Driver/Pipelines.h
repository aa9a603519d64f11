// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DRIVER_PIPELINES_H
#define TTC_DRIVER_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "ttc/Transforms/Options.h"
#include <functional>

namespace mlir::ttc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ttc/Driver/Pipelines.h.inc"

/// What is called within the pipeline where decisions that can be measured are next.
struct TuningHooks {
  std::function<LogicalResult(ModuleOp)> beforeKernels, beforePlans;
};

/// The pipeline of --ttc-trace-pipeline for programs that take its options on their own command
/// line.
class TracePipeline {
public:
  TracePipeline() : pass(createTracePipeline()) {}

  /// Makes the pipeline's options, except for `compile`, options of the program. This object must
  /// live until the program ends.
  void addToCommandLine(llvm::cl::OptionCategory &category);

  /// Whether --progress was given.
  bool showsProgress() const;
  void setShowsProgress(bool shows);

  /// The file that --tuning names, or nothing.
  std::string getTuning() const;
  void setTuning(StringRef file);

  /// Whether a model may have loops: without --mesh and --shard.
  bool takesLoops() const;

  /// What --schedules is where it was not given: one schedule beside `single`.
  void setDefaultSchedule(StringRef name);

  /// Adds the pipeline's passes with the options as they are now, and what measures. Fails, with a
  /// line on stderr, if an option has an invalid value.
  LogicalResult build(OpPassManager &manager, const TuningHooks &hooks = {}) const;

private:
  std::unique_ptr<Pass> pass; ///< holds the options
};

} // namespace mlir::ttc

#endif // TTC_DRIVER_PIPELINES_H
