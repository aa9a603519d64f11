// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From ops on tensors (level 1) to programs and dispatches of them (level 2).
#ifndef TTC_TRANSFORMS_PROGRAMPASSES_TD
#define TTC_TRANSFORMS_PROGRAMPASSES_TD

include "Options.td"

def SetTarget : Pass<"ttc-set-target", "::mlir::ModuleOp"> {
  let summary = "Gives the module the target that it is compiled for";
  let description = [{
    Sets the module's attribute `ttc.target`, which later passes ask. A module that has a
    target keeps it.

    ```mlir
    module {}
    // becomes, with target=wormhole_n150 target-cpu=x86-64-v3,
    module attributes {ttc.target = #ttc.target<name = "wormhole_n150", ...>} {}
    ```
  }];
  let dependentDialects = ["::mlir::ttc::TtcDialect"];
  let options = [TargetOption, TargetCpuOption];
}

def FoldConstants : Pass<"ttc-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Computes while compiling what depends on constants only";
  let description = [{
    Evaluates ops whose operands are constants, of any size: those that are elementwise or
    implement ConstantEvaluableOpInterface. Before that it rewrites so that more becomes
    constant: batch_norm turns into a multiplication and an addition for each channel; what
    multiplies or adds to the channels of an op that implements AffineWeightsOpInterface goes
    into its weights and bias; sums and products of several constants are joined.

    Large results are resources, called after the constant they were made from; the data of
    constants that nobody uses any more is freed.

    Before:
    ```mlir
    %0 = ttc.conv %x, %w {...} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
    %1 = ttc.batch_norm %0, %scale, %bias, %mean, %var {...}
    ```
    After, where the weights are constant:
    ```mlir
    %w1 = ttc.constant ...    // %w * %scale / sqrt(%var + epsilon)
    %b1 = ttc.constant ...    // %bias - %mean * %scale / sqrt(%var + epsilon)
    %1 = ttc.conv %x, %w1, %b1 {...}
    ```

    Counters (`--mlir-pass-statistics`): `evaluated`, `released-bytes`.
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", /*default=*/"1048576",
           "How many bytes larger than twice its operands a result may be">
  ];
}

def ChannelsLast : Pass<"ttc-channels-last", "::mlir::ModuleOp"> {
  let summary = "Computes on images whose channels are the last dimension";
  let description = [{
    Every op that implements ChannelsLastOpInterface computes on channels-last images, between
    transposes. These then move down, through elementwise ops (constants that broadcast are
    reshaped), ops that implement PermutableOpInterface and reshapes that split or merge
    neighbours, until they meet their inverse and vanish. A transpose that only moves
    dimensions of size 1 is a reshape. Constant weights of a matmul take the transpose of a
    flattened image over.

    Before:
    ```mlir
    %0 = ttc.conv %x, %w {...} : (tensor<1x3x8x8xf32>, ...) -> tensor<1x4x8x8xf32>
    %1 = ttc.relu %0 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    %2 = ttc.max_pool %1 {...} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
    ```
    After:
    ```mlir
    %t = ttc.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : ... -> tensor<1x8x8x3xf32>
    %0 = ttc.conv %t, %w {..., channels_last} : (tensor<1x8x8x3xf32>, ...) -> tensor<1x8x8x4xf32>
    %1 = ttc.relu %0 : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
    %2 = ttc.max_pool %1 {..., channels_last} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
    %3 = ttc.transpose %2 {permutation = array<i64: 0, 3, 1, 2>} : ... -> tensor<1x4x4x4xf32>
    ```

    Counters (`--mlir-pass-statistics`): `transposes`.
  }];
}

