// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StoredBytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::ttc;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

namespace {

/// Rows [top, bottom) and columns [left, right) of memory that is divided into rows of one pitch.
struct Rect {
  int64_t top, bottom, left, right;
  bool isEmpty() const { return top >= bottom || left >= right; }
};

/// Memory from `origin` on, in rows of `pitch` bytes.
struct Frame {
  int64_t origin, pitch;

  /// Bytes of one row, or rows of the frame's pitch.
  SmallVector<Rect, 3> toRects(const ByteRows &bytes) const {
    int64_t top = llvm::divideFloorSigned(bytes.address - origin, pitch);
    int64_t left = bytes.address - origin - top * pitch, right = left + bytes.row;
    SmallVector<Rect, 3> rects;
    auto add = [&](Rect rect) {
      if (!rect.isEmpty())
        rects.push_back(rect);
    };
    if (bytes.rows > 1) {
      // The end of a row may be in the frame's next one.
      add({top, top + bytes.rows, left, std::min(right, pitch)});
      add({top + 1, top + 1 + bytes.rows, 0, right - pitch});
      return rects;
    }
    add({top, top + 1, left, std::min(right, pitch)});
    int64_t bottom = top + std::max<int64_t>(right / pitch, 1);
    add({top + 1, bottom, 0, pitch});
    if (right > pitch)
      add({bottom, bottom + 1, 0, right % pitch});
    return rects;
  }

  ByteRows toBytes(const Rect &rect) const {
    int64_t rows = rect.bottom - rect.top, row = rect.right - rect.left;
    if (row == pitch)
      return {origin + rect.top * pitch, rows * pitch, 1, rows * pitch};
    return {origin + rect.top * pitch + rect.left, row, rows, pitch};
  }
};

} // namespace

/// Appends to `rest` what of `a` is outside `b`; returns what is inside.
static Rect divide(const Rect &a, const Rect &b, SmallVectorImpl<Rect> &rest) {
  Rect both{std::max(a.top, b.top), std::min(a.bottom, b.bottom), std::max(a.left, b.left),
            std::min(a.right, b.right)};
  if (both.isEmpty()) {
    rest.push_back(a);
    return both;
  }
  for (Rect part :
       {Rect{a.top, both.top, a.left, a.right}, Rect{both.bottom, a.bottom, a.left, a.right},
        Rect{both.top, both.bottom, a.left, both.left},
        Rect{both.top, both.bottom, both.right, a.right}})
    if (!part.isEmpty())
      rest.push_back(part);
  return both;
}

/// Calls `found` for the bytes of `a` that are in `b`, and appends the others to `rest`.
static void divide(const ByteRows &a, const ByteRows &b,
                   llvm::function_ref<void(const ByteRows &)> found,
                   SmallVectorImpl<ByteRows> &rest) {
  if (a.rows > 1 && b.rows > 1 && a.pitch != b.pitch) {
    for (int64_t i = 0; i < a.rows; ++i)
      divide({a.address + i * a.pitch, a.row, 1, a.row}, b, found, rest);
    return;
  }
  // Without rows, the frame has a single one.
  Frame frame = a.rows > 1   ? Frame{a.address, a.pitch}
                : b.rows > 1 ? Frame{b.address, b.pitch}
                             : Frame{std::min(a.address, b.address), int64_t(1) << 60};
  SmallVector<Rect> remaining(frame.toRects(a));
  for (const Rect &other : frame.toRects(b)) {
    SmallVector<Rect> outside;
    for (const Rect &rect : remaining)
      if (Rect both = divide(rect, other, outside); !both.isEmpty())
        found(frame.toBytes(both));
    remaining = std::move(outside);
  }
  for (const Rect &rect : remaining)
    rest.push_back(frame.toBytes(rect));
}

void StoredBytes::write(StoredWrite write) {
  // A buffer that is used again does not collect its history.
  llvm::erase_if(writes, [&](const StoredWrite &earlier) { return earlier.bytes == write.bytes; });
  writes.push_back(std::move(write));
}

bool StoredBytes::read(
    const ByteRows &bytes,
    llvm::function_ref<void(const ByteRows &, const StoredWrite &)> found) const {
  SmallVector<ByteRows> remaining;
  if (bytes.row > 0)
    remaining.push_back(bytes);
  for (const StoredWrite &write : llvm::reverse(writes))
    for (const ByteRows &stored : write.bytes) {
      SmallVector<ByteRows> rest;
      for (const ByteRows &part : remaining)
        divide(part, stored, [&](const ByteRows &both) { found(both, write); }, rest);
      remaining = std::move(rest);
    }
  return remaining.empty();
}
