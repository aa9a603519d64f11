// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of ops that compute along dimensions: softmax, normalisation, reductions.
#include "OpLoops.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;
using shard::ReductionKind;

/// Dimensions that the result lacks, or has with one element, are reduced.
static bool describeReduction(OpLoops &loops, ArrayRef<int64_t> axes, bool keepdims,
                              ReductionKind kind) {
  int64_t next = 0;
  for (int64_t dim = 0; dim < loops.getRank(0); ++dim) {
    if (llvm::is_contained(axes, dim)) {
      loops.set(0, dim, loops.addReduction(kind));
      next += keepdims;
    } else {
      loops.join(0, dim, loops.getResult(), next++);
    }
  }
  return true;
}

/// The dimensions but these, and vectors along the channels, dimension 1.
static bool describeNormalization(OpLoops &loops, ArrayRef<int64_t> whole, bool hasVectors) {
  for (int64_t dim = 0; dim < loops.getRank(0); ++dim) {
    if (llvm::is_contained(whole, dim))
      continue;
    int loop = loops.addParallel();
    loops.set(0, dim, loop);
    loops.set(loops.getResult(), dim, loop);
    if (dim == 1 && hasVectors)
      for (unsigned i = 1; i < loops.getResult(); ++i)
        loops.set(i, 0, loop);
  }
  return true;
}

static SmallVector<int64_t> dimsFrom(OpLoops &loops, int64_t begin) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, loops.getRank(0)));
}

bool mlir::ttc::describeAlongDimensions(OpLoops &loops) {
  return llvm::TypeSwitch<Operation *, bool>(loops.op)
      .Case<SoftmaxOp, LogSoftmaxOp>(
          [&](auto op) { return describeNormalization(loops, {op.getAxis()}, false); })
      .Case([&](LayerNormOp op) {
        return describeNormalization(loops, dimsFrom(loops, op.getAxis()), false);
      })
      .Case([&](BatchNormOp) { return describeNormalization(loops, {}, true); })
      .Case([&](InstanceNormOp) { return describeNormalization(loops, dimsFrom(loops, 2), true); })
      .Case<GroupNormOp, LrnOp>(
          [&](auto) { return describeNormalization(loops, dimsFrom(loops, 1), false); })
      .Case([&](ReduceSumOp op) {
        return describeReduction(loops, op.getAxes(), op.getKeepdims(), ReductionKind::Sum);
      })
      .Case([&](ReduceMaxOp op) {
        return describeReduction(loops, op.getAxes(), op.getKeepdims(), ReductionKind::Max);
      })
      .Case([&](ReduceMinOp op) {
        return describeReduction(loops, op.getAxes(), op.getKeepdims(), ReductionKind::Min);
      })
      .Case<ReduceMeanOp, ReduceProdOp>([&](auto op) {
        return describeReduction(loops, op.getAxes(), op.getKeepdims(), ReductionKind::Generic);
      })
      .Case<ArgmaxOp, ArgminOp>([&](auto op) {
        return describeReduction(loops, {int64_t(op.getAxis())}, op.getKeepdims(),
                                 ReductionKind::Generic);
      })
      .Default(false);
}
