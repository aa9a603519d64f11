// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %variants %s | ttc-opt -verify-diagnostics -split-input-file

func.func @recurrence(%x: tensor<5x3x80xf32>, %w: tensor<1x2x20x4x16xf32>, %s: tensor<2x1x3x20xf32>, %b: tensor<1x20xf32>, %p: tensor<1x60xf32>, %n: tensor<3xi32>) {
  // diagnostic here:
  %0:2 = ttc.recurrence lstm %x, %w, %s peepholes %p lengths %n : (tensor<5x3x80xf32>, tensor<1x2x20x4x16xf32>, tensor<2x1x3x20xf32>, tensor<1x60xf32>, tensor<3xi32>) -> (tensor<5x1x3x20xf32>, tensor<2x1x3x20xf32>)
  return
}

// change: tensor<2x1x3x20xf32> => tensor<1x1x3x20xf32>
// expected-error {{'ttc.recurrence' op (C1) expected 'initial' of [2, 1 or 2, batch, hidden] without a dimension of 0, found 'tensor<1x1x3x20xf32>'}}

// change: tensor<2x1x3x20xf32> => tensor<2x3x3x20xf32>
// expected-error {{'ttc.recurrence' op (C1) expected 'initial' of [2, 1 or 2, batch, hidden] without a dimension of 0, found 'tensor<2x3x3x20xf32>'}}

// change: tensor<2x1x3x20xf32> => tensor<2x1x0x20xf32>
// expected-error {{'ttc.recurrence' op (C1) expected 'initial' of [2, 1 or 2, batch, hidden] without a dimension of 0, found 'tensor<2x1x0x20xf32>'}}

// change: tensor<5x3x80xf32> => tensor<0x3x80xf32>
// expected-error {{'ttc.recurrence' op (C2) expected 'x' of [steps, 3, 80] with at least one step, found 'tensor<0x3x80xf32>'}}

// change: tensor<5x3x80xf32> => tensor<5x3x60xf32>
// expected-error {{'ttc.recurrence' op (C2) expected 'x' of [steps, 3, 80] with at least one step, found 'tensor<5x3x60xf32>'}}

// change: tensor<1x2x20x4x16xf32> => tensor<1x1x20x4x16xf32>
// expected-error {{'ttc.recurrence' op (C3) expected 'weights' of [1, 2, 20, 4, 16], found 'tensor<1x1x20x4x16xf32>'}}

// change: lstm %x, %w, %s peepholes %p => lstm %x, %w, %s bias %b
// change: 2x1x3x20xf32>, tensor<1x60xf32>, => 2x1x3x20xf32>, tensor<1x20xf32>,
// expected-error {{'ttc.recurrence' op (C4) expected no 'bias' of kind 'lstm', found 'tensor<1x20xf32>'}}

// change: lstm %x, %w, %s peepholes %p => gru %x, %w, %s bias %p
// change: tensor<5x3x80xf32> => tensor<5x3x60xf32>
// change: tensor<1x2x20x4x16xf32> => tensor<1x2x20x3x16xf32>
// change: tensor<2x1x3x20xf32> => tensor<1x1x3x20xf32>
// expected-error {{'ttc.recurrence' op (C4) expected 'bias' of [1, 20], found 'tensor<1x60xf32>'}}

// change: tensor<1x60xf32> => tensor<1x20xf32>
// expected-error {{'ttc.recurrence' op (C5) expected 'peepholes' of [1, 60], found 'tensor<1x20xf32>'}}

// change: lstm %x => gru %x
// change: tensor<5x3x80xf32> => tensor<5x3x60xf32>
// change: tensor<1x2x20x4x16xf32> => tensor<1x2x20x3x16xf32>
// change: tensor<2x1x3x20xf32> => tensor<1x1x3x20xf32>
// expected-error {{'ttc.recurrence' op (C5) expected no 'peepholes' of kind 'gru', found 'tensor<1x60xf32>'}}

