// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/Describe.h"

#include "Bundle/Verifier.h"
#include "Formats/Printing.h"
#include "ttrt/format/timeline_index.h"

#include <algorithm>
#include <map>
#include <unordered_map>

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
const char *nameOf(fb::Access access) {
  static const char *const kNames[] = {"in", "out", "inout"};
  return kNames[static_cast<size_t>(access)];
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

  /// The buffers without a lifetime: begin -> end, as addresses of operands.
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
  const fb::Bundle &tables = bundle.metadata();
  DecodedTrace decoded;
  decoded.table = tables.traces()->Get(number);
  const uint8_t *stream = bundle.stream(number);
  uint32_t depth = 0;
  forEachCommand(stream, [&](const CommandHeader &header) {
    const Action action = actionOf(header);
    const auto i = static_cast<uint32_t>(decoded.commands.size());
    DecodedCommand command;
    command.time = points.command(number, i);
    command.offset = static_cast<uint64_t>(reinterpret_cast<const uint8_t *>(&header) - stream);
    command.bytes = header.size;
    command.info = action.info;
    command.pattern = action.pattern;
    if (action.info->role == OrderRole::EndRepeat && depth)
      --depth;
    command.depth = depth;
    if (action.loop) {
      command.iterations = action.loop->iterations;
      command.hasFlag = action.loop->flag != kNoFlag;
      command.flag = action.loop->flag;
      command.failsAtLimit = action.loop->options & kFailsAtLimit;
      ++depth;
    }
    if (action.info->table == IndexedTable::Program) {
      command.program = text(tables.programs()->Get(action.index)->symbol());
      command.grid = gridOf(bundle.metadata(), action);
    } else if (action.info->table == IndexedTable::Collective) {
      command.collective = text(tables.collectives()->Get(action.index)->name());
    } else if (action.info->table == IndexedTable::Event) {
      command.event = text(tables.events()->Get(action.index)->name());
    }
    forEachAccess(bundle, nullptr, action, [&](const Access &access) {
      const fb::Buffer *buffer = index.at(access.address, command.time);
      command.operands.push_back({access.read ? (access.write ? "inout" : "in") : "out",
                                  buffer ? text(buffer->name()) : "",
                                  buffer ? access.address - bundle.address(*buffer) : 0,
                                  access.address, access.bytes, countRows(access), access.row,
                                  access.perWorkgroup});
    });
    if (i < count(decoded.table->sources()))
      command.source = bundle.location(decoded.table->sources()->Get(i));
    decoded.commands.push_back(std::move(command));
  });
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

std::string stepText(const Bundle &bundle, const fb::EntryPoint &entry, const fb::Step &step) {
  const Action action = actionOf(step);
  if (action.info->accesses == AccessShape::Copy)
    return fmt::format("{} bytes from {} to {}", action.bytes, hexText(action.src),
                       hexText(action.dst));
  std::string words = nameIn(bundle.metadata(), &entry, *action.info, action.index);
  const fb::Port *port = portOf(entry, action);
  if (port || action.info->table == IndexedTable::Event)
    words = fmt::format("{} {}", nounOf(action.info->table), words);
  if (port && slotsOf(*port) > 1)
    words += fmt::format(" slot {}", action.slot);
  return words;
}

namespace {
/// Makes the points of the default schedules.
class Timeline {
public:
  explicit Timeline(const Bundle &bundle) : bundle(bundle), index(bundle) {
    const auto *buffers = bundle.metadata().buffers();
    for (uint32_t i = 0; i < count(buffers); ++i)
      numbers[buffers->Get(i)] = i;
  }

  void addStep(const fb::EntryPoint &entry, const fb::Step &step) {
    Point point;
    point.entry = text(entry.name());
    point.source = bundle.location(step.source());
    const Action action = actionOf(step);
    if (action.info->role == OrderRole::Execute)
      return addTrace(entry, point, action.index);
    point.of = stepText(bundle, entry, step);
    add(entry, action, std::move(point));
  }

  std::vector<Point> points;

private:
  void addTrace(const fb::EntryPoint &entry, const Point &execute, uint32_t number) {
    const fb::Trace &table = *bundle.metadata().traces()->Get(number);
    const uint8_t *stream = bundle.stream(number);
    uint32_t command = 0;
    forEachCommand(stream, [&](const CommandHeader &header) {
      Point point = execute;
      point.trace = static_cast<int64_t>(number);
      point.command = command;
      point.offset = static_cast<uint64_t>(reinterpret_cast<const uint8_t *>(&header) - stream);
      point.bytes = header.size;
      point.source =
          command < count(table.sources()) ? bundle.location(table.sources()->Get(command)) : "";
      add(entry, actionOf(header), std::move(point));
      ++command;
    });
  }

  void add(const fb::EntryPoint &entry, const Action &action, Point point) {
    point.what = action.info->name;
    if (action.info->table == IndexedTable::Program) {
      const fb::Program &program = *bundle.metadata().programs()->Get(action.index);
      point.of = text(program.symbol());
      point.scratch = program.scratch_bytes();
      point.grid = program.grid();
    } else if (action.info->table == IndexedTable::Collective) {
      point.of = text(bundle.metadata().collectives()->Get(action.index)->name());
    }
    forEachAccess(bundle, &entry, action, [&](const Access &access) { add(access, point); });
    points.push_back(std::move(point));
  }

  void add(const Access &access, Point &point) const {
    if (const fb::Buffer *buffer = index.at(access.address, points.size())) {
      const uint32_t number = numbers.at(buffer);
      auto found = std::find_if(point.touched.begin(), point.touched.end(),
                                [&](const Point::Touched &t) { return t.buffer == number; });
      if (found == point.touched.end())
        found = point.touched.insert(found, {number, false, false});
      found->read |= access.read;
      found->write |= access.write;
    }
    if (access.address >= bundle.addresses().dramBytes)
      return;
    const uint64_t bytes = countRows(access) * access.row;
    point.moved += bytes;
    // All constants are in one segment.
    const SegmentView &constants = bundle.segment(fb::SegmentKind::Constants);
    if (constants.size && access.address - constants.address < constants.size)
      point.movedConstants += bytes;
  }

  const Bundle &bundle;
  const BufferIndex index;
  std::unordered_map<const fb::Buffer *, uint32_t> numbers; ///< index in the table
};
} // namespace

std::vector<Point> timelineOf(const Bundle &bundle) {
  Timeline timeline(bundle);
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    forEachStep(*entry->schedules()->Get(0),
                [&](const fb::Step &step) { timeline.addStep(*entry, step); });
  return std::move(timeline.points);
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

std::vector<std::string> entriesWithState(const Bundle &bundle, const fb::Port &state) {
  std::vector<std::string> users;
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    const auto *states = entry->dataflow() ? entry->dataflow()->states() : nullptr;
    for (uint32_t i = 0; i < count(states); ++i)
      if (states->Get(i)->buffer() == state.buffer())
        users.push_back(text(entry->name()));
  }
  return users;
}

} // namespace ttrun
