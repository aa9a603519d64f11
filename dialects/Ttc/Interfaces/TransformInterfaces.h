// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H
#define TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H

#include "dialects/Ttc/Layout/StridedRange.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/Ttc/TtcTransformInterfaces.h.inc"

namespace mlir::ttc {

/// ShardableOpInterface::getOperandPartitions() for any op. Returns false if the op cannot be
/// partitioned that way, or if the parts would not be equal.
bool getOperandPartitions(Operation *op, ArrayRef<int64_t> parts,
                          SmallVectorImpl<SmallVector<int64_t>> &partitions);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H
