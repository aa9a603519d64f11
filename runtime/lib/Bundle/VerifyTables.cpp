// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Format.h"
#include "Base/Sort.h"
#include "Bundle/MeshTables.h"
#include "Bundle/TableChecks.h"
#include "Bundle/Verifier.h"
#include "ttrt/format/program_markers.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

namespace ttrt {

static const char *name(fb::MemorySpace space) {
  switch (space) {
  case fb::MemorySpace::Dram:
    return "DRAM";
  case fb::MemorySpace::L1:
    return "L1";
  case fb::MemorySpace::Host:
    return "host memory";
  }
  return "?";
}

/// Equal names have equal hashes, which are sorted faster.
void checkTwins(const char *what, std::vector<std::string_view> &names) {
  std::vector<Numbered> hashes(names.size());
  for (uint32_t i = 0; i < hashes.size(); ++i)
    hashes[i] = {hashBytes(names[i].data(), names[i].size()), i};
  sortByNumber(hashes.data(), hashes.size());
  if (std::adjacent_find(hashes.begin(), hashes.end(), [](const Numbered &a, const Numbered &b) {
        return a.number == b.number;
      }) == hashes.end())
    return;
  sortItems(names);
  auto twin = std::adjacent_find(names.begin(), names.end());
  if (twin != names.end())
    failBad("two {}s are named '{}'", what, twin->data());
}

static void checkLocation(const Bundle &bundle, uint32_t index, const char *what,
                          const char *subject) {
  uint32_t locations = count(bundle.metadata().locations());
  if (index != 0 && index >= locations)
    failBad("{} '{}' has source location {}; the bundle has {}", what, subject, index, locations);
}

/// The constants and, at the top of DRAM, the trace region, which do not overlap.
static void verifyRegions(const Bundle &bundle) {
  const AddressMap &map = bundle.addresses();
  const SegmentView &constants = bundle.segment(fb::SegmentKind::Constants);
  const SegmentView &streams = bundle.segment(fb::SegmentKind::Streams);
  const fb::Region *region = bundle.metadata().trace_region();

  uint64_t traceBegin = map.dramBytes;
  if (region) {
    if (region->size() == 0 || !isInside(region->address(), region->size(), 0, map.dramBytes) ||
        region->address() + region->size() != map.dramBytes)
      failBad("trace region at {:#x} + {} bytes; expected to end where DRAM ends, at {:#x}",
              region->address(), region->size(), map.dramBytes);
    traceBegin = region->address();
  }
  if (region ? streams.size > region->size() || streams.address + streams.size != map.dramBytes
             : streams.size != 0)
    failBad("segment streams has {} bytes at {:#x}; expected the last ones of the trace region's "
            "{} at {:#x}",
            streams.size, streams.address, region ? region->size() : 0, traceBegin);
  if (constants.size && (constants.address % kPageSize != 0 ||
                         !isInside(constants.address, alignUp(constants.size, kPageSize), 0,
                                   traceBegin / kPageSize * kPageSize)))
    failBad("segment constants at {:#x} + {} bytes; expected whole pages below the trace region at "
            "{:#x}",
            constants.address, constants.size, traceBegin);
}

/// Rows must be complete and must not overlap. An operand that is accessed per workgroup has as
/// many rows as there are workgroups.
static void verifyRows(const fb::Program &program, const fb::Operand &operand, const char *symbol,
                       uint32_t index) {
  const uint64_t bytes = operand.bytes(), row = operand.row_bytes(), pitch = operand.pitch_bytes();
  if (operand.per_workgroup() &&
      (row == 0 || pitch == 0 || (bytes - row) / pitch + 1 != program.grid()))
    failBad("program '{}', operand {}: {} bytes in rows of {} bytes, {} apart; expected a row "
            "for each of {} workgroups",
            symbol, index, bytes, row, pitch, program.grid());
  if (row == 0 && pitch == 0)
    return;
  if (row == 0 || pitch < row || bytes < row || (bytes - row) % pitch != 0)
    failBad("program '{}', operand {}: {} bytes in rows of {} bytes, {} apart; expected "
            "complete rows that do not overlap",
            symbol, index, bytes, row, pitch);
}

static void verifyPrograms(const Bundle &bundle) {
  const auto *programs = bundle.metadata().programs();
  const SegmentView &code = bundle.segment(fb::SegmentKind::Code);
  for (uint32_t i = 0; i < count(programs); ++i) {
    const fb::Program &program = *programs->Get(i);
    const char *symbol = text(program.symbol());
    if (!code.size && !program.host_function())
      failBad("bundle has {} programs, but no code", count(programs));
    if (!*symbol)
      failBad("program {} has no symbol", i);
    constexpr uint64_t kMaxGrid = uint64_t(1) << 40;
    if (program.grid() < 1 || program.grid() > kMaxGrid)
      failBad("program '{}' has a grid of {}; expected 1 to 2^40", symbol, program.grid());
    if (program.scratch_bytes() > bundle.addresses().l1Bytes)
      failBad("program '{}' needs {} bytes of scratch; L1 has {}", symbol, program.scratch_bytes(),
              bundle.addresses().l1Bytes);
    if (program.markers() && (program.scratch_bytes() < sizeof(profile::ProgramMarkers) ||
                              program.scratch_bytes() % alignof(profile::ProgramMarkers) != 0))
      failBad("program '{}' has markers in its {} bytes of scratch; expected a multiple of {}, at "
              "least {}",
              symbol, program.scratch_bytes(), alignof(profile::ProgramMarkers),
              sizeof(profile::ProgramMarkers));
    if (count(program.operands()) > kMaxOperands)
      failBad("program '{}' has {} operands; at most {}", symbol, count(program.operands()),
              kMaxOperands);
    for (uint32_t j = 0; j < count(program.operands()); ++j) {
      const fb::Operand &operand = *program.operands()->Get(j);
      uint32_t alignment = operand.alignment();
      if (operand.access() > fb::Access::MAX || operand.bytes() == 0 || alignment == 0 ||
          alignment > kPageSize || (alignment & (alignment - 1)) != 0)
        failBad("program '{}', operand {}: access {}, {} bytes, alignment {}; expected a known "
                "access, some bytes, a power of two up to {}",
                symbol, j, (unsigned)operand.access(), operand.bytes(), alignment, kPageSize);
      verifyRows(program, operand, symbol, j);
      for (uint32_t k = 0; k < count(operand.in_place_of()); ++k) {
        uint32_t input = operand.in_place_of()->Get(k);
        if (operand.access() != fb::Access::Write || input >= count(program.operands()) ||
            program.operands()->Get(input)->access() != fb::Access::Read)
          failBad("program '{}', operand {} may be stored in place of operand {}; expected an "
                  "output in "
                  "place of an input",
                  symbol, j, input);
      }
    }
    if (program.host_function())
      verifyHostFunction(program);
  }
}

/// Names of zones: each can be found by its hash.
static void verifyZoneNames(const Bundle &bundle) {
  const auto *names = bundle.metadata().zone_names();
  auto nameAt = [&](uint64_t index) { return names->Get(static_cast<uint32_t>(index))->c_str(); };
  std::vector<uint64_t> hashes; // and indices
  for (uint32_t i = 0; i < count(names); ++i) {
    const char *previous = i ? nameAt(i - 1) : "";
    if (strcmp(nameAt(i), previous) <= 0)
      failBad("zone name {} is '{}', after '{}'; expected names in ascending order, each once", i,
              nameAt(i), previous);
    const uint64_t hash = profile::nameHash(nameAt(i), names->Get(i)->size());
    if (hash == 0)
      failBad("zone name '{}' has the hash 0, which means no zone", nameAt(i));
    hashes.push_back(hash << 32 | i);
  }
  sortItems(hashes);
  for (size_t i = 1; i < hashes.size(); ++i)
    if (hashes[i] >> 32 == hashes[i - 1] >> 32)
      failBad("zone names '{}' and '{}' have the same hash {:#x}",
              nameAt(hashes[i - 1] & UINT32_MAX), nameAt(hashes[i] & UINT32_MAX), hashes[i] >> 32);
}

static void verifyMetadata(const Bundle &bundle) {
  const auto *metadata = bundle.metadata().metadata();
  for (uint32_t i = 0; i < count(metadata); ++i) {
    const char *previous = i ? text(metadata->Get(i - 1)->key()) : "";
    const flatbuffers::String &key = *metadata->Get(i)->key();
    if (strcmp(key.c_str(), previous) <= 0 || strlen(key.c_str()) != key.size())
      failBad("metadata {} has the key '{}', after '{}'; expected keys in ascending order, each "
              "once, without zeros",
              i, key.c_str(), previous);
  }
}

static void verifyBuffers(const Bundle &bundle) {
  const auto *buffers = bundle.metadata().buffers();
  const AddressMap &map = bundle.addresses();
  const SegmentView &constants = bundle.segment(fb::SegmentKind::Constants);
  const fb::Region *region = bundle.metadata().trace_region();
  const uint64_t constantsEnd = alignUp(constants.address + constants.size, kPageSize);
  const ShardedConstants sharded = shardedConstants(bundle.metadata());
  const uint64_t traceBegin = (region ? region->address() : map.dramBytes) / kPageSize * kPageSize;

  checkNames("buffer", buffers);
  for (uint32_t i = 0; i < count(buffers); ++i) {
    const fb::Buffer &buffer = *buffers->Get(i);
    const char *label = text(buffer.name());
    if (buffer.kind() > fb::BufferKind::MAX || buffer.space() > fb::MemorySpace::MAX)
      failBad("buffer '{}' has kind {} and memory space {}, which this runtime does not support",
              label, (unsigned)buffer.kind(), (unsigned)buffer.space());
    const uint64_t spaceBytes = buffer.space() == fb::MemorySpace::Dram ? map.dramBytes
                                : buffer.space() == fb::MemorySpace::L1 ? map.l1Bytes
                                                                        : map.hostBytes;
    if (!isInside(buffer.offset(), buffer.size(), 0, spaceBytes))
      failBad("buffer '{}' at {:#x} + {} bytes ends outside {} of {} bytes", label, buffer.offset(),
              buffer.size(), name(buffer.space()), spaceBytes);
    if (buffer.size() == 0 || buffer.size() % kBufferAlignment != 0 ||
        buffer.offset() % kBufferAlignment != 0)
      failBad("buffer '{}' at {:#x} + {} bytes: expected address and size to be multiples of {}",
              label, buffer.offset(), buffer.size(), kBufferAlignment);
    const fb::Target &target = *bundle.metadata().target();
    const uint32_t mostShards = buffer.space() == fb::MemorySpace::L1     ? target.cores()
                                : buffer.space() == fb::MemorySpace::Dram ? target.dram_banks()
                                                                          : 0;
    if (buffer.shards() > mostShards)
      failBad("buffer '{}' in {} has {} shards; expected at most {}: one on a core, or in a bank "
              "of DRAM",
              label, name(buffer.space()), buffer.shards(), mostShards);
    if (buffer.shards() && buffer.space() == fb::MemorySpace::Dram &&
        (buffer.size() % target.dram_banks() != 0 ||
         (buffer.kind() != fb::BufferKind::Slot && buffer.kind() != fb::BufferKind::Activation)))
      failBad("buffer '{}' in shards, of kind {}, has {} bytes of DRAM; expected a slot or an "
              "activation with as many in each of {} banks",
              label, (unsigned)buffer.kind(), buffer.size(), target.dram_banks());
    if (isInterleavedInL1(buffer) && !target.interleaved_l1())
      failBad("buffer '{}' is interleaved over L1, which the target '{}' does not do", label,
              text(target.name()));
    if (buffer.begin() > buffer.end() || (buffer.begin() == buffer.end() && buffer.end() != 0))
      failBad("buffer '{}' lives for [{}, {}), which is empty", label, buffer.begin(),
              buffer.end());
    checkLocation(bundle, buffer.source(), "buffer", label);

    if (buffer.kind() == fb::BufferKind::Constant) {
      auto isIn = [&](uint64_t address, uint64_t size) {
        return size && isInside(buffer.offset(), buffer.size(), address,
                                alignUp(address + size, kBufferAlignment));
      };
      // With a lifetime: of some devices. verifyMemory() finds which, and what they have.
      const bool isOfSome = buffer.end() != 0;
      if (buffer.space() != fb::MemorySpace::Dram ||
          (!(isIn(constants.address, constants.size) && !isOfSome) &&
           !isIn(sharded.address, isOfSome ? sharded.size : sharded.least)))
        failBad("constant '{}' at {:#x} + {} bytes is not in the constants' segment at {:#x} + "
                "{}",
                label, buffer.offset(), buffer.size(),
                isOfSome ? sharded.address : constants.address,
                isOfSome ? sharded.size : constants.size);
    } else if (buffer.space() == fb::MemorySpace::Dram) {
      // Constants and streams are read-only pages of the file.
      if (constants.size && buffer.offset() < constantsEnd &&
          buffer.offset() + buffer.size() > constants.address)
        failBad("buffer '{}' at {:#x} + {} bytes is in the pages of the constants, which end at "
                "{:#x}",
                label, buffer.offset(), buffer.size(), constantsEnd);
      // A buffer without a lifetime is on all devices. Where the others may be, verifyMemory()
      // finds.
      const uint64_t shardedBytes = buffer.end() ? sharded.least : sharded.size;
      const uint64_t shardedEnd = alignUp(sharded.address + shardedBytes, kPageSize);
      if (shardedBytes && buffer.offset() < shardedEnd &&
          buffer.offset() + buffer.size() > sharded.address)
        failBad("buffer '{}' at {:#x} + {} bytes is in the pages of the sharded constants, {:#x} "
                "to {:#x}",
                label, buffer.offset(), buffer.size(), sharded.address, shardedEnd);
      if (buffer.offset() + buffer.size() > traceBegin)
        failBad("buffer '{}' at {:#x} + {} bytes is in the pages of the trace region, which begin "
                "at {:#x}",
                label, buffer.offset(), buffer.size(), traceBegin);
    }
  }
}

static void verifyTraces(const Bundle &bundle) {
  const auto *traces = bundle.metadata().traces();
  const fb::Region *region = bundle.metadata().trace_region();
  checkNames("trace", traces);
  std::vector<const fb::Trace *> order;
  for (uint32_t i = 0; i < count(traces); ++i) {
    const fb::Trace &trace = *traces->Get(i);
    if (trace.size() == 0 || trace.address() % kStreamAlignment != 0 || trace.size() % 8 != 0 ||
        !region ||
        !isInside(trace.address(), trace.size(), region->address(),
                  region->address() + region->size()))
      failBad(
          "trace '{}' at {:#x} + {} bytes: expected an address in the trace region ({:#x} + {}), "
          "aligned to {}",
          text(trace.name()), trace.address(), trace.size(), region ? region->address() : 0,
          region ? region->size() : 0, kStreamAlignment);
    if (count(trace.sources()) != 0 && count(trace.sources()) != trace.commands())
      failBad("trace '{}' has {} commands and {} source locations", text(trace.name()),
              trace.commands(), count(trace.sources()));
    for (uint32_t j = 0; j < count(trace.sources()); ++j)
      checkLocation(bundle, trace.sources()->Get(j), "a command of trace", text(trace.name()));
    order.push_back(&trace);
  }
  // The first stream begins where the segment does, and each other one where the previous one ends,
  // padded. The last one ends at the end of DRAM.
  sortItems(order,
            [](const fb::Trace *a, const fb::Trace *b) { return a->address() < b->address(); });
  const SegmentView &streams = bundle.segment(fb::SegmentKind::Streams);
  const uint64_t begin = region ? streams.address : 0;
  uint64_t expected = begin;
  for (const fb::Trace *trace : order) {
    if (trace->address() != expected)
      failBad("trace '{}' is at {:#x}; expected it at {:#x}, right after the previous one",
              text(trace->name()), trace->address(), expected);
    expected = alignUp(trace->address() + trace->size(), kStreamAlignment);
  }
  if (region && expected != region->address() + region->size())
    failBad("segment streams of {} bytes; its {} streams need {}", streams.size, count(traces),
            expected - begin);
}

/// Returns the bytes of the tensor. `owner` names whose tensor it is.
static uint64_t verifyTensor(const fb::Port &port, const char *what, const char *owner) {
  const char *label = text(port.name());
  if (port.dtype() > fb::DType::MAX)
    failBad("{} '{}'{} has element type {}, which this runtime does not support", what, label,
            owner, (unsigned)port.dtype());
  uint64_t bytes = sizeOf(port.dtype());
  for (uint32_t i = 0; i < count(port.shape()); ++i) {
    int64_t extent = port.shape()->Get(i);
    if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes))
      failBad("{} '{}'{}: dimension {} is {}; expected at least 0, and less than 2^64 bytes in all",
              what, label, owner, i, extent);
  }
  return bytes;
}

