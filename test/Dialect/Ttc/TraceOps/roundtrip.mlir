// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels 3 and 4 in one module: transfers, traces, buffers, commands, schedules.
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s
// RUN: ttc-opt --mlir-print-op-generic %s | ttc-opt | %roundtrip %s

module {
  ttc.program @mlp(tensor<1x64xf32>) -> tensor<1x10xf32> attributes {grid = 2 : i64, scratch_bytes = 0 : i64}
  func.func @main(%arg0: tensor<1x64xf32>) -> tensor<1x10xf32> {
    %0 = ttc.record_event on 1
    ttc.wait_event %0 on 0
    %1 = ttc.traced -> tensor<1x10xf32> {
      %4 = ttc.to_device %arg0 : tensor<1x64xf32> to tensor<1x64xf32>
      %5 = ttc.to_memory %4 : tensor<1x64xf32> to tensor<1x64xf32, #ttc.layout<l1, height_sharded>>
      %6 = ttc.dispatch @mlp(%4) : (tensor<1x64xf32>) -> tensor<1x10xf32>
      %7 = ttc.from_device %6 : tensor<1x10xf32> to tensor<1x10xf32>
      ttc.yield %7 : tensor<1x10xf32>
    }
    ttc.trace_boundary
    %2 = ttc.to_device %arg0 : tensor<1x64xf32> to tensor<1x64xf32>
    %3 = ttc.execute @main_t0(%2) : (tensor<1x64xf32>) -> tensor<1x10xf32>
    %8 = ttc.host_dispatch @mlp(%arg0) : (tensor<1x64xf32>) -> tensor<1x10xf32>
    return %1 : tensor<1x10xf32>
  }
  ttc.trace @main_t0(%arg0: tensor<1x64xf32> {ttc.buffer = @image}) -> (tensor<1x10xf32> {ttc.buffer = @logits}) {
    %0 = ttc.dispatch @mlp(%arg0) : (tensor<1x64xf32>) -> tensor<1x10xf32>
    ttc.yield %0 : tensor<1x10xf32>
  }
  ttc.buffer slot @image : tensor<1x64xf32> in dram at 0x1000 size 256
  ttc.buffer slot @logits : tensor<1x10xf32> in dram
  ttc.buffer constant @w0 : tensor<2xf32> = dense<1.000000e+00> : tensor<2xf32> in dram at 0x0 size 64
  ttc.buffer activation @act1 : tensor<1x64xf32> live [1, 3) in dram at 0x1400 size 256
  ttc.buffer slot @logits_slot1 : tensor<1x10xf32> in dram
  ttc.event @ev
  ttc.trace @main_t1 region at dram 0xfffc0 size 144 {
    ttc.cmd.dispatch @mlp(@image) into (@logits)
    ttc.cmd.barrier
    ttc.cmd.copy @image to @act1 bytes 256
    ttc.cmd.fill @logits with -1 bytes 40
    ttc.cmd.signal @ev
    ttc.cmd.wait @ev
    ttc.cmd.end
  }
  ttc.entry @main2 {
    ttc.input "image" at @image : tensor<1x64xf32>
    ttc.output "logits" at @logits ring [@logits_slot1] : tensor<1x10xf32>
    ttc.schedule "overlap" queues 2 prologue {
      ttc.enqueue.record @ev on 0
    } body {
      ttc.enqueue.wait @ev on 1
      ttc.enqueue.write 0 to @image on 1
      ttc.enqueue.execute @main_t1 on 0
      ttc.enqueue.host @mlp(@image) into (@logits) on 0
      ttc.enqueue.dispatch @mlp(@image) into (@act1 + 64) on 0
      ttc.enqueue.read 0 from @logits_slot1 on 0
    }
    ttc.schedule "single" queues 1 body {
      ttc.enqueue.write 0 to @image on 0
      ttc.enqueue.copy @image to @act1 bytes 256 on 0
    } epilogue {
      ttc.enqueue.read 0 from @logits on 0
    }
  }
  ttc.binary @code dense<0> : tensor<4xi8>
}
