// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines that are rounded down, through a few of their points: sizes after strides.
#ifndef TTC_LIB_SHAPES_ROUNDEDLINES_H
#define TTC_LIB_SHAPES_ROUNDEDLINES_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mlir::ttc {

/// (rise * k + offset) / run, rounded down.
struct RoundedLine {
  int64_t rise = 0, offset = 0, run = 1;
};

/// All lines with a run of at most kMostRun that have given values at some of k = 0, 1, ..., last.
///
/// A line is a point (slope, height), and each value leaves a strip of that plane, so the lines
/// that are left are a convex polygon. Its corners say between which numbers the value at any other
/// k is.
class RoundedLines {
public:
  static constexpr int64_t kMostRun = 4096;
  /// A range with more sizes has no rounded line here, only whole multiples.
  static constexpr int64_t kMostLast = int64_t(1) << 24;

  /// Points (k, value), ascending; those of 0 and of `last` are among them.
  RoundedLines(std::vector<std::pair<int64_t, int64_t>> points, int64_t last);

  /// The line with the least run. Nothing if no line has these values.
  std::optional<RoundedLine> getSimplest() const { return simplest; }
  /// The k whose value would tell most about the line: about as many lines have one value there as
  /// another one. Nothing if all lines are the same from 0 to `last`.
  std::optional<int64_t> getMostTelling() const;

private:
  struct Corner {
    double slope, height;
  };
  void findCorners();
  void findSimplest();

  std::vector<std::pair<int64_t, int64_t>> points; ///< without the whole multiples
  int64_t last, first, whole; ///< a value is first + whole * k and what `points` has
  std::vector<Corner> corners;
  std::optional<RoundedLine> simplest;
};

} // namespace mlir::ttc

#endif // TTC_LIB_SHAPES_ROUNDEDLINES_H
