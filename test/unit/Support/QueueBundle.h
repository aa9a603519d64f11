// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sample with a schedule of every shape, for one and for two queues.

#ifndef TTC_TEST_UNIT_SUPPORT_QUEUEBUNDLE_H
#define TTC_TEST_UNIT_SUPPORT_QUEUEBUNDLE_H

#include "BundleBuilder.h"

namespace ttrt::test {

/// sampleBundle() with schedules:
///   single           all on queue 0
///   overlap-input    queue 1 writes
/// overlap-io       queue 1 writes and reads, one inference later
///   rotated          the same, but the next write stands in front of the readback, and the first
///   one
///                    in the prologue
///   unrolled         two inferences in a body
///   signals          overlap-io with events inside the trace: the input may be overwritten after
///                    its first command, the output is taken before its last
BundleBuilder queueBundle();

inline constexpr const char *kSchedules[] = {"single",  "overlap-input", "overlap-io",
                                             "rotated", "unrolled",      "signals"};

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_QUEUEBUNDLE_H
