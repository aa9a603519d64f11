// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms as products with constant matrices, and the constants of signal processing.
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "onnx/onnx_pb.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

namespace {
/// Transforms the middle dimension of `rows, length, parts`: complex numbers have two parts, real
/// ones have one.
class FourierTransform {
public:
  FourierTransform(OnnxNode &node, bool isInverse) : node(node), e(node), isInverse(isInverse) {}

  /// The first `results` frequencies, as complex numbers or only their real part.
  Value apply(Value x, int64_t results, bool onlyReal = false) {
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

private:
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
  /// cos and sin of the angle i * k / length of a full turn, signed as the transform asks for.
  std::pair<double, double> getRoot(int64_t i, int64_t k, int64_t length) const {
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
  Value applyMatrix(Value x, int64_t results, int64_t resultParts);
  Value applyFactors(Value x);

  OnnxNode &node;
  Expressions e;
  bool isInverse;
};
} // namespace

Value FourierTransform::applyMatrix(Value x, int64_t results, int64_t resultParts) {
  const int64_t rows = shapeOf(x)[0], length = shapeOf(x)[1], parts = shapeOf(x)[2];
  Type elementType = elementTypeOf(x);
  if (failed(node.checkGenerated(
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
  Value swapped = e.gather(x, e.ints(2, {1, 0}, node.getBuilder().getI32Type()), 3);
  x = e.add(e.mul(x, e.floats({n, m, 2}, cosines, elementType)),
            e.mul(swapped, e.floats({n, m, 2}, sines, elementType)));
  x = e.reshape(e.transpose(x, {0, 2, 1, 3}), {rows * m, n, 2});
  x = e.transpose(e.reshape(apply(x, n), {rows, m, n, 2}), {0, 2, 1, 3});
  return e.reshape(x, {rows, length, 2});
}

/// The longest transform.
static constexpr int64_t kLongestTransform = int64_t(1) << 24;

static LogicalResult checkLength(OnnxNode &node, int64_t length) {
  if (length >= 1 && length <= kLongestTransform)
    return success();
  return node.error() << "expected a transform of length 1 to " << kLongestTransform << ", found "
                      << length;
}

/// All frequencies of a real signal: those after the middle are the conjugates of those before it.
static Value mirrorSpectrum(OnnxNode &node, Value x, int64_t length) {
  Expressions e(node);
  x = e.fit(x, 1, length / 2 + 1);
  SmallVector<int64_t> positions;
  SmallVector<double> signs;
  for (int64_t k = 0; k < length; ++k) {
    positions.push_back(std::min(k, length - k));
    // Where a frequency is its own conjugate, the imaginary part counts as zero.
    signs.append({1.0, 2 * k == length || k == 0 ? 0.0 : 2 * k < length ? 1.0 : -1.0});
  }
  x = e.gather(x, e.ints(length, positions, node.getBuilder().getI32Type()), 1);
  return x ? e.mul(x, e.floats({length, 2}, signs, elementTypeOf(x))) : Value();
}

static LogicalResult importDFT(OnnxNode &node) {
  Value x = node.input(0);
  const int64_t rank = rankOf(x);
  const bool isInverse = node.getInt("inverse", 0), isOnesided = node.getInt("onesided", 0);
  int64_t axis = node.opset() < 20 ? node.getInt("axis", 1) : -2;
  if (node.opset() >= 20 && node.hasInput(2)) {
    FailureOr<int64_t> given = node.constantInt(2, "axis");
    if (failed(given))
      return failure();
    axis = *given;
  }
  if (failed(node.normalizeAxes(axis, rank)))
    return failure();
  if (rank < 2 || axis == rank - 1 || (shapeOf(x).back() != 1 && shapeOf(x).back() != 2))
    return node.error() << "expected the last dimension to hold the one or two parts of a number, "
                           "and another one to be transformed, found axis "
                        << axis << " of " << x.getType();
  const int64_t size = shapeOf(x)[axis];
  // A real signal is the result of an inverse transform of half its spectrum.
  const bool isReal = isInverse && isOnesided;
  int64_t length = isReal ? 2 * (size - 1) : size;
  if (node.hasInput(1)) {
    FailureOr<int64_t> given = node.constantInt(1, "dft_length");
    if (failed(given))
      return failure();
    length = *given;
  }
  if (failed(checkLength(node, length)))
    return failure();

  // The transformed dimension becomes the last but one.
  Expressions e(node);
  Type elementType = elementTypeOf(x);
  x = node.cast(x, getArithmeticType(elementType));
  SmallVector<int64_t> permutation, others, inverse(rank);
  for (int64_t i = 0; i < rank - 1; ++i)
    if (i != axis) {
      permutation.push_back(i);
      others.push_back(shapeOf(x)[i]);
    }
  permutation.append({axis, rank - 1});
  for (auto [i, from] : llvm::enumerate(permutation))
    inverse[from] = static_cast<int64_t>(i);
  const int64_t rows = llvm::product_of(others);
  x = e.reshape(e.transpose(x, permutation), {rows, size, shapeOf(x).back()});
  if (isReal) {
    x = e.fit(x, 2, 2);
    x = mirrorSpectrum(node, x, length);
  } else {
    x = e.fit(x, 1, length);
  }
  const int64_t results = isOnesided && !isReal ? length / 2 + 1 : length;
  Value y = FourierTransform(node, isInverse).apply(x, results, isReal);
  if (isInverse)
    y = e.mul(y, 1.0 / static_cast<double>(length));
  SmallVector<int64_t> shape = others;
  shape.append({results, isReal ? 1 : 2});
  y = e.transpose(e.reshape(y, shape), inverse);
  return node.results(node.cast(y, elementType));
}

static LogicalResult importSTFT(OnnxNode &node) {
  Value signal = node.input(0), window = node.input(2);
  FailureOr<int64_t> step = node.constantInt(1, "frame_step");
  if (failed(step))
    return failure();
  const int64_t rank = rankOf(signal);
  const int64_t parts = rank == 3 ? shapeOf(signal)[2] : 1;
  if ((rank != 2 && rank != 3) || parts < 1 || parts > 2)
    return node.error()
           << "expected the signal to be batches of numbers of one or two parts, found "
           << signal.getType();
  const int64_t batch = shapeOf(signal)[0], size = shapeOf(signal)[1];
  int64_t length = window ? tensorType(window).getNumElements() : size;
  if (node.hasInput(3)) {
    FailureOr<int64_t> given = node.constantInt(3, "frame_length");
    if (failed(given))
      return failure();
    length = *given;
  }
  if (failed(checkLength(node, length)))
    return failure();
  if (*step < 1)
    return node.error() << "expected frame_step to be positive, found " << *step;
  if (length > size)
    return node.error() << "frames of " << length << " elements do not fit a signal of " << size;
  if (window && shapeOf(window) != ArrayRef<int64_t>(length))
    return node.error() << "expected the window to have " << length << " elements, found "
                        << window.getType();

  Expressions e(node);
  Type elementType = elementTypeOf(signal), arithmetic = getArithmeticType(elementType);
  const int64_t frames = (size - length) / *step + 1;
  if (failed(node.checkGenerated(
          RankedTensorType::get({frames, length}, node.getBuilder().getI32Type()))))
    return failure();
  SmallVector<int64_t> positions;
  for (int64_t frame = 0; frame < frames; ++frame)
    for (int64_t i = 0; i < length; ++i)
      positions.push_back(frame * *step + i);
  Value x = e.reshape(node.cast(signal, arithmetic), {batch, size, parts});
  x = e.gather(x, e.ints({frames, length}, positions, node.getBuilder().getI32Type()), 1);
  if (window)
    x = e.mul(x, e.reshape(node.cast(window, arithmetic), {length, 1}));
  x = e.reshape(x, {batch * frames, length, parts});
  const int64_t results = node.getInt("onesided", 1) ? length / 2 + 1 : length;
  Value y = FourierTransform(node, /*isInverse=*/false).apply(x, results);
  return node.results(node.cast(e.reshape(y, {batch, frames, results, 2}), elementType));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A constant of the type that the attribute output_datatype names.
static LogicalResult setConstant(OnnxNode &node, ArrayRef<int64_t> shape, ArrayRef<double> values) {
  const int64_t dataType = node.getInt("output_datatype", onnx::TensorProto::FLOAT);
  Type elementType = getOnnxElementType(node.context(), dataType);
  if (!elementType)
    return node.error() << "element type " << getOnnxTypeName(dataType)
                        << " is not supported (supported: " << getSupportedOnnxTypes() << ")";
  Value value = Expressions(node).floats(shape, values, getArithmeticType(elementType));
  return node.results(castSaturated(node, value, elementType));
}

/// The largest generated constant that is written element by element.
static constexpr int64_t kMostWritten = int64_t(1) << 24;

/// A window is a sum of cosines: terms[k] * cos(2 pi k i / size).
static LogicalResult importWindow(OnnxNode &node, ArrayRef<double> terms) {
  FailureOr<SmallVector<int64_t>> size =
      isShapedByDeclaration(node, 0) ? *node.declaredShape(0) : node.constantInts(0, "size");
  if (failed(size))
    return failure();
  if (size->size() != 1 || size->front() < 0 || size->front() > kMostWritten)
    return node.error() << "expected size to be one number from 0 to " << kMostWritten
                        << ", found [" << printList(*size) << "]";
  const int64_t count = size->front();
  const auto period = static_cast<double>(node.getInt("periodic", 1) ? count : count - 1);
  SmallVector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    double value = 0;
    for (auto [k, term] : llvm::enumerate(terms))
      value += term * std::cos(2 * std::numbers::pi * static_cast<double>(k) *
                               static_cast<double>(i) / period);
    values.push_back(value);
  }
  return setConstant(node, count, values);
}

static LogicalResult importHannWindow(OnnxNode &node) { return importWindow(node, {0.5, -0.5}); }

static LogicalResult importHammingWindow(OnnxNode &node) {
  return importWindow(node, {25.0 / 46, -21.0 / 46});
}

static LogicalResult importBlackmanWindow(OnnxNode &node) {
  return importWindow(node, {0.42, -0.5, 0.08});
}

/// Triangles at equal distances on the mel scale, in whole frequencies of a spectrum.
static LogicalResult importMelWeightMatrix(OnnxNode &node) {
  double numbers[5];
  constexpr StringRef names[5] = {"num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz",
                                  "upper_edge_hertz"};
  for (auto [index, what] : llvm::enumerate(names)) {
    FailureOr<double> number = node.constantNumber(index, what);
    if (failed(number))
      return failure();
    numbers[index] = *number;
  }
  auto [binCount, dftLength, sampleRate, lowest, highest] = numbers;
  if (!(binCount >= 1 && dftLength >= 1 && sampleRate >= 1 && lowest >= 0 && highest > lowest) ||
      !(binCount * (dftLength / 2 + 1) <= static_cast<double>(kMostWritten)))
    return node.error() << "impossible sizes: " << binCount << " mel bins from " << lowest
                        << " Hz to " << highest << " Hz of " << dftLength << " samples at "
                        << sampleRate << " Hz";
  const auto bins = static_cast<int64_t>(binCount);
  const int64_t frequencies = static_cast<int64_t>(dftLength) / 2 + 1;
  // Numbers of f32 in the reference, whose roundings decide on some edges.
  auto toMel = [](double hertz) {
    return 2595.0f * std::log1p(static_cast<float>(hertz) / 700.0f) / std::log(10.0);
  };
  const double step = (toMel(highest) - toMel(lowest)) / (binCount + 2);
  SmallVector<int64_t> edges;
  for (int64_t i = 0; i < bins + 2; ++i) {
    double mel = static_cast<double>(i) * step + toMel(lowest);
    double hertz = 700 * std::expm1(mel / 2595 * std::log(10.0));
    double edge = std::floor((dftLength + 1) * hertz / sampleRate);
    if (!(edge < static_cast<double>(frequencies)) && i < bins + 1)
      return node.error() << "the mel bins reach " << hertz
                          << " Hz, beyond half the sample rate of " << sampleRate << " Hz";
    edges.push_back(static_cast<int64_t>(std::min(edge, 1e12)));
  }
  SmallVector<double> weights(frequencies * bins, 0.0);
  for (int64_t i = 0; i < bins; ++i) {
    const int64_t low = edges[i], center = edges[i + 1], high = edges[i + 2];
    auto set = [&](int64_t frequency, int64_t part, int64_t whole) {
      weights[frequency * bins + i] = static_cast<double>(part) / static_cast<double>(whole);
    };
    for (int64_t j = low; j < center; ++j)
      set(j, j - low, center - low);
    set(center, 1, 1);
    for (int64_t j = center; j < std::min(high, frequencies); ++j)
      set(j, high - j, high - center);
  }
  return setConstant(node, {frequencies, bins}, weights);
}

void mlir::ttc::registerSignalOps(OnnxRegistry &registry) {
  registry.add("BlackmanWindow", {1, 1}, importBlackmanWindow, {17},
               "constant `size`, or a declared shape");
  registry.add("DFT", {1, 3}, importDFT, {17}, "constant `dft_length`, `axis`");
  registry.add("HammingWindow", {1, 1}, importHammingWindow, {17},
               "constant `size`, or a declared shape");
  registry.add("HannWindow", {1, 1}, importHannWindow, {17},
               "constant `size`, or a declared shape");
  registry.add("MelWeightMatrix", {5, 5}, importMelWeightMatrix, {17}, "constant inputs");
  registry.add("STFT", {2, 4}, importSTFT, {17}, "constant `frame_step`, `frame_length`");
}
