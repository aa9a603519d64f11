// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What moves a state as a whole, in every run, becomes work on what a step adds to it.
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "lib/Transforms/Programs/Layouts/TransposeUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Support/PassCounter.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_KEEPSTATESINPLACE
#include "ttc/Transforms/Passes.h.inc"

namespace {

//===--- what comes from a state --------------------------------------------------------===//

/// A constant with one element.
bool isNumber(Value value) {
  return tensorType(value).getNumElements() == 1 && matchPattern(value, m_Constant());
}

/// The operand of a product with one number that has the result's type, and the number.
std::optional<std::pair<Value, Value>> getScaled(Value value) {
  auto mul = value.getDefiningOp<MulOp>();
  for (unsigned at : {0u, 1u})
    if (mul && mul->getOperand(at).getType() == mul.getType() && isNumber(mul->getOperand(1 - at)))
      return std::pair(mul->getOperand(at), mul->getOperand(1 - at));
  return std::nullopt;
}

/// Whether the op gives all elements of its one operand, perhaps several times.
bool isArrangement(Operation *op) { return isa_and_present<ReshapeOp, TransposeOp, ExpandOp>(op); }

/// Whether the value is a state: before or after updates, in any arrangement.
bool isFromState(Value value) {
  SmallVector<Value> candidates{value};
  DenseSet<Value> seen;
  while (!candidates.empty()) {
    value = candidates.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      if (function && function.getArgAttr(argument.getArgNumber(), kStateAttrName))
        return true;
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isArrangement(op) || isa<ScatterNdOp, ScatterElementsOp>(op))
      candidates.push_back(op->getOperand(0));
    else if (isa<ElementwiseOpInterface>(op)) // such as a choice between old and new elements
      llvm::copy_if(op->getOperands(), std::back_inserter(candidates),
                    [&](Value operand) { return operand.getType() == value.getType(); });
  }
  return false;
}

struct CountingPattern {
  explicit CountingPattern(PassCounter &count) : count(count) {}
  PassCounter &count;
};

//===--- updates ----------------------------------------------------------------------===//

/// The columns of vectors of indices into the first dimensions of a state, for vectors into a
/// transpose of it. New dimensions, after those of the vectors, walk the dimensions that the
/// vectors leave.
struct StateIndices {
  SmallVector<int64_t> walked; ///< of the state
  Value vectors;
};

StateIndices createStateIndices(OpBuilder &builder, Location loc, Value indices,
                                ArrayRef<int64_t> permutation, ArrayRef<int64_t> shape) {
  auto type = tensorType(indices);
  const int64_t length = type.getShape().back(), outer = type.getRank() - 1;
  ArrayRef<int64_t> indexed = permutation.take_front(length);
  const int64_t prefix = *llvm::max_element(indexed) + 1;
  StateIndices result;
  for (int64_t dim = 0; dim < prefix; ++dim)
    if (!llvm::is_contained(indexed, dim))
      result.walked.push_back(dim);
  SmallVector<int64_t> grid(type.getShape().drop_back());
  for (int64_t dim : result.walked)
    grid.push_back(shape[dim]);
  grid.push_back(1);
  SmallVector<Value> columns;
  for (int64_t dim = 0; dim < prefix; ++dim) {
    Value column;
    SmallVector<int64_t> ones(grid.size(), 1);
    if (auto *at = llvm::find(result.walked, dim); at != result.walked.end()) {
      const int64_t size = shape[dim];
      ones[outer + (at - result.walked.begin())] = size;
      auto numbers = RankedTensorType::get(ones, type.getElementType());
      const unsigned width = type.getElementTypeBitWidth();
      column = ConstantOp::create(
          builder, loc,
          DenseIntElementsAttr::get(numbers, llvm::map_to_vector(llvm::seq(size), [&](int64_t i) {
                                      return APInt(width, i);
                                    })));
    } else {
      SmallVector<int64_t> starts(outer + 1, 0), sizes(type.getShape()), steps(outer + 1, 1);
      starts[outer] = llvm::find(indexed, dim) - indexed.begin();
      sizes[outer] = 1;
      column = indices;
      if (length > 1)
        column = SliceOp::create(builder, loc, indices, starts, sizes, steps);
      llvm::copy(ArrayRef(sizes).drop_back(), ones.begin());
      column = createReshape(builder, loc, column, ones);
    }
    if (ones != grid)
      column = ExpandOp::create(builder, loc, column, grid);
    columns.push_back(column);
  }
  const auto axis = static_cast<int64_t>(grid.size()) - 1;
  grid.back() = prefix;
  result.vectors = columns.size() == 1
                       ? columns[0]
                       : ConcatOp::create(builder, loc, type.clone(grid), columns, axis).getY();
  return result;
}

