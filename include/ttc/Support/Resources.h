// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of large constants. The context keeps attributes as long as it lives, but not their
// data, if a pass frees what it has replaced.
#ifndef TTC_SUPPORT_RESOURCES_H
#define TTC_SUPPORT_RESOURCES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::ttc {

/// The keys of the resources that ops below `root` hold.
DenseSet<StringRef> getResources(Operation *root);

/// Frees the data of those that are no longer held. Returns their bytes.
int64_t releaseResources(Operation *root, DenseSet<StringRef> before);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_RESOURCES_H
