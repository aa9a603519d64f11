// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/CollectiveOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- verification -----------------------------------------------------------------===//

static LogicalResult verifyAxes(Operation *op, ArrayAttr axes) {
  DenseSet<Attribute> seen;
  for (Attribute axis : axes)
    if (!seen.insert(axis).second)
      return op->emitOpError("(C1) expected distinct axes, found ") << axis << " twice";
  if (axes.empty())
    return op->emitOpError("(C1) expected at least one axis, found none");
  return success();
}

static LogicalResult verifySameType(Operation *op) {
  if (op->getOperand(0).getType() != op->getResult(0).getType())
    return op->emitOpError("(C2) expected a result of type ")
           << op->getOperand(0).getType() << ", found " << op->getResult(0).getType();
  return success();
}

static LogicalResult verifyDimension(Operation *op, StringRef name, int64_t dimension) {
  int64_t rank = tensorType(op->getOperand(0)).getRank();
  if (dimension < 0 || dimension >= rank)
    return op->emitOpError("(C2) expected '")
           << name << "' of a dimension below " << rank << ", found " << dimension;
  return success();
}

/// Whether the types differ in `dimension` only, where `larger` has a multiple of `smaller`.
static bool isMultiple(RankedTensorType larger, RankedTensorType smaller, int64_t dimension) {
  if (larger.getRank() != smaller.getRank() || larger.getElementType() != smaller.getElementType())
    return false;
  for (int64_t i = 0; i < larger.getRank(); ++i) {
    int64_t a = larger.getDimSize(i), b = smaller.getDimSize(i);
    if (i == dimension ? b == 0 || a % b != 0 : a != b)
      return false;
  }
  return true;
}

LogicalResult AllReduceOp::verify() {
  return failed(verifyAxes(*this, getAxes())) ? failure() : verifySameType(*this);
}

LogicalResult AllGatherOp::verify() {
  if (failed(verifyAxes(*this, getAxes())) ||
      failed(verifyDimension(*this, "dimension", getDimension())))
    return failure();
  if (!isMultiple(tensorType(getY()), tensorType(getX()), getDimension()))
    return emitOpError("(C3) expected a result with a multiple of dimension ")
           << getDimension() << " of " << getX().getType() << ", found " << getY().getType();
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyAxes(*this, getAxes())) ||
      failed(verifyDimension(*this, "dimension", getDimension())))
    return failure();
  if (!isMultiple(tensorType(getX()), tensorType(getY()), getDimension()))
    return emitOpError("(C3) expected a result with a divisor of dimension ")
           << getDimension() << " of " << getX().getType() << ", found " << getY().getType();
  return success();
}

LogicalResult AllToAllOp::verify() {
  if (failed(verifyAxes(*this, getAxes())) || failed(verifyDimension(*this, "split", getSplit())) ||
      failed(verifyDimension(*this, "concat", getConcat())))
    return failure();
  auto x = tensorType(getX()), y = tensorType(getY());
  bool fits = x == y && getSplit() == getConcat();
  if (getSplit() != getConcat() && x.getRank() == y.getRank() && y.getDimSize(getSplit()) != 0) {
    int64_t parts = x.getDimSize(getSplit()) / y.getDimSize(getSplit());
    SmallVector<int64_t> shape(y.getShape());
    shape[getSplit()] *= parts;
    fits = parts > 0 && shape[getConcat()] % parts == 0;
    shape[getConcat()] /= std::max<int64_t>(parts, 1);
    fits = fits && x == y.clone(shape);
  }
  if (!fits)
    return emitOpError("(C3) expected a result with dimension ")
           << getSplit() << " of " << x << " divided and dimension " << getConcat()
           << " multiplied by one number, found " << y;
  return success();
}

LogicalResult BroadcastOp::verify() {
  if (failed(verifyAxes(*this, getAxes())) || failed(verifySameType(*this)))
    return failure();
  if (getRoot() < 0)
    return emitOpError("(C3) expected 'root' of at least 0, found ") << getRoot();
  return success();
}

