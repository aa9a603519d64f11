// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MemoryPeak.h"
#include "ttrt/bundle_format.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::ttc;

static int64_t getBytes(BufferOp buffer) {
  return buffer.getSize().value_or(
      llvm::alignTo(std::max<int64_t>(buffer.getTensorBytes(), 1), ttrt::kBufferAlignment));
}

static bool hasLifetime(BufferOp buffer) { return static_cast<bool>(buffer.getLiveBeginAttr()); }

/// The first point of the timeline with the most bytes alive.
static int64_t findPeak(ArrayRef<BufferOp> buffers) {
  std::map<int64_t, int64_t> changes;
  for (BufferOp buffer : buffers)
    if (hasLifetime(buffer)) {
      changes[buffer.getLiveBeginAttr().getInt()] += getBytes(buffer);
      changes[buffer.getLiveEndAttr().getInt()] -= getBytes(buffer);
    }
  int64_t bytes = 0, most = 0, peak = 0;
  for (auto [time, change] : changes) {
    bytes += change;
    if (bytes > most)
      std::tie(most, peak) = std::pair(bytes, time);
  }
  return peak;
}

void mlir::ttc::attachPeak(InFlightDiagnostic &error, ModuleOp module, MemorySpace memory) {
  SmallVector<BufferOp> alive;
  for (auto buffer : module.getOps<BufferOp>())
    if (buffer.getMemory() == memory)
      alive.push_back(buffer);
  int64_t peak = findPeak(alive);
  llvm::erase_if(alive, [&](BufferOp buffer) {
    return hasLifetime(buffer) &&
           (peak < buffer.getLiveBeginAttr().getInt() || buffer.getLiveEndAttr().getInt() <= peak);
  });
  llvm::sort(alive, [](BufferOp a, BufferOp b) {
    return std::pair(-getBytes(a), a.getSymName()) < std::pair(-getBytes(b), b.getSymName());
  });

  constexpr size_t mostNotes = 10;
  for (BufferOp buffer : ArrayRef(alive).take_front(mostNotes))
    error.attachNote(buffer.getLoc())
        << "alive at the peak: @" << buffer.getSymName() << ", "
        << stringifyBufferKind(buffer.getKind()) << " of " << getBytes(buffer) << " bytes";
  if (alive.size() <= mostNotes)
    return;
  int64_t rest = 0;
  for (BufferOp buffer : ArrayRef(alive).drop_front(mostNotes))
    rest += getBytes(buffer);
  error.attachNote() << "and " << alive.size() - mostNotes << " more, of " << rest
                     << " bytes together";
}
