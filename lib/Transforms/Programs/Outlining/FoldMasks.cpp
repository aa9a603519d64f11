// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Demands.h"
#include "ValidElements.h"
#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"
#include "dialects/Ttc/Programs/WinogradOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
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

/// A mask along one dimension.
struct Mask {
  int64_t dim;
  Value valid;
};

/// The outermost mask of an image, also of the parts of a concatenation, and of what the image is a
/// part of.
std::optional<Mask> findMask(Value image) {
  if (auto slice = image.getDefiningOp<SliceOp>())
    return findMask(slice.getX());
  if (auto concat = image.getDefiningOp<ConcatOp>())
    return findMask(concat.getInputs().front());
  auto where = image.getDefiningOp<WhereOp>();
  int64_t dim = 0;
  Value valid = where ? getValidAlong(where, dim) : Value();
  return valid ? std::optional(Mask{dim, valid}) : std::nullopt;
}

/// The image without a mask by what `kernel` pads with, through other masks and concatenations
/// along other dimensions. Null if it is not masked, or not in all parts.
Value stripMask(Value image, const Mask &mask, WindowKernelOpInterface kernel, OpBuilder &builder) {
  if (auto where = image.getDefiningOp<WhereOp>()) {
    int64_t dim = 0;
    Value valid = kernel.padsWith(where.getB()) ? getValidAlong(where, dim) : Value();
    if (valid == mask.valid && dim == mask.dim)
      return where.getA();
    Value inner = valid ? stripMask(where.getA(), mask, kernel, builder) : Value();
    return inner ? WhereOp::create(builder, where.getLoc(), where.getCond(), inner, where.getB())
                       .getResult()
                 : Value();
  }
  if (auto slice = image.getDefiningOp<SliceOp>()) {
    const int64_t size = tensorType(slice.getX()).getDimSize(mask.dim);
    if (tensorType(image).getDimSize(mask.dim) != size || slice.getSteps()[mask.dim] != 1)
      return {};
    Value inner = stripMask(slice.getX(), mask, kernel, builder);
    if (!inner)
      return {};
    auto stripped = cast<SliceOp>(builder.clone(*slice));
    stripped->setOperand(0, inner);
    return stripped.getY();
  }
  auto concat = image.getDefiningOp<ConcatOp>();
  if (!concat || static_cast<int64_t>(concat.getAxis()) == mask.dim)
    return {};
  SmallVector<Value> inputs;
  for (Value input : concat.getInputs()) {
    inputs.push_back(stripMask(input, mask, kernel, builder));
    if (!inputs.back())
      return {};
  }
  auto stripped = cast<ConcatOp>(builder.clone(*concat));
  stripped->setOperands(inputs);
  return stripped.getResult();
}

void setValid(WindowKernelOpInterface kernel, ArrayRef<Value> valid, ArrayRef<int64_t> dims) {
  kernel.getValidMutable().assign(ValueRange(valid));
  kernel.setValidDims(dims);
}

/// Tells a kernel where its image ends instead of masking the image. False if it is not masked.
bool foldIntoKernel(WindowKernelOpInterface kernel, bool isVariant) {
  // What follows the results of the valid part of the image is padding of a variant.
  auto input = dyn_cast<KernelWinogradInputOp>(kernel.getOperation());
  if (input && !isVariant)
    return false;
  Value image = kernel->getOperand(0);
  std::optional<Mask> mask = findMask(image);
  std::optional<int64_t> spatial = mask ? kernel.getSpatialDim(mask->dim) : std::nullopt;
  SmallVector<int64_t> dims(kernel.getValidDims());
  if (!spatial || llvm::is_contained(dims, *spatial))
    return false;
  OpBuilder builder(kernel);
  Value stripped = stripMask(image, *mask, kernel, builder);
  if (!stripped)
    return false;
  SmallVector<Value> all(kernel.getValidMutable().getAsOperandRange());
  const auto at = llvm::lower_bound(dims, *spatial) - dims.begin();
  dims.insert(dims.begin() + at, *spatial);
  all.insert(all.begin() + at, mask->valid);
  kernel->setOperand(0, stripped); // before the operands move
  setValid(kernel, all, dims);
  if (input)
    for (Operation *user : input->getUsers())
      setValid(cast<WindowKernelOpInterface>(user), all, dims);
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
        for (; foldIntoKernel(kernel, function->hasAttr(kVariantAttrName)); ++numFolded)
          isChanged = true;
      });
      // Masks, and what computed their conditions. Also before demands are asked for: an op that
      // nothing uses would need all of a mask.
      IRRewriter rewriter(&getContext());
      if (isChanged)
        (void)runRegionDCE(rewriter, function->getRegions());
      if (function->hasAttr(kVariantAttrName) && removeIdleMasks(function))
        (void)runRegionDCE(rewriter, function->getRegions());
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
};

} // namespace
} // namespace mlir::ttc
