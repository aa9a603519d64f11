// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/ReadJson.h"

#include "Describe/ReadMesh.h"
#include "Describe/ReadModels.h"

#include "Describe/Costs.h"
#include "Describe/FloatOps.h"
#include "Describe/MemoryUse.h"
#include "Describe/Waits.h"
#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "ttrt/format/timeline_index.h"

namespace ttrun {

using namespace ttrt;

static void addTarget(Json &json, const fb::Target &target) {
  json.key("target").beginObject();
  json.field("name", text(target.name()))
      .field("arch", text(target.arch()))
      .field("triple", text(target.triple()))
      .field("cpu", text(target.cpu()));
  json.key("features").beginArray(/*flat=*/true);
  for (uint32_t i = 0; i < count(target.features()); ++i)
    json.value(target.features()->Get(i)->c_str());
  json.endArray()
      .field("cores", target.cores())
      .field("grid_rows", target.grid_rows() ? target.grid_rows() : 1)
      .field("grid_cols", target.grid_rows() ? target.grid_cols() : target.cores())
      .field("dram_banks", target.dram_banks())
      .field("dram_bank_bytes", target.dram_bank_bytes())
      .field("l1_bytes", target.l1_bytes())
      .field("host_bytes", target.host_bytes())
      .field("dram_alignment", target.dram_alignment())
      .field("l1_alignment", target.l1_alignment())
      .field("queues", target.queues())
      .field("chips", target.chips())
      .field("link_bytes_per_second", target.link_bytes_per_second())
      .field("interleaved_l1", target.interleaved_l1())
      .endObject();
}

static void addSegments(Json &json, const Bundle &bundle) {
  static const char *const kNames[] = {"constants", "streams", "code"};
  json.key("segments").beginArray();
  for (const fb::Segment *segment : *bundle.metadata().segments()) {
    // As text: many JSON readers store numbers as doubles, which cannot hold 64 bits.
    json.beginObject()
        .field("kind", kNames[static_cast<size_t>(segment->kind())])
        .field("offset", segment->offset())
        .field("size", segment->size())
        .field("hash", hexText(segment->hash()))
        .field("address", segment->address())
        .endObject();
  }
  json.endArray();
}

static void addStates(Json &json, const Bundle &bundle) {
  json.key("states").beginArray();
  for (uint32_t i = 0; i < count(bundle.metadata().states()); ++i) {
    const fb::Port &state = *bundle.metadata().states()->Get(i);
    json.beginObject().field("name", text(state.name())).field("dtype", dtypeText(state.dtype()));
    json.key("shape").beginArray(/*flat=*/true);
    for (uint32_t d = 0; d < count(state.shape()); ++d)
      json.value(state.shape()->Get(d));
    json.endArray().field("bytes", sizeOf(state));
    json.key("entries").beginArray(/*flat=*/true);
    for (const std::string &entry : entriesWithState(bundle, state))
      json.value(entry);
    json.endArray().endObject();
  }
  json.endArray();
}

static void addMetadata(Json &json, const Bundle &bundle) {
  json.key("metadata").beginArray();
  const auto *metadata = bundle.metadata().metadata();
  for (uint32_t i = 0; i < count(metadata); ++i) {
    const fb::Metadatum &entry = *metadata->Get(i);
    json.beginObject()
        .field("key", text(entry.key()))
        .field("bytes", count(entry.value()))
        .field("hash", hexText(hashBytes(count(entry.value()) ? entry.value()->data() : nullptr,
                                         count(entry.value()))))
        .endObject();
  }
  json.endArray();
}

static void addCosts(Json &json, const EntryCosts &costs) {
  json.key("run")
      .beginObject()
      .field("constants", costs.constants)
      .field("states", costs.states)
      .field("caches", costs.caches)
      .field("caches_per_position", costs.cachesPerPosition)
      .field("operations", costs.operations)
      .field("operations_per_position", costs.operationsPerPosition)
      .field("not_counted", costs.notCounted)
      .endObject();
}

static void addModels(Json &json, const Bundle &bundle) {
  auto addNumbers = [&](const char *name, const std::vector<int64_t> &numbers) {
    json.key(name).beginArray(/*flat=*/true);
    for (int64_t number : numbers)
      json.value(number);
    json.endArray();
  };
  const std::vector<ModelInfo> models = modelsOf(bundle);
  if (models.empty())
    return;
  json.key("models").beginArray();
  for (const ModelInfo &model : models) {
    json.beginObject().field("name", model.name).key("dims").beginArray();
    for (const DimInfo &dim : model.dims)
      json.beginObject()
          .field("name", dim.name)
          .field("low", dim.low)
          .field("high", dim.high)
          .field("step", dim.step)
          .endObject();
    json.endArray();
    for (const auto *ports : {&model.inputs, &model.outputs}) {
      json.key(ports == &model.inputs ? "inputs" : "outputs").beginArray();
      for (const ModelPortInfo &port : *ports) {
        json.beginObject().field("name", port.name).field("dtype", port.dtype).key("shape");
        json.beginArray(/*flat=*/true);
        for (const std::string &size : port.sizes)
          json.value(size);
        json.endArray().endObject();
      }
      json.endArray();
    }
    json.key("variants").beginArray();
    for (const VariantInfo &variant : model.variants) {
      json.beginObject().field("entry", variant.entry);
      addNumbers("low", variant.low);
      addNumbers("high", variant.high);
      addNumbers("step", variant.step);
      json.field("slot_bytes", variant.slotBytes)
          .field("activation_bytes", variant.activationBytes)
          .endObject();
    }
    json.endArray().endObject();
  }
  json.endArray();
}

static void addEntries(Json &json, const Bundle &bundle) {
  json.key("entries").beginArray();
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    json.beginObject().field("name", text(entry->name()));
    auto addPorts = [&](const char *name, const auto *ports) {
      json.key(name).beginArray();
      for (uint32_t i = 0; i < count(ports); ++i) {
        const fb::Port &port = *ports->Get(i);
        json.beginObject().field("name", text(port.name())).field("dtype", dtypeText(port.dtype()));
        json.key("shape").beginArray(/*flat=*/true);
        for (uint32_t d = 0; d < count(port.shape()); ++d)
          json.value(port.shape()->Get(d));
        json.endArray()
            .field("bytes", sizeOf(port))
            .field("buffer", text(bundle.metadata().buffers()->Get(port.buffer())->name()));
        if (count(port.sharding())) {
          json.key("sharding").beginArray();
          for (const fb::AxisList *axes : *port.sharding()) {
            json.beginArray(/*flat=*/true);
            for (uint32_t j = 0; j < count(axes->axes()); ++j)
              json.value(text(bundle.metadata().mesh()->axes()->Get(axes->axes()->Get(j))->name()));
            json.endArray();
          }
          json.endArray();
        }
        if (slotsOf(port) > 1) {
          json.key("ring").beginArray(/*flat=*/true);
          for (uint32_t j = 1; j < slotsOf(port); ++j)
            json.value(text(bundle.metadata().buffers()->Get(slotOf(port, j))->name()));
          json.endArray();
        }
        json.endObject();
      }
      json.endArray();
    };
    addPorts("inputs", entry->inputs());
    addPorts("outputs", entry->outputs());
    addCosts(json, costsOf(bundle, *entry));
    json.key("schedules").beginArray();
    for (const fb::Schedule *schedule : *entry->schedules()) {
      json.beginObject().field("name", text(schedule->name())).field("queues", schedule->queues());
      const ScheduleWaits waits = waitsOf(bundle, *schedule);
      auto addPart = [&](const char *name, const auto *steps, const PartWaits &waits) {
        json.key(name).beginArray();
        for (uint32_t i = 0; i < count(steps); ++i) {
          const fb::Step &step = *steps->Get(i);
          json.beginObject()
              .field("kind", infoOf(step.kind()).name)
              .field("queue", uint32_t(step.queue()))
              .field("of", stepText(bundle, *entry, step));
          if (step.slot())
            json.field("slot", step.slot());
          if (count(step.operands())) {
            json.key("operands").beginArray(/*flat=*/true);
            for (uint32_t o = 0; o < count(step.operands()); ++o)
              json.value(step.operands()->Get(o));
            json.endArray();
          }
          if (!waits[i].empty()) {
            json.key("waits").beginArray();
            for (const WaitInfo &wait : waits[i]) {
              json.beginObject().field("event", wait.event);
              if (wait.command >= 0)
                json.field("command", static_cast<uint64_t>(wait.command));
              json.field("recorded_by", wait.recordedBy).endObject();
            }
            json.endArray();
          }
          json.field("source", bundle.location(step.source())).endObject();
        }
        json.endArray();
      };
      addPart("prologue", schedule->prologue(), waits.prologue);
      addPart("body", schedule->body(), waits.body);
      addPart("epilogue", schedule->epilogue(), waits.epilogue);
      json.endObject();
    }
    json.endArray().endObject();
  }
  json.endArray();
}

