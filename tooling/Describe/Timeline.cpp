// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/Timeline.h"

#include "Describe/MemoryUse.h"

#include <algorithm>
#include <ctime>

namespace ttrun {

using namespace ttrt;

/// The clock of on_command.
static uint64_t steadyNs() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

Recording::Recording(const Bundle &bundle) : bundle(bundle), traces(decodeTraces(bundle)) {
  // Allocates here instead of during the run, unless a trace is executed more than once.
  size_t commands = 0;
  for (const DecodedTrace &trace : traces)
    commands += trace.commands.size();
  run.events.reserve(commands);
}

void Recording::add(void *user, uint32_t trace, uint32_t command, uint64_t begin, uint64_t end) {
  static_cast<Recording *>(user)->run.events.push_back({trace, command, begin, end});
}

void Recording::start() {
  run.events.clear();
  run.begin = steadyNs();
}

void Recording::stop() { run.end = steadyNs(); }

std::string Recording::json(const std::string &entry) const { return json(entry, {run}); }

std::string Recording::json(const std::string &entry, const std::vector<Run> &devices) const {
  uint64_t origin = UINT64_MAX;
  for (const Run &device : devices)
    origin = std::min(origin, device.begin);
  Json json;
  // The object form of the format, which allows further fields; not the older array.
  json.beginObject().field("displayTimeUnit", "ns").key("traceEvents").beginArray();
  for (size_t i = 0; i < devices.size(); ++i) {
    const int process = static_cast<int>(i) + 1;
    auto named = [&](const char *what, int thread, const std::string &name) {
      json.beginObject()
          .field("ph", "M")
          .field("name", what)
          .field("pid", process)
          .field("tid", thread)
          .key("args")
          .beginObject()
          .field("name", name)
          .endObject()
          .endObject();
    };
    named("process_name", 0, devices.size() == 1 ? "ttrun perf" : "device " + std::to_string(i));
    named("thread_name", 1, "host");
    named("thread_name", 2, "device");
    addDevice(json, devices[i], process, origin, entry);
  }
  json.endArray().endObject();
  return json.take();
}

void Recording::addDevice(Json &json, const Run &device, int process, uint64_t origin,
                          const std::string &entry) const {
  auto microseconds = [&](uint64_t time) { return static_cast<double>(time - origin) * 1e-3; };
  json.beginObject()
      .field("ph", "X")
      .field("name", entry)
      .field("cat", "run")
      .field("pid", process)
      .field("tid", 1)
      .field("ts", microseconds(device.begin))
      .field("dur", static_cast<double>(device.end - device.begin) * 1e-3)
      .endObject();

  const std::vector<Block> blocks = blocksOf(bundle, {}, BufferType::Dram);
  for (const Event &event : device.events) {
    const DecodedTrace &trace = traces[event.trace];
    const DecodedCommand &command = trace.commands[event.command];
    uint64_t read = 0, written = 0, alive = 0;
    for (const DecodedCommand::Operand &operand : command.operands) {
      read += operand.role != "out" ? operand.bytes : 0;
      written += operand.role != "in" ? operand.bytes : 0;
    }
    for (const Block &block : blocks)
      if (block.end && block.alive(command.time))
        alive += block.size;
    const std::string what = !command.collective.empty() ? command.collective
                             : command.program.empty()   ? command.info->name
                                                         : command.program;
    json.beginObject()
        .field("ph", "X")
        .field("name", command.source.empty() ? what : command.source)
        .field("cat", command.info->name)
        .field("pid", process)
        .field("tid", 2)
        .field("ts", microseconds(event.begin))
        .field("dur", static_cast<double>(event.end - event.begin) * 1e-3);
    json.key("args")
        .beginObject()
        .field("program", what)
        .field("grid", command.grid)
        .field("trace", text(trace.table->name()))
        .field("command", event.command)
        .field("bytes_read", read)
        .field("bytes_written", written)
        .endObject()
        .endObject();
    json.beginObject()
        .field("ph", "C")
        .field("name", "DRAM activations alive")
        .field("pid", process)
        .field("ts", microseconds(event.begin))
        .key("args")
        .beginObject()
        .field("bytes", alive)
        .endObject()
        .endObject();
  }
}

} // namespace ttrun
