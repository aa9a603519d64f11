// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_INTERFACES_TD
#define TTC_INTERFACES_TD

include "mlir/IR/OpBase.td"

/// An op whose result element depends only on the operands' elements at the same (broadcast) index.
/// Its one definition serves the lowering to linalg, the epilogues of the dense kernels and constant
/// evaluation.
def Ttc_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    An elementwise op. Its operands broadcast by NumPy's rules to the shape of its one result.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits arith and math ops that compute the result from `elements`, one value
      for each operand of the op. The values are all scalars or all vectors of one
      shape; their element types are the operands' element types (signless
      integers; i1 for bool). Returns a value of the result's element type, in the
      same shape.
    }], "::mlir::Value", "emitElement",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::ValueRange":$elements)>,
    InterfaceMethod<[{
      The operations for one element of the result, weighted as Ttc_CountedOpInterface says.
    }], "int64_t", "getOperationsPerElement", (ins), "", "return 1;">
  ];
}

/// An op that computes, and that shapes and attributes tell how much. Elementwise ops do not
/// implement it: countOperations() handles them, and ops that only move elements.
def Ttc_CountedOpInterface : OpInterface<"CountedOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    Counts operations as the op's mathematical definition has them, on floats and on integers alike:

    - an addition, subtraction, multiplication, comparison, minimum, maximum, rounding, or operation on
      bits counts 1, so a multiply-add counts 2;
    - a division or a square root counts 4 (`kDivision`);
    - an elementary function, such as exp, log, erf, tanh or pow, counts 8 (`kFunction`);
    - moving, selecting by index, packing and converting elements count 0, as do corrections by zero
      points in products of integers;
    - padding counts where a window covers it, as in the usual formula for convolutions: results x
      elements of the kernel x input channels of a group x 2.

    The weights are those of normalised floating-point operations as the Livermore loops introduced
    them. What a kernel really executes may differ: it may skip padding, and it evaluates a function by
    as many operations as its polynomial has.
  }];
  let methods = [
    InterfaceMethod<"The operations of one execution.", "int64_t", "getOperationCount">
  ];
}

/// An op that a device kernel of kernels/ computes. If the kernel has an epilogue, the op has one result,
/// a tensor of f32 or i32.
def Ttc_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    The lowering of a program calls `getKernelSymbol()` with a pointer array that holds the op's
    operands in order, then its results in order, then whatever the epilogue reads:
    `void symbol(void *const *operands, uint8_t *scratch, int64_t workgroup,
    const int64_t *params, epilogue_t epilogue)`. All values depend on shapes and attributes
    only, never on the number of cores.
  }];
  let methods = [
    InterfaceMethod<"The function of the kernel library.", "::llvm::StringRef",
                    "getKernelSymbol">,
    InterfaceMethod<[{
      True if what the op leaves open has been decided; only then the arguments, the grid and the
      scratch are known.
    }], "bool", "isPlanned", (ins), "", "return true;">,
    InterfaceMethod<"The constant arguments, laid out as in kernels/Params.h.", "void",
                    "getKernelParams", (ins "::llvm::SmallVectorImpl<int64_t> &":$params)>,
    InterfaceMethod<"Independent workgroups that the work is split into.", "int64_t", "getGrid">,
    InterfaceMethod<"Bytes of scratch that one workgroup needs.", "int64_t",
                    "getScratchBytes">,
    InterfaceMethod<[{
      True if an elementwise tail can run in the kernel, once for each vector that it stores.
    }], "bool", "hasEpilogue", (ins), "", "return true;">,
    InterfaceMethod<[{
      The most vector constants of an epilogue that is inlined into the kernel's loops: they take
      the registers that accumulators and operands leave.
    }], "int64_t", "getMaxEpilogueConstants", (ins), "", "return 2;">,
    InterfaceMethod<[{
      Whether the kernel stores results of this element type after its epilogue. One that can store
      anything but f32 is given the epilogue's vectors as 32-bit integers: a float's bits, or an
      integer's value.
    }], "bool", "canStore", (ins "::mlir::Type":$elementType), "",
    "return elementType.isF32();">,
    InterfaceMethod<[{
      The operand that result `result` is a changed copy of, if it may be stored where that operand
      is. The kernel compares both addresses: if they are equal, it writes only what changes; otherwise
      each workgroup also copies its part of what does not. In both cases, a workgroup reads no byte
      of the operand that another one changes.
    }], "std::optional<unsigned>", "getUpdatedOperand", (ins "unsigned":$result), "",
    "return std::nullopt;">,
    InterfaceMethod<[{
      Lets the kernel skip what lies beyond the bounds of the result's dimensions, one element of `dims`
      for each: appends numbers of elements to `bounds`, as expressions over the extents. They are computed in each workgroup,
      from 1 to the size, and the kernel finds a pointer to them after its results, as i64. Adapts `params`. Returns false, and
      changes nothing, if the kernel computes everything.
    }], "bool", "getBounds",
    (ins "::llvm::ArrayRef<::mlir::ttc::BoundedFactors>":$dims, "::mlir::ttc::BoundedFactors &":$bounds,
         "::llvm::MutableArrayRef<int64_t>":$params), "",
    "return false;">,
    InterfaceMethod<[{
      Whether the kernel can access operand `index` (after the operands: its results) with this
      strided layout. If an operand is an argument of a `ttc.program` with `ttc.strided`, parameters,
      scratch and grid depend on that layout (getOperandStrided(), getResultStrided()).
    }], "bool", "acceptsStrided", (ins "unsigned":$index, "const ::mlir::ttc::StridedRange &":$range), "",
    "return false;">
  ];
}

