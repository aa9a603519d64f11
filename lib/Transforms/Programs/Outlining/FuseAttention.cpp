// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ValidElements.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Programs/AttentionOps.h"
#include "dialects/Ttc/Programs/KernelOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "kernels/Budgets.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include <cmath>
#include <limits>

namespace mlir::ttc {
#define GEN_PASS_DEF_FUSEATTENTION
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// Rows below which most lanes of a panel would be empty.
constexpr int64_t kLeastRows = 8;
/// The L1 that holds the scratch.
constexpr int64_t kLeastL1 = 512 * 1024;

/// The one number of a constant, if there is only one.
std::optional<float> getScalar(Value value) {
  DenseElementsAttr elements;
  if (!tensorType(value).getElementType().isF32() || !matchPattern(value, m_Constant(&elements)) ||
      !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<float>();
}

/// Whether adding the value changes nothing that a softmax can tell: constant zeros.
bool isZeros(Value value) {
  if (std::optional<float> number = getScalar(value))
    return *number == 0;
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return false;
  std::optional<ArrayRef<char>> bytes = viewConstantBytes(constant.getValue());
  if (!bytes || bytes->size() % sizeof(float) != 0)
    return false;
  auto *numbers = reinterpret_cast<const float *>(bytes->data());
  return llvm::all_of(ArrayRef(numbers, bytes->size() / sizeof(float)),
                      [](float number) { return number == 0; });
}

/// A product of two values of run time.
bool isProduct(KernelGemmOp op) { return op && !op.getKernel() && !op.getPacked(); }

/// The scores in front of the softmax: scale * product + mask.
struct Scores {
  KernelGemmOp product;
  float scale = 1;
  Value mask;
  /// The number of keys that count, if not all do: i32, of one element.
  Value keys;
  /// What computes them, from the product on.
  SmallVector<Location> locations;
};

/// The operand of a binary op that has the result's type and is its only use, and the other one.
std::optional<std::pair<Value, Value>> splitOperands(Operation *op, bool isCommutative) {
  for (unsigned at : {0u, 1u}) {
    Value value = op->getOperand(at);
    if (value.getType() == op->getResult(0).getType() && value.hasOneUse() &&
        isa_and_present<KernelGemmOp, MulOp, DivOp>(value.getDefiningOp()))
      return std::pair(value, op->getOperand(1 - at));
    if (!isCommutative)
      break;
  }
  return std::nullopt;
}

/// Whether a softmax gives it no weight beside any number.
bool isLowest(Value value) {
  std::optional<float> number = getScalar(value);
  return number && *number == -std::numeric_limits<float>::infinity();
}

/// Whether index `n` of the view's second to last dimension is index `n` of dimension `dim` of the
/// tensor, whatever the other indices are.
bool isAlong(ViewAttr view, RankedTensorType type, int64_t dim) {
  const int64_t rank = view.getRank(), size = type.getDimSize(dim);
  const int64_t step = llvm::product_of(type.getShape().drop_front(dim + 1)), whole = step * size;
  if (view.getShape()[rank - 2] != size || view.getStrides()[rank - 2] != step ||
      view.getOffset() % whole >= step)
    return false;
  int64_t inner = view.getOffset() % step;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t stride = view.getStrides()[i], extent = view.getShape()[i];
    if (i == rank - 2 || extent == 1 || (stride > 0 && stride % whole == 0))
      continue;
    if (stride < 0)
      return false;
    inner += (extent - 1) * stride;
  }
  return inner < step;
}

/// The values of the keys that count, without the mask that makes zeros of the others.
Value skipMask(Value values, ViewAttr view, Value keys) {
  auto where = values.getDefiningOp<WhereOp>();
  if (!where || where.getA().getType() != values.getType() || getScalar(where.getB()) != 0.0f)
    return values;
  std::optional<int64_t> fromLast = getValidDim(where.getCond());
  auto type = tensorType(values);
  if (!fromLast || getValidExtent(where.getCond(), view.getShape()[view.getRank() - 2]) != keys ||
      !isAlong(view, type, type.getRank() - 1 - *fromLast))
    return values;
  return where.getA();
}

std::optional<Scores> findScores(Value value) {
  Scores scores;
  if (auto where = value.getDefiningOp<WhereOp>()) {
    // Fewer keys than columns: the others have the lowest score.
    const int64_t size = tensorType(value).getShape().back();
    if (where.getA().getType() != value.getType() || !where.getA().hasOneUse() ||
        !isLowest(where.getB()) || (size != 1 && getValidDim(where.getCond()) != 0))
      return std::nullopt;
    scores.keys = getValidExtent(where.getCond(), size);
    if (!scores.keys)
      return std::nullopt;
    scores.locations.push_back(where.getLoc());
    value = where.getA();
  }
  if (auto add = value.getDefiningOp<AddOp>()) {
    auto operands = splitOperands(add, /*isCommutative=*/true);
    if (!operands)
      return std::nullopt;
    scores.locations.push_back(add.getLoc());
    std::tie(value, scores.mask) = *operands;
  }
  if (Operation *op = value.getDefiningOp(); isa_and_present<MulOp, DivOp>(op)) {
    auto operands = splitOperands(op, isa<MulOp>(op));
    std::optional<float> number = operands ? getScalar(operands->second) : std::nullopt;
    // Another shape of the number could add dimensions.
    if (!number)
      return std::nullopt;
    scores.scale = isa<MulOp>(op) ? *number : 1 / *number;
    scores.locations.push_back(op->getLoc());
    value = operands->first;
  }
  scores.product = value.getDefiningOp<KernelGemmOp>();
  if (!isProduct(scores.product) || !value.hasOneUse())
    return std::nullopt;
  scores.locations.push_back(scores.product.getLoc());
  if (scores.mask && isZeros(scores.mask))
    scores.mask = {};
  return scores;
}

/// The weights by which the values are multiplied.
struct Weights {
  SoftmaxOp softmax;
  /// Weights that are NaN are replaced with 0.
  bool nanToZero = false;
  /// The number of keys whose weights are not masked, if there is a mask.
  Value keys;
  SmallVector<Location> locations;
};

/// Whether the condition is true where the value is NaN: value != value, used once.
bool isNan(Value condition, Value value) {
  auto compare = condition.getDefiningOp<CompareOp>();
  return compare && compare->hasOneUse() && compare.getPredicate() == ComparePredicate::NE &&
         compare.getA() == value && compare.getB() == value;
}

std::optional<Weights> findWeights(Value value) {
  Weights weights;
  const Type type = value.getType();
  auto where = value.getDefiningOp<WhereOp>();
  if (where && where->hasOneUse() && where.getA().getType() == type &&
      getValidDim(where.getCond()) == 0 && getScalar(where.getB()) == 0.0f) {
    weights.keys = getValidExtent(where.getCond(), tensorType(value).getShape().back());
    weights.locations.push_back(where.getLoc());
    value = where.getA();
    where = value.getDefiningOp<WhereOp>();
  }
  if (where && where->hasOneUse() && getScalar(where.getA()) == 0.0f &&
      isNan(where.getCond(), where.getB())) {
    weights.nanToZero = true;
    weights.locations.push_back(where.getLoc());
    value = where.getB();
  }
  weights.softmax = value.getDefiningOp<SoftmaxOp>();
  // The guard uses the weights three times.
  if (!weights.softmax || weights.softmax.getY().getType() != type ||
      llvm::range_size(value.getUses()) != (weights.nanToZero ? 3 : 1))
    return std::nullopt;
  weights.locations.push_back(weights.softmax.getLoc());
  return weights;
}

/// The view of a value with dimensions of size 1 in front; null if it is the value itself.
ViewAttr extendRank(ViewAttr view, Value of, int64_t rank) {
  if (view.isIdentity(tensorType(of)) && view.getRank() == rank)
    return {};
  SmallVector<int64_t> shape(rank - view.getRank(), 1), strides(rank - view.getRank(), 0);
  llvm::append_range(shape, view.getShape());
  llvm::append_range(strides, view.getStrides());
  return ViewAttr::get(view.getContext(), shape, strides, view.getOffset());
}

/// What the op's verifier demands of scale and mask.
bool isPossible(const Scores &scores, RankedTensorType type) {
  if (!std::isfinite(scores.scale) || type.getNumElements() == 0)
    return false;
  if (!scores.mask)
    return true;
  auto mask = tensorType(scores.mask);
  return mask.getElementType().isF32() && mask.getRank() > 0 && mask.getRank() <= type.getRank() &&
         mask.getShape().back() == type.getShape().back();
}

/// Begins at the product with the values.
struct ProductsToAttention : OpRewritePattern<KernelGemmOp> {
  ProductsToAttention(MLIRContext *context, int64_t vectorLength, PassCounter &count)
      : OpRewritePattern(context), vectorLength(vectorLength), count(count) {}

