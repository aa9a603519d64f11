// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AffineWeightsOpInterface: folding a factor for each channel of the result into the weights.
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

/// `weights * scale`, with the vector `scale` reshaped to `shape` for broadcasting.
static Value scaleBy(OpBuilder &builder, Value weights, Value scale, ArrayRef<int64_t> shape) {
  Location loc = weights.getLoc();
  Value factors = ReshapeOp::create(builder, loc, scale, shape);
  return MulOp::create(builder, loc, weights, factors);
}

//===----------------------------------------------------------------------===//
// conv: weights [O, I / groups, kernel...]
//===----------------------------------------------------------------------===//

int64_t ConvOp::getResultChannelDim() {
  return getChannelsLast() ? tensorType(getY()).getRank() - 1 : 1;
}
OpOperand &ConvOp::getWeights() { return getWMutable(); }
Value ConvOp::scaleWeights(OpBuilder &builder, Value scale) {
  SmallVector<int64_t> shape(tensorType(getW()).getRank(), 1);
  shape[0] = tensorType(getW()).getDimSize(0);
  return scaleBy(builder, getW(), scale, shape);
}
Value ConvOp::getChannelBias() { return getBias(); }
void ConvOp::setChannelBias(Value bias) { getBiasMutable().assign(bias); }

//===----------------------------------------------------------------------===//
// conv_transpose: weights [I, O / groups, kernel...]
//===----------------------------------------------------------------------===//

int64_t ConvTransposeOp::getResultChannelDim() {
  return getChannelsLast() ? tensorType(getY()).getRank() - 1 : 1;
}
OpOperand &ConvTransposeOp::getWeights() { return getWMutable(); }
Value ConvTransposeOp::scaleWeights(OpBuilder &builder, Value scale) {
  auto type = tensorType(getW());
  int64_t groups = getGroups();
  // With the groups as a separate dimension, an output channel is indexed by two dimensions.
  SmallVector<int64_t> split(type.getShape()), shape(type.getRank() + 1, 1);
  split[0] /= groups;
  split.insert(split.begin(), groups);
  shape[0] = groups;
  shape[2] = type.getDimSize(1);
  Value grouped = ReshapeOp::create(builder, getLoc(), getW(), split);
  Value scaled = scaleBy(builder, grouped, scale, shape);
  return ReshapeOp::create(builder, getLoc(), scaled, type.getShape());
}
Value ConvTransposeOp::getChannelBias() { return getBias(); }
void ConvTransposeOp::setChannelBias(Value bias) { getBiasMutable().assign(bias); }

//===----------------------------------------------------------------------===//
// matmul: weights [..., K, N], or [..., N, K] transposed
//===----------------------------------------------------------------------===//

int64_t MatmulOp::getResultChannelDim() { return tensorType(getY()).getRank() - 1; }
OpOperand &MatmulOp::getWeights() { return getBMutable(); }
Value MatmulOp::scaleWeights(OpBuilder &builder, Value scale) {
  int64_t columns = tensorType(scale).getDimSize(0);
  SmallVector<int64_t> shape{columns};
  if (getTransposeB())
    shape.push_back(1);
  return scaleBy(builder, getB(), scale, shape);
}
Value MatmulOp::getChannelBias() { return getBias(); }
void MatmulOp::setChannelBias(Value bias) { getBiasMutable().assign(bias); }