/// A kernel that slides windows over an image, and takes what lies beyond its first elements for padding.
def Ttc_WindowKernelOpInterface : OpInterface<"WindowKernelOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    Operand 0 is the image, channels-last. Along spatial dimension `valid_dims[i]` only its first `valid[i]`
    elements count, as if the image ended there: from 0 to all of them, and numbers beyond are clamped. What
    follows is padding, of the value that the kernel pads with. So `ttc.where` of 0, 1, ... below n, the image, and this value
    is `valid(n)`, and takes no work at all.

    Constraints:
    - (W1) Each of `valid` has one element.
    - (W2) `valid_dims` has an ascending spatial dimension of the image for each of `valid`.
  }];
  let methods = [
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getValidMutable">,
    InterfaceMethod<"", "::llvm::ArrayRef<int64_t>", "getValidDims">,
    InterfaceMethod<"", "void", "setValidDims", (ins "::llvm::ArrayRef<int64_t>":$dims)>,
    InterfaceMethod<[{
      The spatial dimension that dimension `dim` of operand 0 is; nothing if it is another one, or the op slides no windows.
    }], "std::optional<int64_t>", "getSpatialDim", (ins "int64_t":$dim), "", [{
      const int64_t rank = ::llvm::cast<::mlir::RankedTensorType>($_op->getOperand(0).getType()).getRank();
      return dim >= 1 && dim < rank - 1 ? std::optional(dim - 1) : std::nullopt;
    }]>,
    InterfaceMethod<"Spatial dimensions of the windows.", "int64_t", "getNumSpatialDims", (ins), "", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op->getOperand(0).getType()).getRank() - 2;
    }]>,
    InterfaceMethod<"Whether `number`, of any shape, is the value that the kernel pads with.", "bool", "padsWith",
    (ins "::mlir::Value":$number), "", "return ::mlir::ttc::detail::isSplatOf(number, 0.0);">
  ];
  let verify = "return ::mlir::ttc::detail::verifyValid($_op);";
}

/// An op that can compute its one result at compile time from constant operands.
def Ttc_ConstantEvaluableOpInterface : OpInterface<"ConstantEvaluableOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    Serves tensors that are too large for a folder: weights are evaluated by all threads, without
    copies in the context.
  }];
  let methods = [
    InterfaceMethod<[{
      Writes the result's elements to `result`. `operands` holds each operand's elements; both
      are row-major in the element type's storage and aligned to it.
    }], "::llvm::LogicalResult", "evaluateConstant",
    (ins "::llvm::ArrayRef<::llvm::ArrayRef<char>>":$operands,
         "::llvm::MutableArrayRef<char>":$result)>,
    InterfaceMethod<[{
      Whether to evaluate the op however much larger than its operands the result is: the growth is
      bounded, and a kernel reads the result in this form.
    }], "bool", "isAlwaysWorthEvaluating", (ins), "", "return false;">
  ];
}

#endif // TTC_INTERFACES_TD
