// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models whose inputs may have many shapes (ttrt/shapes.h).

#ifndef TTRT_PYTHON_MODELS_H
#define TTRT_PYTHON_MODELS_H

#include "Device.h"

namespace ttrt::python {

/// The models of a bundle that have variants, in order. Throws.
std::vector<EntryPoint> openModels(const ttrt_bundle *bundle);

/// How inputs fit a model.
struct Fit {
  int64_t extents[TTRT_MAX_DIMS];
  uint32_t variant = 0;
};

/// Raises ValueError if the shapes contradict each other, or if no variant fits.
Fit findFit(const EntryPoint &model, const ttrt_shaped_input *inputs);
/// Throws what a call of a model says. What does not fit is the caller's error: ValueError.
void requireFit(ttrt_status status, const ttrt_error &error);
/// The first variant that holds the extents, or the last of all; null: no extents.
ttrt_variant findVariant(const EntryPoint &model, const int64_t *extents, uint32_t *index);
/// The type of an output for these inputs.
TensorType outputType(const EntryPoint &model, uint32_t output, const Fit &fit);

/// For each model its name, inputs, outputs, dimensions (name, low, high, step) and variants
/// (number of the entry point, lows, highs, bytes of its slots).
nb::list describeModels(const Device &device);
/// The shapes that the inputs have at extents. Raises ValueError if no variant holds them.
nb::list inputShapes(Device &device, uint32_t model, const std::vector<int64_t> &extents);

} // namespace ttrt::python

#endif // TTRT_PYTHON_MODELS_H
