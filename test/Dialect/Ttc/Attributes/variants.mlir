// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ttc-opt %s | ttc-opt | %roundtrip %s

#map = affine_map<()[s0, s1] -> (s0, s1)>
#map1 = affine_map<()[s0, s1] -> (s0, (s1 - 1) floordiv 2 + 1, 384)>
#map2 = affine_map<()[s0] -> (s0, s0 * 2 + 512)>
module {
  func.func private @main.8x64(tensor<8x64xi64> {ttc.dims = #map, ttc.name = "ids"}, tensor<2xi32> {ttc.name = "extents"})
      -> (tensor<8x32x384xf32> {ttc.dims = #map1})
      attributes {ttc.variant = #ttc.variant<of = "main", dims = ["batch", "sequence"], low = [1, 1], high = [8, 64]>}
  // Its extents are multiples.
  func.func private @image.512(tensor<512x1536xf32> {ttc.dims = #map2}, tensor<1xi32> {ttc.name = "extents"}) -> tensor<4xf32>
      attributes {ttc.variant = #ttc.variant<of = "image", dims = ["height"], low = [32], high = [512], step = [32]>}
}
