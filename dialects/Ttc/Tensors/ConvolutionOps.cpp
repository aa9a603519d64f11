// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

LogicalResult MatmulOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                   SmallVectorImpl<Type> &types) {
  ValueRange operands = adaptor.getOperands();
  if (failed(scope.checkSameElementType("C1", operands)))
    return failure();
  auto a = tensorType(adaptor.getA()), b = tensorType(adaptor.getB());
  if (a.getRank() < 2 || b.getRank() < 2)
    return scope.fail("(C2) expected operands of at least two dimensions, found ", a, " and ", b);
  auto matrix = [](RankedTensorType type, bool transpose) {
    ArrayRef<int64_t> sizes = type.getShape().take_back(2);
    return transpose ? std::pair(sizes[1], sizes[0]) : std::pair(sizes[0], sizes[1]);
  };
  auto [rows, depth] = matrix(a, adaptor.getTransposeA());
  auto [depthOfB, columns] = matrix(b, adaptor.getTransposeB());
  if (depth != depthOfB)
    return scope.fail("(C3) expected 'b' to have as many rows as 'a' has columns, ", depth,
                      ", found ", depthOfB);
  SmallVector<int64_t> shape(a.getShape().drop_back(2));
  if (failed(broadcastShape(shape, b.getShape().drop_back(2))))
    return scope.fail("(C4) expected batch dimensions that broadcast, found ",
                      toString(a.getShape().drop_back(2)), " and ",
                      toString(b.getShape().drop_back(2)));
  shape.append({rows, columns});
  if (Value bias = adaptor.getBias()) {
    SmallVector<int64_t> broadcast = shape;
    if (failed(broadcastShape(broadcast, tensorType(bias).getShape())) || broadcast != shape)
      return scope.fail("(C5) expected 'bias' to broadcast to the result's shape ", toString(shape),
                        ", found ", bias.getType());
  }
  types.push_back(a.clone(shape));
  return success();
}

/// The size of a dilated kernel; larger than any padded operand if the product is too large.
static int64_t getWindow(int64_t kernel, int64_t dilation) {
  __int128 window = __int128(kernel - 1) * dilation + 1;
  return static_cast<int64_t>(std::min<__int128>(window, int64_t(4) * kMostElements));
}

/// Checks the attributes of a window that slides over `numSpatial` dimensions.
static LogicalResult checkWindow(const InferenceScope &scope, StringRef constraint,
                                 int64_t numSpatial, ArrayRef<int64_t> strides,
                                 ArrayRef<int64_t> dilations, ArrayRef<int64_t> pads) {
  return success(succeeded(scope.checkArray(constraint, "strides", strides, numSpatial, 1)) &&
                 succeeded(scope.checkArray(constraint, "dilations", dilations, numSpatial, 1)) &&
                 succeeded(scope.checkArray(constraint, "pads", pads, 2 * numSpatial, 0)));
}

/// Checks that `x` has one to three spatial dimensions.
static LogicalResult checkImage(const InferenceScope &scope, StringRef constraint, Value x) {
  int64_t rank = tensorType(x).getRank();
  if (rank >= 3 && rank <= 5)
    return success();
  return scope.fail("(", constraint, ") expected 'x' to have three to five dimensions, found ",
                    x.getType());
}

/// Checks what both convolutions require: (C1), (C2) and (C3). Returns the dimensions of `x`.
template <typename AdaptorTy>
static FailureOr<ImageDims> checkConvolution(const InferenceScope &scope, AdaptorTy adaptor) {
  ValueRange operands = adaptor.getOperands();
  if (failed(scope.checkSameElementType("C1", operands)) ||
      failed(checkImage(scope, "C2", adaptor.getX())))
    return failure();
  auto x = tensorType(adaptor.getX()), w = tensorType(adaptor.getW());
  if (w.getRank() != x.getRank())
    return scope.fail("(C2) expected 'w' to have as many dimensions as 'x', ", x.getRank(),
                      ", found ", w);
  ImageDims dims(x, adaptor.getChannelsLast());
  if (failed(checkWindow(scope, "C3", dims.numSpatial, adaptor.getStrides(), adaptor.getDilations(),
                         adaptor.getPads())))
    return failure();
  return dims;
}