  LogicalResult matchAndRewrite(KernelGemmOp op, PatternRewriter &rewriter) const override {
    if (!isProduct(op))
      return failure();
    std::optional<Weights> weights = findWeights(op.getA());
    if (!weights)
      return failure();
    SoftmaxOp softmax = weights->softmax;
    auto type = tensorType(softmax.getY());
    const int64_t rank = type.getRank();
    if (softmax.getAxis() != rank - 1 || !op.getAViewOrIdentity().isIdentity(type) ||
        !softmax.getX().hasOneUse())
      return failure();
    std::optional<Scores> scores = findScores(softmax.getX());
    if (!scores || !isPossible(*scores, type) || (weights->keys && weights->keys != scores->keys))
      return failure();
    KernelGemmOp product = scores->product;
    const ViewAttr q = product.getAViewOrIdentity(), k = product.getBViewOrIdentity();
    const ViewAttr v = op.getBViewOrIdentity(), out = op.getResultViewOrIdentity();
    // The values' batch may be larger than that of the scores.
    if (!product.getResultViewOrIdentity().isIdentity(type) || out.getRank() != rank ||
        out.getShape().drop_back() != type.getShape().drop_back() || q.getRank() > rank ||
        k.getRank() > rank || v.getRank() > rank)
      return failure();
    if (type.getDimSize(rank - 2) < kLeastRows || q.getShape().back() == 0)
      return failure();
    llvm::append_range(scores->locations, llvm::reverse(weights->locations));
    scores->locations.push_back(op.getLoc());
    const bool isWide = vectorLength == 16;
    const bool isNarrow = type.getDimSize(rank - 2) <= 16;
    const Value values = scores->keys ? skipMask(op.getB(), v, scores->keys) : op.getB();
    auto attention = KernelAttentionOp::create(
        rewriter, rewriter.getFusedLoc(scores->locations), op.getType(), product.getA(),
        product.getB(), values, scores->mask, scores->keys, rewriter.getF32FloatAttr(scores->scale),
        rewriter.getDenseI64ArrayAttr({isWide ? 14 : 6, isWide && !isNarrow ? 32 : 16}),
        weights->nanToZero ? rewriter.getUnitAttr() : UnitAttr(),
        extendRank(q, product.getA(), rank), extendRank(k, product.getB(), rank),
        extendRank(v, values, rank), op.getResultViewAttr());
    if (!attention.hasLoops() || attention.getScratchBytes() > ::ttc::kernels::kAttentionBudget) {
      rewriter.eraseOp(attention);
      return rewriter.notifyMatchFailure(op, "too many batch dimensions, or too much scratch");
    }
    rewriter.replaceOp(op, attention);
    ++count;
    return success();
  }

private:
  int64_t vectorLength;
  PassCounter &count;
};

struct FuseAttention : impl::FuseAttentionBase<FuseAttention> {
  PassCounter numAttentions{*this, "attentions", "Attentions that became one kernel"};

  void runOnOperation() override {
    auto target = getOperation()->getAttrOfType<TargetAttr>(kTargetAttrName);
    if (target && target.getL1Bytes() < kLeastL1)
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<ProductsToAttention>(&getContext(), getVectorLength(getCpuTarget(getOperation())),
                                      numAttentions);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ttc