static void addPrograms(Json &json, const Bundle &bundle) {
  json.key("programs").beginArray();
  const auto *programs = bundle.metadata().programs();
  for (uint32_t i = 0; i < count(programs); ++i) {
    const fb::Program &program = *programs->Get(i);
    json.beginObject()
        .field("symbol", text(program.symbol()))
        .field("grid", program.grid())
        .field("scratch_bytes", program.scratch_bytes())
        .field("flops", program.flops());
    if (const fb::HostFunction *function = program.host_function())
      json.field("host_function", text(function->name()));
    json.key("operands").beginArray();
    for (uint32_t j = 0; j < count(program.operands()); ++j) {
      const fb::Operand &operand = *program.operands()->Get(j);
      json.beginObject()
          .field("access", nameOf(operand.access()))
          .field("bytes", operand.bytes())
          .field("alignment", operand.alignment())
          .field("row_bytes", operand.row_bytes())
          .field("pitch_bytes", operand.pitch_bytes())
          .field("per_workgroup", operand.per_workgroup())
          .endObject();
    }
    json.endArray().endObject();
  }
  json.endArray();
}

static void addBuffers(Json &json, const Bundle &bundle) {
  json.key("buffers").beginArray();
  const auto *buffers = bundle.metadata().buffers();
  for (uint32_t i = 0; i < count(buffers); ++i) {
    const fb::Buffer &buffer = *buffers->Get(i);
    json.beginObject()
        .field("name", text(buffer.name()))
        .field("kind", nameOf(buffer.kind()))
        .field("space", nameOf(buffer.space()))
        .field("offset", buffer.offset())
        .field("address", bundle.address(buffer))
        .field("size", buffer.size())
        .field("begin", buffer.begin())
        .field("end", buffer.end())
        .field("type", text(buffer.type()))
        .field("source", bundle.location(buffer.source()))
        .field("shards", buffer.shards())
        .endObject();
  }
  json.endArray();
}

