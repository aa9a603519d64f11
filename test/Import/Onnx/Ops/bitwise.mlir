// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on bits.
// RUN: split-file %s %t
// RUN: onnx-text %t/bits.txt %t/bits.onnx && ttc-translate --import-onnx %t/bits.onnx | FileCheck %s --check-prefix=BITS
// RUN: onnx-text %t/direction.txt %t/direction.onnx --name && not ttc-translate --import-onnx %t/direction.onnx 2>&1 | FileCheck %s --check-prefix=DIRECTION

//--- bits.txt
<ir_version: 8, opset_import: ["" : 18]>
g (int32[2,3] a, int32[3] b, uint8[4] u) => (int32[2,3] y, uint8[4] z)
{
  c = BitwiseAnd(a, b)
  d = BitwiseOr(c, b)
  e = BitwiseXor(d, b)
  y = BitwiseNot(e)
  f = BitShift<direction = "LEFT">(u, u)
  z = BitShift<direction = "RIGHT">(f, u)
}
// BITS: ttc.bit_and %{{.*}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
// BITS-NEXT: ttc.bit_or
// BITS-NEXT: ttc.bit_xor
// BITS-NEXT: ttc.bit_not
// BITS-NEXT: ttc.shift_left %{{.*}} : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
// BITS-NEXT: ttc.shift_right

//--- direction.txt
<ir_version: 8, opset_import: ["" : 18]>
g (uint8[4] u) => (uint8[4] z)
{
  z = BitShift<direction = "UP">(u, u)
}
// DIRECTION: node 'BitShift_0' (BitShift, opset 18): expected attribute 'direction' LEFT or RIGHT, found 'UP'
