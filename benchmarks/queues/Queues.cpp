// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrt-bench-queues WHAT [BUNDLE]: measures and prints JSON; benchmarks/queues/queues.py makes
// tables of it.
//   schedules   time of an inference by each schedule, for several ratios of compute to transfers;
//               with BUNDLE of that model, else of a synthetic one
// costs       what enqueueing costs the host, how soon a waiting queue continues, and what running
//               programs on both queues at once saves
//   trace       traces of different lengths, replayed and dispatched by the host
//   timeline FOLDER   draws when each queue did what, and when commands ran with and without a
//               trace

#include "Bench.h"

#include <cstdio>
#include <string>

using namespace ttrt::bench;

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  ttrun::Json json;
  json.beginObject();
  if (what == "schedules" && argc == 2) {
    syntheticSchedules(json);
  } else if (what == "schedules" && argc == 3) {
    bundleSchedules(argv[2], json);
  } else if (what == "costs" && argc == 2) {
    costs(json);
  } else if (what == "trace" && argc == 2) {
    traces(json);
  } else if (what == "timeline" && argc == 3) {
    timelines(argv[2]);
  } else {
    fprintf(stderr,
            "usage: ttrt-bench-queues schedules [BUNDLE] | costs | trace | timeline FOLDER\n");
    return 2;
  }
  json.endObject();
  fputs(json.take().c_str(), stdout);
  return 0;
}
