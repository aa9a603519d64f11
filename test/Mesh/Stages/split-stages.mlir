// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s -split-input-file --ttc-split-stages=parallel=pipeline:x | FileCheck %s
// RUN: ttc-opt %s -split-input-file --ttc-split-stages=parallel=pipeline:x --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// Names of ports stay. What both stages need of the arguments, each has.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  // CHECK: ttc.collective @permute permute direct sum f32 bytes 2048 groups [array<i64: 0, 1>] sources [-1, 0]
  ttc.program private @first(%a: tensor<8x64xf32>, %b: tensor<64xf32>) -> tensor<8x64xf32> {
    %0 = ttc.add %a, %b : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
    ttc.return %0 : tensor<8x64xf32>
  }
  ttc.program private @second(%a: tensor<512xf32>, %b: tensor<512xf32>) -> tensor<512xf32> {
    %0 = ttc.mul %a, %b : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    ttc.return %0 : tensor<512xf32>
  }
  func.func @main(%x: tensor<8x64xf32> {ttc.name = "x"}, %m: tensor<8x64xf32>, %unused: tensor<4xf32>) -> tensor<512xf32> {
    %c = ttc.constant dense<1.0> : tensor<64xf32>
    %0 = ttc.dispatch @first(%x, %c) : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
    %1 = ttc.reshape %0 : (tensor<8x64xf32>) -> tensor<512xf32>
    %2 = ttc.reshape %m : (tensor<8x64xf32>) -> tensor<512xf32>
    %3 = ttc.dispatch @second(%1, %2) : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
    return %3 : tensor<512xf32>
  }
  // CHECK: func.func @main_0(%[[X:.*]]: tensor<8x64xf32> {ttc.name = "x"}, %{{.*}}: tensor<4xf32> {ttc.name = "input2"})
  // CHECK-SAME: attributes {ttc.devices = array<i64: 0>, ttc.part_of = "main"}
  // CHECK: %[[A:.*]] = ttc.dispatch @first(%[[X]], %{{.*}})
  // CHECK-NEXT: ttc.send @permute(%[[A]])
  // CHECK-NEXT: return
  // CHECK: func.func @main_1(%[[M:.*]]: tensor<8x64xf32> {ttc.name = "input1"}) -> (tensor<512xf32> {ttc.name = "output0"})
  // CHECK-SAME: attributes {ttc.devices = array<i64: 1>, ttc.part_of = "main"}
  // CHECK: %[[R:.*]] = ttc.receive @permute : tensor<8x64xf32>
  // CHECK-DAG: %[[RV:.*]] = ttc.reshape %[[R]]
  // CHECK-DAG: %[[MV:.*]] = ttc.reshape %[[M]]
  // CHECK: %[[Y:.*]] = ttc.dispatch @second(%[[RV]], %[[MV]])
  // CHECK: return %[[Y]]
}

// STATS: 500 bubble-permille
// STATS: 2048 sent-bytes
// STATS: 1 sends
// STATS: 2 stages

// -----

