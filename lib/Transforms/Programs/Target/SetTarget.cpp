// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Interfaces/ExecutionInterfaces.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "kernels/Budgets.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_SETTARGET
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Compares sizes with the target's DRAM: a file of a hundred bytes can name tensors of any size,
/// and later passes build constants, tables and plans from what is named.
class SizeCheck {
public:
  explicit SizeCheck(TargetAttr target) : target(target), dram(getDramBytes(target)) {}

  LogicalResult check(Operation *op) {
    for (Value result : op->getResults())
      if (failed(check(op, result.getType())))
        return failure();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (failed(check(op, argument.getType())))
            return failure();
    if (!isa<ConstantOp>(op))
      return success();
    constants += getTensorBytes(cast<RankedTensorType>(op->getResult(0).getType()));
    if (constants <= dram)
      return success();
    return op->emitError() << "expected constants of at most " << dram
                           << " bytes together (the DRAM of target '" << target.getName()
                           << "'), found " << constants << " up to this one";
  }

private:
  LogicalResult check(Operation *op, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrFloat())
      return success();
    // At most 2^40 elements are ttc's own tensors (TtcTypes.td); others have no bound.
    __int128 bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
    for (int64_t size : tensor.getShape())
      bytes = std::min<__int128>(bytes * size, std::numeric_limits<int64_t>::max());
    if (bytes <= dram)
      return success();
    return op->emitError() << "expected a tensor of at most " << dram
                           << " bytes (the DRAM of target '" << target.getName() << "'), found "
                           << static_cast<int64_t>(bytes) << " bytes (" << tensor << ")";
  }

  TargetAttr target;
  int64_t dram, constants = 0;
};

struct SetTarget : mlir::ttc::impl::SetTargetBase<SetTarget> {
  using SetTargetBase::SetTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto attr = module->getAttrOfType<TargetAttr>(kTargetAttrName);
    if (!attr) {
      FailureOr<TargetAttr> found =
          getTarget(&getContext(), target, targetCpu, [&] { return emitError(module.getLoc()); });
      if (failed(found))
        return signalPassFailure();
      attr = *found;
      module->setAttr(kTargetAttrName, attr);
    }
    if (workgroups < 1 || workgroups > kMostWorkgroups || !llvm::isPowerOf2_64(workgroups)) {
      emitError(module.getLoc()) << "expected 'workgroups' to be a power of two from 1 to "
                                 << kMostWorkgroups << ", found " << workgroups.getValue();
      return signalPassFailure();
    }
    if (workgroups != ::ttc::kernels::kMaxGroups)
      module->setAttr(kMaxWorkgroupsAttrName, Builder(module).getI64IntegerAttr(workgroups));
    SizeCheck sizes(attr);
    WalkResult walked = module->walk([&](Operation *op) { return WalkResult(sizes.check(op)); });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
