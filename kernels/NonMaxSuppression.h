// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes by falling score, without those that overlap a box chosen before.
#ifndef TTC_KERNELS_NONMAXSUPPRESSION_H
#define TTC_KERNELS_NONMAXSUPPRESSION_H

#include "kernels/Argsort.h"

namespace ttc::kernels {

struct Box {
  float low[2], high[2];
};

TTC_INLINE Box readBox(const NonMaxSuppressionParams &p, const float *at) {
  Box box;
  for (int d = 0; d < 2; ++d) {
    float a = at[d], b = at[d + 2];
    box.low[d] = p.centerPoint ? a - b * 0.5f : min(a, b);
    box.high[d] = p.centerPoint ? a + b * 0.5f : max(a, b);
  }
  return box;
}

TTC_INLINE float areaOf(const Box &box) {
  return (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]);
}

TTC_INLINE bool overlap(const Box &a, const Box &b, float threshold) {
  float sides[2];
  for (int d = 0; d < 2; ++d)
    sides[d] = min(a.high[d], b.high[d]) - max(a.low[d], b.low[d]);
  float areaA = areaOf(a), areaB = areaOf(b);
  if (!(sides[0] > 0) || !(sides[1] > 0) || !(areaA > 0) || !(areaB > 0))
    return false;
  float common = sides[0] * sides[1];
  return common / (areaA + areaB - common) > threshold;
}

TTC_INLINE void nonMaxSuppression(void *const *operands, uint8_t *scratch, int64_t,
                                  const int64_t *params) {
  const auto &p = *reinterpret_cast<const NonMaxSuppressionParams *>(params);
  const float *boxes = static_cast<const float *>(operands[0]);
  const float *scores = static_cast<const float *>(operands[1]);
  int64_t most = *static_cast<const int64_t *>(operands[2]);
  float overlapLimit = *static_cast<const float *>(operands[3]);
  float leastScore = *static_cast<const float *>(operands[4]);
  int64_t *result = static_cast<int64_t *>(operands[5]);
  auto *heap = reinterpret_cast<uint64_t *>(scratch);
  int64_t row = 0;
  for (int64_t group = 0; group < p.batches * p.classes; ++group) {
    int64_t batch = group / p.classes, count = 0, firstRow = row;
    const float *own = boxes + batch * p.boxes * 4;
    for (int64_t i = 0; i < p.boxes; ++i) {
      float score = scores[group * p.boxes + i];
      // The largest word is the highest score, of equal ones the first box.
      if (score > leastScore)
        heap[count++] = (uint64_t(orderOf(score)) << kPlaceBits) | uint32_t(~i);
    }
    makeHeap(heap, count);
    while (count > 0 && row - firstRow < most && row < p.rows) {
      int64_t index = static_cast<uint32_t>(~heap[0]);
      heap[0] = heap[--count];
      sinkInHeap(heap, count, 0);
      Box box = readBox(p, own + index * 4);
      bool isFree = true;
      for (int64_t i = firstRow; i < row && isFree; ++i)
        isFree = !overlap(box, readBox(p, own + result[i * 3 + 2] * 4), overlapLimit);
      if (!isFree)
        continue;
      result[row * 3] = batch;
      result[row * 3 + 1] = group % p.classes;
      result[row * 3 + 2] = index;
      ++row;
    }
  }
  for (int64_t i = row * 3; i < p.rows * 3; ++i)
    result[i] = -1;
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_NONMAXSUPPRESSION_H
