// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufModelReader.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::ttc;

/// How much of pair i is scaled, from 0 to 1 (YaRN's 1 - gamma).
static double getScaledPart(int64_t pairs, double base, const GgufRotaryScaling &scaling,
                            int64_t i) {
  if (!scaling.isYarn)
    return 1;
  // The pair that turns this many times within the trained context.
  auto pairOf = [&](double turns) {
    return static_cast<double>(pairs) *
           std::log(scaling.trainedContext / (turns * 2 * std::numbers::pi)) / std::log(base);
  };
  const double begin = std::max(std::floor(pairOf(scaling.fast)), 0.0);
  const double end = std::min(std::ceil(pairOf(scaling.slow)), static_cast<double>(2 * pairs - 1));
  return std::clamp((static_cast<double>(i) - begin) / std::max(0.001, end - begin), 0.0, 1.0);
}

/// The rotations of `pairs` pairs, of which pair i turns by base^(-i / pairs) for each position
/// before it is scaled.
static GgufRotations computeRotations(int64_t pairs, double base,
                                      const GgufRotaryScaling &scaling) {
  GgufRotations rotations;
  rotations.pairs = pairs;
  for (int64_t i = 0; i < pairs; ++i) {
    const double plain = std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs));
    const double divisor = scaling.divisors.empty() ? 1 : scaling.divisors[i];
    const double part = getScaledPart(pairs, base, scaling, i);
    rotations.frequencies.push_back(plain / scaling.factor / divisor * part +
                                    plain / divisor * (1 - part));
  }
  if (scaling.isYarn && scaling.scalesMagnitude && scaling.factor > 1)
    rotations.magnitude = 0.1 * std::log(scaling.factor) + 1;
  return rotations;
}

/// Layers with a window, which see the last positions only.
llvm::Error GgufModelReader::readWindow(GgufModel &model) {
  const WindowPattern &kinds = kind->window;
  const auto layers = static_cast<int64_t>(model.layers.size());
  const int64_t size = kinds.sizeLayers == 0 || kinds.sizeLayers == layers ? kinds.size : 0;
  llvm::Expected<int64_t> window =
      file.getInteger(key("attention.sliding_window"), 0, INT32_MAX, size);
  if (!window)
    return window.takeError();
  model.window = kinds.period || kind->ignoresWindow ? *window : 0;
  if (kinds.isRequired && !model.window)
    return makeGgufError("expected a number above 0 as '" + key("attention.sliding_window") +
                         "', found none");
  if (kinds.period && model.window)
    if (llvm::Error error = readPattern(model))
      return error;
  for (auto [i, layer] : llvm::enumerate(model.layers)) {
    const int64_t number = static_cast<int64_t>(i) + 1;
    const bool hasOthers = kinds.period && model.window;
    if ((kind->unrotatedPeriod && number % kind->unrotatedPeriod == 0) ||
        (hasOthers && !layer.hasWindow && !kinds.rotatesOthers))
      continue;
    layer.rotations = layer.hasWindow ? 1 : 0;
  }
  return llvm::Error::success();
}

/// Which layers have a window: as the architecture says, or the file, by a period or for each
/// layer.
llvm::Error GgufModelReader::readPattern(GgufModel &model) {
  const std::string name = key("attention.sliding_window_pattern");
  const bool isOfEach = file.has(name) && !file.findNumber(name);
  if (isOfEach) {
    llvm::Expected<std::vector<bool>> given = file.getBools(name);
    if (!given)
      return given.takeError();
    if (given->size() != model.layers.size())
      return makeGgufError("expected " + Twine(model.layers.size()) +
                           " truth values, one of each layer, as '" + name + "', found " +
                           Twine(given->size()));
    for (auto [layer, hasWindow] : llvm::zip_equal(model.layers, *given))
      layer.hasWindow = hasWindow;
    return llvm::Error::success();
  }
  llvm::Expected<int64_t> period = file.getInteger(name, 0, INT32_MAX, kind->window.period);
  if (!period)
    return period.takeError();
  for (auto [i, layer] : llvm::enumerate(model.layers))
    layer.hasWindow = *period == 0 || (static_cast<int64_t>(i) + 1) % *period != 0;
  return llvm::Error::success();
}

