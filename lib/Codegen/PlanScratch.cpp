// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Planner/Planner.h"
#include "ttc/Planner/Validator.h"
#include "ttc/Support/PassCounter.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_PLANSCRATCH
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

constexpr int64_t kAlignment = 64;

/// Bytes of an allocation, or an upper bound where tiles have different sizes.
FailureOr<int64_t> bytesOf(memref::AllocOp op) {
  MemRefType type = op.getType();
  int64_t bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  int64_t bytes = std::max<int64_t>(1, bits / 8);
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    int64_t size = extent;
    if (ShapedType::isDynamic(size)) {
      FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
          presburger::BoundType::UB, {op.getDynamicSizes()[type.getDynamicDimIndex(dim)]},
          /*stopCondition=*/nullptr, /*closedUB=*/true);
      if (failed(bound))
        return op.emitOpError("expects sizes with a constant bound");
      size = *bound;
    }
    bytes *= size;
  }
  return llvm::alignTo(bytes, kAlignment);
}

/// The last op of `block` that reads or writes the buffer or a view of it.
Operation *lastUse(Value buffer, Block *block) {
  Operation *last = buffer.getDefiningOp();
  SmallVector<Value> worklist = {buffer};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          worklist.push_back(result);
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (ancestor && last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
  }
  return last;
}

/// The first and the last op of each op's subtree, in the order of the function's ops.
DenseMap<Operation *, std::pair<int64_t, int64_t>> numberOps(func::FuncOp body) {
  DenseMap<Operation *, std::pair<int64_t, int64_t>> order;
  int64_t next = 0;
  body.walk<WalkOrder::PreOrder>([&](Operation *op) { order[op].first = next++; });
  body.walk<WalkOrder::PostOrder>([&](Operation *op) {
    int64_t last = order[op].first;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          last = std::max(last, order[&block.back()].second);
    order[op].second = last;
  });
  return order;
}

struct PlanScratchPass : mlir::ttc::impl::PlanScratchBase<PlanScratchPass> {
  PassCounter numTemporaries{*this, "temporaries", "Allocations that were placed"};

  void getDependentDialects(DialectRegistry &registry) const override {
    PlanScratchBase::getDependentDialects(registry);
    affine::registerValueBoundsOpInterfaceExternalModels(registry);
    arith::registerValueBoundsOpInterfaceExternalModels(registry);
    memref::registerValueBoundsOpInterfaceExternalModels(registry);
    scf::registerValueBoundsOpInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    func::FuncOp body = getOperation();
    if (body->hasAttr(kScratchBytesAttrName)) {
      body.emitOpError("expects no '") << kScratchBytesAttrName << "' yet: scratch is planned once";
      return signalPassFailure();
    }
    DenseMap<Operation *, std::pair<int64_t, int64_t>> order = numberOps(body);
    SmallVector<memref::AllocOp> allocations;
    std::vector<::ttc::planner::Buffer> buffers;
    WalkResult walked = body.walk([&](memref::AllocOp op) {
      FailureOr<int64_t> bytes = bytesOf(op);
      if (failed(bytes))
        return WalkResult::interrupt();
      Operation *last = lastUse(op, op->getBlock());
      allocations.push_back(op);
      buffers.push_back({order[op].first, order[last].second + 1, *bytes, kAlignment});
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();

    ::ttc::planner::Plan plan = ::ttc::planner::plan(buffers);
    if (auto faults = ::ttc::planner::validate(buffers, plan); !faults.empty()) {
      body.emitOpError("expected a plan of its scratch without faults, found ")
          << faults.front().message;
      return signalPassFailure();
    }
    numTemporaries += allocations.size();
    body->setAttr(kScratchBytesAttrName, Builder(body).getI64IntegerAttr(plan.arenaSize));
    if (plan.arenaSize > 0 && failed(replaceAllocations(body, allocations, plan)))
      signalPassFailure();
  }

  /// Views of a new last argument take the allocations' place.
  static LogicalResult replaceAllocations(func::FuncOp body, ArrayRef<memref::AllocOp> allocations,
                                          const ::ttc::planner::Plan &plan) {
    OpBuilder b(body);
    auto type = MemRefType::get({plan.arenaSize}, b.getI8Type());
    if (failed(body.insertArgument(body.getNumArguments(), type, {}, body.getLoc())))
      return failure();
    Value scratch = body.getArguments().back();
    for (auto [op, at] : llvm::zip_equal(allocations, plan.offsets)) {
      memref::AllocOp allocation = op;
      b.setInsertionPoint(allocation);
      Location loc = allocation.getLoc();
      Value offset = arith::ConstantIndexOp::create(b, loc, at);
      Value view = memref::ViewOp::create(b, loc, allocation.getType(), scratch, offset,
                                          allocation.getDynamicSizes());
      allocation.replaceAllUsesWith(view);
      allocation.erase();
    }
    return success();
  }
};

} // namespace
