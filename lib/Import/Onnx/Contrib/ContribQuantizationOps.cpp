// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops on quantised tensors that ONNX Runtime's quantiser adds to a model (domain
// com.microsoft).
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Onnx/Ops/AttentionCore.h"
#include "lib/Import/Onnx/Ops/Quantization.h"
#include "lib/Import/Onnx/Ops/QuantizeLinear.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Ops on real numbers between a dequantisation and a quantisation
//===----------------------------------------------------------------------===//

/// The tensor in input `index` and its scale and zero point in the next two, as real numbers.
static Value readOperand(OnnxNode &node, unsigned index) {
  Quantization quantization(node);
  Value q = node.input(index);
  if (!q) {
    node.error() << "input " << index << " is missing";
    return {};
  }
  return quantization.dequantize(q,
                                 quantization.readScalar(index + 1, index + 2, elementTypeOf(q)));
}

/// Sets `y` as the result, with the scale in input `scaleInput` and the zero point in the next one.
static LogicalResult setQuantized(OnnxNode &node, Value y, unsigned scaleInput, Type elementType) {
  Quantization quantization(node);
  return node.results(
      quantization.quantize(y, quantization.readScalar(scaleInput, scaleInput + 1, elementType)));
}

template <typename OpTy> static LogicalResult importQLinearBinary(OnnxNode &node) {
  Value y = node.create<OpTy>({readOperand(node, 0), readOperand(node, 3)});
  return setQuantized(node, y, 6, elementTypeOf(node.input(0)));
}

static LogicalResult importQLinearSigmoid(OnnxNode &node) {
  Value y = node.create<SigmoidOp>(readOperand(node, 0));
  return setQuantized(node, y, 3, elementTypeOf(node.input(0)));
}

static LogicalResult importQLinearLeakyRelu(OnnxNode &node) {
  Value y = node.create<LeakyReluOp>(readOperand(node, 0),
                                     node.f32("alpha", node.getFloat("alpha", 0.01)));
  return setQuantized(node, y, 3, elementTypeOf(node.input(0)));
}

/// Before opset 13 of Softmax, all dimensions from the axis on form one vector.
static LogicalResult importQLinearSoftmax(OnnxNode &node) {
  Expressions e(node);
  Value x = readOperand(node, 0);
  if (!x)
    return failure();
  int64_t axis = node.getAxis("axis", -1, rankOf(x));
  SmallVector<int64_t> shape(shapeOf(x));
  if (node.getInt("opset", 13) < 13) {
    int64_t size = 1;
    for (int64_t dim : ArrayRef<int64_t>(shape).drop_front(axis))
      size *= dim;
    SmallVector<int64_t> flat(ArrayRef<int64_t>(shape).take_front(axis));
    flat.push_back(size);
    x = e.reshape(x, flat);
  }
  Value y = node.create<SoftmaxOp>(x, node.i64("axis", axis));
  return setQuantized(node, e.reshape(y, shape), 3, elementTypeOf(node.input(0)));
}

/// y_scale, y_zero_point, then each tensor with its scale and zero point
static LogicalResult importQLinearConcat(OnnxNode &node) {
  if (node.numInputs() % 3 != 2)
    return node.error() << "expected a scale and a zero point for the result and for each tensor, "
                           "found "
                        << node.numInputs() << " inputs";
  SmallVector<Value> operands;
  for (unsigned index = 2; index < node.numInputs(); index += 3)
    operands.push_back(readOperand(node, index));
  if (!operands.front())
    return failure();
  const int64_t axis = node.getAxis("axis", 0, rankOf(operands.front()));
  return setQuantized(node, Expressions(node).concat(operands, axis), 0,
                      elementTypeOf(node.input(2)));
}

/// condition, x, x_scale, x_zero_point, y, y_scale, y_zero_point, z_scale, z_zero_point
static LogicalResult importQLinearWhere(OnnxNode &node) {
  Value y = Expressions(node).where(node.input(0), readOperand(node, 1), readOperand(node, 4));
  return setQuantized(node, y, 7, elementTypeOf(node.input(1)));
}

