// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the passes that transform a network ask of its ops.
#ifndef TTC_TRANSFORMINTERFACES_TD
#define TTC_TRANSFORMINTERFACES_TD

include "mlir/IR/OpBase.td"

def Ttc_PermutableOpInterface : OpInterface<"PermutableOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op whose operands and results have the same dimensions (but for those it reduces),
    and which computes the same when all of them are permuted alike and its attributes
    follow. Elementwise ops need it not: they always can.
  }];
  let methods = [
    InterfaceMethod<[{
      Adapts the attributes of this op to operands whose dimension `i` was dimension
      `permutation[i]` before.
    }], "void", "permuteDimensions", (ins "::llvm::ArrayRef<int64_t>":$permutation)>,
    InterfaceMethod<[{
      The permutation of the results' dimensions that comes with `permutation` of the
      operands'; differs where dimensions go. Asked before permuteDimensions().
    }], "::llvm::SmallVector<int64_t>", "getResultPermutation",
    (ins "::llvm::ArrayRef<int64_t>":$permutation), "",
    [{ return ::llvm::SmallVector<int64_t>(permutation); }]>
  ];
}

def Ttc_ChannelsLastOpInterface : OpInterface<"ChannelsLastOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op on images: its first operand and its result have the dimensions N, C, spatial...,
    or with `channels_last` N, spatial..., C. Its other operands do not depend on it.
  }];
  let methods = [
    InterfaceMethod<"Whether channels are the last dimension.", "bool", "getChannelsLast">,
    InterfaceMethod<"Says where channels are.", "void", "setChannelsLast",
                    (ins "bool":$channelsLast)>
  ];
}

def Ttc_AffineWeightsOpInterface : OpInterface<"AffineWeightsOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that is linear in its weights and adds a bias for each channel of its result. What
    scales or shifts the channels of the result can go into weights and bias.
  }];
  let methods = [
    InterfaceMethod<"The dimension of the result that holds the channels.", "int64_t",
                    "getResultChannelDim">,
    InterfaceMethod<"The weights.", "::mlir::OpOperand &", "getWeights">,
    InterfaceMethod<[{
      Multiplies the weights of each channel of the result by its element of the vector
      `scale`: builds the ops that do so, and returns weights of the same shape.
    }], "::mlir::Value", "scaleWeights",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$scale)>,
    InterfaceMethod<"The bias, a vector or null.", "::mlir::Value", "getChannelBias">,
    InterfaceMethod<"Replaces the bias by this vector.", "void", "setChannelBias",
                    (ins "::mlir::Value":$bias)>
  ];
}

def Ttc_SubviewCopyOpInterface : OpInterface<"SubviewCopyOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that only moves elements, such that its operands are parts of its result (concat), or its
    results parts of its operand (slice, split). In a program such an op copies. Standing in a trace
    (`--ttc-elide-copies` puts it there) it moves nothing: it says that the parts lie in the whole.
  }];
  let methods = [
    InterfaceMethod<[{
      Where operand `index` lies within the result, or nothing if it is no part of it.
    }], "std::optional<::mlir::ttc::StridedRange>", "getOperandInResult", (ins "unsigned":$index), "",
    [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      Where result `index` lies within the first operand, or nothing if it is no part of it.
    }], "std::optional<::mlir::ttc::StridedRange>", "getResultInOperand", (ins "unsigned":$index), "",
    [{ return std::nullopt; }]>
  ];
}

def Ttc_ShardableOpInterface : OpInterface<"ShardableOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that computes a part of its one result from parts of its operands, so that one program does so
    for each shard of a tensor. Attributes stay as they are, and no sum is ever split. Elementwise ops
    and constants of one value need it not (getOperandCuts() knows them).
  }];
  let methods = [
    InterfaceMethod<[{
      `parts` says into how many equal parts each dimension of the result is cut. `cuts` gets a
      list for each operand, of the result's dimension along with which each of the operand's is cut, or
      -1 where a part needs all of it. False if the op cannot be cut that way.
    }], "bool", "getOperandCuts",
    (ins "::llvm::ArrayRef<int64_t>":$parts,
         "::llvm::SmallVectorImpl<::llvm::SmallVector<int64_t>> &":$cuts)>
  ];
}

#endif // TTC_TRANSFORMINTERFACES_TD
