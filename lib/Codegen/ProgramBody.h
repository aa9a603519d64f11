// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the passes on a program's body share: the names by which they find functions and hand
// decisions to each other. include/ttc/Codegen/Passes.td describes them.
#ifndef TTC_LIB_CODEGEN_PROGRAMBODY_H
#define TTC_LIB_CODEGEN_PROGRAMBODY_H

#include "dialects/Ttc/Programs/ProgramOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// The function that holds what was a program's tensor ops.
constexpr llvm::StringLiteral kBodyName = "body";
/// The function that a kernel calls on each vector of its result.
constexpr llvm::StringLiteral kEpilogueName = "epilogue";

/// On a function: the number of workgroups that its work is divided into.
constexpr llvm::StringLiteral kWorkgroupsAttrName = "ttc.workgroups";
/// On a function: bytes of the core's L1 that a workgroup needs.
constexpr llvm::StringLiteral kScratchBytesAttrName = "ttc.scratch_bytes";
/// On a function: it is a kernel's epilogue, and nothing is decided yet about inlining it.
constexpr llvm::StringLiteral kEpilogueAttrName = "ttc.epilogue";
/// On an scf loop: what LLVM is told about it. The conversions hand attributes of this prefix on to
/// the branch back to the loop's header, where --ttc-mark-parallel-loops makes it the branch's own.
constexpr llvm::StringLiteral kLoopAnnotationAttrName = "llvm.loop_annotation";

/// On a function of LLVM with `noinline`: it is inlined after products and sums are contracted,
/// which thus does not depend on the functions that call it.
constexpr llvm::StringLiteral kInlineLastAttrName = "ttc-inline-last";

/// An integer attribute that another pass must have set on `function`. Emits an error if it is
/// absent, or below `least`.
FailureOr<int64_t> getPassedInteger(Operation *function, llvm::StringRef attribute,
                                    llvm::StringRef setBy, int64_t least);

/// The module in the body of a program; null if the body is still ops on tensors, or absent.
ModuleOp getCodeModule(ProgramOp program);

/// The kernel that a body of tensor ops calls; null if there is none.
KernelOpInterface findKernel(ProgramOp program);

/// Computes, of `factor`, how many elements count: from the extents, of which `load` gives each as
/// a value of `type`, an integer or index. At least 1, and at most its size: with any other number,
/// which no extents of a variant give, all count, so that code that is run with any contents writes
/// its results.
Value computeBound(OpBuilder &builder, Location loc, const BoundedFactor &factor, Type type,
                   llvm::function_ref<Value(unsigned)> load);

/// Adds the function of the program's name, which calls `body` with addresses instead of offsets.
FailureOr<LLVM::LLVMFuncOp> addEntry(ProgramOp program, ModuleOp module, LLVM::LLVMFuncOp body,
                                     int64_t scratchBytes);

/// Sets what a program's code needs, on the program and on `entry`, the function that runs one
/// workgroup: --ttc-compile-programs compares the two. The grid of a program on shards is known
/// only with its last entry: until then, only the function has the number of workgroups.
void setRequirements(ProgramOp program, LLVM::LLVMFuncOp entry, int64_t workgroups,
                     int64_t scratchBytes);

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_PROGRAMBODY_H
