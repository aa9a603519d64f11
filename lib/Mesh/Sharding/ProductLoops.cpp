// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of products, convolutions and pooling.
#include "OpLoops.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ttc;
using shard::ReductionKind;

/// Batched matrices a, b and the result; `sums` is whether sums may be split.
static bool describeMatrices(OpLoops &loops, bool transposeA, bool transposeB, bool sums) {
  const unsigned y = loops.getResult();
  const int64_t rank = loops.getRank(y);
  SmallVector<int> batch;
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    batch.push_back(loops.addParallel());
  int row = loops.addParallel(), column = loops.addParallel();
  int sum = loops.addReduction(sums ? ReductionKind::Sum : ReductionKind::Generic);
  auto describe = [&](unsigned value, int first, int second) {
    SmallVector<int> dims(batch);
    dims.append({first, second});
    loops.broadcast(value, dims);
  };
  transposeA ? describe(0, sum, row) : describe(0, row, sum);
  transposeB ? describe(1, column, sum) : describe(1, sum, column);
  describe(y, row, column);
  return true;
}

/// The dimension of the channels of an image.
template <typename Op> static int64_t channelsOf(OpLoops &loops, Op op) {
  return op.getChannelsLast() ? loops.getRank(0) - 1 : 1;
}

/// Zero points of products of integers broadcast as their operands are indexed.
static void describeLike(OpLoops &loops, unsigned value, unsigned operand) {
  const int64_t offset = loops.getRank(operand) - loops.getRank(value);
  for (int64_t dim = 0; dim < loops.getRank(value); ++dim)
    if (AffineExpr expr = loops.exprs[operand][dim + offset])
      loops.set(value, dim, expr);
}

/// Images are independent, and channels of the result are if they have weights of their own; those
/// of the operand are summed. Groups are parts that are not divided, unless each is one channel.
template <typename Op>
static bool describeConvolution(OpLoops &loops, Op op, int64_t resultDim, int64_t sumDim) {
  const unsigned y = loops.getResult();
  const int64_t channels = channelsOf(loops, op);
  loops.join(0, 0, y, 0);
  const bool isDepthwise =
      op.getGroups() == loops.getSize(0, channels) && op.getGroups() == loops.getSize(y, channels);
  if (op.getGroups() != 1 && !isDepthwise)
    return true;
  int channel = loops.addParallel();
  loops.set(y, channels, channel);
  if constexpr (!std::is_same_v<Op, IntConvOp>)
    if (op.getBias())
      loops.set(2, 0, channel);
  if (op.getGroups() == 1) {
    int sum = loops.addReduction(ReductionKind::Sum);
    loops.set(0, channels, sum);
    loops.set(1, sumDim, sum);
    loops.set(1, resultDim, channel);
  } else {
    loops.set(0, channels, channel);
    loops.set(1, 0, channel);
  }
  return true;
}

template <typename Op> static bool describePooling(OpLoops &loops, Op op) {
  loops.join(0, 0, loops.getResult(), 0);
  int64_t channels = channelsOf(loops, op);
  loops.join(0, channels, loops.getResult(), channels);
  return true;
}

bool mlir::ttc::describeProduct(OpLoops &loops) {
  return llvm::TypeSwitch<Operation *, bool>(loops.op)
      .Case([&](MatmulOp op) {
        describeMatrices(loops, op.getTransposeA(), op.getTransposeB(), true);
        if (op.getBias()) {
          // As the dimensions of the result.
          SmallVector<int> dims;
          for (AffineExpr expr : loops.exprs[loops.getResult()])
            dims.push_back(expr ? static_cast<int>(cast<AffineDimExpr>(expr).getPosition())
                                : OpLoops::kNone);
          loops.broadcast(2, dims);
        }
        return true;
      })
      .Case([&](ConvOp op) { return describeConvolution(loops, op, 0, 1); })
      .Case([&](ConvTransposeOp op) { return describeConvolution(loops, op, 1, 0); })
      .Case([&](IntMatmulOp) {
        describeMatrices(loops, false, false, true);
        describeLike(loops, 2, 0);
        describeLike(loops, 3, 1);
        return true;
      })
      .Case([&](IntConvOp op) {
        describeConvolution(loops, op, 0, 1);
        describeLike(loops, 3, 1);
        return true;
      })
      .Case<MaxPoolOp, AvgPoolOp, GlobalAvgPoolOp, GlobalMaxPoolOp>(
          [&](auto op) { return describePooling(loops, op); })
      .Default(false);
}
