// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TransposeUtils.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_CHANNELSLAST
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// An op on images computes on channels-last ones, between transposes.
struct MakeChannelsLast : OpInterfaceRewritePattern<ChannelsLastOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ChannelsLastOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto type = tensorType(op->getResult(0));
    if (op.getChannelsLast() || type.getRank() < 3)
      return failure();
    Permutation toLast = getToChannelsLast(type.getRank());
    Value image = createTranspose(rewriter, op.getLoc(), op->getOperand(0), toLast);
    Operation *clone = rewriter.clone(*op);
    clone->setOperand(0, image);
    cast<ChannelsLastOpInterface>(clone).setChannelsLast(true);
    clone->getResult(0).setType(permute(type, toLast));
    rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(), clone->getResult(0),
                                           invertPermutationVector(toLast)));
    return success();
  }
};

//===--- transposes move down ---------------------------------------------------------===//

/// Whether the value is a constant, in whatever order and shape: moving it costs nothing, as it
/// happens at compile time.
bool isConstantData(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<TransposeOp, ReshapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_present<ConstantOp>(op);
}

/// The transpose that makes a value, if it is one that moves elements at run time.
TransposeOp getTranspose(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  return transpose && !isConstantData(transpose) ? transpose : TransposeOp();
}

/// The permutation of the transpose that makes most of an op's data. Empty if there is none.
Permutation getOperandPermutation(Operation *op, int64_t rank) {
  Permutation permutation;
  int64_t most = 0;
  for (Value operand : op->getOperands()) {
    TransposeOp transpose = getTranspose(operand);
    auto type = tensorType(operand);
    if (transpose && type.getRank() == rank && type.getNumElements() > most) {
      permutation = Permutation(transpose.getPermutation());
      most = type.getNumElements();
    }
  }
  return permutation;
}

/// Permutes the operands of `op` (all of rank `rank`, or broadcast to it) so that transposes
/// by `undone` vanish. Fails if that moves as many elements as it saves.
FailureOr<SmallVector<Value>> permuteOperands(Operation *op, int64_t rank, ArrayRef<int64_t> undone,
                                              PatternRewriter &rewriter) {
  Permutation permutation = invertPermutationVector(undone);
  auto isUndone = [&](Value operand) {
    TransposeOp transpose = getTranspose(operand);
    return transpose && transpose.getPermutation() == undone;
  };
  /// By NumPy's rules a shape may be extended in front.
  auto getExtendedShape = [&](Value operand) {
    SmallVector<int64_t> shape(tensorType(operand).getShape());
    shape.insert(shape.begin(), rank - shape.size(), 1);
    return shape;
  };
  int64_t gain = 0;
  for (Value operand : op->getOperands()) {
    if (isUndone(operand)) {
      gain += tensorType(operand).getNumElements();
      continue;
    }
    bool moves = !movesUnitDimsOnly(getExtendedShape(operand), permutation);
    if (moves && !isConstantData(operand))
      gain -= tensorType(operand).getNumElements();
  }
  if (gain <= 0)
    return failure();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isUndone(operand)) {
      operands.push_back(operand.getDefiningOp<TransposeOp>().getX());
    } else if (tensorType(operand).getNumElements() == 1) {
      operands.push_back(operand);
    } else {
      Value extended = createReshape(rewriter, op->getLoc(), operand, getExtendedShape(operand));
      operands.push_back(createTranspose(rewriter, op->getLoc(), extended, permutation));
    }
  }
  return operands;
}

/// Replaces `op` by itself on permuted operands, its results transposed by `undone`.
Operation *replacePermuted(Operation *op, ArrayRef<Value> operands, ArrayRef<int64_t> undone,
                           PatternRewriter &rewriter) {
  Permutation permutation = invertPermutationVector(undone);
  Operation *clone = rewriter.clone(*op);
  clone->setOperands(operands);
  SmallVector<Value> results;
  for (OpResult result : clone->getResults()) {
    result.setType(permute(tensorType(result), permutation));
    results.push_back(createTranspose(rewriter, op->getLoc(), result, undone));
  }
  rewriter.replaceOp(op, results);
  return clone;
}

struct SinkThroughElementwise : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = tensorType(op->getResult(0)).getRank();
    Permutation undone = getOperandPermutation(op, rank);
    if (undone.empty())
      return failure();
    FailureOr<SmallVector<Value>> operands = permuteOperands(op, rank, undone, rewriter);
    if (failed(operands))
      return failure();
    replacePermuted(op, *operands, undone, rewriter);
    return success();
  }
};

struct SinkThroughPermutable : OpInterfaceRewritePattern<PermutableOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(PermutableOpInterface op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = tensorType(op->getOperand(0)).getRank();
    Permutation undone = getOperandPermutation(op, rank);
    if (undone.empty())
      return failure();
    FailureOr<SmallVector<Value>> operands = permuteOperands(op, rank, undone, rewriter);
    if (failed(operands))
      return failure();
    Permutation permutation = invertPermutationVector(undone);
    Permutation ofResult = op.getResultPermutation(permutation);
    Operation *clone = replacePermuted(op, *operands, invertPermutationVector(ofResult), rewriter);
    cast<PermutableOpInterface>(clone).permuteDimensions(permutation);
    return success();
  }
};