llvm::Expected<GgufRotaryScaling> GgufModelReader::readScaling(const GgufModel &model) {
  GgufRotaryScaling scaling;
  // A factor without a type is linear; older files call it rope.scale_linear.
  llvm::Expected<StringRef> type = file.getText(key("rope.scaling.type"), "linear");
  if (!type)
    return type.takeError();
  scaling.isYarn = hasYarn = *type == "yarn";
  if (*type == "linear" || scaling.isYarn) {
    StringRef name =
        file.has(key("rope.scaling.factor")) ? "rope.scaling.factor" : "rope.scale_linear";
    if (file.has(key(name)) || file.has(key("rope.scaling.type"))) {
      llvm::Expected<double> given = file.getNumber(key(name), 0, 1e6);
      if (!given)
        return given.takeError();
      if (*given != 0 && *given < 1e-3)
        return makeGgufError("expected 0 or a number from 0.001 to 1000000 as '" + key(name) +
                             "', found " + Twine(std::to_string(*given)));
      scaling.factor = *given == 0 ? 1 : *given; // 0: none, as llama.cpp reads it
    }
  } else if (*type != "none") {
    return makeGgufError("expected 'none', 'linear' or 'yarn' as '" + key("rope.scaling.type") +
                         "', found '" + *type + "'");
  }
  if (scaling.isYarn) {
    llvm::Expected<int64_t> trained =
        file.getInteger(key("rope.scaling.original_context_length"), 1, INT32_MAX, model.context);
    if (!trained)
      return trained.takeError();
    if (*trained < 1)
      return makeGgufError("expected a number above 0 as '" +
                           key("rope.scaling.original_context_length") + "', found none");
    scaling.trainedContext = static_cast<double>(*trained);
    for (auto [name, turns] : {std::pair("rope.scaling.yarn_beta_fast", &scaling.fast),
                               {"rope.scaling.yarn_beta_slow", &scaling.slow}}) {
      llvm::Expected<double> given = file.getNumber(key(name), 1e-3, 1e6, *turns);
      if (!given)
        return given.takeError();
      *turns = *given;
    }
  }
  scaling.scalesMagnitude = !kind->hasTemperature;
  if (kind->hasTemperature && scaling.isYarn) {
    llvm::Expected<double> multiplier =
        file.getNumber(key("rope.scaling.yarn_log_multiplier"), 0, 1e6, 1);
    if (!multiplier)
      return multiplier.takeError();
    if (*multiplier != 1)
      return makeGgufError("expected '" + key("rope.scaling.yarn_log_multiplier") +
                           "' to be 1 or absent, found another value, which ttc does not support");
  }
  const GgufFile::Tensor *factors;
  if (llvm::Error error = findVector("rope_freqs.weight", rotated / 2, factors, /*optional=*/true))
    return std::move(error);
  if (factors)
    scaling.divisors = toFloats(*factors);
  for (float divisor : scaling.divisors)
    if (!(divisor > 0) || std::isinf(divisor))
      return makeGgufError("expected positive factors in tensor 'rope_freqs.weight', found " +
                           Twine(std::to_string(divisor)));
  return scaling;
}

/// Angles of 0, and an order of elements, for heads of which the first `rotated` elements are
/// rotated.
static void rotateParts(GgufModel &model, int64_t rotated) {
  const int64_t half = model.headSize / 2, pairs = rotated / 2;
  for (GgufRotations &rotations : model.rotations)
    rotations.frequencies.resize(half);
  if (rotated == model.headSize || !model.architecture->rotatesHalves)
    return;
  const int64_t others = half - pairs;
  for (int64_t side : {0, 1}) {
    for (int64_t i = 0; i < pairs; ++i)
      model.headOrder.push_back(side * pairs + i);
    for (int64_t i = 0; i < others; ++i)
      model.headOrder.push_back(rotated + side * others + i);
  }
}

llvm::Error GgufModelReader::readRotations(GgufModel &model) {
  llvm::Expected<double> base = file.getNumber(key("rope.freq_base"), 1, 1e12, 10000);
  if (!base)
    return base.takeError();
  llvm::Expected<double> windowBase =
      file.getNumber(key("rope.freq_base_swa"), 1, 1e12,
                     kind->window.rotaryBase ? kind->window.rotaryBase : *base);
  if (!windowBase)
    return windowBase.takeError();
  llvm::Expected<GgufRotaryScaling> scaling = readScaling(model);
  if (!scaling)
    return scaling.takeError();
  model.rotations[0] = computeRotations(rotated / 2, *base, *scaling);
  model.rotations[1] = computeRotations(rotated / 2, *windowBase,
                                        kind->window.isScaled ? *scaling : GgufRotaryScaling());
  rotateParts(model, rotated);
  return llvm::Error::success();
}
