// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses, einsum, optimizers and ops of ai.onnx.ml.
// RUN: split-file %s %t
// RUN: onnx-text %t/loss.txt %t/loss.onnx && ttc-translate --import-onnx %t/loss.onnx | FileCheck %s --check-prefix=LOSS
// RUN: onnx-text %t/einsum.txt %t/einsum.onnx && ttc-translate --import-onnx %t/einsum.onnx | FileCheck %s --check-prefix=EINSUM
// RUN: onnx-text %t/tree.txt %t/tree.onnx && ttc-translate --import-onnx %t/tree.onnx | FileCheck %s --check-prefix=TREE
// RUN: onnx-text %t/vectors.txt %t/vectors.onnx && ttc-translate --import-onnx %t/vectors.onnx | FileCheck %s --check-prefix=VECTORS
// RUN: onnx-text %t/errors.txt %t/errors.onnx --name
// RUN: not ttc-translate --import-onnx %t/errors.onnx 2>&1 | FileCheck %s --check-prefix=ERRORS

// An ignored label is no index; a mean counts only the others.
//--- loss.txt
<ir_version: 8, opset_import: ["" : 13]>
g (float[4,3] x, int64[4] t) => (float y, float[4,3] p)
{
  y, p = SoftmaxCrossEntropyLoss<ignore_index = -1>(x, t)
}
// LOSS: ttc.log_softmax %arg0 {axis = 1}
// LOSS: ttc.where
// LOSS: ttc.gather_elements
// LOSS-COUNT-2: ttc.where
// LOSS: ttc.reduce_sum
// LOSS: ttc.reduce_sum
// LOSS: ttc.div

// Dimensions in the order of a matrix need no transpose; a diagonal is a slice.
//--- einsum.txt
<ir_version: 8, opset_import: ["" : 22]>
g (float[2,3,4,5] a, float[2,3,6,5] b, float[3,3] c) => (float[2,3,4,6] y, float[3] z)
{
  y = Einsum<equation = "bhqd,bhkd->bhqk">(a, b)
  z = Einsum<equation = "ii->i">(c)
}
// EINSUM-NOT: ttc.transpose
// EINSUM: ttc.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<6x4x5xf32>, tensor<6x6x5xf32>) -> tensor<6x4x6xf32>
// EINSUM: ttc.slice %{{.*}} {sizes = [3], starts = [0], steps = [4]} : (tensor<9xf32>) -> tensor<3xf32>

// Two levels of one tree.
//--- tree.txt
<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 3]>
g (float[8,2] x) => (float[8,1] y)
{
  y = ai.onnx.ml.TreeEnsembleRegressor<n_targets = 1, nodes_treeids = [0, 0, 0, 0, 0], nodes_nodeids = [0, 1, 2, 3, 4],
      nodes_featureids = [0, 0, 1, 0, 0], nodes_values = [0.5, 0.0, -1.0, 0.0, 0.0],
      nodes_modes = ["BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids = [1, 0, 3, 0, 0],
      nodes_falsenodeids = [2, 0, 4, 0, 0], target_treeids = [0, 0, 0], target_nodeids = [1, 3, 4],
      target_ids = [0, 0, 0], target_weights = [1.0, 2.0, 3.0]>(x)
}
// TREE-COUNT-2: ttc.gather_elements %arg0
// TREE-NOT: ttc.gather_elements
// TREE: ttc.reduce_sum

// Distances from support vectors are exact: no difference of products. Coefficients without support vectors are a linear model.
//--- vectors.txt
<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 3]>
g (float[8,2] x) => (float[8,1] y, float[8,1] z)
{
  y = ai.onnx.ml.SVMRegressor<n_supports = 3, support_vectors = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], coefficients = [1.0, -2.0, 3.0],
      rho = [0.5], kernel_type = "RBF", kernel_params = [0.25, 0.0, 3.0]>(x)
  z = ai.onnx.ml.SVMRegressor<coefficients = [1.0, -2.0], rho = [0.5], one_class = 1>(x)
}
// VECTORS: ttc.sub {{.*}} -> tensor<8x3x2xf32>
// VECTORS: ttc.reduce_sum {{.*}} -> tensor<8x3xf32>
// VECTORS: ttc.exp
// VECTORS: ttc.matmul {{.*}} -> tensor<8x1xf32>
// VECTORS: ttc.matmul %arg0, {{.*}} -> tensor<8x1xf32>
// VECTORS: ttc.where

