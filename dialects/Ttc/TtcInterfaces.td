// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_INTERFACES_TD
#define TTC_INTERFACES_TD

include "mlir/IR/OpBase.td"

/// An op whose result element depends only on the operands' elements at the same
/// (broadcast) index. The one definition of its meaning serves the lowering to
/// linalg, the epilogues of the dense kernels and anything else that inlines it.
def Ttc_ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::mlir::ttc";
  let description = [{
    Element-by-element ops. Operands broadcast by NumPy's rules to the shape of
    the one result.
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
         "::mlir::ValueRange":$elements)>
  ];
}

#endif // TTC_INTERFACES_TD
