// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file becomes an attribute, which decides instead of heuristics and does not outlive the last decision.
// RUN: split-file %s %t
// RUN: sed "s/VERSION/%version/" %t/tuning.txt > %t/v3.txt
// RUN: ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/v3.txt | FileCheck %s --check-prefix=READ
// READ: ttc.tuning = {entries = {"kernel.gemm (tensor<128x768xf32>, tensor<1x48x768x16xf32>) -> {{.*}}" = #ttc.gemm_plan<rows = direct, splits = [1, 2, 8], block = 11>,
// READ-SAME: "matmul (tensor<128x768xf32>, constant tensor<768x768xf32>) -> {{.*}}" = #ttc.kernel_choice<direct, tile = [5, 16]>
// READ-SAME: file = "{{.*}}v3.txt"
// RUN: ttc-opt %t/model.mlir --ttc-trace-pipeline="target-cpu=x86-64-v3 compile=false weights=f32 tuning=%t/v3.txt" --mlir-print-ir-after=ttc-plan-gemms -o %t/tuned.mlir 2>&1 | FileCheck %s --check-prefix=TUNED
// TUNED-NOT: ttc.tuning
// TUNED: ttc.kernel.gemm {{.*}}plan = #ttc.gemm_plan<rows = direct, splits = [1, 2, 8], block = 11>, tile = array<i64: 5, 16>
// RUN: ttc-opt %t/model.mlir --ttc-trace-pipeline="target-cpu=x86-64-v3 compile=false weights=f32" --mlir-print-ir-after=ttc-plan-gemms -o %t/untuned.mlir 2>&1 | FileCheck %s --check-prefix=UNTUNED
// UNTUNED: ttc.kernel.gemm {{.*}}plan = #ttc.gemm_plan<rows = direct, splits = [1, 1, 16], block = 11>, tile = array<i64: 6, 16>

// Each way in which a file can be wrong.
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v4 --ttc-read-tuning=tuning=%t/v3.txt 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: tuning '{{.*}}v3.txt', line 3: expected measurements for the CPU that code is generated for: expected x86-64-v4, found x86-64-v3
// RUN: sed "s/x86-64-v3/x86-64-v3 +adx/" %t/v3.txt > %t/features.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/features.txt 2>&1 | FileCheck %s --check-prefix=FEATURES
// FEATURES: line 3: {{.*}} expected x86-64-v3 without +adx, found it with
// RUN: sed "s/^version .*/version 0.0.7/" %t/v3.txt > %t/version.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/version.txt 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: line 2: expected measurements with ttc {{[0-9.]+}}, found those with ttc '0.0.7'; --tune with another file makes new ones
// RUN: sed "s/tuning 1/tuning 2/" %t/v3.txt > %t/format.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/format.txt 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: line 1: expected version 1 of the format, found '2'
// RUN: not ttc-opt %t/model.mlir --ttc-read-tuning=tuning=%t/model.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: line 1: expected a file of --tune, which begins with 'ttc tuning', found 'func.func
// RUN: sed "/^end/d" %t/v3.txt > %t/truncated.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/truncated.txt 2>&1 | FileCheck %s --check-prefix=TRUNCATED
// TRUNCATED: line 6: expected an entry or 'end', found the end of the file: it is not complete
// RUN: head -c 200 %t/v3.txt > %t/cut.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/cut.txt 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: line {{[0-9]}}: expected an entry or 'end', found the end of the file within a line: it is not complete
// RUN: sed "/^kernel/d" %t/v3.txt > %t/count.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/count.txt 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: line 5: expected 'end 1', the number of entries, found 'end 2'
// RUN: sed "s/^end/size 3\n&/" %t/v3.txt > %t/key.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/key.txt 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: line 6: expected 'OP => ATTRIBUTE', found 'size 3'
// RUN: sed "s/^matmul.*/&\n&/" %t/v3.txt > %t/twice.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/twice.txt 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: line 6: expected entries that are sorted, each once, found 'matmul
// RUN: sed "s/tile = .5, 16./tile = [15, 16]/" %t/v3.txt > %t/range.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/range.txt 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: line 5: '#ttc.kernel_choice<direct, tile = [15, 16]>': (C1) expected a 'tile' of 1 to 14 rows and 1, 8, 16, 32 or 48 columns, found [15, 16]
// RUN: sed "s/block = 11/block = 99999999999999999999/" %t/v3.txt > %t/large.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/large.txt 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: line 4: '#ttc.gemm_plan<{{.*}}>': integer value too large
// RUN: sed "s/direct, tile/fast, tile/" %t/v3.txt > %t/method.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/method.txt 2>&1 | FileCheck %s --check-prefix=METHOD
// METHOD: line 5: '#ttc.kernel_choice<fast, tile = [5, 16]>': expected {{.*}}direct, winograd, winograd_transformed
// RUN: sed "s/#ttc.kernel_choice.*/#ttc.pack_kind<conv>/" %t/v3.txt > %t/kind.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/kind.txt 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: line 5: expected a #ttc.kernel_choice or a #ttc.gemm_plan, found #ttc.pack_kind<conv>
// RUN: sed "\$s/$/\nmore/" %t/v3.txt > %t/more.txt
// RUN: not ttc-opt %t/model.mlir --ttc-set-target=target-cpu=x86-64-v3 --ttc-read-tuning=tuning=%t/more.txt 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: line 7: expected nothing after 'end', found 'more'
// RUN: not ttc-opt %t/model.mlir --ttc-read-tuning=tuning=%t/missing.txt 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot open tuning '{{.*}}missing.txt': No such file or directory
// RUN: not ttc-opt %t/model.mlir --ttc-read-tuning=tuning=%t 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: tuning '{{.*}}': expected a file of at most 67108864 bytes, found a folder, a device or a pipe

//--- model.mlir
func.func @main(%x: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %w = ttc.constant dense<0.1> : tensor<768x768xf32>
  %0 = ttc.matmul %x, %w : (tensor<128x768xf32>, tensor<768x768xf32>) -> tensor<128x768xf32>
  return %0 : tensor<128x768xf32>
}
//--- tuning.txt
ttc tuning 1
version VERSION
cpu x86-64-v3
kernel.gemm (tensor<128x768xf32>, tensor<1x48x768x16xf32>) -> tensor<128x768xf32> {groups = 1 : i64, packed, tile = array<i64: 5, 16>} => #ttc.gemm_plan<rows = direct, splits = [1, 2, 8], block = 11>
matmul (tensor<128x768xf32>, constant tensor<768x768xf32>) -> tensor<128x768xf32> {} => #ttc.kernel_choice<direct, tile = [5, 16]>
end 2
