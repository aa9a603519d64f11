// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers to infer and verify the types of ops on tensors. Private to the dialect.
#ifndef TTC_DIALECTS_TTC_TENSORS_SHAPEINFERENCE_H
#define TTC_DIALECTS_TTC_TENSORS_SHAPEINFERENCE_H

#include "dialects/Ttc/Tensors/TensorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ValueRange.h"

namespace mlir::ttc::detail {

/// The most elements of a tensor (TtcTypes.td). Operands are verified before results are inferred;
/// attributes can have any value.
inline constexpr int64_t kMostElements = int64_t(1) << 40;

/// A size computed in 128 bits, in which no sum or product of two sizes overflows. One that is too
/// large remains so, and the result's type is rejected.
inline int64_t toSize(__int128 size) {
  return static_cast<int64_t>(std::clamp<__int128>(size, -1, kMostElements + 1));
}

/// Reports errors of inference as `'ttc.op' op ...` at the op's location, or not at all.
class InferenceScope {
public:
  InferenceScope(MLIRContext *context, std::optional<Location> location, StringRef opName)
      : context(context), location(location), opName(opName) {}

  MLIRContext *getContext() const { return context; }

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
  /// Succeeds if the array has `size` elements, all of them at least `least` and at most
  /// kMostElements.
  LogicalResult checkArray(StringRef constraint, StringRef name, ArrayRef<int64_t> array,
                           int64_t size, int64_t least) const;

private:
  MLIRContext *context;
  std::optional<Location> location;
  StringRef opName;
};

/// Infers the result of `OP` as of other ops with the same attributes.
#define TTC_INFER_WITH(OP, FUNCTION)                                                               \
  LogicalResult OP::inferTypes(const InferenceScope &scope, Adaptor adaptor,                       \
                               SmallVectorImpl<Type> &types) {                                     \
    return FUNCTION(scope, adaptor, types);                                                        \
  }

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
