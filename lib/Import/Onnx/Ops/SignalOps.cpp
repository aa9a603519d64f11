// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms as products with constant matrices, and the constants of signal processing.
#include "lib/Import/Onnx/Core/DeclaredShapes.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/FourierTransform.h"

#include "onnx/onnx_pb.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

static LogicalResult checkLength(OnnxNode &node, int64_t length) {
  if (length >= 1 && length <= kLongestTransform)
    return success();
  return node.error() << "expected a transform of length 1 to " << kLongestTransform << ", found "
                      << length;
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
  if (isShapedByDeclaration(node, 0) && failed(requireElements(node, 0, *size)))
    return failure();
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
