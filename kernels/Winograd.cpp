// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_winograd_input and ttc_kernel_winograd_conv: convolutions by fewer multiplications.
//
// Tiles of m x m results come from (m + taps - 1)^2 input elements. The elements at each point are
// the rows of one matrix product with the weights at that point, so P = (m + taps - 1)^2 products
// take the place of the convolution's taps. Where taps are in one dimension only, tiles are m
// results and P = m + taps - 1. A workgroup owns row tiles x panels, as in GemmLoops.h. For each
// block of tiles, a panel's weights stream through linearly, point by point; its products stay in
// L2 until all points are there and the results can be formed.
#include "kernels/GemmTile.h"
#include "kernels/Windows.h"
#include "kernels/WinogradTransforms.h"

using namespace ttc::kernels;

namespace {

/// The number of tiles of `size` results in one dimension: of those that are `dilation` apart, m
/// belong together.
TTC_INLINE int64_t countTiles(int64_t size, int64_t m, int64_t dilation) {
  return size / (m * dilation) * dilation + min(size % (m * dilation), dilation);
}
/// The first result of tile `tile`.
TTC_INLINE int64_t firstOfTile(int64_t tile, int64_t m, int64_t dilation) {
  return tile / dilation * (m * dilation) + tile % dilation;
}
TTC_INLINE int64_t countPoints(const WinogradParams &p) {
  return (p.m + p.taps - 1) * (p.mW + p.tapsW - 1);
}

/// The tiles that are computed, of each image: they are numbered one after the other; and how much
/// of an image, and of a result, counts.
struct Tiles {
  int64_t lines, columns;
  int64_t ih, iw;
  ResultSizes out;
};

/// `result`: the number of the operand that is the result.
TTC_INLINE Tiles getTiles(const WinogradParams &p, void *const *operands, int64_t result) {
  ResultSizes out = resultSizes(p, operands[result + p.bounded], {p.n, p.oh, p.ow});
  const int64_t ih = validSize(operands, p.valid.operand[1], p.ih);
  const int64_t iw = validSize(operands, p.valid.operand[2], p.iw);
  if (p.byValid) {
    out.lines = max<int64_t>(1, ih + p.oh - p.ih);
    out.pixels = max<int64_t>(1, iw + p.ow - p.iw);
  }
  return {countTiles(out.lines, p.m, p.dilation), countTiles(out.pixels, p.mW, p.dilationW), ih, iw,
          out};
}

/// The tiles as rows of register tiles: nearly equal ones, as in runPanel(). If the number of tiles
/// is not constant, all but the last are as high as possible.
struct RowTiles {
  int64_t tiles, count, height, taller;
  // Row tiles and tiles of each clip; and the tiles of a transformed image that each clip has
  // beyond those of its results.
  int64_t ofClip, clipTiles, beyond;
};

TTC_INLINE RowTiles getRowTiles(const WinogradParams &p, const Tiles &t) {
  int64_t most = p.n * p.tilesH * p.tilesW, count = ceilDiv(most, p.mr);
  if (p.clips > 1) {
    int64_t each = most / p.clips, ofClip = ceilDiv(each, p.mr);
    return {most,
            ofClip * p.clips,
            each / ofClip,
            each % ofClip,
            ofClip,
            each,
            (p.frameTaps - 1) * p.tilesH * p.tilesW};
  }
  if (!p.bounded && !p.byValid)
    return {most, count, most / count, most % count, 0, most, 0};
  int64_t tiles = t.out.images * t.lines * t.columns, height = ceilDiv(most, count);
  return {tiles, ceilDiv(tiles, height), height, 0, 0, tiles, 0};
}

TTC_INLINE int64_t clipOf(const RowTiles &rows, int64_t index) {
  return rows.ofClip ? index / rows.ofClip : 0;
}
TTC_INLINE bool isTaller(const RowTiles &rows, int64_t index) {
  return rows.taller != 0 && index - clipOf(rows, index) * rows.ofClip < rows.taller;
}

/// The first tile of row tile `index`.
TTC_INLINE int64_t firstTile(const RowTiles &rows, int64_t index) {
  int64_t clip = clipOf(rows, index);
  index -= clip * rows.ofClip;
  return clip * rows.clipTiles + min(index * rows.height + min(index, rows.taller), rows.clipTiles);
}
/// Where its elements are in a transformed image.
TTC_INLINE int64_t firstElement(const RowTiles &rows, int64_t index) {
  return firstTile(rows, index) + clipOf(rows, index) * rows.beyond;
}

/// The input elements of tile `tile` at all points, for all channels: point q is stored at
/// to + q * pitch. `zeros` has as many zeros as there are channels.
template <int A, int B>
TTC_INLINE void transformTile(const float *x, const WinogradParams &p, const Tiles &t, int64_t tile,
                              float *to, int64_t pitch, const float *zeros) {
  int64_t tw = tile % t.columns, line = tile / t.columns;
  int64_t h = firstOfTile(line % t.lines, p.m, p.dilation) - p.padTop;
  int64_t w = firstOfTile(tw, p.mW, p.dilationW) - p.padLeft;
  int64_t frame = line / t.lines % p.paddedFrames - p.padFront;
  bool exists = frame >= 0 && frame < p.frames;
  const float *image =
      x + (line / t.lines / p.paddedFrames * p.frames + frame) * p.ih * p.iw * p.xRow;
  const float *from[A][B];
  TTC_UNROLL
  for (int i = 0; i < A; ++i) {
    TTC_UNROLL
    for (int j = 0; j < B; ++j) {
      int64_t y = h + i * p.dilation, x = w + j * p.dilationW;
      bool inside = exists && y >= 0 && y < t.ih && x >= 0 && x < t.iw;
      from[i][j] = inside ? image + (y * p.iw + x) * p.xRow : zeros;
    }
  }
  auto channels = [&](int64_t c, int64_t lanes) __attribute__((always_inline)) {
    vf half[A][B];
    TTC_UNROLL
    for (int j = 0; j < B; ++j) {
      vf d[A], v[A];
      TTC_UNROLL
      for (int i = 0; i < A; ++i)
        d[i] = load(from[i][j] + c, lanes);
      transformInput(d, v);
      TTC_UNROLL
      for (int i = 0; i < A; ++i)
        half[i][j] = v[i];
    }
    TTC_UNROLL
    for (int i = 0; i < A; ++i) {
      vf v[B];
      if constexpr (B == 1)
        v[0] = half[i][0];
      else
        transformInput(half[i], v);
      TTC_UNROLL
      for (int j = 0; j < B; ++j)
        storeResult(to + (i * B + j) * pitch + c, v[j], lanes);
    }
  };
  int64_t c = 0;
  TTC_NO_UNROLL
  for (; c + VL <= p.c; c += VL)
    channels(c, VL);
  if (p.c % VL != 0)
    channels(c, p.c % VL);
}

/// Tiles [begin, end); the first one is stored at `to`.
TTC_INLINE void transformTiles(const float *x, const WinogradParams &p, const Tiles &t,
                               int64_t begin, int64_t end, float *to, int64_t pitch,
                               uint8_t *scratch) {
  auto *zeros = reinterpret_cast<float *>(scratch + p.zeroAt);
  TTC_NO_UNROLL
  for (int64_t i = 0; i < p.c; ++i)
    zeros[i] = 0.0f;
  TTC_NO_UNROLL
  for (int64_t tile = begin; tile < end; ++tile, to += p.c) {
    if (p.tapsW == 1 && p.m + p.taps == 7)
      transformTile<6, 1>(x, p, t, tile, to, pitch, zeros);
    else if (p.tapsW == 1)
      transformTile<4, 1>(x, p, t, tile, to, pitch, zeros);
    else if (p.m + p.taps == 7)
      transformTile<6, 6>(x, p, t, tile, to, pitch, zeros);
    else
      transformTile<4, 4>(x, p, t, tile, to, pitch, zeros);
  }
}

/// MR tiles of one point against one panel: rows of NV vectors at `to`. The order of the sums is
/// that of OF tiles.
template <int MR, int NV, bool WIDE, int OF>
TTC_INLINE void multiplyTiles(const float *from, int64_t last, const float *b,
                              const WinogradParams &p, const char *prefetch, int64_t prefetchStep,
                              float *to) {
  vf sums[MR][NV];
  multiplyPanel<MR, NV, WIDE, OF>(sums, from, p.c, 1, b, p.nr, p.c / p.groups, /*prefetches=*/true,
                                  prefetch, prefetchStep, last, p.frameTaps,
                                  p.tilesH * p.tilesW * p.c);
  storeRows(to, p.nr, sums);
}

/// Picks the instance for a row count that is constant after inlining: of a row tile of `rows`, a
/// half or a quarter if no more tiles are left. Rows after `last` are that one again. All columns
/// of a panel are computed: those that the last one lacks are zeros.
TTC_INLINE void multiplyRows(int64_t rows, const float *from, int64_t last, const float *b,
                             const WinogradParams &p, const char *prefetch, int64_t prefetchStep,
                             float *to) {
  auto multiply = [&]<int MR, int OF>(int64_t last) __attribute__((always_inline)) {
    if (p.nr == 2 * VL)
      multiplyTiles<MR, 2, true, OF>(from, last, b, p, prefetch, prefetchStep, to);
    else
      multiplyTiles<MR, 1, false, OF>(from, last, b, p, prefetch, prefetchStep, to);
  };
  switch (rows) {
#define TTC_CASE(MR)                                                                               \
  case MR:                                                                                         \
    if (MR > 2 && last < (MR + 3) / 4)                                                             \
      return multiply.template operator()<(MR + 3) / 4, MR>(last);                                 \
    if (MR > 1 && last < (MR + 1) / 2)                                                             \
      return multiply.template operator()<(MR + 1) / 2, MR>(last);                                 \
    /* Addresses of rows that all exist are one register and offsets. */                           \
    if (last + 1 < MR)                                                                             \
      return multiply.template operator()<MR, MR>(last);                                           \
    return multiply.template operator()<MR, MR>(kMostTileRows);
    TTC_FOR_ROWS(TTC_CASE)
#undef TTC_CASE
  }
  __builtin_unreachable();
}

/// The results of tile `tile` and one vector of channels from its products.
template <int A, int M, int B, int N>
TTC_INLINE void storeTile(const float *products, int64_t pitch, const WinogradParams &p,
                          const Tiles &t, int64_t tile, int64_t col, int64_t lanes,
                          void *const *operands, epilogue_t epilogue) {
  vf half[M][B];
  TTC_UNROLL
  for (int j = 0; j < B; ++j) {
    vf m[A], y[M];
    TTC_UNROLL
    for (int i = 0; i < A; ++i)
      m[i] = load(products + (i * B + j) * pitch);
    transformOutput(m, y);
    TTC_UNROLL
    for (int i = 0; i < M; ++i)
      half[i][j] = y[i];
  }
  alignas(64) float buffer[M * N * VL];
  TTC_UNROLL
  for (int i = 0; i < M; ++i) {
    vf y[N];
    if constexpr (B == 1)
      y[0] = half[i][0];
    else
      transformOutput(half[i], y);
    TTC_UNROLL
    for (int j = 0; j < N; ++j)
      store(buffer + (i * N + j) * VL, y[j]);
  }
  int64_t tw = tile % t.columns, line = tile / t.columns;
  int64_t h = firstOfTile(line % t.lines, M, p.dilation), w = firstOfTile(tw, N, p.dilationW);
  int64_t height = min<int64_t>(M, ceilDiv(p.oh - h, p.dilation));
  int64_t width = min<int64_t>(N, ceilDiv(p.ow - w, p.dilationW));
  int64_t row = (line / t.lines * p.oh + h) * p.ow + w;
  auto *out = static_cast<float *>(operands[2 + p.numValid]) + row * p.outRow + col;
  TTC_NO_UNROLL
  for (int64_t i = 0; i < height; ++i) {
    TTC_NO_UNROLL
    for (int64_t j = 0; j < width; ++j) {
      int64_t at = i * p.dilation * p.ow + j * p.dilationW;
      vf value = load(buffer + (i * N + j) * VL);
      value = epilogue(value, row + at, col, lanes, operands);
      storeResult(out + at * p.outRow, value, lanes);
    }
  }
}

TTC_INLINE void storeVector(const float *products, int64_t pitch, const WinogradParams &p,
                            const Tiles &t, int64_t tile, int64_t col, int64_t lanes,
                            void *const *operands, epilogue_t epilogue) {
  auto store = [&]<int A, int M>() __attribute__((always_inline)) {
    if (p.tapsW == 1)
      storeTile<A, M, 1, 1>(products, pitch, p, t, tile, col, lanes, operands, epilogue);
    else
      storeTile<A, M, A, M>(products, pitch, p, t, tile, col, lanes, operands, epilogue);
  };
  if (p.m == 4)
    store.template operator()<6, 4>();
  else if (p.taps == 5)
    store.template operator()<6, 2>();
  else
    store.template operator()<4, 2>();
}

// The transforms of ttc_kernel_winograd_conv are functions of their own: their constants would take
// registers from the accumulators of the products.

/// Transforms tiles [begin, end). The epilogue is not used: a function that is called with one is
/// specialised for its constant arguments.
TTC_CALLED void ttc_kernel_winograd_elements(void *const *operands, const int64_t *params,
                                             int64_t begin, int64_t end, float *to, int64_t pitch,
                                             uint8_t *scratch, epilogue_t) {
  const WinogradParams &p = *reinterpret_cast<const WinogradParams *>(params);
  transformTiles(static_cast<const float *>(operands[0]), p, getTiles(p, operands, 2 + p.numValid),
                 begin, end, to, pitch, scratch);
}

/// The results of tiles [begin, end) for `valid` channels from `col` on.
TTC_CALLED void ttc_kernel_winograd_results(const float *products, int64_t pitch,
                                            const int64_t *params, int64_t begin, int64_t end,
                                            int64_t col, int64_t valid, void *const *operands,
                                            epilogue_t epilogue) {
  const WinogradParams &p = *reinterpret_cast<const WinogradParams *>(params);
  const Tiles t = getTiles(p, operands, 2 + p.numValid);
  TTC_NO_UNROLL
  for (int64_t tile = begin; tile < end; ++tile) {
    TTC_NO_UNROLL
    for (int64_t v = 0; v < valid; v += VL)
      storeVector(products + (tile - begin) * p.nr + v, pitch, p, t, tile, col + v,
                  min<int64_t>(VL, valid - v), operands, epilogue);
  }
}

} // namespace

