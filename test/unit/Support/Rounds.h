// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often randomized tests repeat. Builds with sanitizers look for errors of memory and races,
// which few rounds show; the release build looks for rare values, in all of them.

#ifndef TTC_TEST_UNIT_SUPPORT_ROUNDS_H
#define TTC_TEST_UNIT_SUPPORT_ROUNDS_H

#include "Sanitized.h"

namespace ttrt::test {

#ifdef TTRT_TEST_SANITIZED
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

/// `all` in builds without sanitizers, a tenth of it, and at least `least`, in others.
constexpr int rounds(int all, int least = 1) {
  return !kIsSanitized ? all : all / 10 > least ? all / 10 : least;
}

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_ROUNDS_H
