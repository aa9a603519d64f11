// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a convolution's window becomes row pointers, and a run-time matrix a packed panel.
#ifndef TTC_KERNELS_GEMMROWS_H
#define TTC_KERNELS_GEMMROWS_H

#include "kernels/Windows.h"

namespace ttc::kernels {

/// The input index of an output index and a tap along one dimension; -1 where it is padding or
/// falls between the elements of a dilated input.
TTC_INLINE int64_t inputIndex(const GemmParams &p, int dim, int64_t out, int64_t tap,
                              int64_t size) {
  int64_t at = out * p.stride[dim] - p.padBegin[dim] + tap * p.dilation[dim];
  int64_t index = at / p.inputDilation[dim];
  if (at < 0 || index >= size || index * p.inputDilation[dim] != at)
    return -1;
  return index;
}

template <typename T> TTC_INLINE void fill(T *to, int64_t count, T value) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = value;
}

/// The part of a convolution that is computed: sizes of the image, lines of each image of the
/// result, and pixels of a line. Its rows are numbered one after the other.
struct ConvPart {
  ImageSizes in;
  int64_t lines, pixels;
  // Whether blocks of rows are at most as long as a line.
  bool hasShortBlocks;
};

/// Fills what stands for padding in tables.
template <typename T>
TTC_INLINE void fillOutside(const GemmParams &p, T padding, uint8_t *scratch) {
  fill(reinterpret_cast<T *>(scratch + p.zeroAt), p.c * p.groups, padding);
}

/// One pointer for each row of [begin, end) and tap; padding points at elements of its value.
template <typename T>
TTC_INLINE void buildTable(const GemmParams &p, const ConvPart &part, const T *a, int64_t begin,
                           int64_t end, const uint8_t *scratch, const T **table) {
  const auto *outside = reinterpret_cast<const T *>(scratch + p.zeroAt);
  int64_t w = begin % part.pixels, line = begin / part.pixels;
  int64_t ofImage = line % part.lines, n = line / part.lines;
  int64_t h = ofImage % p.oh, d = ofImage / p.oh;
  TTC_NO_UNROLL
  for (int64_t row = begin; row < end; ++row) {
    TTC_NO_UNROLL
    for (int64_t kd = 0; kd < p.kernel[0]; ++kd) {
      int64_t id = inputIndex(p, 0, d, kd, part.in.d);
      TTC_NO_UNROLL
      for (int64_t kh = 0; kh < p.kernel[1]; ++kh) {
        int64_t ih = inputIndex(p, 1, h, kh, part.in.h);
        const T *from = a + n * p.aN + id * p.aD + ih * p.aH;
        TTC_NO_UNROLL
        for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
          int64_t iw = inputIndex(p, 2, w, kw, part.in.w);
          // One test for all three: -1 has the sign bit.
          *table++ = (id | ih | iw) < 0 ? outside : from + iw * p.aW;
        }
      }
    }
    if (++w == part.pixels) {
      w = 0;
      bool isLast = ++ofImage == part.lines;
      if (++h == p.oh || isLast) {
        h = 0;
        ++d;
      }
      if (isLast) {
        ofImage = d = 0;
        ++n;
      }
    }
  }
}

/// `count` pixels whose channels lie in planes, channels last.
template <typename T>
TTC_INLINE void interleave(const GemmParams &p, const T *from, int64_t count, T *to) {
  for (int64_t i = 0; i < count; ++i) {
    TTC_UNROLL
    for (int64_t c = 0; c < p.c; ++c)
      to[i * p.c + c] = from[i * p.aW + c * p.aC];
  }
}

/// Rows whose input lines are copied with their padding, and how. Line numbers run through all
/// images.
struct CopiedLines {
  int64_t begin, end;
  // The first pixel that is copied of each line, as one of the result's; elements of a copy.
  int64_t pixel, width;
  // Input lines of an image, and of a window.
  int64_t padded, window;
};

