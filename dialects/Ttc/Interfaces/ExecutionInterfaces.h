// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_INTERFACES_EXECUTIONINTERFACES_H
#define TTC_DIALECTS_TTC_INTERFACES_EXECUTIONINTERFACES_H

#include "dialects/Ttc/Layout/StridedRange.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::ttc {

/// One access of a command or a schedule step to a buffer.
struct BufferAccess {
  FlatSymbolRefAttr buffer;
  bool write;
};

/// The address of an operand: a buffer and an offset in bytes.
struct BufferRef {
  FlatSymbolRefAttr buffer;
  int64_t offset = 0;
};

/// Bytes of a buffer: rows of `row` bytes, `pitch` apart, from `offset` on. `bytes` counts from the
/// first row to the end of the last; 0 means the whole buffer.
struct ByteSpan {
  int64_t offset = 0, bytes = 0, row = 0, pitch = 0;
  /// Each row is the shard of one core's L1, and workgroup k accesses only that of core k.
  bool perWorkgroup = false;
};

/// The bytes of a tensor in memory, without padding; each element takes whole bytes.
int64_t getTensorBytes(ShapedType type);

/// Appends an access to each of the buffers: a write or a read.
void appendAccesses(ArrayAttr buffers, bool write, SmallVectorImpl<BufferAccess> &accesses);

} // namespace mlir::ttc

#include "dialects/Ttc/TtcExecutionInterfaces.h.inc"

#endif // TTC_DIALECTS_TTC_INTERFACES_EXECUTIONINTERFACES_H
