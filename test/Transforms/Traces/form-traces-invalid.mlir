// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be a trace as a whole.
// RUN: ttc-opt %s --ttc-form-traces --split-input-file --verify-diagnostics

// expected-error@+1 {{expected arguments and results of function @vector to be tensors of static shape, found argument 0 to be 'vector<4xf32>'}}
func.func @vector(%x: vector<4xf32>) -> vector<4xf32> {
  return %x : vector<4xf32>
}

// -----

// expected-error@+1 {{expected arguments and results of function @dynamic to be tensors of static shape, found argument 0 to be 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error@+1 {{expected arguments and results of function @number to be tensors of static shape, found result 0 to be 'index'}}
func.func @number(%x: tensor<4xf32>) -> index {
  %c = arith.constant 3 : index
  return %c : index
}

// -----

// expected-error@+1 {{expected a function of one block, found 2: a trace has no control flow; let the caller choose between functions}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}
