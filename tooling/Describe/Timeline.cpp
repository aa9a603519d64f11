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
  TraceEvents trace;
  for (size_t i = 0; i < devices.size(); ++i) {
    const auto process = static_cast<uint32_t>(i) + 1;
    trace.name("process_name", process, 0,
               devices.size() == 1 ? "ttrun perf" : "device " + std::to_string(i));
    trace.name("thread_name", process, 1, fmt::format("host of device {}", i));
    trace.name("thread_name", process, 2, fmt::format("device {}", i));
    addDevice(trace, devices[i], process, origin, entry);
  }
  return trace.take();
}

void Recording::addDevice(TraceEvents &events, const Run &device, uint32_t process, uint64_t origin,
                          const std::string &entry) const {
  auto since = [&](uint64_t time) { return static_cast<int64_t>(time - origin); };
  events.slice(process, 1, "run", entry, since(device.begin), since(device.end));
  events.close();

  const std::string counterName = fmt::format("device {} activations_bytes", process - 1);
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
    events.slice(process, 2, command.info->name, command.source.empty() ? what : command.source,
                 since(event.begin), since(event.end));
    events.argument("program", what);
    events.argument("grid", command.grid);
    events.argument("trace", std::string(text(trace.table->name())));
    events.argument("command", event.command);
    events.argument("bytes_read", read);
    events.argument("bytes_written", written);
    events.close();
    events.counter(process, "DRAM activations alive", counterName, since(event.begin), alive);
  }
}

} // namespace ttrun
