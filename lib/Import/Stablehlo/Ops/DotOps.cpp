// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices.
#include "Products.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

Type mlir::ttc::getProductType(StablehloOp &op, Type lhs, Type rhs, Type result) {
  if (auto integer = dyn_cast<IntegerType>(result)) {
    if (isa<FloatType>(lhs) || isa<FloatType>(rhs)) {
      op.error() << "expected integers for a result of " << result << ", found " << lhs << " and "
                 << rhs;
      return {};
    }
    // Sums of bools: whether any is true.
    return integer.getWidth() == 1 ? IntegerType::get(op.context(), 32) : result;
  }
  Type widest = result;
  for (Type type : {lhs, rhs}) {
    auto floating = dyn_cast<FloatType>(type);
    if (!floating || type == widest)
      continue;
    const unsigned width = floating.getWidth(), most = cast<FloatType>(widest).getWidth();
    if (width > most)
      widest = type;
    else if (width == most)
      widest = Float32Type::get(op.context());
  }
  return widest;
}

Value mlir::ttc::makeComplexProduct(StablehloOp &op, Value lhs, Value rhs,
                                    llvm::function_ref<Value(Value, Value)> multiply) {
  if (!lhs || !rhs)
    return {};
  if (!op.hasComplexResult()) {
    if (!op.isComplex(lhs) && !op.isComplex(rhs))
      return multiply(lhs, rhs);
    op.error() << "expected a complex result of complex operands, found " << op.resultType();
    return {};
  }
  Expressions e(op);
  Value lr = op.realOf(lhs), li = op.imaginaryOf(lhs), rr = op.realOf(rhs),
        ri = op.imaginaryOf(rhs);
  Value real = multiply(lr, rr), imaginary;
  if (li && ri)
    real = e.sub(real, multiply(li, ri));
  if (ri)
    imaginary = multiply(lr, ri);
  if (li) {
    Value other = multiply(li, rr);
    imaginary = imaginary ? e.add(imaginary, other) : other;
  }
  if (!imaginary) {
    if (!op.hasFailed())
      op.error() << "expected a complex operand for a complex result";
    return {};
  }
  return op.complex(real, imaginary);
}

bool mlir::ttc::isProductOfBytes(Value lhs, Value rhs, Type result) {
  auto isByte = [](Value value) {
    return isa<IntegerType>(elementTypeOf(value)) &&
           elementTypeOf(value).getIntOrFloatBitWidth() == 8;
  };
  return result.isInteger(32) && !result.isUnsignedInteger() && isByte(lhs) && isByte(rhs);
}

//===----------------------------------------------------------------------===//
// Products by dimensions
//===----------------------------------------------------------------------===//

namespace {
/// Dimensions of one operand: those of the batch, those that are summed, and the others.
struct DotDims {
  SmallVector<int64_t> batch, summed, outer;
};

/// The operand as a stack of matrices.
struct DotMatrix {
  Value value;
  bool isFlipped;
};
} // namespace

static int64_t getExtent(Value value, ArrayRef<int64_t> dims) {
  int64_t extent = 1;
  for (int64_t dim : dims)
    extent *= shapeOf(value)[dim];
  return extent;
}

static SmallVector<int64_t> joinDims(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                                     ArrayRef<int64_t> c = {}) {
  SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  all.append(c.begin(), c.end());
  return all;
}

/// Batch dimensions stay as they are. So do the outer ones of a left operand without them: no
/// reshape stands between its product and a bias.
static DotMatrix makeDotMatrix(StablehloOp &op, Value value, const DotDims &dims, bool keepOuter) {
  Expressions e(op);
  SmallVector<int64_t> order = joinDims(dims.batch, dims.summed, dims.outer);
  const bool isFlipped = llvm::is_sorted(order) && !dims.outer.empty();
  if (!isFlipped)
    order = joinDims(dims.batch, dims.outer, dims.summed);
  SmallVector<int64_t> shape;
  for (int64_t dim : dims.batch)
    shape.push_back(shapeOf(value)[dim]);
  const int64_t summed = getExtent(value, dims.summed);
  if (isFlipped)
    shape.push_back(summed);
  if (keepOuter && !isFlipped && dims.outer.size() > 1)
    for (int64_t dim : dims.outer)
      shape.push_back(shapeOf(value)[dim]);
  else
    shape.push_back(getExtent(value, dims.outer));
  if (!isFlipped)
    shape.push_back(summed);
  return {op.reshape(e.transpose(value, order), shape), isFlipped};
}

