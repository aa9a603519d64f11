// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H
#define TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H

#include "dialects/Ttc/Layout/StridedRange.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/Ttc/TtcTransformInterfaces.h.inc"

namespace mlir::ttc {

/// ShardableOpInterface::getOperandCuts() of any op; false where it has none. Also that the parts
/// are equal.
bool getOperandCuts(Operation *op, ArrayRef<int64_t> parts,
                    SmallVectorImpl<SmallVector<int64_t>> &cuts);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_INTERFACES_TRANSFORMINTERFACES_H
