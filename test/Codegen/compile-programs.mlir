// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --ttc-compile-programs --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not ttc-opt %s --ttc-compile-programs=progress=true --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=PROGRESS
// PROGRESS: compiling programs: 1 of 1

// The kernel is found, specialised and linked; a call of memcpy needs no libc.
// CHECK-LABEL: ttc.program @product(tensor<6x64xf32>, tensor<1x1x64x16xf32>) -> tensor<6x16xf32>
// CHECK-SAME: attributes {grid = 1 : i64, scratch_bytes = 0 : i64}
// CHECK-NOT: llvm.func
ttc.program @product(%a: tensor<6x64xf32>, %b: tensor<1x1x64x16xf32>) -> tensor<6x16xf32>
    attributes {grid = 1 : i64, scratch_bytes = 0 : i64} {
  builtin.module {
    llvm.mlir.global internal constant @params(dense<1> : tensor<128xi64>) : !llvm.array<128 x i64>
    llvm.func @ttc_kernel_pack(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr)
    llvm.func @epilogue() {
      llvm.return
    }
    llvm.func @product(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %workgroup: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      %params = llvm.mlir.addressof @params : !llvm.ptr
      %epilogue = llvm.mlir.addressof @epilogue : !llvm.ptr
      %markers = llvm.mlir.zero : !llvm.ptr
      llvm.call @ttc_kernel_pack(%operands, %scratch, %workgroup, %params, %epilogue, %markers)
        : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
      "llvm.intr.memcpy"(%scratch, %base, %workgroup) <{isVolatile = false}>
        : (!llvm.ptr, !llvm.ptr, i64) -> ()
      llvm.return
    }
  }
}
// CHECK: ttc.binary @code dense_resource<code> : tensor<{{[0-9]+}}xi8>{{$}}

// -----

// expected-error@+1 {{expected a body lowered by --ttc-lower-programs, found ops on tensors}}
ttc.program @tensors(%a: tensor<4xf32>) -> tensor<4xf32> {
  ttc.return %a : tensor<4xf32>
}

// -----

ttc.program @unknown(%a: tensor<4xf32>) -> tensor<4xf32>
    attributes {grid = 1 : i64, scratch_bytes = 0 : i64} {
  // expected-error@+1 {{undefined symbol: nowhere}}
  builtin.module {
    llvm.func @nowhere()
    llvm.func @unknown(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %workgroup: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 1 : i64} {
      llvm.call @nowhere() : () -> ()
      llvm.return
    }
  }
}

// -----

// diagnostic here:
ttc.program @scratch(%a: tensor<4xf32>) -> tensor<4xf32>
    attributes {grid = 8 : i64, scratch_bytes = 0 : i64} {
  builtin.module {
    llvm.func @scratch(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %workgroup: i64)
        attributes {ttc.scratch_bytes = 0 : i64, ttc.workgroups = 8 : i64} {
      llvm.return
    }
  }
}

// The program's attributes must be those that its code was made for.
// change: ttc.program @scratch => ttc.program @grid
// change: grid = 8 => grid = 7
// change: llvm.func @scratch => llvm.func @grid
// expected-error {{'ttc.program' op expected a grid of the 8 workgroups that its code divides its work into, found 7 : i64}}

// change: ttc.scratch_bytes = 0 => ttc.scratch_bytes = 64
// expected-error {{'ttc.program' op expected the 64 bytes of scratch that its code needs, found 0 : i64}}

// -----

// expected-error@+1 {{'ttc.program' op expects an llvm.func of its name in its body, found none}}
ttc.program @nothing(%a: tensor<4xf32>) -> tensor<4xf32>
    attributes {grid = 8 : i64, scratch_bytes = 0 : i64} {
  builtin.module {
  }
}