TTC_KERNEL void ttc_kernel_winograd_input(void *const *operands, uint8_t *scratch,
                                          int64_t workgroup, const int64_t *params, epilogue_t,
                                          ProgramMarkers *markers) {
  const WinogradParams &p = *reinterpret_cast<const WinogradParams *>(params);
  const Tiles t = getTiles(p, operands, 1 + p.numValid);
  const RowTiles rows = getRowTiles(p, t);
  Range tiles = part(rows.count, p.rowSplits, workgroup);
  int64_t begin = firstTile(rows, tiles.begin), end = firstTile(rows, tiles.end);
  auto *result = static_cast<float *>(operands[1 + p.numValid]);
  auto *out = result + begin * p.c;
  const int64_t allTiles = p.n * p.tilesH * p.tilesW, pitch = allTiles * p.c + kWinogradPadding;
  // What is not an element is written, too: if all tiles are computed, the result has no byte left
  // from before.
  if (workgroup + 1 == p.rowSplits) {
    const int64_t points = countPoints(p);
    float *padding = result + allTiles * p.c;
    TTC_NO_UNROLL
    for (int64_t point = 0; point < points; ++point, padding += pitch)
      for (int64_t i = 0; i < kWinogradPadding; ++i)
        padding[i] = 0.0f;
  }
  TTC_ZONE(markers, "tiles");
  transformTiles(static_cast<const float *>(operands[0]), p, t, begin, end, out, pitch, scratch);
}

