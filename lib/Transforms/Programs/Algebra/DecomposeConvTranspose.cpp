// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Along a dimension, element o of the result is the sum of x[i] * w[k] over all i and k with
// stride * i + k = o + pad. With o = stride * q + r and r + pad = stride * shift + first, that is
// k = first + stride * j and i = q + shift - j: for a phase r, a convolution of x by each stride-th
// element of w, backwards.
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "lib/Transforms/Programs/Layouts/TransposeUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_DECOMPOSECONVTRANSPOSE
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// Neighbouring phases of one dimension that read the same window of the operand.
struct Phases {
  int64_t begin, end; ///< of r
  int64_t first;      ///< the first kernel element of phase `begin`; of each next one, the next
  int64_t taps;       ///< how many elements of the operand they read
  int64_t padLow, padHigh; ///< of the operand
};

/// A spatial dimension.
struct Dim {
  int64_t operand, result, kernel, stride, pad;

  int64_t getQuotients() const { return llvm::divideCeil(result, stride); }

  /// All phases, of which those that read the same window are together if `merges`. Nothing if one
  /// has no kernel element, or reads a window that begins after the operand's first element or ends
  /// before its last one.
  std::optional<SmallVector<Phases>> getPhases(bool merges) const {
    SmallVector<Phases> all;
    for (int64_t r = 0; r < stride; ++r) {
      const int64_t first = (r + pad) % stride, shift = (r + pad) / stride;
      if (first >= kernel)
        return std::nullopt;
      const int64_t taps = llvm::divideCeil(kernel - first, stride), low = taps - 1 - shift;
      const int64_t high = getQuotients() - operand - low + taps - 1;
      if (low < 0 || high < 0)
        return std::nullopt;
      if (merges && !all.empty() && all.back().taps == taps && all.back().padLow == low &&
          all.back().first + (r - all.back().begin) == first)
        ++all.back().end;
      else
        all.push_back({r, r + 1, first, taps, low, high});
    }
    return all;
  }
};

struct ConvTransposeToConvs : OpRewritePattern<ConvTransposeOp> {
  ConvTransposeToConvs(MLIRContext *context, PassCounter &decomposed, PassCounter &convolutions)
      : OpRewritePattern(context), decomposed(decomposed), convolutions(convolutions) {}

  LogicalResult matchAndRewrite(ConvTransposeOp op, PatternRewriter &rewriter) const override {
    auto x = tensorType(op.getX()), y = tensorType(op.getY()), w = tensorType(op.getW());
    const int64_t spatial = x.getRank() - 2;
    const auto is = [](ArrayRef<int64_t> values, int64_t wanted) {
      return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
    };
    if (op.getChannelsLast() || op.getGroups() != 1 || !is(op.getDilations(), 1) ||
        is(op.getStrides(), 1) || x.getNumElements() == 0 || !isConstantExpression(op.getW()))
      return failure();
    SmallVector<Dim> dims;
    for (int64_t i = 0; i < spatial; ++i)
      dims.push_back({x.getDimSize(2 + i), y.getDimSize(2 + i), w.getDimSize(2 + i),
                      op.getStrides()[i], op.getPads()[i]});
    // The channels are counted by the phases of the first dimension, then by those of the next one.
    // So phases may be together if those of all later dimensions are.
    SmallVector<SmallVector<Phases>> phases(spatial);
    bool merges = true;
    for (int64_t i = spatial - 1; i >= 0; --i) {
      std::optional<SmallVector<Phases>> found = dims[i].getPhases(merges);
      if (!found)
        return rewriter.notifyMatchFailure(op, "a phase without a window of its own");
      phases[i] = std::move(*found);
      merges &= phases[i].size() == 1;
    }

    SmallVector<Value> parts;
    SmallVector<Phases> chosen(spatial);
    std::function<void(int64_t)> choose = [&](int64_t dim) {
      if (dim == spatial) {
        parts.push_back(convolve(op, dims, chosen, rewriter));
        return;
      }
      for (const Phases &each : phases[dim]) {
        chosen[dim] = each;
        choose(dim + 1);
      }
    };
    choose(0);
    Location loc = op.getLoc();
    Value channels = join(rewriter, loc, parts, /*axis=*/1);
    Value result = DepthToSpaceOp::create(rewriter, loc, channels, op.getStrides(),
                                          DepthToSpaceMode::DCR, /*channels_last=*/false);
    if (result.getType() != y) {
      SmallVector<int64_t> starts(y.getRank(), 0), steps(y.getRank(), 1);
      result = SliceOp::create(rewriter, loc, result, starts, y.getShape(), steps);
    }
    rewriter.replaceOp(op, result);
    ++decomposed;
    convolutions += parts.size();
    return success();
  }

private:
  static Value join(OpBuilder &builder, Location loc, ArrayRef<Value> values, int64_t axis) {
    return values.size() == 1 ? values.front()
                              : ConcatOp::create(builder, loc, values, axis).getResult();
  }

