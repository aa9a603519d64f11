// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Api/Turns.h"
#include "shapes/Model.h"

#include <cstddef>

using namespace ttrt::shapes;

// A size must tell which fields its struct has, so no field may ever be placed in former padding.
#define TTRT_ENDS_WITH(type, field)                                                                \
  static_assert(offsetof(type, size) == 0 &&                                                       \
                offsetof(type, field) + sizeof(type::field) == sizeof(type))
TTRT_ENDS_WITH(ttrt_model_info, variants);
TTRT_ENDS_WITH(ttrt_dim, step);
TTRT_ENDS_WITH(ttrt_model_port, most_bytes);
TTRT_ENDS_WITH(ttrt_variant, slot_bytes);
TTRT_ENDS_WITH(ttrt_slot, bytes);
#undef TTRT_ENDS_WITH

struct ttrt_model {
  ttrt_model(const ttrt_bundle *bundle, const char *name) : model(bundle, name) {}
  Model model;
};

template <typename T>
static const T &at(const std::vector<T> &all, uint32_t index, const char *what) {
  if (index >= all.size()) [[unlikely]]
    fail(TTRT_INVALID_ARGUMENT, "%s %u; the model has %zu", what, index, all.size());
  return all[index];
}

/// Runs `use` with the model, and turns what it throws into a status.
template <typename Use>
static ttrt_status withModel(const ttrt_model *model, const void *result, ttrt_error *error,
                             Use use) {
  return guarded(error, [&] {
    require(model && result, "the model, or what receives the result, is NULL");
    use(model->model);
  });
}

/// Throws Error with what a call of libttrt has said.
static void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK) [[unlikely]]
    throw Error{status, error.message};
}

static void sizesAt(const Port &port, const int64_t *extents, int64_t *sizes) {
  for (uint32_t i = 0; i < port.rank(); ++i)
    sizes[i] = port.sizes[i].at(extents);
}

static uint64_t bytesOf(const Port &port, const int64_t *sizes) {
  uint64_t bytes = port.elementBytes;
  for (uint32_t i = 0; i < port.rank(); ++i)
    bytes *= static_cast<uint64_t>(sizes[i]);
  return bytes;
}

static ttrt_status describePort(const ttrt_model *model, bool isInput, uint32_t index,
                                ttrt_model_port *info, ttrt_error *error) {
  return withModel(model, info, error, [&](const Model &target) {
    checkResult(info, "ttrt_model_port");
    const Port &port =
        isInput ? at(target.inputs(), index, "input") : at(target.outputs(), index, "output");
    writeResult(info, {sizeof(ttrt_model_port), port.name.c_str(), port.dtype, port.rank(),
                       port.rank() ? port.pointers.data() : nullptr, port.mostBytes});
  });
}

static ttrt_status describeShape(const ttrt_model *model, bool isInput, uint32_t index,
                                 const int64_t *extents, int64_t *shape, ttrt_error *error) {
  return withModel(model, shape, error, [&](const Model &target) {
    require(extents || target.dims().empty(), "extents is NULL");
    target.choose(extents);
    sizesAt(isInput ? at(target.inputs(), index, "input") : at(target.outputs(), index, "output"),
            extents, shape);
  });
}

static ttrt_status describeSlot(ttrt_device *device, const ttrt_model *model, bool isInput,
                                uint32_t variant, uint32_t index, ttrt_slot *slot,
                                ttrt_error *error) {
  return withModel(model, slot, error, [&](const Model &target) {
    require(device, "device is NULL");
    checkResult(slot, "ttrt_slot");
    target.requireWhole();
    const Variant &chosen = at(target.variants(), variant, "variant");
    const Whole &whole =
        isInput ? at(chosen.inputs, index, "input") : at(chosen.outputs, index, "output");
    ttrt_error problem;
    void *data = nullptr;
    const void *output = nullptr;
    check(isInput ? ttrt_device_input_slot(device, chosen.entry, whole.index, &data, &problem)
                  : ttrt_device_output_slot(device, chosen.entry, whole.index, &output, &problem),
          problem);
    const auto rank = static_cast<uint32_t>(whole.shape.size());
    writeResult(slot, {sizeof(ttrt_slot), isInput ? data : const_cast<void *>(output), rank,
                       rank ? whole.shape.data() : nullptr, rank ? whole.strides.data() : nullptr,
                       whole.bytes});
  });
}

