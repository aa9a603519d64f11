// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_PLANNER_RANDOM_H
#define TTC_LIB_PLANNER_RANDOM_H

#include <cmath>
#include <random>

namespace ttc::planner {

/// Random numbers that are equal in every run and with every standard library: the generator is
/// specified by the standard, while its distributions are implementation-defined.
class Random {
public:
  /// A factor between exp(-strength) and exp(strength).
  double nextFactor(double strength) {
    return std::exp(strength * (static_cast<double>(generator() >> 11) * 0x1p-52 - 1));
  }

private:
  std::mt19937_64 generator{1};
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_RANDOM_H
