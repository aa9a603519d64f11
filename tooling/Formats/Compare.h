// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_COMPARE_H
#define TTC_TOOLING_FORMATS_COMPARE_H

#include "Formats/Npy.h"

#include <string>

namespace ttrun {

struct Comparison {
  bool equal = true;
  size_t bad = 0;   ///< elements outside the tolerance
  size_t worst = 0; ///< index of the element with the largest |error| / tolerance
  double got = 0, expected = 0;
  double pcc = 1; ///< Pearson's correlation; 1 if both are constant and equal
};

/// Compares elements: |got - expected| <= atol + rtol * |expected|. NaN equals NaN, and an infinity
/// equals itself. The shapes must be equal.
Comparison compare(const Tensor &got, const Tensor &expected, double rtol, double atol);

/// The indices of an element.
std::vector<int64_t> coordinates(const std::vector<int64_t> &shape, size_t index);
/// "[0, 3]": the same as text.
std::string position(const std::vector<int64_t> &shape, size_t index);

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_COMPARE_H
