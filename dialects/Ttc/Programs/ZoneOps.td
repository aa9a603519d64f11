// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_ZONEOPS_TD
#define TTC_ZONEOPS_TD

include "dialects/Ttc/TtcDialect.td"
include "dialects/Ttc/TtcTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ttc_ZoneOp : Ttc_Op<"zone", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "A named part of a program, whose time is recorded";
  let description = [{
    If the program is compiled with markers (`--instrument`), the time that the ops of the region
    take is recorded under this name (docs/profiling.md); otherwise it means the same as the ops alone.
    Zones nest. `ttc.yield` returns the results.

    What is computed, and how, does not depend on zones: ops of different zones are fused as others
    are, and the loops that result are a zone of both names, `first+second`. A program whose body is
    a kernel with its epilogue records the zones of the kernel instead.

    Constraints:
    - (C1) It is in the body of a `ttc.program`, or in another zone.
    - (C2) `name` has at least one character, and no control characters.
    - (C3) The region ends with `ttc.yield`, which yields one value for each result, of the result's
      type.

    ```mlir
    ttc.program @layer(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = ttc.zone "activation" {
        %1 = ttc.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
        %2 = ttc.relu %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
        ttc.yield %2 : tensor<4x8xf32>
      } : tensor<4x8xf32>
      ttc.return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Variadic<Ttc_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $body attr-dict (`:` type($outputs)^)?";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Ttc_ZoneBeginOp : Ttc_Op<"zone_begin"> {
  let summary = "Begins a zone in the lowered body of a program";
  let description = [{
    `--ttc-linalg-to-loops` puts it before the loops of a zone, and `--ttc-lower-zones` makes it a call. The
    result is for `ttc.zone_end`.

    Constraints:
    - (C1) `name` has at least one character, and no control characters.

    ```mlir
    %zone = ttc.zone_begin "activation"
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs I32:$zone);
  let assemblyFormat = "$name attr-dict";
  let hasVerifier = 1;
}

def Ttc_ZoneEndOp : Ttc_Op<"zone_end"> {
  let summary = "Ends a zone in the lowered body of a program";
  let description = [{
    ```mlir
    %zone = ttc.zone_begin "activation"
    ttc.zone_end %zone
    ```
  }];
  let arguments = (ins I32:$zone);
  let assemblyFormat = "$zone attr-dict";
}

#endif // TTC_ZONEOPS_TD
