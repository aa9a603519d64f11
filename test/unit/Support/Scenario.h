// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A use of the whole C API that stops at the first call that fails: for tests that let something
// fail in it. It allocates nothing itself.

#ifndef TTC_TEST_UNIT_SUPPORT_SCENARIO_H
#define TTC_TEST_UNIT_SUPPORT_SCENARIO_H

#include "ttrt/ttrt.h"

#include <cstdint>

namespace ttrt::test {

struct Outcome {
  const char *call = "";   ///< the one that failed; "" if none did
  ttrt_error error{};      ///< its message
  bool wrong = false;      ///< an output differs from that of sampleResult()
  const char *broken = ""; ///< what a failed call has done although it must not
};

/// Opens the bundle in a file (of queueBundle()), describes it, opens a device with two queues and
/// five threads, runs it, releases and loads a trace, uses the queues, an event and a pipeline, and
/// closes everything.
Outcome useEverything(const char *path);

/// Opens and closes a bundle.
Outcome openBundle(const char *path);

/// The same with a device, whose weights are copied into huge pages.
Outcome openWithHugePages(const char *path);

/// What the process has open.
struct Resources {
  long descriptors = 0, threads = 0, files = 0; ///< `files`: in the folder of the monitor
  uint64_t mappedBytes = 0;
};
Resources resources();

} // namespace ttrt::test

#endif // TTC_TEST_UNIT_SUPPORT_SCENARIO_H