// Three stages: the middle one passes on what the last one needs, after its own work, in the order in
// which the values were computed. Groups pair devices that differ along the pipeline only.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 3>, <name = "y", size = 2>]>} {
  // CHECK: ttc.collective @[[P0:permute[_0-9]*]] permute direct sum f32 bytes 128 groups [array<i64: 0, 2>, array<i64: 1, 3>] sources [-1, 0]
  // CHECK: ttc.collective @[[P1:permute[_0-9]*]] permute direct sum f32 bytes 128 groups [array<i64: 2, 4>, array<i64: 3, 5>] sources [-1, 0]
  ttc.program private @twice(%a: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
    %0 = ttc.exp %a : (tensor<32xf32>) -> tensor<32xf32>
    %1 = ttc.tanh %a : (tensor<32xf32>) -> tensor<32xf32>
    ttc.return %0, %1 : tensor<32xf32>, tensor<32xf32>
  }
  ttc.program private @add(%a: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
    %0 = ttc.add %a, %b : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    ttc.return %0 : tensor<32xf32>
  }
  func.func @f(%x: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
    %0:2 = ttc.dispatch @twice(%x) : (tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>)
    %1 = ttc.dispatch @add(%0#1, %0#1) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %2 = ttc.dispatch @add(%1, %0#0) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    return %1, %2 : tensor<32xf32>, tensor<32xf32>
  }
  // CHECK-LABEL: func.func @f_0
  // CHECK-SAME: ttc.devices = array<i64: 0, 1>
  // CHECK: %[[A:.*]]:2 = ttc.dispatch @twice
  // CHECK-NEXT: ttc.send @[[P0]](%[[A]]#1)
  // CHECK-NEXT: ttc.send @[[P0]](%[[A]]#0)
  // CHECK-LABEL: func.func @f_1() -> (tensor<32xf32> {ttc.name = "output0"})
  // CHECK-SAME: ttc.devices = array<i64: 2, 3>
  // CHECK: %[[R1:.*]] = ttc.receive @[[P0]]
  // CHECK-NEXT: %[[R0:.*]] = ttc.receive @[[P0]]
  // CHECK-NEXT: %[[B:.*]] = ttc.dispatch @add(%[[R1]], %[[R1]])
  // CHECK-NEXT: ttc.send @[[P1]](%[[R0]])
  // CHECK-NEXT: ttc.send @[[P1]](%[[B]])
  // CHECK-NEXT: return %[[B]]
  // CHECK-LABEL: func.func @f_2() -> (tensor<32xf32> {ttc.name = "output1"})
  // CHECK-SAME: ttc.devices = array<i64: 4, 5>
  // CHECK: %[[S0:.*]] = ttc.receive @[[P1]]
  // CHECK-NEXT: %[[S1:.*]] = ttc.receive @[[P1]]
  // CHECK-NEXT: ttc.dispatch @add(%[[S1]], %[[S0]])
}

// -----

// The state belongs to the stage that uses and updates it.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  ttc.state @s : tensor<32xf32>
  ttc.program private @neg(%a: tensor<32xf32>) -> tensor<32xf32> {
    %0 = ttc.neg %a : (tensor<32xf32>) -> tensor<32xf32>
    ttc.return %0 : tensor<32xf32>
  }
  ttc.program private @add(%a: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
    %0 = ttc.add %a, %b : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    ttc.return %0 : tensor<32xf32>
  }
  func.func @g(%x: tensor<32xf32>, %s: tensor<32xf32> {ttc.state = @s}) -> (tensor<32xf32>, tensor<32xf32> {ttc.state = @s}) {
    %n = ttc.dispatch @neg(%x) : (tensor<32xf32>) -> tensor<32xf32>
    %0 = ttc.dispatch @neg(%n) : (tensor<32xf32>) -> tensor<32xf32>
    %1 = ttc.dispatch @add(%0, %s) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %2 = ttc.dispatch @neg(%1) : (tensor<32xf32>) -> tensor<32xf32>
    %3 = ttc.dispatch @neg(%2) : (tensor<32xf32>) -> tensor<32xf32>
    return %3, %2 : tensor<32xf32>, tensor<32xf32>
  }
  // CHECK-LABEL: func.func @g_0(%{{.*}}: tensor<32xf32> {ttc.name = "input0"})
  // CHECK-LABEL: func.func @g_1(%{{.*}}: tensor<32xf32> {ttc.state = @s}) -> (tensor<32xf32> {ttc.name = "output0"}, tensor<32xf32> {ttc.state = @s})
}

// -----

// A state that becomes an argument is in the stage that reads it, which has the argument, too.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  ttc.state @past : tensor<32xf32>
  ttc.program private @neg(%a: tensor<32xf32>) -> tensor<32xf32> {
    %0 = ttc.neg %a : (tensor<32xf32>) -> tensor<32xf32>
    ttc.return %0 : tensor<32xf32>
  }
  ttc.program private @add(%a: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
    %0 = ttc.add %a, %b : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    ttc.return %0 : tensor<32xf32>
  }
  func.func @takes(%x: tensor<32xf32>, %past: tensor<32xf32> {ttc.state = @past}) -> (tensor<32xf32>, tensor<32xf32> {ttc.state = @past}) {
    %0 = ttc.dispatch @neg(%x) : (tensor<32xf32>) -> tensor<32xf32>
    %1 = ttc.dispatch @add(%0, %past) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    return %1, %x : tensor<32xf32>, tensor<32xf32>
  }
  // CHECK-LABEL: func.func @takes_0(%{{.*}}: tensor<32xf32> {ttc.name = "input0"})
  // CHECK-NOT: ttc.state
  // CHECK-LABEL: func.func @takes_1
  // CHECK-SAME: (%[[X:.*]]: tensor<32xf32> {ttc.name = "input0"}, %{{.*}}: tensor<32xf32> {ttc.state = @past}) -> (tensor<32xf32> {ttc.name = "output0"}, tensor<32xf32> {ttc.state = @past})
  // CHECK: return %{{.*}}, %[[X]]
}

