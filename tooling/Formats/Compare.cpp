// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Compare.h"

#include <cmath>
#include <fmt/format.h>

namespace ttrun {

Comparison compare(const Tensor &got, const Tensor &expected, double rtol, double atol) {
  Comparison result;
  const size_t n = got.elements();
  double worst = -1;
  double sumA = 0, sumB = 0;
  for (size_t i = 0; i < n; ++i) {
    const double a = elementAt(got, i), b = elementAt(expected, i);
    sumA += a;
    sumB += b;
    const double tolerance = atol + rtol * std::fabs(b);
    const bool same = a == b || (std::isnan(a) && std::isnan(b));
    const double error = same ? 0 : std::fabs(a - b);
    const bool good = same || (std::isfinite(b) && error <= tolerance);
    // Without a tolerance, errors are weighted by their size.
    double weight = same ? 0 : tolerance > 0 ? error / tolerance : error;
    if (!good) {
      ++result.bad;
      if (!(weight == weight) || std::isinf(weight))
        weight = INFINITY;
    }
    if (weight > worst) {
      worst = weight;
      result.worst = i;
      result.got = a;
      result.expected = b;
    }
  }
  result.equal = result.bad == 0;
  if (n == 0)
    return result;
  const double meanA = sumA / static_cast<double>(n), meanB = sumB / static_cast<double>(n);
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < n; ++i) {
    const double a = elementAt(got, i) - meanA, b = elementAt(expected, i) - meanB;
    ab += a * b;
    aa += a * a;
    bb += b * b;
  }
  if (aa == 0 && bb == 0)
    result.pcc = result.equal ? 1 : 0;
  else
    result.pcc = ab / std::sqrt(aa * bb);
  return result;
}

std::vector<int64_t> coordinates(const std::vector<int64_t> &shape, size_t index) {
  std::vector<int64_t> result(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<size_t>(shape[d]);
    result[d] = static_cast<int64_t>(index % extent);
    index /= extent;
  }
  return result;
}

std::string position(const std::vector<int64_t> &shape, size_t index) {
  return fmt::format("[{}]", fmt::join(coordinates(shape, index), ", "));
}

} // namespace ttrun
