// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-set-mesh=mesh=4 | FileCheck %s --check-prefix=ONE
// RUN: ttc-opt %s --ttc-set-mesh=mesh=2x4 | FileCheck %s --check-prefix=TWO
// RUN: ttc-opt %s --ttc-set-mesh=mesh=data:2,tensor:4:ring:12.5e9:700 | FileCheck %s --check-prefix=NAMED
// RUN: ttc-opt %s --ttc-set-mesh=mesh=wormhole_n300 | FileCheck %s --check-prefix=N300
// RUN: ttc-opt %s --ttc-set-mesh=mesh=t3000 | FileCheck %s --check-prefix=T3000
// RUN: ttc-opt %s --ttc-set-mesh=mesh=galaxy | FileCheck %s --check-prefix=GALAXY
// RUN: ttc-opt %s --ttc-set-mesh | FileCheck %s --check-prefix=NONE
// RUN: ttc-opt %s --ttc-set-mesh=mesh=3 --ttc-set-mesh=mesh=4 | FileCheck %s --check-prefix=KEPT
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=2x 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=1x2x3x4x5 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=x:2:torus 2>&1 | FileCheck %s --check-prefix=TORUS
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=x:2,x:3 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=x:2:ring:-1 2>&1 | FileCheck %s --check-prefix=BANDWIDTH
// RUN: not ttc-opt %s --ttc-set-mesh=mesh=65x64 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not ttc-opt %S/Partition/partition-invalid.mlir -split-input-file --ttc-set-mesh=mesh=4 2>&1 | FileCheck %s --check-prefix=GRID

// GRID: error: 'shard.grid' op expected the shape of the mesh (4), found 2
// ONE: ttc.mesh = #ttc.mesh<[<name = "x", size = 4>]>
// TWO: ttc.mesh = #ttc.mesh<[<name = "x", size = 2>, <name = "y", size = 4>]>
// NAMED: <name = "data", size = 2>, <name = "tensor", size = 4, topology = ring, link_bytes_per_second = 12500000000, link_latency_ns = 700>
// N300: <name = "x", size = 1>, <name = "y", size = 2, topology = line
// T3000: <name = "x", size = 2, topology = line{{.*}}<name = "y", size = 4
// GALAXY: <name = "x", size = 8, topology = ring{{.*}}<name = "y", size = 4
// NONE-NOT: ttc.mesh
// KEPT: size = 3
// ZERO: error: --mesh: expected a mesh such as 2, 2x4 or data:2,tensor:4:ring, one of wormhole_n300, t3000, galaxy, or a .json file, found '0'
// EMPTY: found '2x'
// FIVE: found '1x2x3x4x5'
// TORUS: error: --mesh: expected a topology (all, ring, line), found 'torus' in 'x:2:torus'
// TWICE: error: --mesh: (C1) expected axes of distinct names, found two of 'x'
// BANDWIDTH: error: --mesh: expected bytes per second, found '-1'
// MANY: error: --mesh: (C2) expected at most 4096 devices, found more
module {}