// change: tensor<3xi32> => tensor<2xi32>
// expected-error {{'ttc.recurrence' op (C6) expected 'lengths' of [1] or [3], found 'tensor<2xi32>'}}

// change: lengths %n => sequences %n
// expected-error {{'ttc.recurrence' op (C7) expected 'sequences' to be a vector of 1 elements, found 'tensor<3xi32>'}}

// change: lengths %n : => lengths %n {reverse} :
// change: tensor<5x3x80xf32> => tensor<5x3x160xf32>
// change: tensor<1x2x20x4x16xf32> => tensor<2x2x20x4x16xf32>
// change: tensor<2x1x3x20xf32> => tensor<2x2x3x20xf32>
// change: tensor<1x60xf32> => tensor<2x60xf32>
// expected-error {{'ttc.recurrence' op (C8) expected no 'reverse' of 2 directions}}

// change: 1x2x20x4x16xf32> => 1x2x20x4x16xi8>
// expected-error {{'ttc.recurrence' op (C3) expected 'weights' of [1, 2, 5, 4, 16, 4], found 'tensor<1x2x20x4x16xi8>'}}

// change: 1x2x20x4x16xf32> => 1x2x5x4x16x4xi8>
// expected-error {{'ttc.recurrence' op (C9) expected 'scales' and 'zeros' of 'weights' of i8 only, found one missing of 'tensor<1x2x5x4x16x4xi8>'}}

// -----

func.func @bytes(%x: tensor<5x3x80xf32>, %w: tensor<1x2x5x4x16x4xi8>, %s: tensor<2x1x3x20xf32>, %c: tensor<1x80xf32>, %z: tensor<1x80xi32>, %n: tensor<1xi32>) {
  // diagnostic here:
  %0:2 = ttc.recurrence lstm %x, %w, %s scales %c zeros %z lengths %n : (tensor<5x3x80xf32>, tensor<1x2x5x4x16x4xi8>, tensor<2x1x3x20xf32>, tensor<1x80xf32>, tensor<1x80xi32>, tensor<1xi32>) -> (tensor<5x1x3x20xf32>, tensor<2x1x3x20xf32>)
  return
}

// change: tensor<1x80xf32> => tensor<1xf32>
// expected-error {{'ttc.recurrence' op (C9) expected 'scales' of [1, 80], found 'tensor<1xf32>'}}

// change: tensor<1x80xi32> => tensor<80xi32>
// expected-error {{'ttc.recurrence' op (C9) expected 'zeros' of [1, 80], found 'tensor<80xi32>'}}

// change: 1x2x5x4x16x4xi8> => 1x2x20x4x16xf32>
// expected-error {{'ttc.recurrence' op (C9) expected 'scales' and 'zeros' of 'weights' of i8 only, found one of 'tensor<1x2x20x4x16xf32>'}}

// change: lstm %x => rnn_tanh %x
// change: tensor<5x3x80xf32> => tensor<5x3x20xf32>
// change: 1x2x5x4x16x4xi8> => 1x2x5x1x16x4xi8>
// change: tensor<2x1x3x20xf32> => tensor<1x1x3x20xf32>
// change: tensor<1x80xf32> => tensor<1x20xf32>
// change: tensor<1x80xi32> => tensor<1x20xi32>
// expected-error {{'ttc.recurrence' op (C9) expected 'weights' of f32 of kind 'rnn_tanh', found 'tensor<1x2x5x1x16x4xi8>'}}

// change: tensor<5x3x80xf32> => tensor<5x33x80xf32>
// change: tensor<2x1x3x20xf32> => tensor<2x1x33x20xf32>
// expected-error {{'ttc.recurrence' op (C10) expected at most 32 sequences of 'weights' of i8, found 33}}

// change: tensor<1xi32> => tensor<3xi32>
// expected-error {{'ttc.recurrence' op (C10) expected 'lengths' of one element with 'weights' of i8, found 'tensor<3xi32>'}}
