// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps that turn a program's body into code, each in a file of its own. All work on a
// function `@body(inputs..., outputs..., workgroup)` in a module of the program's own.
#ifndef TTC_LIB_CODEGEN_PROGRAMBODY_H
#define TTC_LIB_CODEGEN_PROGRAMBODY_H

#include "dialects/Ttc/TtcOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::ttc {

/// How much work a workgroup has at least, and how many there are at most.
struct GridOptions {
  int64_t workgroupBytes = 32 * 1024;
  int64_t maxWorkgroups = 16;
};

/// Makes `func.func @body` in `module` from the program's tensor ops: inputs and outputs are
/// memrefs (of signless elements, strided where `ttc.strided` says so), results are materialized in
/// the outputs. The last argument is the workgroup's number.
FailureOr<func::FuncOp> buildTensorBody(ProgramOp program, ModuleOp module);

/// Merges elementwise linalg ops into their consumers where that does not repeat much work.
LogicalResult fuseElementwise(func::FuncOp body);

/// Cuts what writes each output into tiles, computes producers tile by tile, and shares the
/// tiles out over workgroups. Returns the number of workgroups.
FailureOr<int64_t> tileIntoWorkgroups(func::FuncOp body, const GridOptions &options);

/// Tensors to memrefs, in place where one-shot analysis allows it.
LogicalResult bufferizeBody(func::FuncOp body);

/// linalg ops and copies on memrefs to loops over linear addresses.
LogicalResult lowerToLoops(func::FuncOp body);

/// Gives every allocation an offset in a scratch buffer, a new last argument of the function.
/// Returns the buffer's bytes.
FailureOr<int64_t> planScratch(func::FuncOp body);

/// Replaces math ops by arithmetic that needs no library, accurate to a few ulp in f32, and
/// conversions to and from f16 and bf16 by operations on their bits.
LogicalResult expandArithmetic(func::FuncOp body);

/// Loops and memrefs to the LLVM dialect; memref arguments become bare pointers.
void buildToLLVMPipeline(OpPassManager &pm);

/// Says that no iteration of a loop touches what another one writes, in the function @body of the
/// LLVM dialect, so that LLVM vectorises loops although operands may be the same memory. True of
/// bodies that compute elements independently and keep none in scratch.
void markLoopsParallel(ModuleOp module);

/// Adds the function with the program's name and ABI, which calls `body`.
LogicalResult addEntry(ModuleOp module, StringRef name, int64_t numOperands, bool usesScratch);

/// Makes a lowered program one on shards: the function with its name becomes one for a single part
/// with that many `workgroups`, behind a new one that adds where the parts of a workgroup lie.
LogicalResult addShardEntry(ProgramOp program, ModuleOp module, int64_t workgroups);

/// Whether the program's body is a kernel op with an elementwise tail.
bool hasKernelBody(ProgramOp program);

/// Replaces such a body by a module of the LLVM dialect that calls the kernel with the tail as its
/// epilogue, and sets grid and scratch. `toLLVM` runs buildToLLVMPipeline() on a module.
LogicalResult lowerKernelBody(ProgramOp program,
                              llvm::function_ref<LogicalResult(ModuleOp)> toLLVM);

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_PROGRAMBODY_H
