// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe.h"

#include "Printing.h"
#include "Verifier.h"
#include "ttrt/timeline_index.h"

#include <algorithm>
#include <map>

namespace ttrun {

using namespace ttrt;

const char *nameOf(fb::MemorySpace space) {
  static const char *const kNames[] = {"dram", "l1", "host"};
  return kNames[static_cast<size_t>(space)];
}
const char *nameOf(fb::BufferKind kind) {
  static const char *const kNames[] = {"constant", "slot", "activation",
                                       "scratch",  "host", "state"};
  return kNames[static_cast<size_t>(kind)];
}
const char *nameOf(fb::StepKind kind) {
  static const char *const kNames[] = {"write", "read",     "execute", "host-dispatch",
                                       "copy",  "dispatch", "record",  "wait"};
  return kNames[static_cast<size_t>(kind)];
}
const char *nameOf(fb::Access access) {
  static const char *const kNames[] = {"in", "out", "inout"};
  return kNames[static_cast<size_t>(access)];
}
const char *nameOf(Opcode opcode) {
  static const char *const kNames[] = {"?",       "dispatch", "copy", "fill",
                                       "barrier", "signal",   "wait", "end"};
  return kNames[static_cast<size_t>(opcode)];
}

namespace {
/// Finds the buffer that an address belongs to at a point of the timeline.
class BufferIndex {
public:
  explicit BufferIndex(const Bundle &bundle) : bundle(bundle), map(bundle.addresses()) {
    const auto *buffers = bundle.metadata().buffers();
    for (uint32_t i = 0; i < count(buffers); ++i)
      byAddress.emplace(map.plannedAddress(bundle.address(*buffers->Get(i))), buffers->Get(i));
    for (const auto &[address, buffer] : byAddress)
      largest = std::max<uint64_t>(largest, buffer->size());
  }

  /// Those without lifetime: begin -> end, as operands have them.
  std::map<uint64_t, uint64_t> permanent() const {
    std::map<uint64_t, uint64_t> result;
    for (const auto &[address, buffer] : byAddress)
      if (buffer->end() == 0 && buffer->kind() != fb::BufferKind::Scratch)
        result[bundle.address(*buffer)] = bundle.address(*buffer) + bundle.bytes(*buffer);
    return result;
  }

  const fb::Buffer *at(uint64_t address, uint64_t time) const {
    address = map.plannedAddress(address);
    for (auto next = byAddress.upper_bound(address); next != byAddress.begin();) {
      --next;
      if (next->first + largest <= address)
        return nullptr;
      const fb::Buffer *buffer = next->second;
      const bool alive = buffer->end() == 0 || time == TimelineIndex::kUnknown ||
                         (buffer->begin() <= time && time < buffer->end());
      if (alive && buffer->kind() != fb::BufferKind::Scratch &&
          address < next->first + buffer->size())
        return buffer;
    }
    return nullptr;
  }

private:
  const Bundle &bundle;
  const AddressMap &map;
  std::multimap<uint64_t, const fb::Buffer *> byAddress; ///< planned address -> buffer
  uint64_t largest = 0;
};
} // namespace

static uint64_t countRows(const Access &access) {
  return access.row < access.bytes ? (access.bytes - access.row) / access.pitch + 1 : 1;
}

static DecodedTrace decodeTrace(const Bundle &bundle, const BufferIndex &index, uint32_t number,
                                const TimelineIndex &points) {
  DecodedTrace decoded;
  decoded.table = bundle.metadata().traces()->Get(number);
  const uint8_t *position = bundle.stream(number);
  for (uint32_t i = 0; i < decoded.table->commands(); ++i) {
    const uint64_t time = points.command(number, i);
    const auto &header = *reinterpret_cast<const CommandHeader *>(position);
    DecodedCommand command;
    command.time = time;
    command.offset = static_cast<uint64_t>(position - bundle.stream(number));
    command.bytes = header.size;
    command.opcode = header.opcode;
    if (header.opcode == Opcode::Dispatch) {
      const auto &program = *bundle.metadata().programs()->Get(
          reinterpret_cast<const DispatchCommand &>(header).program);
      command.program = text(program.symbol());
      command.grid = program.grid();
    } else if (header.opcode == Opcode::Fill) {
      command.pattern = reinterpret_cast<const FillCommand &>(header).pattern;
    } else if (header.opcode == Opcode::Signal || header.opcode == Opcode::Wait) {
      command.event = text(bundle.metadata()
                               .events()
                               ->Get(reinterpret_cast<const EventCommand &>(header).event)
                               ->name());
    }
    forEachAccess(bundle, header, [&](const Access &access) {
      const fb::Buffer *buffer = index.at(access.address, time);
      command.operands.push_back({access.read ? (access.write ? "inout" : "in") : "out",
                                  buffer ? text(buffer->name()) : "",
                                  buffer ? access.address - bundle.address(*buffer) : 0,
                                  access.address, access.bytes, countRows(access), access.row,
                                  access.perWorkgroup});
    });
    if (i < count(decoded.table->sources()))
      command.source = bundle.location(decoded.table->sources()->Get(i));
    decoded.commands.push_back(std::move(command));
    position += header.size;
  }
  return decoded;
}

std::vector<DecodedTrace> decodeTraces(const Bundle &bundle) {
  const BufferIndex index(bundle);
  const SegmentView &streams = bundle.segment(fb::SegmentKind::Streams);
  const TimelineIndex points(bundle.metadata(), reinterpret_cast<const char *>(streams.data),
                             streams.size, streams.address, index.permanent());
  std::vector<DecodedTrace> traces;
  for (uint32_t i = 0; i < count(bundle.metadata().traces()); ++i)
    traces.push_back(decodeTrace(bundle, index, i, points));
  return traces;
}

/// What a step refers to, in words.
std::string stepText(const Bundle &bundle, const fb::EntryPoint &entry, const fb::Step &step) {
  const fb::Bundle &tables = bundle.metadata();
  auto portText = [&](const char *what, const fb::Port &port) {
    std::string words = std::string(what) + " " + text(port.name());
    if (slotsOf(port) > 1)
      words += " slot " + std::to_string(step.slot());
    return words;
  };
  switch (step.kind()) {
  case fb::StepKind::Write:
    return portText("input", *entry.inputs()->Get(step.index()));
  case fb::StepKind::Read:
    return portText("output", *entry.outputs()->Get(step.index()));
  case fb::StepKind::Execute:
    return text(tables.traces()->Get(step.index())->name());
  case fb::StepKind::HostDispatch:
  case fb::StepKind::Dispatch:
    return text(tables.programs()->Get(step.index())->symbol());
  case fb::StepKind::Copy:
    return std::to_string(step.bytes()) + " bytes from " + hexText(step.src()) + " to " +
           hexText(step.dst());
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    return std::string("event ") + text(tables.events()->Get(step.index())->name());
  }
  return "";
}

static void addProgram(const Bundle &bundle, uint32_t index, Point &point) {
  const fb::Program &program = *bundle.metadata().programs()->Get(index);
  point.of = text(program.symbol());
  point.scratch = program.scratch_bytes();
  point.grid = program.grid();
}

/// Constants lie in one segment.
static void addAccess(const Bundle &bundle, const Access &access, Point &point) {
  const SegmentView &constants = bundle.segment(fb::SegmentKind::Constants);
  const uint64_t rows = countRows(access);
  if (access.address >= bundle.addresses().dramBytes)
    return;
  point.moved += rows * access.row;
  if (constants.size && access.address - constants.address < constants.size)
    point.movedConstants += rows * access.row;
}

static void addTrace(const Bundle &bundle, const Point &execute, uint32_t number,
                     std::vector<Point> &points) {
  const fb::Trace &table = *bundle.metadata().traces()->Get(number);
  const uint8_t *stream = bundle.stream(number);
  uint64_t offset = 0;
  for (uint32_t i = 0; i < table.commands(); ++i) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(stream + offset);
    Point point = execute;
    point.what = nameOf(header.opcode);
    point.of.clear();
    if (header.opcode == Opcode::Dispatch)
      addProgram(bundle, reinterpret_cast<const DispatchCommand &>(header).program, point);
    forEachAccess(bundle, header, [&](const Access &access) { addAccess(bundle, access, point); });
    point.trace = static_cast<int64_t>(number);
    point.command = i;
    point.offset = offset;
    point.bytes = header.size;
    point.source = i < count(table.sources()) ? bundle.location(table.sources()->Get(i)) : "";
    points.push_back(std::move(point));
    offset += header.size;
  }
}

