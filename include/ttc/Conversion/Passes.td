// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_CONVERSION_PASSES_TD
#define TTC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTtcToLinalg : Pass<"convert-ttc-to-linalg"> {
  let summary = "Tensor ops of ttc to linalg, tensor, arith and math";
  let description = [{
    Every op of level 1 becomes `linalg.generic` and `linalg.fill` on tensors with bodies in
    arith and math. All elementwise ops are lowered through `ElementwiseOpInterface`. Unsigned
    element types become signless ones; the ops' meaning stays. Sums of f16 and bf16 elements
    are made in f32.

    ```mlir
    func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
      %0 = ttc.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    // becomes
    #rows_columns = affine_map<(row, column) -> (row, column)>
    #columns = affine_map<(row, column) -> (column)>
    func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
      %e = tensor.empty() : tensor<4x8xf32>
      %0 = linalg.generic {indexing_maps = [#rows_columns, #columns, #rows_columns],
                           iterator_types = ["parallel", "parallel"]}
          ins(%a, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
        ^bb0(%x: f32, %y: f32, %out: f32):
          %s = arith.addf %x, %y : f32
          linalg.yield %s : f32
      } -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertTosaToTtc : Pass<"convert-tosa-to-ttc"> {
  let summary = "Float TOSA to tensor ops of ttc";
  let description = [{
    Every op must convert, or the pass fails and names the op. Shapes must be static, shape
    operands `tosa.const_shape`, and zero points 0: ttc has no quantised tensors. TOSA's images are
    N, H, W, C: convolutions and pools become ops with `channels_last`, and their weights are
    transposed to ttc's order (at compile time, where they are constant). Casts from floats to
    integers round first, as TOSA's do.

    ```mlir
    func.func @f(%x: tensor<1x4x4x8xf32>, %w: tensor<16x1x1x8xf32>, %b: tensor<16xf32>)
        -> tensor<1x4x4x16xf32> {
      %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
      %y = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>,
             pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
         : (tensor<1x4x4x8xf32>, tensor<16x1x1x8xf32>, tensor<16xf32>, tensor<1xf32>,
            tensor<1xf32>) -> tensor<1x4x4x16xf32>
      return %y : tensor<1x4x4x16xf32>
    }
    // becomes
    func.func @f(%x: tensor<1x4x4x8xf32>, %w: tensor<16x1x1x8xf32>, %b: tensor<16xf32>)
        -> tensor<1x4x4x16xf32> {
      %t = ttc.transpose %w {permutation = array<i64: 0, 3, 1, 2>}
         : (tensor<16x1x1x8xf32>) -> tensor<16x8x1x1xf32>
      %y = ttc.conv %x, %t, %b {channels_last, dilations = array<i64: 1, 1>,
             pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
         : (tensor<1x4x4x8xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>) -> tensor<1x4x4x16xf32>
      return %y : tensor<1x4x4x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
}

def ConvertStablehloToTtc : Pass<"convert-stablehlo-to-ttc", "::mlir::ModuleOp"> {
  let summary = "StableHLO to tensor ops of ttc";
  let description = [{
    Every public function becomes one of ttc ops, or the pass fails and names each op that has no
    counterpart, with the constraint of StableHLO's specification that does not hold. Private
    functions are inlined where they are called. Loops whose number of steps is known are unrolled;
    both branches of an `if` on data are computed. Shapes must be static.

    The dialect is not registered: the module must be in MLIR's generic form, and the tool must
    allow unregistered dialects (`ttc-opt --allow-unregistered-dialect`). docs/stablehlo.md lists the
    ops, and how JAX prints this form.

    ```mlir
    func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
      %0 = "stablehlo.broadcast_in_dim"(%y) <{broadcast_dimensions = array<i64: 1>}>
         : (tensor<3xf32>) -> tensor<2x3xf32>
      %1 = "stablehlo.maximum"(%x, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      return %1 : tensor<2x3xf32>
    }
    // becomes
    func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
      %0 = ttc.reshape %y : (tensor<3xf32>) -> tensor<1x3xf32>
      %1 = ttc.expand %0 : (tensor<1x3xf32>) -> tensor<2x3xf32>
      %2 = ttc.max %x, %1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      return %2 : tensor<2x3xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::ttc::TtcDialect"];
}

#endif // TTC_CONVERSION_PASSES_TD
