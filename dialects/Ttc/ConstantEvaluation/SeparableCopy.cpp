// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/SeparableCopy.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/Sequence.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ttc;

SmallVector<int64_t> mlir::ttc::detail::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    strides[i] = stride;
  return strides;
}

namespace {

/// Copies of fewer elements run on one thread.
constexpr int64_t minParallelElements = 1 << 18;
/// Rows copied together, so that a transpose uses complete cache lines of its source.
constexpr int64_t rowBlock = 16;

/// Copies one element of a statically known size.
template <size_t size> struct FixedCopy {
  static void run(char *to, const char *from, size_t) { std::memcpy(to, from, size); }
};
struct AnyCopy {
  static void run(char *to, const char *from, size_t size) { std::memcpy(to, from, size); }
};

struct Copier {
  const mlir::ttc::detail::SeparableMap &map;
  size_t elementSize;
  const char *source;
  const char *fill;
  char *result;
  /// The last dimension: its offsets, whether they are consecutive, and whether any is negative.
  ArrayRef<int64_t> last;
  bool consecutive, filled;

  /// The source's offset of a row (all dimensions but the last), or -1 if it is fill.
  int64_t getRowOffset(int64_t row) const {
    int64_t offset = 0;
    for (size_t d = map.dims.size() - 1; d-- > 0;) {
      ArrayRef<int64_t> dim = map.dims[d];
      int64_t part = dim[row % dim.size()];
      if (part < 0)
        return -1;
      offset += part;
      row /= dim.size();
    }
    return offset;
  }

  template <typename Copy> void copyRows(int64_t begin, int64_t end) const {
    int64_t columns = last.size();
    for (int64_t block = begin; block < end; block += rowBlock) {
      int64_t rows = std::min(rowBlock, end - block);
      int64_t offsets[rowBlock];
      for (int64_t r = 0; r < rows; ++r)
        offsets[r] = getRowOffset(block + r);
      char *out = result + block * columns * elementSize;
      if (consecutive) {
        for (int64_t r = 0; r < rows; ++r, out += columns * elementSize)
          copyRow<Copy>(offsets[r], out);
        continue;
      }
      for (int64_t c = 0; c < columns; ++c)
        for (int64_t r = 0; r < rows; ++r) {
          const char *from =
              offsets[r] < 0 || last[c] < 0 ? fill : source + (offsets[r] + last[c]) * elementSize;
          Copy::run(out + (r * columns + c) * elementSize, from, elementSize);
        }
    }
  }

  template <typename Copy> void copyRow(int64_t offset, char *out) const {
    int64_t columns = last.size();
    if (offset >= 0) {
      std::memcpy(out, source + (offset + last[0]) * elementSize, columns * elementSize);
      return;
    }
    for (int64_t c = 0; c < columns; ++c)
      Copy::run(out + c * elementSize, fill, elementSize);
  }
};

} // namespace

void mlir::ttc::detail::copySeparable(MLIRContext *context, const SeparableMap &map,
                                      size_t elementSize, ArrayRef<char> source,
                                      ArrayRef<char> fill, MutableArrayRef<char> result) {
  if (result.empty())
    return;
  // A scalar is a row of one.
  SeparableMap scalar{{{0}}};
  const SeparableMap &dims = map.dims.empty() ? scalar : map;
  Copier copier{dims,          elementSize,      source.data(), fill.data(),
                result.data(), dims.dims.back(), true,          false};
  for (auto [i, offset] : llvm::enumerate(copier.last))
    copier.consecutive &= offset >= 0 && offset == copier.last[0] + static_cast<int64_t>(i);
  int64_t columns = copier.last.size(), rows = result.size() / elementSize / columns;
  auto copyRows = [&](int64_t begin, int64_t end) {
    switch (elementSize) {
    case 1:
      return copier.copyRows<FixedCopy<1>>(begin, end);
    case 2:
      return copier.copyRows<FixedCopy<2>>(begin, end);
    case 4:
      return copier.copyRows<FixedCopy<4>>(begin, end);
    case 8:
      return copier.copyRows<FixedCopy<8>>(begin, end);
    default:
      return copier.copyRows<AnyCopy>(begin, end);
    }
  };
  if (rows * columns < minParallelElements || rows < 2 * rowBlock)
    return copyRows(0, rows);
  int64_t step = llvm::alignTo(llvm::divideCeil(rows, 64), rowBlock);
  parallelFor(context, 0, llvm::divideCeil(rows, step), [&](size_t task) {
    int64_t begin = task * step;
    copyRows(begin, std::min(rows, begin + step));
  });
}
