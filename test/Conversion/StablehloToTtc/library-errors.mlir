// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s --allow-unregistered-dialect --convert-stablehlo-to-ttc --split-input-file --verify-diagnostics

func.func @sort(%x: tensor<4xf32>, %y: tensor<8xf32>, %z: tensor<8192xf32>) {
  // expected-error @below {{(C3) expected operands of one shape, found [4] and [8]}}
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
  // expected-error @below {{(C4) expected dimension to be from -1 to 0, found 1}}
  %1 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    "stablehlo.return"(%a) : (tensor<f32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{expected a comparator of the order of keys}}
  %2 = "stablehlo.sort"(%z) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %d = "stablehlo.subtract"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %s = "stablehlo.compare"(%d, %a) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%s) : (tensor<i1>) -> ()
  }) : (tensor<8192xf32>) -> tensor<8192xf32>
  // expected-error @below {{expected k to be from 0 to the size of the last dimension of 'tensor<4xf32>', found 5}}
  %3:2 = "chlo.top_k"(%x) <{k = 5 : i64}> : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi32>)
  return
}

// -----

func.func @random(%s: tensor<2xui64>, %t: tensor<3xui64>, %f: tensor<f32>, %n: tensor<1xi64>) {
  // expected-error @below {{(C2) expected a state of 2 numbers of ui64, found 'tensor<3xui64>'}}
  %0:2 = "stablehlo.rng_bit_generator"(%t) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  // expected-error @below {{expected rng_algorithm to be DEFAULT, THREE_FRY or PHILOX, found MERSENNE}}
  %1:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm MERSENNE>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  // expected-error @below {{expected random bits as integers of 8 to 64 bits, found 'tensor<4xf32>'}}
  %2:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xf32>)
  // expected-error @below {{cannot be imported: its numbers depend on a hidden state of the device}}
  %3 = "stablehlo.rng"(%f, %f, %n) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @fft(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %x = "stablehlo.complex"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
  // expected-error @below {{(C1, C3) expected fft_length to have 1 to 3 elements}}
  %0 = "stablehlo.fft"(%x) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 2, 2>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  // expected-error @below {{(C2) expected real numbers for fft_type RFFT}}
  %1 = "stablehlo.fft"(%x) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 4>}> : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  // expected-error @below {{op expected fft_length to be the sizes of the last dimensions, at most 16777216, found [5] for shape [4]}}
  %2 = "stablehlo.fft"(%x) <{fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 5>}> : (tensor<4xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  // expected-error @below {{op expected complex numbers to be compared by EQ or NE, found LT}}
  %3 = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @calls(%x: tensor<4x4xf32>) {
  // expected-error @below {{calls 'lapack_sgesdd_ffi' of LAPACK}}
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_sgesdd_ffi"}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{calls 'my_kernel', which only the compiler that it was written for has}}
  %1 = "stablehlo.custom_call"(%x) <{call_target_name = "my_kernel"}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{(C1) expected 4 elements of 8 bits in the last dimension for each one of 32}}
  %2 = "stablehlo.bitcast_convert"(%x) : (tensor<4x4xf32>) -> tensor<4x4x2xi8>
  return
}
