// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-hoist-io --ttc-schedule-queues | FileCheck %s

// Entry points and ports keep what their function says of the model's extents.
// CHECK-DAG: #[[X:.*]] = affine_map<()[s0] -> (s0, 4)>
// CHECK-DAG: #[[Y:.*]] = affine_map<()[s0] -> (s0 * 4)>
// CHECK: ttc.entry @main.8 attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch"], low = [1], high = [8]>} {
// CHECK:   ttc.input "x" at @{{.*}} : tensor<8x4xf32> {ttc.dims = #[[X]]}
// CHECK:   ttc.input "extents" at @{{.*}} : tensor<1xi32>
// CHECK:   ttc.output "y" at @{{.*}} : tensor<32xf32> {ttc.dims = #[[Y]]}
func.func @main.8(%x: tensor<8x4xf32> {ttc.name = "x", ttc.dims = affine_map<()[s0] -> (s0, 4)>},
    %extents: tensor<1xi32> {ttc.name = "extents"})
    -> (tensor<32xf32> {ttc.name = "y", ttc.dims = affine_map<()[s0] -> (s0 * 4)>})
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch"], low = [1], high = [8]>} {
  %d = ttc.to_device %x : tensor<8x4xf32> to tensor<8x4xf32>
  %0 = ttc.execute @t(%d) : (tensor<8x4xf32>) -> tensor<32xf32>
  %y = ttc.from_device %0 : tensor<32xf32> to tensor<32xf32>
  return %y : tensor<32xf32>
}
ttc.trace @t(%x: tensor<8x4xf32>) -> tensor<32xf32> {
  %0 = ttc.dispatch @p(%x) : (tensor<8x4xf32>) -> tensor<32xf32>
  ttc.yield %0 : tensor<32xf32>
}
ttc.program private @p(tensor<8x4xf32>) -> tensor<32xf32>
