// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DATAMOVEMENTOPS_TD
#define TTC_DATAMOVEMENTOPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/TtcInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Ttc_ConstantOp : Ttc_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "output"]>]> {
  let summary = "A tensor known at compile time";
  let description = [{
    ```mlir
    %w = ttc.constant dense<1.0> : tensor<16x1x3x3xf32>
    %v = ttc.constant dense_resource<conv1_w> : tensor<16x1x3x3xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Ttc_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

#endif // TTC_DATAMOVEMENTOPS_TD
