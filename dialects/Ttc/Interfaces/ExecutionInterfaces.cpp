// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Interfaces/ExecutionInterfaces.h"

using namespace mlir;
using namespace mlir::ttc;

#include "dialects/Ttc/TtcExecutionInterfaces.cpp.inc"

int64_t mlir::ttc::getTensorBytes(ShapedType type) {
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

void mlir::ttc::appendAccesses(ArrayAttr buffers, bool write,
                               SmallVectorImpl<BufferAccess> &accesses) {
  for (auto buffer : buffers.getAsRange<FlatSymbolRefAttr>())
    accesses.push_back({buffer, write});
}
