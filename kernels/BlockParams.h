// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of the kernels on weights in blocks; see Params.h.
#ifndef TTC_KERNELS_BLOCKPARAMS_H
#define TTC_KERNELS_BLOCKPARAMS_H

#include "kernels/BlockFormats.h"
#include "kernels/IntParams.h"

namespace ttc::kernels {

struct BlockMatmulParams {
  // A BlockFormat; a ByteDot.
  int64_t format, dot;
  // The bytes that an activation becomes: 1, 3, or 0 if it stays an f32. Then weights become f32: a
  // group of them at a time.
  int64_t digits;
  // Rows of x, columns of the result, columns of x.
  int64_t m, n, k;
  // The operands after x and w are those of norm, bias, residual and count that are present.
  int64_t hasNorm, hasBias, hasResidual, hasCount;
  int64_t gated;
  // The bits of an f32.
  int64_t epsilon;
  // The grid is rowSplits x groupSplits workgroups, the last one fastest: parts of the rows of x,
  // and of the groups (pairs of them if gated) of w.
  int64_t rowSplits, groupSplits;
  // Rows of x that are prepared together.
  int64_t blockRows;
  // Scratch: offsets in bytes of prepared activations, their scales, sums of products, a group of
  // weights as f32.
  int64_t bytesAt, scalesAt, sumsAt, panelAt;
};

/// One group of workgroups owns all rows: product.rowSplits is 1.
struct ExpertMatmulParams {
  // product.m rows of the result, which read the rows of x: each is read `uses` times in a row.
  // product.n columns of each expert. No norm, no residual.
  BlockMatmulParams product;
  int64_t uses, experts;
  // Scratch: the rows by expert, and where those of each expert end, as int32_t.
  int64_t orderAt;
};

struct BlockGatherParams {
  int64_t format;
  // Rows of the matrix, and their columns; tokens.
  int64_t rows, columns, tokens;
  int64_t splits;
};

} // namespace ttc::kernels

#endif // TTC_KERNELS_BLOCKPARAMS_H