def ChooseKernels : Pass<"ttc-choose-kernels", "::mlir::ModuleOp"> {
  let summary = "Gives dense f32 ops to the kernels that compute them";
  let description = [{
    Channels-last convolutions, matrix products and pools of f32 become kernel ops; what has
    no kernel stays for the route through linalg. Weights that do not change are packed by
    `ttc.pack`, to be folded by `--ttc-fold-constants`. Register tiles follow from the module's
    `ttc.target`, or from this machine where there is none.

    Transposes, slices and reshapes in front of a matrix product become strided views of its
    operands, a transpose behind it one of its result, so that nothing moves.

    Before:
    ```mlir
    %0 = ttc.matmul %x, %w, %bias : (tensor<1x128x768xf32>, tensor<768x768xf32>, tensor<768xf32>)
      -> tensor<1x128x768xf32>
    ```
    After:
    ```mlir
    %p = ttc.pack %w {kind = #ttc.pack_kind<matmul>, nr = 16 : i64}
      : tensor<768x768xf32> -> tensor<1x48x768x16xf32>
    %1 = ttc.kernel.gemm %x, %p {packed, tile = array<i64: 6, 16>}
      : (tensor<1x128x768xf32>, tensor<1x48x768x16xf32>) -> tensor<1x128x768xf32>
    %0 = ttc.add %1, %bias : (tensor<1x128x768xf32>, tensor<768xf32>) -> tensor<1x128x768xf32>
    ```

    Counters (`--mlir-pass-statistics`): `kernels`.
  }];
}

def Fuse : Pass<"ttc-fuse", "::mlir::ModuleOp"> {
  let summary = "Groups the ops that become one program";
  let description = [{
    Puts every op on tensors into exactly one `ttc.fusion`, but for constants (also those that
    `--ttc-fold-constants` is still to compute), reshapes (views that cost nothing) and host
    work:

    - a kernel op with the elementwise ops behind it, as far as its epilogue can run them: all
      of f32 and of the result's shape, other operands of that shape, vectors along the last
      dimension or single elements, and nothing but the last value used outside;
    - elementwise ops of one shape that feed each other and nobody else, the last of them
      possibly an op along some dimensions that keeps the shape (softmax);
    - any other op alone.

    Constants that are one element, or the same element everywhere, move into the fusions of
    elementwise ops that use them.

    Before:
    ```mlir
    %0 = ttc.kernel.gemm %x, %w {...} : ... -> tensor<1x56x56x64xf32>
    %1 = ttc.add %0, %bias : (tensor<1x56x56x64xf32>, tensor<64xf32>) -> tensor<1x56x56x64xf32>
    %2 = ttc.relu %1 : (tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
    ```
    After:
    ```mlir
    %2 = ttc.fusion (%a = %x : ..., %b = %w : ..., %c = %bias : tensor<64xf32>)
        -> tensor<1x56x56x64xf32> {
      %3 = ttc.kernel.gemm %a, %b {...} : ... -> tensor<1x56x56x64xf32>
      %4 = ttc.add %3, %c : (tensor<1x56x56x64xf32>, tensor<64xf32>) -> tensor<1x56x56x64xf32>
      %5 = ttc.relu %4 : (tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
      ttc.yield %5 : tensor<1x56x56x64xf32>
    }
    ```

    Counters (`--mlir-pass-statistics`): `fusions`, `ops`.
  }];
}

def OutlinePrograms : Pass<"ttc-outline-programs", "::mlir::ModuleOp"> {
  let summary = "Makes a program of every fusion and dispatches it";
  let description = [{
    Each `ttc.fusion` becomes a `ttc.dispatch` of a `ttc.program` that holds its body.
    Fusions with equal bodies (locations aside) share one program. A program is named
    after what it does and the shape it makes, made unique by the module's symbol table.
    The dispatch keeps the fusion's location: the nodes of the source model that it runs.

    Before:
    ```mlir
    %1 = ttc.fusion (%a = %0 : tensor<1x8xf32>) -> tensor<1x8xf32> {
      %r = ttc.relu %a : (tensor<1x8xf32>) -> tensor<1x8xf32>
      ttc.yield %r : tensor<1x8xf32>
    }
    ```
    After:
    ```mlir
    %1 = ttc.dispatch @relu_8(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
    ...
    ttc.program private @relu_8(%a: tensor<1x8xf32>) -> tensor<1x8xf32> {
      %r = ttc.relu %a : (tensor<1x8xf32>) -> tensor<1x8xf32>
      ttc.return %r : tensor<1x8xf32>
    }
    ```

    Counters (`--mlir-pass-statistics`): `dispatches`, `programs`.
  }];
}

#endif // TTC_TRANSFORMS_PROGRAMPASSES_TD
