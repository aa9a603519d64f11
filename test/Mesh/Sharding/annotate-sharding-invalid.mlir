// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=2 --ttc-annotate-sharding=parallel=data 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not ttc-opt %s --ttc-annotate-sharding=parallel=data 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=2 --ttc-annotate-sharding=parallel=model 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=2x2 --ttc-annotate-sharding=parallel=data:x,tensor:z 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=2x2 --ttc-annotate-sharding=parallel=data:x,tensor:x 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=2x2 --ttc-annotate-sharding=parallel=data,tensor 2>&1 | FileCheck %s --check-prefix=NAMED

// BATCH: error: --parallel=data: expected a batch that 2 divides, found 1 in 'main' (its inputs' first dimension)
// MESH: error: --parallel: expected a mesh, as in --mesh=2, found none
// KIND: error: --parallel: expected data, tensor or pipeline, found 'model'
// AXIS: error: --parallel: expected an axis of the mesh (x, y), found 'z'
// TWICE: error: --parallel: expected each axis once, found 'x' twice
// NAMED: error: --parallel: expected the axis of 'data', as in data:x, found none
func.func @main(%x: tensor<1x16xf32>) -> tensor<1x16xf32> {
  %0 = ttc.relu %x : (tensor<1x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
