// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes ask programs before they compile them for other places of their operands.
#ifndef TTC_LIB_TRANSFORMS_STRIDEDOPERANDS_H
#define TTC_LIB_TRANSFORMS_STRIDEDOPERANDS_H

#include "dialects/Ttc/Programs/ProgramOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// Whether operand `index` (arguments, then results) of a program may have this strided layout.
bool acceptsStrided(ProgramOp program, unsigned index, const StridedRange &rows);

/// A private program without a name of its own yet, to be inserted into a symbol table, that gives
/// its argument back. With `within`, of another program's result, only these elements: then its
/// second argument has the extents.
ProgramOp makeCopyProgram(Location loc, StringRef name, RankedTensorType type,
                          WithinAttr within = {}, Type extents = {});

/// Erases private programs that nothing names.
void eraseUnusedPrograms(ModuleOp module, SymbolTable &symbols);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_STRIDEDOPERANDS_H
