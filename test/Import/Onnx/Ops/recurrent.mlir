// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU and LSTM are one product with the inputs of all steps, then the steps: one op, unrolled or repeated.
// RUN: split-file %s %t
// RUN: onnx-text %t/lstm.txt %t/lstm.onnx && ttc-translate --import-onnx %t/lstm.onnx | FileCheck %s --check-prefix=LSTM
// RUN: onnx-text %t/gru.txt %t/gru.onnx && ttc-translate --import-onnx %t/gru.onnx | FileCheck %s --check-prefix=GRU
// RUN: onnx-text %t/unrolled.txt %t/unrolled.onnx && ttc-translate --import-onnx %t/unrolled.onnx | FileCheck %s --check-prefix=UNROLLED
// RUN: onnx-text %t/large.txt %t/large.onnx && ttc-translate --import-onnx %t/large.onnx | FileCheck %s --check-prefix=LARGE
// RUN: onnx-text %t/lengths.txt %t/lengths.onnx && ttc-translate --import-onnx %t/lengths.onnx | FileCheck %s --check-prefix=LENGTHS
// RUN: onnx-text %t/known.txt %t/known.onnx && ttc-translate --import-onnx %t/known.onnx | FileCheck %s --check-prefix=KNOWN
// RUN: onnx-text %t/bytes.txt %t/bytes.onnx && ttc-translate --import-onnx %t/bytes.onnx | FileCheck %s --check-prefix=BYTES
// RUN: onnx-text %t/quantized.txt %t/quantized.onnx && ttc-translate --import-onnx %t/quantized.onnx | FileCheck %s --check-prefix=QUANTIZED
// RUN: onnx-text %t/repeated.txt %t/repeated.onnx --name
// RUN: ttc-translate --import-onnx %t/repeated.onnx | FileCheck %s --check-prefix=REPEATED
// RUN: not ttc-translate --import-onnx --keep-values --node-limit=5000 %t/repeated.onnx 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: onnx-text %t/both.txt %t/both.onnx && ttc-translate --import-onnx %t/both.onnx | FileCheck %s --check-prefix=BOTH
// RUN: onnx-text %t/errors.txt %t/errors.onnx --name
// RUN: not ttc-translate --import-onnx %t/errors.onnx 2>&1 | FileCheck %s --check-prefix=ERRORS

// Both directions are one op. It reads the weights of 16 units together; the last block is padded with zeros.
//--- lstm.txt
<ir_version: 8, opset_import: ["" : 22]>
g (float[2,3,5] x, float[2,16,5] w, float[2,16,4] r, float[2,32] b, float[2,3,4] h0, float[2,12] p) => (float[2,2,3,4] y, float[2,3,4] h, float[2,3,4] c)
{
  y, h, c = LSTM<hidden_size = 4, direction = "bidirectional">(x, w, r, b, , h0, , p)
}
// LSTM: %[[W:.*]] = ttc.reshape %arg1 : (tensor<2x16x5xf32>) -> tensor<32x5xf32>
// LSTM: %[[X:.*]] = ttc.reshape %arg0 : (tensor<2x3x5xf32>) -> tensor<6x5xf32>
// LSTM: %[[M:.*]] = ttc.matmul %[[X]], %[[W]], %{{.*}} {transpose_b} : (tensor<6x5xf32>, tensor<32x5xf32>, tensor<32xf32>) -> tensor<6x32xf32>
// LSTM: %[[P:.*]] = ttc.reshape %[[M]] : (tensor<6x32xf32>) -> tensor<2x3x32xf32>
// LSTM: ttc.pad %{{.*}} {high = [0, 0, 12, 0], low = [0, 0, 0, 0]} : (tensor<2x4x4x4xf32>) -> tensor<2x4x16x4xf32>
// LSTM: %[[R:.*]] = ttc.transpose %{{.*}} {permutation = [0, 2, 4, 1, 3]} : (tensor<2x4x1x16x4xf32>) -> tensor<2x1x4x4x16xf32>
// LSTM: %[[H:.*]] = ttc.reshape %arg4 : (tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
// LSTM: %[[S:.*]] = ttc.concat %[[H]], %{{.*}} {axis = 0} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<2x2x3x4xf32>
// LSTM: %[[Y:.*]], %[[LAST:.*]] = ttc.recurrence lstm %[[P]], %[[R]], %[[S]] peepholes %{{.*}} : (tensor<2x3x32xf32>, tensor<2x1x4x4x16xf32>, tensor<2x2x3x4xf32>, tensor<2x12xf32>)
// LSTM: ttc.slice %[[LAST]] {sizes = [1, 2, 3, 4], starts = [0, 0, 0, 0]
// LSTM: ttc.slice %[[LAST]] {sizes = [1, 2, 3, 4], starts = [1, 0, 0, 0]
// LSTM: return %[[Y]]

