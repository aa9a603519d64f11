// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe.h"

#include "Verifier.h"

#include <algorithm>
#include <cstdio>
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

std::string bytesText(uint64_t bytes) {
  char text[64];
  const auto value = static_cast<double>(bytes);
  const auto exact = static_cast<unsigned long long>(bytes);
  if (bytes < 1024)
    snprintf(text, sizeof(text), "%llu B", exact);
  else if (bytes < 1024 * 1024)
    snprintf(text, sizeof(text), "%.1f KiB (%llu)", value / 1024, exact);
  else if (bytes < 1024 * 1024 * 1024)
    snprintf(text, sizeof(text), "%.1f MiB (%llu)", value / (1024 * 1024), exact);
  else
    snprintf(text, sizeof(text), "%.2f GiB (%llu)", value / (1024 * 1024 * 1024), exact);
  return text;
}

std::string hexText(uint64_t value) {
  char text[24];
  snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

namespace {
/// Finds the buffer that an address belongs to at a point of the timeline.
class BufferIndex {
public:
  explicit BufferIndex(const Bundle &bundle) {
    const auto *buffers = bundle.metadata().buffers();
    for (uint32_t i = 0; i < count(buffers); ++i)
      byAddress.emplace(bundle.address(*buffers->Get(i)), buffers->Get(i));
    for (const auto &[address, buffer] : byAddress)
      largest = std::max<uint64_t>(largest, buffer->size());
  }

  const fb::Buffer *at(uint64_t address, uint64_t time) const {
    for (auto next = byAddress.upper_bound(address); next != byAddress.begin();) {
      --next;
      if (next->first + largest <= address)
        return nullptr;
      const fb::Buffer *buffer = next->second;
      const bool alive = buffer->end() == 0 || (buffer->begin() <= time && time < buffer->end());
      if (alive && buffer->kind() != fb::BufferKind::Scratch &&
          address < next->first + buffer->size())
        return buffer;
    }
    return nullptr;
  }

private:
  std::multimap<uint64_t, const fb::Buffer *> byAddress;
  uint64_t largest = 0;
};
} // namespace

static DecodedTrace decodeTrace(const Bundle &bundle, const BufferIndex &index, uint32_t number,
                                uint64_t time) {
  DecodedTrace decoded;
  decoded.table = bundle.metadata().traces()->Get(number);
  const uint8_t *position = bundle.stream(number);
  for (uint32_t i = 0; i < decoded.table->commands(); ++i, ++time) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(position);
    DecodedCommand command;
    command.time = time;
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
                                  access.address, access.bytes});
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
  std::vector<DecodedTrace> traces(count(bundle.metadata().traces()));
  uint64_t time = 0;
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    forEachStep(*entry->schedules()->Get(0), [&](const fb::Step &step) {
      if (step.kind() != fb::StepKind::Execute) {
        ++time;
        return;
      }
      if (!traces[step.index()].table)
        traces[step.index()] = decodeTrace(bundle, index, step.index(), time);
      time += bundle.metadata().traces()->Get(step.index())->commands();
    });
  return traces;
}

SpaceUse useOf(const Bundle &bundle, fb::MemorySpace space) {
  SpaceUse use;
  const AddressMap &map = bundle.addresses();
  use.total = space == fb::MemorySpace::Dram ? map.dramBytes
              : space == fb::MemorySpace::L1 ? map.l1Bytes
                                             : map.hostBytes;
  if (space == fb::MemorySpace::Dram)
    if (const fb::Region *region = bundle.metadata().trace_region())
      use.trace = region->size();
  uint64_t lowest = ~uint64_t(0), highest = 0;
  std::map<uint64_t, int64_t> changes; // of the bytes alive
  const auto *buffers = bundle.metadata().buffers();
  for (uint32_t i = 0; i < count(buffers); ++i) {
    const fb::Buffer &buffer = *buffers->Get(i);
    if (buffer.space() != space)
      continue;
    if (buffer.kind() == fb::BufferKind::Constant) {
      use.constants += buffer.size();
    } else if (buffer.kind() == fb::BufferKind::Slot) {
      use.slots += buffer.size();
    } else if (buffer.kind() == fb::BufferKind::Activation) {
      lowest = std::min(lowest, buffer.offset());
      highest = std::max(highest, buffer.offset() + buffer.size());
      changes[buffer.begin()] += static_cast<int64_t>(buffer.size());
      if (buffer.end())
        changes[buffer.end()] -= static_cast<int64_t>(buffer.size());
    } else if (buffer.kind() != fb::BufferKind::Scratch) {
      use.other += buffer.size();
    }
  }
  if (highest > lowest)
    use.activations = highest - lowest;
  int64_t alive = 0;
  for (const auto &[time, change] : changes) {
    alive += change;
    if (static_cast<uint64_t>(alive) > use.peak) {
      use.peak = static_cast<uint64_t>(alive);
      use.peakTime = time;
    }
  }
  for (uint32_t i = 0; i < count(buffers); ++i) {
    const fb::Buffer *buffer = buffers->Get(i);
    if (use.peak && buffer->space() == space && buffer->kind() == fb::BufferKind::Activation &&
        (buffer->end() == 0 || (buffer->begin() <= use.peakTime && use.peakTime < buffer->end())))
      use.atPeak.push_back(buffer);
  }
  std::sort(use.atPeak.begin(), use.atPeak.end(), [](const fb::Buffer *a, const fb::Buffer *b) {
    return a->size() != b->size() ? a->size() > b->size()
                                  : a->name()->string_view() < b->name()->string_view();
  });
  return use;
}

uint64_t largestScratch(const Bundle &bundle) {
  uint64_t largest = 0;
  const auto *programs = bundle.metadata().programs();
  for (uint32_t i = 0; i < count(programs); ++i)
    largest = std::max<uint64_t>(largest, programs->Get(i)->scratch_bytes());
  return largest;
}

} // namespace ttrun
