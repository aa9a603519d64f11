// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Determinants by elimination with the largest pivot of each column, in f64.
#ifndef TTC_KERNELS_DETERMINANT_H
#define TTC_KERNELS_DETERMINANT_H

#include "kernels/Elements.h"

namespace ttc::kernels {

TTC_INLINE double magnitude(double x) { return x < 0 ? -x : x; }

/// The matrix is destroyed.
TTC_INLINE double eliminate(double *m, int64_t n) {
  double product = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (magnitude(m[i * n + k]) > magnitude(m[pivot * n + k]))
        pivot = i;
    if (pivot != k) {
      product = -product;
      for (int64_t j = k; j < n; ++j) {
        double kept = m[k * n + j];
        m[k * n + j] = m[pivot * n + j];
        m[pivot * n + j] = kept;
      }
    }
    double diagonal = m[k * n + k];
    product *= diagonal;
    if (diagonal == 0)
      return product;
    for (int64_t i = k + 1; i < n; ++i) {
      double factor = m[i * n + k] / diagonal;
      for (int64_t j = k + 1; j < n; ++j)
        m[i * n + j] -= factor * m[k * n + j];
    }
  }
  return product;
}

TTC_INLINE void determinant(void *const *operands, uint8_t *scratch, int64_t workgroup,
                            const int64_t *params) {
  const auto &p = *reinterpret_cast<const DeterminantParams *>(params);
  auto *matrix = reinterpret_cast<double *>(scratch);
  withElement(
      p.element, TTC_RUN(tag) {
        using T = typename decltype(tag)::Type;
        const T *x = static_cast<const T *>(operands[0]);
        T *y = static_cast<T *>(operands[1]);
        Range own = part(p.matrices, p.splits, workgroup);
        for (int64_t number = own.begin; number < own.end; ++number) {
          for (int64_t i = 0; i < p.size * p.size; ++i)
            matrix[i] = static_cast<double>(widen(x[number * p.size * p.size + i]));
          y[number] = narrow<T>(static_cast<WideOf<T>>(eliminate(matrix, p.size)));
        }
      });
}

} // namespace ttc::kernels

#endif // TTC_KERNELS_DETERMINANT_H
