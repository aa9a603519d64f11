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

/// Where an operand begins: a buffer and bytes from its begin.
struct BufferRef {
  FlatSymbolRefAttr buffer;
  int64_t offset = 0;
};

/// Bytes of a buffer: rows of `row` bytes, `pitch` apart, from `offset` on; `bytes` to the end of
/// the last row. `bytes` of 0: the whole buffer.
struct ByteSpan {
  int64_t offset = 0, bytes = 0, row = 0, pitch = 0;
  /// Rows are shards, one in each core's L1, and workgroup k touches that of core k only.
  bool perWorkgroup = false;
};

/// Bytes of a tensor in memory, without padding: row-major, an element takes whole bytes.
int64_t getTensorBytes(ShapedType type);

/// The buffers of a list of accesses, as reads or as writes.
void appendAccesses(ArrayAttr buffers, bool write, SmallVectorImpl<BufferAccess> &accesses);

} // namespace mlir::ttc

#include "dialects/Ttc/TtcExecutionInterfaces.h.inc"

#endif // TTC_DIALECTS_TTC_INTERFACES_EXECUTIONINTERFACES_H
