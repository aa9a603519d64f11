// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on indices for results whose size depends on data. On constants all of it folds.
#ifndef TTC_LIB_IMPORT_SELECTION_H
#define TTC_LIB_IMPORT_SELECTION_H

#include "Expressions.h"

namespace mlir::ttc {

/// A vector as a tensor of `rank`, along `axis`.
Value along(OnnxNode &node, Value vector, int64_t axis, int64_t rank);

/// The one integer of a value that is known while importing.
std::optional<int64_t> constantInteger(Value value);

/// Running sums of a vector of bools: how many are true up to each, as i64.
Value countUpTo(OnnxNode &node, Value bools);

/// The indices that a vector of bools selects, in order.
struct Selection {
  /// i64, `size` elements; unused ones are the number of bools.
  Value places;
  /// How many there are: i64, one element.
  Value count;
  int64_t size = 0;
};
/// All that there are, if the bools are constant; else as many as the model declares. Without a
/// declared size, which would be a shape that the model does not expect, an error says what unused
/// entries of the output are.
Selection select(OnnxNode &node, Value bools, std::optional<int64_t> declared, StringRef padding);

/// Warns that the size of an output depends on data.
void warnOfBound(OnnxNode &node, int64_t size, StringRef padding);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_SELECTION_H
