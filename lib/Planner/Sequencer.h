// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search for a plan by deciding what lies below what, as machines are scheduled.
#ifndef TTC_LIB_PLANNER_SEQUENCER_H
#define TTC_LIB_PLANNER_SEQUENCER_H

#include "Search.h"

namespace ttc::planner {

/// A section is a machine, an item a job that needs all its sections at once, an offset a time.
/// Each item has a lowest offset and a highest end; for each two that meet it may be known which
/// lies below. A decision says which item of a section lies below (or above) all those whose place
/// is open, in the section that leaves the fewest to choose from. docs/planner.md says what follows
/// from a decision and why nothing is lost.
class Sequencer {
public:
  using Clock = Search::Clock;

  /// How a run chooses the section that it decides next.
  struct Rule {
    bool fromAbove;  ///< decides what lies highest as well, not only what lies lowest
    bool slackFirst; ///< the fullest section before the one with the fewest to choose from
  };

  /// The relations of all pairs are kept, and each decision looks at every section: for more items
  /// than this another order is the better use of the time.
  static constexpr size_t kMostItems = 1000;

  explicit Sequencer(const Instance &instance);

  /// Looks for a plan of at most `capacity` bytes; goes on for at most so many decisions and so
  /// much work. Of items that could lie equally low, that with the higher preference is tried
  /// first.
  Outcome run(int64_t capacity, Rule rule, std::span<const double> preference, int64_t decisions,
              int64_t work, std::optional<Clock::time_point> until);

  const std::vector<int64_t> &getOffsets() const { return offset; }
  /// How often the last run looked at a section for what follows from its decisions, which takes
  /// about as long as a placement of `Search`.
  int64_t getWork() const { return work; }

private:
  enum Relation : char { Open, Below, Above };
  struct Change {
    enum { Lowest, Highest, Pair } kind;
    int32_t item, other;
    int64_t old;
  };
  /// What there is to decide in a section.
  struct Choice {
    int64_t slack = 0; ///< bytes between the lowest and the highest open item that stay free
    std::vector<int32_t> open, lowest, highest;
  };

  bool search();
  bool isDone();
  const Choice *choose(int32_t &section, bool &above);
  void look(int32_t section, Choice &choice);
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
  int64_t depth = 0; ///< of decisions that follow from each other
  std::optional<Clock::time_point> deadline;
  bool gaveUp = false;

  std::vector<int64_t> offset;
  /// Of each item: the lowest offset and the highest end.
  std::vector<int64_t> low, high;
  std::vector<char> relations;
  std::vector<Change> changes;
  /// Of each section: how often nothing was left in it, lately, over all runs.
  std::vector<double> failures;
  /// Sections to propagate, and sections whose choice is out of date.
  std::vector<int32_t> queue;
  std::vector<char> isQueued, isStale;
  std::vector<Choice> choices;
  /// The members of each section by lowest offset, by highest end.
  std::vector<std::vector<int32_t>> byLow, byHigh;
  /// Scratch of the propagation and of isDone.
  std::vector<int64_t> sums, ends, sizes, bounds;
  std::vector<int32_t> position, hits, order;
  std::vector<int64_t> tops;
};

} // namespace ttc::planner

#endif // TTC_LIB_PLANNER_SEQUENCER_H