LogicalResult PermuteOp::verify() {
  if (failed(verifyAxes(*this, getAxes())) || failed(verifySameType(*this)))
    return failure();
  DenseSet<int64_t> seen;
  for (int64_t source : getSources())
    if (source < 0 || !seen.insert(source).second)
      return emitOpError("(C3) expected distinct sources of at least 0, found ") << source;
  return success();
}

//===--- what is exchanged ------------------------------------------------------------===//

/// The elements before `dimension`, which divide the tensor into rows.
static int64_t getRows(RankedTensorType type, int64_t dimension) {
  return llvm::product_of(type.getShape().take_front(dimension));
}

static LogicalResult expectDevices(Operation *op, int64_t expected, int64_t devices) {
  if (expected == devices)
    return success();
  return op->emitOpError("expected types for groups of ")
         << devices << " devices, as the mesh has them along the axes, found types for "
         << expected;
}

/// Verifies a number that names a device of a group.
static LogicalResult expectMember(Operation *op, StringRef name, int64_t member, int64_t devices) {
  if (member < devices)
    return success();
  return op->emitOpError("expected '")
         << name << "' below " << devices << ", the devices of a group, found " << member;
}

static LogicalResult expectParts(Operation *op, int64_t dimension, int64_t size, int64_t devices) {
  if (size % devices == 0)
    return success();
  return op->emitOpError("expected dimension ")
         << dimension << " to divide into " << devices << " parts, found " << size;
}

FailureOr<CollectiveForm> AllReduceOp::getForm(int64_t) {
  return CollectiveForm{CollectiveKind::AllReduce, getReduction()};
}

FailureOr<CollectiveForm> AllGatherOp::getForm(int64_t devices) {
  int64_t dimension = getDimension();
  if (failed(expectDevices(*this,
                           tensorType(getY()).getDimSize(dimension) /
                               tensorType(getX()).getDimSize(dimension),
                           devices)))
    return failure();
  return CollectiveForm{CollectiveKind::AllGather, Reduction::Sum,
                        getRows(tensorType(getX()), dimension)};
}

FailureOr<CollectiveForm> ReduceScatterOp::getForm(int64_t devices) {
  int64_t dimension = getDimension();
  if (failed(expectDevices(*this,
                           tensorType(getX()).getDimSize(dimension) /
                               tensorType(getY()).getDimSize(dimension),
                           devices)))
    return failure();
  return CollectiveForm{CollectiveKind::ReduceScatter, getReduction(),
                        getRows(tensorType(getX()), dimension)};
}

FailureOr<CollectiveForm> AllToAllOp::getForm(int64_t devices) {
  int64_t size = tensorType(getX()).getDimSize(getSplit());
  if (getSplit() == getConcat()) {
    if (failed(expectParts(*this, getSplit(), size, devices)))
      return failure();
    return CollectiveForm{CollectiveKind::AllToAll, Reduction::Sum,
                          getRows(tensorType(getX()), getSplit())};
  }
  if (failed(expectDevices(*this, size / tensorType(getY()).getDimSize(getSplit()), devices)))
    return failure();
  CollectiveForm form{CollectiveKind::AllToAll, Reduction::Sum};
  form.splitAndConcat = {int64_t(getSplit()), int64_t(getConcat())};
  return form;
}

FailureOr<CollectiveForm> BroadcastOp::getForm(int64_t devices) {
  if (failed(expectMember(*this, "root", getRoot(), devices)))
    return failure();
  CollectiveForm form{CollectiveKind::Broadcast, Reduction::Sum};
  form.root = getRoot();
  return form;
}

FailureOr<CollectiveForm> PermuteOp::getForm(int64_t devices) {
  if (failed(expectDevices(*this, getSources().size(), devices)))
    return failure();
  for (int64_t source : getSources())
    if (failed(expectMember(*this, "sources", source, devices)))
      return failure();
  CollectiveForm form{CollectiveKind::Permute, Reduction::Sum};
  form.sources = getSources();
  return form;
}

