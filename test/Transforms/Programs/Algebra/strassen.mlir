// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-strassen | FileCheck %s
// RUN: ttc-opt %s --ttc-strassen --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: ttc-strassen {{.*}} 4 products - Products that became seven of half the size
// In the pipeline it is an option, and off with what narrows weights or divides tensors.
// RUN: ttc-opt %s --ttc-trace-pipeline="target=cpu target-cpu=x86-64-v3 compile=false strassen" --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: ttc-opt %s --ttc-trace-pipeline="target=cpu target-cpu=x86-64-v3 compile=false" --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: ttc-opt %s --ttc-trace-pipeline="target=cpu target-cpu=x86-64-v3 compile=false strassen weights=bf16" --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: ttc-strassen
// OFF: ttc-choose-kernels {{.*}} kernels

// CHECK-LABEL: @plain
func.func @plain(%x: tensor<1x128x512xf32>) -> tensor<1x128x512xf32> {
  // CHECK: %[[W:.*]] = ttc.constant
  // CHECK: %[[A:.*]] = ttc.reshape %arg0 : (tensor<1x128x512xf32>) -> tensor<128x512xf32>
  // CHECK-DAG: %[[A11:.*]] = ttc.slice %[[A]] {sizes = [64, 256], starts = [0, 0], steps = [1, 1]}
  // CHECK-DAG: %[[A12:.*]] = ttc.slice %[[A]] {sizes = [64, 256], starts = [0, 256], steps = [1, 1]}
  // CHECK-DAG: %[[A21:.*]] = ttc.slice %[[A]] {sizes = [64, 256], starts = [64, 0], steps = [1, 1]}
  // CHECK-DAG: %[[A22:.*]] = ttc.slice %[[A]] {sizes = [64, 256], starts = [64, 256], steps = [1, 1]}
  // CHECK-DAG: %[[B11:.*]] = ttc.slice %[[W]] {sizes = [256, 256], starts = [0, 0], steps = [1, 1]}
  // CHECK-DAG: %[[B12:.*]] = ttc.slice %[[W]] {sizes = [256, 256], starts = [0, 256], steps = [1, 1]}
  // CHECK-DAG: %[[B21:.*]] = ttc.slice %[[W]] {sizes = [256, 256], starts = [256, 0], steps = [1, 1]}
  // CHECK-DAG: %[[B22:.*]] = ttc.slice %[[W]] {sizes = [256, 256], starts = [256, 256], steps = [1, 1]}
  // CHECK: %[[T1:.*]] = ttc.sub %[[B12]], %[[B11]]
  // CHECK: %[[T2:.*]] = ttc.sub %[[B22]], %[[T1]]
  // CHECK: %[[T3:.*]] = ttc.sub %[[B22]], %[[B12]]
  // CHECK: %[[T4:.*]] = ttc.sub %[[T2]], %[[B21]]
  // CHECK: %[[S1:.*]] = ttc.add %[[A21]], %[[A22]]
  // CHECK: %[[S2:.*]] = ttc.sub %[[S1]], %[[A11]]
  // CHECK: %[[S3:.*]] = ttc.sub %[[A11]], %[[A21]]
  // CHECK: %[[S4:.*]] = ttc.sub %[[A12]], %[[S2]]
  // CHECK: %[[P1:.*]] = ttc.matmul %[[A11]], %[[B11]] : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
  // CHECK: %[[P2:.*]] = ttc.matmul %[[A12]], %[[B21]]
  // CHECK: %[[C11:.*]] = ttc.add %[[P2]], %[[P1]]
  // CHECK: %[[P6:.*]] = ttc.matmul %[[S2]], %[[T2]]
  // CHECK: %[[U2:.*]] = ttc.add %[[P6]], %[[P1]]
  // CHECK: %[[P7:.*]] = ttc.matmul %[[S3]], %[[T3]]
  // CHECK: %[[U3:.*]] = ttc.add %[[P7]], %[[U2]]
  // CHECK: %[[P4:.*]] = ttc.matmul %[[A22]], %[[T4]]
  // CHECK: %[[C21:.*]] = ttc.sub %[[U3]], %[[P4]]
  // CHECK: %[[P5:.*]] = ttc.matmul %[[S1]], %[[T1]]
  // CHECK: %[[P3:.*]] = ttc.matmul %[[S4]], %[[B22]]
  // CHECK: %[[U:.*]] = ttc.add %[[P3]], %[[U2]]
  // CHECK: %[[C12:.*]] = ttc.add %[[U]], %[[P5]]
  // CHECK: %[[C22:.*]] = ttc.add %[[U3]], %[[P5]]
  // CHECK: %[[UPPER:.*]] = ttc.concat %[[C11]], %[[C12]] {axis = 1}
  // CHECK: %[[LOWER:.*]] = ttc.concat %[[C21]], %[[C22]] {axis = 1}
  // CHECK: %[[C:.*]] = ttc.concat %[[UPPER]], %[[LOWER]] {axis = 0}
  // CHECK: %[[Y:.*]] = ttc.reshape %[[C]] : (tensor<128x512xf32>) -> tensor<1x128x512xf32>
  // CHECK: return %[[Y]]
  %w = ttc.constant dense<0.5> : tensor<512x512xf32>
  %0 = ttc.matmul %x, %w : (tensor<1x128x512xf32>, tensor<512x512xf32>) -> tensor<1x128x512xf32>
  return %0 : tensor<1x128x512xf32>
}

