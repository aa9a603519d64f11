// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cache that a step writes at its position, which is state itself, and entry points that share both.
ttc.state @cache : tensor<8x4xf32>
ttc.state @position : tensor<1x1xi32>
func.func @decode(%cache: tensor<8x4xf32> {ttc.state = @cache}, %position: tensor<1x1xi32> {ttc.state = @position})
    -> (tensor<8x4xf32> {ttc.state = @cache}, tensor<1x1xi32> {ttc.state = @position}, tensor<1x4xf32> {ttc.name = "y"}) {
  %one = ttc.constant dense<1> : tensor<1x1xi32>
  %first = ttc.constant dense<[[0.5, -1.0, 0.25, 2.0]]> : tensor<1x4xf32>
  %sum = ttc.reduce_sum %cache {axes = [0]} : (tensor<8x4xf32>) -> tensor<4xf32>
  %row = ttc.add %first, %sum : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
  %new = ttc.scatter_nd %cache, %position, %row : (tensor<8x4xf32>, tensor<1x1xi32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  %next = ttc.add %position, %one : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
  %y = ttc.softmax %row {axis = 1} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %new, %next, %y : tensor<8x4xf32>, tensor<1x1xi32>, tensor<1x4xf32>
}
func.func @prefill(%x: tensor<3x4xf32> {ttc.name = "x"}, %cache: tensor<8x4xf32> {ttc.state = @cache}, %position: tensor<1x1xi32> {ttc.state = @position})
    -> (tensor<8x4xf32> {ttc.state = @cache}, tensor<1x1xi32> {ttc.state = @position}, tensor<1x1xi32> {ttc.name = "next"}) {
  %steps = ttc.constant dense<[[0], [1], [2]]> : tensor<3x1xi32>
  %three = ttc.constant dense<3> : tensor<1x1xi32>
  %at = ttc.add %position, %steps : (tensor<1x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi32>
  %new = ttc.scatter_nd %cache, %at, %x : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %next = ttc.add %position, %three : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
  return %new, %next, %next : tensor<8x4xf32>, tensor<1x1xi32>, tensor<1x1xi32>
}