/// The port of a variant that holds the extents, and its sizes.
static const Whole &wholeFor(const Model &model, bool isInput, uint32_t variant, uint32_t index,
                             const int64_t *extents, size_t bytes, int64_t *sizes) {
  require(extents || model.dims().empty(), "extents is NULL");
  const Variant &chosen = at(model.variants(), variant, "variant");
  if (!chosen.holds(extents)) [[unlikely]]
    model.failToHold(chosen, extents);
  const Port &port =
      isInput ? at(model.inputs(), index, "input") : at(model.outputs(), index, "output");
  const Whole &whole = (isInput ? chosen.inputs : chosen.outputs)[index];
  if (bytes != whole.bytes) [[unlikely]]
    fail(TTRT_INVALID_ARGUMENT, "'%s' of variant '%s' has %zu bytes; expected %llu",
         port.name.c_str(), chosen.name.c_str(), bytes,
         static_cast<unsigned long long>(whole.bytes));
  sizesAt(port, extents, sizes);
  return whole;
}

static void run(ttrt_device *device, const Model &model, const ttrt_shaped_input *inputs,
                ttrt_shaped_output *outputs, const ttrt_run_options *options) {
  const std::vector<Port> &ins = model.inputs(), &outs = model.outputs();
  require(device && (inputs || ins.empty()) && (outputs || outs.empty()),
          "device, inputs or outputs is NULL");
  model.requireWhole();
  int64_t extents[TTRT_MAX_DIMS], sizes[TTRT_MAX_RANK];
  model.findExtents(inputs, extents);
  const Variant &variant = model.variants()[model.choose(extents)];
  for (size_t i = 0; i < outs.size(); ++i) {
    sizesAt(outs[i], extents, sizes);
    const uint64_t bytes = bytesOf(outs[i], sizes);
    if (outputs[i].data && outputs[i].capacity < bytes) [[unlikely]]
      fail(TTRT_INVALID_ARGUMENT, "output '%s' has room for %zu bytes; expected %llu",
           outs[i].name.c_str(), outputs[i].capacity, static_cast<unsigned long long>(bytes));
  }
  ttrt_error error;
  check(ttrt_private.idle(device, &error), error);
  void *slot;
  auto slotOf = [&](uint32_t input) {
    check(ttrt_device_input_slot(device, variant.entry, input, &slot, &error), error);
    return slot;
  };
  for (size_t i = 0; i < ins.size(); ++i)
    if (inputs[i].data)
      toWhole(variant.inputs[i], inputs[i].shape, ins[i].elementBytes, inputs[i].data,
              slotOf(variant.inputs[i].index));
  if (variant.extents != kNone) {
    auto *numbers = static_cast<int32_t *>(slotOf(variant.extents));
    for (size_t i = 0; i < model.dims().size(); ++i)
      numbers[i] = static_cast<int32_t>(extents[i]);
  }
  check(ttrt_run(device, variant.entry, variant.inSlots.data(), variant.outSlots.data(), options,
                 &error),
        error);
  for (size_t i = 0; i < outs.size(); ++i) {
    sizesAt(outs[i], extents, sizes);
    if (outputs[i].data) {
      const void *result;
      check(
          ttrt_device_output_slot(device, variant.entry, variant.outputs[i].index, &result, &error),
          error);
      fromWhole(variant.outputs[i], sizes, outs[i].elementBytes, result, outputs[i].data);
    }
    if (outputs[i].shape)
      std::copy(sizes, sizes + outs[i].rank(), outputs[i].shape);
    outputs[i].bytes = bytesOf(outs[i], sizes);
  }
}

