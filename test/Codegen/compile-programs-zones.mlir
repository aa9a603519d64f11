// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --ttc-compile-programs --split-input-file --verify-diagnostics | FileCheck %s

// The binary lists the names that are left in the programs, sorted: not of the zone that is never reached.
// CHECK: ttc.binary @code dense_resource<code> : tensor<{{[0-9]+}}xi8> {zone_names = ["first", "last"]}
ttc.program @zones() -> tensor<8xf32> attributes {grid = 1 : i64, markers, scratch_bytes = 4160 : i64} {
  builtin.module {
    llvm.mlir.global internal constant @last("last\00")
    llvm.mlir.global internal constant @first("first\00")
    llvm.mlir.global internal constant @never("never\00")
    llvm.func @ttc_kernel_begin_zone(!llvm.ptr, !llvm.ptr) -> i32
    llvm.func @zones(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %workgroup: i64)
        attributes {ttc.scratch_bytes = 4160 : i64, ttc.workgroups = 1 : i64} {
      %last = llvm.mlir.addressof @last : !llvm.ptr
      %0 = llvm.call @ttc_kernel_begin_zone(%scratch, %last) : (!llvm.ptr, !llvm.ptr) -> i32
      %first = llvm.mlir.addressof @first : !llvm.ptr
      %1 = llvm.call @ttc_kernel_begin_zone(%scratch, %first) : (!llvm.ptr, !llvm.ptr) -> i32
      %no = llvm.mlir.constant(false) : i1
      llvm.cond_br %no, ^never, ^end
    ^never:
      %never = llvm.mlir.addressof @never : !llvm.ptr
      %2 = llvm.call @ttc_kernel_begin_zone(%scratch, %never) : (!llvm.ptr, !llvm.ptr) -> i32
      llvm.br ^end
    ^end:
      llvm.return
    }
  }
}

// -----

// expected-error@+1 {{expected zone names with different hashes, found 'costarring' and 'liquid' with the same one; rename a zone}}
module {
  ttc.program @collision() -> tensor<8xf32> attributes {grid = 1 : i64, markers, scratch_bytes = 4160 : i64} {
    builtin.module {
      llvm.mlir.global internal constant @a("liquid\00")
      llvm.mlir.global internal constant @b("costarring\00")
      llvm.func @ttc_kernel_begin_zone(!llvm.ptr, !llvm.ptr) -> i32
      llvm.func @collision(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %workgroup: i64)
          attributes {ttc.scratch_bytes = 4160 : i64, ttc.workgroups = 1 : i64} {
        %a = llvm.mlir.addressof @a : !llvm.ptr
        %0 = llvm.call @ttc_kernel_begin_zone(%scratch, %a) : (!llvm.ptr, !llvm.ptr) -> i32
        %b = llvm.mlir.addressof @b : !llvm.ptr
        %1 = llvm.call @ttc_kernel_begin_zone(%scratch, %b) : (!llvm.ptr, !llvm.ptr) -> i32
        llvm.return
      }
    }
  }
}

// -----

ttc.program @computed() -> tensor<8xf32> attributes {grid = 1 : i64, markers, scratch_bytes = 4160 : i64} {
  // expected-error@+1 {{expected zones with names that are string literals}}
  builtin.module {
    llvm.func @ttc_kernel_begin_zone(!llvm.ptr, !llvm.ptr) -> i32
    llvm.func @computed(%operands: !llvm.ptr, %base: !llvm.ptr, %scratch: !llvm.ptr, %workgroup: i64)
        attributes {ttc.scratch_bytes = 4160 : i64, ttc.workgroups = 1 : i64} {
      %0 = llvm.call @ttc_kernel_begin_zone(%scratch, %base) : (!llvm.ptr, !llvm.ptr) -> i32
      llvm.return
    }
  }
}
