// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MemoryPeak.h"
#include "ttrt/format/bundle_format.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::ttc;

namespace {
/// A buffer, or the scratch of a command.
struct Piece {
  Location location;
  std::string what;
  int64_t bytes, begin, end;
};
} // namespace

/// The first point of the timeline with the most bytes alive.
static int64_t findPeak(ArrayRef<Piece> pieces) {
  std::map<int64_t, int64_t> changes;
  for (const Piece &piece : pieces) {
    changes[piece.begin] += piece.bytes;
    changes[piece.end] -= piece.bytes;
  }
  int64_t bytes = 0, most = 0, peak = 0;
  for (auto [time, change] : changes) {
    bytes += change;
    if (bytes > most)
      std::tie(most, peak) = std::pair(bytes, time);
  }
  return peak;
}

void mlir::ttc::attachPeak(InFlightDiagnostic &error, ModuleOp module, MemorySpace memory,
                           TargetAttr target, ArrayRef<TimelinePoint> timeline) {
  SmallVector<Piece> alive;
  for (auto buffer : module.getOps<BufferOp>()) {
    if (buffer.getMemory() != memory)
      continue;
    std::string what =
        ("@" + buffer.getSymName() + ", " + stringifyBufferKind(buffer.getKind())).str();
    alive.push_back(
        {buffer.getLoc(), what,
         buffer.getSizeAttr() ? buffer.getSizeAttr().getInt() : getPlannedSize(buffer, target),
         static_cast<int64_t>(buffer.getLiveBegin().value_or(0)),
         static_cast<int64_t>(buffer.getLiveEnd().value_or(INT64_MAX))});
  }
  for (auto [time, point] : llvm::enumerate(timeline))
    if (point.scratch > 0)
      alive.push_back({point.op->getLoc(), "scratch", point.scratch, static_cast<int64_t>(time),
                       static_cast<int64_t>(time) + 1});
  int64_t peak = findPeak(alive);
  llvm::erase_if(alive,
                 [&](const Piece &piece) { return peak < piece.begin || piece.end <= peak; });
  llvm::sort(alive, [](const Piece &a, const Piece &b) {
    return std::pair(-a.bytes, StringRef(a.what)) < std::pair(-b.bytes, StringRef(b.what));
  });

  constexpr size_t mostNotes = 10;
  for (const Piece &piece : ArrayRef(alive).take_front(mostNotes))
    error.attachNote(piece.location)
        << "alive at the peak: " << piece.what << " of " << piece.bytes << " bytes";
  if (alive.size() <= mostNotes)
    return;
  int64_t rest = 0;
  for (const Piece &piece : ArrayRef(alive).drop_front(mostNotes))
    rest += piece.bytes;
  error.attachNote() << "and " << alive.size() - mostNotes << " more, of " << rest
                     << " bytes together";
}
