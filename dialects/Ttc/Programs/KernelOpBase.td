// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel ops of several families have in common.
#ifndef TTC_KERNELOPBASE_TD
#define TTC_KERNELOPBASE_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/TransformInterfaces.td"
include "dialects/Ttc/Interfaces/ComputeInterfaces.td"
include "dialects/Ttc/Tensors/TensorEnums.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"

def Ttc_KernelTensor : StaticShapeTensorOf<[F32]>;
def Ttc_SignedByteTensor : StaticShapeTensorOf<[I8]>;

/// How many elements of an image count along one dimension: see Ttc_WindowKernelOpInterface.
def Ttc_ValidTensor : StaticShapeTensorOf<[I32]>;

def Ttc_ViewAttr : Ttc_Attr<"View", "view"> {
  let summary = "A strided view of a tensor's elements";
  let description = [{
    Element (i0, i1, ...) of the view is element `offset + i0*strides[0] + i1*strides[1] + ...`
    of the tensor, counted in row-major order. Transposes, slices and splits of dimensions
    compose into one view, so that a kernel reads and writes through it and nothing is moved.

    Constraints:
    - (C1) `shape` and `strides` have the same size, and no size is negative.

    ```mlir
    // The heads of tensor<1x128x12x64xf32> as 1x12x128x64.
    #ttc.view<shape = [1, 12, 128, 64], strides = [98304, 64, 768, 1], offset = 0>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    ArrayRefParameter<"int64_t">:$strides,
    "int64_t":$offset);
  let assemblyFormat = [{
    `<` `shape` `=` `[` $shape `]` `,` `strides` `=` `[` $strides `]` `,` `offset` `=` $offset `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The view that is the tensor itself.
    static ViewAttr getIdentity(::mlir::RankedTensorType type);
    /// What `ttc.transpose` of this view sees: dimension i is this view's permutation[i].
    ViewAttr transposed(::llvm::ArrayRef<int64_t> permutation) const;
    /// What a slice of this view sees.
    ViewAttr sliced(::llvm::ArrayRef<int64_t> starts, ::llvm::ArrayRef<int64_t> sizes,
                    ::llvm::ArrayRef<int64_t> steps) const;
    /// This view with another shape of as many elements in the same order, or null where
    /// no strides can express it.
    ViewAttr reshaped(::llvm::ArrayRef<int64_t> shape) const;
    /// This view of a tensor with a strided layout (`ttc.strided`): offsets and strides as they are in
    /// memory. Null where no strides can express it.
    ViewAttr inStrided(int64_t row, int64_t pitch) const;
    /// The same; null stands for a contiguous tensor.
    ViewAttr inStrided(::mlir::ttc::StridedAttr strided) const;
    int64_t getRank() const { return getShape().size(); }
    /// True if every element of `type` is seen exactly once, in row-major order.
    bool isIdentity(::mlir::RankedTensorType type) const;
  }];
}

def Ttc_PackKind : I64EnumAttr<"PackKind", "which weights are packed", [
    I64EnumAttrCase<"matmul", 0>, I64EnumAttrCase<"matmul_transposed", 1>,
    I64EnumAttrCase<"conv", 2>, I64EnumAttrCase<"conv_transpose", 3>,
    I64EnumAttrCase<"depthwise", 4>]> {
  let cppNamespace = "::mlir::ttc";
  let genSpecializedAttr = 0;
}
def Ttc_PackKindAttr : EnumAttr<Ttc_Dialect, Ttc_PackKind, "pack_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

/// `methods`: those of the interface that the op implements beside the required ones and
/// acceptsStrided.
class Ttc_KernelOp<string mnemonic, list<Trait> traits = [], list<string> methods = []>
    : Ttc_Op<"kernel." # mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<Ttc_CountedOpInterface>,
        DeclareOpInterfaceMethods<Ttc_KernelOpInterface, !listconcat(["acceptsStrided"], methods)>],
        traits)>;

#endif // TTC_KERNELOPBASE_TD