// Activations that the op lacks, or a limit. The first step has no state: no product with it, and nothing to forget.
//--- unrolled.txt
<ir_version: 8, opset_import: ["" : 22]>
g (float[2,3,5] x, float[1,16,5] w, float[1,16,4] r, float[1,32] b) => (float[2,1,3,4] y, float[1,3,4] h, float[1,3,4] c)
{
  y, h, c = LSTM<hidden_size = 4, clip = 9.0>(x, w, r, b)
}
// UNROLLED: %[[X:.*]] = ttc.reshape %arg0 : (tensor<2x3x5xf32>) -> tensor<6x5xf32>
// UNROLLED: %[[P:.*]] = ttc.matmul %[[X]], %{{.*}}, %{{.*}} {transpose_b} : (tensor<6x5xf32>, tensor<16x5xf32>, tensor<16xf32>) -> tensor<6x16xf32>
// UNROLLED: %[[FIRST:.*]] = ttc.slice %[[P]] {sizes = [3, 16], starts = [0, 0], steps = [1, 1]}
// UNROLLED-NOT: ttc.matmul
// UNROLLED: ttc.tanh
// UNROLLED: %[[SECOND:.*]] = ttc.slice %[[P]] {sizes = [3, 16], starts = [3, 0], steps = [1, 1]}
// UNROLLED: ttc.matmul %{{.*}}, %{{.*}}, %[[SECOND]] {transpose_b} : (tensor<3x4xf32>, tensor<16x4xf32>, tensor<3x16xf32>) -> tensor<3x16xf32>
// UNROLLED: ttc.concat %{{.*}}, %{{.*}} {axis = 0} : (tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<2x3x4xf32>

// Weights that leave no place in a core's L2, and few sequences: cores share each step.
//--- large.txt
<ir_version: 8, opset_import: ["" : 22]>
g (float[2,1,5] x, float[1,512,5] w, float[1,512,512] r, float[2,1,4] small, float[1,362,4] v, float[1,362,362] s) => (float[1,1,512] h, float[1,1,362] i)
{
  u, h = RNN(x, w, r)
  t, i = RNN(small, v, s)
}
// LARGE-NOT: ttc.recurrence
// LARGE: ttc.recurrence rnn_tanh {{.*}} (tensor<2x1x362xf32>

// Both forms of the reset gate, with a state from the start.
//--- gru.txt
<ir_version: 8, opset_import: ["" : 22]>
g (float[1,3,5] x, float[1,12,5] w, float[1,12,4] r, float[1,3,4] h) => (float[1,3,4] before, float[1,3,4] after)
{
  u, before = GRU<hidden_size = 4>(x, w, r, , , h)
  v, after = GRU<hidden_size = 4, linear_before_reset = 1>(x, w, r, , , h)
}
// GRU: ttc.recurrence gru_reset_first %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x3x12xf32>, tensor<1x1x4x3x16xf32>, tensor<1x1x3x4xf32>)
// GRU: ttc.recurrence gru %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x3x12xf32>, tensor<1x1x4x3x16xf32>, tensor<1x1x3x4xf32>)
// GRU-NOT: ttc.concat

// Lengths that are known at run time: unrolled, every step selects.
//--- lengths.txt
<ir_version: 8, opset_import: ["" : 22]>
g (float[2,3,5] x, float[1,4,5] w, float[1,4,4] r, int32[3] lengths) => (float[1,3,4] v, float[1,3,4] h)
{
  u, v = RNN<hidden_size = 4>(x, w, r, , lengths)
  t, h = RNN<hidden_size = 4, activations = ["Elu"]>(x, w, r, , lengths)
}
// LENGTHS: ttc.recurrence rnn_tanh %{{.*}}, %{{.*}}, %{{.*}} lengths %arg3 : ({{.*}}, tensor<3xi32>)
// LENGTHS: %[[MASK:.*]] = ttc.compare {{.*}} -> tensor<2x3x1xi1>
// LENGTHS-COUNT-2: ttc.where

