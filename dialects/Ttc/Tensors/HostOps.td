// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that functions of the application compute.
#ifndef TTC_HOSTOPS_TD
#define TTC_HOSTOPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcAttributes.td"
include "dialects/Ttc/TtcTypes.td"
include "dialects/Ttc/Interfaces/ExecutionInterfaces.td"
include "dialects/Ttc/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ttc_HostCallOp : Ttc_Op<"host_call", [
    Pure, DeclareOpInterfaceMethods<Ttc_HostWorkOpInterface>, Ttc_FollowsExtents,
    Ttc_WholeTensors<"the function of the application gets whole tensors">]> {
  let summary = "an op that a function of the application computes";
  let description = [{
    `--ttc-outline-programs` makes a `ttc.host_dispatch` of it, which is a step between traces. The
    result is a function of operands and attributes alone: equal calls may become one, and calls
    whose results are unused are removed.

    Constraints:
    - (C1) There is at least one result.
    - (C2) The positions of absent operands and results are below those of the last ones.

    ```mlir
    %y = ttc.host_call #ttc.host_function<name = "com.acme.Clip", version = 1,
                                          attributes = {limit = 6.0 : f32}>(%x)
       : (tensor<1x64xf32>) -> tensor<1x64xf32>
    ```
  }];
  let arguments = (ins Ttc_HostFunctionAttr:$function, Variadic<Ttc_Tensor>:$inputs);
  let results = (outs Variadic<Ttc_Tensor>:$outputs);
  let assemblyFormat =
      "$function `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

#endif // TTC_HOSTOPS_TD
