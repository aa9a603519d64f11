// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-set-mesh=mesh=3 --ttc-annotate-sharding=parallel=tensor -o %t 2>&1 | FileCheck %s
// RUN: ttc-opt %s --ttc-set-mesh=mesh=3 --ttc-annotate-sharding -o %t 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: ttc-opt %s --ttc-set-mesh=mesh=1 --ttc-annotate-sharding=parallel=tensor -o %t 2>&1 | FileCheck %s --check-prefix=ONE --allow-empty
// RUN: ttc-opt %s --ttc-set-mesh=mesh=1 --ttc-annotate-sharding -o %t 2>&1 | FileCheck %s --check-prefix=ONE --allow-empty

// OPTION: warning: --mesh: expected --parallel, or annotations of what 3 devices divide, found neither: each of them computes all
// ONE-NOT: warning
// CHECK: warning: --parallel=tensor: expected constants that 3 devices can divide, found none in 'main': each of them computes all
func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %w = ttc.constant dense<1.0> : tensor<16x16xf32>
  %0 = ttc.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
