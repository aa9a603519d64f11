// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers to infer and verify the types of ops on tensors. Private to the dialect.
#ifndef TTC_DIALECTS_TTC_TENSORS_SHAPEINFERENCE_H
#define TTC_DIALECTS_TTC_TENSORS_SHAPEINFERENCE_H

#include "dialects/Ttc/Tensors/TensorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ValueRange.h"

namespace mlir::ttc::detail {

/// Reports errors of inference as `'ttc.op' op ...` at the op's location, or not at all.
class InferenceScope {
public:
  InferenceScope(std::optional<Location> location, StringRef opName)
      : location(location), opName(opName) {}

  template <typename... Args> LogicalResult fail(Args &&...args) const {
    return emitOptionalError(location, "'", opName, "' op ", std::forward<Args>(args)...);
  }

  /// Succeeds if all operands are ranked tensors with static shapes, which callers of builders may
  /// not have ensured.
  LogicalResult checkTensors(ValueRange operands) const;
  /// Succeeds if all operands have the same element type.
  LogicalResult checkSameElementType(StringRef constraint, ValueRange operands) const;
  /// Succeeds if `axis` is a dimension of a tensor of that rank.
  LogicalResult checkAxis(StringRef constraint, int64_t axis, int64_t rank) const;
  /// Succeeds if `value` is a vector of `size` elements.
  LogicalResult checkVector(StringRef constraint, StringRef name, Value value, int64_t size) const;
  /// Succeeds if the array has `size` elements, all of them at least `least`.
  LogicalResult checkArray(StringRef constraint, StringRef name, ArrayRef<int64_t> array,
                           int64_t size, int64_t least) const;

private:
  std::optional<Location> location;
  StringRef opName;
};

/// The sizes as `[1, 2, 3]`.
std::string toString(ArrayRef<int64_t> array);

/// Broadcasts `shape` with `other` by NumPy's rules, in place. Fails if they are incompatible.
LogicalResult broadcastShape(SmallVectorImpl<int64_t> &shape, ArrayRef<int64_t> other);

/// The channel and the spatial dimensions of an image operand.
struct ImageDims {
  ImageDims(RankedTensorType type, bool channelsLast);
  int64_t channel;
  int64_t firstSpatial;
  int64_t numSpatial;
};

} // namespace mlir::ttc::detail

#endif // TTC_DIALECTS_TTC_TENSORS_SHAPEINFERENCE_H
