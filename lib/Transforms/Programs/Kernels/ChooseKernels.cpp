// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ChooseBlockKernels.h"
#include "ChooseCacheKernels.h"
#include "ChooseIntKernels.h"
#include "SplitDeepProducts.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/Programs/WinogradOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "kernels/Budgets.h"
#include "kernels/WinogradPoints.h"
#include "lib/Transforms/Programs/Layouts/TransposeUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Analysis/GemmPlan.h"
#include "ttc/Analysis/SharedWeights.h"
#include "ttc/Analysis/Tuning.h"
#include "ttc/Analysis/WinogradPlan.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_CHOOSEKERNELS
#include "ttc/Transforms/Passes.h.inc"

namespace {

bool isF32(Value value) { return tensorType(value).getElementType().isF32(); }

SmallVector<int64_t> getSpatial(ArrayRef<int64_t> shape) {
  return SmallVector<int64_t>(shape.drop_front(1).drop_back(1));
}

/// How ops are computed, decided before any op is replaced: those that share weights with other
/// functions are decided together.
class Choices {
public:
  Choices(ModuleOp module, int64_t vectorLength, KernelGoals goals)
      : vectorLength(vectorLength), goals(goals), constants(module) {
    for (const SmallVector<Operation *> &ops : getSharingOps(module)) {
      int64_t rows = 0;
      for (Operation *op : ops)
        rows = std::max(rows, getRowsOfWeights(op));
      for (Operation *op : ops)
        mostRows[op] = rows;
      if (llvm::all_of(ops, hasKernelChoice))
        decide(ops);
    }
    numShared = shared.size();
  }

  KernelChoiceAttr get(Operation *op) const {
    auto its = shared.find(op);
    return its != shared.end()
               ? its->second
               : getKernelChoices(op, vectorLength, goals, constants.get(op)).front();
  }

  /// The tile of a product of integers with this number of columns.
  GemmTile getIntTile(Operation *op, int64_t columns) const {
    auto its = mostRows.find(op);
    return chooseGemmTile(vectorLength, its != mostRows.end() ? its->second : getRowsOfWeights(op),
                          columns, goals.compact);
  }

  /// Whether a product's constant matrix is stored in panels.
  bool isPacked(Value b) const { return isPacked(b, goals.compact); }
  static bool isPacked(Value b, bool compact) {
    return isPackedAhead(b) && !(compact && isAlsoRead(b));
  }

  int64_t numShared = 0; ///< ops that were decided with others

private:
  void decide(ArrayRef<Operation *> ops) {
    auto bytes = llvm::map_to_vector(ops, [&](Operation *op) { return constants.get(op); });
    for (auto [op, choice] :
         llvm::zip_equal(ops, getKernelChoices(ops, vectorLength, goals, bytes)))
      shared[op] = choice;
  }

  int64_t vectorLength;
  KernelGoals goals;
  ConstantBytes constants;
  DenseMap<Operation *, KernelChoiceAttr> shared;
  DenseMap<Operation *, int64_t> mostRows;
};

template <typename OpTy> struct KernelPattern : OpRewritePattern<OpTy> {
  KernelPattern(MLIRContext *context, const Choices &choices, PatternBenefit benefit = 1)
      : OpRewritePattern<OpTy>(context, benefit), choices(choices) {}

  KernelChoiceAttr getChoice(OpTy op) const { return choices.get(op); }

  const Choices &choices;
};

/// The kernels have no bias of their own: it is the first op of the epilogue.
Value addBias(OpBuilder &builder, Location loc, Value result, Value bias) {
  return bias ? AddOp::create(builder, loc, result, bias).getResult() : result;
}

/// A value as a strided view of another, through transposes, slices and reshapes.
struct ViewedValue {
  Value source;
  ViewAttr view;
};

/// With `ofConstants`, also of a constant, whose transpose is else evaluated.
ViewedValue getView(Value value, bool ofConstants = false) {
  ViewedValue identity{value, ViewAttr::getIdentity(tensorType(value))};
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<TransposeOp, SliceOp, ReshapeOp>(op) ||
      (!ofConstants && isConstantExpression(value)))
    return identity;
  auto [source, view] = getView(op->getOperand(0), ofConstants);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    view = view.transposed(transpose.getPermutation());
  else if (auto slice = dyn_cast<SliceOp>(op))
    view = view.sliced(slice.getStarts(), slice.getSizes(), slice.getSteps());
  else
    view = view.reshaped(tensorType(value).getShape());
  // If no strides express the view, the op must move its elements.
  return view ? ViewedValue{source, view} : identity;
}

