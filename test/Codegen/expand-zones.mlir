// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-expand-zones --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: ttc-opt %s --ttc-expand-zones=instrument=true --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=ALL
// RUN: ttc-opt %s --ttc-expand-zones=instrument=true --ttc-expand-zones=instrument=true --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=ALL

// With markers, the locations of ops tell their zones, outermost first.
// CHECK-LABEL: ttc.program @nested(
// CHECK-SAME:      attributes {markers}
// CHECK-NEXT:    %[[A:.*]] = ttc.relu {{.*}} loc(fused<{ttc.zone = ["outer"]}>["source"])
// CHECK-NEXT:    %[[B:.*]] = ttc.exp %[[A]] {{.*}} loc(fused<{ttc.zone = ["outer", "inner"]}>[{{.*}}])
// CHECK-NEXT:    %[[C:.*]] = ttc.sqrt %[[B]] {{.*}} loc({{[^f].*}})
// CHECK-NEXT:    ttc.return %[[C]]
// ALL-LABEL: ttc.program @nested(
// ALL-NEXT:      ttc.relu {{.*}} loc(fused<{ttc.zone = ["outer"]}>["source"])
// ALL-NEXT:      ttc.exp {{.*}} loc(fused<{ttc.zone = ["outer", "inner"]}>[{{.*}}])
// ALL-NEXT:      ttc.sqrt {{.*}} loc({{[^f].*}})
ttc.program @nested(%x: tensor<4xf32>) -> tensor<4xf32> attributes {markers} {
  %0 = ttc.zone "outer" {
    %1 = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32> loc("source")
    %2 = ttc.zone "inner" {
      %3 = ttc.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
      ttc.yield %3 : tensor<4xf32>
    } : tensor<4xf32>
    ttc.yield %2 : tensor<4xf32>
  } : tensor<4xf32>
  %4 = ttc.sqrt %0 : (tensor<4xf32>) -> tensor<4xf32>
  ttc.return %4 : tensor<4xf32>
}

// Without, nothing of them remains.
// CHECK-LABEL: ttc.program @plain(
// CHECK-NOT:     markers
// CHECK-NEXT:    ttc.relu {{.*}} loc({{[^f].*}})
// CHECK-NEXT:    ttc.return
// ALL-LABEL: ttc.program @plain(
// ALL-SAME:      attributes {markers}
// ALL-NEXT:    ttc.relu {{.*}} loc(fused<{ttc.zone = ["part"]}>[{{.*}}])
ttc.program @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ttc.zone "part" {
    %1 = ttc.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %1 : tensor<4xf32>
  } : tensor<4xf32>
  ttc.return %0 : tensor<4xf32>
}

// Automatic zones: of all ops but constants, with their names.
// CHECK-LABEL: ttc.program @automatic(
// CHECK-NOT:     ttc.zone
// ALL-LABEL: ttc.program @automatic(
// ALL-NEXT:    ttc.constant {{.*}} loc({{[^f].*}})
// ALL-NEXT:    ttc.add {{.*}} loc(fused<{ttc.zone = "add"}>[{{.*}}])
// ALL-NEXT:    ttc.return
ttc.program @automatic(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = ttc.constant dense<1.0> : tensor<4xf32>
  %0 = ttc.add %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ttc.return %0 : tensor<4xf32>
}

// Programs without ops on tensors stay as they are.
// ALL: ttc.program @external(tensor<4xf32>) -> tensor<4xf32> loc
ttc.program @external(tensor<4xf32>) -> tensor<4xf32>
