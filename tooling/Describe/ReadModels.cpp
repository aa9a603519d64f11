// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/ReadModels.h"

#include "Base/Error.h"
#include "Describe/Describe.h"
#include "Formats/Npy.h"
#include "Formats/Printing.h"
#include "ttrt/shapes.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace ttrun {

using namespace ttrt;

static void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK)
    throw Error{status, error.message};
}

/// The most bytes of activations in DRAM that are alive at a point of the entry point.
static uint64_t activationsOf(const Bundle &bundle, const std::vector<Point> &timeline,
                              const std::string &entry) {
  std::vector<int64_t> changes(timeline.size() + 1);
  for (const fb::Buffer *buffer : *bundle.metadata().buffers())
    if (buffer->kind() == fb::BufferKind::Activation && buffer->space() == fb::MemorySpace::Dram &&
        buffer->end() <= timeline.size()) {
      changes[buffer->begin()] += static_cast<int64_t>(buffer->size());
      changes[buffer->end()] -= static_cast<int64_t>(buffer->size());
    }
  int64_t alive = 0, most = 0;
  for (size_t time = 0; time < timeline.size(); ++time) {
    alive += changes[time];
    if (timeline[time].entry == entry)
      most = std::max(most, alive);
  }
  return static_cast<uint64_t>(most);
}

static ModelInfo describeModel(const Bundle &bundle, const std::vector<Point> &timeline,
                               const ttrt_model *model) {
  ttrt_error error;
  ttrt_model_info info = TTRT_MODEL_INFO_INIT;
  check(ttrt_model_describe(model, &info, &error), error);
  ModelInfo result;
  result.name = info.name;
  for (uint32_t i = 0; i < info.dims; ++i) {
    ttrt_dim dim = TTRT_DIM_INIT;
    check(ttrt_model_dim(model, i, &dim, &error), error);
    result.dims.push_back({dim.name, dim.low, dim.high, dim.step});
  }
  auto addPorts = [&](uint32_t number, auto query, std::vector<ModelPortInfo> &ports) {
    for (uint32_t i = 0; i < number; ++i) {
      ttrt_model_port port = TTRT_MODEL_PORT_INIT;
      check(query(model, i, &port, &error), error);
      ports.push_back({port.name, nameOf(port.dtype), {port.sizes, port.sizes + port.rank}});
    }
  };
  addPorts(info.inputs, ttrt_model_input, result.inputs);
  addPorts(info.outputs, ttrt_model_output, result.outputs);
  for (uint32_t i = 0; i < info.variants && info.dims; ++i) {
    ttrt_variant variant = TTRT_VARIANT_INIT;
    check(ttrt_model_variant(model, i, &variant, &error), error);
    result.variants.push_back({variant.name,
                               {variant.low, variant.low + info.dims},
                               {variant.high, variant.high + info.dims},
                               {variant.step, variant.step + info.dims},
                               variant.slot_bytes,
                               activationsOf(bundle, timeline, variant.name)});
  }
  return result;
}

std::vector<ModelInfo> modelsOf(const Bundle &bundle) {
  const auto &entries = *bundle.metadata().entries();
  std::vector<ModelInfo> models;
  if (std::none_of(entries.begin(), entries.end(),
                   [](const fb::EntryPoint *entry) { return entry->variant(); }))
    return models;
  const std::vector<Point> timeline = timelineOf(bundle);
  const ttrt_bundle handle{std::shared_ptr<const Bundle>(&bundle, [](const Bundle *) {})};
  for (uint32_t i = 0; i < ttrt_bundle_models(&handle); ++i) {
    ttrt_model *opened;
    ttrt_error error;
    check(ttrt_model_open(&handle, ttrt_bundle_model_name(&handle, i), &opened, &error), error);
    const std::unique_ptr<ttrt_model, void (*)(ttrt_model *)> model(opened, ttrt_model_close);
    ModelInfo info = describeModel(bundle, timeline, opened);
    if (!info.dims.empty())
      models.push_back(std::move(info));
  }
  return models;
}

std::string boundsText(const ModelInfo &model, const VariantInfo *variant) {
  std::string text;
  for (size_t i = 0; i < model.dims.size(); ++i) {
    const DimInfo &dim = model.dims[i];
    const int64_t step = variant ? variant->step[i] : dim.step;
    text += fmt::format("{}{} {}..{}", i ? ", " : "", dim.name, variant ? variant->low[i] : dim.low,
                        variant ? variant->high[i] : dim.high);
    if (step != 1)
      text += fmt::format(" by {}", step);
  }
  return text;
}

/// What the compiler says about the choice of variants; "" if it says nothing.
static std::string costOf(const Bundle &bundle, const std::string &model) {
  const auto *metadata = bundle.metadata().metadata();
  for (uint32_t i = 0; i < count(metadata); ++i) {
    const fb::Metadatum &entry = *metadata->Get(i);
    if (text(entry.key()) == "variants/" + model && count(entry.value()))
      return {reinterpret_cast<const char *>(entry.value()->data()), count(entry.value())};
  }
  return "";
}

void printModels(const Bundle &bundle) {
  const std::vector<ModelInfo> models = modelsOf(bundle);
  if (!models.empty())
    printLine("models");
  for (const ModelInfo &model : models) {
    printLine("  {}: {}", model.name, boundsText(model));
    for (const auto *ports : {&model.inputs, &model.outputs})
      for (const ModelPortInfo &port : *ports)
        printLine("    {}  {} {}[{}]", ports == &model.inputs ? "input " : "output", port.name,
                  port.dtype, fmt::join(port.sizes, ", "));
    if (const std::string cost = costOf(bundle, model.name); !cost.empty())
      printLine("    {}", cost);
    for (const VariantInfo &variant : model.variants)
      printLine("    variant {}: {}; slots {}, activations {}", variant.entry,
                boundsText(model, &variant), bytesText(variant.slotBytes),
                bytesText(variant.activationBytes));
  }
}

} // namespace ttrun
