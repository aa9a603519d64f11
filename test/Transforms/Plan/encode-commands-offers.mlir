// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s "--ttc-trace-pipeline=hide-exchanges=true compile=false" | FileCheck %s

// The input is offered where it is complete; schedules that divide the trace have no offers without their exchanges.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  // CHECK: ttc.trace @main_t0 region
  // CHECK-NEXT: ttc.cmd.dispatch {{.*}} into (@[[A:.*]])
  // CHECK: ttc.cmd.offer @all_reduce(@[[A]])
  // CHECK: ttc.cmd.dispatch @gemm_8x64{{.*}} into (@[[B:.*]])
  // CHECK: ttc.cmd.exchange @all_reduce(@[[A]]) into
  // CHECK: ttc.cmd.exchange @all_reduce(@[[B]]) into
  // CHECK: ttc.cmd.end
  func.func @main(%x: tensor<8x64xf32> {ttc.name = "x"}) -> (tensor<8x64xf32> {ttc.name = "y"}) {
    %a = ttc.constant dense<0.25> : tensor<64x64xf32>
    %b = ttc.constant dense<0.5> : tensor<64x64xf32>
    %0 = ttc.matmul %x, %a : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %1 = ttc.all_reduce %0 {axes = ["x"]} : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %2 = ttc.exp %x : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %3 = ttc.matmul %2, %b : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
    %4 = ttc.all_reduce %3 {axes = ["x"]} : (tensor<8x64xf32>) -> tensor<8x64xf32>
    %5 = ttc.mul %1, %4 : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
    return %5 : tensor<8x64xf32>
  }
}
