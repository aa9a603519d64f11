// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decisions that were measured: the module's `ttc.tuning`, which --ttc-read-tuning and the tuner
// set. It has an entry for each op that was measured, by a text that says all that the decision
// depends on, and nothing else: equal ops of other models find it, too.
#ifndef TTC_ANALYSIS_TUNING_H
#define TTC_ANALYSIS_TUNING_H

#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// The op as a text: its kind, its attributes without `plan`, the types and layouts of its operands
/// and of its result, and which operands are constant.
std::string getTuningKey(Operation *op);

/// The entry of the module around `op` for it; null if there is none.
Attribute findTuning(Operation *op);

/// Starts an error about the entry for `op`: "tuning 'FILE', entry 'KEY': ".
InFlightDiagnostic emitTuningError(Operation *op);

/// The module's entries; empty if it has none.
DictionaryAttr getTuningEntries(ModuleOp module);
/// Sets the module's entries, from a file of that name.
void setTuning(ModuleOp module, StringRef file, ArrayRef<NamedAttribute> entries);

/// Whether --ttc-choose-kernels chooses the tile or the algorithm for this op.
bool hasKernelChoice(Operation *op);

/// What kernels are chosen for, beside speed.
struct KernelGoals {
  bool winograd = true; ///< false: always directly
  bool compact = false; ///< packed weights are as small as can be
};

/// How ops that hasKernelChoice() are computed by the code for vectors of `vectorLength` lanes: as
/// their entries say, or else as heuristics do. With `compact`, entries decide only about what does
/// not change the packed weights. `constantBytes` are those of each one's function. Ops of several
/// functions have the same weights: all are computed in ways that need them in the same packed
/// form, which is the best for all together; an entry for the op of the most rows decides.
SmallVector<KernelChoiceAttr> getKernelChoices(ArrayRef<Operation *> ops, int64_t vectorLength,
                                               KernelGoals goals, ArrayRef<int64_t> constantBytes);
/// For one op, without looking for an entry.
KernelChoiceAttr estimateKernelChoice(Operation *op, int64_t vectorLength, KernelGoals goals,
                                      int64_t constantBytes);

/// Fails, with a diagnostic that names the entry, if there is one for `op` that cannot be followed.
LogicalResult verifyKernelChoice(Operation *op, int64_t vectorLength);

/// What is wrong with a choice for an op; empty if nothing is.
std::string checkKernelChoice(Operation *op, KernelChoiceAttr choice, int64_t vectorLength);

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_TUNING_H
