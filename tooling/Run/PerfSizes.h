// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun perf of a model with dimensions, for many sizes of one of them.

#ifndef TTC_TOOLING_RUN_PERFSIZES_H
#define TTC_TOOLING_RUN_PERFSIZES_H

#include "Formats/Json.h"
#include "Run/Session.h"

#include <optional>
#include <string>
#include <vector>

namespace ttrun {

/// "sequence:1..512" or "sequence:16..512:16".
struct SizeRange {
  std::string dim;
  int64_t low = 1, high = 1, step = 0; ///< 0: not given
};

/// Takes the range out of the values of --dim, and leaves its largest size. Throws UserError.
std::optional<SizeRange> takeRange(std::vector<std::string> &dims);

/// The times of runs of one size, in milliseconds, with the copies of inputs and outputs.
struct SizeTimes {
  int64_t size = 0;
  std::string variant;
  double first = 0, tenth = 0;         ///< the first run of this size, and the tenth
  double median = 0, p10 = 0, p90 = 0; ///< of all but the first
};

struct SizesReport {
  SizeRange range;
  std::string title; ///< "encoder.ttcb: main, batch 8"
  uint64_t loops = 0;
  std::vector<SizeTimes> sizes; ///< ascending
};

/// Runs each size `loops` times, at least ten. Without a step, these are sizes all over the range,
/// the bounds of variants, and what follows these. Throws UserError.
SizesReport measureSizes(const Session &session, const std::string &path, const SizeRange &range,
                         uint64_t loops, const ttrt_run_options &run);
void printSizes(const SizesReport &report, const Session &session);
/// Members of an object that has been begun.
void addSizes(Json &json, const SizesReport &report, const Session &session);
/// Time over size, with the variants (SVG).
std::string sizesPicture(const SizesReport &report);

} // namespace ttrun

#endif // TTC_TOOLING_RUN_PERFSIZES_H
