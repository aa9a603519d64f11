// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_CODEGEN_PIPELINES_H
#define TTC_CODEGEN_PIPELINES_H

namespace mlir {
class OpPassManager;
}

namespace mlir::ttc {

/// Lowers the bodies of programs from tensor ops to the LLVM dialect and sets `grid` and
/// `scratch_bytes`. `manager` is on the module of the programs or on one program. With
/// `instrument`, all programs get markers.
void buildLowerProgramsPipeline(OpPassManager &manager, bool instrument = false);

/// Registers it as --ttc-lower-programs.
void registerLowerProgramsPipeline();

} // namespace mlir::ttc

#endif // TTC_CODEGEN_PIPELINES_H
