// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search for a plan by deciding which buffer is below which, as in job-shop scheduling.
#ifndef TTC_LIB_PLANNER_SEQUENCER_H
#define TTC_LIB_PLANNER_SEQUENCER_H

#include "Search.h"

namespace ttc::planner {

/// A section is a machine, an item a job that occupies all its sections at once, an offset a time.
/// Each item has a lowest offset and a highest end; for each overlapping pair it may be known which
/// one is below. A decision selects the item of a section that is below (or above) all others whose
/// order is open, in the section with the fewest candidates. docs/planner.md describes the
/// propagation rules and why no solution is lost.
class Sequencer {
public:
  using Clock = Search::Clock;

  /// How a run selects the section that it decides next.
  struct Rule {
    bool fromAbove;  ///< decides the highest item as well, not only the lowest one
    bool slackFirst; ///< prefers the fullest section over the one with the fewest candidates
  };

  /// Memory grows with the square of the items, and each decision examines every section: for more
  /// items than this, trying further orders is a better use of the time.
  static constexpr size_t kMostItems = 1000;

  explicit Sequencer(const Instance &instance);

  /// Searches for a plan of at most `capacity` bytes, with at most the given number of decisions
  /// and amount of work. Among items with equal lowest offsets, the one of higher preference is
  /// tried first.
  Outcome run(int64_t capacity, Rule rule, std::span<const double> preference, int64_t decisions,
              int64_t work, std::optional<Clock::time_point> until);

  const std::vector<int64_t> &getOffsets() const { return offset; }
  /// How often the last run propagated a section, which takes about as long as a placement of
  /// `Search`.
  int64_t getWork() const { return work; }

private:
  enum Relation : char { Open, Below, Above };
  struct Change {
    enum { Lowest, Highest, Pair } kind;
    int32_t item, other;
    int64_t old;
  };
  /// The open decision of a section.
  struct Choice {
    int64_t slack = 0; ///< bytes that stay free between the lowest and the highest open item
    std::vector<int32_t> open, lowest, highest;
  };

  bool search();
  bool isDone();
  const Choice *choose(int32_t &section, bool &above);
  void collectChoice(int32_t section, Choice &choice);
  bool propagate();
  bool propagateSection(int32_t section);
  bool findEdgesBelow(int32_t section);
  bool findEdgesAbove(int32_t section);
  bool orderPairs(int32_t section);
  bool raise(int32_t item, int64_t low);
  bool lower(int32_t item, int64_t high);
  bool putBelow(int32_t item, int32_t other);
  void sortByLow(int32_t section);
  void sortByHigh(int32_t section);
  void touch(int32_t begin, int32_t end);
  void undo(size_t mark);
  char &relation(int32_t item, int32_t other) {
    return relations[static_cast<size_t>(item) * instance.size() + static_cast<size_t>(other)];
  }
  int64_t size(int32_t item) const { return instance.items[item].size; }

  const Instance &instance;
  int64_t capacity = 0;
  Rule rule{};
  std::span<const double> preference;
  int64_t decisions = 0, decisionLimit = 0, work = 0, workLimit = 0;
  int64_t depth = 0; ///< of nested decisions
  std::optional<Clock::time_point> deadline;
  bool gaveUp = false;

  std::vector<int64_t> offset;
  /// For each item: the lowest offset and the highest end.
  std::vector<int64_t> low, high;
  std::vector<char> relations;
  std::vector<Change> changes;
  /// For each section: how often it failed recently, over all runs.
  std::vector<double> failures;
  /// Sections to propagate, and sections whose choice is stale.
  std::vector<int32_t> queue;
  std::vector<char> isQueued, isStale;
  std::vector<Choice> choices;
  /// The members of each section, sorted by lowest offset and by highest end.
  std::vector<std::vector<int32_t>> byLow, byHigh;
  /// Scratch of the propagation and of isDone.
  std::vector<int64_t> sums, ends, sizes, bounds;
  std::vector<int32_t> position, hits, order;
  std::vector<int64_t> tops;
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_SEQUENCER_H