extern "C" {

uint32_t ttrt_bundle_models(const ttrt_bundle *bundle) {
  uint32_t models = 0;
  if (bundle)
    forEachModel(tablesOf(bundle), [&](const char *) { return ++models, false; });
  return models;
}

const char *ttrt_bundle_model_name(const ttrt_bundle *bundle, uint32_t index) {
  const char *found = nullptr;
  if (bundle)
    forEachModel(tablesOf(bundle), [&](const char *name) {
      if (index-- == 0)
        found = name;
      return found != nullptr;
    });
  return found;
}

ttrt_status ttrt_model_open(const ttrt_bundle *bundle, const char *name, ttrt_model **model,
                            ttrt_error *error) {
  if (model)
    *model = nullptr;
  return guarded(error, [&] {
    require(bundle && model, "bundle or model is NULL");
    *model = new ttrt_model(bundle, name);
  });
}

void ttrt_model_close(ttrt_model *model) { delete model; }

ttrt_status ttrt_model_describe(const ttrt_model *model, ttrt_model_info *info, ttrt_error *error) {
  return withModel(model, info, error, [&](const Model &target) {
    auto size = [](const auto &all) { return static_cast<uint32_t>(all.size()); };
    writeResult(info,
                ttrt_model_info{sizeof(ttrt_model_info), target.name().c_str(), size(target.dims()),
                                size(target.inputs()), size(target.outputs()),
                                size(target.variants())},
                "ttrt_model_info");
  });
}

ttrt_status ttrt_model_dim(const ttrt_model *model, uint32_t dim, ttrt_dim *info,
                           ttrt_error *error) {
  return withModel(model, info, error, [&](const Model &target) {
    ttrt_dim result{sizeof(ttrt_dim), at(target.dims(), dim, "dimension").c_str(), INT64_MAX, 0,
                    target.steps()[dim]};
    for (const Variant &variant : target.variants()) {
      result.low = std::min(result.low, variant.low[dim]);
      result.high = std::max(result.high, variant.high[dim]);
    }
    writeResult(info, result, "ttrt_dim");
  });
}

ttrt_status ttrt_model_input(const ttrt_model *model, uint32_t input, ttrt_model_port *port,
                             ttrt_error *error) {
  return describePort(model, /*isInput=*/true, input, port, error);
}

ttrt_status ttrt_model_output(const ttrt_model *model, uint32_t output, ttrt_model_port *port,
                              ttrt_error *error) {
  return describePort(model, /*isInput=*/false, output, port, error);
}

ttrt_status ttrt_model_variant(const ttrt_model *model, uint32_t variant, ttrt_variant *info,
                               ttrt_error *error) {
  return withModel(model, info, error, [&](const Model &target) {
    const Variant &found = at(target.variants(), variant, "variant");
    auto numbers = [](const std::vector<int64_t> &all) {
      return all.empty() ? nullptr : all.data();
    };
    writeResult(info,
                ttrt_variant{sizeof(ttrt_variant), found.entry, found.name.c_str(),
                             numbers(found.low), numbers(found.high), numbers(found.step),
                             found.extents, found.slotBytes},
                "ttrt_variant");
  });
}

ttrt_status ttrt_model_extents(const ttrt_model *model, const ttrt_shaped_input *inputs,
                               int64_t *extents, ttrt_error *error) {
  return guarded(error, [&] {
    require(model, "model is NULL");
    const Model &target = model->model;
    require((inputs || target.inputs().empty()) && (extents || target.dims().empty()),
            "inputs or extents is NULL");
    target.findExtents(inputs, extents);
  });
}

ttrt_status ttrt_model_choose(const ttrt_model *model, const int64_t *extents, uint32_t *variant,
                              ttrt_error *error) {
  return withModel(model, variant, error, [&](const Model &target) {
    require(extents || target.dims().empty(), "extents is NULL");
    *variant = target.choose(extents);
  });
}

ttrt_status ttrt_model_input_shape(const ttrt_model *model, uint32_t input, const int64_t *extents,
                                   int64_t *shape, ttrt_error *error) {
  return describeShape(model, /*isInput=*/true, input, extents, shape, error);
}

ttrt_status ttrt_model_output_shape(const ttrt_model *model, uint32_t output,
                                    const int64_t *extents, int64_t *shape, ttrt_error *error) {
  return describeShape(model, /*isInput=*/false, output, extents, shape, error);
}

ttrt_status ttrt_run_shaped(ttrt_device *device, const ttrt_model *model,
                            const ttrt_shaped_input *inputs, ttrt_shaped_output *outputs,
                            const ttrt_run_options *options, ttrt_error *error) {
  return guarded(error, [&] {
    require(model, "model is NULL");
    run(device, model->model, inputs, outputs, options);
  });
}

ttrt_status ttrt_model_input_slot(ttrt_device *device, const ttrt_model *model, uint32_t variant,
                                  uint32_t input, ttrt_slot *slot, ttrt_error *error) {
  return describeSlot(device, model, /*isInput=*/true, variant, input, slot, error);
}

ttrt_status ttrt_model_output_slot(ttrt_device *device, const ttrt_model *model, uint32_t variant,
                                   uint32_t output, ttrt_slot *slot, ttrt_error *error) {
  return describeSlot(device, model, /*isInput=*/false, variant, output, slot, error);
}

ttrt_status ttrt_model_pack(const ttrt_model *model, uint32_t variant, uint32_t input,
                            const int64_t *extents, const void *dense, void *whole, size_t bytes,
                            ttrt_error *error) {
  return withModel(model, whole, error, [&](const Model &target) {
    require(dense, "dense is NULL");
    int64_t sizes[TTRT_MAX_RANK];
    const Whole &to = wholeFor(target, /*isInput=*/true, variant, input, extents, bytes, sizes);
    toWhole(to, sizes, target.inputs()[input].elementBytes, dense, whole);
  });
}

ttrt_status ttrt_model_unpack(const ttrt_model *model, uint32_t variant, uint32_t output,
                              const int64_t *extents, const void *whole, size_t bytes, void *dense,
                              ttrt_error *error) {
  return withModel(model, dense, error, [&](const Model &target) {
    require(whole, "whole is NULL");
    int64_t sizes[TTRT_MAX_RANK];
    const Whole &from = wholeFor(target, /*isInput=*/false, variant, output, extents, bytes, sizes);
    fromWhole(from, sizes, target.outputs()[output].elementBytes, whole, dense);
  });
}

} // extern "C"
