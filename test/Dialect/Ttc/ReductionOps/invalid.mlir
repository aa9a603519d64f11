// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt --split-input-file --verify-diagnostics

func.func @reduce(%x: tensor<1x8x4x4xf32>) {
  // diagnostic here:
  %r = ttc.reduce_sum %x {axes = [2, 3]} : (tensor<1x8x4x4xf32>) -> tensor<1x8xf32>
  return
}

// each: reduce_sum, reduce_mean, reduce_max, reduce_min, reduce_prod
// change: ttc.reduce_sum => ttc.$each
// change: [2, 3] => [3, 2]
// expected-error {{'ttc.$each' op (C1) expected axes from 0 to 3 in increasing order, found [3, 2]}}

// change: [2, 3] => [-1]
// expected-error {{'ttc.reduce_sum' op (C1) expected axes from 0 to 3 in increasing order, found [-1]}}

// change: tensor<1x8xf32> => tensor<1x8x1x1xf32>
// expected-error {{'ttc.reduce_sum' op expected result 0 to be 'tensor<1x8xf32>', found 'tensor<1x8x1x1xf32>'}}

// -----

func.func @index(%x: tensor<1x8x4x4xf32>) {
  // diagnostic here:
  %r = ttc.argmax %x {axis = 3} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4xi64>
  return
}

// change: axis = 3 => axis = 4
// expected-error {{'ttc.argmax' op (C1) expected an axis from 0 to 3, found 4}}

// change: argmax %x {axis = 3} => argmin %x {axis = -2}
// expected-error {{'ttc.argmin' op (C1) expected an axis from 0 to 3, found -2}}
