// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zones of programs.
#include "dialects/Ttc/Programs/ZoneOps.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult verifyName(Operation *op, StringRef name, StringRef constraint) {
  if (!name.empty() &&
      llvm::none_of(name, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return success();
  return op->emitOpError() << constraint
                           << " expected a name of at least one character, without control "
                              "characters, found "
                           << StringAttr::get(op->getContext(), name);
}

LogicalResult ZoneOp::verify() {
  Operation *parent = (*this)->getParentOp();
  if (!isa_and_present<ProgramOp, ZoneOp>(parent)) {
    InFlightDiagnostic error =
        emitOpError("(C1) expected to be in the body of a ttc.program, or in a zone, found it in ");
    if (parent)
      return error << parent->getName();
    return error << "nothing";
  }
  return verifyName(*this, getName(), "(C2)");
}

LogicalResult ZoneOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield) {
    InFlightDiagnostic error =
        emitOpError("(C3) expected its region to end with ttc.yield, found ");
    if (block.empty())
      return error << "no op";
    return error << block.back().getName();
  }
  if (yield.getValues().getTypes() != getResultTypes())
    return emitOpErrorOn(yield, *this)
           << "(C3) expected values of the zone's result types (" << getResultTypes()
           << "), found (" << yield.getValues().getTypes() << ")";
  return success();
}

namespace {
/// Drops results of a zone that are unused, or that come from outside.
struct DropResults : OpRewritePattern<ZoneOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ZoneOp zone, PatternRewriter &rewriter) const override {
    auto yield = cast<YieldOp>(zone.getBody().front().getTerminator());
    SmallVector<Value> kept, replacements;
    SmallVector<unsigned> places;
    for (auto [result, value] : llvm::zip_equal(zone.getResults(), yield.getValues())) {
      bool isInside = zone.getBody().isAncestor(value.getParentRegion());
      replacements.push_back(isInside ? Value() : value);
      if (!isInside || result.use_empty())
        continue;
      places.push_back(result.getResultNumber());
      kept.push_back(value);
    }
    if (kept.size() == zone.getNumResults())
      return failure();
    auto smaller =
        ZoneOp::create(rewriter, zone.getLoc(), ValueRange(kept).getTypes(), zone.getNameAttr());
    rewriter.modifyOpInPlace(yield, [&] { yield.getValuesMutable().assign(kept); });
    rewriter.inlineRegionBefore(zone.getBody(), smaller.getBody(), smaller.getBody().end());
    for (auto [result, place] : llvm::zip_equal(smaller.getResults(), places))
      replacements[place] = result;
    for (auto [result, replacement] : llvm::zip_equal(zone.getResults(), replacements))
      if (replacement)
        rewriter.replaceAllUsesWith(result, replacement);
    rewriter.eraseOp(zone);
    return success();
  }
};
} // namespace

void ZoneOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropResults>(context);
}

LogicalResult ZoneBeginOp::verify() { return verifyName(*this, getName(), "(C1)"); }
