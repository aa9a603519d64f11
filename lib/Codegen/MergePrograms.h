// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One body for programs of different variants that differ in sizes only.
#ifndef TTC_LIB_CODEGEN_MERGEPROGRAMS_H
#define TTC_LIB_CODEGEN_MERGEPROGRAMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace mlir::ttc {

/// A program's function, and the numbers of the variants that run it, ascending.
struct VariantProgram {
  llvm::Function *function;
  llvm::ArrayRef<unsigned> variants;
};

/// Programs that are equal but for integers, in one module and specialised, become one function
/// that loads these integers from a table, and a function each that passes its table. Optimisation
/// and code generation then take the time of one program.
///
/// Programs of one variant are not merged: they are different ops, such as products of other
/// depths, whose inner loops gain from constants. Nor are programs with many differences. Returns
/// the number of programs that no longer have a body of their own.
unsigned mergePrograms(llvm::ArrayRef<VariantProgram> programs);

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_MERGEPROGRAMS_H
