// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy of a tensor with updates at places that indices name. A workgroup owns a part of the
// result: it copies this part, unless the result is stored where the tensor is, and then applies,
// in order, all updates that fall into it.
#ifndef TTC_KERNELS_SCATTER_H
#define TTC_KERNELS_SCATTER_H

#include "kernels/Elements.h"

namespace ttc::kernels {

template <typename T> TTC_INLINE T updated(int64_t mode, T old, T update) {
  switch (mode) {
  case kScatterAdd:
    return narrow<T>(addOf(widen(old), widen(update)));
  case kScatterMul:
    return narrow<T>(mulOf(widen(old), widen(update)));
  case kScatterMax:
    return narrow<T>(maxOf(widen(old), widen(update)));
  case kScatterMin:
    return narrow<T>(minOf(widen(old), widen(update)));
  default:
    return update;
  }
}

/// Where the slice of vector `v` begins in the result; -1 if an index is out of range.
TTC_INLINE int64_t sliceOf(const ScatterParams &p, const void *indices, int64_t v) {
  int64_t at = 0;
  for (int64_t i = 0; i < p.length; ++i) {
    int64_t index = p.indexBytes == 8
                        ? static_cast<const int64_t *>(indices)[v * p.length + i]
                        : int64_t(static_cast<const int32_t *>(indices)[v * p.length + i]);
    index += index < 0 ? p.dims[i] : 0;
    if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(p.dims[i]))
      return -1;
    at += index * p.strides[i];
  }
  int64_t rest = v;
  for (int64_t d = p.rank - 1; d >= 0; --d) {
    at += rest % p.shape[d] * p.shapeStrides[d];
    rest /= p.shape[d];
  }
  return at;
}

template <typename T>
TTC_INLINE void scatterTyped(const ScatterParams &p, void *const *operands, int64_t workgroup) {
  const T *data = static_cast<const T *>(operands[0]), *updates = static_cast<T *>(operands[2]);
  T *result = static_cast<T *>(operands[3]);
  Range own, vectors = {0, p.vectors};
  if (p.rows > 1) {
    Range rows = part(p.rows, p.splits, workgroup);
    own = {rows.begin * (p.total / p.rows), rows.end * (p.total / p.rows)};
    vectors = {min(rows.begin * p.rowVectors, p.vectors), min(rows.end * p.rowVectors, p.vectors)};
  } else {
    own = part(p.total, p.splits, workgroup);
  }
  if (result != data) // else it is updated in place
    for (int64_t i = own.begin; i < own.end; ++i)
      result[i] = data[i];
  for (int64_t v = vectors.begin; v < vectors.end; ++v) {
    int64_t at = sliceOf(p, operands[1], v);
    if (at < 0)
      continue;
    int64_t begin = max(own.begin - at, int64_t(0)), end = min(own.end - at, p.slice);
    for (int64_t i = begin; i < end; ++i)
      result[at + i] = updated(p.mode, result[at + i], updates[v * p.slice + i]);
  }
}

TTC_INLINE void scatter(void *const *operands, uint8_t *, int64_t workgroup,
                        const int64_t *params) {
  const ScatterParams &p = *reinterpret_cast<const ScatterParams *>(params);
  withElement(
      p.element,
      TTC_RUN(tag) { scatterTyped<typename decltype(tag)::Type>(p, operands, workgroup); });
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_SCATTER_H