/// The transpose that makes a transposed state; null for others.
TransposeOp getTransposedState(Value data) {
  auto transpose = data.getDefiningOp<TransposeOp>();
  return transpose && isFromState(transpose.getX()) ? transpose : TransposeOp();
}

/// Slices of a transposed state are written where the state has them.
struct ScatterNdIntoState : OpRewritePattern<ScatterNdOp>, CountingPattern {
  ScatterNdIntoState(MLIRContext *context, PassCounter &count)
      : OpRewritePattern(context), CountingPattern(count) {}

  LogicalResult matchAndRewrite(ScatterNdOp op, PatternRewriter &rewriter) const override {
    TransposeOp transpose = getTransposedState(op.getData());
    if (!transpose || tensorType(op.getUpdates()).getNumElements() == 0)
      return failure();
    Location loc = op.getLoc();
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    auto state = tensorType(transpose.getX());
    const int64_t length = tensorType(op.getIndices()).getShape().back();
    const int64_t outer = tensorType(op.getIndices()).getRank() - 1;
    // The verifier's limit, of vectors of indices.
    if (*llvm::max_element(permutation.take_front(length)) >= 8)
      return failure();
    StateIndices indices =
        createStateIndices(rewriter, loc, op.getIndices(), permutation, state.getShape());
    // Slices lose the dimensions that are walked, and have the others in the state's order.
    Permutation order = llvm::to_vector(llvm::seq<int64_t>(0, outer));
    ArrayRef<int64_t> sliced = permutation.drop_front(length);
    auto place = [&](int64_t dim) {
      order.push_back(outer + (llvm::find(sliced, dim) - sliced.begin()));
    };
    llvm::for_each(indices.walked, place);
    for (int64_t dim = tensorType(indices.vectors).getShape().back(); dim < state.getRank(); ++dim)
      place(dim);
    Value updates = createTranspose(rewriter, loc, op.getUpdates(), order);
    Value updated = ScatterNdOp::create(rewriter, loc, state, transpose.getX(), indices.vectors,
                                        updates, op.getReduction());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, updated, permutation);
    ++count;
    return success();
  }
};

struct ScatterElementsIntoState : OpRewritePattern<ScatterElementsOp>, CountingPattern {
  ScatterElementsIntoState(MLIRContext *context, PassCounter &count)
      : OpRewritePattern(context), CountingPattern(count) {}

  LogicalResult matchAndRewrite(ScatterElementsOp op, PatternRewriter &rewriter) const override {
    TransposeOp transpose = getTransposedState(op.getData());
    if (!transpose)
      return failure();
    Location loc = op.getLoc();
    Permutation inverse = invertPermutationVector(transpose.getPermutation());
    Value indices = createTranspose(rewriter, loc, op.getIndices(), inverse);
    Value updates = createTranspose(rewriter, loc, op.getUpdates(), inverse);
    Value updated = ScatterElementsOp::create(
        rewriter, loc, transpose.getX().getType(), transpose.getX(), indices, updates,
        transpose.getPermutation()[op.getAxis()], op.getReduction());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, updated, transpose.getPermutation());
    ++count;
    return success();
  }
};

//===--- scales -----------------------------------------------------------------------===//

