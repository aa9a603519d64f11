// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'ttc.state' op (C1) expected at least one element, found 'tensor<0xf32>'}}
ttc.state @s : tensor<0xf32>

// -----

ttc.state @s : tensor<4xf32>
// expected-error@+1 {{'ttc.state' op (C2) expected argument 1 to have the type of state @s ('tensor<4xf32>'), found 'tensor<2xf32>'}}
func.func @main(%x: tensor<2xf32>, %s: tensor<2xf32> {ttc.state = @s}) -> tensor<2xf32> {
  return %s : tensor<2xf32>
}

// -----

ttc.state @s : tensor<4xf32>
// expected-error@+1 {{'ttc.state' op (C2) expected result 0 to have the type of state @s ('tensor<4xf32>'), found 'tensor<4xi32>'}}
func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32> {ttc.state = @s}) {
  return %x : tensor<4xi32>
}

// -----

ttc.state @s : tensor<4xf32>
// expected-error@+1 {{'ttc.state' op (C3) expected at most one argument for state @s, found 0 and 2}}
func.func @main(%a: tensor<4xf32> {ttc.state = @s}, %x: tensor<4xf32>, %b: tensor<4xf32> {ttc.state = @s})
    -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

ttc.state @s : tensor<4xf32>
// expected-error@+1 {{'ttc.state' op (C3) expected at most one result for state @s, found 0 and 1}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {ttc.state = @s}, tensor<4xf32> {ttc.state = @s}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{expected 'ttc.state' on argument 0 to be a symbol name, found "s"}}
func.func @main(%s: tensor<4xf32> {ttc.state = "s"}) -> tensor<4xf32> {
  return %s : tensor<4xf32>
}

// -----

// expected-error@+1 {{expected 'ttc.state' on an argument or a result of a function, found it on argument 0}}
ttc.program @p(%s: tensor<4xf32> {ttc.state = @s}) -> tensor<4xf32> {
  ttc.return %s : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4x4xf32, #ttc.layout<l1, height_sharded>>) {
  // expected-error@+1 {{'ttc.copy' op (C2) expected a tensor without shards, found 'tensor<4x4xf32, #ttc.layout<l1, height_sharded>>'}}
  %0 = ttc.copy %x : tensor<4x4xf32, #ttc.layout<l1, height_sharded>>
  return
}

// -----

func.func @main(%x: tensor<4xf32>) {
  // copy (C1)
  // expected-error@+1 {{'ttc.copy' op requires the same type for all operands and results}}
  %0 = "ttc.copy"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
