// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host call becomes a host step between two traces: on a CPU in the device's memory, on a chip with transfers.
// RUN: ttc-opt %s --ttc-outline-programs | FileCheck %s --check-prefix=OUTLINE
// RUN: ttc-opt %s --ttc-set-target="target-cpu=x86-64-v2" --ttc-fuse --ttc-outline-programs --ttc-form-traces --ttc-hoist-io --ttc-verify-hoisted | FileCheck %s --check-prefix=CPU
// RUN: ttc-opt %s --ttc-set-target="target=wormhole_n150 target-cpu=x86-64-v2" --ttc-fuse --ttc-outline-programs --ttc-form-traces --ttc-hoist-io --ttc-verify-hoisted | FileCheck %s --check-prefix=CHIP
// RUN: ttc-opt %s --ttc-trace-pipeline="target-cpu=x86-64-v2 compile=false" | FileCheck %s --check-prefix=PLAN

// Equal functions on equal types are one program.
// OUTLINE: ttc.host_dispatch @com_acme_Scale_2_4
// OUTLINE: ttc.host_dispatch @com_acme_Scale_2_4
// OUTLINE: ttc.program private @com_acme_Scale_2_4(tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
// OUTLINE-SAME: host_function = #ttc.host_function<name = "com.acme.Scale-2", version = 3>
// OUTLINE-NOT: ttc.program

// CPU-LABEL: func.func @main
// CPU-NEXT:    %[[D:.*]] = ttc.to_device %arg0
// CPU-NEXT:    %[[A:.*]] = ttc.execute @main_t0(%[[D]])
// CPU-NEXT:    %[[H:.*]] = ttc.host_dispatch @com_acme_Scale_2_4(%[[A]], %[[D]]) {on_device}
// CPU-NEXT:    %[[B:.*]] = ttc.execute @main_t1(%[[H]])
// CPU-NEXT:    %[[G:.*]] = ttc.host_dispatch @com_acme_Scale_2_4(%[[B]], %[[H]]) {on_device}
// CPU-NEXT:    %[[R:.*]] = ttc.from_device %[[G]]
// CPU-NEXT:    return %[[R]]

// CHIP-LABEL: func.func @main
// CHIP-DAG:     %[[D:.*]] = ttc.to_device %arg0
// CHIP:         %[[A:.*]] = ttc.execute @main_t0(%[[D]])
// CHIP:         %[[AH:.*]] = ttc.from_device %[[A]]
// CHIP:         %[[H:.*]] = ttc.host_dispatch @com_acme_Scale_2_4(%[[AH]], %arg0) :
// CHIP:         %[[HD:.*]] = ttc.to_device %[[H]]
// CHIP:         %[[B:.*]] = ttc.execute @main_t1(%[[HD]])
// CHIP:         %[[BH:.*]] = ttc.from_device %[[B]]
// CHIP:         %[[G:.*]] = ttc.host_dispatch @com_acme_Scale_2_4(%[[BH]], %[[H]]) :
// CHIP-NEXT:    return %[[G]]

// PLAN-LABEL: ttc.entry @main
// PLAN:         ttc.schedule "single" queues 1 body {
// PLAN-NEXT:      ttc.enqueue.write 0 to @x on 0
// PLAN-NEXT:      ttc.enqueue.execute @main_t0 on 0
// PLAN-NEXT:      ttc.enqueue.host @com_acme_Scale_2_4(@main_v0, @x) into (@main_v1) on 0
// PLAN-NEXT:      ttc.enqueue.execute @main_t1 on 0
// PLAN-NEXT:      ttc.enqueue.host @com_acme_Scale_2_4(@main_v2, @main_v1) into (@y) on 0
// PLAN-NEXT:      ttc.enqueue.read 0 from @y on 0
// PLAN-NEXT:    }
// PLAN:         ttc.schedule "overlap-io"
// PLAN:           ttc.enqueue.host
func.func @main(%x: tensor<1x4xf32> {ttc.name = "x"}) -> (tensor<1x4xf32> {ttc.name = "y"}) {
  %0 = ttc.relu %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = ttc.host_call #ttc.host_function<name = "com.acme.Scale-2", version = 3>(%0, %x) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %2 = ttc.exp %1 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %3 = ttc.host_call #ttc.host_function<name = "com.acme.Scale-2", version = 3>(%2, %1) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %3 : tensor<1x4xf32>
}