//===--- unrolling --------------------------------------------------------------------===//

Value mlir::ttc::slicePart(OpBuilder &builder, Value value, int64_t dim, int64_t part,
                           int64_t parts) {
  SmallVector<int64_t> sizes(tensorType(value).getShape()), starts(sizes.size()),
      steps(sizes.size(), 1);
  sizes[dim] /= parts;
  starts[dim] = part * sizes[dim];
  return SliceOp::create(builder, value.getLoc(), value, starts, sizes, steps);
}

Value mlir::ttc::concatParts(OpBuilder &builder, ValueRange values, int64_t dim) {
  return values.size() == 1 ? values.front()
                            : ConcatOp::create(builder, values.front().getLoc(), values, dim);
}

static Value combine(OpBuilder &builder, ValueRange values, Reduction reduction) {
  Value result = values.front();
  for (Value value : values.drop_front()) {
    Location loc = value.getLoc();
    Type type = value.getType();
    if (reduction == Reduction::Max)
      result = MaxOp::create(builder, loc, type, result, value);
    else if (reduction == Reduction::Min)
      result = MinOp::create(builder, loc, type, result, value);
    else
      result = AddOp::create(builder, loc, type, result, value);
  }
  return result;
}

Value AllReduceOp::unroll(OpBuilder &builder, ValueRange operands, int64_t) {
  return combine(builder, operands, getReduction());
}
Value AllGatherOp::unroll(OpBuilder &builder, ValueRange operands, int64_t) {
  return concatParts(builder, operands, getDimension());
}
Value ReduceScatterOp::unroll(OpBuilder &builder, ValueRange operands, int64_t place) {
  Value sum = combine(builder, operands, getReduction());
  return slicePart(builder, sum, getDimension(), place, operands.size());
}
Value AllToAllOp::unroll(OpBuilder &builder, ValueRange operands, int64_t place) {
  SmallVector<Value> parts;
  for (Value operand : operands)
    parts.push_back(slicePart(builder, operand, getSplit(), place, operands.size()));
  return concatParts(builder, parts, getConcat());
}
Value BroadcastOp::unroll(OpBuilder &, ValueRange operands, int64_t) { return operands[getRoot()]; }
Value PermuteOp::unroll(OpBuilder &, ValueRange operands, int64_t place) {
  return operands[getSources()[place]];
}

//===--- folds ------------------------------------------------------------------------===//

/// A collective that moves values gives a splat constant, which is the same on all devices, back.
static OpFoldResult foldSplat(Attribute operand, Type result) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(operand);
  return splat ? OpFoldResult(splat.resizeSplat(cast<ShapedType>(result))) : OpFoldResult();
}

OpFoldResult AllReduceOp::fold(FoldAdaptor adaptor) {
  // The maximum of equal numbers is each of them; their sum depends on how many there are.
  if (getReduction() != Reduction::Sum && !isa_and_present<ShardsAttr>(adaptor.getX()) &&
      adaptor.getX())
    return adaptor.getX();
  return {};
}
OpFoldResult AllGatherOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getX(), getY().getType());
}
OpFoldResult ReduceScatterOp::fold(FoldAdaptor) { return {}; }
OpFoldResult AllToAllOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getX(), getY().getType());
}
OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getX(), getY().getType());
}
OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  bool isIdentity = true;
  for (auto [i, source] : llvm::enumerate(getSources()))
    isIdentity &= source == static_cast<int64_t>(i);
  return isIdentity ? OpFoldResult(getX()) : foldSplat(adaptor.getX(), getY().getType());
}

//===--- canonical forms --------------------------------------------------------------===//

