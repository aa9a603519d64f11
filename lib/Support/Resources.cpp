// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/Resources.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::ttc;

DenseSet<StringRef> mlir::ttc::getResources(Operation *root) {
  DenseSet<StringRef> keys;
  const auto add = [&](DenseResourceElementsAttr resource) {
    keys.insert(resource.getRawHandle().getKey());
  };
  root->walk([&](Operation *op) {
    for (NamedAttribute attr : op->getAttrs())
      attr.getValue().walk(add);
    // Also within #ttc.shards.
    if (auto constant = dyn_cast<ConstantOp>(op))
      constant.getValue().walk(add);
  });
  return keys;
}

int64_t mlir::ttc::releaseResources(Operation *root, DenseSet<StringRef> before) {
  for (StringRef key : getResources(root))
    before.erase(key);
  int64_t bytes = 0;
  auto &manager = DenseResourceElementsHandle::getManagerInterface(root->getContext());
  for (StringRef key : before) {
    if (AsmResourceBlob *blob = manager.getBlobManager().lookup(key)->getBlob())
      bytes += blob->getData().size();
    manager.update(key, AsmResourceBlob());
  }
  return bytes;
}