static void verifyPort(const Bundle &bundle, const fb::EntryPoint &entry, const char *what,
                       const fb::Port &port) {
  const char *label = text(port.name());
  const std::string owner = std::string(" of entry point '") + text(entry.name()) + "'";
  const uint64_t bytes = verifyTensor(port, what, owner.c_str());
  for (uint32_t i = 0; i < slotsOf(port); ++i) {
    const uint32_t number = slotOf(port, i);
    if (number >= count(bundle.metadata().buffers()))
      failBad("{} '{}' of entry point '{}' has buffer {}; the bundle has {}", what, label,
              text(entry.name()), number, count(bundle.metadata().buffers()));
    const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(number);
    if (buffer.kind() != fb::BufferKind::Slot && buffer.kind() != fb::BufferKind::Host &&
        buffer.kind() != fb::BufferKind::State)
      failBad("{} '{}' of entry point '{}' is stored in buffer '{}', which is not a slot", what,
              label, text(entry.name()), text(buffer.name()));
    if (isShardedInL1(buffer))
      failBad("{} '{}' of entry point '{}' is stored in buffer '{}', which has shards in L1", what,
              label, text(entry.name()), text(buffer.name()));
    if (bytes > bundle.bytes(buffer))
      failBad("{} '{}' of entry point '{}' has {} bytes; its buffer '{}' has {}", what, label,
              text(entry.name()), bytes, text(buffer.name()), bundle.bytes(buffer));
  }
}

