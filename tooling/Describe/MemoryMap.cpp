// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page is in MemoryMap/. This file makes its data.

#include "Describe/MemoryMap.h"

#include "Describe/MemoryUse.h"
#include "Formats/Json.h"
#include "Formats/Page.h"
#include "MemoryMapFiles.h"

namespace ttrun {

using namespace ttrt;

/// The commands of all streams: where the bytes of each are located, and when they are read.
static std::vector<Block> commandsOf(const Bundle &bundle, const std::vector<Point> &timeline) {
  std::vector<Block> blocks;
  for (size_t time = 0; time < timeline.size(); ++time) {
    const Point &point = timeline[time];
    if (point.trace < 0)
      continue;
    const fb::Trace &trace = *bundle.metadata().traces()->Get(static_cast<uint32_t>(point.trace));
    Block block;
    block.kind = "command";
    block.name = std::to_string(point.command) + " " + point.what;
    if (!point.of.empty())
      block.name += " " + point.of;
    block.offset = trace.address() - bundle.metadata().trace_region()->address() + point.offset;
    block.size = point.bytes;
    block.begin = time;
    block.end = time + 1;
    block.type = text(trace.name());
    block.source = point.source;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

static void addMemory(Json &json, const Bundle &bundle, const std::vector<Point> &timeline,
                      BufferType type) {
  const TypeUse use = useOf(bundle, timeline, type);
  if (!use.total)
    return;
  json.beginObject()
      .field("id", nameOf(type))
      .field("title", titleOf(type))
      .field("address", use.address)
      .field("total", use.total)
      .field("used", use.used)
      .field("free", use.free)
      .field("largest_gap", use.largestGap)
      .field("arena_size", use.arenaSize)
      .field("lower_bound", use.lowerBound);
  std::vector<Block> blocks = blocksOf(bundle, timeline, type);
  if (type == BufferType::Trace)
    for (Block &block : commandsOf(bundle, timeline))
      blocks.push_back(std::move(block));
  json.key("blocks").beginArray();
  for (const Block &block : blocks)
    json.beginArray(/*flat=*/true)
        .value(block.kind)
        .value(block.name)
        .value(block.offset)
        .value(block.size)
        .value(block.begin)
        .value(block.end)
        .value(block.type)
        .value(block.source)
        .value(block.grid)
        .value(block.shards)
        .value(block.buffer)
        .endArray();
  json.endArray().endObject();
}

static std::string mapJson(const Bundle &bundle) {
  const std::vector<Point> timeline = timelineOf(bundle);
  const fb::Target &target = *bundle.metadata().target();
  Json json;
  json.beginObject()
      .field("producer", text(bundle.metadata().producer()))
      .field("target", text(target.name()))
      .field("cores", target.cores());
  json.key("entries").beginArray(/*flat=*/true);
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    json.value(text(entry->name()));
  json.endArray().key("timeline").beginArray();
  for (const Point &point : timeline) {
    json.beginArray(/*flat=*/true).value(point.what).value(point.of).value(point.source);
    // The buffers that it accesses: index, and 1 for a read, 2 for a write, 3 for both.
    json.beginArray();
    for (const Point::Touched &touched : point.touched)
      json.value(touched.buffer).value((touched.read ? 1 : 0) + (touched.write ? 2 : 0));
    json.endArray().endArray();
  }
  json.endArray().key("memories").beginArray();
  for (BufferType type : kBufferTypes)
    addMemory(json, bundle, timeline, type);
  json.endArray().endObject();
  return json.take();
}

std::string memoryMapPage(const Bundle &bundle) {
  return makePage({"ttc memory map", kMemoryMapStyle, kMemoryMapPage,
                   std::string(kMemoryMapModel) + kMemoryMapMap + kMemoryMapControls,
                   kMemoryMapSelftest, mapJson(bundle)});
}

} // namespace ttrun