//===--- convolutions -----------------------------------------------------------------===//

/// Whether runs have as many images as they want. An op that transforms images does so with all of
/// the bucket.
bool hasOpenBatch(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  if (!function || !function->hasAttr(kVariantAttrName))
    return false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto dims = function.getArgAttrOfType<AffineMapAttr>(i, kDimsAttrName);
    if (dims && dims.getValue().getNumResults() > 0 &&
        !isa<AffineConstantExpr>(dims.getValue().getResult(0)))
      return true;
  }
  return false;
}

/// Convolutions that Winograd's algorithm is faster for.
struct ConvToWinograd : KernelPattern<ConvOp> {
  using KernelPattern::KernelPattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    if (!hasKernelChoice(op))
      return failure();
    KernelChoiceAttr choice = getChoice(op);
    if (choice.getMethod() == KernelMethod::direct)
      return failure();
    const int64_t outputs = choice.getOutputs();
    Location loc = op.getLoc();
    auto type = tensorType(op.getY());
    const WinogradShape shape = *getWinogradShape(op);
    SmallVector<int64_t> pads(2 * (type.getRank() - 2));
    if (!op.getPads().empty())
      pads.assign(op.getPads().begin(), op.getPads().end());
    IntegerAttr line = shape.line ? rewriter.getI64IntegerAttr(*shape.line) : IntegerAttr();
    auto padsAttr = rewriter.getDenseI64ArrayAttr(pads);
    Value packed = PackWinogradOp::create(rewriter, loc, op.getW(), outputs, op.getGroups(),
                                          choice.getTile()[1]);
    Value x = op.getX();
    if (choice.getMethod() == KernelMethod::winograd_transformed && !hasOpenBatch(op)) {
      auto transformed = KernelWinogradConvOp::getTransformedType(
          type, tensorType(x).getShape().back(), outputs, shape.taps, shape.line, shape.dilation,
          shape.frames);
      x = KernelWinogradInputOp::create(rewriter, loc, transformed, x, /*valid=*/ValueRange(),
                                        outputs, shape.taps, padsAttr, line, shape.dilation);
    }
    Value result = KernelWinogradConvOp::create(
        rewriter, loc, type, x, packed, /*valid=*/ValueRange(), outputs, shape.taps, padsAttr,
        rewriter.getDenseI64ArrayAttr(choice.getTile()), op.getGroups(), shape.frames, line,
        shape.dilation);
    rewriter.replaceOp(op, addBias(rewriter, loc, result, op.getBias()));
    return success();
  }
};