/// The product of real operands, whose dimensions have been checked.
static Value makeDot(StablehloOp &op, Value lhs, Value rhs, const DotDims &left,
                     const DotDims &right) {
  Expressions e(op);
  RankedTensorType type = op.resultType();
  Type result = type.getElementType();
  if (type.getNumElements() == 0 || getExtent(lhs, left.summed) == 0)
    return e.splat(type.getShape(), result, 0);
  Type computed = getProductType(op, elementTypeOf(lhs), elementTypeOf(rhs), result);
  if (!computed)
    return {};
  const bool isBytes = isProductOfBytes(lhs, rhs, computed);
  if (!isBytes) {
    lhs = op.cast(lhs, computed);
    rhs = op.cast(rhs, computed);
  }
  auto finish = [&](Value product) {
    return op.cast(op.reshape(product, type.getShape()), result);
  };
  if (left.summed.empty() && !isBytes) {
    // Dimensions that an operand does not have are 1.
    auto spread = [&](Value value, const DotDims &dims, size_t before, size_t after) {
      SmallVector<int64_t> order = joinDims(dims.batch, dims.outer), shape;
      for (int64_t dim : dims.batch)
        shape.push_back(shapeOf(value)[dim]);
      shape.append(before, 1);
      for (int64_t dim : dims.outer)
        shape.push_back(shapeOf(value)[dim]);
      shape.append(after, 1);
      return op.reshape(e.transpose(value, order), shape);
    };
    Value a = spread(lhs, left, 0, right.outer.size());
    Value b = spread(rhs, right, left.outer.size(), 0);
    return finish(e.mul(a, b));
  }
  DotMatrix a = makeDotMatrix(op, lhs, left, left.batch.empty());
  DotMatrix b = makeDotMatrix(op, rhs, right, false);
  if (isBytes) {
    auto turn = [&](Value value) {
      SmallVector<int64_t> order(rankOf(value));
      std::iota(order.begin(), order.end(), 0);
      std::swap(order[order.size() - 2], order.back());
      return e.transpose(value, order);
    };
    Value x = a.isFlipped ? turn(a.value) : a.value, w = b.isFlipped ? b.value : turn(b.value);
    return finish(op.create<IntMatmulOp>({x, w, e.number(x, 0), e.number(w, 0)}));
  }
  SmallVector<NamedAttribute> attrs;
  if (a.isFlipped)
    attrs.push_back(op.flag("transpose_a"));
  if (!b.isFlipped)
    attrs.push_back(op.flag("transpose_b"));
  return finish(op.create<MatmulOp>({a.value, b.value}, attrs));
}

/// Reports dimensions that the operand does not have, or that are named twice.
static LogicalResult readDotDims(StablehloOp &op, Value value, StringRef side, StringRef constraint,
                                 DotDims &dims) {
  const int64_t rank = rankOf(op.realOf(value));
  SmallVector<int64_t> named = joinDims(dims.batch, dims.summed);
  for (int64_t dim : named)
    if (dim < 0 || dim >= rank || llvm::count(named, dim) != 1)
      return op.error() << cite(constraint) << "expected " << side
                        << " dimensions to be different ones of " << rank << ", found "
                        << printList(named);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(named, dim))
      dims.outer.push_back(dim);
  return success();
}

/// An algorithm names the types that the product is computed in. ttc computes in the widest type of
/// the operands and the result: what asks for less gets more.
static LogicalResult checkAlgorithm(StablehloOp &op) {
  Attribute attr = op.getAttr("algorithm");
  if (!attr)
    return success();
  std::optional<StringRef> algorithm = parseStablehloBody(attr, "dot_algorithm");
  if (!algorithm)
    return op.error()
           << "expected attribute 'algorithm' to be #stablehlo.dot_algorithm<...>, found " << attr;
  auto isDouble = [](Value value) { return elementTypeOf(StablehloOp::realOf(value)).isF64(); };
  if (algorithm->contains("f64") && !op.resultElementType().isF64() &&
      !llvm::any_of(op.allOperands(), isDouble))
    return op.error() << "expected operands or a result of f64 for an algorithm that computes in "
                         "f64, found a result of "
                      << op.resultElementType() << ": convert the operands";
  return success();
}

