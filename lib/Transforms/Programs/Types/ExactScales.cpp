// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExactScales.h"
#include "llvm/ADT/bit.h"
#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

/// The scales take as many bytes as this number of rows of weights.
static constexpr int64_t kScaleRows = sizeof(float);
/// With fewer rows, scales take as much as they save.
static constexpr int64_t kLeastDepth = 16;
/// The largest magnitude of a byte.
static constexpr int kMostMultiple = 128;

namespace {
/// Column `first` of a panel.
struct Column {
  const float *first;
  int64_t depth, step;

  float operator[](int64_t k) const { return first[k * step]; }

  /// The byte that gives a weight its bits; nothing if there is none.
  static std::optional<int8_t> divide(float weight, float scale) {
    const float quotient = std::nearbyint(weight / scale);
    if (!(quotient >= -128 && quotient <= 127))
      return std::nullopt;
    const auto byte = static_cast<int8_t>(quotient);
    if (llvm::bit_cast<uint32_t>(static_cast<float>(byte) * scale) !=
        llvm::bit_cast<uint32_t>(weight))
      return std::nullopt;
    return byte;
  }

  bool hasScale(float scale) const {
    if (!(scale >= FLT_MIN && scale <= FLT_MAX))
      return false;
    for (int64_t k = 0; k < depth; ++k)
      if (!divide((*this)[k], scale))
        return false;
    return true;
  }

  /// Tries `hint` first: most tensors have one scale, or the scale of a column is in several
  /// panels.
  std::optional<float> findScale(float hint) const {
    if (hasScale(hint))
      return hint;
    float least = INFINITY;
    for (int64_t k = 0; k < depth; ++k)
      if (const float size = std::abs((*this)[k]); size > 0 && size < least)
        least = size;
    if (std::isinf(least))
      return hasScale(1) ? std::optional(1.0f) : std::nullopt;
    // least = multiple * scale, rounded: the quotient is the scale, or next to it.
    for (int multiple = 1; multiple <= kMostMultiple; ++multiple) {
      const float scale = least / static_cast<float>(multiple);
      for (float candidate : {scale, std::nextafter(scale, 0.0f), std::nextafter(scale, INFINITY)})
        if (hasScale(candidate))
          return candidate;
    }
    return std::nullopt;
  }
};
} // namespace

std::optional<ConstantTensor> mlir::ttc::findExactScales(const ConstantTensor &weights) {
  SmallVector<int64_t> shape(weights.getShape());
  const int64_t panels = shape[0] * shape[1], depth = shape[2], columns = shape[3];
  if (depth < kLeastDepth)
    return std::nullopt;
  shape[2] += kScaleRows;
  Type i8 = IntegerType::get(weights.getType().getContext(), 8);
  std::optional<ConstantTensor> result;
  ArrayRef<float> values = weights.get<float>();
  float scale = 1;
  for (int64_t panel = 0; panel < panels; ++panel)
    for (int64_t c = 0; c < columns; ++c) {
      const Column column{values.data() + panel * depth * columns + c, depth, columns};
      const std::optional<float> found = column.findScale(scale);
      if (!found)
        return std::nullopt;
      scale = *found;
      if (!result)
        result = ConstantTensor::allocate(RankedTensorType::get(shape, i8));
      char *bytes = result->getMutableBytes().data() + panel * shape[2] * columns;
      for (int64_t k = 0; k < depth; ++k)
        bytes[k * columns + c] = static_cast<char>(*Column::divide(column[k], scale));
      std::memcpy(bytes + depth * columns + c * sizeof(float), &scale, sizeof(float));
    }
  return result;
}