struct ConvToKernel : KernelPattern<ConvOp> {
  using KernelPattern::KernelPattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    if (!op.getChannelsLast() || !isF32(op.getX()))
      return failure();
    Location loc = op.getLoc();
    auto type = tensorType(op.getY());
    auto weights = tensorType(op.getW()).getShape();
    auto kernel = weights.drop_front(2);
    int64_t groups = op.getGroups(), channels = tensorType(op.getX()).getShape().back();
    Value result;
    if (groups == channels && weights[0] == channels && groups > 1) {
      Value packed = PackOp::create(rewriter, loc, op.getW(), PackKind::depthwise, 1, 1);
      result = KernelDepthwiseConvOp::create(
          rewriter, loc, type, op.getX(), packed, /*valid=*/ValueRange(),
          rewriter.getDenseI64ArrayAttr(kernel), op.getStridesAttr(), op.getPadsAttr(),
          op.getDilationsAttr());
    } else {
      ArrayRef<int64_t> tile = getChoice(op).getTile();
      // A shuffle of the channels is read, not made, and so are planes of few channels.
      std::optional<ChannelShuffle> shuffle;
      if (tile[1] != 1)
        shuffle = getChannelShuffle(op.getX());
      ViewedValue x{shuffle ? shuffle->x : op.getX(), {}};
      if (std::optional<ViewedValue> planes = getPlanes(op))
        x = *planes;
      Value packed = PackOp::create(rewriter, loc, op.getW(), PackKind::conv, groups, tile[1]);
      result = KernelGemmOp::create(rewriter, loc, type, x.source, packed, /*valid=*/ValueRange(),
                                    rewriter.getDenseI64ArrayAttr(tile),
                                    /*packed=*/true, rewriter.getDenseI64ArrayAttr(kernel),
                                    op.getStridesAttr(), op.getPadsAttr(), op.getDilationsAttr(),
                                    /*input_dilation=*/nullptr, groups,
                                    shuffle ? rewriter.getI64IntegerAttr(shuffle->groups) : nullptr,
                                    /*a_view=*/x.view, /*b_view=*/nullptr, /*result_view=*/nullptr,
                                    /*plan=*/nullptr);
    }
    rewriter.replaceOp(op, addBias(rewriter, loc, result, op.getBias()));
    return success();
  }

private:
  /// The image, if its channels lie in planes, and are so few that the kernel copies its lines
  /// anyway: it interleaves them then, and the whole image need not be transposed before.
  static std::optional<ViewedValue> getPlanes(ConvOp op) {
    auto x = tensorType(op.getX());
    if (x.getRank() > 4 || op.getGroups() != 1 || x.getNumElements() == 0 ||
        x.getShape().back() >= ::ttc::kernels::kCopyBelowChannels ||
        tensorType(op.getW()).getShape().back() == 1 || !op.getX().hasOneUse() ||
        !op.getX().getDefiningOp<TransposeOp>())
      return std::nullopt;
    // Lines are copied for windows of neighbouring pixels.
    if (!op.getDilations().empty() && op.getDilations().back() != 1)
      return std::nullopt;
    ViewedValue planes = getView(op.getX());
    return planes.view.getStrides().back() != 1 ? std::optional(planes) : std::nullopt;
  }
};

/// A transposed convolution is a convolution of the operand with zeros between its elements,
/// by the flipped weights.
struct ConvTransposeToKernel : KernelPattern<ConvTransposeOp> {
  using KernelPattern::KernelPattern;

  LogicalResult matchAndRewrite(ConvTransposeOp op, PatternRewriter &rewriter) const override {
    if (!op.getChannelsLast() || !isF32(op.getX()))
      return failure();
    Location loc = op.getLoc();
    auto type = tensorType(op.getY());
    auto weights = tensorType(op.getW()).getShape();
    auto kernel = weights.drop_front(2);
    size_t spatial = kernel.size();
    SmallVector<int64_t> pads(2 * spatial);
    for (size_t i = 0; i < spatial; ++i) {
      int64_t reach = (kernel[i] - 1) * op.getDilations()[i];
      pads[i] = reach - op.getPads()[i];
      pads[spatial + i] = reach - op.getPads()[spatial + i] + op.getOutputPadding()[i];
    }
    if (llvm::any_of(pads, [](int64_t pad) { return pad < 0; }))
      return rewriter.notifyMatchFailure(op, "padding cuts off what the kernel reaches");
    SmallVector<int64_t> strides(spatial, 1);
    ArrayRef<int64_t> tile = getChoice(op).getTile();
    Value packed =
        PackOp::create(rewriter, loc, op.getW(), PackKind::conv_transpose, op.getGroups(), tile[1]);
    Value result = KernelGemmOp::create(
        rewriter, loc, type, op.getX(), packed, /*valid=*/ValueRange(),
        rewriter.getDenseI64ArrayAttr(tile), /*packed=*/true, rewriter.getDenseI64ArrayAttr(kernel),
        rewriter.getDenseI64ArrayAttr(strides), rewriter.getDenseI64ArrayAttr(pads),
        op.getDilationsAttr(), op.getStridesAttr(), op.getGroups(),
        /*shuffle=*/nullptr, /*a_view=*/nullptr, /*b_view=*/nullptr, /*result_view=*/nullptr,
        /*plan=*/nullptr);
    rewriter.replaceOp(op, addBias(rewriter, loc, result, op.getBias()));
    return success();
  }
};