  /// A vector of the channels, or one number for all, for `count` phases.
  static Value repeat(OpBuilder &builder, Location loc, Value channels, int64_t count) {
    return tensorType(channels).getNumElements() == 1
               ? channels
               : join(builder, loc, SmallVector<Value>(count, channels), 0);
  }

  /// Weights `C, O, kernel...` as those of `count` phases: `count * O, C, taps...`.
  static Value selectTaps(OpBuilder &builder, Location loc, Value w, ArrayRef<Dim> dims,
                          ArrayRef<Phases> phases, int64_t count) {
    const int64_t spatial = dims.size();
    SmallVector<Value> ofPhases;
    for (int64_t number = 0; number < count; ++number) {
      SmallVector<int64_t> starts(2 + spatial, 0), sizes(tensorType(w).getShape()),
          steps(2 + spatial, 1);
      int64_t left = number;
      for (int64_t i = spatial - 1; i >= 0; --i) {
        const int64_t own = phases[i].end - phases[i].begin;
        sizes[2 + i] = phases[i].taps;
        steps[2 + i] = -dims[i].stride;
        starts[2 + i] = phases[i].first + left % own + dims[i].stride * (phases[i].taps - 1);
        left /= own;
      }
      ofPhases.push_back(SliceOp::create(builder, loc, w, starts, sizes, steps));
    }
    auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, 2 + spatial));
    std::swap(permutation[0], permutation[1]);
    return createTranspose(builder, loc, join(builder, loc, ofPhases, 1), permutation);
  }

  /// One number, or one for each channel of the result: a parameter of weights `C, O, kernel...`.
  static bool isOfChannels(Value parameter, RankedTensorType weights) {
    auto type = tensorType(parameter);
    const int64_t dim = type.getRank() - (weights.getRank() - 1);
    return type.getNumElements() == 1 ||
           (dim >= 0 && type.getNumElements() == weights.getDimSize(1) &&
            type.getDimSize(dim) == weights.getDimSize(1));
  }

  /// The phases' channels: [phase of dimension 0, phase of dimension 1, ..., channel].
  static Value convolve(ConvTransposeOp op, ArrayRef<Dim> dims, ArrayRef<Phases> phases,
                        PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    int64_t count = 1;
    for (const Phases &each : phases)
      count *= each.end - each.begin;
    Value w;
    auto type = tensorType(op.getW());
    // Weights in bytes stay bytes.
    auto bytes = op.getW().getDefiningOp<DequantizeOp>();
    if (bytes && isOfChannels(bytes.getScale(), type) && isOfChannels(bytes.getZeroPoint(), type)) {
      auto adapt = [&](Value parameter) -> Value {
        const int64_t elements = tensorType(parameter).getNumElements();
        Value vector = createReshape(rewriter, loc, parameter, elements);
        vector = repeat(rewriter, loc, vector, count);
        if (elements == 1)
          return createReshape(rewriter, loc, vector, {});
        SmallVector<int64_t> shape(type.getRank(), 1);
        shape[0] = elements * count;
        return createReshape(rewriter, loc, vector, shape);
      };
      Value taps = selectTaps(rewriter, loc, bytes.getX(), dims, phases, count);
      w = DequantizeOp::create(rewriter, loc, taps, adapt(bytes.getScale()),
                               adapt(bytes.getZeroPoint()));
    } else {
      w = selectTaps(rewriter, loc, op.getW(), dims, phases, count);
    }
    Value bias = op.getBias();
    if (bias)
      bias = join(rewriter, loc, SmallVector<Value>(count, bias), 0);
    SmallVector<int64_t> ones(dims.size(), 1), pads;
    for (const Phases &each : phases)
      pads.push_back(each.padLow);
    for (const Phases &each : phases)
      pads.push_back(each.padHigh);
    return ConvOp::create(rewriter, loc, op.getX(), w, bias, ones, pads, ones, /*groups=*/1,
                          /*channels_last=*/false);
  }

  PassCounter &decomposed, &convolutions;
};

struct DecomposeConvTranspose : impl::DecomposeConvTransposeBase<DecomposeConvTranspose> {
  PassCounter numDecomposed{*this, "decomposed", "Transposed convolutions that were rewritten"};
  PassCounter numConvolutions{*this, "convolutions", "Convolutions that they became"};

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvTransposeToConvs>(&getContext(), numDecomposed, numConvolutions);
    // Nothing is folded: weights in bytes would become real numbers.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ttc