/// The lines for the rows from `begin` on. Blocks that are at most as long as a line need only the
/// pixels that their rows read, which are of one line here: the whole lines of a long signal would
/// be copied again for each block.
TTC_INLINE CopiedLines copiedLines(const GemmParams &p, const ConvPart &part, int64_t begin,
                                   int64_t end) {
  int64_t window = (p.kernel[1] - 1) * p.dilation[1] + 1, pixel = 0, pixels = part.pixels;
  if (part.hasShortBlocks) {
    pixel = begin % part.pixels;
    end = min(end, begin - pixel + part.pixels);
    pixels = end - begin;
  }
  return {begin,
          end,
          pixel,
          ((pixels - 1) * p.stride[2] + p.kernel[2]) * p.c,
          (part.lines - 1) * p.stride[1] + window,
          window};
}

/// The first line of a row's window.
TTC_INLINE int64_t firstLine(const GemmParams &p, const ConvPart &part, const CopiedLines &lines,
                             int64_t row) {
  int64_t line = row / part.pixels;
  return line / part.lines * lines.padded + line % part.lines * p.stride[1];
}

/// Few channels: copies the input lines of some rows with their padding, and returns where the copy
/// ends. Channels that lie in planes are interleaved.
template <typename T>
TTC_INLINE T *copyLines(const GemmParams &p, const ConvPart &part, const CopiedLines &lines,
                        T padding, const T *a, T *copy) {
  const int64_t width = lines.width, start = lines.pixel * p.stride[2] - p.padBegin[2];
  int64_t first = firstLine(p, part, lines, lines.begin);
  int64_t last = firstLine(p, part, lines, lines.end - 1) + lines.window;
  int64_t left = min(max<int64_t>(-start, 0) * p.c, width);
  int64_t skip = max<int64_t>(start, 0) * p.c;
  int64_t middle = max<int64_t>(min(part.in.w * p.c - skip, width - left), 0);
  TTC_NO_UNROLL
  for (int64_t line = first; line < last; ++line) {
    T *to = copy + (line - first) * width;
    int64_t ih = line % lines.padded - p.padBegin[1];
    const T *from = a + line / lines.padded * p.aN + ih * p.aH + skip / p.c * p.aW;
    bool inside = ih >= 0 && ih < part.in.h;
    fill(to, left, padding);
    if (p.aC == 1)
      for (int64_t i = 0; i < middle; ++i)
        to[left + i] = inside ? from[i] : padding;
    else if (inside)
      interleave(p, from, middle / p.c, to + left);
    else
      fill(to + left, middle, padding);
    fill(to + left + middle, width - left - middle, padding);
  }
  return copy + (last - first) * width;
}

/// The table of copied lines: it points at kw * c consecutive values for each row and kh. Returns
/// where it ends.
template <typename T>
TTC_INLINE const T **buildTableOfLines(const GemmParams &p, const ConvPart &part,
                                       const CopiedLines &lines, const T *line, const T **table) {
  const int64_t width = lines.width;
  // Counted on from row to row: divisions took longer than the copies.
  int64_t w = lines.begin % part.pixels, h = lines.begin / part.pixels % part.lines;
  TTC_NO_UNROLL
  for (int64_t row = lines.begin; row < lines.end; ++row) {
    const T *from = line + (w - lines.pixel) * p.stride[2] * p.c;
    TTC_NO_UNROLL
    for (int64_t kh = 0; kh < p.kernel[1]; ++kh)
      *table++ = from + kh * p.dilation[1] * width;
    if (++w == part.pixels) {
      w = 0;
      bool isLast = ++h == part.lines;
      line += (isLast ? lines.padded - (part.lines - 1) * p.stride[1] : p.stride[1]) * width;
      h = isLast ? 0 : h;
    }
  }
  return table;
}

/// The rows that count, with GemmParams::bounded: runs of consecutive ones. Those that count are
/// numbered one after the other, and tiles of them go on from run to run.
struct Runs {
  // Runs, and rows from one to the next.
  int64_t outer, inner, outerStep, innerStep;
  // Rows of a run, and of all.
  int64_t length, total;
};

/// The rows of a tile, and half of them, for what is left of all rows.
TTC_INLINE int64_t mostRows(const GemmParams &p) { return min(p.mr, p.n * p.od * p.oh * p.ow); }
TTC_INLINE int64_t halfRows(const GemmParams &p) { return ceilDiv(mostRows(p), 2); }

