// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small classifier with two traced regions, and an op beside them (docs/tracing-by-hand.md).
func.func @main(%image: tensor<2x4xf32> {ttc.name = "image"}) -> (tensor<2x3xf32> {ttc.name = "scores"}) {
  %features = ttc.traced -> tensor<2x8xf32> {
    %x = ttc.to_device %image : tensor<2x4xf32> to tensor<2x4xf32>
    %w = ttc.constant dense<
       [[-0.73, 0.69, 0.53, -0.49, -0.01, -0.10, 0.30, 0.58],
        [-0.81, -0.94, 0.67, -0.13, 0.52, -1.00, -0.11, 0.44],
        [-0.54, 0.89, 0.80, -0.94, -0.95, 0.08, 0.88, -0.24],
        [-0.57, -0.16, -0.94, -0.56, -0.12, -0.01, -0.53, -0.54]]> : tensor<4x8xf32>
    %b = ttc.constant dense<
       [-0.93, -0.51, 0.59, -0.17, -0.65, 0.10, 0.41, 0.35]> : tensor<8xf32>
    %0 = ttc.matmul %x, %w, %b : (tensor<2x4xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
    %1 = ttc.relu %0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %y = ttc.from_device %1 : tensor<2x8xf32> to tensor<2x8xf32>
    ttc.yield %y : tensor<2x8xf32>
  }
  %logits = ttc.traced -> tensor<2x3xf32> {
    %x = ttc.to_device %features : tensor<2x8xf32> to tensor<2x8xf32>
    %w = ttc.constant dense<
       [[-0.56, -0.08, -0.42],
        [-0.96, 0.68, 0.11],
        [0.28, -0.63, 0.99],
        [0.72, -0.76, -0.33],
        [0.44, 0.42, 0.87],
        [-0.16, 0.66, 0.34],
        [-0.39, 0.18, 0.76],
        [0.69, 0.01, 0.18]]> : tensor<8x3xf32>
    %0 = ttc.matmul %x, %w : (tensor<2x8xf32>, tensor<8x3xf32>) -> tensor<2x3xf32>
    %y = ttc.from_device %0 : tensor<2x3xf32> to tensor<2x3xf32>
    ttc.yield %y : tensor<2x3xf32>
  }
  %scores = ttc.softmax %logits {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %scores : tensor<2x3xf32>
}
