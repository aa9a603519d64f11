// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_PLANNER_NOISE_H
#define TTC_LIB_PLANNER_NOISE_H

#include <cmath>
#include <random>

namespace ttc::planner {

/// Random numbers that are the same in every run and everywhere: the standard's distributions are
/// each library's own.
class Noise {
public:
  /// A factor from exp(-strength) to exp(strength).
  double blur(double strength) {
    return std::exp(strength * (static_cast<double>(random() >> 11) * 0x1p-52 - 1));
  }

private:
  std::mt19937_64 random{1};
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_NOISE_H