namespace {

/// Parts of a sum that are gathered again are the sum.
struct GatherOfReduceScatter : OpRewritePattern<AllGatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllGatherOp op, PatternRewriter &rewriter) const override {
    auto scatter = op.getX().getDefiningOp<ReduceScatterOp>();
    if (!scatter || scatter.getAxes() != op.getAxes() ||
        scatter.getDimension() != op.getDimension() ||
        scatter.getX().getType() != op.getY().getType() || !scatter->hasOneUse())
      return failure();
    rewriter.replaceOpWithNewOp<AllReduceOp>(op, op.getType(), scatter.getX(), op.getAxes(),
                                             scatter.getReduction());
    return success();
  }
};

/// The sum of two sums over the same devices is one sum of what each device adds up before: half
/// the bytes.
struct SumOfAllReduces : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    auto a = op.getA().getDefiningOp<AllReduceOp>(), b = op.getB().getDefiningOp<AllReduceOp>();
    if (!a || !b || a == b || a.getAxes() != b.getAxes() || a.getType() != b.getType() ||
        a.getReduction() != Reduction::Sum || b.getReduction() != Reduction::Sum ||
        !a->hasOneUse() || !b->hasOneUse())
      return failure();
    Value sum = AddOp::create(rewriter, op.getLoc(), op.getType(), a.getX(), b.getX());
    rewriter.replaceOpWithNewOp<AllReduceOp>(op, op.getType(), sum, a.getAxes(), Reduction::Sum);
    return success();
  }
};

/// If only a part of a reduction is needed, only that part is exchanged.
struct SliceOfAllReduce : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto all = op.getX().getDefiningOp<AllReduceOp>();
    if (!all || !all->hasOneUse() || tensorType(op.getY()).getNumElements() == 0)
      return failure();
    Value part = SliceOp::create(rewriter, op.getLoc(), op.getType(), all.getX(), op.getStarts(),
                                 op.getSizes(), op.getSteps());
    rewriter.replaceOpWithNewOp<AllReduceOp>(op, op.getType(), part, all.getAxes(),
                                             all.getReduction());
    return success();
  }
};

/// If only a part of a gathered tensor is needed along other dimensions, only that part is
/// exchanged.
struct SliceOfAllGather : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto all = op.getX().getDefiningOp<AllGatherOp>();
    if (!all || !all->hasOneUse() || tensorType(op.getY()).getNumElements() == 0)
      return failure();
    const int64_t dimension = all.getDimension();
    SmallVector<int64_t> sizes(op.getSizes());
    if (sizes[dimension] != tensorType(all.getY()).getDimSize(dimension) ||
        op.getSteps()[dimension] != 1)
      return failure();
    sizes[dimension] = tensorType(all.getX()).getDimSize(dimension);
    Value part = SliceOp::create(rewriter, op.getLoc(), tensorType(op.getY()).clone(sizes),
                                 all.getX(), op.getStarts(), sizes, op.getSteps());
    rewriter.replaceOpWithNewOp<AllGatherOp>(op, op.getType(), part, all.getAxes(),
                                             all.getDimension());
    return success();
  }
};

/// A device that sends what it has just received: one permutation.
struct PermuteOfPermute : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteOp op, PatternRewriter &rewriter) const override {
    auto first = op.getX().getDefiningOp<PermuteOp>();
    if (!first || first.getAxes() != op.getAxes() || !first->hasOneUse() ||
        first.getSources().size() != op.getSources().size())
      return failure();
    SmallVector<int64_t> sources;
    for (int64_t source : op.getSources()) {
      if (source >= static_cast<int64_t>(first.getSources().size()))
        return failure();
      sources.push_back(first.getSources()[source]);
    }
    rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), first.getX(), op.getAxes(), sources);
    return success();
  }
};

} // namespace

void AllReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SumOfAllReduces, SliceOfAllReduce>(context);
}
void AllGatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<GatherOfReduceScatter, SliceOfAllGather>(context);
}
void ReduceScatterOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void AllToAllOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}
void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<PermuteOfPermute>(context);
}
