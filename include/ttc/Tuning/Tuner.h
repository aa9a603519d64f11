// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning ahead of time: candidates for what heuristics decide about kernels are compiled and
// measured on this machine, while the pipeline waits.
#ifndef TTC_TUNING_TUNER_H
#define TTC_TUNING_TUNER_H

#include "mlir/IR/BuiltinOps.h"
#include <chrono>
#include <memory>

namespace mlir::ttc {

class Tuner {
public:
  /// Measures for `seconds`. `file` is named in diagnostics about the entries.
  Tuner(double seconds, std::string file);
  ~Tuner();

  /// Chooses the kernels of the module's products and convolutions, before --ttc-choose-kernels:
  /// adds entries to the module's `ttc.tuning`. Ops that have one are not measured. Fails, with a
  /// diagnostic, if this machine does not run the module's code.
  LogicalResult tuneKernels(ModuleOp module);
  /// The same for the plans of gemms, before --ttc-plan-gemms.
  LogicalResult tunePlans(ModuleOp module);

  /// All entries, those that the module had before included.
  DictionaryAttr getEntries() const { return entries; }

private:
  struct Op;
  void tune(ModuleOp module, MutableArrayRef<Op> ops, StringRef what, double part);
  double getSecondsLeft(double part) const;

  const double seconds;
  const std::string file;
  double spent = 0;
  std::chrono::steady_clock::time_point begin;
  DictionaryAttr entries;
  struct Memory;
  std::unique_ptr<Memory> memory;
};

} // namespace mlir::ttc

#endif // TTC_TUNING_TUNER_H