//--- errors.txt
<ir_version: 8, opset_import: ["" : 22, "ai.onnx.ml" : 3, "ai.onnx.preview.training" : 1]>
g (float[4,3] x, int64[5] t, float r, int64 n) => (float y)
{
  a = NegativeLogLikelihoodLoss(x, t)
  b = NegativeLogLikelihoodLoss<reduction = "most">(x, t)
  c = Einsum<equation = "ij,jk->ik">(x)
  d = Einsum<equation = "ij,ij->k">(x, x)
  e = Einsum<equation = "ijk->i">(x)
  f = Einsum<equation = "i1->i">(x)
  h = Einsum<equation = "ij,jk->ik">(x, x)
  i = ai.onnx.preview.training.Adam(r, n, x, x, x)
  j = ai.onnx.ml.LinearRegressor<coefficients = [1.0, 2.0]>(x)
  k = ai.onnx.ml.TreeEnsembleRegressor<nodes_treeids = [0], nodes_nodeids = [0], nodes_featureids = [9], nodes_values = [0.5],
      nodes_modes = ["BRANCH_LEQ"], nodes_truenodeids = [0], nodes_falsenodeids = [0]>(x)
  l = ai.onnx.ml.TreeEnsembleRegressor<nodes_treeids = [9223372036854775807], nodes_nodeids = [0], nodes_featureids = [0],
      nodes_values = [0.5], nodes_modes = ["BRANCH_LEQ"], nodes_truenodeids = [9223372036854775807], nodes_falsenodeids = [0]>(x)
  m = ai.onnx.ml.TreeEnsembleRegressor<nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_featureids = [0, 1, 0],
      nodes_values = [0.5, 0.5, 0.0], nodes_modes = ["BRANCH_LEQ", "BRANCH_LEQ", "LEAF"], nodes_truenodeids = [1, 1, 0],
      nodes_falsenodeids = [2, 2, 0]>(x)
  y = ai.onnx.ml.Scaler<scale = [1.0, 2.0]>(x)
  o = ai.onnx.ml.SVMRegressor<n_supports = 1, support_vectors = [0.0, 1.0], coefficients = [1.0], rho = [0.5]>(x)
  p = ai.onnx.ml.SVMRegressor<n_supports = 1, support_vectors = [0.0, 1.0, 2.0], coefficients = [1.0], rho = [0.5], kernel_type = "COSINE">(x)
  q = ai.onnx.ml.SVMRegressor<n_supports = 1, support_vectors = [0.0, 1.0, 2.0], coefficients = [1.0], rho = [0.5], kernel_params = [1.0]>(x)
  s = ai.onnx.ml.SVMRegressor<coefficients = [1.0, 2.0, 3.0], rho = [0.5], post_transform = "LOGISTIC">(x)
}
// ERRORS: node 'Adam_7' (Adam,{{.*}}: the node has 5 inputs, expected 6 or more
// ERRORS: node 'NegativeLogLikelihoodLoss_0' (NegativeLogLikelihoodLoss, opset 22): expected input 1 (labels) to have the shape [4], found 'tensor<5xi64>'
// ERRORS: node 'NegativeLogLikelihoodLoss_1' (NegativeLogLikelihoodLoss, opset 22): attribute 'reduction' is 'most' (supported: none, sum, mean)
// ERRORS: node 'Einsum_2' (Einsum, opset 22): the equation 'ij,jk->ik' has 2 operands, but the node has 1
// ERRORS: node 'Einsum_3' (Einsum, opset 22): the result of the equation 'ij,ij->k' has a label twice, or one that no operand has
// ERRORS: node 'Einsum_4' (Einsum, opset 22): the equation's part 'ijk' does not fit 'tensor<4x3xf32>'
// ERRORS: node 'Einsum_5' (Einsum, opset 22): the equation has an unexpected '1'
// ERRORS: node 'Einsum_6' (Einsum, opset 22): the dimensions of a label have the sizes 3 and 4 (equation part 'jk')
// ERRORS: node 'LinearRegressor_8' (LinearRegressor,{{.*}}: 2 coefficients and 0 intercepts do not fit 1 targets of 'tensor<4x3xf32>'
// ERRORS: node 'TreeEnsembleRegressor_9' (TreeEnsembleRegressor,{{.*}}: there are no trees
// ERRORS: node 'TreeEnsembleRegressor_10' (TreeEnsembleRegressor,{{.*}}: tree 9223372036854775807 has no node 9223372036854775807
// ERRORS: node 'TreeEnsembleRegressor_11' (TreeEnsembleRegressor,{{.*}}: the nodes of a tree form a cycle
// ERRORS: node 'Scaler_12' (Scaler,{{.*}}: expected attribute 'scale' to have 1 or 3 elements, found 2
// ERRORS: node 'SVMRegressor_13' (SVMRegressor,{{.*}}: expected a coefficient for each support vector or feature and one rho, found 1 coefficients, 2 numbers of 1 support vectors and 1 rho for 'tensor<4x3xf32>'
// ERRORS: node 'SVMRegressor_14' (SVMRegressor,{{.*}}: attribute 'kernel_type' is 'COSINE' (supported: LINEAR, POLY, RBF, SIGMOID)
// ERRORS: node 'SVMRegressor_15' (SVMRegressor,{{.*}}: expected attribute 'kernel_params' to have 3 elements (gamma, coef0 and degree), found 1
// ERRORS: node 'SVMRegressor_16' (SVMRegressor,{{.*}}: attribute 'post_transform' is 'LOGISTIC' (supported: NONE)
