// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of constants: reductions.
#include "dialects/Ttc/ConstantEvaluation/SeparableCopy.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include "dialects/Ttc/TtcOps.h"
#include <limits>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

using Bytes = ArrayRef<char>;
using MutableBytes = MutableArrayRef<char>;

namespace {

/// Reduces elements of type T in accumulators of type Acc.
template <typename Acc, typename T, typename Combine, typename Finish>
void reduce(RankedTensorType type, ArrayRef<int64_t> axes, Bytes input, MutableBytes result,
            Acc initial, Combine combine, Finish finish) {
  // The result's strides for each dimension of the operand; 0 for reduced dimensions.
  SmallVector<int64_t> strides(type.getRank(), 0);
  int64_t stride = 1, count = 1;
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    if (llvm::is_contained(axes, dim)) {
      count *= type.getDimSize(dim);
      continue;
    }
    strides[dim] = stride;
    stride *= type.getDimSize(dim);
  }
  SmallVector<Acc> accumulators(stride, initial);
  auto *elements = reinterpret_cast<const T *>(input.data());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t rest = i, at = 0;
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      at += rest % type.getDimSize(dim) * strides[dim];
      rest /= type.getDimSize(dim);
    }
    accumulators[at] = combine(accumulators[at], static_cast<Acc>(elements[i]));
  }
  auto *out = reinterpret_cast<T *>(result.data());
  for (auto [i, value] : llvm::enumerate(accumulators))
    out[i] = static_cast<T>(finish(value, count));
}

/// Dispatches on the element type. Floats accumulate as double, integers as wrapping 64 bits.
template <typename OpTy, typename Combine, typename Finish>
LogicalResult reduceTyped(OpTy op, ArrayRef<Bytes> operands, MutableBytes result, double initial,
                          int64_t initialInteger, Combine combine, Finish finish) {
  auto type = tensorType(op.getX());
  auto run = [&]<typename Acc, typename T>(Acc start, T) {
    reduce<Acc, T>(type, op.getAxes(), operands[0], result, start, combine, finish);
    return success();
  };
  if (type.getElementType().isF32())
    return run(initial, float());
  if (type.getElementType().isSignlessInteger(64))
    return run(initialInteger, int64_t());
  if (type.getElementType().isSignlessInteger(32))
    return run(initialInteger, int32_t());
  return failure();
}

auto add = [](auto a, auto b) {
  if constexpr (std::is_integral_v<decltype(a)>)
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
};
auto multiply = [](auto a, auto b) {
  if constexpr (std::is_integral_v<decltype(a)>)
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
};
// Propagate NaN.
auto larger = [](auto a, auto b) { return b > a || b != b ? b : a; };
auto smaller = [](auto a, auto b) { return b < a || b != b ? b : a; };
auto keep = [](auto value, int64_t) { return value; };
auto divide = [](auto value, int64_t count) {
  return count ? value / static_cast<decltype(value)>(count) : decltype(value)(0);
};
constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

LogicalResult ReduceSumOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped(*this, operands, result, 0, 0, add, keep);
}
LogicalResult ReduceMeanOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped(*this, operands, result, 0, 0, add, divide);
}
LogicalResult ReduceProdOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped(*this, operands, result, 1, 1, multiply, keep);
}
LogicalResult ReduceMaxOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped(*this, operands, result, -infinity, INT64_MIN, larger, keep);
}
LogicalResult ReduceMinOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped(*this, operands, result, infinity, INT64_MAX, smaller, keep);
}
