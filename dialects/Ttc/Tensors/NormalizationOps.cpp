// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

/// Checks what all normalizations require: operands of one element type, a minimum rank of `x`,
/// and vectors with an element for each channel. `channels` receives the number of channels.
static LogicalResult checkPerChannel(const InferenceScope &scope, ValueRange operands,
                                     ArrayRef<StringRef> names, int64_t leastRank,
                                     bool channelsLast, int64_t &channels) {
  if (failed(scope.checkSameElementType("C1", operands)))
    return failure();
  auto type = tensorType(operands[0]);
  if (type.getRank() < leastRank)
    return scope.fail("(C2) expected 'x' to have at least ", leastRank, " dimensions, found ",
                      type);
  channels = type.getDimSize(ImageDims(type, channelsLast).channel);
  for (auto [name, value] : llvm::zip_equal(names, operands.drop_front()))
    if (failed(scope.checkVector("C3", name, value, channels)))
      return failure();
  return success();
}

LogicalResult BatchNormOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  int64_t channels;
  if (failed(checkPerChannel(scope, adaptor.getOperands(), {"scale", "bias", "mean", "var"}, 2,
                             adaptor.getChannelsLast(), channels)))
    return failure();
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult GroupNormOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  int64_t channels;
  if (failed(checkPerChannel(scope, adaptor.getOperands(), {"scale", "bias"}, 3,
                             adaptor.getChannelsLast(), channels)))
    return failure();
  int64_t groups = adaptor.getGroups();
  if (groups <= 0 || channels % groups != 0)
    return scope.fail("(C4) expected 'groups' to be positive and to divide the ", channels,
                      " channels, found ", groups);
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult InstanceNormOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  int64_t channels;
  if (failed(checkPerChannel(scope, adaptor.getOperands(), {"scale", "bias"}, 3,
                             adaptor.getChannelsLast(), channels)))
    return failure();
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult LayerNormOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  ValueRange operands = adaptor.getOperands();
  if (failed(scope.checkSameElementType("C1", operands)))
    return failure();
  auto type = tensorType(adaptor.getX());
  int64_t axis = adaptor.getAxis();
  if (failed(scope.checkAxis("C2", axis, type.getRank())))
    return failure();
  ArrayRef<int64_t> expected = type.getShape().drop_front(axis);
  for (Value value : operands.drop_front())
    if (tensorType(value).getShape() != expected)
      return scope.fail("(C3) expected 'scale' and 'bias' of shape ", toString(expected),
                        ", found ", value.getType());
  types.push_back(type);
  return success();
}

LogicalResult LrnOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                SmallVectorImpl<Type> &types) {
  auto type = tensorType(adaptor.getX());
  if (type.getRank() < 3)
    return scope.fail("(C1) expected 'x' to have at least 3 dimensions, found ", type);
  if (adaptor.getSize() <= 0)
    return scope.fail("(C2) expected 'size' to be positive, found ", adaptor.getSize());
  types.push_back(type);
  return success();
}

template <typename AdaptorTy>
static LogicalResult inferSoftmax(const InferenceScope &scope, AdaptorTy adaptor,
                                  SmallVectorImpl<Type> &types) {
  if (failed(scope.checkAxis("C1", adaptor.getAxis(), tensorType(adaptor.getX()).getRank())))
    return failure();
  types.push_back(adaptor.getX().getType());
  return success();
}

TTC_INFER_WITH(SoftmaxOp, inferSoftmax)
TTC_INFER_WITH(LogSoftmaxOp, inferSoftmax)
