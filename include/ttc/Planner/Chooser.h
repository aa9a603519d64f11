// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of many buffers shall lie in a memory that is too small for all: those that are worth most
// and can be planned together. Knows no MLIR.
#ifndef TTC_PLANNER_CHOOSER_H
#define TTC_PLANNER_CHOOSER_H

#include "ttc/Planner/Planner.h"

namespace ttc::planner {

/// What may lie in the memory, and what that is worth, in any unit.
struct Candidate {
  Buffer buffer; ///< without an offset
  int64_t value = 0;
};

struct ChooseLimits {
  /// Decisions that improving and searching try in all: equal input gives an equal choice, on any
  /// machine.
  int64_t nodes = 50'000;
  /// Placements for each question whether some buffers can be planned together (`solve`).
  int64_t planNodes = 10'000;
};

struct Choice {
  std::vector<bool> chosen; ///< of each candidate
  int64_t value = 0;        ///< of the chosen ones together
  /// No choice that `solve` can plan with the given limits is worth more.
  bool isOptimal = false;
};

/// Chooses candidates that `solve` can plan beside `required` within the capacity. Takes all, where
/// that is possible; else it takes the most valuable ones for their room and time first, then
/// exchanges some for others that are worth more, and then looks at all choices in turn, as far as
/// the nodes go. Chooses nothing if not even `required` can be planned.
Choice choose(std::span<const Candidate> candidates, std::span<const Buffer> required,
              int64_t capacity, const ChooseLimits &limits = {});

} // namespace ttc::planner

#endif // TTC_PLANNER_CHOOSER_H