/// transpose(transpose(x)) is one transpose, or none; one that only moves dimensions of size 1
/// is a reshape.
struct SimplifyTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    if (auto inner = op.getX().getDefiningOp<TransposeOp>()) {
      Permutation both = permute(inner.getPermutation(), op.getPermutation());
      rewriter.replaceOp(op, createTranspose(rewriter, op.getLoc(), inner.getX(), both));
      return success();
    }
    if (!movesUnitDimsOnly(tensorType(op.getX()).getShape(), op.getPermutation()))
      return failure();
    rewriter.replaceOp(
        op, createReshape(rewriter, op.getLoc(), op.getX(), tensorType(op.getY()).getShape()));
    return success();
  }
};

/// reshape(reshape(x)) = reshape(x)
struct SimplifyReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    Value x = op.getX();
    if (auto inner = x.getDefiningOp<ReshapeOp>())
      x = inner.getX();
    else if (x.getType() != op.getType())
      return failure();
    rewriter.replaceOp(op,
                       createReshape(rewriter, op.getLoc(), x, tensorType(op.getY()).getShape()));
    return success();
  }
};

/// A transpose whose operand is seen without dimensions of size 1.
struct SqueezedTranspose {
  explicit SqueezedTranspose(TransposeOp op) {
    auto shape = tensorType(op.getX()).getShape();
    SmallVector<int64_t> position(shape.size(), -1);
    for (auto [dim, size] : llvm::enumerate(shape))
      if (size != 1) {
        position[dim] = from.size();
        from.push_back(size);
      }
    for (int64_t dim : op.getPermutation())
      if (shape[dim] != 1)
        permutation.push_back(position[dim]);
    to = permute(from, permutation);
  }
  SmallVector<int64_t> from, to;
  Permutation permutation;
};

SmallVector<int64_t> squeeze(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> squeezed(shape);
  llvm::erase(squeezed, 1);
  return squeezed;
}

/// reshape(transpose(x)) = transpose(reshape(x)), where dimensions that the reshape merges are
/// neighbours in x, too, and those it splits can be split there.
struct SinkThroughReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getX().getDefiningOp<TransposeOp>();
    if (!transpose)
      return failure();
    auto resultShape = tensorType(op.getY()).getShape();
    SqueezedTranspose squeezed(transpose);
    FailureOr<SmallVector<ReshapeGroup>> groups =
        getReshapeGroups(squeezed.to, squeeze(resultShape));
    if (failed(groups))
      return failure();

    // The groups in the order of x; each must be a run of dimensions there.
    SmallVector<std::pair<int64_t, int64_t>> order; // first dimension in x, index of the group
    int64_t begin = 0;
    for (auto [index, group] : llvm::enumerate(*groups)) {
      for (int64_t dim = begin + 1; dim < group.fromEnd; ++dim)
        if (squeezed.permutation[dim] != squeezed.permutation[dim - 1] + 1)
          return failure();
      order.push_back({squeezed.permutation[begin], index});
      begin = group.fromEnd;
    }
    llvm::sort(order);

    // The result's dimensions of each group. One of size 1 goes with what stands before it;
    // leading ones stay in front.
    SmallVector<SmallVector<int64_t>> groupDims(groups->size());
    SmallVector<int64_t> leading;
    int64_t group = -1, notOne = 0;
    for (auto [dim, size] : llvm::enumerate(resultShape)) {
      if (size != 1) {
        if (group < 0 || notOne == (*groups)[group].toEnd)
          ++group;
        ++notOne;
      }
      (group < 0 ? leading : groupDims[group]).push_back(dim);
    }
    SmallVector<int64_t> dims = leading;
    for (auto [first, index] : order)
      llvm::append_range(dims, groupDims[index]);

    Value reshaped =
        createReshape(rewriter, op.getLoc(), transpose.getX(), permute(resultShape, dims));
    rewriter.replaceOp(
        op, createTranspose(rewriter, op.getLoc(), reshaped, invertPermutationVector(dims)));
    return success();
  }
};

