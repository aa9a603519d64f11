// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions.
#include "Padding.h"
#include "Products.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::ttc;

/// The most positions of a kernel that are taken one by one.
static constexpr int64_t kMostPositions = 4096;
static constexpr int64_t kMostSpatial = 3;

namespace {
class Convolution {
public:
  explicit Convolution(StablehloOp &op) : op(op), e(op) {}
  LogicalResult read();
  /// The convolution of real operands.
  Value make(Value x, Value w);

private:
  LogicalResult checkSizes(ArrayRef<int64_t> x, ArrayRef<int64_t> w);
  /// The operand as [batch, spatial..., feature] if the source has it so, or else as
  /// [batch, feature, spatial...].
  Value arrange(Value x) const;
  Value arrangeKernel(Value w) const;
  /// From the order of arrange() to that of the source.
  Value restore(Value y) const;
  Value makeOnes(Value x, Value w);
  Value makeTransposed(Value x, Value w);
  Value makeSums(Value x, Value w, Type computed);
  /// Padding of the spatial dimensions of an arranged operand.
  PadCounts padSpatial(Value x) const;
  int64_t spatialBegin() const { return isChannelsLast ? 1 : 2; }
  int64_t featureDim(Value x) const { return isChannelsLast ? rankOf(x) - 1 : 1; }

  StablehloOp &op;
  Expressions e;
  ConvDims dims;
  int64_t spatial = 0, featureGroups = 1, batchGroups = 1;
  SmallVector<int64_t> strides, low, high, lhsDilation, rhsDilation, reversal;
  bool isChannelsLast = false;
};
} // namespace

LogicalResult Convolution::read() {
  op.ignoreAttrs({"precision_config"});
  std::optional<ConvDims> parsed = ConvDims::parse(op.getAttr("dimension_numbers"));
  if (!parsed)
    return op.error() << "(C13, C18, C20) expected attribute 'dimension_numbers' to be "
                         "#stablehlo.conv<...> with each dimension once";
  dims = *parsed;
  spatial = dims.input.spatial.size();
  ArrayRef<int64_t> x = shapeOf(op.realOf(op.operand(0))), w = shapeOf(op.realOf(op.operand(1)));
  const int64_t rank = spatial + 2;
  if (static_cast<int64_t>(x.size()) != rank || static_cast<int64_t>(w.size()) != rank)
    return op.error() << "(C1) expected operands of rank " << rank << ", as dimension_numbers has, "
                      << "found " << x.size() << " and " << w.size();
  SmallVector<int64_t> ones(spatial, 1), zeros(spatial, 0);
  strides = op.getInts("window_strides", ones);
  lhsDilation = op.getInts("lhs_dilation", ones);
  rhsDilation = op.getInts("rhs_dilation", ones);
  reversal = op.getInts("window_reversal", zeros);
  std::optional<PadCounts> padding = readPadding(op, spatial, "C4");
  featureGroups = op.getInt("feature_group_count", 1);
  batchGroups = op.getInt("batch_group_count", 1);
  if (op.hasFailed())
    return failure();
  auto check = [&](ArrayRef<int64_t> values, StringRef name,
                   StringRef constraint) -> LogicalResult {
    // What is larger than any tensor only overflows.
    constexpr int64_t most = int64_t(1) << 31;
    if (static_cast<int64_t>(values.size()) == spatial &&
        llvm::all_of(values, [](int64_t value) { return value > 0 && value <= most; }))
      return success();
    return op.error() << constraint << " expected attribute '" << name << "' to have " << spatial
                      << " positive elements, found " << printList(values);
  };
  if (failed(check(strides, "window_strides", "(C2, C3)")) ||
      failed(check(lhsDilation, "lhs_dilation", "(C5, C6)")) ||
      failed(check(rhsDilation, "rhs_dilation", "(C7, C8)")))
    return failure();
  if (static_cast<int64_t>(reversal.size()) != spatial)
    return op.error() << "(C9) expected attribute 'window_reversal' to have " << spatial
                      << " elements, found " << reversal.size();
  low = padding->low;
  high = padding->high;
  return checkSizes(x, w);
}