/// `bounds`: how many rows count of each of their three dimensions.
TTC_INLINE Runs getRuns(const GemmParams &p, const int64_t *bounds) {
  Runs r{bounds[0], bounds[1], p.runs[1] * p.runs[2], p.runs[2], bounds[2], 0};
  r.total = r.outer * r.inner * r.length;
  // Runs that touch are one.
  if (r.length == r.innerStep) {
    r.length *= r.inner;
    r.inner = 1;
    if (r.length == r.outerStep) {
      r.length *= r.outer;
      r.outer = 1;
    }
  }
  return r;
}

/// A row that counts: its number among all rows, what is left of its run, and the run.
struct RunRow {
  int64_t row, left, inner;
};

/// The row with this number among those that count.
TTC_INLINE RunRow getRunRow(const Runs &r, int64_t number) {
  int64_t run = number / r.length, at = number % r.length, inner = run % r.inner;
  return {run / r.inner * r.outerStep + inner * r.innerStep + at, r.length - at, inner};
}

/// The next `count` rows of a tile of `most`, among all rows. Those that are computed, and not
/// stored, are the last one again. Counted on: divisions took longer than small tiles.
TTC_INLINE void nextRows(const Runs &r, RunRow &next, int64_t count, int64_t most, int64_t *rows) {
  TTC_NO_UNROLL
  for (int64_t i = 0; i < count; ++i) {
    rows[i] = next.row++;
    if (--next.left == 0) {
      next.left = r.length;
      next.row += r.innerStep - r.length;
      if (++next.inner == r.inner) {
        next.inner = 0;
        next.row += r.outerStep - r.inner * r.innerStep;
      }
    }
  }
  TTC_NO_UNROLL
  for (int64_t i = count; i < most; ++i)
    rows[i] = rows[count - 1];
}

/// Gives a tile of those that count its rows, kept in `rows`, and their count.
template <typename Tile>
TTC_INLINE void nextTile(const GemmParams &p, const Runs &r, RunRow &next, int64_t number,
                         int64_t (&rows)[kMostTileRows], Tile &tile) {
  tile.count = min(mostRows(p), r.total - number * mostRows(p));
  tile.rows = rows;
  nextRows(r, next, tile.count, mostRows(p), rows);
}

/// The rows of `rows` from `first` to `end` that are consecutive.
TTC_INLINE int64_t countConsecutive(const int64_t *rows, int64_t first, int64_t end) {
  int64_t count = 1;
  TTC_NO_UNROLL
  while (first + count < end && rows[first + count] == rows[first] + count)
    ++count;
  return count;
}

/// The bytes of the input lines that are copied for a block of `rows` rows.
TTC_INLINE int64_t copiedBytes(const GemmParams &p, const ConvPart &part, int64_t rows,
                               int64_t elementBytes) {
  int64_t window = (p.kernel[1] - 1) * p.dilation[1] + 1, step = p.stride[2], taps = p.kernel[2];
  if (rows <= part.pixels) {
    // Parts of two lines overlap where they meet.
    int64_t overlap = p.n * part.lines > 1 ? max<int64_t>(taps - step, 0) : 0;
    return window * ((rows - 1) * step + taps + overlap) * p.c * elementBytes;
  }
  int64_t lines = min(p.n * part.lines, (rows - 1) / part.pixels + 2);
  int64_t crossings = min(p.n - 1, (rows - 1) / (part.pixels * part.lines) + 1);
  return ((lines - 1) * p.stride[1] + window + crossings * window) *
         ((part.pixels - 1) * step + taps) * p.c * elementBytes;
}

/// The row tiles of a block: lines of which less counts are more, for as many rows. Tells `part`
/// whether they are at most as long as a line.
TTC_INLINE int64_t getBlockTiles(const GemmParams &p, ConvPart &part, int64_t elementBytes) {
  int64_t tiles = p.blockTiles;
  if (p.bounded && p.aMode == kRowsCopied)
    TTC_NO_UNROLL
  while (tiles > 1 && copiedBytes(p, part, tiles * mostRows(p), elementBytes) > p.copyBytes)
    tiles = tiles * 7 / 8;
  part.hasShortBlocks = tiles * mostRows(p) <= part.pixels;
  return tiles;
}