/// `a x (number * state)` scales `a`, which is smaller.
struct ScaleOtherFactor : OpRewritePattern<MatmulOp>, CountingPattern {
  ScaleOtherFactor(MLIRContext *context, PassCounter &count)
      : OpRewritePattern(context), CountingPattern(count) {}

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    SmallVector<Operation *> arrangement;
    Value value = op.getB();
    for (; isArrangement(value.getDefiningOp()); value = arrangement.back()->getOperand(0))
      arrangement.push_back(value.getDefiningOp());
    auto scaled = getScaled(value);
    auto a = tensorType(op.getA()), b = tensorType(value);
    if (!scaled || !isa<FloatType>(b.getElementType()) ||
        a.getNumElements() >= b.getNumElements() || !isFromState(scaled->first))
      return failure();
    value = scaled->first;
    for (Operation *moved : llvm::reverse(arrangement)) {
      Operation *clone = rewriter.clone(*moved);
      clone->setOperand(0, value);
      value = clone->getResult(0);
    }
    Value number = createReshape(rewriter, op.getLoc(), scaled->second, {});
    Value other = MulOp::create(rewriter, op.getLoc(), a, op.getA(), number);
    rewriter.modifyOpInPlace(op, [&] {
      op.getAMutable().assign(other);
      op.getBMutable().assign(value);
    });
    ++count;
    return success();
  }
};

//===--- repeated heads ---------------------------------------------------------------===//

/// A value with heads that are repeated for groups of queries: dimension `heads` of the value has
/// each of the heads of `x` `repeats` times, and its other dimensions are those of `x`.
struct RepeatedHeads {
  Value x; ///< the expand's operand, with a dimension of size 1 where it repeats
  int64_t repeats = 1, heads = -1;
  /// For each dimension of the value, dimensions of `x` of more than one element.
  SmallVector<SmallVector<int64_t>> dims;
};

/// Regroups the dimensions of a reshape's operand; fails if it cuts one into parts.
FailureOr<SmallVector<SmallVector<int64_t>>>
regroup(ArrayRef<SmallVector<int64_t>> dims, ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> atoms;
  for (const SmallVector<int64_t> &dim : dims)
    llvm::append_range(atoms, dim);
  ArrayRef<int64_t> rest = atoms;
  SmallVector<SmallVector<int64_t>> result;
  for (int64_t size : shape) {
    SmallVector<int64_t> &dim = result.emplace_back();
    for (int64_t product = 1; product < size; rest = rest.drop_front()) {
      if (rest.empty())
        return failure();
      dim.push_back(rest.front());
      product *= sizes[rest.front()];
      if (product > size)
        return failure();
    }
  }
  if (!rest.empty())
    return failure();
  return result;
}

std::optional<RepeatedHeads> getRepeatedHeads(Value value) {
  SmallVector<Operation *> arrangement;
  while (isa_and_present<ReshapeOp, TransposeOp>(value.getDefiningOp())) {
    arrangement.push_back(value.getDefiningOp());
    value = arrangement.back()->getOperand(0);
  }
  auto expand = value.getDefiningOp<ExpandOp>();
  if (!expand || !isFromState(expand.getX()))
    return std::nullopt;
  ArrayRef<int64_t> from = tensorType(expand.getX()).getShape();
  ArrayRef<int64_t> sizes = tensorType(value).getShape();
  if (from.size() != sizes.size() || llvm::is_contained(sizes, 0))
    return std::nullopt;
  RepeatedHeads heads;
  heads.x = expand.getX();
  int64_t repeated = -1;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    SmallVector<int64_t> &atoms = heads.dims.emplace_back();
    if (size != 1)
      atoms.push_back(dim);
    if (from[dim] == size)
      continue;
    if (repeated >= 0)
      return std::nullopt;
    repeated = dim;
    heads.repeats = size;
  }
  if (repeated < 0)
    return std::nullopt;
  for (Operation *op : llvm::reverse(arrangement)) {
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      heads.dims = llvm::map_to_vector(transpose.getPermutation(),
                                       [&](int64_t dim) { return heads.dims[dim]; });
      continue;
    }
    auto dims = regroup(heads.dims, sizes, tensorType(op->getResult(0)).getShape());
    if (failed(dims))
      return std::nullopt;
    heads.dims = *dims;
  }
  for (auto [at, atoms] : llvm::enumerate(heads.dims))
    if (llvm::is_contained(atoms, repeated)) {
      // Queries of a group are beside each other: the repeats come last.
      if (atoms.size() > 2 || atoms.back() != repeated)
        return std::nullopt;
      heads.heads = at;
      atoms.pop_back();
    }
  return heads;
}

