// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of StableHLO that can be imported: one entry per op, added next to its handler.
#ifndef TTC_LIB_IMPORT_STABLEHLOREGISTRY_H
#define TTC_LIB_IMPORT_STABLEHLOREGISTRY_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ttc {
class StablehloOp;

using StablehloHandler = LogicalResult (*)(StablehloOp &);

/// What an op does with complex numbers.
enum class OnComplex {
  Refused,
  /// The handler itself treats them.
  Handled,
  /// The op does the same with real and imaginary parts: the handler is called for each.
  ByParts,
};

struct StablehloOpEntry {
  StablehloHandler handler;
  OnComplex onComplex;
  /// What the handler does not import, in a few words for docs/stablehlo.md; empty if it imports
  /// all of the op. That shapes are static and that element types are limited applies to all ops.
  StringRef restrictions;
};

class StablehloRegistry {
public:
  static const StablehloRegistry &get();

  /// The name is without its dialect: "dot_general". For another dialect it is whole: "chlo.erf".
  /// Names and `restrictions` are not copied.
  void add(StringRef name, StablehloHandler handler, OnComplex onComplex = OnComplex::Refused,
           StringRef restrictions = "") {
    insert(entries, name, {handler, onComplex, restrictions});
  }
  /// A handler for complex numbers beside that of add(), which refuses them.
  void addComplex(StringRef name, StablehloHandler handler) {
    insert(complexEntries, name, {handler, OnComplex::Handled, ""});
  }
  /// Null if there is no such handler.
  const StablehloOpEntry *lookupComplex(StringRef name) const {
    auto it = complexEntries.find(name);
    return it == complexEntries.end() ? nullptr : &it->second;
  }
  const StablehloOpEntry *lookup(StringRef name) const {
    auto it = entries.find(name);
    return it == entries.end() ? nullptr : &it->second;
  }
  /// In alphabetical order.
  SmallVector<StringRef> names() const;

private:
  using Entries = llvm::StringMap<StablehloOpEntry>;
  /// Ends the process if there is a handler of that name: one of the two would never be called.
  static void insert(Entries &entries, StringRef name, const StablehloOpEntry &entry);

  Entries entries, complexEntries;
};

// One function per family, in the family's file.
void registerStablehloBatchNormOps(StablehloRegistry &registry);
void registerStablehloCollectiveOps(StablehloRegistry &registry);
void registerStablehloComplexFunctions(StablehloRegistry &registry);
void registerStablehloComplexOps(StablehloRegistry &registry);
void registerStablehloConstantOps(StablehloRegistry &registry);
void registerStablehloControlFlowOps(StablehloRegistry &registry);
void registerStablehloConvolutionOps(StablehloRegistry &registry);
void registerStablehloCustomOps(StablehloRegistry &registry);
void registerStablehloDotOps(StablehloRegistry &registry);
void registerStablehloElementwiseOps(StablehloRegistry &registry);
void registerStablehloFftOps(StablehloRegistry &registry);
void registerStablehloIndexingOps(StablehloRegistry &registry);
void registerStablehloLinearAlgebraOps(StablehloRegistry &registry);
void registerStablehloLoopOps(StablehloRegistry &registry);
void registerStablehloMovementOps(StablehloRegistry &registry);
void registerStablehloPadOps(StablehloRegistry &registry);
void registerStablehloPrecisionOps(StablehloRegistry &registry);
void registerStablehloRandomOps(StablehloRegistry &registry);
void registerStablehloReductionOps(StablehloRegistry &registry);
void registerStablehloScatterOps(StablehloRegistry &registry);
void registerStablehloSortOps(StablehloRegistry &registry);
void registerStablehloSpecialFunctions(StablehloRegistry &registry);
void registerStablehloTypeOps(StablehloRegistry &registry);
void registerStablehloWindowOps(StablehloRegistry &registry);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLOREGISTRY_H
