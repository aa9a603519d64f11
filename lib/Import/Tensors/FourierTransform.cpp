// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FourierTransform.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::ttc;

/// Up to this length, one product with a matrix is faster than several with smaller ones.
static constexpr int64_t kLongest = 1024;

/// The largest divisor up to the square root.
static int64_t getFactor(int64_t length) {
  for (auto factor = static_cast<int64_t>(std::sqrt(static_cast<double>(length))); factor > 1;
       --factor)
    if (length % factor == 0)
      return factor;
  return 1;
}

Value FourierTransform::apply(Value x, int64_t results, bool onlyReal) {
  if (!x)
    return {};
  const int64_t length = shapeOf(x)[1];
  // Use all rows of the matrix, so that the first frequencies have the same bits in any case.
  if (length > kLongest && getFactor(length) > 1) {
    Value y = e.slice(applyFactors(x), 1, 0, results);
    return onlyReal ? e.slice(y, 2, 0, 1) : y;
  }
  return applyMatrix(x, results, onlyReal ? 1 : 2);
}

std::pair<double, double> FourierTransform::getRoot(int64_t i, int64_t k, int64_t length) const {
  // Reduced exactly, to an eighth of a turn, before the angle is rounded. Lengths are below 2^31.
  int64_t quarters = 4 * (i * k % length) / length;
  int64_t rest = 4 * (i * k % length) % length;
  const bool isBeyondHalf = 2 * rest > length;
  double angle = std::numbers::pi / 2 * static_cast<double>(isBeyondHalf ? length - rest : rest) /
                 static_cast<double>(length);
  double cosine = std::cos(angle), sine = std::sin(angle);
  if (isBeyondHalf)
    std::swap(cosine, sine);
  for (; quarters > 0; --quarters)
    std::tie(cosine, sine) = std::pair(-sine, cosine);
  // No negative zeros.
  return {cosine + 0.0, isInverse ? sine + 0.0 : 0.0 - sine};
}

Value FourierTransform::applyMatrix(Value x, int64_t results, int64_t resultParts) {
  const int64_t rows = shapeOf(x)[0], length = shapeOf(x)[1], parts = shapeOf(x)[2];
  Type elementType = elementTypeOf(x);
  if (failed(builder.checkGenerated(
          RankedTensorType::get({length * parts, results * resultParts}, elementType))))
    return {};
  SmallVector<double> matrix(length * parts * results * resultParts);
  double *entry = matrix.data();
  for (int64_t i = 0; i < length; ++i)
    for (int64_t part = 0; part < parts; ++part)
      for (int64_t k = 0; k < results; ++k) {
        auto [re, im] = getRoot(i, k, length);
        *entry++ = part ? -im : re;
        if (resultParts > 1)
          *entry++ = part ? re : im;
      }
  Value factors = e.floats({length * parts, results * resultParts}, matrix, elementType);
  Value y = e.matmul(e.reshape(x, {rows, length * parts}), factors);
  return e.reshape(y, {rows, results, resultParts});
}

/// Cooley and Tukey: with the length m * n, element n a + b and frequency c + m d are a transform
/// of a to c, a rotation by b c, and a transform of b to d.
Value FourierTransform::applyFactors(Value x) {
  const int64_t rows = shapeOf(x)[0], length = shapeOf(x)[1], parts = shapeOf(x)[2];
  const int64_t m = getFactor(length), n = length / m;
  x = e.transpose(e.reshape(x, {rows, m, n, parts}), {0, 2, 1, 3});
  x = e.reshape(apply(e.reshape(x, {rows * n, m, parts}), m), {rows, n, m, 2});
  SmallVector<double> cosines, sines;
  for (int64_t b = 0; b < n; ++b)
    for (int64_t c = 0; c < m; ++c) {
      auto [re, im] = getRoot(b, c, length);
      cosines.append({re, re});
      sines.append({-im, im});
    }
  if (!x)
    return {};
  Type elementType = elementTypeOf(x);
  Value swapped = e.gather(x, e.ints(2, {1, 0}, builder.getBuilder().getI32Type()), 3);
  x = e.add(e.mul(x, e.floats({n, m, 2}, cosines, elementType)),
            e.mul(swapped, e.floats({n, m, 2}, sines, elementType)));
  x = e.reshape(e.transpose(x, {0, 2, 1, 3}), {rows * m, n, 2});
  x = e.transpose(e.reshape(apply(x, n), {rows, m, n, 2}), {0, 2, 1, 3});
  return e.reshape(x, {rows, length, 2});
}

Value mlir::ttc::mirrorSpectrum(TensorBuilder &builder, Value x, int64_t length) {
  Expressions e(builder);
  x = e.fit(x, 1, length / 2 + 1);
  SmallVector<int64_t> positions;
  SmallVector<double> signs;
  for (int64_t k = 0; k < length; ++k) {
    positions.push_back(std::min(k, length - k));
    // Where a frequency is its own conjugate, the imaginary part counts as zero.
    signs.append({1.0, 2 * k == length || k == 0 ? 0.0 : 2 * k < length ? 1.0 : -1.0});
  }
  x = e.gather(x, e.ints(length, positions, builder.getBuilder().getI32Type()), 1);
  return x ? e.mul(x, e.floats({length, 2}, signs, elementTypeOf(x))) : Value();
}