static void addTraces(Json &json, const Bundle &bundle) {
  const fb::Region *region = bundle.metadata().trace_region();
  json.key("trace_region")
      .beginObject()
      .field("address", region ? region->address() : bundle.addresses().dramBytes)
      .field("size", region ? region->size() : 0)
      .field("streams", bundle.segment(fb::SegmentKind::Streams).size)
      .field("bytes_per_bank", traceBytesPerBank(bundle))
      .endObject();
  json.key("traces").beginArray();
  for (const DecodedTrace &trace : decodeTraces(bundle)) {
    json.beginObject()
        .field("name", text(trace.table->name()))
        .field("address", trace.table->address())
        .field("size", trace.table->size());
    json.key("commands").beginArray();
    uint64_t number = 0;
    for (const DecodedCommand &command : trace.commands) {
      json.beginObject().field("index", number++);
      if (command.time != TimelineIndex::kUnknown)
        json.field("time", command.time);
      json.field("opcode", command.info->name)
          .field("stream_offset", command.offset)
          .field("stream_bytes", command.bytes);
      if (command.info->table == IndexedTable::Program)
        json.field("program", command.program).field("grid", command.grid);
      if (!command.collective.empty())
        json.field("collective", command.collective);
      if (command.info->accesses == AccessShape::Fill)
        json.field("pattern", hexText(command.pattern));
      if (command.depth)
        json.field("loops", command.depth);
      if (command.iterations)
        json.field("iterations", command.iterations);
      if (command.hasFlag)
        json.field("flag", command.flag).field("fails_at_limit", command.failsAtLimit);
      if (!command.event.empty())
        json.field("event", command.event);
      if (!command.operands.empty()) {
        json.key("operands").beginArray();
        for (const DecodedCommand::Operand &operand : command.operands)
          json.beginObject()
              .field("role", operand.role)
              .field("buffer", operand.buffer)
              .field("offset", operand.offset)
              .field("address", operand.address)
              .field("bytes", operand.bytes)
              .endObject();
        json.endArray();
      }
      json.field("source", command.source).endObject();
    }
    json.endArray().endObject();
  }
  json.endArray();
}

