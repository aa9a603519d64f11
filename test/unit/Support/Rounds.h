// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often randomized tests repeat, and which of many cases they take. Builds with sanitizers look
// for errors of memory and races, which few rounds show; the release build looks for rare values.
// The nightly run (TTC_NIGHTLY) has all rounds and cases, the gate a third of them.

#ifndef TTC_TEST_UNIT_SUPPORT_ROUNDS_H
#define TTC_TEST_UNIT_SUPPORT_ROUNDS_H

#include "Sanitized.h"
#include <algorithm>
#include <cstdlib>

namespace ttrt::test {

#ifdef TTRT_TEST_SANITIZED
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

inline bool isNightly() {
  static const bool is = std::getenv("TTC_NIGHTLY") != nullptr;
  return is;
}

/// `all` in nightly builds without sanitizers, a third of it in the gate, and a tenth of these with
/// sanitizers; at least `least`.
inline int rounds(int all, int least = 1) {
  return std::max(least, all / (isNightly() ? 1 : 3) / (kIsSanitized ? 10 : 1));
}

/// Whether case `number` of many is one of the run: all are in the nightly run, each `step`-th in
/// the gate.
inline bool isInRun(size_t number, size_t step = 3) { return isNightly() || number % step == 0; }

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_ROUNDS_H