/// A shape with the heads split into groups and the queries of each. If there is one row for each
/// head, the queries of a group are its rows: no dimension is added.
SmallVector<int64_t> splitHeads(ArrayRef<int64_t> shape, int64_t heads, int64_t repeats,
                                bool isRow) {
  SmallVector<int64_t> result(shape);
  result[heads] /= repeats;
  if (isRow)
    result[heads + 1] = repeats;
  else
    result.insert(result.begin() + heads + 1, repeats);
  return result;
}

/// The heads as the state has them, each for a group of queries.
Value createHeads(OpBuilder &builder, Location loc, const RepeatedHeads &heads,
                  ArrayRef<int64_t> shape, bool isRow) {
  // The dimensions of more than one element.
  SmallVector<int64_t> atoms, kept;
  for (const SmallVector<int64_t> &dim : heads.dims)
    llvm::append_range(atoms, dim);
  SmallVector<int64_t> sorted(atoms);
  llvm::sort(sorted);
  for (int64_t dim : sorted)
    kept.push_back(tensorType(heads.x).getDimSize(dim));
  Permutation order = llvm::map_to_vector(
      atoms, [&](int64_t dim) -> int64_t { return llvm::find(sorted, dim) - sorted.begin(); });
  Value x = createReshape(builder, loc, heads.x, kept);
  SmallVector<int64_t> split(shape);
  split[heads.heads] /= heads.repeats;
  if (!isRow)
    split.insert(split.begin() + heads.heads + 1, 1);
  return createReshape(builder, loc, createTranspose(builder, loc, x, order), split);
}

/// An attention of queries in groups: both products read the state's own heads. What is between
/// them treats all heads alike.
struct GroupQueries : OpRewritePattern<MatmulOp>, CountingPattern {
  GroupQueries(MLIRContext *context, PassCounter &count)
      : OpRewritePattern(context), CountingPattern(count) {}

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    std::optional<RepeatedHeads> keys = getRepeatedHeads(op.getB());
    if (!keys || !isOverHeads(op, *keys))
      return failure();
    auto scores = tensorType(op.getY());
    SmallVector<Operation *> between;
    MatmulOp last = findSecondProduct(op, keys->heads, between);
    if (!last)
      return failure();
    std::optional<RepeatedHeads> values = getRepeatedHeads(last.getB());
    if (!values || values->heads != keys->heads || values->repeats != keys->repeats ||
        !isOverHeads(last, *values))
      return failure();

    const int64_t at = keys->heads;
    const bool isRow = at + 1 == scores.getRank() - 2 && scores.getDimSize(at + 1) == 1;
    auto split = [&](ArrayRef<int64_t> shape) {
      return splitHeads(shape, at, keys->repeats, isRow);
    };
    IRMapping mapping;
    auto multiply = [&](MatmulOp product, Value a, const RepeatedHeads &heads) {
      Location loc = product.getLoc();
      Value b = createHeads(rewriter, loc, heads, tensorType(product.getB()).getShape(), isRow);
      auto type = tensorType(product.getY());
      return MatmulOp::create(rewriter, loc, type.clone(split(type.getShape())), a, b,
                              /*bias=*/Value(), /*transpose_a=*/false, product.getTransposeB())
          .getY();
    };
    rewriter.setInsertionPoint(op);
    Value a =
        createReshape(rewriter, op.getLoc(), op.getA(), split(tensorType(op.getA()).getShape()));
    mapping.map(op.getY(), multiply(op, a, *keys));
    for (Operation *old : between) {
      rewriter.setInsertionPoint(old);
      for (Value operand : old->getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand,
                      createOperand(rewriter, old->getLoc(), operand, scores.getRank(), at, isRow));
      Operation *clone = rewriter.clone(*old, mapping);
      auto type = tensorType(old->getResult(0));
      clone->getResult(0).setType(type.clone(split(type.getShape())));
      if (auto softmax = dyn_cast<SoftmaxOp>(clone))
        softmax.setAxis(tensorType(softmax.getX()).getRank() - 1);
    }
    rewriter.setInsertionPoint(last);
    Value y = multiply(last, mapping.lookup(last.getA()), *values);
    rewriter.replaceOp(
        last, createReshape(rewriter, last.getLoc(), y, tensorType(last.getY()).getShape()));
    ++count;
    return success();
  }

