// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Demands.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_FOLLOWEXTENTS
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// Hands the extents to a fusion, and says which elements of its result count.
void bound(FusionOp fusion, const Demand &demand, Value extents) {
  auto inputs = fusion.getInputs();
  const int64_t argument = std::distance(inputs.begin(), llvm::find(inputs, extents));
  if (argument == static_cast<int64_t>(inputs.size())) {
    fusion.getInputsMutable().append(extents);
    fusion.getBody().front().addArgument(extents.getType(), extents.getLoc());
  }
  MLIRContext *context = fusion.getContext();
  SmallVector<int64_t> sizes;
  SmallVector<AffineExpr> bounds;
  for (const BoundedFactors &factors : demand)
    for (const BoundedFactor &factor : factors) {
      sizes.push_back(factor.size);
      bounds.push_back(factor.bound ? factor.bound : getAffineConstantExpr(factor.size, context));
    }
  const int64_t numExtents = cast<RankedTensorType>(extents.getType()).getNumElements();
  fusion.setWithinAttr(
      WithinAttr::get(context, argument, sizes, AffineMap::get(0, numExtents, bounds, context)));
}

struct FollowExtents : impl::FollowExtentsBase<FollowExtents> {
  PassCounter numBounded{*this, "bounded", "Fusions that follow the extents"};

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(kVariantAttrName) || !function.getBody().hasOneBlock())
        continue;
      const Demands demands(function);
      for (auto fusion : function.getOps<FusionOp>())
        if (const Demand *demand =
                fusion.getNumResults() == 1 ? demands.get(fusion.getResult(0)) : nullptr) {
          bound(fusion, *demand, demands.getExtents());
          ++numBounded;
        }
    }
  }
};

} // namespace
} // namespace mlir::ttc
