// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that are used again cost a barrier between the last command that uses them as the one
// buffer and the first that uses them as the other. In a chain on shards that would be the only
// barrier.
#include "PlanL1.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Device work that needs no barrier, as long as no two of its buffers share bytes.
class Phases {
public:
  explicit Phases(llvm::MapVector<StringAttr, Lifetime> &lifetimes) : lifetimes(lifetimes) {}

  void run(ArrayRef<TimelinePoint> timeline) {
    for (auto [time, point] : llvm::enumerate(timeline)) {
      auto work = dyn_cast<DeviceWorkOpInterface>(point.op);
      if (!work || work->getParentOp() != trace)
        end(time);
      trace = work ? work->getParentOp() : nullptr;
      if (!work)
        continue;
      SmallVector<Touch> added;
      for (auto [i, access] : llvm::enumerate(point.accesses))
        added.push_back({access.buffer.getAttr(), access.write, work.getOwnGrid(i, symbols)});
      bool isChained = false, isOrdered = true;
      for (const Touch &earlier : touches)
        for (const Touch &now : added)
          if (earlier.buffer == now.buffer && (earlier.write || now.write)) {
            bool isOwn = earlier.ownGrid != 0 && earlier.ownGrid == now.ownGrid;
            isChained |= isOwn;
            isOrdered &= isOwn;
          }
      if (!isOrdered)
        end(time);
      else
        hasChain |= isChained;
      llvm::append_range(touches, added);
    }
    end(timeline.size());
  }

private:
  struct Touch {
    StringAttr buffer;
    bool write;
    int64_t ownGrid;
  };

  /// What dies in a phase with a chain lives as long as the phase.
  void end(int64_t time) {
    if (hasChain)
      for (const Touch &touch : touches)
        if (auto it = lifetimes.find(touch.buffer); it->second.end < time)
          it->second.end = time;
    touches.clear();
    hasChain = false;
  }

  llvm::MapVector<StringAttr, Lifetime> &lifetimes;
  SymbolTableCollection symbols;
  Operation *trace = nullptr;
  SmallVector<Touch> touches; ///< since the last barrier
  bool hasChain = false;
};

} // namespace

void mlir::ttc::lengthenForChains(ArrayRef<TimelinePoint> timeline,
                                  llvm::MapVector<StringAttr, Lifetime> &lifetimes) {
  Phases(lifetimes).run(timeline);
}
