// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of the device kernels: written by the kernel ops of the dialect
// (KernelOpInterface::getKernelParams), read by kernels/*.cpp. A block of int64_t in the order of
// the fields; it becomes a constant global, so every field folds once the kernel is inlined.
#ifndef TTC_KERNELS_PARAMS_H
#define TTC_KERNELS_PARAMS_H

#include <stdint.h>

namespace ttc::kernels {

/// How the rows of the implicit matrix A are found.
enum GemmAMode : int64_t {
  /// One tap, row r at r * aRow: matmul, and 1x1 convolution without stride and padding.
  kRowsDirect = 0,
  /// A table in scratch holds one pointer for each (row, tap); padding points at zeros.
  kRowsTable = 1,
  /// Few channels: the window's input rows are first copied into scratch with their padding, and
  /// the taps along the width are merged into one of kw * c consecutive values. Only here, channels
  /// of a convolution may be apart from each other (aC).
  kRowsCopied = 2,
};

/// Where the kernel finds B.
enum GemmBMode : int64_t {
  /// Packed ahead of time as [group][panel][k][nr] (ttc.pack).
  kBPacked = 0,
  /// A strided run-time matrix; each panel is packed into scratch before its use.
  kBStrided = 1,
  /// Packed ahead of time in a narrower type; each panel is converted into scratch before its use.
  kBConverted = 2,
};

/// The elements of an image that count along its three spatial dimensions: the number of an operand
/// that points to how many, as i32, or 0 where all do. All others are padding.
struct ValidParams {
  int64_t operand[3];
};

/// Bytes of the scale of a column, in rows of a panel of bytes.
constexpr int64_t kScaleRows = 4;

struct GemmParams {
  // Batch dimensions, outermost first, 1 where unused; strides in elements, 0 to broadcast.
  int64_t batch[3];
  int64_t aBatch[3];
  int64_t bBatch[3];
  int64_t outBatch[3];
  // Output rows: image, depth, height, width; for a matmul all but the last are 1.
  int64_t n, od, oh, ow;
  int64_t id, ih, iw;
  // A: offset and strides in elements; aRow is the stride between rows for kRowsDirect.
  int64_t aOffset, aN, aD, aH, aW, aC, aRow;
  int64_t kernel[3], stride[3], padBegin[3], dilation[3], inputDilation[3];
  int64_t groups;
  // Input channels of one group (the depth of one tap), output channels of one group.
  int64_t c, o;
  // The groups of a channel shuffle that A's channels are read through, 0 without one: channel i is
  // stored as i % shuffle * (c * groups / shuffle) + i / shuffle. Not for kRowsCopied.
  int64_t shuffle;
  // The output: offset, distance between rows; columns are consecutive.
  int64_t outOffset, outRow;
  // Elements of the result's last dimension, and the distance of its rows in memory: the
  // epilogue's row is offset / outPitch.
  int64_t cols, outPitch;
  int64_t aMode, bMode;
  // B when strided.
  int64_t bOffset, bK, bN;
  // Register tile: rows x columns.
  int64_t mr, nr;
  // The grid is batchSplits x rowSplits x panelSplits workgroups, the last one fastest.
  int64_t batchSplits, rowSplits, panelSplits;
  // Row tiles that are run over all panels before the next ones: their A stays in L2.
  int64_t blockTiles;
  // The number of k of a panel that all row tiles of a block process before the next ones; 0 for
  // all of them at once.
  int64_t blockDepth;
  // Scratch: offsets in bytes of zeros, pointer table, copied rows, packed panel, unfinished sums;
  // and the bytes of the copied rows.
  int64_t zeroAt, tableAt, copyAt, panelAt, partialAt, copyBytes;
  // 1 if only some of the result counts. Rows are runs[0] x runs[1] x runs[2], the last one
  // fastest; if they are not kRowsDirect, images x lines (of all depths) x pixels. An operand after
  // the result points to how many count of each of the three batch dimensions, and of the three of
  // rows.
  int64_t bounded, runs[3];
  // The bounds of a convolution's image; the operands of `valid` are between B and the result.
  ValidParams valid;
  int64_t numValid;
};

/// softmax(scale * Q K + mask) V for each element of the batch.
struct AttentionParams {
  // Batch dimensions, outermost first, 1 where unused; strides in elements, 0 to broadcast.
  int64_t batch[3];
  int64_t qBatch[3], kBatch[3], vBatch[3], maskBatch[3], outBatch[3];
  // Rows of Q, columns of K, depth of their product, columns of V.
  int64_t rows, cols, depth, values;
  // Offsets and strides in elements: of Q's rows and columns, of K's rows (along the depth) and
  // columns, of V's rows and columns.
  int64_t qOffset, qRow, qC;
  int64_t kOffset, kK, kN;
  int64_t vOffset, vK, vN;
  // 1 with a mask: an operand after V, whose columns are consecutive.
  int64_t hasMask, maskRow;
  // 1 with a number of keys: an operand after those above. Then `cols` is the most.
  int64_t hasKeys;
  // 1 if weights that are NaN count as 0.
  int64_t nanToZero;
  // The bits of an f32.
  int64_t scale;
  // As in GemmParams.
  int64_t outOffset, outRow, outPitch;
  // Rows of a panel; keys of a tile of scores; rows and columns of a tile of the result.
  int64_t nr, keyTile, rowTile, valueTile;
  // Keys whose scores are computed before they are multiplied by values.
  int64_t blockKeys;
  // The grid is batchSplits x rowSplits workgroups, the last one fastest.
  int64_t batchSplits, rowSplits;
  // Panels that read a block of keys one after the other.
  int64_t groupPanels;
  // 1 if a block's values are copied: in panels of valueTile columns.
  int64_t packsValues;
  // 1 if blocks that a mask leaves no key are left out.
  int64_t mayMask;
  // Rows of a panel in whole tiles, and elements from one to the next, of sums.
  int64_t panelRows, sumRow;
  // Scratch: offsets in bytes of transposed queries, maxima and sums of their rows, sums of
  // results, scores, the transposed mask, and copied values.
  int64_t queriesAt, statesAt, sumsAt, scoresAt, maskAt, valuesAt;
  // 1 if only some of the result counts: an operand after the result points to how many of each of
  // the three batch dimensions, and of the rows.
  int64_t bounded;
};

/// How pairs of elements of a head are rotated by the angle of their position.
enum RopeMode : int64_t {
  kRopeNone = 0,
  /// Element i with i + depth / 2.
  kRopeHalves = 1,
  /// Element 2i with 2i + 1.
  kRopePairs = 2,
};

/// Positions of a block of a cache's keys: a block is [depth][kCacheBlock].
constexpr int64_t kCacheBlock = 32;

/// Attention over a cache of keys [sequences][groups][context / 32][depth][32] and values
/// [sequences][groups][depth / 32][context][32]; of kI8, the scales of 32 positions follow their
/// elements, as f16. The operands are qkv [rows][(heads + 2 groups) * depth], keys, values, the
/// positions of the sequences, then the table, the count, the rows' sequences and the scores that
/// heads have in any case, if there are any.
struct CacheParams {
  // Rows of qkv; heads of queries, heads of keys and of values, elements of a head; positions.
  int64_t rows, heads, groups, depth, context;
  int64_t sequences;
  // The element of the caches: kF32, kF16 or kI8.
  int64_t element;
  // Rotation; operands that are there.
  int64_t rope, hasTable, hasCount, hasSequences, hasSinks;
  // The last positions that count, 0: all.
  int64_t window;
  // The bits of f32s; softCap 0: none.
  int64_t scale, softCap;
  // Parts of the positions of a group of heads, where each row has a sequence of its own; then the
  // workgroups are a multiple of groups * splits.
  int64_t workgroups, splits;
  // Elements from the partial result of a head to that of the next; not used without splits.
  int64_t partialRow;
  // Rows of qkv that are multiplied with the cache together, blocks of positions whose scores are
  // computed before the values are used, and elements from one row of scores to the next.
  int64_t tileRows, chunkBlocks, scoreRow;
  // Scratch: offsets in bytes of queries, scores, results, maximum and sum of each row, and of
  // weights times scales for kI8.
  int64_t queriesAt, scoresAt, resultsAt, statsAt, scaledAt;
};

/// Results of the parts of the positions, [splits][heads][partialRow]: weighted values, then the
/// maximum and the sum of the weights.
struct CombineParams {
  int64_t splits, heads, depth, partialRow;
  int64_t workgroups;
};

/// Logits whose maximum is looked at before they are, a multiple of 32.
constexpr int64_t kSampleChunk = 256;

struct SampleParams {
  // Logits; positions of the history.
  int64_t vocabulary, context;
  // Candidates that scratch holds: three words each.
  int64_t candidates;
  // Scratch: offsets in bytes of maxima of chunks, bits of penalised tokens, candidates, histogram.
  int64_t maximaAt, penalisedAt, candidatesAt, histogramAt;
  // Rows of logits; sequences that the states hold, 0 where there is one and no operand for it.
  int64_t rows, sequences;
};

struct WinogradParams {
  int64_t n, ih, iw, oh, ow;
  // Channels of x; elements from one pixel to the next, of x and of the result.
  int64_t c, xRow, outRow;
  // Output channels of one group.
  int64_t groups, o;
  int64_t padTop, padLeft;
  // In three dimensions, an image is a frame of one of `clips` clips, and each result sums
  // `frameTaps` of them. `frames` of x belong to one clip, which are `padFront` after the first one
  // of `paddedFrames`. All are 1, and padFront 0, where frames are as independent as images.
  int64_t clips, frames, padFront, paddedFrames, frameTaps;
  // Tiles of m x mW results, kernels of taps x tapsW: 4 and 3, 2 and 5, or 2 and 3; mW and tapsW
  // are the same, or 1. The results of a tile, and the taps, are `dilation` lines and dilationW
  // columns apart.
  int64_t m, taps, mW, tapsW, dilation, dilationW;
  int64_t tilesH, tilesW;
  // x comes from ttc_kernel_winograd_input.
  int64_t transformed;
  // Register tile: tiles x columns.
  int64_t mr, nr;
  // The grid is rowSplits x panelSplits workgroups, the last one fastest.
  int64_t rowSplits, panelSplits;
  // Register tiles whose products are formed before their results are.
  int64_t blockTiles;
  // Scratch: offsets in bytes of zeros, elements at the points, products.
  int64_t zeroAt, elementsAt, productsAt;
  // As in DepthwiseParams.
  int64_t bounded;
  ValidParams valid;
  int64_t numValid;
  // 1 if tiles are only those of a convolution of the valid part of the image: x is transformed, or
  // it is transformed here, and `valid` is not empty.
  int64_t byValid;
};

struct DepthwiseParams {
  int64_t n, od, oh, ow;
  int64_t id, ih, iw;
  // Channels; elements from one pixel to the next, of the image and of the result.
  int64_t c, xRow, outRow;
  int64_t kernel[3], stride[3], padBegin[3], dilation[3];
  // The grid is rowSplits (output lines n*od*oh, and parts of them) x channelSplits.
  int64_t rowSplits, channelSplits;
  // The parts of a long line: all channels of one are computed before the next, since one vector of
  // channels of the whole line would touch every page of it.
  int64_t lineParts;
  // 1 if only some of the result counts: an operand after the result points to how many images,
  // lines of each (of all depths), and pixels of a line.
  int64_t bounded;
  // The bounds of the image; the operands of `valid` are the last ones before the result.
  ValidParams valid;
  int64_t numValid;
};

enum PoolMode : int64_t { kPoolMax = 0, kPoolAverage = 1 };

struct PoolParams {
  int64_t n, od, oh, ow;
  int64_t id, ih, iw;
  // Channels; elements from one pixel to the next, of the image and of the result.
  int64_t c, xRow, outRow;
  int64_t kernel[3], stride[3], padBegin[3], padEnd[3], dilation[3];
  int64_t mode;
  // Average: 1 when padding counts in the divisor.
  int64_t countPad;
  int64_t rowSplits, channelSplits;
  // As in DepthwiseParams.
  int64_t bounded;
  ValidParams valid;
  int64_t numValid;
};

struct PackParams {
  // Source element (group g, column j, tap t, channel c) is stored at
  // offset + g*group + j*col + t*tap + c*chan; a negative tap stride flips the kernel.
  int64_t groups, cols, taps, chans;
  int64_t offset, groupStride, colStride, tapStride, chanStride;
  int64_t nr;
  // The panels of all groups are split into this many workgroups.
  int64_t splits;
};

/// The type of an element, for kernels that work on several; bool is kU8.
enum ElementKind : int64_t {
  kF32 = 0,
  kF64 = 1,
  kF16 = 2,
  kBF16 = 3,
  kI8 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kU8 = 8,
  kU16 = 9,
  kU32 = 10,
  kU64 = 11,
};

/// How an update changes an element: the values of the dialect's ScatterReduction.
enum ScatterMode : int64_t {
  kScatterNone = 0,
  kScatterAdd = 1,
  kScatterMul = 2,
  kScatterMax = 3,
  kScatterMin = 4,
};

/// Dimensions of a tensor that scatter walks.
constexpr int64_t kScatterRank = 8;

struct ScatterParams {
  int64_t element, mode;
  // Bytes of an index.
  int64_t indexBytes;
  // Elements of the result.
  int64_t total;
  // Vectors of `length` indices, each with `slice` consecutive updates.
  int64_t vectors, length, slice;
  // The dimensions that an index selects from, and their strides in elements.
  int64_t dims[kScatterRank], strides[kScatterRank];
  // The vectors' own dimensions, and how far apart their slices are in the result: rank 0 if only
  // the indices say where a slice is.
  int64_t rank;
  int64_t shape[kScatterRank], shapeStrides[kScatterRank];
  // If each slice of the result's dimension 0 has vectors of its own: the size of that dimension
  // and the vectors of each of the first shape[0]; else 1.
  int64_t rows, rowVectors;
  int64_t splits;
};

enum CumulativeMode : int64_t { kCumulativeSum = 0, kCumulativeProd = 1 };

struct CumulativeParams {
  int64_t element, mode;
  // The tensor is [outer, size, inner]; the walk is along `size`.
  int64_t outer, size, inner;
  int64_t exclusive, reverse;
  int64_t splits;
};

/// The cases of RecurrenceKind.
enum RecurrenceKindNumber : int64_t {
  kLstm = 0,
  kGru = 1,
  kGruResetFirst = 2,
  kRnnTanh = 3,
  kRnnRelu = 4,
  kLstmBytes = 5, ///< an LSTM with weights of i8
};
/// Units whose weights are stored together: [block of units][state][gate][unit]. Where
/// they are bytes, four elements of the state are the innermost dimension.
constexpr int64_t kRecurrenceUnits = 16;

struct RecurrenceParams {
  int64_t kind;
  int64_t steps, directions, batch, hidden;
  // Whether the only direction is the reverse one; of two, the second is.
  int64_t reverse, hasBias, hasPeepholes;
  // 0: all steps; 1: one number of steps for all sequences; else one for each.
  int64_t lengths;
  int64_t hasSequences;
  // Elements of a state in scratch.
  int64_t row;
  // The parts of a direction's sequences; a workgroup takes `rows` of them at once.
  int64_t splits, rows;
  // With weights of bytes, a case of ByteDot.
  int64_t dot;
};

struct ArgsortParams {
  int64_t element;
  // The tensor is [outer, size, inner]; the result [outer, count, inner].
  int64_t outer, size, inner, count;
  int64_t largest;
  int64_t splits;
};

struct NonMaxSuppressionParams {
  int64_t batches, classes, boxes;
  int64_t centerPoint;
  int64_t rows;
};

struct DeterminantParams {
  int64_t element;
  // Matrices, and the rows of each.
  int64_t matrices, size;
  int64_t splits;
};

} // namespace ttc::kernels

#endif // TTC_KERNELS_PARAMS_H
