// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ttc_kernel_expert_matmul: products with the weights of the experts that rows chose.
//
// A workgroup owns groups of 16 rows of every expert. It sorts the rows of the result by expert;
// those of one expert are then prepared and multiplied as ttc_kernel_block_matmul does it. What no
// row chose is not read.
#include "kernels/BlockProducts.h"

using namespace ttc::kernels;

namespace {

struct Operands {
  const float *x;
  const uint8_t *w;
  const int32_t *experts;
  const float *bias;
  const int32_t *count;
  float *out;
};

TTC_INLINE Operands findOperands(const BlockMatmulParams &p, void *const *operands) {
  Operands found{};
  found.x = static_cast<const float *>(operands[0]);
  found.w = static_cast<const uint8_t *>(operands[1]);
  found.experts = static_cast<const int32_t *>(operands[2]);
  int64_t next = 3;
  if (p.hasBias)
    found.bias = static_cast<const float *>(operands[next++]);
  if (p.hasCount)
    found.count = static_cast<const int32_t *>(operands[next++]);
  found.out = static_cast<float *>(operands[next]);
  return found;
}

/// The rows of the result by expert, those of one expert in their own order: the rows of expert i
/// are `rows` from ends[i - 1], or from 0, to ends[i].
struct Order {
  int32_t *rows, *ends;
};

TTC_INLINE void sortRows(const ExpertMatmulParams &e, const int32_t *experts, int64_t count,
                         const Order &order) {
  auto expertOf = [&](int64_t row) __attribute__((always_inline)) {
    return min<int64_t>(max<int64_t>(experts[row], 0), e.experts - 1);
  };
  TTC_NO_UNROLL
  for (int64_t i = 0; i < e.experts; ++i)
    order.ends[i] = 0;
  TTC_NO_UNROLL
  for (int64_t row = 0; row < count; ++row)
    ++order.ends[expertOf(row)];
  int32_t begin = 0;
  TTC_NO_UNROLL
  for (int64_t i = 0; i < e.experts; ++i) {
    const int32_t size = order.ends[i];
    order.ends[i] = begin;
    begin += size;
  }
  // Placing a row moves its expert's begin, which is its end at last.
  TTC_NO_UNROLL
  for (int64_t row = 0; row < count; ++row)
    order.rows[order.ends[expertOf(row)]++] = static_cast<int32_t>(row);
}

/// Prepares the rows of x that the first `rows.count` rows in `order` read.
TTC_INLINE void prepare(const ExpertMatmulParams &e, const float *x, const int32_t *order,
                        uint8_t *scratch, Rows &rows) {
  const BlockMatmulParams &p = e.product;
  auto find = [&](int64_t r) __attribute__((always_inline)) { return x + order[r] / e.uses * p.k; };
  auto *floats = reinterpret_cast<float *>(scratch + p.bytesAt);
  rows.floats = rows.count == 1 ? find(0) : floats;
  TTC_NO_UNROLL
  for (int64_t r = 0; r < rows.count; ++r) {
    const float *from = find(r);
    if (p.digits != 0) {
      prepareDigits(p, from, nullptr,
                    reinterpret_cast<int8_t *>(scratch + p.bytesAt) + r * p.digits * kBlockColumns,
                    reinterpret_cast<PartDigit *>(scratch + p.scalesAt) +
                        r * getPartDigits(p.format, p.digits));
    } else if (rows.count != 1) {
      TTC_NO_UNROLL
      for (int64_t i = 0; i < p.k; i += VL)
        storeLanes(floats + r * p.k + i, load(from + i, min<int64_t>(VL, p.k - i)),
                   min<int64_t>(VL, p.k - i));
    }
  }
}

/// 16 columns of the rows in `order`, or as many as there are, from the sums of a group or of a
/// pair.
TTC_INLINE void finish(const BlockMatmulParams &p, const int32_t *order, int64_t count, int64_t col,
                       const float *sums, const float *bias, float *out) {
  TTC_NO_UNROLL
  for (int64_t r = 0; r < count; ++r) {
    TTC_UNROLL
    for (int h = 0; h < kHalves; ++h) {
      vf value = load(sums + r * kBlockRows + h * VL);
      if (p.gated)
        value = silu(value) * load(sums + (p.blockRows + r) * kBlockRows + h * VL);
      if (p.hasBias)
        value += load(bias + col + h * VL);
      storeResult(out + order[r] * p.n + col + h * VL, value, VL);
    }
  }
}

} // namespace

TTC_KERNEL void ttc_kernel_expert_matmul(void *const *operands, uint8_t *scratch, int64_t workgroup,
                                         const int64_t *params, epilogue_t,
                                         ProgramMarkers *markers) {
  const ExpertMatmulParams &e = *reinterpret_cast<const ExpertMatmulParams *>(params);
  const BlockMatmulParams &p = e.product;
  const Operands given = findOperands(p, operands);
  const int64_t groupBytes = getPackedGroupBytes(p.format, p.k), groups = p.gated ? 2 : 1;
  const int64_t expertUnits = p.n / kBlockRows; // whole ones: ttc.expert_matmul (C3)
  auto *sums = reinterpret_cast<float *>(scratch + p.sumsAt);
  const Range units = part(expertUnits, p.groupSplits, workgroup);
  int64_t valid = p.m;
  if (p.hasCount) {
    valid = min(p.m, max<int64_t>(0, *given.count));
    clearRows(p, given.out, {valid, p.m}, units);
  }
  const Order order{reinterpret_cast<int32_t *>(scratch + e.orderAt),
                    reinterpret_cast<int32_t *>(scratch + e.orderAt) + p.m};
  sortRows(e, given.experts, valid, order);
  Rows rows{};
  rows.bytes = reinterpret_cast<const int8_t *>(scratch + p.bytesAt);
  rows.digits = reinterpret_cast<const PartDigit *>(scratch + p.scalesAt);
  rows.panel = reinterpret_cast<float *>(scratch + p.panelAt);
  int64_t single = -1; // the row of x that alone is prepared
  int64_t begin = 0;
  TTC_NO_UNROLL
  for (int64_t expert = 0; expert < e.experts; ++expert) {
    const uint8_t *weights = given.w + expert * expertUnits * groups * groupBytes;
    const int64_t end = order.ends[expert];
    TTC_NO_UNROLL
    for (; begin < end; begin += rows.count) {
      const int32_t *chosen = order.rows + begin;
      rows.count = min(p.blockRows, end - begin);
      rows.inRegisters = rows.count <= kRowsInRegisters ? rows.count : 0;
      const int64_t source = rows.count == 1 ? chosen[0] / e.uses : -1;
      if (source < 0 || source != single) {
        TTC_ZONE(markers, "activations");
        prepare(e, given.x, chosen, scratch, rows);
        single = source;
      }
      TTC_MAIN_CHILD_ZONE(markers, "groups");
      TTC_NO_UNROLL
      for (int64_t unit = units.begin; unit < units.end; ++unit) {
        const uint8_t *first = weights + unit * groups * groupBytes;
        multiplyGroup(p, first, rows, sums);
        if (p.gated)
          multiplyGroup(p, first + groupBytes, rows, sums + p.blockRows * kBlockRows);
        finish(p, chosen, rows.count, unit * kBlockRows, sums,
               p.hasBias ? given.bias + expert * p.n : nullptr, given.out);
      }
    }
  }
}