LogicalResult ConvOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                 SmallVectorImpl<Type> &types) {
  FailureOr<ImageDims> checked = checkConvolution(scope, adaptor);
  if (failed(checked))
    return failure();
  const ImageDims &dims = *checked;
  auto x = tensorType(adaptor.getX()), w = tensorType(adaptor.getW());
  int64_t groups = adaptor.getGroups(), channels = x.getDimSize(dims.channel);
  int64_t resultChannels = w.getDimSize(0);
  if (groups <= 0 || channels % groups != 0 || resultChannels % groups != 0)
    return scope.fail("(C4) expected 'groups' to be positive and to divide ", channels, " and ",
                      resultChannels, " channels, found ", groups);
  if (w.getDimSize(1) != channels / groups)
    return scope.fail("(C5) expected 'w' to have ", channels / groups, " input channels, found ",
                      w);
  if (Value bias = adaptor.getBias())
    if (failed(scope.checkVector("C6", "bias", bias, resultChannels)))
      return failure();

  SmallVector<int64_t> shape(x.getShape());
  shape[dims.channel] = resultChannels;
  for (int64_t i = 0; i < dims.numSpatial; ++i) {
    int64_t padded = x.getDimSize(dims.firstSpatial + i) + adaptor.getPads()[i] +
                     adaptor.getPads()[dims.numSpatial + i];
    int64_t window = getWindow(w.getDimSize(2 + i), adaptor.getDilations()[i]);
    if (window > padded)
      return scope.fail("(C7) expected the dilated kernel to be no larger than the padded operand "
                        "in spatial dimension ",
                        i, ", found ", window, " and ", padded);
    shape[dims.firstSpatial + i] = (padded - window) / adaptor.getStrides()[i] + 1;
  }
  types.push_back(x.clone(shape));
  return success();
}

LogicalResult ConvTransposeOp::inferTypes(const InferenceScope &scope, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  FailureOr<ImageDims> checked = checkConvolution(scope, adaptor);
  if (failed(checked))
    return failure();
  const ImageDims &dims = *checked;
  auto x = tensorType(adaptor.getX()), w = tensorType(adaptor.getW());
  int64_t groups = adaptor.getGroups(), channels = x.getDimSize(dims.channel);
  if (groups <= 0 || channels % groups != 0)
    return scope.fail("(C4) expected 'groups' to be positive and to divide ", channels,
                      " channels, found ", groups);
  if (w.getDimSize(0) != channels)
    return scope.fail("(C5) expected 'w' to have ", channels, " input channels, found ", w);
  int64_t resultChannels = toSize(__int128(w.getDimSize(1)) * groups);
  if (Value bias = adaptor.getBias())
    if (failed(scope.checkVector("C6", "bias", bias, resultChannels)))
      return failure();
  ArrayRef<int64_t> outputPadding = adaptor.getOutputPadding();
  if (failed(scope.checkArray("C7", "output_padding", outputPadding, dims.numSpatial, 0)))
    return failure();

  SmallVector<int64_t> shape(x.getShape());
  shape[dims.channel] = resultChannels;
  for (int64_t i = 0; i < dims.numSpatial; ++i) {
    int64_t stride = adaptor.getStrides()[i], dilation = adaptor.getDilations()[i];
    if (outputPadding[i] >= std::max(stride, dilation))
      return scope.fail("(C7) expected 'output_padding' to be smaller than stride or dilation in "
                        "spatial dimension ",
                        i, ", found ", outputPadding[i]);
    int64_t size = toSize(__int128(x.getDimSize(dims.firstSpatial + i) - 1) * stride +
                          __int128(w.getDimSize(2 + i) - 1) * dilation + 1 + outputPadding[i] -
                          adaptor.getPads()[i] - adaptor.getPads()[dims.numSpatial + i]);
    if (size <= 0)
      return scope.fail("(C8) expected a result that is not empty, found size ", size,
                        " in spatial dimension ", i);
    shape[dims.firstSpatial + i] = size;
  }
  types.push_back(x.clone(shape));
  return success();
}

