// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of a given number of commands of a given length, with schedules for one and for two
// queues.

#ifndef TTC_BENCHMARKS_QUEUES_SYNTHETIC_H
#define TTC_BENCHMARKS_QUEUES_SYNTHETIC_H

#include "test/unit/Support/BundleBuilder.h"

namespace ttrt::bench {

struct Shape {
  uint32_t commands = 10; ///< at least 2
  double commandUs = 1;
  uint64_t words = 8192; ///< 8 bytes each, of the input and of the output
};

/// Entry points, all with input "x" and output "y" = x + 2 (the first word: how many there are):
///   main    schedule single; everything in one trace
///   split   the first and the last command are dispatched outside the trace, so that events can be
///           recorded beside them: single, overlap-input, overlap-io
///   inside  the trace itself signals that its input was read and waits until its output was:
///   single,
///           overlap-io
///   stamps  output "stamps": begin and end of each command of the last inference, in ticks, every
///           kStampWords words
///   beside  a trace of as many commands that touches nothing that the others do, with stamps of
///   its
///           own
test::BundleBuilder syntheticBundle(const Shape &shape);
inline constexpr uint64_t kStampWords = 8;
enum Entry : uint32_t { kMain, kSplit, kInside, kStamps, kBeside };
/// Numbers of the traces that can be executed at the same time.
enum : uint32_t { kWholeTrace = 0, kBesideTrace = 3 };

/// The CPU's counter that stamps are in.
uint64_t ticks();
double ticksPerUs();

std::vector<uint64_t> inputOf(const Shape &shape, uint64_t seed);
bool isOutputOf(const Shape &shape, uint64_t seed, const uint64_t *output);

} // namespace ttrt::bench

#endif // TTC_BENCHMARKS_QUEUES_SYNTHETIC_H
