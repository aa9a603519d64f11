// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that walk their operands in order, or write where data says: no nest of parallel loops
// expresses them, so each has a kernel.
#ifndef TTC_SEQUENTIALOPS_TD
#define TTC_SEQUENTIALOPS_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"
include "dialects/Ttc/Tensors/TensorEnums.td"

class Ttc_SequentialOp<string mnemonic, list<Trait> traits = [DeclareOpInterfaceMethods<Ttc_CountedOpInterface>]>
    : Ttc_InferredOp<mnemonic, !listconcat([
        Ttc_WholeTensors<"its kernel walks the operand in order, or writes where data says">,
        DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
        DeclareOpInterfaceMethods<Ttc_KernelOpInterface, ["hasEpilogue", "getUpdatedOperand"]>], traits)>;

def Ttc_ScatterElementsOp : Ttc_SequentialOp<"scatter_elements",
    [DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_FollowsExtents]> {
  let summary = "writes elements by index along an axis";
  let description = [{
    A copy of `data` in which `y[i, indices[i, j, k], k] = updates[i, j, k]`, with `axis` in the
    place of `j`. With a `reduction`, the update is added to, multiplied with or compared with the element
    that is there. Updates are applied in the order of `indices`, so of several for one element
    the last one counts. A negative index counts from the end. An update whose index is out of range
    is left out. The result may be stored where `data` is; then only the updates are written.

    Constraints:
    - (C1) `data` and `updates` have the same element type; with a reduction, it is not bool.
    - (C2) `data` has one to eight dimensions, and `indices` has as many.
    - (C3) `axis` is one of them.
    - (C4) `updates` has the shape of `indices`, which is not larger than `data` in any dimension but
      `axis`.

    ```mlir
    %y = ttc.scatter_elements %data, %indices, %updates reduction add {axis = 1}
       : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$data, Ttc_IndexTensor:$indices, Ttc_Tensor:$updates,
      Ttc_I64Attr:$axis,
      DefaultValuedAttr<Ttc_ScatterReductionAttr, "ScatterReduction::None">:$reduction);
  let results = (outs Ttc_Tensor:$y);
  let hasFolder = 1;
  let assemblyFormat = [{
    operands (`reduction` $reduction^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
}

def Ttc_ScatterNdOp : Ttc_SequentialOp<"scatter_nd",
    [DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_FollowsExtents]> {
  let summary = "writes slices by vectors of indices";
  let description = [{
    A copy of `data` in which `y[indices[j..., :]] = updates[j...]`: the last dimension of `indices`
    holds positions in the first dimensions of `data`. Indices, `reduction`, the order of updates and
    where the result may be stored are as in `ttc.scatter_elements`.

    Constraints:
    - (C1) `data` and `updates` have the same element type; with a reduction, it is not bool.
    - (C2) `indices` has at least one dimension, and the last is from 1 to the number of dimensions of
      `data`, at most 8.
    - (C3) `updates` has the dimensions of `indices` but the last, then those of `data` that the indices
      leave.

    ```mlir
    %y = ttc.scatter_nd %data, %indices, %updates
       : (tensor<4x8x2xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<4x8x2xf32>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$data, Ttc_IndexTensor:$indices, Ttc_Tensor:$updates,
      DefaultValuedAttr<Ttc_ScatterReductionAttr, "ScatterReduction::None">:$reduction);
  let results = (outs Ttc_Tensor:$y);
  let hasFolder = 1;
  let assemblyFormat = [{
    operands (`reduction` $reduction^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
}

def Ttc_CumulativeOp : Ttc_SequentialOp<"cumulative",
    [DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_FollowsExtents]> {
  let summary = "running sums or products along an axis";
  let description = [{
    Element `i` along `axis` is the sum (`sum`) or the product (`prod`) of the elements up to `i`, with
    `exclusive` of those before `i` only. With `reverse`, the walk begins at the end. Elements are combined one
    after the other; f16 and bf16 in f32.

    Constraints:
    - (C1) `axis` is a dimension of `x`.

    ```mlir
    %y = ttc.cumulative sum %x {axis = 1, exclusive} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Ttc_CumulativeKindAttr:$kind, Ttc_NumberTensor:$x, Ttc_I64Attr:$axis,
      UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Ttc_NumberTensor:$y);
  let assemblyFormat = [{
    $kind operands custom<TensorAttributes>(attr-dict) `:` functional-type(operands, results)
  }];
}

def Ttc_ArgsortOp : Ttc_SequentialOp<"argsort",
    [DeclareOpInterfaceMethods<Ttc_CountedOpInterface>, Ttc_FollowsExtents]> {
  let summary = "the places of the first elements in order";
  let description = [{
    The places along `axis` of the `count` smallest elements, the smallest first, or with `largest` of the
    largest ones, the largest first. Of equal elements, the first one comes first. NaN is larger than
    all numbers, and equal to NaN.

    Constraints:
    - (C1) `axis` is a dimension of `x`, of less than 2^31 elements.
    - (C2) `count` is from 0 to the size of that dimension.

    ```mlir
    %y = ttc.argsort %x {axis = 1, count = 3, largest} : (tensor<4x8xf32>) -> tensor<4x3xi64>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$x, Ttc_I64Attr:$axis, Ttc_I64Attr:$count, UnitAttr:$largest);
  let results = (outs Ttc_IndexTensor:$y);
}

// How much it computes depends on its boxes, so it is not counted.
def Ttc_NonMaxSuppressionOp : Ttc_SequentialOp<"non_max_suppression", []> {
  let summary = "the boxes of the highest scores that do not overlap";
  let description = [{
    For each batch and class, chooses boxes by falling score (of equal ones the first) until there are
    `most`: a box of a score above `score_threshold` that overlaps no box chosen before by more
    than `iou_threshold` of their common area. Each is a row `batch, class, box` of the result; rows
    that remain are -1, boxes for which none remains are left out. A box is two opposite corners, or
    with `center_point` its center, width and height.

    Constraints:
    - (C1) `boxes` is [batches, boxes, 4] and `scores` [batches, classes, boxes], with less than 2^31
      boxes.
    - (C2) `most`, `iou_threshold` and `score_threshold` have one element.
    - (C3) `rows` is not negative.

    ```mlir
    %y = ttc.non_max_suppression %boxes, %scores, %most, %iou, %score {rows = 30}
       : (tensor<1x100x4xf32>, tensor<1x3x100xf32>, tensor<i64>, tensor<f32>, tensor<f32>)
       -> tensor<30x3xi64>
    ```
  }];
  let arguments = (ins Ttc_F32Tensor:$boxes, Ttc_F32Tensor:$scores, Ttc_I64Tensor:$most,
      Ttc_F32Tensor:$iou_threshold, Ttc_F32Tensor:$score_threshold, Ttc_I64Attr:$rows,
      UnitAttr:$center_point);
  let results = (outs Ttc_I64Tensor:$y);
}

def Ttc_DeterminantOp : Ttc_SequentialOp<"determinant"> {
  let summary = "determinants of matrices";
  let description = [{
    The determinants of the matrices in the last two dimensions, by elimination with pivots in f64.

    Constraints:
    - (C1) `x` has at least two dimensions, and the last two are equal.

    ```mlir
    %y = ttc.determinant %x : (tensor<4x3x3xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ttc_FloatTensor:$x);
  let results = (outs Ttc_FloatTensor:$y);
}

#endif // TTC_SEQUENTIALOPS_TD
