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
    }], "::mlir::FailureOr<::mlir::ttc::CollectiveForm>", "getForm", (ins "int64_t":$devices)>,
    InterfaceMethod<[{
      Builds ops that compute the result of the device at `place` of a group from `operands`, those of
      its devices in order. The group fits getForm().
    }], "::mlir::Value", "unroll",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands, "int64_t":$place)>
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
      The same of all operands at once, because where a part begins may depend on all parts before it. Nothing if
      one is not a strided range.
    }], "std::optional<::llvm::SmallVector<::mlir::ttc::StridedRange>>", "getOperandsInResult", (ins), "",
    [{
      ::llvm::SmallVector<::mlir::ttc::StridedRange> ranges;
      for (unsigned i = 0; i < $_op->getNumOperands(); ++i) {
        std::optional<::mlir::ttc::StridedRange> range = $_op.getOperandInResult(i);
        if (!range)
          return std::nullopt;
        ranges.push_back(*range);
      }
      return ranges;
    }]>,
    InterfaceMethod<[{
      The range of result `index` within the first operand. Nothing if it is not a strided range of
      it.
    }], "std::optional<::mlir::ttc::StridedRange>", "getResultInOperand", (ins "unsigned":$index), "",
    [{ return std::nullopt; }]>
  ];
}

def Ttc_DimensionMapOpInterface : OpInterface<"DimensionMapOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    The loops of an op on tensors: which dimensions of its operands and results correspond, and what
    happens along each. Passes that divide, pad or shard dimensions ask only this. Elementwise ops do not
    implement it: getDimensionMap() broadcasts their operands. An op on tensors that is neither has
    `Ttc_WholeTensors`, with the reason.

    A dimension is indexed by the loops of its factors in row-major order, outermost first; a dimension of
    one element by none, so an operand that broadcasts lacks the loop. Each loop has a kind:

    | kind | along the loop | parts |
    |---|---|---|
    | `Parallel` | element `i` of a result depends only on elements `i` of operands | are independent |
    | `Reduction` | results combine all elements of operands by `combiner` | are combined after, if `combiner` is `Sum`, `Max` or `Min` |
    | `Window` | element `i` of a result combines elements of an operand near its place | overlap |
    | `Whole` | an element of a result may depend on every element of operands | need all elements |

    `combiner` names the neutral element, which elements added to an operand must have to change no other
    result: 0 for `Sum` and `Mean` (which also divides by the number of elements), 1 for `Product`, the lowest number
    for `Max`, the highest for `Min`. `None` has no neutral element. If operands and results of a `Whole` loop
    have the dimension, element `i` of each stands at the same place, as in a softmax, whose combiner is `Max`.

    A dimension may have sections, each of which has all its loops, as the columns of queries, keys and values
    have, which are divided by heads. No part of it is contiguous.

    Constraints, of what `describeDimensions` says:
    - (C1) The sizes of a dimension's loops multiply to the size of the dimension, and its sections add up to
      it; a loop of kind `Window` has the size of the result's dimension.
    - (C2) A loop indexes a value at most once.
    - (C3) A `Parallel` loop that indexes an operand indexes a result; a result's loop is no `Reduction`.
    - (C4) A `Window` loop alone indexes one dimension of operand 0 and one of the result.
    - (C5) If operands are replaced by their parts `k` along one divisible loop, the op computes part `k` of
      each result after `updateSizes`, or the `k`-th term of what is combined. An operand that is added to a
      sum, such as a bias, is then added once, after the terms.

    For `ttc.matmul` of 4 x 8 by 8 x 6 with a bias of 6 elements, the loops are `row` (`Parallel`, 4), `column`
    (`Parallel`, 6) and `sum` (`Reduction` by `Sum`, 8). They index `a` by [row, sum], `b` by [sum, column], the bias by
    [column] and the result by [row, column].

    For `ttc.reshape` of 2 x 768 to 2 x 12 x 64, the loops are of 2, 12 and 64 elements. Dimension 1 of the operand is
    indexed by [12, 64]. Only the outer loop is divisible: parts of an inner one are not contiguous.
  }];
  let methods = [
    InterfaceMethod<[{
      Describes the loops. Dimensions of which nothing is said become `Whole`, each by itself. Called
      for static tensors only.
    }], "void", "describeDimensions", (ins "::mlir::ttc::DimensionMap &":$map)>,
    InterfaceMethod<[{
      Adapts attributes that hold sizes after the types of operands and results were replaced by those of
      their parts.
    }], "void", "updateSizes", (ins), "", [{ (void)$_op; }]>
  ];
}

/// The op describes its loops; with attributes that hold sizes, it adapts them.
defvar Ttc_MapsDimensions = DeclareOpInterfaceMethods<Ttc_DimensionMapOpInterface>;
defvar Ttc_MapsDimensionsAndSizes
    = DeclareOpInterfaceMethods<Ttc_DimensionMapOpInterface, ["updateSizes"]>;

def Ttc_ExtentOpInterface : OpInterface<"ExtentOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An op of which `--ttc-mask-padding` must know more than its loops (Ttc_DimensionMapOpInterface), because the
    sizes of its dimensions are those of a bucket, and how many elements are valid, their extent, is known
    in each run: it slides a window, means over the number of elements, or takes parts.
  }];
  let methods = [
    InterfaceMethod<[{
      Demands what the padding of operands must hold (ExtentScope::fill), and sets the padding of results. Returns true if
      it has instead replaced the op by others, before it, that say so themselves. Fails, with a diagnostic, where
      results would depend on padding whatever it holds.
    }], "::mlir::FailureOr<bool>", "followExtents",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::ttc::ExtentScope &":$scope)>,
    InterfaceMethod<[{
      The name of the array attribute whose elements are sizes, which depend on the extents.
    }], "::llvm::StringRef", "getSizesName", (ins), "", [{ return {}; }]>,
    InterfaceMethod<[{
      Whether the sizes of the result do not follow from the operands, so that followExtents() asks for those
      that the importer has found (ExtentScope::getDeclared).
    }], "bool", "needsDims", (ins), "", [{ return false; }]>
  ];
}
defvar Ttc_FollowsExtents = DeclareOpInterfaceMethods<Ttc_ExtentOpInterface>;
defvar Ttc_FollowsDims = DeclareOpInterfaceMethods<Ttc_ExtentOpInterface, ["needsDims"]>;
defvar Ttc_FollowsDimsAndSizes
    = DeclareOpInterfaceMethods<Ttc_ExtentOpInterface, ["getSizesName", "needsDims"]>;
defvar Ttc_FollowsExtentsAndSizes
    = DeclareOpInterfaceMethods<Ttc_ExtentOpInterface, ["getSizesName"]>;

/// The op is neither elementwise nor implements Ttc_DimensionMapOpInterface, for a reason: it needs and
/// makes whole tensors.
class Ttc_WholeTensors<string reason> : NativeOpTrait<"WholeTensors"> {
  let cppNamespace = "::mlir::ttc";
  string whyWhole = reason;
}

/// With the same attributes, the op computes a part of its one result from parts of its operands, by its
/// parallel loops: one program can do so for each shard of a tensor. Elementwise ops need not say it.
def Ttc_Shardable : NativeOpTrait<"Shardable"> {
  let cppNamespace = "::mlir::ttc";
}

#endif // TTC_TRANSFORMINTERFACES_TD
