// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize as weighted sums of elements along one axis after the other: all that ttc.resize does not
// do. The positions and weights are constants.
#ifndef TTC_LIB_IMPORT_RESIZESAMPLING_H
#define TTC_LIB_IMPORT_RESIZESAMPLING_H

#include "lib/Import/Onnx/Core/OnnxNode.h"

#include "dialects/Ttc/TtcAttributes.h"

namespace mlir::ttc {

enum class SampleMode { Nearest, Linear, Cubic };

/// The attributes of a Resize.
struct ResizeSampling {
  SampleMode mode = SampleMode::Nearest;
  CoordinateMode coordinates = CoordinateMode::HalfPixel;
  NearestMode rounding = NearestMode::RoundPreferFloor;
  /// Coordinates are those of a region of interest, and `coordinates` has no effect.
  bool crops = false;
  bool antialias = false;
  bool excludeOutside = false;
  double cubicCoefficient = -0.75;
  /// The result where a crop extends past the operand.
  double extrapolation = 0;
};

/// One axis of a Resize. The size times the scale need not be a whole number.
struct ResizeAxis {
  int64_t operandSize = 0, resultSize = 0;
  double scale = 1;
  /// The bounds of the region, in parts of the operand.
  double start = 0, end = 1;
  /// The same as scalars of f64 where they are computed at run time; null where they are not.
  Value computedScale, computedStart, computedEnd;

  bool isComputed() const { return computedScale || computedStart; }
  bool isIdentity() const {
    return operandSize == resultSize && scale == 1 && start == 0 && end == 1 && !isComputed();
  }
};

/// `x` with every axis resampled. `axes` has one element for each dimension.
Value resizeBySampling(OnnxNode &node, Value x, const ResizeSampling &sampling,
                       ArrayRef<ResizeAxis> axes);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_RESIZESAMPLING_H
