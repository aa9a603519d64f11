// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The angles of rotary embedding.
#ifndef TTC_LIB_IMPORT_GGUF_GGUFROTARY_H
#define TTC_LIB_IMPORT_GGUF_GGUFROTARY_H

#include <cstdint>
#include <vector>

namespace mlir::ttc {

/// How positions beyond those of the training are scaled.
struct GgufRotaryScaling {
  double factor = 1; ///< of the positions that a model can have; angles are divided by it
  /// YaRN (arXiv 2309.00071): pairs that turn more than `fast` times within `trainedContext`
  /// positions are not scaled, those that turn less than `slow` times are, and others in part.
  bool isYarn = false;
  double fast = 32, slow = 1;
  double trainedContext = 0;
  bool scalesMagnitude = true;      ///< YaRN's attention factor
  std::vector<float> divisors = {}; ///< of each pair's angles; empty: 1
};

/// The rotations of heads by one table.
struct GgufRotations {
  /// Angles per position, of each of the headSize / 2 pairs.
  std::vector<double> frequencies;
  int64_t pairs = 0; ///< those that are rotated; angles of the others are 0
  /// Of the cosines and sines of rotated pairs: YaRN's attention factor.
  double magnitude = 1;
};

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_GGUF_GGUFROTARY_H
