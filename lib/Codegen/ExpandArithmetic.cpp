// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Functions/MathApproximation.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Support/Target.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_EXPANDARITHMETIC
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// f16 to f32 by bits, for CPUs without F16C: the exponent is rebased by a product, which also
/// normalises subnormals.
struct ExtendF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expects f16 to f32");
    Arithmetic a(rewriter, op.getLoc(), x.getType());
    Value half = a.convert<arith::ExtUIOp>(a.bits(x, rewriter.getI16Type()), rewriter.getI32Type());
    Value magnitude = a.bitsF32(a.shl(a.andi(half, a.i32(0x7fff)), a.i32(13)));
    Value value = a.bitsI32(a.mul(magnitude, a.bitsF32(a.i32((254 - 15) << 23))));
    Value size = a.andi(half, a.i32(0x7fff));
    using I = arith::CmpIPredicate;
    value = a.select(a.cmpi(I::uge, size, a.i32(0x7c00)), a.ori(value, a.i32(255 << 23)), value);
    // NaN becomes quiet, as by F16C.
    value = a.select(a.cmpi(I::ugt, size, a.i32(0x7c00)), a.ori(value, a.i32(1 << 22)), value);
    Value sign = a.shl(a.andi(half, a.i32(0x8000)), a.i32(16));
    rewriter.replaceOp(op, a.bitsF32(a.ori(value, sign)));
    return success();
  }
};

/// f32 to f16 by bits, for CPUs without F16C, rounding to nearest, ties to even.
struct TruncateF16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!getElementTypeOrSelf(x.getType()).isF32() || !getElementTypeOrSelf(op.getType()).isF16())
      return rewriter.notifyMatchFailure(op, "expects f32 to f16");
    Arithmetic a(rewriter, op.getLoc(), x.getType());
    using I = arith::CmpIPredicate;
    Value bits = a.bitsI32(x);
    Value sign = a.andi(bits, a.i32(0x80000000));
    Value magnitude = a.xori(bits, sign);
    // Too large, infinite or NaN, which keeps its upper bits and becomes quiet, as by F16C.
    Value nan = a.ori(a.andi(a.shru(magnitude, a.i32(13)), a.i32(0x7fff)), a.i32(0x7e00));
    Value special = a.select(a.cmpi(I::ugt, magnitude, a.i32(0x7f800000)), nan, a.i32(0x7c00));
    // Subnormal in f16: an addition aligns and rounds.
    constexpr int64_t kAlign = ((127 - 15) + (23 - 10) + 1) << 23;
    Value aligned =
        arith::AddFOp::create(a.builder(), a.bitsF32(magnitude), a.bitsF32(a.i32(kAlign)));
    Value subnormal = a.subi(a.bitsI32(aligned), a.i32(kAlign));
    // Normal: rebase the exponent, add half of the last place, less one where it is even.
    Value odd = a.andi(a.shru(magnitude, a.i32(13)), a.i32(1));
    Value normal = a.addi(magnitude, a.i32(((15 - 127) * (1 << 23)) + 0xfff));
    normal = a.shru(a.addi(normal, odd), a.i32(13));
    Value result = a.select(a.cmpi(I::ult, magnitude, a.i32(113 << 23)), subnormal, normal);
    result = a.select(a.cmpi(I::uge, magnitude, a.i32((127 + 16) << 23)), special, result);
    result = a.ori(result, a.shru(sign, a.i32(16)));
    Value narrow = a.convert<arith::TruncIOp>(result, rewriter.getI16Type());
    rewriter.replaceOp(op, a.bits(narrow, rewriter.getF16Type()));
    return success();
  }
};

struct ExpandFunction : RewritePattern {
  explicit ExpandFunction(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    Value value = expandFunction(rewriter, op);
    if (!value)
      return failure();
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// For CPUs without FMA, in two roundings.
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

struct ExpandArithmeticPass : mlir::ttc::impl::ExpandArithmeticBase<ExpandArithmeticPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandFunction>(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    const CpuTarget target = getCpuTarget(getOperation());
    if (!convertsF16(target))
      patterns.add<ExtendF16, TruncateF16>(&getContext());
    if (!fusesProducts(target))
      patterns.add<ExpandFma>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
