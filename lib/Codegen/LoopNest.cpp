// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoopNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Coefficients of an expression that is linear in the dimensions.
struct Linear {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};

std::optional<Linear> linearize(AffineExpr expr, unsigned numDims) {
  Linear result{SmallVector<int64_t>(numDims, 0), 0};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    result.coefficients[dim.getPosition()] = 1;
    return result;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    result.constant = constant.getValue();
    return result;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<Linear> left = linearize(binary.getLHS(), numDims);
  std::optional<Linear> right = linearize(binary.getRHS(), numDims);
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    for (auto [to, from] : llvm::zip_equal(left->coefficients, right->coefficients))
      to += from;
    left->constant += right->constant;
    return left;
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul || !factor)
    return std::nullopt;
  for (int64_t &coefficient : left->coefficients)
    coefficient *= factor.getValue();
  left->constant *= factor.getValue();
  return left;
}

/// The memref that a chain of views begins with.
Value viewedBuffer(Value v) {
  while (auto view = v.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(view))
      break; // a view of raw bytes: this is where typed elements begin
    v = view.getViewSource();
  }
  return v;
}

/// The whole buffer that `v` views as one row of elements.
Value asRow(OpBuilder &b, Location loc, Value v) {
  Value buffer = viewedBuffer(v);
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1 && type.getLayout().isIdentity())
    return buffer;
  OpFoldResult count = b.getIndexAttr(ShapedType::kDynamic);
  if (type.hasStaticShape()) {
    // In rows: up to the last element.
    int64_t span = 1, offset = 0;
    SmallVector<int64_t> strides;
    if (failed(type.getStridesAndOffset(strides, offset)))
      llvm_unreachable("a buffer has strides");
    for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
      span += (size - 1) * stride;
    count = b.getIndexAttr(type.getNumElements() == 0 ? 0 : span);
  } else {
    Value product = arith::ConstantIndexOp::create(b, loc, 1);
    for (int64_t i = 0; i < type.getRank(); ++i)
      product = arith::MulIOp::create(b, loc, product, memref::DimOp::create(b, loc, buffer, i));
    count = product;
  }
  return memref::ReinterpretCastOp::create(b, loc, buffer, b.getIndexAttr(0), ArrayRef{count},
                                           ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

/// What one element costs when the loop is vectorised: a vector's share of each access, or an
/// access of its own where elements are not adjacent.
double costInnermost(const NestLoop &loop) {
  double lanes = loop.extent ? std::min<int64_t>(8, *loop.extent) : 8;
  double cost = 0;
  for (int64_t stride : loop.strides)
    cost += stride == 0 || stride == 1 ? 1.0 / lanes : 1.0;
  return cost;
}

/// Whether `outer` continues where `inner` ends, in every operand.
bool canMerge(const NestLoop &outer, const NestLoop &inner) {
  if (!outer.extent || !inner.extent || outer.kind != inner.kind)
    return false;
  return llvm::all_of(llvm::zip_equal(outer.strides, inner.strides), [&](auto pair) {
    auto [outerStride, innerStride] = pair;
    return outerStride == innerStride * *inner.extent;
  });
}

void mergeLoops(SmallVectorImpl<NestLoop> &loops, const llvm::SmallSet<unsigned, 4> &indexed) {
  for (size_t i = 0; i < loops.size(); ++i)
    for (size_t j = 0; j < loops.size(); ++j) {
      if (i == j || indexed.contains(loops[i].dim) || indexed.contains(loops[j].dim) ||
          !canMerge(loops[i], loops[j]))
        continue;
      loops[j].extent = *loops[i].extent * *loops[j].extent;
      loops.erase(loops.begin() + i);
      return mergeLoops(loops, indexed);
    }
}

} // namespace

std::optional<LoopNest> mlir::ttc::analyzeNest(OpBuilder &b, linalg::GenericOp op) {
  Location loc = op.getLoc();
  LoopNest nest;
  unsigned numDims = op.getNumLoops();
  SmallVector<Range> ranges = cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(b, loc);
  SmallVector<NestLoop> loops(numDims);
  for (unsigned dim = 0; dim < numDims; ++dim) {
    loops[dim].dim = dim;
    loops[dim].kind = op.getIteratorTypesArray()[dim];
    if (std::optional<int64_t> extent = getConstantIntValue(ranges[dim].size))
      loops[dim].extent = extent;
    else
      loops[dim].dynamicExtent = cast<Value>(ranges[dim].size);
  }
  for (OpOperand &operand : op->getOpOperands()) {
    NestOperand &entry = nest.operands.emplace_back();
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type) {
      entry.base = operand.get();
      entry.isScalar = true;
      for (NestLoop &loop : loops)
        loop.strides.push_back(0);
      continue;
    }
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return std::nullopt;
    // The last tile of a dimension may be smaller than the others: the strides of those around it
    // are unknown, and do not matter where a tile has one element of them.
    for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
      if (size == 1 && ShapedType::isDynamic(stride))
        stride = 0;
    if (llvm::any_of(strides, ShapedType::isDynamic))
      return std::nullopt;
    SmallVector<int64_t> perDim(numDims, 0);
    int64_t first = 0;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      std::optional<Linear> linear = linearize(expr, numDims);
      if (!linear)
        return std::nullopt;
      for (unsigned dim = 0; dim < numDims; ++dim)
        perDim[dim] += linear->coefficients[dim] * strides[position];
      first += linear->constant * strides[position];
    }
    for (unsigned dim = 0; dim < numDims; ++dim)
      loops[dim].strides.push_back(perDim[dim]);
    entry.base = asRow(b, loc, operand.get());
    if (ShapedType::isDynamic(offset)) {
      auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, operand.get());
      entry.offset = metadata.getOffset();
      if (first != 0)
        entry.offset = arith::AddIOp::create(b, loc, entry.offset,
                                             arith::ConstantIndexOp::create(b, loc, first));
    } else {
      entry.offset = arith::ConstantIndexOp::create(b, loc, offset + first);
    }
  }

  llvm::SmallSet<unsigned, 4> indexed;
  op.getBody()->walk([&](linalg::IndexOp index) { indexed.insert(index.getDim()); });
  llvm::erase_if(
      loops, [&](const NestLoop &loop) { return loop.extent == 1 && !indexed.contains(loop.dim); });
  mergeLoops(loops, indexed);
  if (!loops.empty()) {
    auto best = std::min_element(loops.begin(), loops.end(), [](auto &x, auto &y) {
      return costInnermost(x) < costInnermost(y);
    });
    // Among equals, take the last: it is the one written innermost.
    for (auto it = best; it != loops.end(); ++it)
      if (costInnermost(*it) <= costInnermost(*best))
        best = it;
    std::rotate(best, best + 1, loops.end());
  }
  nest.loops = std::move(loops);
  return nest;
}
