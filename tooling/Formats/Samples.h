// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_SAMPLES_H
#define TTC_TOOLING_FORMATS_SAMPLES_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ttrun {

/// Sorted samples.
class Samples {
public:
  void add(double value) {
    values.push_back(value);
    sum_ += value;
  }
  void finish() { std::sort(values.begin(), values.end()); }
  /// By the nearest-rank method.
  double percentile(double p) const {
    if (values.empty())
      return 0;
    auto rank = static_cast<size_t>(p / 100 * static_cast<double>(values.size()) + 0.999999);
    return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
  }
  double least() const { return values.empty() ? 0 : values.front(); }
  double median() const { return percentile(50); }
  bool empty() const { return values.empty(); }
  double sum() const { return sum_; }

private:
  std::vector<double> values;
  double sum_ = 0;
};

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_SAMPLES_H
