// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images sampled at coordinates that are computed at run time.
#ifndef TTC_LIB_IMPORT_PIXELSAMPLING_H
#define TTC_LIB_IMPORT_PIXELSAMPLING_H

#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

namespace mlir::ttc {

/// What an axis contributes to the samples: for each of `n` taps and each sample, a position along
/// the axis. Its tensors have the shape `n, samples...`, in which dimensions of samples may be 1.
struct AxisTaps {
  /// Floats inside the axis.
  Value positions;
  /// Null for weights of 1.
  Value weights;
  /// Where the tap does not count, an i1; null if all count.
  Value isInside;
};

/// The weights of cubic convolution with the coefficient `a` at these distances, which are at
/// most 2.
Value getCubicWeights(Expressions &e, Value distances, double a);

/// The taps for linear interpolation at `coordinates` (`samples...`): the two elements around each.
/// Positions are not yet inside the axis.
AxisTaps getLinearTaps(Expressions &e, Value coordinates);
/// The same for cubic convolution with the coefficient -0.75: four elements.
AxisTaps getCubicTaps(Expressions &e, Value coordinates);

/// Positions limited to 0, ..., size - 1.
Value clampPositions(OnnxNode &node, Value positions, int64_t size);
/// Whether 0 <= positions <= size - 1.
Value arePositionsInside(Expressions &e, Value positions, int64_t size);

/// `n, c, spatial...` as rows: `n * spatial..., c`.
Value toRows(Expressions &e, Value image);

/// All combinations of the axes' taps: `taps, samples..., c`, weighted, and zero where they do not
/// count. `rows` are those of toRows(); `firstRows` (integers, `samples...`) says where the image
/// of each sample begins. `sizes` are the image's spatial sizes, `samples` the shape of the
/// samples.
Value gatherTaps(OnnxNode &node, Value rows, Value firstRows, ArrayRef<int64_t> sizes,
                 ArrayRef<AxisTaps> axes, ArrayRef<int64_t> samples);

/// The type of integers that count the rows.
Type getRowType(Value rows);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_PIXELSAMPLING_H
