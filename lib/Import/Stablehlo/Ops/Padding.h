// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding as StableHLO defines it.
#ifndef TTC_LIB_IMPORT_STABLEHLO_PADDING_H
#define TTC_LIB_IMPORT_STABLEHLO_PADDING_H

#include "lib/Import/Stablehlo/Core/StablehloOp.h"

namespace mlir::ttc {

/// How one tensor is padded. Elements that padding removes have a negative count.
struct PadCounts {
  SmallVector<int64_t> low, high, interior;

  explicit PadCounts(int64_t rank) : low(rank, 0), high(rank, 0), interior(rank, 0) {}
  bool isNone() const;
};

/// Attribute 'padding', which has a low and a high count for each of `rank` dimensions; without it
/// all are 0. Nullopt is reported: one of another shape.
std::optional<PadCounts> readPadding(StablehloOp &op, int64_t rank, StringRef constraint);
/// The sizes of the padded tensor. Nullopt is reported: sizes that are negative, which `constraint`
/// excludes, or beyond all devices.
std::optional<SmallVector<int64_t>> getPaddedShape(StablehloOp &op, ArrayRef<int64_t> shape,
                                                   const PadCounts &padding,
                                                   StringRef constraint = "");
/// Elements between those of the tensor come first, then those at the ends. `value` has rank 0.
Value makePad(StablehloOp &op, Value x, const PadCounts &padding, Value value);
Value makePad(StablehloOp &op, Value x, const PadCounts &padding, double value);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLO_PADDING_H
