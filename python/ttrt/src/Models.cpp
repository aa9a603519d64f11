// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Models.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace ttrt::python {

static Port describePort(const ttrt_model_port &port) {
  // An array needs sizes that are numbers: those that depend on extents are checked by their own.
  std::vector<int64_t> shape(port.rank, -1);
  for (uint32_t i = 0; i < port.rank; ++i) {
    const char *const end = port.sizes[i] + strlen(port.sizes[i]);
    int64_t size;
    if (const auto [last, problem] = std::from_chars(port.sizes[i], end, size);
        problem == std::errc() && last == end)
      shape[i] = size;
  }
  Port described = describePort(ttrt_port{sizeof(ttrt_port), port.name, port.dtype, port.rank,
                                          shape.data(), port.most_bytes});
  described.type.sizes.assign(port.sizes, port.sizes + port.rank);
  return described;
}

std::vector<EntryPoint> openModels(const ttrt_bundle *bundle) {
  std::vector<EntryPoint> models;
  for (uint32_t i = 0; i < ttrt_bundle_models(bundle); ++i) {
    const char *const name = ttrt_bundle_model_name(bundle, i);
    uint32_t entry;
    if (ttrt_bundle_find_entry(bundle, name, &entry, nullptr) == TTRT_OK)
      continue; // it is that entry point
    ttrt_error error;
    ttrt_model *opened = nullptr;
    check(ttrt_model_open(bundle, name, &opened, &error), error);
    EntryPoint model;
    model.name = name;
    model.model = {opened, ttrt_model_close};
    ttrt_model_info info = TTRT_MODEL_INFO_INIT;
    check(ttrt_model_describe(opened, &info, &error), error);
    for (uint32_t k = 0; k < info.inputs; ++k) {
      ttrt_model_port port = TTRT_MODEL_PORT_INIT;
      check(ttrt_model_input(opened, k, &port, &error), error);
      model.inputs.push_back(describePort(port));
    }
    for (uint32_t k = 0; k < info.outputs; ++k) {
      ttrt_model_port port = TTRT_MODEL_PORT_INIT;
      check(ttrt_model_output(opened, k, &port, &error), error);
      model.outputs.push_back(describePort(port));
    }
    models.push_back(std::move(model));
  }
  return models;
}

void requireFit(ttrt_status status, const ttrt_error &error) {
  if (status == TTRT_UNSUPPORTED || status == TTRT_INVALID_ARGUMENT)
    raiseValueError(error.message);
  check(status, error);
}

Fit findFit(const EntryPoint &model, const ttrt_shaped_input *inputs) {
  Fit fit;
  ttrt_error error;
  requireFit(ttrt_model_extents(model.model.get(), inputs, fit.extents, &error), error);
  requireFit(ttrt_model_choose(model.model.get(), fit.extents, &fit.variant, &error), error);
  return fit;
}

ttrt_variant findVariant(const EntryPoint &model, const int64_t *extents, uint32_t *index) {
  ttrt_error error;
  if (extents) {
    requireFit(ttrt_model_choose(model.model.get(), extents, index, &error), error);
  } else {
    ttrt_model_info info = TTRT_MODEL_INFO_INIT;
    check(ttrt_model_describe(model.model.get(), &info, &error), error);
    *index = info.variants - 1;
  }
  ttrt_variant variant = TTRT_VARIANT_INIT;
  check(ttrt_model_variant(model.model.get(), *index, &variant, &error), error);
  return variant;
}

TensorType outputType(const EntryPoint &model, uint32_t output, const Fit &fit) {
  const TensorType &any = model.outputs[output].type;
  TensorType type;
  type.dtype = any.dtype;
  type.shape.resize(any.shape.size());
  ttrt_error error;
  int64_t shape[TTRT_MAX_RANK];
  check(ttrt_model_output_shape(model.model.get(), output, fit.extents, shape, &error), error);
  std::copy_n(shape, type.shape.size(), type.shape.begin());
  type.bytes = elementBytes(any.dtype);
  for (int64_t size : type.shape)
    type.bytes *= static_cast<size_t>(size);
  return type;
}

static nb::tuple tupleOf(const int64_t *numbers, uint32_t count) {
  nb::list list;
  for (uint32_t i = 0; i < count; ++i)
    list.append(numbers[i]);
  return nb::tuple(list);
}

nb::list describeModels(const Device &device) {
  nb::list models;
  for (const EntryPoint &model : device.models()) {
    ttrt_error error;
    ttrt_model_info info = TTRT_MODEL_INFO_INIT;
    check(ttrt_model_describe(model.model.get(), &info, &error), error);
    nb::list dims, variants;
    for (uint32_t i = 0; i < info.dims; ++i) {
      ttrt_dim dim = TTRT_DIM_INIT;
      check(ttrt_model_dim(model.model.get(), i, &dim, &error), error);
      dims.append(nb::make_tuple(nameToStr(dim.name), dim.low, dim.high, dim.step));
    }
    for (uint32_t i = 0; i < info.variants; ++i) {
      ttrt_variant variant = TTRT_VARIANT_INIT;
      check(ttrt_model_variant(model.model.get(), i, &variant, &error), error);
      variants.append(nb::make_tuple(nameToStr(variant.name), tupleOf(variant.low, info.dims),
                                     tupleOf(variant.high, info.dims), variant.slot_bytes));
    }
    models.append(nb::make_tuple(nameToStr(model.name), describePorts(model.inputs),
                                 describePorts(model.outputs), dims, variants));
  }
  return models;
}

nb::list inputShapes(Device &device, uint32_t index, const std::vector<int64_t> &extents) {
  const EntryPoint &model = device.entry(index);
  nb::list shapes;
  for (uint32_t i = 0; i < model.inputs.size(); ++i) {
    ttrt_error error;
    int64_t shape[TTRT_MAX_RANK];
    requireFit(ttrt_model_input_shape(model.model.get(), i, extents.data(), shape, &error), error);
    shapes.append(tupleOf(shape, static_cast<uint32_t>(model.inputs[i].type.shape.size())));
  }
  return shapes;
}

} // namespace ttrt::python