TTC_KERNEL void ttc_kernel_winograd_conv(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                         const int64_t *params, epilogue_t epilogue,
                                         ProgramMarkers *markers) {
  const WinogradParams &p = *reinterpret_cast<const WinogradParams *>(params);
  const RowTiles rows = getRowTiles(p, getTiles(p, operands, 2 + p.numValid));
  const auto *x = static_cast<const float *>(operands[0]);
  const auto *weights = static_cast<const float *>(operands[1]);
  const int64_t points = countPoints(p);
  const int64_t groupPanels = ceilDiv(p.o, p.nr), panels = p.groups * groupPanels;
  const int64_t depth = p.frameTaps * (p.c / p.groups), panelSize = depth * p.nr;
  // With few tiles that count, those that would use the same weights are not parted: panels are.
  int64_t rowSplits = p.rowSplits, panelSplits = p.panelSplits;
  if (p.transformed && (p.bounded || p.byValid)) {
    TTC_NO_UNROLL
    while (rowSplits % 2 == 0 && rows.tiles < rowSplits * kRowsForWeights) {
      rowSplits /= 2;
      panelSplits *= 2;
    }
  }
  Range panelRange = part(panels, panelSplits, workgroup % panelSplits);
  Range tileRange = part(rows.count, rowSplits, workgroup / panelSplits);
  auto *products = reinterpret_cast<float *>(scratch + p.productsAt);
  const int64_t blockRows = p.blockTiles * (rows.height + (rows.taller != 0));
  const int64_t productPitch = blockRows * p.nr + kWinogradPadding;
  TTC_NO_UNROLL
  for (int64_t block = tileRange.begin; block < tileRange.end; block += p.blockTiles) {
    TTC_ZONE(markers, "block");
    int64_t blockEnd = min(block + p.blockTiles, tileRange.end);
    int64_t begin = firstTile(rows, block), end = firstTile(rows, blockEnd);
    const int64_t firstOfBlock = firstElement(rows, block);
    const float *elements = x + firstOfBlock * p.c;
    int64_t pitch =
        (p.n + p.clips * (p.frameTaps - 1)) * p.tilesH * p.tilesW * p.c + kWinogradPadding;
    if (!p.transformed) {
      TTC_ZONE(markers, "input");
      auto *to = reinterpret_cast<float *>(scratch + p.elementsAt);
      pitch = blockRows * p.c + kWinogradPadding;
      ttc_kernel_winograd_elements(operands, params, begin, end, to, pitch, scratch, epilogue);
      elements = to;
    }
    TTC_NO_UNROLL
    for (int64_t panel = panelRange.begin; panel < panelRange.end; ++panel) {
      int64_t group = panel / groupPanels, inGroup = panel % groupPanels;
      {
        TTC_MAIN_CHILD_ZONE(markers, "points");
        TTC_NO_UNROLL
        for (int64_t point = 0; point < points; ++point) {
          const float *b = weights + (panel * points + point) * panelSize;
          bool last = panel * points + point + 1 == panels * points;
          const char *next = reinterpret_cast<const char *>(last ? b : b + panelSize);
          int64_t step = ceilDiv(p.nr * sizeof(float), blockEnd - block);
          const float *from = elements + point * pitch + group * (p.c / p.groups);
          float *to = products + point * productPitch;
          TTC_NO_UNROLL
          for (int64_t tile = block; tile < blockEnd; ++tile) {
            int64_t row = firstTile(rows, tile) - begin;
            const float *its = from + (firstElement(rows, tile) - firstOfBlock) * p.c;
            // There may be no memory after the last tile.
            int64_t after = p.bounded || p.byValid ? end - begin - row - 1 : kMostTileRows;
            const char *prefetch = next + (tile - block) * step * depth;
            if (isTaller(rows, tile))
              multiplyRows(rows.height + 1, its, after, b, p, prefetch, step, to + row * p.nr);
            else
              multiplyRows(rows.height, its, after, b, p, prefetch, step, to + row * p.nr);
          }
        }
      }
      TTC_SUM_ZONE(markers, 0, "store");
      int64_t valid = min(p.nr, p.o - inGroup * p.nr), col = group * p.o + inGroup * p.nr;
      ttc_kernel_winograd_results(products, productPitch, params, begin, end, col, valid, operands,
                                  epilogue);
    }
  }
}
