// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Demands.h"
#include "ValidElements.h"
#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_FOLDMASKS
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// The number of elements along `dim` of the result that a mask leaves as they are; null if it is
/// another op.
Value getValidAlong(WhereOp where, int64_t &dim) {
  auto type = cast<RankedTensorType>(where.getY().getType());
  std::optional<int64_t> fromLast = getValidDim(where.getCond());
  if (!fromLast || where.getA().getType() != type || *fromLast >= type.getRank())
    return {};
  dim = type.getRank() - 1 - *fromLast;
  return getValidExtent(where.getCond(), type.getDimSize(dim));
}

/// Tells a kernel where its image ends instead of masking the image. False if it is not masked.
bool foldIntoKernel(WindowKernelOpInterface kernel) {
  OpOperand &image = kernel->getOpOperand(0);
  auto where = image.get().getDefiningOp<WhereOp>();
  if (!where || !kernel.padsWith(where.getB()))
    return false;
  int64_t dim = 0;
  Value valid = getValidAlong(where, dim);
  std::optional<int64_t> spatial = valid ? kernel.getSpatialDim(dim) : std::nullopt;
  SmallVector<int64_t> dims(kernel.getValidDims());
  if (!spatial || llvm::is_contained(dims, *spatial))
    return false;
  SmallVector<Value> all(kernel.getValidMutable().getAsOperandRange());
  const auto at = llvm::lower_bound(dims, *spatial) - dims.begin();
  dims.insert(dims.begin() + at, *spatial);
  all.insert(all.begin() + at, valid);
  image.set(where.getA()); // before the operands move
  kernel.getValidMutable().assign(all);
  kernel.setValidDims(dims);
  return true;
}

/// Whether nothing depends on what a mask replaces.
bool isIdle(WhereOp where, const Demands &demands) {
  int64_t dim = 0;
  Value valid = getValidAlong(where, dim);
  const Demand *demand = valid ? demands.get(where.getY()) : nullptr;
  if (!demand || (*demand)[dim].size() != 1)
    return false;
  const BoundedFactor &needed = (*demand)[dim].front();
  AffineExpr expr = demands.getExpr(valid);
  return expr && needed.bound && demands.isAtMost(needed, {needed.size, expr});
}

struct FoldMasks : impl::FoldMasksBase<FoldMasks> {
  PassCounter numFolded{*this, "folded", "Masks that kernels apply to their images"};
  PassCounter numIdle{*this, "idle", "Masks of what nothing depends on"};

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.getBody().hasOneBlock())
        continue;
      bool isChanged = false;
      function.walk([&](WindowKernelOpInterface kernel) {
        for (; foldIntoKernel(kernel); ++numFolded)
          isChanged = true;
      });
      if (function->hasAttr(kVariantAttrName))
        isChanged |= removeIdleMasks(function);
      if (isChanged)
        eraseDeadOps(function.getBody().front());
    }
  }

private:
  bool removeIdleMasks(func::FuncOp function) {
    bool isChanged = false;
    const Demands demands(function);
    for (auto where : function.getOps<WhereOp>())
      if (isIdle(where, demands)) {
        where.getY().replaceAllUsesWith(where.getA());
        isChanged = true;
        ++numIdle;
      }
    return isChanged;
  }

  /// Masks, and what computed their conditions.
  static void eraseDeadOps(Block &block) {
    for (Operation *op = block.getTerminator()->getPrevNode(); op;) {
      Operation *previous = op->getPrevNode();
      if (isOpTriviallyDead(op))
        op->erase();
      op = previous;
    }
  }
};

} // namespace
} // namespace mlir::ttc