static LogicalResult importQLinearReduceMean(OnnxNode &node) {
  Value x = readOperand(node, 0);
  if (!x)
    return failure();
  SmallVector<int64_t> axes = node.getInts("axes");
  if (axes.empty())
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  if (failed(node.normalizeAxes(axes, rankOf(x))))
    return failure();
  llvm::sort(axes);
  SmallVector<NamedAttribute> attrs = {node.attr("axes", axes)};
  if (node.getInt("keepdims", 1))
    attrs.push_back(node.flag("keepdims"));
  return setQuantized(node, node.create<ReduceMeanOp>(x, attrs), 3, elementTypeOf(node.input(0)));
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// Moves channels from the last dimension to the second, or back.
static Value moveChannels(OnnxNode &node, Value x, bool toFront) {
  if (!x)
    return {};
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  const int64_t last = rankOf(x) - 1;
  if (toFront)
    std::rotate(permutation.begin() + 1, permutation.begin() + last, permutation.end());
  else
    std::rotate(permutation.begin() + 1, permutation.begin() + 2, permutation.end());
  return Expressions(node).transpose(x, permutation);
}

/// Creates an op on images whose channels may be last.
template <typename CreateFn> static LogicalResult importPool(OnnxNode &node, CreateFn create) {
  Value x = readOperand(node, 0);
  if (!x)
    return failure();
  const bool isLast = node.getInt("channels_last", 0);
  if (rankOf(x) < 3)
    return node.error() << "expected the input to have spatial dimensions, found " << x.getType();
  if (isLast)
    x = moveChannels(node, x, /*toFront=*/true);
  Value y = create(x);
  if (isLast)
    y = moveChannels(node, y, /*toFront=*/false);
  return setQuantized(node, y, 3, elementTypeOf(node.input(0)));
}

static LogicalResult importQLinearAveragePool(OnnxNode &node) {
  return importPool(node, [&](Value x) { return createAveragePool(node, x); });
}

static LogicalResult importQLinearGlobalAveragePool(OnnxNode &node) {
  return importPool(node, [&](Value x) { return node.create<GlobalAvgPoolOp>(x); });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// a, a_scale, a_zero_point, b, b_scale, b_zero_point, c, y_scale, y_zero_point: without a scale of
/// the result it is not quantised.
static LogicalResult importQGemm(OnnxNode &node) {
  Expressions e(node);
  Quantization quantization(node);
  Value a = node.input(0), b = node.input(3);
  if (rankOf(a) != 2 || rankOf(b) != 2)
    return node.error() << "expected operands to be matrices, found " << a.getType() << " and "
                        << b.getType();
  if (node.getInt("transA", 0))
    a = e.transpose(a, {1, 0});
  if (node.getInt("transB", 0))
    b = e.transpose(b, {1, 0});
  Value sums = importIntMatmul(node, a, b, node.input(2), node.input(5));
  if (Value c = node.input(6))
    sums = e.add(sums, c);
  Value scale =
      e.mul(quantization.scalar(node.input(1), "the scale of a"),
            broadcastToProduct(node, node.input(4), b, /*isRows=*/false, "the scale of b"));
  scale = e.mul(scale, node.getFloat("alpha", 1.0));
  if (!node.hasInput(7)) {
    if (!scale)
      return failure();
    return node.results(e.mul(node.cast(sums, elementTypeOf(scale)), scale));
  }
  QuantizationParams params = quantization.readScalar(7, 8, elementTypeOf(node.input(0)));
  return node.results(quantization.requantize(sums, e.div(scale, params.scale), params.zero));
}

/// a, b, a_scale, b_scale, a_zero_point, b_zero_point, bias
static LogicalResult importMatMulIntegerToFloat(OnnxNode &node) {
  Expressions e(node);
  Value a = node.input(0), b = node.input(1);
  Value sums = importIntMatmul(node, a, b, node.input(4), node.input(5));
  Value scale =
      e.mul(broadcastToProduct(node, node.input(2), a, /*isRows=*/true, "the scale of a"),
            broadcastToProduct(node, node.input(3), b, /*isRows=*/false, "the scale of b"));
  if (!sums || !scale)
    return failure();
  Value y = e.mul(node.cast(sums, elementTypeOf(scale)), scale);
  Value bias = node.input(6);
  return node.results(bias ? e.add(y, bias) : y);
}

/// a, b, b_scale, b_zero_point, bias
static LogicalResult importDynamicQuantizeMatMul(OnnxNode &node) {
  Quantization quantization(node);
  Value b = node.input(1);
  Value zero = quantization.zeroOr(node.input(3), elementTypeOf(b));
  return node.results(quantization.multiplyByRange(
      node.input(0), b,
      broadcastToProduct(node, node.input(2), b, /*isRows=*/false, "the scale of b"),
      broadcastToProduct(node, zero, b, /*isRows=*/false, "the zero point of b"), node.input(4)));
}

/// input, weight, bias, input_scale, weight_scale, mask_index, input_zero_point, weight_zero_point,
/// past: attention whose projection is a product of bytes.
static LogicalResult importQAttention(OnnxNode &node) {
  Expressions e(node);
  Value x = node.input(0), weights = node.input(1);
  if (node.getInt("do_rotary", 0))
    return node.error() << "attribute 'do_rotary' is 1 (supported: 0)";
  node.ignoreAttrs({"past_present_share_buffer"});
  if (rankOf(x) != 3 || rankOf(weights) != 2)
    return node.error() << "expected an input of three dimensions and weights of two, found "
                        << x.getType() << " and " << weights.getType();
  Value sums = importIntMatmul(node, x, weights, node.input(6), node.input(7));
  Value scale =
      e.mul(broadcastToProduct(node, node.input(3), x, /*isRows=*/true, "the scale of the input"),
            broadcastToProduct(node, node.input(4), weights, /*isRows=*/false,
                               "the scale of the weights"));
  if (!sums || !scale)
    return failure();
  Value projected = e.add(e.mul(node.cast(sums, elementTypeOf(scale)), scale), node.input(2));
  const int64_t third = shapeOf(weights)[1] / 3;
  return importProjectedAttention(node, projected, {third, third, third}, /*maskInput=*/5,
                                  node.input(8), /*bias=*/{});
}

/// The numbers in the bits of bytes: the last dimension has 8 / bits times as many. The first is in
/// the lowest bits.
static Value unpackBits(OnnxNode &node, Value packed, int64_t bits) {
  if (!packed || bits == 8)
    return packed;
  Expressions e(node);
  const int64_t count = 8 / bits;
  SmallVector<int64_t> shape(shapeOf(packed)), divisors;
  shape.push_back(1);
  for (int64_t i = 0; i < count; ++i)
    divisors.push_back(int64_t(1) << (i * bits));
  Value parts = e.div(e.reshape(packed, shape), e.ints(count, divisors, elementTypeOf(packed)));
  parts = node.create<ModOp>({parts, e.number(parts, static_cast<double>(1 << bits))});
  shape.pop_back();
  shape.back() *= count;
  return e.reshape(parts, shape);
}

static FailureOr<int64_t> readBits(OnnxNode &node) {
  const int64_t bits = node.getInt("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8)
    return node.error() << "attribute 'bits' is " << bits << " (supported: 2, 4, 8)";
  return bits;
}

/// a, b, scales, zero_points, g_idx, bias. The rows of `b` are columns of weights, in blocks of a
/// few bits for each number.
static LogicalResult importMatMulNBits(OnnxNode &node) {
  node.ignoreAttrs({"accuracy_level"});
  Value a = node.input(0), b = node.input(1), scales = node.input(2), zeros = node.input(3);
  FailureOr<int64_t> bits = readBits(node);
  if (failed(bits))
    return failure();
  const int64_t depth = node.getInt("K", 0), columns = node.getInt("N", 0);
  const int64_t blockSize = node.getInt("block_size", 0);
  if (node.getInt("weight_prepacked", 0))
    return node.error() << "attribute 'weight_prepacked' is not 0 (supported: 0)";
  if (node.hasInput(4))
    return node.error() << "input 4 (g_idx) is not supported";
  constexpr int64_t most = int64_t(1) << 31;
  if (depth < 1 || columns < 1 || blockSize < 16 || depth > most || columns > most ||
      blockSize > most || blockSize % 8)
    return node.error() << "attributes K, N and block_size are " << depth << ", " << columns
                        << " and " << blockSize << " (supported: positive, blocks of 16 and more)";
  const int64_t blocks = llvm::divideCeil(depth, blockSize), perByte = 8 / *bits;
  auto count = [](Value value) { return tensorType(value).getNumElements(); };
  auto areBytes = [](Value value) { return elementTypeOf(value).isUnsignedInteger(8); };
  if (count(b) != columns * blocks * (blockSize / perByte) || !areBytes(b) ||
      count(scales) != columns * blocks || rankOf(a) < 1 || shapeOf(a).back() != depth)
    return node.error() << "expected rows of " << depth << " numbers, and bytes of " << columns
                        << " columns of " << blocks << " blocks of " << blockSize << " numbers of "
                        << *bits << " bits each, found " << a.getType() << ", " << b.getType()
                        << " and scales of " << scales.getType();

  Expressions e(node);
  Type elementType = elementTypeOf(a), arithmetic = getArithmeticType(elementType);
  Value weights = e.reshape(b, {columns, blocks, blockSize / perByte});
  weights = node.cast(unpackBits(node, weights, *bits), arithmetic);
  if (!zeros) {
    weights = e.sub(weights, static_cast<double>(1 << (*bits - 1)));
  } else {
    if (!isa<FloatType>(elementTypeOf(zeros))) {
      const int64_t bytes = llvm::divideCeil(blocks, perByte);
      if (count(zeros) != columns * bytes || !areBytes(zeros))
        return node.error() << "expected the zero points to have " << bytes << " bytes for each of "
                            << columns << " columns, found " << zeros.getType();
      zeros = unpackBits(node, e.reshape(zeros, {columns, bytes}), *bits);
      zeros = e.slice(zeros, 1, 0, blocks);
    } else if (count(zeros) != columns * blocks) {
      return node.error() << "expected the zero points to have " << blocks
                          << " elements for each of " << columns << " columns, found "
                          << zeros.getType();
    }
    zeros = e.reshape(node.cast(zeros, arithmetic), {columns, blocks, 1});
    weights = e.sub(weights, zeros);
  }
  weights = e.mul(weights, e.reshape(node.cast(scales, arithmetic), {columns, blocks, 1}));
  weights = e.slice(e.reshape(weights, {columns, blocks * blockSize}), 1, 0, depth);
  weights = node.cast(weights, elementType);
  const bool isVector = rankOf(a) == 1;
  if (isVector)
    a = e.reshape(a, {1, depth});
  Value y = node.create<MatmulOp>({a, weights, node.input(5)}, node.flag("transpose_b"));
  return node.results(isVector ? e.reshape(y, columns) : y);
}

/// data, indices, scales, zero_points: gathers, then dequantises what was gathered.
static LogicalResult importGatherBlockQuantized(OnnxNode &node) {
  Value data = node.input(0), indices = node.input(1), scales = node.input(2),
        zeros = node.input(3);
  const int64_t rank = rankOf(data);
  const int64_t axis = node.getAxis("gather_axis", 0, rank);
  const int64_t blockAxis = node.getAxis("quantize_axis", 1, rank);
  const int64_t blockSize = node.getInt("block_size", 128);
  Type elementType = elementTypeOf(data);
  FailureOr<int64_t> bits = readBits(node);
  if (failed(bits) || node.hasFailed())
    return failure();
  const bool isPacked = elementType.isUnsignedInteger(8) && *bits < 8;
  const bool isFloat = isa<FloatType>(elementType);
  if (isPacked && axis == rank - 1)
    return node.error() << "attribute 'gather_axis' names the last dimension, in which " << *bits
                        << " bits of a byte are a number (supported: others)";
  if (rankOf(scales) != rank || axis == blockAxis || blockSize < (isFloat ? 0 : 1))
    return node.error() << "expected blocks along a dimension that is not gathered, with scales of "
                           "rank "
                        << rank << ", found blocks of " << blockSize << " and scales of "
                        << scales.getType();
  if (zeros && rankOf(zeros) != rank)
    return node.error() << "expected the zero points to have rank " << rank << ", found "
                        << zeros.getType();
  Expressions e(node);
  // What is not gathered is never unpacked. The dimensions of the indices take the place of `axis`.
  auto take = [&](Value value) {
    if (!value || shapeOf(value)[axis] != 1)
      return e.gather(value, indices, axis);
    SmallVector<int64_t> shape(shapeOf(value));
    shape.erase(shape.begin() + axis);
    shape.insert(shape.begin() + axis, rankOf(indices), 1);
    return e.reshape(value, shape);
  };
  const int64_t resultBlockAxis = blockAxis < axis ? blockAxis : blockAxis + rankOf(indices) - 1;
  Value y = e.gather(data, indices, axis);
  Value ofScales = take(scales), ofZeros = zeros ? take(zeros) : Value();
  if (isPacked) {
    y = unpackBits(node, y, *bits);
    if (ofZeros && ofScales && shapeOf(ofZeros).back() != shapeOf(ofScales).back())
      ofZeros = e.slice(unpackBits(node, ofZeros, *bits), rankOf(ofZeros) - 1, 0,
                        shapeOf(ofScales).back());
  }
  if (!y)
    return failure();
  const int64_t size = shapeOf(y)[resultBlockAxis], rows = shapeOf(data)[axis];
  const int64_t length = blockSize ? blockSize : std::max<int64_t>(size, 1);
  const int64_t blockCount = llvm::divideCeil(size, length);
  if (shapeOf(scales)[blockAxis] != blockCount)
    return node.error() << "expected the scales to have " << blockCount << " elements in dimension "
                        << blockAxis << ", found " << scales.getType();
  if (failed(checkCount(node, size)))
    return failure();
  SmallVector<int64_t> blockOfElement;
  for (int64_t i = 0; i < size; ++i)
    blockOfElement.push_back(i / length);
  Value blocks = e.ints(size, blockOfElement, node.getBuilder().getI32Type());
  Type arithmetic = getArithmeticType(elementTypeOf(scales));
  auto spread = [&](Value value) {
    return e.gather(node.cast(value, arithmetic), blocks, resultBlockAxis);
  };
  y = node.cast(y, arithmetic);
  if (ofZeros)
    y = e.sub(y, spread(ofZeros));
  else if (elementType.isUnsignedInteger(8))
    y = e.sub(y, static_cast<double>(1 << (*bits - 1)));
  y = e.mul(y, spread(ofScales));
  if (!y)
    return failure();
  // The rows of indices out of range are zero.
  SmallVector<int64_t> maskShape(rankOf(y), 1);
  llvm::copy(shapeOf(indices), maskShape.begin() + axis);
  const auto limit = static_cast<double>(rows);
  Value isInside = e.both(e.compare(ComparePredicate::GE, indices, -limit),
                          e.compare(ComparePredicate::LT, indices, limit));
  y = e.where(e.reshape(isInside, maskShape), y, e.number(y, 0));
  return node.results(node.cast(y, elementTypeOf(scales)));
}

void mlir::ttc::registerContribQuantizationOps(OnnxRegistry &registry) {
  auto add = [&](StringRef name, Arity inputs, OnnxHandler handler, StringRef restrictions = "") {
    registry.add(name, inputs, handler, {}, restrictions);
  };
  add("com.microsoft.DequantizeLinear", {2, 3}, importDequantizeLinear);
  add("com.microsoft.DynamicQuantizeMatMul", {3, 5}, importDynamicQuantizeMatMul);
  add("com.microsoft.GatherBlockQuantized", {3, 4}, importGatherBlockQuantized);
  add("com.microsoft.MatMulIntegerToFloat", {4, 7}, importMatMulIntegerToFloat);
  add("com.microsoft.MatMulNBits", {3, 6}, importMatMulNBits,
      "2, 4 or 8 bits; no `g_idx`; weights as stored by ONNX Runtime's quantiser");
  add("com.microsoft.QAttention", {5, 9}, importQAttention, "`do_rotary` = 0");
  add("com.microsoft.QGemm", {6, 9}, importQGemm);
  add("com.microsoft.QLinearAdd", {2, 8}, importQLinearBinary<AddOp>);
  add("com.microsoft.QLinearAveragePool", {2, 5}, importQLinearAveragePool,
      "1 to 3 spatial dimensions");
  add("com.microsoft.QLinearConcat", {3, Arity::kAny}, importQLinearConcat);
  add("com.microsoft.QLinearGlobalAveragePool", {2, 5}, importQLinearGlobalAveragePool);
  add("com.microsoft.QLinearLeakyRelu", {2, 5}, importQLinearLeakyRelu);
  add("com.microsoft.QLinearMul", {2, 8}, importQLinearBinary<MulOp>);
  add("com.microsoft.QLinearReduceMean", {2, 5}, importQLinearReduceMean);
  add("com.microsoft.QLinearSigmoid", {2, 5}, importQLinearSigmoid);
  add("com.microsoft.QLinearSoftmax", {2, 5}, importQLinearSoftmax);
  add("com.microsoft.QLinearWhere", {9, 9}, importQLinearWhere);
  add("com.microsoft.QuantizeLinear", {2, 3}, importQuantizeLinear);
}
