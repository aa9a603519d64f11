// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on indices for results whose size depends on data. On constants all of it folds.
#ifndef TTC_LIB_IMPORT_SELECTION_H
#define TTC_LIB_IMPORT_SELECTION_H

#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

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
/// If the bools are constant, all indices that they select; else as many as are declared. Reports
/// the absence of a declaration: any other size would be one that the model does not expect.
/// `padding` says in the error what unused entries of the output are.
Selection select(OnnxNode &node, Value bools, std::optional<int64_t> declared, StringRef padding);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_SELECTION_H
