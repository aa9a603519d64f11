// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H
#define TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H

#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Interfaces/Extents.h"
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

/// The op needs and makes whole tensors: no dimension of a result corresponds to one of an operand.
template <typename ConcreteType>
class WholeTensors : public OpTrait::TraitBase<ConcreteType, WholeTensors> {};

/// With the same attributes, the op computes a part of its result from parts of its operands.
template <typename ConcreteType>
class Shardable : public OpTrait::TraitBase<ConcreteType, Shardable> {};

} // namespace mlir::ttc

#include "dialects/Ttc/TtcTransformInterfaces.h.inc"

namespace mlir::ttc {

/// For a result that is partitioned into `parts` equal parts of each dimension: for each dimension
/// of each operand, the dimension of the result that it is partitioned with, or -1 if a part needs
/// all of it. Returns false if the op cannot be partitioned that way, as it is, or the parts would
/// not be equal.
bool getOperandPartitions(Operation *op, ArrayRef<int64_t> parts,
                          SmallVectorImpl<SmallVector<int64_t>> &partitions);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H
