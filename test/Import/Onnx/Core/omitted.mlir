// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs that a node omits, and values that an earlier error of the node leaves out: errors, whatever the op is.
// RUN: split-file %s %t

// The registry says which inputs a node must have; a variadic op must have all of them.
// RUN: onnx-text %t/required.txt %t/required.onnx --name
// RUN: not ttc-translate --import-onnx %t/required.onnx 2>&1 | FileCheck %s --check-prefix=REQUIRED
//--- required.txt
<ir_version: 8, opset_import: ["" : 23, "com.microsoft" : 1]>
g (float[1,3,4,8] q, float[3] x, int64[1] n, float v, uint8[2] b) => (float[2] y, float[4] z)
{
  a = Attention(q, , q)
  c = Einsum<equation = "i,i->i">(x, )
  d = Concat<axis = 0>(x, , x)
  f = Max(x, )
  h = com.microsoft.QLinearConcat(v, , b, v, )
  y = Slice(x, , n)
  z = Pad(x, , v)
}
// REQUIRED: node 'Attention_0' (Attention, opset 23): input 1 is missing
// REQUIRED: node 'Einsum_1' (Einsum, opset 23): input 1 is missing
// REQUIRED: node 'Concat_2' (Concat, opset 23): input 1 is missing
// REQUIRED: node 'Max_3' (Max, opset 23): input 1 is missing
// REQUIRED: node 'QLinearConcat_4' (QLinearConcat, opset 1): input 1 is missing
// REQUIRED: node 'QLinearConcat_4' (QLinearConcat, opset 1): input 4 is missing
// REQUIRED: node 'Slice_5' (Slice, opset 23): input 1 (starts) is missing
// REQUIRED: node 'Pad_6' (Pad, opset 23): input 1 (pads) is missing

// A function's input that the call omits is omitted in the bodies of the function's nodes, too.
// RUN: onnx-text %t/body.txt %t/body.onnx --name
// RUN: ttc-translate --import-onnx %t/body.onnx --mlir-print-debuginfo=false | FileCheck %s --check-prefix=BODY
//--- body.txt
<ir_version: 8, opset_import: ["" : 13, "local" : 1]>
g (float[3] x, float high, bool c) => (float[3] y) { y = local.clip(x, , high, c) }
<opset_import: ["" : 13], domain: "local">
clip (a, low, high, c) => (b)
{
  b = If (c) <
    then_branch = t () => (float[3] d) { d = Clip(a, low, high) },
    else_branch = e () => (float[3] f) { f = Neg(a) }>
}
// BODY: @main(%[[X:.*]]: tensor<3xf32> {{.*}}, %[[HIGH:.*]]: tensor<f32> {{.*}}, %[[C:.*]]: tensor<i1>
// BODY-NOT: ttc.max
// BODY: ttc.min %[[X]], %[[HIGH]]

// It is no result.
// RUN: onnx-text %t/result.txt %t/result.onnx --name
// RUN: not ttc-translate --import-onnx %t/result.onnx 2>&1 | FileCheck %s --check-prefix=RESULT
//--- result.txt
<ir_version: 8, opset_import: ["" : 13, "local" : 1]>
g (float[3] x, bool c) => (float[3] y, float[3] z)
{
  y, w = local.same(x)
  z = local.branch(x, , c)
}
<opset_import: ["" : 13], domain: "local">
same (a, b) => (a, b) {}
<opset_import: ["" : 13], domain: "local">
branch (a, b, c) => (d)
{
  d = If (c) <
    then_branch = t () => (float[3] e) { e = Neg(a) },
    else_branch = e () => (float[3] b) {}>
}
// RESULT: node 'same_0' (same, opset 1): output 'b' of the function is an omitted input
// RESULT: output 'b' of 'branch_1/{{.*}}' is an omitted input

// An error leaves out what the node computes next.
// RUN: onnx-text %t/failed.txt %t/failed.onnx --name
// RUN: not ttc-translate --import-onnx %t/failed.onnx 2>&1 | FileCheck %s --check-prefix=FAILED
//--- failed.txt
<ir_version: 8, opset_import: ["" : 23, "com.microsoft" : 1]>
g (bool[1,3,4,8] q, float[1,0,4,8] none, float[1,3,4,8] k, float16[1,3,4,8] h, float[1,1,4,4] x, float[1,1,3,3] w,
   float[1,18,2,2] offset, float s, float[1,5,12] m, float[36] b, float[4] pads) => (float[3] y)
{
  a = Attention(q, q, q)
  c = Attention(none, k, k)
  d = Attention<is_causal = "x">(h, h, h, s)
  e = RotaryEmbedding(k, s, s)
  f = DeformConv<group = "x">(x, w, offset)
  i = com.microsoft.MultiHeadAttention<num_heads = 3>(m, m, m, s)
  j = com.microsoft.MultiHeadAttention<num_heads = 3>(m, m, m, b, , , m)
  l = com.microsoft.SkipLayerNormalization(s, s, s)
  y = com.microsoft.GroupQueryAttention<num_heads = 4611686018427387904, kv_num_heads = 6917529027641081856>(m)
}
// FAILED: node 'Attention_0' (Attention, opset 23):
// FAILED: node 'Attention_1' (Attention, opset 23): queries 'tensor<1x0x4x8xf32>', keys 'tensor<1x3x4x8xf32>' and values 'tensor<1x3x4x8xf32>' do not fit together
// FAILED: node 'Attention_2' (Attention, opset 23): expected attribute 'is_causal' to be of type INT, found STRING
// FAILED: node 'RotaryEmbedding_3' (RotaryEmbedding, opset 23): expected cosines and sines of three dimensions, with at most 4 angles for heads of 8 elements, found 'tensor<f32>' and 'tensor<f32>'
// FAILED: node 'DeformConv_4' (DeformConv, opset 23): expected attribute 'group' to be of type INT, found STRING
// FAILED: node 'MultiHeadAttention_5' (MultiHeadAttention, opset 1): axis 0 is out of range for a tensor of rank 0
// FAILED: node 'MultiHeadAttention_6' (MultiHeadAttention, opset 1): expected past_key and past_value together, found one of them
// FAILED: node 'SkipLayerNormalization_7' (SkipLayerNormalization, opset 1): expected the input to have a dimension, found 'tensor<f32>'
// FAILED: node 'GroupQueryAttention_8' (GroupQueryAttention, opset 1): expected a query of three dimensions, and num_heads and kv_num_heads from 1 to 2147483648, found 'tensor<1x5x12xf32>', 4611686018427387904 and 6917529027641081856
