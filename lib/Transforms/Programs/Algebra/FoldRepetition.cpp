// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors whose parts along a dimension are all equal: one part broadcasts where another operand
// has the dimension.
#include "FoldConstants.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Interfaces/TransformInterfaces.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "ttc/Support/Resources.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Whether all parts of the elements along a dimension are equal, bit by bit.
bool hasEqualParts(ElementsAttr constant, int64_t dim) {
  if (constant.isSplat())
    return true;
  std::optional<ArrayRef<char>> bytes = viewConstantBytes(constant);
  if (!bytes || bytes->empty())
    return false;
  const ArrayRef<int64_t> shape = constant.getShapedType().getShape();
  const size_t outer = llvm::product_of(shape.take_front(dim)), whole = bytes->size() / outer;
  const size_t part = whole / shape[dim];
  // Equal parts: the dimension without its last part equals that without its first.
  for (size_t i = 0; i < outer; ++i) {
    ArrayRef<char> parts = bytes->slice(i * whole, whole);
    if (parts.drop_back(part) != parts.drop_front(part))
      return false;
  }
  return true;
}

/// The constant's first part along a dimension.
ElementsAttr takeFirstPart(ElementsAttr constant, int64_t dim) {
  auto type = cast<RankedTensorType>(constant.getType());
  SmallVector<int64_t> shape(type.getShape());
  const size_t outer = llvm::product_of(type.getShape().take_front(dim)), size = shape[dim];
  shape[dim] = 1;
  type = type.clone(shape);
  if (auto dense = dyn_cast<DenseElementsAttr>(constant); dense && dense.isSplat())
    return dense.resizeSplat(type);
  ArrayRef<char> bytes = *viewConstantBytes(constant);
  const size_t whole = bytes.size() / outer;
  SmallVector<char> first;
  for (size_t i = 0; i < outer; ++i)
    llvm::append_range(first, bytes.slice(i * whole, whole / size));
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  return makeConstant(type, first, resource ? resource.getRawHandle().getKey() : "folded");
}

/// Values that repeat one part along a dimension: constants, and what is computed from them and
/// from values without the dimension.
class Repetition {
public:
  /// Whether the value is one. Records what has to become one part for that.
  bool find(Value value, int64_t dim, int depth = 0) {
    const Key key(value, dim);
    if (found.contains(key))
      return true;
    Operation *op = value.getDefiningOp();
    SmallVector<Part> parts;
    if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
      if (isa<ShardsAttr>(constant.getValue()) || !hasEqualParts(constant.getValue(), dim))
        return false;
    } else if (!op || op->getNumResults() != 1 || !isConstantEvaluable(op) || depth == kMostOps ||
               !findParts(op, dim, depth, parts)) {
      return false;
    }
    found[key] = std::move(parts);
    return true;
  }

  /// The part of the value that was found last.
  Value create(PatternRewriter &rewriter) const {
    OpBuilder::InsertionGuard guard(rewriter);
    DenseMap<Key, Value> created;
    for (const auto &[key, parts] : found) {
      auto [value, dim] = key;
      Operation *op = value.getDefiningOp();
      rewriter.setInsertionPoint(op);
      if (auto constant = dyn_cast<ConstantOp>(op)) {
        created[key] =
            ConstantOp::create(rewriter, op->getLoc(), takeFirstPart(constant.getValue(), dim));
        continue;
      }
      Operation *clone = op->clone();
      for (auto [operand, operandDim] : parts)
        clone->setOperand(operand, created.at({op->getOperand(operand), operandDim}));
      clone->getResult(0).setType(getPartType(value, dim));
      if (auto sized = dyn_cast<DimensionMapOpInterface>(clone))
        sized.updateSizes();
      created[key] = rewriter.insert(clone)->getResult(0);
    }
    return created.at(found.back().first);
  }

private:
  /// A value and one of its dimensions.
  using Key = std::pair<Value, int64_t>;
  /// An operand of which an op needs a part, and along which dimension.
  using Part = std::pair<unsigned, int64_t>;

  /// Chains of ops that repeat a part are short.
  static constexpr int kMostOps = 16;

  static RankedTensorType getPartType(Value value, int64_t dim) {
    SmallVector<int64_t> shape(tensorType(value).getShape());
    shape[dim] = 1;
    return tensorType(value).clone(shape);
  }

  /// Whether equal parts of the operands give equal parts of the result.
  bool findParts(Operation *op, int64_t dim, int depth, SmallVectorImpl<Part> &parts) {
    const DimensionMap map = getDimensionMap(op);
    const unsigned result = map.getResult();
    const int loop = map.getLeading(result, dim);
    if (loop == DimensionMap::kNone || map.getIndex(result, dim).loops.size() != 1 ||
        !map.getLoops()[loop].isDivisible || map.getLoops()[loop].kind != LoopKind::Parallel)
      return false;
    for (auto [index, operand] : llvm::enumerate(op->getOperands()))
      for (int64_t at = 0; at < map.getRank(index); ++at) {
        ArrayRef<int> loops = map.getIndex(index, at).loops;
        if (!llvm::is_contained(loops, loop))
          continue;
        if (loops.size() != 1 || !find(operand, at, depth + 1))
          return false;
        parts.emplace_back(index, at);
      }
    return true;
  }

  /// With their operands' parts; operands before users.
  llvm::MapVector<Key, SmallVector<Part>> found;
};

/// An elementwise op reads one part of a value that repeats it, if another operand has the
/// dimension: exporters gather by constant indices, expand to the batch, and combine masks with
/// constants of ones.
struct BroadcastRepetition : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || !type.hasStaticShape() || getTensorBytes(type) <= maxInlineConstantBytes ||
          isSplat(operand.get()))
        continue;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        Repetition repetition;
        if (!mayBroadcast(operand, dim) || !repetition.find(operand.get(), dim))
          continue;
        Value whole = operand.get(), part = repetition.create(rewriter);
        // All users read the same part.
        rewriter.replaceUsesWithIf(whole, part, [&](OpOperand &use) {
          return isa<ElementwiseOpInterface>(use.getOwner()) && mayBroadcast(use, dim);
        });
        return success();
      }
    }
    return failure();
  }

private:
  /// Splats are stored as one element anyway.
  static bool isSplat(Value value) {
    auto constant = value.getDefiningOp<ConstantOp>();
    auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
    return elements && elements.isSplat();
  }

  /// Whether another operand, which is not constant, has all of an operand's dimension.
  static bool mayBroadcast(OpOperand &operand, int64_t dim) {
    auto type = tensorType(operand.get());
    const int64_t fromLast = type.getRank() - dim;
    return type.getDimSize(dim) > 1 &&
           llvm::any_of(operand.getOwner()->getOpOperands(), [&](OpOperand &other) {
             auto otherType = tensorType(other.get());
             const int64_t at = otherType.getRank() - fromLast;
             return other.get() != operand.get() && at >= 0 &&
                    otherType.getDimSize(at) == type.getDimSize(dim) &&
                    !isConstantExpression(other.get());
           });
  }
};

} // namespace

void mlir::ttc::populateFoldRepetitionPatterns(RewritePatternSet &patterns) {
  patterns.add<BroadcastRepetition>(patterns.getContext());
}
