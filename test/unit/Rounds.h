// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often randomized tests repeat. Builds with sanitizers look for errors of memory and races,
// which few rounds show; the release build looks for rare values, in all of them.

#ifndef TTC_TEST_UNIT_ROUNDS_H
#define TTC_TEST_UNIT_ROUNDS_H

#include "test/unit/Runtime/Sanitized.h"

namespace ttrt::test {

/// `all` in builds without sanitizers, a tenth of it, and at least `least`, in others.
constexpr int rounds(int all, int least = 1) {
#ifdef TTRT_TEST_SANITIZED
  return all / 10 > least ? all / 10 : least;
#else
  static_cast<void>(least);
  return all;
#endif
}

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_ROUNDS_H