//===--- matmul -----------------------------------------------------------------------===//

/// What a kernel reads: the value itself if its view is the identity.
ViewedValue getOperandView(Value value, bool ofConstants = false) {
  if (tensorType(value).getNumElements() == 0)
    return {value, {}};
  ViewedValue viewed = getView(value, ofConstants);
  if (viewed.view.isIdentity(tensorType(value)))
    return {value, {}};
  return viewed;
}

ViewAttr swapMatrixDims(ViewAttr view) {
  Permutation permutation = llvm::to_vector(llvm::seq<int64_t>(0, view.getRank()));
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return view.transposed(permutation);
}

struct MatmulToKernel : KernelPattern<MatmulOp> {
  using KernelPattern::KernelPattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    auto type = tensorType(op.getY());
    if (!isF32(op.getA()) || type.getNumElements() == 0 ||
        tensorType(op.getA()).getNumElements() == 0)
      return failure();
    Location loc = op.getLoc();
    int64_t rank = type.getRank();
    Value a = extendRank(rewriter, op.getA(), rank);
    auto [source, aView] = getOperandView(a);
    if (op.getTransposeA()) {
      if (!aView)
        aView = ViewAttr::getIdentity(tensorType(source));
      aView = swapMatrixDims(aView);
    }

    ArrayRef<int64_t> tile = getChoice(op).getTile();
    // The transpose that is the product's only user, if the kernel can store its result that way.
    TransposeOp stored = getStoredTranspose(op);
    RankedTensorType storedType = stored ? tensorType(stored.getY()) : type;
    ViewAttr resultView;
    if (stored)
      resultView = ViewAttr::getIdentity(storedType)
                       .transposed(invertPermutationVector(stored.getPermutation()));

    Value b = op.getB();
    ViewAttr bView;
    bool packed = choices.isPacked(b);
    if (packed) {
      b = createReshape(rewriter, loc, b, tensorType(b).getShape().take_back(2));
      auto kind = op.getTransposeB() ? PackKind::matmul_transposed : PackKind::matmul;
      b = PackOp::create(rewriter, loc, b, kind, 1, tile[1]);
    } else {
      const ViewedValue viewed = getOperandView(b, /*ofConstants=*/isPackedAhead(op.getB()));
      std::tie(b, bView) = std::pair(viewed.source, viewed.view);
      if (op.getTransposeB())
        bView = swapMatrixDims(bView ? bView : ViewAttr::getIdentity(tensorType(b)));
    }

    auto create = [&](RankedTensorType resultType, ViewAttr view) {
      return KernelGemmOp::create(rewriter, loc, resultType, source, b, /*valid=*/ValueRange(),
                                  rewriter.getDenseI64ArrayAttr(tile), packed,
                                  /*kernel=*/nullptr, /*strides=*/nullptr, /*pads=*/nullptr,
                                  /*dilations=*/nullptr, /*input_dilation=*/nullptr,
                                  /*groups=*/1, /*shuffle=*/nullptr, aView, bView, view,
                                  /*plan=*/nullptr);
    };
    KernelGemmOp gemm = create(storedType, resultView);
    if (!getGemmLoops(gemm)) {
      rewriter.eraseOp(gemm);
      return rewriter.notifyMatchFailure(op, "more batch dimensions than the kernel walks");
    }
    Value result = addBias(rewriter, loc, gemm, op.getBias());
    if (!stored) {
      rewriter.replaceOp(op, result);
      return success();
    }
    rewriter.replaceOp(stored, result);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The value with dimensions of size 1 in front.
  static Value extendRank(OpBuilder &builder, Value value, int64_t rank) {
    SmallVector<int64_t> shape(tensorType(value).getShape());
    if (static_cast<int64_t>(shape.size()) == rank)
      return value;
    shape.insert(shape.begin(), rank - shape.size(), 1);
    return createReshape(builder, value.getLoc(), value, shape);
  }

