// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selects which buffers to store in a memory that is too small for all of them: those of the
// highest total value that can be planned together. Independent of MLIR.
#ifndef TTC_PLANNER_CHOOSER_H
#define TTC_PLANNER_CHOOSER_H

#include "ttc/Planner/Planner.h"

namespace ttc::planner {

/// A buffer that may be stored in the memory, and the value of doing so, in any unit.
struct Candidate {
  Buffer buffer; ///< without an offset
  int64_t value = 0;
};

struct ChooseLimits {
  /// The most decisions that the local search and the exhaustive search try in total. Equal input
  /// gives an equal choice on every machine.
  int64_t nodes = 50'000;
  /// The most placements of each call of `solve`, which tells whether buffers fit together.
  int64_t planNodes = 10'000;
};

struct Choice {
  std::vector<bool> chosen; ///< for each candidate
  int64_t value = 0;        ///< total of the chosen candidates
  /// No choice that `solve` can plan within the limits has a higher value.
  bool isOptimal = false;
};

/// Chooses candidates that `solve` can plan together with `required` within the capacity. Chooses
/// all of them if possible. Otherwise starts from greedy choices by value and density, improves the
/// best one by local search, and then runs branch and bound within the node limit. Chooses nothing
/// if not even `required` can be planned.
Choice choose(std::span<const Candidate> candidates, std::span<const Buffer> required,
              int64_t capacity, const ChooseLimits &limits = {});

} // namespace ttc::planner

#endif // TTC_PLANNER_CHOOSER_H