// -----

// A state that takes over another one is in the same stage: no cut is between their first uses.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  ttc.state @a : tensor<32xf32>
  ttc.state @b : tensor<32xf32>
  ttc.program private @add(%a: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
    %0 = ttc.add %a, %b : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    ttc.return %0 : tensor<32xf32>
  }
  func.func @shift(%x: tensor<32xf32>, %a: tensor<32xf32> {ttc.state = @a}, %b: tensor<32xf32> {ttc.state = @b}) -> (tensor<32xf32>, tensor<32xf32> {ttc.state = @a}, tensor<32xf32> {ttc.state = @b}) {
    %0 = ttc.dispatch @add(%x, %x) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %1 = ttc.dispatch @add(%0, %a) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %2 = ttc.dispatch @add(%1, %b) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    return %2, %x, %a : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
  }
  // CHECK-LABEL: func.func @shift_0(%{{.*}}: tensor<32xf32> {ttc.name = "input0"})
  // CHECK-LABEL: func.func @shift_1
  // CHECK-SAME: (%[[X:.*]]: tensor<32xf32> {ttc.name = "input0"}, %[[A:.*]]: tensor<32xf32> {ttc.state = @a}, %{{.*}}: tensor<32xf32> {ttc.state = @b})
  // CHECK: return %{{.*}}, %[[X]], %[[A]]
}

// -----

// A state that no work reads is where its update is. A function that only writes states has them where the next one
// reads them.
module attributes {ttc.mesh = #ttc.mesh<[<name = "x", size = 2>]>} {
  ttc.state @log : tensor<32xf32>
  ttc.state @past : tensor<32xf32>
  ttc.program private @neg(%a: tensor<32xf32>) -> tensor<32xf32> {
    %0 = ttc.neg %a : (tensor<32xf32>) -> tensor<32xf32>
    ttc.return %0 : tensor<32xf32>
  }
  ttc.program private @add(%a: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
    %0 = ttc.add %a, %b : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    ttc.return %0 : tensor<32xf32>
  }
  func.func @reset(%x: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32> {ttc.state = @past}) {
    %zero = ttc.constant dense<0.0> : tensor<32xf32>
    %0 = ttc.dispatch @neg(%x) : (tensor<32xf32>) -> tensor<32xf32>
    %1 = ttc.dispatch @neg(%0) : (tensor<32xf32>) -> tensor<32xf32>
    return %1, %zero : tensor<32xf32>, tensor<32xf32>
  }
  // CHECK-LABEL: func.func @reset_0
  // CHECK-NOT: ttc.state
  // CHECK-LABEL: func.func @reset_1() -> (tensor<32xf32> {ttc.name = "output0"}, tensor<32xf32> {ttc.state = @past})
  func.func @step(%x: tensor<32xf32>, %log: tensor<32xf32> {ttc.state = @log}, %past: tensor<32xf32> {ttc.state = @past}) -> (tensor<32xf32>, tensor<32xf32> {ttc.state = @log}, tensor<32xf32> {ttc.state = @past}) {
    %0 = ttc.dispatch @neg(%x) : (tensor<32xf32>) -> tensor<32xf32>
    %1 = ttc.dispatch @neg(%0) : (tensor<32xf32>) -> tensor<32xf32>
    %2 = ttc.dispatch @neg(%1) : (tensor<32xf32>) -> tensor<32xf32>
    %3 = ttc.dispatch @add(%2, %past) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    return %log, %0, %3 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
  }
  // CHECK-LABEL: func.func @step_0
  // CHECK-SAME: -> (tensor<32xf32> {ttc.name = "output0"}, tensor<32xf32> {ttc.state = @log})
  // CHECK-LABEL: func.func @step_1
  // CHECK-SAME: -> (tensor<32xf32> {ttc.state = @past})
}
