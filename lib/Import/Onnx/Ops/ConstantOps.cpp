// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, and ops whose results are constant because shapes are static.
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"

#include "onnx/onnx_pb.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult importConstant(OnnxNode &node) {
  Expressions e(node);
  if (node.hasAttr("value"))
    return node.results(node.constant(node.getTensor("value")));
  if (node.hasAttr("sparse_value"))
    return node.results(node.constant(node.getSparseTensor("sparse_value")));
  if (node.hasAttr("value_float"))
    return node.results(
        e.splat({}, node.getBuilder().getF32Type(), node.getFloat("value_float", 0)));
  if (node.hasAttr("value_int"))
    return node.results(e.scalar(node.getInt("value_int", 0)));
  if (node.hasAttr("value_ints"))
    return node.results(node.constant(node.getInts("value_ints")));
  if (node.hasAttr("value_floats"))
    return node.results(e.floats(node.getFloats("value_floats")));
  return node.error() << "found none of the supported attributes value, sparse_value, value_float, "
                         "value_floats, value_int, value_ints";
}

/// A range is made of attributes, which take a hundred bytes per element.
static constexpr int64_t kMostRange = int64_t(1) << 22;
/// A mask is written element by element.
static constexpr int64_t kMostWritten = int64_t(1) << 28;

static LogicalResult importConstantOfShape(OnnxNode &node) {
  FailureOr<SmallVector<int64_t>> shape =
      isShapedByDeclaration(node, 0) ? *node.declaredShape(0) : node.constantInts(0, "shape");
  if (failed(shape))
    return failure();
  if (!getNumElementsChecked(*shape))
    return node.error() << "impossible shape [" << printList(*shape) << "]";
  if (isShapedByDeclaration(node, 0) && failed(requireElements(node, 0, *shape)))
    return failure();
  OpBuilder &b = node.getBuilder();
  Type elementType = b.getF32Type();
  Attribute element = b.getF32FloatAttr(0);
  if (node.hasAttr("value")) {
    ElementsAttr value = node.getTensor("value");
    if (!value)
      return failure();
    if (value.getNumElements() != 1)
      return node.error() << "expected attribute 'value' to have one element, found "
                          << value.getNumElements();
    elementType = value.getElementType();
    element = cast<DenseElementsAttr>(value).getSplatValue<Attribute>();
  }
  auto type = RankedTensorType::get(*shape, elementType);
  if (failed(node.checkGenerated(type)))
    return failure();
  return node.results(node.constant(DenseElementsAttr::get(type, element)));
}

static LogicalResult importShape(OnnxNode &node) {
  ArrayRef<int64_t> shape = shapeOf(node.input(0));
  int64_t rank = shape.size();
  // From opset 15 on: a slice of the shape, whose bounds are clamped.
  auto clampAxis = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = clampAxis(node.getInt("start", 0));
  int64_t end = clampAxis(node.getInt("end", rank));
  return node.results(node.constant(shape.slice(start, std::max<int64_t>(end - start, 0))));
}

static LogicalResult importSize(OnnxNode &node) {
  return node.results(Expressions(node).scalar(tensorType(node.input(0)).getNumElements()));
}

/// start + i * delta, for as many elements as declared.
static LogicalResult importDeclaredRange(OnnxNode &node) {
  Type elementType = elementTypeOf(node.input(0));
  SmallVector<int64_t> shape = *node.declaredShape(0);
  if (shape.size() != 1 || shape[0] > kMostRange)
    return node.error() << "expected a vector of at most " << kMostRange
                        << " elements as the declared result, found the shape [" << printList(shape)
                        << "]" << node.describeShapeOption();
  Expressions e(node);
  Value start = node.reshape(node.input(0), {}), limit = node.reshape(node.input(1), {});
  Value delta = node.reshape(node.input(2), {});
  Value range = e.add(start, e.mul(e.iota(shape[0], elementType), delta));
  // ceil((limit - start) / delta), of which a negative one is an empty range
  auto wide = [&](Value value) { return e.cast(value, node.getBuilder().getF64Type()); };
  Value count = e.unary<CeilOp>(e.div(e.sub(wide(limit), wide(start)), wide(delta)));
  Value holds = e.compare(ComparePredicate::EQ, e.max(count, 0.0), static_cast<double>(shape[0]));
  node.require(holds, describeContradiction(shape));
  return node.results(spoilUnless(e, holds, range));
}