// Lengths that are known now, unrolled: all sequences have the first step, some the second, none the third.
//--- known.txt
<ir_version: 8, opset_import: ["" : 22]>
g (float[3,2,5] x, float[1,4,5] w, float[1,4,4] r) => (float[3,1,2,4] y)
<int32[2] lengths = {2, 1}>
{
  y = RNN<hidden_size = 4, clip = 9.0>(x, w, r, , lengths)
}
// KNOWN: ttc.tanh
// KNOWN-NOT: ttc.where
// KNOWN: ttc.tanh
// KNOWN: ttc.where
// KNOWN-NOT: ttc.tanh
// KNOWN: ttc.concat

// The inputs of all steps have one range; the states are quantised in the op. Weights around 128 become weights around 0.
//--- bytes.txt
<ir_version: 8, opset_import: ["" : 22, "com.microsoft" : 1]>
g (float[2,3,5] x, uint8[1,5,16] w, uint8[1,4,16] r, float[1] s, float[1,16] c, uint8[1] z, uint8[1,16] o) => (float[2,1,3,4] y)
{
  y = com.microsoft.DynamicQuantizeLSTM<hidden_size = 4>(x, w, r, , , , , , s, z, c, o)
}
// BYTES: ttc.reduce_max {{.*}} : (tensor<6x5xf32>) -> tensor<f32>
// BYTES: ttc.int_matmul {{.*}} : (tensor<6x5xui8>, tensor<5x16xui8>, tensor<ui8>, tensor<ui8>) -> tensor<6x16xi32>
// BYTES-NOT: ttc.int_matmul
// BYTES: ttc.sub {{.*}} -> tensor<1x4x16xi32>
// BYTES: ttc.recurrence lstm {{.*}} scales %{{.*}} zeros %{{.*}} : (tensor<2x3x16xf32>, tensor<1x1x1x4x16x4xi8>, tensor<2x1x3x4xf32>, tensor<1x16xf32>, tensor<1x16xi32>) ->

// Unrolled, each state has a range.
//--- quantized.txt
<ir_version: 8, opset_import: ["" : 22, "com.microsoft" : 1]>
g (float[2,3,5] x, int8[1,5,16] w, int8[1,4,16] r, float[1] s, float[1,16] c, int8[1] z, int8[1,16] o) => (float[2,1,3,4] y)
{
  y = com.microsoft.DynamicQuantizeLSTM<hidden_size = 4, input_forget = 1>(x, w, r, , , , , , s, z, c, o)
}
// QUANTIZED: ttc.reduce_max {{.*}} : (tensor<6x5xf32>) -> tensor<f32>
// QUANTIZED: ttc.int_matmul {{.*}} : (tensor<6x5xui8>, tensor<5x16xi8>, tensor<ui8>, tensor<i8>) -> tensor<6x16xi32>
// QUANTIZED-NOT: ttc.int_matmul
// QUANTIZED: ttc.reduce_max {{.*}} : (tensor<3x4xf32>) -> tensor<f32>
// QUANTIZED: %[[Q:.*]] = ttc.quantize {{.*}} -> tensor<3x4xui8>
// QUANTIZED: %[[S:.*]] = ttc.int_matmul %[[Q]], {{.*}} : (tensor<3x4xui8>, tensor<4x16xi8>, tensor<ui8>, tensor<16xi8>) -> tensor<3x16xi32>
// QUANTIZED: ttc.cast %[[S]]

// Many steps, backwards: the device repeats one. It reads a row of the products and writes one of the outputs.
//--- repeated.txt
<ir_version: 8, opset_import: ["" : 22]>
g (float[400,3,5] x, float[1,4,5] w, float[1,4,4] r, float[1,3,4] h) => (float[400,1,3,4] y, float[1,3,4] last)
{
  y, last = RNN<clip = 9.0, direction = "reverse">(x, w, r, , , h)
}
// REPEATED: %[[P:.*]] = ttc.reshape %{{.*}} -> tensor<400x3x4xf32>
// REPEATED: ttc.constant dense<399> : tensor<i64>
// REPEATED: %[[L:.*]]:3 = ttc.loop_begin %{{.*}}, %{{.*}}, %{{.*}} times 400 : tensor<3x4xf32>, tensor<i64>, tensor<400x3x4xf32>
// REPEATED: %[[X:.*]] = ttc.gather %[[P]], %[[L]]#1 {axis = 0} : (tensor<400x3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
// REPEATED: ttc.matmul %[[L]]#0, %{{.*}}, %[[X]] {transpose_b}
// REPEATED: %[[H:.*]] = ttc.tanh
// REPEATED: %[[ROW:.*]] = ttc.reshape %[[H]] : (tensor<3x4xf32>) -> tensor<1x3x4xf32>
// REPEATED: %[[Y:.*]] = ttc.scatter_nd %[[L]]#2, %{{.*}}, %[[ROW]]
// REPEATED: %[[T:.*]] = ttc.add %[[L]]#1, %{{.*}} : (tensor<i64>, tensor<i64>) -> tensor<i64>
// REPEATED: ttc.loop_end %[[H]], %[[T]], %[[Y]]
// LIMIT: node 'RNN_0' (RNN, opset 22): expected at most 5000 nodes (--node-limit) with loops unrolled and functions inlined, found more with the 6400 ops of all steps

