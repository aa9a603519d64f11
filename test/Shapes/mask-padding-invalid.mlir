// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot be made neutral is an error.
// RUN: ttc-opt %s --ttc-mask-padding --split-input-file -verify-diagnostics

func.func @norm(%x: tensor<4x8xf32> {ttc.dims = affine_map<()[s0] -> (4, s0)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<4x8xf32> attributes {ttc.variant = #ttc.variant<of = "main", dims = ["width"], low = [1], high = [8]>} {
  %w = ttc.constant dense<0.5> : tensor<8xf32>
  // expected-error @+1 {{dimension 1 of operand 0 has a size of its own in each run (width): the op would compute with what follows it}}
  %0 = ttc.layer_norm %x, %w, %w {axis = 1} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @last(%x: tensor<8x6xf32> {ttc.dims = affine_map<()[s0] -> (s0, 6)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<1x6xf32> attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  // expected-error @+1 {{expected a part that is valid in every run, found 1 elements from 7 on}}
  %0 = ttc.slice %x {starts = [7, 0], sizes = [1, 6], steps = [1, 1]} : (tensor<8x6xf32>) -> tensor<1x6xf32>
  return %0 : tensor<1x6xf32>
}

// -----

// A part of what is whole in every run.
func.func @diagonal(%x: tensor<9xf32>, %extents: tensor<1xi32> {ttc.name = "extents"}) -> tensor<3xf32>
    attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [3]>} {
  // expected-error @+1 {{dimension 0 of operand 0: expected a part that is valid in every run, found rows + 1 elements from 0 on}}
  %0 = ttc.slice %x {starts = [0], sizes = [3], steps = [4], ttc.dims = affine_map<()[s0] -> (s0 + 1)>} : (tensor<9xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// A place that is not valid in every run: the last but one of at least one row.
func.func @before(%x: tensor<8x6xf32> {ttc.dims = affine_map<()[s0] -> (s0, 6)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<1x6xf32> attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  // expected-error @+1 {{expected a part that is valid in every run, found 1 elements from rows - 2 on}}
  %0 = ttc.slice %x {starts = [6, 0], sizes = [1, 6], steps = [1, 1], ttc.numbers = affine_map<()[s0] -> (s0 - 2, 0)>} : (tensor<8x6xf32>) -> tensor<1x6xf32>
  return %0 : tensor<1x6xf32>
}

// -----

func.func @other(%x: tensor<8xf32> {ttc.dims = affine_map<()[s0, s1] -> (s0)>}, %y: tensor<8xf32> {ttc.dims = affine_map<()[s0, s1] -> (s1)>},
                 %extents: tensor<2xi32> {ttc.name = "extents"})
    -> tensor<8xf32> attributes {ttc.variant = #ttc.variant<of = "main", dims = ["a", "b"], low = [1, 1], high = [8, 8]>} {
  // expected-error @+1 {{another operand has another size there, which is not always the same}}
  %0 = ttc.add %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Recorded shapes that the rules do not explain.
func.func @probed(%x: tensor<8x6xf32> {ttc.dims = affine_map<()[s0] -> (s0, 6)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<8x6xf32> attributes {ttc.probes = array<i64: 4>, ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  // expected-error @+1 {{dimension 0 of the result has 5 elements with rows 4, expected 4}}
  %0 = ttc.exp %x {ttc.probed = array<i64: 5, 6>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// -----

// Pixels of an image lie apart; indices name them as they would lie together.
func.func @apart(%x: tensor<4x6xf32> {ttc.dims = affine_map<()[s0] -> (4, s0)>}, %i: tensor<2xi64>, %y: tensor<2xf32>, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<24xf32> attributes {ttc.variant = #ttc.variant<of = "main", dims = ["width"], low = [1], high = [6]>} {
  %0 = ttc.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  // expected-error @+1 {{dimension 0 of operand 0 has a size of its own in each run (width): it merges dimensions, and the op needs them apart}}
  %1 = ttc.scatter_elements %0, %i, %y {axis = 0} : (tensor<24xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<24xf32>
  return %1 : tensor<24xf32>
}

// -----

// Slices that are shorter than those of the data.
func.func @slices(%old: tensor<4x6xf32>, %i: tensor<2x1xi64>, %y: tensor<2x6xf32> {ttc.dims = affine_map<()[s0] -> (2, s0)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> tensor<4x6xf32> attributes {ttc.variant = #ttc.variant<of = "main", dims = ["width"], low = [1], high = [6]>} {
  // expected-error @+1 {{dimension 1 of operand 2 has a size of its own in each run (width): expected slices of the size of the data}}
  %0 = ttc.scatter_nd %old, %i, %y : (tensor<4x6xf32>, tensor<2x1xi64>, tensor<2x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

ttc.state @sum : tensor<8xf32>
// expected-error @+1 {{expected a state of one size in all runs, found @sum: dimension 0 of its old value has a size of its own in each run}}
func.func @old(%sum: tensor<8xf32> {ttc.state = @sum, ttc.dims = affine_map<()[s0] -> (s0)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> (tensor<8xf32> {ttc.state = @sum}) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  return %sum : tensor<8xf32>
}

// -----

ttc.state @last : tensor<8xf32>
// expected-error @+1 {{expected a state of one size in all runs, found @last: dimension 0 of its new value has a size of its own in each run}}
func.func @new(%last: tensor<8xf32> {ttc.state = @last}, %x: tensor<8xf32> {ttc.dims = affine_map<()[s0] -> (s0)>}, %extents: tensor<1xi32> {ttc.name = "extents"})
    -> (tensor<8xf32> {ttc.state = @last}, tensor<8xf32>) attributes {ttc.variant = #ttc.variant<of = "main", dims = ["rows"], low = [1], high = [8]>} {
  return %x, %last : tensor<8xf32>, tensor<8xf32>
}
