// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places a body's temporaries in the core's L1: no allocation is left.
#include "ProgramBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

constexpr int64_t kAlignment = 64;

struct Temporary {
  memref::AllocOp op;
  int64_t bytes;
  unsigned begin, end; // In the order of the function's ops, both included.
  int64_t offset = 0;
};

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

} // namespace

FailureOr<int64_t> ttc::planScratch(func::FuncOp body) {
  // Numbers of the first and last op of each op's subtree.
  DenseMap<Operation *, std::pair<unsigned, unsigned>> order;
  unsigned next = 0;
  body.walk<WalkOrder::PreOrder>([&](Operation *op) { order[op].first = next++; });
  body.walk<WalkOrder::PostOrder>([&](Operation *op) {
    unsigned last = order[op].first;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          last = std::max(last, order[&block.back()].second);
    order[op].second = last;
  });

  SmallVector<Temporary> temporaries;
  bool failedAny = false;
  body.walk([&](memref::AllocOp op) {
    FailureOr<int64_t> bytes = bytesOf(op);
    failedAny |= failed(bytes);
    if (failed(bytes))
      return;
    Operation *last = lastUse(op, op->getBlock());
    temporaries.push_back({op, *bytes, order[op].first, order[last].second});
  });
  if (failedAny)
    return failure();

  // The largest first, each at the lowest place that is free while it lives.
  SmallVector<Temporary *> bySize;
  for (Temporary &temporary : temporaries)
    bySize.push_back(&temporary);
  llvm::sort(bySize, [](auto *x, auto *y) {
    return std::pair(-x->bytes, x->begin) < std::pair(-y->bytes, y->begin);
  });
  int64_t total = 0;
  for (auto it = bySize.begin(); it != bySize.end(); ++it) {
    Temporary *placed = *it;
    SmallVector<Temporary *> others(bySize.begin(), it);
    llvm::sort(others, [](auto *x, auto *y) {
      return std::pair(x->offset, x->begin) < std::pair(y->offset, y->begin);
    });
    for (Temporary *other : others)
      if (other->begin <= placed->end && placed->begin <= other->end &&
          placed->offset < other->offset + other->bytes &&
          other->offset < placed->offset + placed->bytes)
        placed->offset = other->offset + other->bytes;
    total = std::max(total, placed->offset + placed->bytes);
  }
  if (total == 0)
    return 0;

  OpBuilder b(body);
  auto type = MemRefType::get({total}, b.getI8Type());
  if (failed(body.insertArgument(body.getNumArguments(), type, {}, body.getLoc())))
    return failure();
  Value scratch = body.getArguments().back();
  for (Temporary &temporary : temporaries) {
    b.setInsertionPoint(temporary.op);
    Location loc = temporary.op.getLoc();
    Value offset = arith::ConstantIndexOp::create(b, loc, temporary.offset);
    Value view = memref::ViewOp::create(b, loc, temporary.op.getType(), scratch, offset,
                                        temporary.op.getDynamicSizes());
    temporary.op.replaceAllUsesWith(view);
    temporary.op.erase();
  }
  return total;
}
