// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that reduce dimensions.
#ifndef TTC_REDUCTIONOPS_TD
#define TTC_REDUCTIONOPS_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"

class Ttc_ReduceOp<string mnemonic, TypeConstraint type, string what, list<Trait> traits = []>
    : Ttc_InferredOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<Ttc_ConstantEvaluableOpInterface>,
        DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
        Ttc_MapsDimensions, Ttc_Shardable,
        DeclareOpInterfaceMethods<Ttc_PermutableOpInterface, ["getResultPermutation"]>], traits)> {
  let summary = what # " over some dimensions";
  let description = [{
    The }] # what # [{ of the elements along `axes`. With `keepdims` these dimensions
    remain with size 1; otherwise they are removed. Without axes the result is the operand.

    Constraints:
    - (C1) `axes` are dimensions of `x`, in increasing order.

    ```mlir
    %y = ttc.}] # mnemonic # [{ %x {axes = [2, 3], keepdims}
       : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
    ```
  }];
  let arguments = (ins type:$x, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs type:$y);
  let hasCanonicalizeMethod = 1;
}
def Ttc_ReduceSumOp : Ttc_ReduceOp<"reduce_sum", Ttc_NumberTensor, "sum", [Ttc_PassesNan]>;
def Ttc_ReduceMeanOp : Ttc_ReduceOp<"reduce_mean", Ttc_NumberTensor, "mean",
                                    [Ttc_PassesNan, Ttc_FollowsExtents]>;
def Ttc_ReduceMaxOp : Ttc_ReduceOp<"reduce_max", Ttc_NumberTensor, "maximum",
                                     [Ttc_ExactOpInterface]>;
def Ttc_ReduceMinOp : Ttc_ReduceOp<"reduce_min", Ttc_NumberTensor, "minimum",
                                     [Ttc_ExactOpInterface]>;
def Ttc_ReduceProdOp : Ttc_ReduceOp<"reduce_prod", Ttc_NumberTensor, "product">;

class Ttc_ArgReduceOp<string mnemonic, string what>
    : Ttc_InferredOp<mnemonic, [
        DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
        Ttc_MapsDimensions, Ttc_FollowsExtents, Ttc_Shardable,
        DeclareOpInterfaceMethods<Ttc_PermutableOpInterface, ["getResultPermutation"]>]> {
  let summary = "index of the " # what # " along an axis";
  let description = [{
    The index of the }] # what # [{ along `axis`: the first one if there are several,
    or with `select_last` the last. With `keepdims` the dimension remains, with size 1.

    Constraints:
    - (C1) `axis` is a dimension of `x`.

    ```mlir
    %y = ttc.}] # mnemonic # [{ %x {axis = 1, keepdims} : (tensor<4x10xf32>) -> tensor<4x1xi64>
    ```
  }];
  let arguments = (ins Ttc_NumberTensor:$x, Ttc_I64Attr:$axis, UnitAttr:$keepdims,
      UnitAttr:$select_last);
  let results = (outs Ttc_TensorOf<[I64], "i64">:$y);
}
def Ttc_ArgmaxOp : Ttc_ArgReduceOp<"argmax", "maximum">;
def Ttc_ArgminOp : Ttc_ArgReduceOp<"argmin", "minimum">;

#endif // TTC_REDUCTIONOPS_TD
