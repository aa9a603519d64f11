// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and rotary embeddings of the default domain, of com.microsoft and of ai.onnx.preview.
// RUN: split-file %s %t
// RUN: onnx-text %t/plain.txt %t/plain.onnx && ttc-translate --import-onnx %t/plain.onnx | FileCheck %s --check-prefix=PLAIN
// RUN: onnx-text %t/groups.txt %t/groups.onnx && ttc-translate --import-onnx %t/groups.onnx | FileCheck %s --check-prefix=GROUPS
// RUN: onnx-text %t/rotary.txt %t/rotary.onnx && ttc-translate --import-onnx %t/rotary.onnx | FileCheck %s --check-prefix=ROTARY
// RUN: onnx-text %t/flex.txt %t/flex.onnx && ttc-translate --import-onnx %t/flex.onnx | FileCheck %s --check-prefix=FLEX
// RUN: onnx-text %t/errors.txt %t/errors.onnx --name
// RUN: not ttc-translate --import-onnx %t/errors.onnx 2>&1 | FileCheck %s --check-prefix=ERRORS

// Without a mask no row can be empty, so none is replaced.
//--- plain.txt
<ir_version: 8, opset_import: ["" : 23]>
g (float[2,5,12] q, float[2,7,12] k, float[2,7,6] v) => (float[2,5,6] y)
{
  y = Attention<q_num_heads = 3, kv_num_heads = 3>(q, k, v)
}
// PLAIN: ttc.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<2x3x5x4xf32>, tensor<2x3x7x4xf32>) -> tensor<2x3x5x7xf32>
// PLAIN: ttc.mul %{{.*}}, %{{.*}} : (tensor<2x3x5x7xf32>, tensor<f32>)
// PLAIN: ttc.softmax %{{.*}} {axis = 3}
// PLAIN: ttc.matmul
// PLAIN-NOT: ttc.where
// PLAIN: ttc.transpose %{{.*}} {permutation = [0, 2, 1, 3]} : (tensor<2x3x5x2xf32>)

// The queries of a group are rows of one product: keys are not repeated. A mask may hide a whole row.
//--- groups.txt
<ir_version: 8, opset_import: ["" : 23]>
g (float[1,6,5,4] q, float[1,2,7,4] k, float[1,2,7,4] v, bool[5,7] m) => (float[1,6,5,4] y)
{
  y = Attention<is_causal = 1>(q, k, v, m)
}
// GROUPS: ttc.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<1x2x15x4xf32>, tensor<1x2x7x4xf32>) -> tensor<1x2x15x7xf32>
// GROUPS: ttc.where
// GROUPS: ttc.softmax
// GROUPS: ttc.matmul %{{.*}}, %{{.*}} : (tensor<1x2x15x7xf32>, tensor<1x2x7x4xf32>)
// GROUPS: ttc.reduce_max
// GROUPS: ttc.where

//--- rotary.txt
<ir_version: 8, opset_import: ["" : 23, "com.microsoft" : 1]>
g (float[1,3,8] x, float[9,2] c, float[9,2] s, int64[1,3] p) => (float[1,3,8] y, float[1,3,8] z)
{
  y = RotaryEmbedding<num_heads = 2>(x, c, s, p)
  z = com.microsoft.RotaryEmbedding<interleaved = 1>(y, p, c, s)
}
// ROTARY-COUNT-2: ttc.gather
// ROTARY: ttc.slice %{{.*}} {sizes = [1, 3, 2, 2], starts = [0, 0, 0, 2], steps = [1, 1, 1, 1]}
// ROTARY: ttc.concat %{{.*}}, %{{.*}} {axis = 3}
// ROTARY: ttc.slice %{{.*}} {sizes = [1, 3, 2, 2], starts = [0, 0, 0, 1], steps = [1, 1, 1, 2]}
// ROTARY: ttc.concat %{{.*}}, %{{.*}} {axis = 4}

// Bodies change the scores and the probabilities in f32, and may use values of the graph. The product with the
// values is in f32, too.
//--- flex.txt
<ir_version: 8, opset_import: ["" : 23, "ai.onnx.preview" : 1]>
g (float16[1,6,5,4] q, float16[1,2,7,4] k, float16[1,2,7,3] v, float[6,1,1] slope) => (float16[1,6,5,3] y)
{
  y = ai.onnx.preview.FlexAttention<
    score_mod = cap (float[b,h,r,c] s) => (float[b,h,r,c] t) { u = Tanh(s) t = Mul(u, slope) },
    prob_mod = half (float[b,h,r,c] p) => (float[b,h,r,c] o) { w = Constant<value_float = 0.5>() o = Mul(p, w) }>(q, k, v)
}
// FLEX: ttc.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<1x2x15x4xf16>, tensor<1x2x7x4xf16>) -> tensor<1x2x15x7xf16>
// FLEX: ttc.tanh %{{.*}} : (tensor<1x6x5x7xf32>)
// FLEX: ttc.mul %{{.*}}, %arg3
// FLEX: ttc.softmax %{{.*}} {axis = 3} : (tensor<1x6x5x7xf32>)
// FLEX: ttc.mul
// FLEX: ttc.matmul %{{.*}}, %{{.*}} : (tensor<1x2x15x7xf32>, tensor<1x2x7x3xf32>) -> tensor<1x2x15x3xf32>
// FLEX: ttc.cast %{{.*}} : (tensor<1x6x5x3xf32>) -> tensor<1x6x5x3xf16>