template <typename AdaptorTy>
static LogicalResult inferPool(const InferenceScope &scope, AdaptorTy adaptor,
                               SmallVectorImpl<Type> &types) {
  if (failed(checkImage(scope, "C1", adaptor.getX())))
    return failure();
  auto x = tensorType(adaptor.getX());
  ImageDims dims(x, adaptor.getChannelsLast());
  if (failed(scope.checkArray("C2", "kernel", adaptor.getKernel(), dims.numSpatial, 1)) ||
      failed(checkWindow(scope, "C2", dims.numSpatial, adaptor.getStrides(), adaptor.getDilations(),
                         adaptor.getPads())))
    return failure();
  SmallVector<int64_t> shape(x.getShape());
  for (int64_t i = 0; i < dims.numSpatial; ++i) {
    int64_t low = adaptor.getPads()[i], high = adaptor.getPads()[dims.numSpatial + i];
    int64_t size = x.getDimSize(dims.firstSpatial + i), padded = size + low + high;
    int64_t window = getWindow(adaptor.getKernel()[i], adaptor.getDilations()[i]);
    int64_t stride = adaptor.getStrides()[i];
    if (std::max(low, high) >= window)
      return scope.fail("(C3) expected paddings smaller than the dilated kernel of ", window,
                        " in spatial dimension ", i, ", found ", low, " and ", high);
    if (window > padded)
      return scope.fail("(C4) expected the dilated kernel to be no larger than the padded operand "
                        "in spatial dimension ",
                        i, ", found ", window, " and ", padded);
    int64_t slack = padded - window, count = slack / stride + 1;
    // A window may extend past the end, but not start there.
    if (adaptor.getCeilMode() && slack % stride != 0 && __int128(count) * stride < size + low)
      ++count;
    shape[dims.firstSpatial + i] = count;
  }
  types.push_back(x.clone(shape));
  return success();
}

template <typename AdaptorTy>
static LogicalResult inferGlobalPool(const InferenceScope &scope, AdaptorTy adaptor,
                                     SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  if (x.getRank() < 3)
    return scope.fail("(C1) expected 'x' to have at least 3 dimensions, found ", x);
  ImageDims dims(x, adaptor.getChannelsLast());
  SmallVector<int64_t> shape(x.getShape());
  for (int64_t i = 0; i < dims.numSpatial; ++i)
    shape[dims.firstSpatial + i] = 1;
  types.push_back(x.clone(shape));
  return success();
}

TTC_INFER_WITH(MaxPoolOp, inferPool)
TTC_INFER_WITH(AvgPoolOp, inferPool)
TTC_INFER_WITH(GlobalAvgPoolOp, inferGlobalPool)
TTC_INFER_WITH(GlobalMaxPoolOp, inferGlobalPool)

/// A global pool becomes a reduction, so that later passes have one op fewer to handle.
template <typename ReduceOp, typename PoolOp>
static LogicalResult poolToReduce(PoolOp op, PatternRewriter &rewriter) {
  ImageDims dims(tensorType(op.getX()), op.getChannelsLast());
  auto axes =
      llvm::to_vector(llvm::seq<int64_t>(dims.firstSpatial, dims.firstSpatial + dims.numSpatial));
  rewriter.replaceOpWithNewOp<ReduceOp>(op, op.getX(), axes, /*keepdims=*/true);
  return success();
}

LogicalResult GlobalAvgPoolOp::canonicalize(GlobalAvgPoolOp op, PatternRewriter &rewriter) {
  return poolToReduce<ReduceMeanOp>(op, rewriter);
}

LogicalResult GlobalMaxPoolOp::canonicalize(GlobalMaxPoolOp op, PatternRewriter &rewriter) {
  return poolToReduce<ReduceMaxOp>(op, rewriter);
}
