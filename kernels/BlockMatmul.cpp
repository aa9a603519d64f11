// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_block_matmul: products with weights that stay in the blocks of a GGUF file.
//
// A workgroup owns rows of x, and groups of 16 rows of w. It prepares its rows of x, and multiplies
// them with one group after the other.
#include "kernels/BlockProducts.h"

using namespace ttc::kernels;

namespace {

/// The operands after x and w.
struct Operands {
  const float *norm, *bias, *residual;
  const int32_t *count;
  float *out;
};

TTC_INLINE Operands findOperands(const BlockMatmulParams &p, void *const *operands) {
  Operands found{};
  int64_t next = 2;
  if (p.hasNorm)
    found.norm = static_cast<const float *>(operands[next++]);
  if (p.hasBias)
    found.bias = static_cast<const float *>(operands[next++]);
  if (p.hasResidual)
    found.residual = static_cast<const float *>(operands[next++]);
  if (p.hasCount)
    found.count = static_cast<const int32_t *>(operands[next++]);
  found.out = static_cast<float *>(operands[next]);
  return found;
}

/// 16 columns of the result, or as many as there are, from the sums of a group or of a pair.
TTC_INLINE void finish(const BlockMatmulParams &p, const Operands &operands, int64_t row,
                       int64_t count, int64_t col, const float *sums) {
  TTC_NO_UNROLL
  for (int64_t r = 0; r < count; ++r) {
    TTC_UNROLL
    for (int h = 0; h < kHalves; ++h) {
      int64_t lanes = min<int64_t>(VL, p.n - col - h * VL);
      if (lanes <= 0)
        continue;
      int64_t at = (row + r) * p.n + col + h * VL;
      auto loadFrom = [&](const float *from)
                          __attribute__((always_inline)) { return load(from, lanes); };
      vf value = load(sums + r * kBlockRows + h * VL);
      if (p.gated)
        value = silu(value) * load(sums + (p.blockRows + r) * kBlockRows + h * VL);
      if (p.hasBias)
        value += loadFrom(operands.bias + col + h * VL);
      if (p.hasResidual)
        value += loadFrom(operands.residual + at);
      storeResult(operands.out + at, value, lanes);
    }
  }
}

} // namespace

TTC_KERNEL void ttc_kernel_block_matmul(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                        const int64_t *params, epilogue_t,
                                        ProgramMarkers *markers) {
  const BlockMatmulParams &p = *reinterpret_cast<const BlockMatmulParams *>(params);
  const auto *x = static_cast<const float *>(operands[0]);
  const auto *w = static_cast<const uint8_t *>(operands[1]);
  const Operands others = findOperands(p, operands);
  const int64_t groupBytes = getPackedGroupBytes(p.format, p.k), groups = p.gated ? 2 : 1;
  auto *sums = reinterpret_cast<float *>(scratch + p.sumsAt);
  Range range = part(p.m, p.rowSplits, workgroup / p.groupSplits);
  Range units = part(ceilDiv(p.n, kBlockRows), p.groupSplits, workgroup % p.groupSplits);
  if (p.hasCount) {
    const int64_t valid = min(range.end, max<int64_t>(range.begin, *others.count));
    clearRows(p, others.out, {valid, range.end}, units);
    range.end = valid;
  }
  TTC_NO_UNROLL
  for (int64_t row = range.begin; row < range.end; row += p.blockRows) {
    Rows rows{};
    rows.count = p.m == 1 ? 1 : min(p.blockRows, range.end - row);
    // Fewer are prepared together where they would not fit into scratch.
    rows.inRegisters = p.blockRows == p.m ? p.m : 0;
    rows.bytes = reinterpret_cast<const int8_t *>(scratch + p.bytesAt);
    rows.digits = reinterpret_cast<const PartDigit *>(scratch + p.scalesAt);
    rows.panel = reinterpret_cast<float *>(scratch + p.panelAt);
    rows.floats = p.hasNorm ? reinterpret_cast<const float *>(scratch + p.bytesAt) : x + row * p.k;
    if (p.digits != 0 || p.hasNorm) {
      TTC_ZONE(markers, "activations");
      TTC_NO_UNROLL
      for (int64_t r = 0; r < rows.count; ++r) {
        const float *from = x + (row + r) * p.k;
        if (p.digits == 0)
          prepareFloats(p, from, others.norm,
                        reinterpret_cast<float *>(scratch + p.bytesAt) + r * p.k);
        else
          prepareDigits(p, from, others.norm,
                        reinterpret_cast<int8_t *>(scratch + p.bytesAt) +
                            r * p.digits * kBlockColumns,
                        reinterpret_cast<PartDigit *>(scratch + p.scalesAt) +
                            r * getPartDigits(p.format, p.digits));
      }
    }
    TTC_MAIN_CHILD_ZONE(markers, "groups");
    TTC_NO_UNROLL
    for (int64_t unit = units.begin; unit < units.end; ++unit) {
      const uint8_t *first = w + unit * groups * groupBytes;
      multiplyGroup(p, first, rows, sums);
      if (p.gated)
        multiplyGroup(p, first + groupBytes, rows, sums + p.blockRows * kBlockRows);
      finish(p, others, row, rows.count, unit * kBlockRows, sums);
    }
  }
}
