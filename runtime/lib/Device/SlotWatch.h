// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that slots still hold the data they are used for. A plan may share the bytes of an input's
// slot in L1 with other tensors once the input has been read, so the input must be written again
// for each run; and an output that is read in place is lost when the next replay writes it.
// docs/runtime.md, "How slots are kept valid", describes who calls what.

#ifndef TTRT_LIB_DEVICE_SLOTWATCH_H
#define TTRT_LIB_DEVICE_SLOTWATCH_H

#include "Bundle/Bundle.h"
#include "Bundle/DecodedPlan.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

namespace ttrt {

/// Thread-safe. Effects count in the order of the host's calls, which is the order of execution for
/// any host that orders its queues by events. After construction nothing allocates; if there is
/// nothing to watch, a call costs one comparison.
class SlotWatch {
public:
  /// Inputs whose slots have a lifetime are always watched; outputs only if `outputs` is set.
  SlotWatch(const Bundle &bundle, bool outputs);

  /// Whether other tensors have the bytes of an input's slot at times.
  bool isShared(uint32_t entry, uint32_t input) const noexcept {
    return std::any_of(shared_.get(), shared_.get() + sharedCount_, [&](const Shared &slot) {
      return slot.entry == entry && slot.input == input;
    });
  }
  /// The input is written, or its slot is handed out for the caller to fill: slots of other entry
  /// points that share its bytes are overwritten.
  void give(uint32_t entry, uint32_t input) noexcept;
  /// A run of an entry point, or a replay of a trace, begins. Throws Error, changing nothing, if an
  /// input that it reads from its slot has been overwritten.
  void run(uint32_t entry, const ttrt_input *inputs);
  void replay(uint32_t trace);
  /// A pipeline of an entry point is opened or closed.
  void pipeline(uint32_t entry) noexcept;
  /// An inference is enqueued on a pipeline. Throws Error if an input with a shared slot has null
  /// data: the progress of the queues is unknown, so the slot may be in use.
  void enqueue(uint32_t entry, const ttrt_input *inputs) const;

  bool watchesOutputs() const noexcept { return lastRuns_ != nullptr; }
  /// The number of the last run or replay that may have written an output of the entry point,
  /// counted over all of them; 0 if there was none.
  uint64_t lastRun(uint32_t entry) const noexcept {
    return lastRuns_ ? lastRuns_[entry].load(std::memory_order_relaxed) : 0;
  }
  /// The number of runs of all entry points.
  uint64_t runs() const noexcept { return runs_.load(std::memory_order_relaxed); }

private:
  struct Shared {
    uint32_t entry, input, buffer;
    uint64_t begin, end; ///< planned addresses
    std::atomic<bool> isGone{false};
  };
  /// An effect of execution: reads or overwrites one of shared_, or writes outputs of an entry
  /// point.
  struct Effect {
    enum Kind : uint32_t { Reads, Overwrites, Outputs } kind;
    uint32_t index;
    bool operator==(const Effect &) const = default;
  };
  using Effects = std::vector<Effect>; ///< each once

  void add(const OpList &list, Effects &effects) const;
  const Shared *sharedEnd() const { return shared_.get() + sharedCount_; }
  void finish(const Effects &effects) noexcept;
  [[noreturn]] void failGone(const Shared &slot) const;

  const Bundle &bundle_;
  std::unique_ptr<Shared[]> shared_;
  uint32_t sharedCount_ = 0;
  /// Per trace, then per entry point; empty if there is nothing to watch.
  std::vector<Effects> effects_;
  size_t firstEntry_ = 0;
  std::unique_ptr<std::atomic<uint64_t>[]> lastRuns_;
  std::atomic<uint64_t> runs_{0};
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_SLOTWATCH_H