/// The states are the state buffers, in their order. A bundle that describes none has some that
/// only its own schedules access.
static void verifyStates(const Bundle &bundle) {
  const auto *buffers = bundle.metadata().buffers();
  const auto *states = bundle.metadata().states();
  if (count(states) == 0)
    return;
  uint32_t found = 0;
  for (uint32_t i = 0; i < count(buffers); ++i) {
    const fb::Buffer &buffer = *buffers->Get(i);
    if (buffer.kind() != fb::BufferKind::State || found++ >= count(states))
      continue;
    if (buffer.space() != fb::MemorySpace::Dram || buffer.end() != 0)
      failBad("state '{}' is in {} and lives until {}; expected it in DRAM, all the time",
              text(buffer.name()), name(buffer.space()), buffer.end());
    const fb::Port &state = *states->Get(found - 1);
    if (state.buffer() != i || strcmp(text(state.name()), text(buffer.name())) != 0)
      failBad("state {} is '{}' in buffer {}; expected state buffer {}, '{}'", found - 1,
              text(state.name()), state.buffer(), i, text(buffer.name()));
    const uint64_t bytes = verifyTensor(state, "state", "");
    if (bytes == 0 || bytes > buffer.size() || count(state.ring()) != 0)
      failBad(
          "state '{}' has {} bytes and {} further slots; expected some of its buffer's {} bytes "
          "and no slot",
          text(state.name()), bytes, count(state.ring()), buffer.size());
  }
  if (count(states) != found)
    failBad("bundle describes {} states; expected one for each of {} state buffers", count(states),
            found);
}

static void verifyEntries(const Bundle &bundle) {
  const auto *entries = bundle.metadata().entries();
  if (count(entries) == 0)
    failBad("bundle has no entry points");
  checkNames("entry point", entries);
  for (const fb::EntryPoint *entry : *entries) {
    checkNames("input", entry->inputs());
    checkNames("output", entry->outputs());
    for (uint32_t i = 0; i < count(entry->inputs()); ++i)
      verifyPort(bundle, *entry, "input", *entry->inputs()->Get(i));
    for (uint32_t i = 0; i < count(entry->outputs()); ++i)
      verifyPort(bundle, *entry, "output", *entry->outputs()->Get(i));
    if (entry->schedules()->size() == 0)
      failBad("entry point '{}' has no schedule", text(entry->name()));
    checkNames("schedule", entry->schedules());
  }
}

void verifyTables(const Bundle &bundle) {
  verifyRegions(bundle);
  verifyPrograms(bundle);
  verifyZoneNames(bundle);
  verifyMetadata(bundle);
  verifyBuffers(bundle);
  verifyTraces(bundle);
  checkNames("event", bundle.metadata().events());
  verifyEntries(bundle);
  verifyStates(bundle);
}

} // namespace ttrt