  static TransposeOp getStoredTranspose(MatmulOp op) {
    if (!op->hasOneUse())
      return {};
    auto transpose = dyn_cast<TransposeOp>(*op->user_begin());
    if (!transpose || transpose.getPermutation().back() != tensorType(op.getY()).getRank() - 1)
      return {};
    // A bias must mean the same before and after.
    if (op.getBias() && tensorType(op.getBias()).getRank() > 1)
      return {};
    return transpose;
  }
};

//===--- pooling ----------------------------------------------------------------------===//

/// Whether each window begins in the operand, and no window is all padding before it.
bool meetsOperand(ArrayRef<int64_t> in, ArrayRef<int64_t> out, ArrayRef<int64_t> kernel,
                  ArrayRef<int64_t> strides, ArrayRef<int64_t> pads, ArrayRef<int64_t> dilations) {
  for (size_t i = 0; i < kernel.size(); ++i)
    if ((out[i] - 1) * strides[i] - pads[i] >= in[i] || pads[i] > (kernel[i] - 1) * dilations[i])
      return false;
  return true;
}

template <typename OpTy, PoolKind kind> struct PoolToKernel : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    auto in = tensorType(op.getX()), out = tensorType(op.getY());
    if (!op.getChannelsLast() || !isF32(op.getX()) ||
        !meetsOperand(getSpatial(in.getShape()), getSpatial(out.getShape()), op.getKernel(),
                      op.getStrides(), op.getPads(), op.getDilations()))
      return failure();
    bool countPad = false;
    if constexpr (kind == PoolKind::average)
      countPad = op.getCountIncludePad();
    rewriter.replaceOpWithNewOp<KernelPoolOp>(op, out, op.getX(), /*valid=*/ValueRange(), kind,
                                              op.getKernelAttr(), op.getStridesAttr(),
                                              op.getPadsAttr(), op.getDilationsAttr(), countPad);
    return success();
  }
};

/// The reduction of all dimensions between the first and the last is a pool whose window is
/// the image.
Value createGlobalPool(OpBuilder &builder, Location loc, Value x, PoolKind kind) {
  auto type = tensorType(x);
  SmallVector<int64_t> kernel = getSpatial(type.getShape());
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape.front() = type.getShape().front();
  shape.back() = type.getShape().back();
  return KernelPoolOp::create(builder, loc, type.clone(shape), x, /*valid=*/ValueRange(), kind,
                              builder.getDenseI64ArrayAttr(kernel), nullptr, nullptr, nullptr,
                              false);
}

bool canPoolGlobally(Value x) {
  auto type = tensorType(x);
  return isF32(x) && type.getRank() >= 3 && type.getRank() <= 5 && type.getNumElements() > 0;
}

template <typename OpTy, PoolKind kind> struct GlobalPoolToKernel : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!op.getChannelsLast() || !canPoolGlobally(op.getX()))
      return failure();
    rewriter.replaceOp(op, createGlobalPool(rewriter, op.getLoc(), op.getX(), kind));
    return success();
  }
};

template <typename OpTy, PoolKind kind> struct ReductionToKernel : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    int64_t rank = tensorType(op.getX()).getRank();
    if (!canPoolGlobally(op.getX()) ||
        op.getAxes() != ArrayRef(llvm::to_vector(llvm::seq<int64_t>(1, rank - 1))))
      return failure();
    Value pooled = createGlobalPool(rewriter, op.getLoc(), op.getX(), kind);
    rewriter.replaceOp(
        op, createReshape(rewriter, op.getLoc(), pooled, tensorType(op.getY()).getShape()));
    return success();
  }
};

