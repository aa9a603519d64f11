// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several schedules and rings of slots, through a bundle and back: steps and commands have the same
// buffers, although activations share bytes and a bundle holds only addresses.
// RUN: ttc-opt %s --ttc-trace-pipeline="target-cpu=x86-64-v2 slots=2" -o %t.planned.mlir
// RUN: ttc-translate --ttc-to-bundle %t.planned.mlir -o %t.ttcb
// RUN: ttrun check %t.ttcb | FileCheck %s --check-prefix=PROVED
// PROVED: proved{{ +}}7 schedules
// RUN: ttc-translate --bundle-to-ttc --mlir-print-debuginfo %t.ttcb -o %t.read.mlir
// RUN: ttc-translate --ttc-to-bundle %t.read.mlir -o %t.again.ttcb
// RUN: cmp %t.ttcb %t.again.ttcb
// RUN: ttc-opt %t.read.mlir --mlir-print-debuginfo=false | grep -E "ttc\.(cmd|enqueue|input|output|schedule|trace)" | sort > %t.read.txt
// RUN: ttc-opt %t.planned.mlir | grep -E "ttc\.(cmd|enqueue|input|output|schedule|trace)" | sort > %t.planned.txt
// (Traces stand elsewhere in the module.)
// RUN: diff %t.planned.txt %t.read.txt
// RUN: FileCheck %s < %t.read.mlir

// None may be missing.
// RUN: sed 's/ttc.entry @main {/ttc.entry @main attributes {wanted_schedules = ["overlap-later"]} {/' %t.planned.mlir > %t.wanted.mlir
// RUN: not ttc-translate --ttc-to-bundle %t.wanted.mlir -o %t.none 2>&1 | FileCheck %s --check-prefix=WANTED
// WANTED: error: expected all schedules to be present, found ["overlap-later"] still wanted; run --ttc-overlap-transfers

// Two activations at one address.
// CHECK-DAG: ttc.buffer activation @[[A:[^ ]+]] : {{.*}} in dram at [[AT:0x[0-9a-f]+]] size
// CHECK-DAG: ttc.buffer activation @{{[^ ]+}} : {{.*}} in dram at [[AT]] size
// CHECK: ttc.input "x" at @x ring [@x_slot1] : tensor<20xf32>
// CHECK: ttc.output "y" at @y ring [@y_slot1] : tensor<5xf32>

// The summary for users has a line for each schedule.
// RUN: ttrun read %t.ttcb | FileCheck %s --check-prefix=READ
// READ: input   x f32[20], 80 bytes, slot x at dram
// READ-NEXT: and slot x_slot1 at dram
// READ: single of main, 1 queue
// READ-NEXT: body       0  queue 0  write input x slot 0
// READ: overlap-io-signals of main, 2 queues: 12 + 18 + 6 steps, 14 waits
// READ-NEXT: overlap-io of main, 2 queues: 20 + 26 + 6 steps, 14 waits
// RUN: ttrun read --schedules %t.ttcb | FileCheck %s --check-prefix=STEPS
// STEPS: overlap-io-signals of main, 2 queues
// STEPS: body       1  queue 1  write input x slot 0
// STEPS: body      10  queue 1  write input x slot 1
// STEPS: body {{.*}}execute main_t0_signals_slot1
// STEPS: its command {{[0-9]+}} waits for event main_drained_slot1, recorded by body step {{[0-9]+}}
// RUN: ttrun read --json %t.ttcb > %t.json
// RUN: %python -c "import json, sys; b = json.load(open(sys.argv[1])); e = b['entries'][0]; assert e['inputs'][0]['ring'] == ['x_slot1'], e; s = {s['name']: s for s in e['schedules']}['overlap-io']; assert [t.get('slot', 0) for t in s['body'] if t['kind'] == 'write'] == [0, 1]; t = {t['name']: t for t in b['traces']}; names = lambda t: [[o['buffer'] for o in c['operands']] for c in t['commands'] if c['opcode'] == 'dispatch']; first, other = names(t['main_t0']), names(t['main_t0_signals_slot1']); assert other == [[n + '_slot1' if n in ('x', 'y') else n for n in c] for c in first] != first, (first, other)" %t.json

func.func @main(%x: tensor<20xf32> {ttc.name = "x"}) -> (tensor<5xf32> {ttc.name = "y"}) {
  %0 = ttc.softmax %x {axis = 0} : (tensor<20xf32>) -> tensor<20xf32>
  %1 = ttc.reshape %0 : (tensor<20xf32>) -> tensor<5x4xf32>
  %2 = ttc.softmax %1 {axis = 1} : (tensor<5x4xf32>) -> tensor<5x4xf32>
  %3 = ttc.softmax %2 {axis = 0} : (tensor<5x4xf32>) -> tensor<5x4xf32>
  %4 = ttc.softmax %3 {axis = 1} : (tensor<5x4xf32>) -> tensor<5x4xf32>
  %5 = ttc.reduce_sum %4 {axes = [1], keepdims = false} : (tensor<5x4xf32>) -> tensor<5xf32>
  return %5 : tensor<5xf32>
}