/// Errors have the numbers of dot_general's constraints: the specification has dot no longer.
static LogicalResult importProduct(StablehloOp &op, DotDims left, DotDims right, bool isGeneral) {
  // A hint: all products are at least as precise as it asks for.
  op.ignoreAttrs({"precision_config"});
  auto number = [&](StringRef constraints) { return cite(isGeneral ? constraints : ""); };
  Value lhs = op.operand(0), rhs = op.operand(1);
  if (left.batch.size() != right.batch.size() || left.summed.size() != right.summed.size())
    return op.error() << number("C1, C2") << "expected as many lhs as rhs dimensions, found "
                      << left.batch.size() << " and " << right.batch.size()
                      << " batching dimensions, " << left.summed.size() << " and "
                      << right.summed.size() << " contracting dimensions";
  if (failed(readDotDims(op, lhs, "lhs", "C3, C5, C6", left)) ||
      failed(readDotDims(op, rhs, "rhs", "C4, C7, C8", right)))
    return failure();
  Value a = op.realOf(lhs), b = op.realOf(rhs);
  SmallVector<int64_t> leftDims = joinDims(left.batch, left.summed),
                       rightDims = joinDims(right.batch, right.summed), shape;
  for (auto [leftDim, rightDim] : llvm::zip_equal(leftDims, rightDims))
    if (shapeOf(a)[leftDim] != shapeOf(b)[rightDim])
      return op.error() << number("C9, C10") << "expected lhs dimension " << leftDim
                        << " and rhs dimension " << rightDim << " to have the same size, found "
                        << shapeOf(a)[leftDim] << " and " << shapeOf(b)[rightDim];
  for (int64_t dim : joinDims(left.batch, left.outer))
    shape.push_back(shapeOf(a)[dim]);
  for (int64_t dim : right.outer)
    shape.push_back(shapeOf(b)[dim]);
  if (op.resultType().getShape() != ArrayRef(shape))
    return op.error() << number("C12") << "expected a result of shape [" << printList(shape)
                      << "], found " << op.resultType();
  // In the order in which one operand has them, it needs no transpose. A constant costs none.
  const bool byRight = matchPattern(a, m_Constant()) && !matchPattern(b, m_Constant());
  SmallVector<int64_t> order(left.summed.size());
  std::iota(order.begin(), order.end(), 0);
  ArrayRef<int64_t> keys = byRight ? right.summed : left.summed;
  llvm::sort(order, [&](int64_t i, int64_t j) { return keys[i] < keys[j]; });
  DotDims sortedLeft = left, sortedRight = right;
  for (auto [i, from] : llvm::enumerate(order)) {
    sortedLeft.summed[i] = left.summed[from];
    sortedRight.summed[i] = right.summed[from];
  }
  return op.results(makeComplexProduct(
      op, lhs, rhs, [&](Value x, Value y) { return makeDot(op, x, y, sortedLeft, sortedRight); }));
}

static LogicalResult importDotGeneral(StablehloOp &op) {
  if (failed(op.checkOperands(2)))
    return failure();
  StablehloFields fields = op.getFields("dot_dimension_numbers", "dot");
  StringRef other = fields.findOther({"lhs_batching_dimensions", "rhs_batching_dimensions",
                                      "lhs_contracting_dimensions", "rhs_contracting_dimensions"});
  if (!other.empty())
    return op.error() << "field '" << other << "' of dot_dimension_numbers is not supported";
  if (failed(checkAlgorithm(op)))
    return failure();
  auto read = [&](StringRef name) { return llvm::to_vector(fields.getInts(name)); };
  return importProduct(op,
                       {read("lhs_batching_dimensions"), read("lhs_contracting_dimensions"), {}},
                       {read("rhs_batching_dimensions"), read("rhs_contracting_dimensions"), {}},
                       /*isGeneral=*/true);
}

/// The last dimension of the left operand with the first of the right one.
static LogicalResult importDot(StablehloOp &op) {
  if (failed(op.checkOperands(2)))
    return failure();
  const int64_t left = rankOf(op.realOf(op.operand(0))), right = rankOf(op.realOf(op.operand(1)));
  if (left < 1 || left > 2 || right < 1 || right > 2)
    return op.error() << "expected vectors or matrices, found ranks " << left << " and " << right;
  return importProduct(op, {{}, {left - 1}, {}}, {{}, {0}, {}}, /*isGeneral=*/false);
}

void mlir::ttc::registerStablehloDotOps(StablehloRegistry &registry) {
  registry.add("dot", importDot, OnComplex::Handled);
  registry.add("dot_general", importDotGeneral, OnComplex::Handled,
               "algorithms that compute narrower floats in f64");
}
