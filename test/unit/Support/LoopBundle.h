// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles with loops.

#ifndef TTC_TEST_UNIT_SUPPORT_LOOPBUNDLE_H
#define TTC_TEST_UNIT_SUPPORT_LOOPBUNDLE_H

#include "BundleBuilder.h"

#include <ostream>

namespace ttrt::test {

struct LoopShape {
  bool isWide = false;  ///< commands of 16 workgroups; else all have one
  bool hasFlag = false; ///< the innermost loop ends after input "n" iterations
  uint64_t times = 3;   ///< of the innermost loop; with a flag, at most
  bool fails = false;   ///< if the flag is set after that
  uint32_t depth = 1;
  uint64_t outerTimes = 2; ///< of each loop around it

  uint32_t elements() const { return isWide ? 256 : 8; }
  /// How often the innermost body is executed.
  uint64_t executions(int64_t n) const;
};
void PrintTo(const LoopShape &shape, std::ostream *stream);

/// y = x + one or, if it is wide, x + w, as often as the innermost body is executed. That adds to
/// another buffer and copies the sum back. The tables are there at once, the trace is not.
struct LoopBundle {
  explicit LoopBundle(const LoopShape &shape = {});

  LoopShape shape;
  BundleBuilder builder;
  StreamBuilder stream;
  uint64_t bytes; ///< of x and all that is computed from it
  uint64_t w, x, y, n, a, b, counter, flag;
  uint32_t add, countDown, isPositive; ///< programs
  static constexpr float kMore = 0.5f; ///< all elements of w

  uint32_t options() const;
  uint64_t flagOf() const { return shape.hasFlag ? flag : kNoFlag; }
  std::vector<CarriedRange> carried() const;
  void barrier();
  void addTo(uint64_t to, uint64_t from);
  /// Before the loop, its body, and after it.
  void begin();
  void body();
  void end();
  /// All loops.
  void loops();
  /// The bundle with the stream.
  BundleBuilder finish();
};

BundleBuilder loopBundle(const LoopShape &shape);

/// The same without loops: each body stands there `iterations` times, with the barriers that a loop
/// makes.
BundleBuilder unrollLoops(const BundleBuilder &builder, uint64_t iterations);

/// After a change of streams: loops say again where their bodies end.
void repairLoops(BundleBuilder &builder);

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_LOOPBUNDLE_H