LogicalResult Convolution::checkSizes(ArrayRef<int64_t> x, ArrayRef<int64_t> w) {
  if (featureGroups < 1 || batchGroups < 1 || (featureGroups > 1 && batchGroups > 1))
    return op.error() << "(C21, C22, C23) expected positive counts of groups, of which one is 1, "
                      << "found feature_group_count " << featureGroups << " and batch_group_count "
                      << batchGroups;
  const int64_t batch = x[dims.input.first], features = x[dims.input.second],
                outputs = w[dims.kernel.first], inputs = w[dims.kernel.second];
  if (batch % batchGroups != 0)
    return op.error() << "(C10) expected batch_group_count to divide the batch of " << batch
                      << ", found " << batchGroups;
  if (features % featureGroups != 0 || inputs != features / featureGroups)
    return op.error() << "(C11, C14) expected a kernel of " << features << " / " << featureGroups
                      << " input features, found " << inputs;
  if (outputs % batchGroups != 0 || outputs % featureGroups != 0)
    return op.error() << "(C15, C16) expected the count of groups to divide " << outputs
                      << " output features, found " << std::max(batchGroups, featureGroups);
  SmallVector<int64_t> expected(spatial + 2);
  expected[dims.output.first] = batch / batchGroups;
  expected[dims.output.second] = outputs;
  SmallVector<int64_t> sizes;
  for (int64_t dim : dims.input.spatial)
    sizes.push_back(x[dim]);
  PadCounts padding(spatial);
  padding.low = low;
  padding.high = high;
  for (int64_t i = 0; i < spatial; ++i)
    padding.interior[i] = lhsDilation[i] - 1;
  std::optional<SmallVector<int64_t>> padded = getPaddedShape(op, sizes, padding);
  if (!padded)
    return failure();
  for (int64_t i = 0; i < spatial; ++i) {
    const int64_t kernel = w[dims.kernel.spatial[i]];
    const int64_t window = kernel == 0 ? 0 : (kernel - 1) * rhsDilation[i] + 1;
    const bool isEmpty = (*padded)[i] == 0 || window > (*padded)[i];
    expected[dims.output.spatial[i]] = isEmpty ? 0 : ((*padded)[i] - window) / strides[i] + 1;
  }
  if (op.resultType().getShape() != ArrayRef(expected))
    return op.error() << "(C25, C26) expected a result of shape [" << printList(expected)
                      << "], found " << op.resultType();
  auto isLast = [&](const ConvTensorDims &tensor) {
    return tensor.first == 0 && tensor.second == spatial + 1 && llvm::is_sorted(tensor.spatial);
  };
  isChannelsLast = isLast(dims.input) && isLast(dims.output);
  return success();
}

//===----------------------------------------------------------------------===//
// Orders of dimensions
//===----------------------------------------------------------------------===//

Value Convolution::arrange(Value x) const {
  SmallVector<int64_t> order = {dims.input.first};
  if (!isChannelsLast)
    order.push_back(dims.input.second);
  order.append(dims.input.spatial.begin(), dims.input.spatial.end());
  if (isChannelsLast)
    order.push_back(dims.input.second);
  return Expressions(op).transpose(x, order);
}

Value Convolution::arrangeKernel(Value w) const {
  SmallVector<int64_t> order = {dims.kernel.first, dims.kernel.second};
  order.append(dims.kernel.spatial.begin(), dims.kernel.spatial.end());
  Value kernel = Expressions(op).transpose(w, order);
  SmallVector<int64_t> reversed;
  for (int64_t i = 0; i < spatial; ++i)
    if (reversal[i])
      reversed.push_back(i + 2);
  return Expressions(op).reverse(kernel, reversed);
}

Value Convolution::restore(Value y) const {
  if (isChannelsLast)
    return y;
  SmallVector<int64_t> order(spatial + 2);
  order[dims.output.first] = 0;
  order[dims.output.second] = 1;
  for (int64_t i = 0; i < spatial; ++i)
    order[dims.output.spatial[i]] = i + 2;
  return Expressions(op).transpose(y, order);
}