/// transpose(reshape(transpose(x))) = reshape(transpose(x)), where the outer transpose moves
/// what the reshape merges (the groups of a channel shuffle) as one.
struct HoistThroughReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    auto inner = reshape ? reshape.getX().getDefiningOp<TransposeOp>() : TransposeOp();
    if (!inner)
      return failure();
    auto shape = tensorType(reshape.getX()).getShape();
    SqueezedTranspose outer(op);
    FailureOr<SmallVector<ReshapeGroup>> groups = getReshapeGroups(squeeze(shape), outer.from);
    if (failed(groups))
      return failure();

    // The dimensions of the inner transpose's result: those of size 1, then all others.
    SmallVector<int64_t> notOne;
    Permutation permutation;
    for (auto [dim, size] : llvm::enumerate(shape))
      (size == 1 ? permutation : notOne).push_back(dim);
    for (size_t i = 0; i < outer.permutation.size();) {
      // The next group, whole and in order.
      const auto *group = llvm::find_if(
          *groups, [&](ReshapeGroup group) { return outer.permutation[i] < group.toEnd; });
      bool isFirst = group == groups->begin();
      int64_t to = isFirst ? 0 : group[-1].toEnd, from = isFirst ? 0 : group[-1].fromEnd;
      for (; to < group->toEnd; ++to, ++i)
        if (i == outer.permutation.size() || outer.permutation[i] != to)
          return failure();
      for (; from < group->fromEnd; ++from)
        permutation.push_back(notOne[from]);
    }
    // One transpose at once: two in front of a reshape would be moved through it again.
    Value moved = createTranspose(rewriter, op.getLoc(), inner.getX(),
                                  permute(inner.getPermutation(), permutation));
    rewriter.replaceOp(
        op, createReshape(rewriter, op.getLoc(), moved, tensorType(op.getY()).getShape()));
    return success();
  }
};

//===--- matmul takes transposes over -------------------------------------------------===//

/// Flattened channels-last images need no transpose where constant weights consume them: the
/// rows of the weights are permuted instead.
struct PermuteWeightRows : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getA().getDefiningOp<ReshapeOp>();
    auto transpose = reshape ? reshape.getX().getDefiningOp<TransposeOp>() : TransposeOp();
    auto weights = op.getB().getDefiningOp<ConstantOp>();
    auto weightsType = tensorType(op.getB());
    if (!transpose || !weights || op.getTransposeA() || weightsType.getRank() != 2)
      return failure();

    // The last dimensions of the transpose's result make up the rows; those before stay.
    SqueezedTranspose squeezed(transpose);
    int64_t depth = tensorType(op.getA()).getShape().back(), product = 1;
    size_t first = squeezed.to.size();
    while (first > 0 && product < depth)
      product *= squeezed.to[--first];
    if (product != depth)
      return failure();
    for (size_t dim = 0; dim < first; ++dim)
      if (squeezed.permutation[dim] != static_cast<int64_t>(dim))
        return failure();

    // Split the rows, bring them into the order of x, join them again.
    Location loc = op.getLoc();
    bool transposed = op.getTransposeB();
    SmallVector<int64_t> split(ArrayRef(squeezed.to).drop_front(first));
    Permutation order(split.size());
    for (auto [i, dim] : llvm::enumerate(ArrayRef(squeezed.permutation).drop_front(first)))
      order[dim - first] = i;
    int64_t columnsAt = transposed ? 0 : split.size();
    if (transposed)
      for (int64_t &dim : order)
        ++dim;
    split.insert(split.begin() + columnsAt, weightsType.getDimSize(transposed ? 0 : 1));
    order.insert(order.begin() + columnsAt, columnsAt);
    Value rows = createReshape(rewriter, loc, weights, split);
    rows = TransposeOp::create(rewriter, loc, rows, order);
    rows = createReshape(rewriter, loc, rows, weightsType.getShape());
    Value flat = createReshape(rewriter, loc, transpose.getX(), tensorType(op.getA()).getShape());
    rewriter.modifyOpInPlace(op, [&] {
      op.getAMutable().assign(flat);
      op.getBMutable().assign(rows);
    });
    return success();
  }
};

/// A transpose of the matrices of a batch is an attribute of the product.
struct FoldMatrixTranspose : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    auto isMatrixTranspose = [](TransposeOp transpose) {
      if (!transpose)
        return false;
      Permutation expected =
          llvm::to_vector(llvm::seq<int64_t>(0, transpose.getPermutation().size()));
      std::swap(expected.back(), expected[expected.size() - 2]);
      return transpose.getPermutation() == ArrayRef(expected);
    };
    auto a = op.getA().getDefiningOp<TransposeOp>(), b = op.getB().getDefiningOp<TransposeOp>();
    bool foldA = isMatrixTranspose(a), foldB = isMatrixTranspose(b);
    if (!foldA && !foldB)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (foldA) {
        op.setTransposeA(!op.getTransposeA());
        op.getAMutable().assign(a.getX());
      }
      if (foldB) {
        op.setTransposeB(!op.getTransposeB());
        op.getBMutable().assign(b.getX());
      }
    });
    return success();
  }
};

struct ChannelsLast : impl::ChannelsLastBase<ChannelsLast> {
  PassCounter numTransposes{*this, "transposes", "Transposes left"};

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<MakeChannelsLast, SinkThroughElementwise, SinkThroughPermutable, SimplifyTranspose,
            SimplifyReshape, SinkThroughReshape, HoistThroughReshape, PermuteWeightRows,
            FoldMatrixTranspose>(context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatternsGreedily(getOperation(), patterns)))
      return signalPassFailure();
    getOperation()->walk([&](TransposeOp) { ++numTransposes; });
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace mlir::ttc
