// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives on tensors: what each device of a mesh has becomes what each device has.
#ifndef TTC_COLLECTIVEOPS_TD
#define TTC_COLLECTIVEOPS_TD

include "dialects/Ttc/Tensors/TensorOpBase.td"

// The groups are the devices that differ only in the coordinates of `axes`, in row-major order of `axes`. Which
// axes the mesh has, and their sizes, is verified by --ttc-choose-collectives.
class Ttc_CollectiveTensorOp<string mnemonic, list<Trait> traits = []>
    : Ttc_TensorOp<mnemonic, !listconcat([
        Ttc_WholeTensors<"the result depends on the operands of other devices">,
        DeclareOpInterfaceMethods<Ttc_CollectiveOpInterface>], traits)> {
  let results = (outs Ttc_Tensor:$y);
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Ttc_AllReduceOp : Ttc_CollectiveTensorOp<"all_reduce"> {
  let summary = "the sum over a group of devices";
  let description = [{
    Every device of a group gets the sum of all their operands, element by element; with
    `reduction`, `max` or `min`, the maximum or the minimum.

    Constraints:
    - (C1) `axes` are at least one name, and distinct.
    - (C2) The result has the operand's type.

    ```mlir
    %y = ttc.all_reduce %x {axes = ["y"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %z = ttc.all_reduce %x reduction max {axes = ["y"]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Ttc_NumberTensor:$x, StrArrayAttr:$axes,
                       DefaultValuedAttr<Ttc_Reduction, "Reduction::Sum">:$reduction);
  let assemblyFormat = [{
    operands (`reduction` $reduction^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
}

def Ttc_AllGatherOp : Ttc_CollectiveTensorOp<"all_gather"> {
  let summary = "the operands of a group of devices, concatenated";
  let description = [{
    Every device of a group gets the operands of all, concatenated along `dimension` in the order of the group.

    Constraints:
    - (C1) `axes` are at least one name, and distinct.
    - (C2) `dimension` is one of the operand's.
    - (C3) The result has the operand's element type and shape, with a multiple of `dimension`.

    ```mlir
    %y = ttc.all_gather %x {axes = ["y"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x32xf32>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$x, StrArrayAttr:$axes, Ttc_I64Attr:$dimension);
}

def Ttc_ReduceScatterOp : Ttc_CollectiveTensorOp<"reduce_scatter"> {
  let summary = "a part of the sum over a group of devices";
  let description = [{
    The operands of a group are combined as by `ttc.all_reduce`. The result is divided along `dimension` into equal parts, one
    for each device, in the order of the group.

    Constraints:
    - (C1) `axes` are at least one name, and distinct.
    - (C2) `dimension` is one of the operand's.
    - (C3) The result has the operand's element type and shape, with a divisor of `dimension`.

    ```mlir
    %y = ttc.reduce_scatter %x {axes = ["y"], dimension = 1} : (tensor<4x8xf32>) -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Ttc_NumberTensor:$x, StrArrayAttr:$axes, Ttc_I64Attr:$dimension,
                       DefaultValuedAttr<Ttc_Reduction, "Reduction::Sum">:$reduction);
  let assemblyFormat = [{
    operands (`reduction` $reduction^)? custom<TensorAttributes>(attr-dict)
    `:` functional-type(operands, results)
  }];
}

def Ttc_AllToAllOp : Ttc_CollectiveTensorOp<"all_to_all"> {
  let summary = "a part of the operand of each device of a group";
  let description = [{
    Every device divides its operand along `split` into equal parts, one for each device of the group, and gets its own
    part of every operand, concatenated along `concat` in the order of the group.

    Constraints:
    - (C1) `axes` are at least one name, and distinct.
    - (C2) `split` and `concat` are dimensions of the operand.
    - (C3) The result has the operand's element type and as many elements: `split` is divided, and `concat`
      multiplied, by one number; if they are the same dimension, the type is the operand's.

    ```mlir
    %y = ttc.all_to_all %x {axes = ["y"], split = 0, concat = 1} : (tensor<4x8xf32>) -> tensor<1x32xf32>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$x, StrArrayAttr:$axes, Ttc_I64Attr:$split, Ttc_I64Attr:$concat);
}

def Ttc_BroadcastOp : Ttc_CollectiveTensorOp<"broadcast"> {
  let summary = "the operand of one device of a group";
  let description = [{
    Every device of a group gets the operand of its device number `root`.

    Constraints:
    - (C1) `axes` are at least one name, and distinct.
    - (C2) The result has the operand's type.
    - (C3) `root` is at least 0.

    ```mlir
    %y = ttc.broadcast %x {axes = ["y"], root = 0} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$x, StrArrayAttr:$axes, Ttc_I64Attr:$root);
}

def Ttc_PermuteOp : Ttc_CollectiveTensorOp<"permute"> {
  let summary = "the operand of another device of a group";
  let description = [{
    Device i of a group gets the operand of the group's device `sources[i]`: a device sends to those that name it.

    Constraints:
    - (C1) `axes` are at least one name, and distinct.
    - (C2) The result has the operand's type.
    - (C3) `sources` are at least 0 and distinct.

    ```mlir
    // Each device sends to the next one.
    %y = ttc.permute %x {axes = ["y"], sources = [3, 0, 1, 2]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Ttc_Tensor:$x, StrArrayAttr:$axes, DenseI64ArrayAttr:$sources);
}

#endif // TTC_COLLECTIVEOPS_TD