//--- errors.txt
<ir_version: 8, opset_import: ["" : 23, "com.microsoft" : 1, "ai.onnx.preview" : 1]>
g (float[1,5,12] x, float[1,3,5,4] q, float[1,2,5,4] k, float[12,36] w, float[36] b, int32[3] m, float[9,2] c) => (float[1,5,12] y)
{
  a = Attention<q_num_heads = 5, kv_num_heads = 3>(x, x, x)
  d = Attention(q, k, k)
  e = Attention(x, q, q)
  f = Attention(q, q, q, , k)
  h = Attention<qk_matmul_output_mode = 4>(q, q, q)
  i = RotaryEmbedding<num_heads = 5>(x, c, c)
  j = RotaryEmbedding(q, c, c)
  l = com.microsoft.Attention<num_heads = 3>(x, w, b, m)
  n = com.microsoft.Attention<num_heads = 3, qkv_hidden_sizes = [12, 12, 13]>(x, w, b)
  y = com.microsoft.MultiHeadAttention<num_heads = 3>(x)
  o = ai.onnx.preview.FlexAttention(x, q, q)
  p = ai.onnx.preview.FlexAttention<score_mod = wrong (float[b,h,r,c] s) => (bool[b,h,r,c] t) { t = Equal(s, s) }>(q, q, q)
  r = ai.onnx.preview.FlexAttention<prob_mod = two (float[b,h,r,c] s) => (float[b,h,r,c] s, float[b,h,r,c] s) { }>(q, q, q)
}
// ERRORS: node 'Attention_0' (Attention, opset 23): expected Q to have three dimensions, the last a multiple of 5 heads, found 'tensor<1x5x12xf32>'
// ERRORS: node 'Attention_1' (Attention, opset 23): queries 'tensor<1x3x5x4xf32>', keys 'tensor<1x2x5x4xf32>' and values 'tensor<1x2x5x4xf32>' do not fit together
// ERRORS: node 'Attention_2' (Attention, opset 23): expected Q, K and V to have three or four dimensions each, found 'tensor<1x5x12xf32>', 'tensor<1x3x5x4xf32>', 'tensor<1x3x5x4xf32>'
// ERRORS: node 'Attention_3' (Attention, opset 23): expected past_key and past_value together, found one of them
// ERRORS: node 'Attention_4' (Attention, opset 23): attribute 'qk_matmul_output_mode' is 4 (supported: 0 to 3)
// ERRORS: node 'RotaryEmbedding_5' (RotaryEmbedding, opset 23): expected X to have four dimensions, or three, the last a multiple of the 5 heads, found 'tensor<1x5x12xf32>'
// ERRORS: node 'RotaryEmbedding_6' (RotaryEmbedding, opset 23): expected cosines and sines of three dimensions, with at most 2 angles for heads of 4 elements, found 'tensor<9x2xf32>' and 'tensor<9x2xf32>'
// ERRORS: node 'Attention_7' (Attention,{{.*}}: the mask 'tensor<3xi32>' does not fit a batch of 1, 5 queries and 5 keys
// ERRORS: node 'Attention_8' (Attention,{{.*}}: weights 'tensor<12x36xf32>' do not fit the sizes [12, 12, 13] of 3 heads
// ERRORS: node 'MultiHeadAttention_9' (MultiHeadAttention,{{.*}}: the layout of query 'tensor<1x5x12xf32>' without keys is not supported
// ERRORS: node 'FlexAttention_10' (FlexAttention, opset 1): expected Q, K and V to have four dimensions each, found 'tensor<1x5x12xf32>', 'tensor<1x3x5x4xf32>', 'tensor<1x3x5x4xf32>'
// ERRORS: node 'FlexAttention_11' (FlexAttention, opset 1): expected 'score_mod' to give one result of type 'tensor<1x3x5x5xf32>', found 'tensor<1x3x5x5xi1>'
// ERRORS: node 'FlexAttention_12' (FlexAttention, opset 1): expected 'prob_mod' to give one result of type 'tensor<1x3x5x5xf32>', found 2 results
