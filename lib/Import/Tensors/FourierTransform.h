// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms as products with constant matrices.
#ifndef TTC_LIB_IMPORT_FOURIERTRANSFORM_H
#define TTC_LIB_IMPORT_FOURIERTRANSFORM_H

#include "Expressions.h"

namespace mlir::ttc {

/// The longest transform.
constexpr int64_t kLongestTransform = int64_t(1) << 24;

/// Transforms the middle dimension of `rows, length, parts`: complex numbers have two parts, real
/// ones have one.
class FourierTransform {
public:
  FourierTransform(TensorBuilder &builder, bool isInverse)
      : builder(builder), e(builder), isInverse(isInverse) {}

  /// The first `results` frequencies, as complex numbers or only their real part.
  Value apply(Value x, int64_t results, bool onlyReal = false);

private:
  /// cos and sin of the angle i * k / length of a full turn, signed as the transform asks for.
  std::pair<double, double> getRoot(int64_t i, int64_t k, int64_t length) const;
  Value applyMatrix(Value x, int64_t results, int64_t resultParts);
  Value applyFactors(Value x);

  TensorBuilder &builder;
  Expressions e;
  bool isInverse;
};

/// All frequencies of a real signal: those after the middle are the conjugates of those before it.
Value mirrorSpectrum(TensorBuilder &builder, Value x, int64_t length);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_FOURIERTRANSFORM_H
