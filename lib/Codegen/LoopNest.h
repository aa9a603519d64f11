// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linalg op on memrefs seen as a nest of loops over linear addresses.
#ifndef TTC_LIB_CODEGEN_LOOPNEST_H
#define TTC_LIB_CODEGEN_LOOPNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include <optional>

namespace mlir::ttc {

/// One loop; several of the op's dimensions when they are contiguous in every operand.
struct NestLoop {
  /// The op's dimension, the innermost one if several.
  unsigned dim;
  /// The number of iterations; none when only known at run time.
  std::optional<int64_t> extent;
  Value dynamicExtent;
  utils::IteratorType kind;
  /// By how many elements each memref operand advances; 0 for scalars.
  SmallVector<int64_t> strides;
};

struct NestOperand {
  /// The operand as one row of elements, and the address of the first one read or written;
  /// for a scalar operand just the value.
  Value base, offset;
  bool isScalar = false;
};

struct LoopNest {
  SmallVector<NestLoop> loops; // outermost first
  SmallVector<NestOperand> operands;
};

/// Reads the op's nest, merges contiguous loops and puts the best one innermost. None when an
/// operand's address is not linear in the loops.
std::optional<LoopNest> analyzeNest(OpBuilder &b, linalg::GenericOp op);

} // namespace mlir::ttc

#endif // TTC_LIB_CODEGEN_LOOPNEST_H