/// How the rows of the tiles [tileBegin, tileEnd) are found, if not directly: copied lines, and the
/// table.
template <typename T>
TTC_INLINE void findRows(const GemmParams &p, const ConvPart &part, const Runs &runs, T padding,
                         const T *a, int64_t tileBegin, int64_t tileEnd, uint8_t *scratch) {
  bool copied = p.aMode == kRowsCopied;
  auto **table = reinterpret_cast<const T **>(scratch + p.tableAt);
  int64_t rows = p.n * p.od * p.oh * p.ow, tiles = ceilDiv(rows, p.mr);
  int64_t height = rows / tiles, taller = rows % tiles;
  int64_t begin = tileBegin * height + min(tileBegin, taller);
  int64_t end = tileEnd * height + min(tileEnd, taller);
  if (p.bounded) {
    begin = tileBegin * mostRows(p);
    end = min(tileEnd * mostRows(p), runs.total);
  }
  if (copied) {
    auto *copy = reinterpret_cast<T *>(scratch + p.copyAt);
    const T **at = table;
    TTC_NO_UNROLL
    for (int64_t row = begin; row < end;) {
      const CopiedLines lines = copiedLines(p, part, row, end);
      at = buildTableOfLines<T>(p, part, lines, copy, at);
      copy = copyLines(p, part, lines, padding, a, copy);
      row = lines.end;
    }
  } else {
    fillOutside(p, padding, scratch);
    buildTable(p, part, a, begin, end, scratch, table);
  }
  if (!p.bounded)
    return;
  // Rows that are computed, and not stored, read what the last one does.
  int64_t taps = p.kernel[1] * (copied ? 1 : p.kernel[0] * p.kernel[2]);
  TTC_NO_UNROLL
  for (int64_t i = (end - begin) * taps; i < (tileEnd - tileBegin) * mostRows(p) * taps; ++i)
    table[i] = table[i - taps];
}

/// Eight rows of eight to eight columns: three stages of shuffles.
TTC_INLINE void transpose8(v8 (&m)[8]) {
  v8 t[8];
  TTC_UNROLL
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    t[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  v8 u[8];
  TTC_UNROLL
  for (int i = 0; i < 2; ++i) {
    TTC_UNROLL
    for (int j = 0; j < 2; ++j) {
      v8 x = t[4 * i + j], y = t[4 * i + 2 + j];
      u[4 * i + j] = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
      u[4 * i + 2 + j] = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  TTC_UNROLL
  for (int j = 0; j < 4; ++j) {
    m[j] = __builtin_shufflevector(u[j], u[4 + j], 0, 1, 2, 3, 8, 9, 10, 11);
    m[4 + j] = __builtin_shufflevector(u[j], u[4 + j], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// Columns [col, col + valid) of a strided B as one panel of nr columns, the rest zeros.
TTC_INLINE void packPanel(const GemmParams &p, const float *b, int64_t col, int64_t valid,
                          float *panel) {
  int64_t depth = p.c;
  const float *from = b + col * p.bN;
  // B is transposed (attention's queries): blocks of 8 x 8, a third of the time of single elements.
  // The last block ends with the last k.
  if (p.bK == 1 && p.bN != 1 && depth >= 8) {
    TTC_NO_UNROLL
    for (int64_t block = 0; block < depth; block += 8) {
      int64_t k = min(block, depth - 8);
      TTC_NO_UNROLL
      for (int64_t j = 0; j < p.nr; j += 8) {
        v8 m[8];
        TTC_UNROLL
        for (int i = 0; i < 8; ++i)
          m[i] = j + i < valid ? (v8) * reinterpret_cast<const v8u *>(from + (j + i) * p.bN + k)
                               : (v8)0.0f;
        transpose8(m);
        TTC_UNROLL
        for (int i = 0; i < 8; ++i)
          *reinterpret_cast<v8u *>(panel + (k + i) * p.nr + j) = m[i];
      }
    }
    return;
  }
  TTC_NO_UNROLL
  for (int64_t k = 0; k < depth; ++k) {
    const float *row = from + k * p.bK;
    float *to = panel + k * p.nr;
    if (p.bN == 1 && valid == p.nr) {
      for (int64_t j = 0; j < p.nr; j += 8)
        *reinterpret_cast<v8u *>(to + j) = *reinterpret_cast<const v8u *>(row + j);
    } else {
      TTC_NO_UNROLL
      for (int64_t j = 0; j < p.nr; ++j)
        to[j] = j < valid ? row[j * p.bN] : 0.0f;
    }
  }
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_GEMMROWS_H