PadCounts Convolution::padSpatial(Value x) const {
  PadCounts padding(rankOf(x));
  for (int64_t i = 0; i < spatial; ++i) {
    padding.low[spatialBegin() + i] = low[i];
    padding.high[spatialBegin() + i] = high[i];
    padding.interior[spatialBegin() + i] = lhsDilation[i] - 1;
  }
  return padding;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// A convolution of which only the kernel is dilated, and which ttc has.
Value Convolution::makeOnes(Value x, Value w) {
  // What ttc.conv does not pad: negative counts, and elements between others.
  PadCounts padding = padSpatial(x);
  SmallVector<int64_t> pads(2 * spatial, 0);
  const bool isSimple = llvm::all_of(lhsDilation, [](int64_t dilation) { return dilation == 1; }) &&
                        llvm::all_of(llvm::concat<const int64_t>(low, high),
                                     [](int64_t count) { return count >= 0; });
  if (isSimple)
    for (int64_t i = 0; i < spatial; ++i) {
      pads[i] = low[i];
      pads[spatial + i] = high[i];
    }
  else
    x = makePad(op, x, padding, 0.0);
  SmallVector<NamedAttribute> attrs = {op.attr("strides", strides), op.attr("pads", pads),
                                       op.attr("dilations", rhsDilation),
                                       op.i64("groups", featureGroups)};
  if (isChannelsLast)
    attrs.push_back(op.flag("channels_last"));
  if (!x || !w)
    return {};
  if (isa<IntegerType>(elementTypeOf(x)))
    return op.create<IntConvOp>({x, w, e.number(x, 0), e.number(w, 0)}, attrs);
  return op.create<ConvOp>({x, w}, attrs);
}

/// A convolution with elements between those of the operand, as the gradient of one with strides:
/// null without an error if it is none.
Value Convolution::makeTransposed(Value x, Value w) {
  if (!x || !w || llvm::any_of(strides, [](int64_t stride) { return stride != 1; }) ||
      llvm::all_of(lhsDilation, [](int64_t dilation) { return dilation == 1; }))
    return {};
  SmallVector<int64_t> pads(2 * spatial), more(spatial, 0);
  for (int64_t i = 0; i < spatial; ++i) {
    const int64_t reach = (shapeOf(w)[i + 2] - 1) * rhsDilation[i];
    pads[i] = reach - low[i];
    pads[spatial + i] = reach - high[i];
    if (pads[spatial + i] < 0) {
      more[i] = -pads[spatial + i];
      pads[spatial + i] = 0;
    }
    if (pads[i] < 0 || more[i] >= std::max(lhsDilation[i], rhsDilation[i]))
      return {};
  }
  // Turned round, and features of the operand before those of the result.
  SmallVector<int64_t> sizes(shapeOf(w));
  w = e.reverse(w, llvm::to_vector(llvm::seq<int64_t>(2, spatial + 2)));
  SmallVector<int64_t> split = {featureGroups, sizes[0] / featureGroups}, order = {0, 2, 1},
                       shape = {featureGroups * sizes[1], split[1]};
  split.append(sizes.begin() + 1, sizes.end());
  for (int64_t i = 0; i < spatial; ++i) {
    order.push_back(i + 3);
    shape.push_back(sizes[i + 2]);
  }
  w = op.reshape(e.transpose(op.reshape(w, split), order), shape);
  SmallVector<NamedAttribute> attrs = {
      op.attr("strides", lhsDilation), op.attr("pads", pads), op.attr("dilations", rhsDilation),
      op.attr("output_padding", more), op.i64("groups", featureGroups)};
  if (isChannelsLast)
    attrs.push_back(op.flag("channels_last"));
  return op.create<ConvTransposeOp>({x, w}, attrs);
}

/// As a product of matrices: the elements at each position of the kernel are features. This is for
/// integers, and for more dimensions than ttc.conv has.
Value Convolution::makeSums(Value x, Value w, Type computed) {
  int64_t positions = 1;
  SmallVector<int64_t> kernel(shapeOf(w).drop_front(2));
  for (int64_t size : kernel)
    positions *= size;
  if (positions > kMostPositions) {
    op.error() << "expected a kernel of at most " << kMostPositions << " positions for " << computed
               << " in " << spatial << " spatial dimensions, found " << positions;
    return {};
  }
  x = op.cast(makePad(op, x, padSpatial(x), 0.0), computed);
  w = op.cast(w, computed);
  if (!x || !w)
    return {};
  if (isChannelsLast) {
    SmallVector<int64_t> order = {0, rankOf(x) - 1};
    for (int64_t i = 0; i < spatial; ++i)
      order.push_back(i + 1);
    x = e.transpose(x, order);
  }
  const int64_t batch = shapeOf(x)[0], features = shapeOf(w)[1],
                outputs = shapeOf(w)[0] / featureGroups;
  SmallVector<int64_t> size;
  for (int64_t dim : dims.output.spatial)
    size.push_back(op.resultType().getDimSize(dim));
  int64_t places = 1;
  for (int64_t count : size)
    places *= count;
  SmallVector<Value> columns;
  SmallVector<int64_t> position(spatial, 0);
  for (int64_t n = 0; n < positions; ++n) {
    SmallVector<int64_t> starts = {0, 0}, sizes = {batch, shapeOf(x)[1]}, steps = {1, 1};
    for (int64_t i = 0; i < spatial; ++i) {
      starts.push_back(position[i] * rhsDilation[i]);
      sizes.push_back(size[i]);
      // The step over a single element leads nowhere.
      steps.push_back(size[i] > 1 ? strides[i] : 1);
    }
    Value column = op.create<SliceOp>(
        x, {op.attr("starts", starts), op.attr("sizes", sizes), op.attr("steps", steps)});
    columns.push_back(op.reshape(column, {batch, featureGroups, features, places}));
    for (int64_t i = spatial - 1; i >= 0 && ++position[i] == kernel[i]; --i)
      position[i] = 0;
  }
  Value right = e.concat(columns, 2);
  Value left = op.reshape(w, {featureGroups, outputs, features, positions});
  left =
      op.reshape(e.transpose(left, {0, 1, 3, 2}), {featureGroups, outputs, positions * features});
  Value y = op.create<MatmulOp>({left, right});
  SmallVector<int64_t> shape = {batch, featureGroups * outputs};
  shape.append(size);
  y = op.reshape(y, shape);
  if (isChannelsLast) {
    SmallVector<int64_t> order = {0};
    for (int64_t i = 0; i < spatial; ++i)
      order.push_back(i + 2);
    order.push_back(1);
    y = e.transpose(y, order);
  }
  return y;
}

Value Convolution::make(Value x, Value w) {
  RankedTensorType type = op.resultType();
  Type result = type.getElementType();
  if (type.getNumElements() == 0 || tensorType(x).getNumElements() == 0 ||
      tensorType(w).getNumElements() == 0)
    return e.splat(type.getShape(), result, 0);
  Type computed = getProductType(op, elementTypeOf(x), elementTypeOf(w), result);
  if (!computed)
    return {};
  x = arrange(x);
  w = arrangeKernel(w);
  if (!x || !w)
    return {};
  if (batchGroups > 1) {
    // Each group of the batch has output features of its own: it is a group of features.
    const int64_t feature = featureDim(x);
    SmallVector<int64_t> shape(shapeOf(x)), order;
    shape[0] /= batchGroups;
    shape.insert(shape.begin(), batchGroups);
    for (int64_t i = 1; i < static_cast<int64_t>(shape.size()); ++i) {
      if (i == feature + 1)
        order.push_back(0);
      order.push_back(i);
    }
    x = e.transpose(op.reshape(x, shape), order);
    shape.erase(shape.begin());
    shape[feature] *= batchGroups;
    x = op.reshape(x, shape);
    featureGroups = batchGroups;
  }
  const bool isInteger = isa<IntegerType>(computed), isBytes = isProductOfBytes(x, w, computed);
  Value y;
  if (spatial > kMostSpatial || (isInteger && !(isBytes && spatial > 0))) {
    y = makeSums(x, w, computed);
  } else {
    if (!isInteger) {
      x = op.cast(x, computed);
      w = op.cast(w, computed);
    }
    if (spatial == 0) {
      // One dimension of a single element.
      const SmallVector<int64_t> one = {1}, zero = {0};
      SmallVector<int64_t> shape(shapeOf(x)), kernel(shapeOf(w));
      shape.push_back(1);
      kernel.push_back(1);
      const bool wasLast = isChannelsLast;
      isChannelsLast = false;
      spatial = 1;
      strides = lhsDilation = rhsDilation = one;
      low = high = zero;
      y = makeOnes(op.reshape(x, shape), op.reshape(w, kernel));
      spatial = 0;
      strides = lhsDilation = rhsDilation = low = high = {};
      isChannelsLast = wasLast;
      if (y)
        y = op.reshape(y, shapeOf(y).drop_back());
    } else {
      y = isInteger ? Value() : makeTransposed(x, w);
      if (!y && !op.hasFailed())
        y = makeOnes(x, w);
    }
  }
  if (batchGroups > 1)
    featureGroups = 1;
  return op.cast(restore(y), result);
}

static LogicalResult importConvolution(StablehloOp &op) {
  if (failed(op.checkOperands(2)))
    return failure();
  Convolution convolution(op);
  if (failed(convolution.read()))
    return failure();
  return op.results(makeComplexProduct(op, op.operand(0), op.operand(1),
                                       [&](Value x, Value w) { return convolution.make(x, w); }));
}

void mlir::ttc::registerStablehloConvolutionOps(StablehloRegistry &registry) {
  registry.add("convolution", importConvolution, OnComplex::Handled,
               "of integers, or in more than 3 dimensions: kernels of more than 4096 positions");
}
