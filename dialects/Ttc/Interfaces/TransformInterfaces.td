// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ops tell the passes that transform a network.
#ifndef TTC_TRANSFORMINTERFACES_TD
#define TTC_TRANSFORMINTERFACES_TD

include "mlir/IR/OpBase.td"

def Ttc_PermutableOpInterface : OpInterface<"PermutableOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op whose operands and results have the same dimensions, except those it reduces, and which
    computes the same if all of them are permuted and its attributes are adapted. Elementwise ops do
    not implement it: they can always be permuted.
  }];
  let methods = [
    InterfaceMethod<[{
      Adapts the attributes of this op to operands whose dimension `i` was dimension
      `permutation[i]` before.
    }], "void", "permuteDimensions", (ins "::llvm::ArrayRef<int64_t>":$permutation)>,
    InterfaceMethod<[{
      The permutation of the results' dimensions that corresponds to `permutation` of the operands'
      dimensions; it differs if the op removes dimensions. Called before permuteDimensions().
    }], "::llvm::SmallVector<int64_t>", "getResultPermutation",
    (ins "::llvm::ArrayRef<int64_t>":$permutation), "",
    [{ return ::llvm::SmallVector<int64_t>(permutation); }]>
  ];
}

def Ttc_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    A collective on tensors: an op whose result depends on the operands of other devices.
  }];
  let methods = [
    InterfaceMethod<"The names of the axes along which the devices of a group differ.",
                    "::mlir::ArrayAttr", "getAxes">,
    InterfaceMethod<[{
      What is exchanged in groups of this number of devices. Fails, with a diagnostic, if the types do not fit.
    }], "::mlir::FailureOr<::mlir::ttc::CollectiveForm>", "getForm", (ins "int64_t":$devices)>
  ];
}

def Ttc_ChannelsLastOpInterface : OpInterface<"ChannelsLastOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op on images: its first operand and its result have the dimensions N, C, spatial..., or with
    `channels_last` N, spatial..., C. The layout of its other operands does not depend on that.
  }];
  let methods = [
    InterfaceMethod<"Whether channels are the last dimension.", "bool", "getChannelsLast">,
    InterfaceMethod<"Sets whether channels are the last dimension.", "void", "setChannelsLast",
                    (ins "bool":$channelsLast)>
  ];
}

def Ttc_AffineWeightsOpInterface : OpInterface<"AffineWeightsOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that is linear in its weights and adds a bias for each channel of its result. A scale or a
    shift of the result's channels can be folded into weights and bias.
  }];
  let methods = [
    InterfaceMethod<"The dimension of the result that holds the channels.", "int64_t",
                    "getResultChannelDim">,
    InterfaceMethod<"The weights.", "::mlir::OpOperand &", "getWeights">,
    InterfaceMethod<[{
      Builds ops that multiply the weights of each channel of the result by the channel's element of
      the vector `scale`. Returns weights of the same shape.
    }], "::mlir::Value", "scaleWeights",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$scale)>,
    InterfaceMethod<"The bias, a vector or null.", "::mlir::Value", "getChannelBias">,
    InterfaceMethod<"Replaces the bias with this vector.", "void", "setChannelBias",
                    (ins "::mlir::Value":$bias)>
  ];
}

def Ttc_ExactOpInterface : OpInterface<"ExactOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that may round nothing although it computes: on numbers of a narrow float type, its results
    are numbers of that type, too. Ops that only select elements do not implement it.
  }];
  let methods = [
    InterfaceMethod<"Whether results on numbers of `type` are numbers of `type`.", "bool", "isExactIn",
                    (ins "::mlir::FloatType":$type), "", [{ return true; }]>
  ];
}

def Ttc_SubviewCopyOpInterface : OpInterface<"SubviewCopyOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that only copies elements: its operands are subviews of its result (concat), or its results
    are subviews of its operand (slice, split). In a program the op copies. In a trace, where
    `--ttc-elide-copies` puts it, it copies nothing: it states that the parts are stored in the whole.
  }];
  let methods = [
    InterfaceMethod<[{
      The range of operand `index` within the result. Nothing if it is not a strided range of it.
    }], "std::optional<::mlir::ttc::StridedRange>", "getOperandInResult", (ins "unsigned":$index), "",
    [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      The range of result `index` within the first operand. Nothing if it is not a strided range of
      it.
    }], "std::optional<::mlir::ttc::StridedRange>", "getResultInOperand", (ins "unsigned":$index), "",
    [{ return std::nullopt; }]>
  ];
}

def Ttc_ShardableOpInterface : OpInterface<"ShardableOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op that computes a part of its one result from parts of its operands, so that one program can
    do so for each shard of a tensor. Attributes stay as they are, and no sum is ever split.
    Elementwise ops and splat constants do not implement it: getOperandPartitions() handles them.
  }];
  let methods = [
    InterfaceMethod<[{
      `parts` is the number of equal parts of each dimension of the result. `partitions` receives a list for
      each operand: for each of its dimensions, the dimension of the result that it is partitioned
      with, or -1 if a part needs all of it. Returns false if the op cannot be partitioned that way.
    }], "bool", "getOperandPartitions",
    (ins "::llvm::ArrayRef<int64_t>":$parts,
         "::llvm::SmallVectorImpl<::llvm::SmallVector<int64_t>> &":$partitions)>
  ];
}

#endif // TTC_TRANSFORMINTERFACES_TD