std::vector<Point> timelineOf(const Bundle &bundle) {
  std::vector<Point> points;
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    forEachStep(*entry->schedules()->Get(0), [&](const fb::Step &step) {
      Point point;
      point.entry = text(entry->name());
      point.what = nameOf(step.kind());
      point.source = bundle.location(step.source());
      if (step.kind() == fb::StepKind::Execute)
        return addTrace(bundle, point, step.index(), points);
      point.of = stepText(bundle, *entry, step);
      if (step.kind() == fb::StepKind::Dispatch || step.kind() == fb::StepKind::HostDispatch) {
        addProgram(bundle, step.index(), point);
        forEachAccess(*bundle.metadata().programs()->Get(step.index()), step.operands()->data(),
                      [&](const Access &access) { addAccess(bundle, access, point); });
      } else if (step.kind() == fb::StepKind::Write || step.kind() == fb::StepKind::Read) {
        const bool write = step.kind() == fb::StepKind::Write;
        const fb::Port &port = *(write ? entry->inputs() : entry->outputs())->Get(step.index());
        const fb::Buffer &slot = *bundle.metadata().buffers()->Get(slotOf(port, step.slot()));
        addAccess(bundle, {bundle.address(slot), sizeOf(port), !write, write, 0}, point);
      } else if (step.kind() == fb::StepKind::Copy) {
        addAccess(bundle, {step.src(), step.bytes(), true, false, 0}, point);
        addAccess(bundle, {step.dst(), step.bytes(), false, true, 1}, point);
      }
      points.push_back(std::move(point));
    });
  return points;
}

std::string pointText(const Point &point) {
  std::string text = point.what;
  if (!point.of.empty())
    text += " " + point.of;
  if (!point.source.empty())
    text += ", from " + point.source;
  return text;
}

uint64_t traceBytesPerBank(const Bundle &bundle) {
  const fb::Region *region = bundle.metadata().trace_region();
  const fb::Target &target = *bundle.metadata().target();
  const uint64_t bytes = region ? region->size() : 0;
  return alignUp((bytes + target.dram_banks() - 1) / target.dram_banks(),
                 std::max<uint32_t>(target.dram_alignment(), 1));
}

uint64_t largestScratch(const Bundle &bundle) {
  uint64_t largest = 0;
  const auto *programs = bundle.metadata().programs();
  for (uint32_t i = 0; i < count(programs); ++i)
    largest = std::max<uint64_t>(largest, programs->Get(i)->scratch_bytes());
  return largest;
}

} // namespace ttrun