struct ChooseKernels : impl::ChooseKernelsBase<ChooseKernels> {
  using ChooseKernelsBase::ChooseKernelsBase;
  PassCounter numKernels{*this, "kernels", "Kernel ops in the module"};
  PassCounter numShared{*this, "shared", "Ops decided with those of other functions"};

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    CpuTarget target = getCpuTarget(getOperation());
    int64_t vectorLength = getVectorLength(target);
    // Entries are checked while they can still be told from what heuristics choose.
    auto checked = getOperation()->walk([&](Operation *op) -> WalkResult {
      return hasKernelChoice(op) ? verifyKernelChoice(op, vectorLength) : success();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    const bool compact = optimize != OptimizeFor::Speed;
    splitDeepProducts(getOperation(), [&](Value b) { return Choices::isPacked(b, compact); });
    const bool usesWinograd = winograd && holdsScratch();
    // Before weights are packed: those of Winograd's algorithm are larger.
    const Choices choices(getOperation(), vectorLength, {usesWinograd, compact});
    numShared += choices.numShared;
    RewritePatternSet patterns(context);
    populateIntKernelPatterns(patterns, target, [&](Operation *op, int64_t columns) {
      return choices.getIntTile(op, columns);
    });
    populateBlockKernelPatterns(patterns, target);
    populateCacheKernelPatterns(patterns);
    patterns.add<ConvToWinograd>(context, choices, /*benefit=*/2);
    patterns.add<ConvToKernel, ConvTransposeToKernel, MatmulToKernel>(context, choices);
    patterns.add<PoolToKernel<MaxPoolOp, PoolKind::max>, PoolToKernel<AvgPoolOp, PoolKind::average>,
                 GlobalPoolToKernel<GlobalMaxPoolOp, PoolKind::max>,
                 GlobalPoolToKernel<GlobalAvgPoolOp, PoolKind::average>,
                 ReductionToKernel<ReduceMaxOp, PoolKind::max>,
                 ReductionToKernel<ReduceMeanOp, PoolKind::average>>(context);
    if (failed(rewrite(std::move(patterns))) || failed(verifyBlockKernels(getOperation())) ||
        failed(checkScratch()))
      return signalPassFailure();
    getOperation()->walk([&](KernelOpInterface op) { ++numKernels; });
  }

private:
  /// Applies patterns to all ops but terminators, until nothing changes. A return of thousands of
  /// outputs would be folded, operand by operand, after the change of each.
  LogicalResult rewrite(const FrozenRewritePatternSet &patterns) {
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    for (bool changed = true; changed;) {
      SmallVector<Operation *> ops;
      getOperation().getBody()->walk([&](Operation *op) {
        if (!op->hasTrait<OpTrait::IsTerminator>())
          ops.push_back(op);
      });
      if (failed(applyOpPatternsGreedily(ops, patterns, config, &changed)))
        return failure();
    }
    return success();
  }

  /// Heuristics keep scratch small, a file of measurements need not.
  LogicalResult checkScratch() {
    auto target = getOperation()->getAttrOfType<TargetAttr>(kTargetAttrName);
    auto tuning = getOperation()->getAttrOfType<DictionaryAttr>(kTuningAttrName);
    if (!target || !tuning)
      return success();
    auto checked = getOperation()->walk([&](KernelWinogradConvOp op) -> WalkResult {
      if (op.getScratchBytes() <= target.getL1Bytes())
        return WalkResult::advance();
      return op.emitError() << "tuning " << tuning.get("file")
                            << ": expected Winograd's algorithm with scratch of at most "
                            << target.getL1Bytes() << " bytes, the target's L1, found "
                            << op.getScratchBytes();
    });
    return failure(checked.wasInterrupted());
  }

  /// Whether the scratch of Winograd's kernels fits into L1. Nothing else of the target matters, so
  /// that results have the same bits on all targets that it fits.
  bool holdsScratch() {
    auto target = getOperation()->getAttrOfType<TargetAttr>(kTargetAttrName);
    return !target || target.getL1Bytes() >= 512 * 1024;
  }
};

} // namespace
} // namespace mlir::ttc