// Transposed weights; a bias, and ops on the product and on what is known before it. What is known later
// needs the whole.
// CHECK-LABEL: @tails
func.func @tails(%x: tensor<128x512xf32>, %r: tensor<128x512xf32>) -> (tensor<128x512xf32>, tensor<128x512xf32>) {
  // CHECK: %[[B12:.*]] = ttc.slice %[[W:.*]] {sizes = [256, 256], starts = [256, 0], steps = [1, 1]}
  // CHECK: ttc.matmul %{{.*}}, %{{.*}} {transpose_b}
  // CHECK: %[[U:.*]] = ttc.add
  // CHECK: %[[C12:.*]] = ttc.add %{{.*}}, %{{.*}} : (tensor<64x256xf32>, tensor<64x256xf32>)
  // CHECK: %[[RIGHT:.*]] = ttc.slice %{{.*}} {sizes = [256], starts = [256], steps = [1]}
  // CHECK-COUNT-4: ttc.add %{{.*}}, %{{.*}} : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<64x256xf32>
  // CHECK-COUNT-4: ttc.relu %{{.*}} : (tensor<64x256xf32>)
  // CHECK-COUNT-4: ttc.slice %arg1
  // CHECK-COUNT-4: ttc.mul %{{.*}} : (tensor<64x256xf32>, tensor<64x256xf32>)
  // CHECK: %[[Q:.*]] = ttc.concat %{{.*}} -> tensor<128x512xf32>
  // CHECK: %[[P:.*]] = ttc.concat %{{.*}} -> tensor<128x512xf32>
  // CHECK: %[[LATER:.*]] = ttc.softmax %arg1
  // CHECK: %[[Y:.*]] = ttc.sub %{{.*}}, %[[LATER]] : (tensor<128x512xf32>, tensor<128x512xf32>)
  // CHECK: return %[[Y]], %{{.*}}
  %w = ttc.constant dense<0.5> : tensor<512x512xf32>
  %b = ttc.constant dense<2.5> : tensor<512xf32>
  %0 = ttc.matmul %x, %w, %b {transpose_b} : (tensor<128x512xf32>, tensor<512x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  %1 = ttc.relu %0 : (tensor<128x512xf32>) -> tensor<128x512xf32>
  %2 = ttc.mul %1, %r : (tensor<128x512xf32>, tensor<128x512xf32>) -> tensor<128x512xf32>
  %later = ttc.softmax %r {axis = 1} : (tensor<128x512xf32>) -> tensor<128x512xf32>
  %3 = ttc.sub %1, %later : (tensor<128x512xf32>, tensor<128x512xf32>) -> tensor<128x512xf32>
  return %3, %2 : tensor<128x512xf32>, tensor<128x512xf32>
}

// An odd number of rows.
// CHECK-LABEL: @odd
func.func @odd(%x: tensor<129x512xf32>) -> tensor<129x512xf32> {
  // CHECK: ttc.pad %arg0 {high = [1, 0], low = [0, 0]} : (tensor<129x512xf32>) -> tensor<130x512xf32>
  // CHECK: %[[C:.*]] = ttc.concat {{.*}} -> tensor<130x512xf32>
  // CHECK: ttc.slice %[[C]] {sizes = [129, 512], starts = [0, 0], steps = [1, 1]}
  %w = ttc.constant dense<0.5> : tensor<512x512xf32>
  %0 = ttc.matmul %x, %w : (tensor<129x512xf32>, tensor<512x512xf32>) -> tensor<129x512xf32>
  return %0 : tensor<129x512xf32>
}

// Two matrices of run time.
// CHECK-LABEL: @run_time
func.func @run_time(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // CHECK-COUNT-7: ttc.matmul
  // CHECK-NOT: ttc.matmul
  %0 = ttc.matmul %x, %y : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// Few rows, odd depth, odd columns, small matrices of run time, batches of them, a transposed operand.
// CHECK-LABEL: @not
// CHECK-NOT: ttc.slice
// CHECK-COUNT-6: ttc.matmul
// CHECK-NOT: ttc.matmul
func.func @not(%a: tensor<127x512xf32>, %b: tensor<128x513xf32>, %c: tensor<128x512xf32>, %d: tensor<512x512xf32>, %e: tensor<2x1024x1024xf32>)
    -> (tensor<127x512xf32>, tensor<128x512xf32>, tensor<128x513xf32>, tensor<128x512xf32>, tensor<2x1024x1024xf32>, tensor<512x512xf32>) {
  %w = ttc.constant dense<0.5> : tensor<512x512xf32>
  %u = ttc.constant dense<0.5> : tensor<513x512xf32>
  %v = ttc.constant dense<0.5> : tensor<512x513xf32>
  %0 = ttc.matmul %a, %w : (tensor<127x512xf32>, tensor<512x512xf32>) -> tensor<127x512xf32>
  %1 = ttc.matmul %b, %u : (tensor<128x513xf32>, tensor<513x512xf32>) -> tensor<128x512xf32>
  %2 = ttc.matmul %c, %v : (tensor<128x512xf32>, tensor<512x513xf32>) -> tensor<128x513xf32>
  %3 = ttc.matmul %c, %d : (tensor<128x512xf32>, tensor<512x512xf32>) -> tensor<128x512xf32>
  %4 = ttc.matmul %e, %e : (tensor<2x1024x1024xf32>, tensor<2x1024x1024xf32>) -> tensor<2x1024x1024xf32>
  %5 = ttc.matmul %d, %w {transpose_a} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<127x512xf32>, tensor<128x512xf32>, tensor<128x513xf32>, tensor<128x512xf32>,
      tensor<2x1024x1024xf32>, tensor<512x512xf32>
}
