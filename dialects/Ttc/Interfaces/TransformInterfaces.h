// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H
#define TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H

#include "dialects/Ttc/Layout/StridedRange.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::ttc {

enum class CollectiveKind : uint32_t;
enum class Reduction : uint32_t;

/// What the devices of a group exchange (ttc.collective).
struct CollectiveForm {
  CollectiveKind kind;
  Reduction reduction;
  /// Equal rows of the operand, in each of which parts are concatenated or divided.
  int64_t rows = 1;
  int64_t root = 0;
  ArrayRef<int64_t> sources = {};
  /// For an all_to_all: the dimensions that are divided and concatenated, if they differ.
  std::optional<std::pair<int64_t, int64_t>> splitAndConcat = {};
};

} // namespace mlir::ttc

#include "dialects/Ttc/TtcTransformInterfaces.h.inc"

namespace mlir::ttc {

/// ShardableOpInterface::getOperandPartitions() for any op. Returns false if the op cannot be
/// partitioned that way, or if the parts would not be equal.
bool getOperandPartitions(Operation *op, ArrayRef<int64_t> parts,
                          SmallVectorImpl<SmallVector<int64_t>> &partitions);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H
