// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-form-traces --split-input-file | FileCheck %s

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>

// The whole function, transfers included; an argument without uses is not transferred.
// CHECK-LABEL: func.func @whole
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<8xf32>)
// CHECK-NEXT:    %[[H:.*]] = ttc.traced -> tensor<4xf32> {
// CHECK-NEXT:      %[[D:.*]] = ttc.to_device %[[X]]
// CHECK-NEXT:      %[[Y:.*]] = ttc.dispatch @f(%[[D]])
// CHECK-NEXT:      %[[R:.*]] = ttc.from_device %[[Y]]
// CHECK-NEXT:      ttc.yield %[[R]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[H]]
func.func @whole(%x: tensor<4xf32>, %unused: tensor<8xf32>) -> tensor<4xf32> {
  %y = ttc.dispatch @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

ttc.program @f(tensor<4xf32>) -> tensor<4xf32>

// A person's own region is kept as it is.
// CHECK-LABEL: func.func @marked
// CHECK-NEXT:    %[[D:.*]] = ttc.to_device
// CHECK-NEXT:    %[[T:.*]] = ttc.traced -> tensor<4xf32> {
// CHECK-NEXT:      %[[Y:.*]] = ttc.dispatch @f(%[[D]])
// CHECK-NEXT:      ttc.yield %[[Y]]
// CHECK-NEXT:    }
// CHECK-NEXT:    ttc.from_device %[[T]]
func.func @marked(%x: tensor<4xf32>) -> tensor<4xf32> {
  %d = ttc.to_device %x : tensor<4xf32> to tensor<4xf32>
  %t = ttc.traced -> tensor<4xf32> {
    %y = ttc.dispatch @f(%d) : (tensor<4xf32>) -> tensor<4xf32>
    ttc.yield %y : tensor<4xf32>
  }
  %h = ttc.from_device %t : tensor<4xf32> to tensor<4xf32>
  return %h : tensor<4xf32>
}