static LogicalResult importRange(OnnxNode &node) {
  node.ignoreAttrs({"stash_type"}); // which is at least as precise as the elements
  if (llvm::any_of(llvm::seq(0u, 3u),
                   [&](unsigned input) { return isShapedByDeclaration(node, input); }))
    return importDeclaredRange(node);
  Type elementType = elementTypeOf(node.input(0));
  FailureOr<double> start = node.constantNumber(0, "start");
  FailureOr<double> limit = node.constantNumber(1, "limit");
  FailureOr<double> delta = node.constantNumber(2, "delta");
  if (failed(start) || failed(limit) || failed(delta))
    return failure();
  if (*delta == 0)
    return node.error() << "expected input 2 (delta) other than zero, found zero";
  double count = std::ceil((*limit - *start) / *delta);
  count = std::max(count, 0.0);
  if (!(count <= kMostRange))
    return node.error() << "expected a range of at most " << kMostRange << " elements, found "
                        << count;
  auto type = RankedTensorType::get(static_cast<int64_t>(count), elementType);
  if (failed(node.checkGenerated(type)))
    return failure();
  SmallVector<Attribute> elements;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i)
    elements.push_back(getNumberAttr(elementType, *start + static_cast<double>(i) * *delta));
  return node.results(node.constant(DenseElementsAttr::get(type, elements)));
}

/// An i1 matrix that is true where `isSet(row, column)`.
static Value makeMask(OnnxNode &node, int64_t rows, int64_t columns,
                      llvm::function_ref<bool(int64_t, int64_t)> isSet) {
  auto type = RankedTensorType::get({rows, columns}, node.getBuilder().getI1Type());
  if (failed(node.checkGenerated(type)))
    return {};
  if (rows * columns > kMostWritten) {
    node.error() << "expected a mask of at most " << kMostWritten << " elements, found " << type;
    return {};
  }
  SmallVector<bool> mask;
  mask.reserve(rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      mask.push_back(isSet(row, column));
  return node.constant(DenseElementsAttr::get(type, ArrayRef<bool>(mask)));
}

static LogicalResult importEyeLike(OnnxNode &node) {
  Value like = node.input(0);
  Type elementType = elementTypeOf(like);
  if (node.hasAttr("dtype")) {
    int64_t dataType = node.getInt("dtype", 0);
    elementType = getOnnxElementType(node.context(), dataType);
    if (!elementType)
      return node.error() << "element type " << getOnnxTypeName(dataType)
                          << " is not supported (supported: " << getSupportedOnnxTypes() << ")";
  }
  int64_t k = node.getInt("k", 0);
  if (rankOf(like) != 2)
    return node.error() << "expected the input to have rank 2, found " << like.getType();
  Value mask = makeMask(node, shapeOf(like)[0], shapeOf(like)[1],
                        [&](int64_t row, int64_t column) { return column - row == k; });
  return node.results(node.cast(mask, elementType));
}

/// The triangle above or below a diagonal that is computed at run time.
static Value triluAt(OnnxNode &node, Value x, Value k, bool upper) {
  ArrayRef<int64_t> shape = shapeOf(x).take_back(2);
  Expressions e(node);
  Value diagonal = e.sub(e.iota(shape[1], 0, 1), e.iota(shape[0], 0, 2));
  ComparePredicate predicate = upper ? ComparePredicate::GE : ComparePredicate::LE;
  Value mask = e.compare(predicate, diagonal, node.cast(k, node.getBuilder().getI64Type()));
  return e.where(mask, x, 0.0);
}

static LogicalResult importTrilu(OnnxNode &node) {
  Value x = node.input(0);
  const bool upper = node.getInt("upper", 1);
  if (rankOf(x) < 2)
    return node.error() << "expected the input to have rank 2 or more, found " << x.getType();
  ArrayRef<int64_t> shape = shapeOf(x).take_back(2);
  if (node.hasInput(1) && !node.isConstantInput(1))
    return node.results(triluAt(node, x, node.reshape(node.input(1), {}), upper));
  int64_t k = 0;
  if (node.hasInput(1)) {
    FailureOr<int64_t> number = node.constantInt(1, "k");
    if (failed(number))
      return failure();
    k = *number;
  }
  Value mask = makeMask(node, shape[0], shape[1], [&](int64_t row, int64_t column) {
    return upper ? column - row >= k : column - row <= k;
  });
  return node.results(Expressions(node).where(mask, x, 0.0));
}

void mlir::ttc::registerConstantOps(OnnxRegistry &registry) {
  registry.add("Constant", {0, 0}, importConstant, {},
               "attributes `value`, `sparse_value`, `value_float`, `value_floats`, `value_int`, "
               "`value_ints`");
  registry.add("ConstantOfShape", {1, 1}, importConstantOfShape, {9},
               "constant `shape`, or a declared shape of the result");
  registry.add("Shape", {1, 1}, importShape);
  registry.add("Size", {1, 1}, importSize);
  registry.add("Range", {3, 3}, importRange, {11},
               "constant `start`, `limit`, `delta`, or a declared shape of the result");
  registry.add("EyeLike", {1, 1}, importEyeLike, {9});
  registry.add("Trilu", {1, 2}, importTrilu, {14});
}
