// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of constants: reductions.
#include "dialects/Ttc/ConstantEvaluation/ElementNumbers.h"
#include "dialects/Ttc/ConstantEvaluation/SeparableCopy.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/ShapeInference.h"
#include <limits>

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::detail;

using Bytes = ArrayRef<char>;
using MutableBytes = MutableArrayRef<char>;

namespace {

/// Floats of 16 bits, which C++ has no arithmetic for.
struct F16 {
  uint16_t bits;
  explicit F16(double value) : bits(toF16(static_cast<float>(value))) {}
  explicit operator double() const { return fromF16(bits); }
};
struct BF16 {
  uint16_t bits;
  explicit BF16(double value) : bits(toBF16(static_cast<float>(value))) {}
  explicit operator double() const { return fromBF16(bits); }
};

/// Reduces elements of type T in accumulators of type Acc.
template <typename Acc, typename T, typename Reduction>
void reduce(RankedTensorType type, ArrayRef<int64_t> axes, Bytes input, MutableBytes result) {
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
  SmallVector<Acc> accumulators(stride, Reduction::template initial<Acc, T>());
  auto *elements = reinterpret_cast<const T *>(input.data());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t rest = i, at = 0;
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      at += rest % type.getDimSize(dim) * strides[dim];
      rest /= type.getDimSize(dim);
    }
    accumulators[at] = Reduction::combine(accumulators[at], static_cast<Acc>(elements[i]));
  }
  auto *out = reinterpret_cast<T *>(result.data());
  for (auto [i, value] : llvm::enumerate(accumulators))
    out[i] = static_cast<T>(Reduction::finish(value, count));
}

/// Dispatches on the element type. Floats accumulate as double, integers as wrapping 64 bits.
template <typename Reduction, typename OpTy>
LogicalResult reduceTyped(OpTy op, ArrayRef<Bytes> operands, MutableBytes result) {
  auto type = tensorType(op.getX());
  auto run = [&]<typename Acc, typename T>() {
    reduce<Acc, T, Reduction>(type, op.getAxes(), operands[0], result);
    return success();
  };
  Type element = type.getElementType();
  if (element.isF32())
    return run.template operator()<double, float>();
  if (element.isF64())
    return run.template operator()<double, double>();
  if (element.isF16())
    return run.template operator()<double, F16>();
  if (element.isBF16())
    return run.template operator()<double, BF16>();
  const bool isUnsigned = element.isUnsignedInteger();
  auto runInteger = [&]<typename Signed>(Signed) {
    return isUnsigned ? run.template operator()<uint64_t, std::make_unsigned_t<Signed>>()
                      : run.template operator()<int64_t, Signed>();
  };
  switch (element.getIntOrFloatBitWidth()) {
  case 64:
    return runInteger(int64_t());
  case 32:
    return runInteger(int32_t());
  case 16:
    return runInteger(int16_t());
  case 8:
    return runInteger(int8_t());
  default:
    return failure();
  }
}

struct Sum {
  template <typename Acc, typename T> static Acc initial() { return 0; }
  template <typename Acc> static Acc combine(Acc a, Acc b) {
    if constexpr (std::is_integral_v<Acc>)
      return static_cast<Acc>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
      return a + b;
  }
  template <typename Acc> static Acc finish(Acc value, int64_t) { return value; }
};

struct Mean : Sum {
  template <typename Acc> static Acc finish(Acc value, int64_t count) {
    // The mean of nothing is 0 / 0, for which integers have no value.
    if (std::is_integral_v<Acc> && count == 0)
      return 0;
    return value / static_cast<Acc>(count);
  }
};

struct Product : Sum {
  template <typename Acc, typename T> static Acc initial() { return 1; }
  template <typename Acc> static Acc combine(Acc a, Acc b) {
    if constexpr (std::is_integral_v<Acc>)
      return static_cast<Acc>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
      return a * b;
  }
};

// NaN wins.
struct Largest : Sum {
  template <typename Acc, typename T> static Acc initial() {
    if constexpr (std::is_integral_v<T>)
      return std::numeric_limits<T>::min();
    else
      return -std::numeric_limits<Acc>::infinity();
  }
  template <typename Acc> static Acc combine(Acc a, Acc b) { return b > a || b != b ? b : a; }
};
struct Smallest : Sum {
  template <typename Acc, typename T> static Acc initial() {
    if constexpr (std::is_integral_v<T>)
      return std::numeric_limits<T>::max();
    else
      return std::numeric_limits<Acc>::infinity();
  }
  template <typename Acc> static Acc combine(Acc a, Acc b) { return b < a || b != b ? b : a; }
};

} // namespace

LogicalResult ReduceSumOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped<Sum>(*this, operands, result);
}
LogicalResult ReduceMeanOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped<Mean>(*this, operands, result);
}
LogicalResult ReduceProdOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped<Product>(*this, operands, result);
}
LogicalResult ReduceMaxOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped<Largest>(*this, operands, result);
}
LogicalResult ReduceMinOp::evaluateConstant(ArrayRef<Bytes> operands, MutableBytes result) {
  return reduceTyped<Smallest>(*this, operands, result);
}