private:
  /// Whether the heads are a batch dimension of both factors, and no other one broadcasts.
  static bool isOverHeads(MatmulOp op, const RepeatedHeads &heads) {
    auto a = tensorType(op.getA()), b = tensorType(op.getB());
    const int64_t batch = a.getRank() - 2;
    return !op.getBias() && !op.getTransposeA() && a.getRank() == b.getRank() &&
           heads.heads < batch &&
           a.getShape().take_front(batch) == b.getShape().take_front(batch) &&
           a.getNumElements() > 0;
  }

  /// The product whose first factor the scores become, by ops that treat all heads alike; these in
  /// order.
  static MatmulOp findSecondProduct(MatmulOp op, int64_t heads,
                                    SmallVectorImpl<Operation *> &between) {
    auto scores = tensorType(op.getY());
    DenseSet<Value> known{op.getY()};
    MatmulOp last;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
      if (llvm::none_of(next->getOperands(),
                        [&](Value operand) { return known.contains(operand); }))
        continue;
      if (auto product = dyn_cast<MatmulOp>(next)) {
        if (last || known.contains(product.getB()))
          return {};
        last = product;
        continue;
      }
      auto softmax = dyn_cast<SoftmaxOp>(next);
      if (next->getNumResults() != 1 || (!softmax && !isa<ElementwiseOpInterface>(next)) ||
          (softmax && softmax.getAxis() != scores.getRank() - 1) ||
          tensorType(next->getResult(0)).getShape() != scores.getShape())
        return {};
      for (Value operand : next->getOperands()) {
        auto type = tensorType(operand);
        const int64_t at = type.getRank() - (scores.getRank() - heads);
        if (!known.contains(operand) && (at > heads || (at >= 0 && type.getDimSize(at) != 1)))
          return {};
      }
      known.insert(next->getResult(0));
      between.push_back(next);
    }
    return last;
  }

  /// An operand that is the same for all heads, for ops on scores in groups.
  static Value createOperand(OpBuilder &builder, Location loc, Value operand, int64_t rank,
                             int64_t heads, bool isRow) {
    auto type = tensorType(operand);
    const int64_t at = type.getRank() - (rank - heads);
    if (isRow || at < 0)
      return operand;
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + at, 1);
    return createReshape(builder, loc, operand, shape);
  }
};

struct KeepStatesInPlace : impl::KeepStatesInPlaceBase<KeepStatesInPlace> {
  PassCounter numScatters{*this, "scatters", "Scatters into states that were transposed"};
  PassCounter numScales{*this, "scales",
                        "Scales of states that became scales of the other operand"};
  PassCounter numGrouped{*this, "grouped", "Attentions whose heads are no longer repeated"};

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (llvm::none_of(llvm::seq(function.getNumArguments()),
                        [&](unsigned i) { return function.getArgAttr(i, kStateAttrName); }))
        continue;
      RewritePatternSet patterns(&getContext());
      patterns.add<ScatterNdIntoState, ScatterElementsIntoState>(&getContext(), numScatters);
      patterns.add<ScaleOtherFactor>(&getContext(), numScales);
      patterns.add<GroupQueries>(&getContext(), numGrouped);
      // One transpose of a transpose is the state as it is.
      TransposeOp::getCanonicalizationPatterns(patterns, &getContext());
      if (failed(applyPatternsGreedily(function, std::move(patterns))))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace mlir::ttc
