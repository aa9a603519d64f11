// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-outline-bodies --split-input-file --verify-diagnostics | FileCheck %s

// Inputs and outputs are memrefs, the last argument is the workgroup. Each element of %a is read only for
// the result's element at the same place, so the result may be written over it; of %b this is not true.
// CHECK-LABEL: ttc.program @bias(%{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:    module {
// CHECK-NEXT:      func.func private @body(%[[A:.*]]: memref<4x8xf32>, %[[B:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<4x8xf32> {ttc.in_place = array<i64: 0>}, %{{.*}}: index) {
// CHECK-DAG:         %[[X:.*]] = bufferization.to_tensor %[[A]] restrict : memref<4x8xf32> to tensor<4x8xf32>
// CHECK-DAG:         %[[Y:.*]] = bufferization.to_tensor %[[B]] restrict : memref<8xf32> to tensor<8xf32>
// CHECK:             %[[SUM:.*]] = ttc.add %[[X]], %[[Y]]
// CHECK-NEXT:        bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[OUT]]
// CHECK-NEXT:        return
// CHECK-NOT:     ttc.return
ttc.program @bias(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = ttc.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  ttc.return %0 : tensor<4x8xf32>
}

// -----

// A transpose reads elsewhere than it writes.
// CHECK-LABEL: ttc.program @transpose
// CHECK:         func.func private @body(%{{.*}}: memref<4x4xf32>, %{{.*}}: memref<4x4xf32>, %{{.*}}: index) {
ttc.program @transpose(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = ttc.transpose %a {permutation = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  ttc.return %0 : tensor<4x4xf32>
}

// -----

// Two results: nothing is in place. An element of another size is not either.
// CHECK-LABEL: ttc.program @two
// CHECK:         func.func private @body(%{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32>, %{{.*}}: index) {
// CHECK-COUNT-2:   bufferization.materialize_in_destination
ttc.program @two(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = ttc.relu %a : (tensor<8xf32>) -> tensor<8xf32>
  ttc.return %0, %a : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: ttc.program @cast
// CHECK:         func.func private @body(%{{.*}}: memref<8xf32>, %{{.*}}: memref<8xi64>, %{{.*}}: index) {
ttc.program @cast(%a: tensor<8xf32>) -> tensor<8xi64> {
  %0 = ttc.cast %a : (tensor<8xf32>) -> tensor<8xi64>
  ttc.return %0 : tensor<8xi64>
}

// -----

// Memory is signless; the ops keep their types until they are converted.
// CHECK-LABEL: ttc.program @unsigned
// CHECK:         func.func private @body(%[[A:.*]]: memref<8xi8>, %{{.*}}: memref<8xi8>, %{{.*}}: memref<8xi8>
// CHECK:           %[[T:.*]] = bufferization.to_tensor %[[A]] restrict : memref<8xi8> to tensor<8xi8>
// CHECK:           builtin.unrealized_conversion_cast %[[T]] : tensor<8xi8> to tensor<8xui8>
ttc.program @unsigned(%a: tensor<8xui8>, %b: tensor<8xui8>) -> tensor<8xui8> {
  %0 = ttc.max %a, %b : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xui8>
  ttc.return %0 : tensor<8xui8>
}

// -----

// Operands in rows are strided memrefs; a result in other rows than the argument is not in place.
// CHECK-LABEL: ttc.program @strided
// CHECK:         func.func private @body(%{{.*}}: memref<4x8xf32, strided<[16, 1]>>, %{{.*}}: memref<4x8xf32>, %{{.*}}: index) {
ttc.program @strided(%a: tensor<4x8xf32> {ttc.strided = #ttc.strided<row = 8, pitch = 16, alignment = 32>}) -> tensor<4x8xf32> {
  %0 = ttc.relu %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ttc.return %0 : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{expected rows that end where a dimension of 'tensor<4x6xf32>' ends, found}}
ttc.program @rows_and_a_half(%a: tensor<4x6xf32> {ttc.strided = #ttc.strided<row = 4, pitch = 16, alignment = 4>}) -> tensor<4x6xf32> {
  %0 = ttc.relu %a : (tensor<4x6xf32>) -> tensor<4x6xf32>
  ttc.return %0 : tensor<4x6xf32>
}

// -----

// What has no body, or is lowered already, stays.
// CHECK-LABEL: ttc.program @external(tensor<8xf32>) -> tensor<8xf32>
// CHECK-NOT:     module
ttc.program @external(tensor<8xf32>) -> tensor<8xf32>
// CHECK-LABEL: ttc.program @lowered
// CHECK-COUNT-1: func.func private @body
// CHECK-NOT:     @body
ttc.program @lowered(%a: tensor<8xf32>) -> tensor<8xf32> {
  builtin.module {
    func.func private @body(%in: memref<8xf32>, %out: memref<8xf32>, %workgroup: index) {
      return
    }
  }
}

// -----

// expected-error @+1 {{expected tensors with at least one element, found 'tensor<0x8xf32>'}}
ttc.program @empty(%a: tensor<0x8xf32>) -> tensor<0x8xf32> {
  ttc.return %a : tensor<0x8xf32>
}
