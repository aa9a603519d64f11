// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/ReadStages.h"

#include "Describe/Describe.h"
#include "Formats/Printing.h"
#include "ttrt/format/commands.h"
#include "ttrt/format/steps.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace ttrun {

using namespace ttrt;

namespace {
/// An entry point of some devices.
struct Stage {
  const fb::EntryPoint *entry;
  uint64_t flops = 0;
};

/// What entry points with one `part_of` compute together.
struct Pipeline {
  std::string name;
  std::vector<Stage> stages;
  uint64_t microBatches = 1; ///< how often the same send is made in an inference
};
} // namespace

static void countSteps(const Bundle &bundle, Pipeline &pipeline, Stage &stage) {
  std::map<uint32_t, uint64_t> sends;
  const auto &schedule = *stage.entry->schedules()->Get(0);
  for (const auto *part : {schedule.prologue(), schedule.body(), schedule.epilogue()})
    for (uint32_t i = 0; i < ttrt::count(part); ++i) {
      const Action step = actionOf(*part->Get(i));
      if (step.info->role != OrderRole::Execute)
        continue;
      const uint8_t *position = bundle.stream(step.index);
      for (uint32_t k = 0; k < bundle.metadata().traces()->Get(step.index)->commands(); ++k) {
        const auto &header = *reinterpret_cast<const CommandHeader *>(position);
        if (header.opcode == Opcode::Dispatch) {
          const auto &dispatch = reinterpret_cast<const DispatchCommand &>(header);
          stage.flops += bundle.metadata().programs()->Get(dispatch.program)->flops();
        } else if (header.opcode == Opcode::Send) {
          const auto &send = reinterpret_cast<const ExchangeCommand &>(header);
          pipeline.microBatches = std::max(pipeline.microBatches, ++sends[send.collective]);
        }
        position += header.size;
      }
    }
}

static std::vector<Pipeline> pipelinesOf(const Bundle &bundle) {
  std::vector<Pipeline> pipelines;
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    if (ttrt::count(entry->devices()) == 0)
      continue;
    const char *name = text(entry->part_of());
    auto found = std::find_if(pipelines.begin(), pipelines.end(),
                              [&](const Pipeline &other) { return other.name == name; });
    if (found == pipelines.end())
      found = pipelines.insert(pipelines.end(), {name, {}});
    found->stages.push_back({entry});
    countSteps(bundle, *found, found->stages.back());
  }
  return pipelines;
}

/// The share of the time of all devices in which they wait for others, if stages take as long as
/// their operations: in one inference, in which all micro-batches pass the largest stage one after
/// the other and one of them all other stages; and when inferences follow each other.
static std::pair<double, double> bubblesOf(const Pipeline &pipeline) {
  double all = 0, most = 0;
  for (const Stage &stage : pipeline.stages) {
    all += static_cast<double>(stage.flops);
    most = std::max(most, static_cast<double>(stage.flops));
  }
  const auto stages = static_cast<double>(pipeline.stages.size());
  const auto batches = static_cast<double>(pipeline.microBatches);
  if (all == 0)
    return {0, 0};
  return {1 - batches * all / (stages * (all + (batches - 1) * most)), 1 - all / (stages * most)};
}

void printStages(const Bundle &bundle, bool full) {
  for (const Pipeline &pipeline : pipelinesOf(bundle)) {
    const auto [once, steady] = bubblesOf(pipeline);
    uint64_t all = 0;
    for (const Stage &stage : pipeline.stages)
      all += stage.flops;
    printLine("  pipeline {}: {} stages, {} micro-batch{}; by operations, devices wait {:.1f} % of "
              "one inference, and {:.1f} % where inferences follow each other",
              pipeline.name, pipeline.stages.size(), pipeline.microBatches,
              pipeline.microBatches == 1 ? "" : "es", 100 * once, 100 * steady);
    for (size_t i = 0; full && i < pipeline.stages.size(); ++i) {
      const Stage &stage = pipeline.stages[i];
      printLine("      stage {}, on {} {}: {:.1f} % of the operations", text(stage.entry->name()),
                stage.entry->devices()->size() == 1 ? "device" : "devices",
                fmt::join(stage.entry->devices()->begin(), stage.entry->devices()->end(), ", "),
                all ? 100 * static_cast<double>(stage.flops) / static_cast<double>(all) : 0.0);
    }
  }
}

void addStages(Json &json, const Bundle &bundle) {
  const std::vector<Pipeline> pipelines = pipelinesOf(bundle);
  if (pipelines.empty())
    return;
  json.key("pipelines").beginArray();
  for (const Pipeline &pipeline : pipelines) {
    const auto [once, steady] = bubblesOf(pipeline);
    json.beginObject()
        .field("name", pipeline.name)
        .field("micro_batches", pipeline.microBatches)
        .field("bubble", once)
        .field("steady_bubble", steady)
        .key("stages")
        .beginArray();
    for (const Stage &stage : pipeline.stages) {
      json.beginObject().field("entry", text(stage.entry->name())).field("flops", stage.flops);
      json.key("devices").beginArray(/*flat=*/true);
      for (uint32_t device : *stage.entry->devices())
        json.value(uint64_t(device));
      json.endArray().endObject();
    }
    json.endArray().endObject();
  }
  json.endArray();
}

} // namespace ttrun
