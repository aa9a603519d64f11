// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on numbers of operations. Private to the dialect.
#ifndef TTC_DIALECTS_TTC_TENSORS_OPERATIONCOUNTS_H
#define TTC_DIALECTS_TTC_TENSORS_OPERATIONCOUNTS_H

#include "dialects/Ttc/Tensors/TensorOps.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ttc::detail {

/// The product, at most INT64_MAX: attributes and shapes can have any size. No factor is negative.
template <typename... Factors> int64_t times(Factors... factors) {
  uint64_t product = 1;
  ((product = llvm::SaturatingMultiply<uint64_t>(product, factors)), ...);
  return static_cast<int64_t>(std::min<uint64_t>(product, INT64_MAX));
}

/// The sum, at most INT64_MAX.
template <typename... Terms> int64_t plus(Terms... terms) {
  uint64_t sum = 0;
  ((sum = llvm::SaturatingAdd<uint64_t>(sum, terms)), ...);
  return static_cast<int64_t>(std::min<uint64_t>(sum, INT64_MAX));
}

inline int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product = times(product, size);
  return product;
}

inline int64_t elementsOf(Value value) { return tensorType(value).getNumElements(); }

} // namespace mlir::ttc::detail

#endif // TTC_DIALECTS_TTC_TENSORS_OPERATIONCOUNTS_H