static void addMemory(Json &json, const Bundle &bundle) {
  const std::vector<Point> timeline = timelineOf(bundle);
  json.key("memory").beginObject();
  for (BufferType type : kBufferTypes) {
    const TypeUse use = useOf(bundle, timeline, type);
    json.key(nameOf(type))
        .beginObject()
        .field("address", use.address)
        .field("total", use.total)
        .field("used", use.used)
        .field("free", use.free)
        .field("largest_gap", use.largestGap)
        .field("peak", use.peak)
        .field("peak_time", use.peakTime)
        .field("peak_at",
               use.peakTime < timeline.size() ? pointText(timeline[use.peakTime]) : std::string())
        .field("constants", use.constants)
        .field("slots", use.slots)
        .field("states", use.states)
        .field("host_buffers", use.staging)
        .field("scratch", use.scratch)
        .field("streams", use.streams)
        .field("activations_arena_size", use.arenaSize)
        .field("activations_lower_bound", use.lowerBound)
        .field("activations_lower_bound_time", use.lowerBoundTime)
        .field("moved", use.moved)
        .field("moved_constants", use.movedConstants);
    json.key("at_peak").beginArray();
    for (const Block &block : use.atPeak)
      json.beginObject()
          .field("name", block.name)
          .field("kind", block.kind)
          .field("offset", block.offset)
          .field("size", block.size)
          .field("begin", block.begin)
          .field("end", block.end)
          .field("type", block.type)
          .field("source", block.source)
          .endObject();
    json.endArray().endObject();
  }
  json.endObject();
}

std::string bundleJson(const Bundle &bundle, const Sections &sections) {
  Json json;
  json.beginObject()
      .field("producer", text(bundle.metadata().producer()))
      .field("format_version", kFormatVersion)
      .field("file_bytes", bundle.file().size());
  if (sections.target)
    addTarget(json, *bundle.metadata().target());
  if (sections.sizes)
    addSegments(json, bundle);
  if (sections.metadata)
    addMetadata(json, bundle);
  if (sections.mesh)
    addMesh(json, bundle);
  if (sections.memory)
    addMemory(json, bundle);
  if (sections.entries)
    addModels(json, bundle);
  if (sections.entries || sections.schedules)
    addEntries(json, bundle);
  if (sections.entries)
    addStates(json, bundle);
  if (sections.programs)
    addPrograms(json, bundle);
  if (sections.buffers)
    addBuffers(json, bundle);
  if (sections.traces)
    addTraces(json, bundle);
  json.endObject();
  return json.take();
}

} // namespace ttrun