// Both directions make a step in each iteration. The first of each has no state, so it stands before the loop.
//--- both.txt
<ir_version: 8, opset_import: ["" : 22]>
g (float[400,1,5] x, float[2,16,5] w, float[2,16,4] r) => (float[400,2,1,4] y)
{
  y = LSTM<clip = 9.0, direction = "bidirectional">(x, w, r)
}
// BOTH: ttc.scatter_nd {{.*}} : (tensor<800x1x4xf32>,
// BOTH: ttc.scatter_nd {{.*}} : (tensor<800x1x4xf32>,
// BOTH: ttc.loop_begin {{.*}} times 399 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>, tensor<800x1x4xf32>
// BOTH-COUNT-2: ttc.matmul
// BOTH-NOT: ttc.matmul
// BOTH-COUNT-2: ttc.scatter_nd
// BOTH: ttc.loop_end
// BOTH: ttc.reshape {{.*}} : (tensor<800x1x4xf32>) -> tensor<400x2x1x4xf32>

//--- errors.txt
<ir_version: 8, opset_import: ["" : 22, "com.microsoft" : 1]>
g (float[2,3,5] x, float[1,4,5] w, float[1,4,4] r, float[2,5] flat, int8[1,5,16] qw, int8[1,4,16] qr, float[2] s, int8[2] z) => (float[1,3,4] y)
{
  a = RNN<direction = "sideways">(x, w, r)
  b = RNN<activations = ["Tanh", "Tanh"]>(x, w, r)
  c = RNN<activations = ["Softmax"]>(x, w, r)
  d = RNN(flat, w, r)
  e = RNN<hidden_size = 5>(x, w, r)
  f = LSTM(x, w, r)
  h = RNN<direction = "bidirectional">(x, w, r)
  y = com.microsoft.DynamicQuantizeLSTM(x, qr, qr, , , , , , s, z, s, z)
  k = com.microsoft.DynamicQuantizeLSTM(x, qw, qr, , , , , , s, z, s, z)
}
// ERRORS: node 'RNN_0' (RNN, opset 22): attribute 'direction' is 'sideways' (supported: forward, reverse, bidirectional)
// ERRORS: node 'RNN_1' (RNN, opset 22): expected attribute 'activations' to name 1 functions, found 2
// ERRORS: node 'RNN_2' (RNN, opset 22): activation 'Softmax' is not supported (supported: Affine, Clip, Elu,
// ERRORS: node 'RNN_3' (RNN, opset 22): expected input 0 (X) to have three dimensions, found 'tensor<2x5xf32>'
// ERRORS: node 'RNN_4' (RNN, opset 22): attribute 'hidden_size' is 5, but input 2 (R) is 'tensor<1x4x4xf32>'
// ERRORS: node 'LSTM_5' (LSTM, opset 22): expected input 1 (W) to have the shape [1, 16, 5], found 'tensor<1x4x5xf32>'
// ERRORS: node 'RNN_6' (RNN, opset 22): expected input 1 (W) to have the shape [2, 4, 5], found 'tensor<1x4x5xf32>'
// ERRORS: node 'DynamicQuantizeLSTM_7' (DynamicQuantizeLSTM, opset 1): expected input 1 (W) to have the shape [1, 5, 16], found 'tensor<1x4x16xi8>'
// ERRORS: node 'DynamicQuantizeLSTM_8' (DynamicQuantizeLSTM, opset 1): expected input 10 to have 1 or 16 elements, found 'tensor<2xf32>'
