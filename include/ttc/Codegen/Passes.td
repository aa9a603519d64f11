// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_CODEGEN_PASSES_TD
#define TTC_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanGemms : Pass<"ttc-plan-gemms", "::mlir::ttc::ProgramOp"> {
  let summary = "Decides how each gemm walks its loops";
  let description = [{
    Gives every `ttc.kernel.gemm` its `plan`: how the rows of `a` are found, the grid, and the blocks
    of row tiles. These depend on the layouts of operands and on shards, so both must be known. The
    tile and the packing of `b` are decided earlier, by `--ttc-choose-kernels`. An existing plan is
    replaced.

    ```mlir
    %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>}
        : (tensor<128x768xf32>, tensor<1x48x768x16xf32>) -> tensor<128x768xf32>
    // becomes
    %0 = ttc.kernel.gemm %x, %w {packed, tile = array<i64: 6, 16>,
        plan = #ttc.gemm_plan<rows = direct, splits = [1, 1, 16], block = 22>}
        : (tensor<128x768xf32>, tensor<1x48x768x16xf32>) -> tensor<128x768xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def LowerPrograms : Pass<"ttc-lower-programs", "::mlir::ttc::ProgramOp"> {
  let summary = "Bodies of programs to the LLVM dialect";
  let description = [{
    Replaces the body of a program by a module of the LLVM dialect with a function of the
    program's name and ABI, and sets `grid` and `scratch_bytes`. Bodies of tensor ops go
    through linalg: fused, tiled into workgroups, bufferized into the outputs and lowered to
    loops. A body that is a kernel op with an elementwise tail becomes a call of the kernel
    with the tail as its epilogue function.

    ```mlir
    ttc.program @relu(%a: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
      %0 = ttc.relu %a : tensor<64x1024xf32>
      ttc.return %0 : tensor<64x1024xf32>
    }
    // becomes
    ttc.program @relu(%a: tensor<64x1024xf32>) -> tensor<64x1024xf32>
        attributes {grid = 8 : i64, scratch_bytes = 0 : i64} {
      module {
        llvm.func @relu(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr,
                        %workgroup: i64) { ... }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def CompilePrograms : Pass<"ttc-compile-programs", "::mlir::ModuleOp"> {
  let summary = "Lowered programs to one shared object";
  let description = [{
    Compiles the lowered bodies of all programs on all cores for the module's `ttc.target`:
    LLVM IR, the kernels' bitcode specialised with each call's constants, -O3, machine code.
    The objects are linked with the built-in lld into one ELF shared object without undefined
    symbols, which the module then holds as `ttc.binary`; the bodies are gone. The same
    module gives the same bytes, whatever the number of cores.

    ```mlir
    ttc.program @relu(%a: tensor<64x1024xf32>) -> tensor<64x1024xf32>
        attributes {grid = 8 : i64, scratch_bytes = 0 : i64} {
      module { llvm.func @relu(...) { ... } }
    }
    // becomes
    ttc.program @relu(tensor<64x1024xf32>) -> tensor<64x1024xf32>
        attributes {grid = 8 : i64, scratch_bytes = 0 : i64}
    ttc.binary @code dense_resource<code> : tensor<8192xi8>
    ```

    Counters (`--mlir-pass-statistics`): `programs`, `code-bytes`.
  }];
  let options = [
    Option<"progress", "progress", "bool", /*default=*/"false",
           "Say on standard error how many programs are compiled">
  ];
}

#endif // TTC_CODEGEN_PASSES_TD
