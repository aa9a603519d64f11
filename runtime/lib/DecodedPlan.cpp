// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DecodedPlan.h"

#include "Format.h"
#include "Sort.h"
#include "Verifier.h"
#include "ttrt/dataflow.h"

#include <algorithm>

namespace ttrt {

namespace {

class Decoder {
public:
  explicit Decoder(const Bundle &bundle);

  OpList decodeTrace(uint32_t index) const;
  DecodedSchedule decodeSchedule(const fb::EntryPoint &entry, const fb::Schedule &schedule) const;

private:
  void add(const fb::EntryPoint *entry, const Action &action, const fb::Step *step,
           OpList &list) const;
  void addScratch(const fb::Program &program, const Op &op, OpList &list) const;

  const Bundle &bundle;
  bool hasTensorsInL1;
};

} // namespace

Decoder::Decoder(const Bundle &bundle) : bundle(bundle) {
  const auto *buffers = bundle.metadata().buffers();
  hasTensorsInL1 =
      buffers && std::any_of(buffers->begin(), buffers->end(), [](const fb::Buffer *buffer) {
        return buffer->space() == fb::MemorySpace::L1 && buffer->kind() != fb::BufferKind::Scratch;
      });
}

/// A dispatch writes scratch in the L1 of every core that runs a workgroup. That is one access for
/// core 0 and, if other cores may run some, one for all other cores. Without tensors in L1 scratch
/// conflicts with nothing and is not tracked.
void Decoder::addScratch(const fb::Program &program, const Op &op, OpList &list) const {
  if (!program.scratch_bytes() || !hasTensorsInL1)
    return;
  const AddressMap &map = bundle.addresses();
  auto add = [&](uint64_t core, uint64_t cores) {
    Access access{map.l1Address(core), (cores - 1) * map.l1Bytes + program.scratch_bytes(), false,
                  true, count(program.operands())};
    access.row = program.scratch_bytes();
    access.pitch = map.l1Bytes;
    access.kind = fb::BufferKind::Scratch;
    list.accesses.push_back(access);
  };
  add(0, 1);
  if (op.grid > 1 && map.cores > 1)
    add(1, map.cores - 1);
}

void Decoder::add(const fb::EntryPoint *entry, const Action &action, const fb::Step *step,
                  OpList &list) const {
  Op op;
  op.info = action.info;
  op.step = step;
  op.index = action.index;
  op.grid = gridOf(bundle.metadata(), action);
  if (action.info->accesses == AccessShape::Fill)
    op.detail = static_cast<uint32_t>(dataflow::mix(action.pattern));
  op.first = static_cast<uint32_t>(list.accesses.size());
  forEachAccess(bundle, entry, action,
                [&](const Access &access) { list.accesses.push_back(access); });
  if (op.runsProgram())
    addScratch(*bundle.metadata().programs()->Get(op.index), op, list);
  op.end = static_cast<uint32_t>(list.accesses.size());
  list.ops.push_back(op);
}

OpList Decoder::decodeTrace(uint32_t index) const {
  OpList list;
  list.ops.reserve(bundle.metadata().traces()->Get(index)->commands());
  forEachCommand(bundle.stream(index), [&](const CommandHeader &header) {
    if (header.opcode != Opcode::End)
      add(nullptr, actionOf(header), nullptr, list);
  });
  list.accesses.shrink_to_fit();
  return list;
}

DecodedSchedule Decoder::decodeSchedule(const fb::EntryPoint &entry,
                                        const fb::Schedule &schedule) const {
  DecodedSchedule decoded;
  decoded.bodyBegin = count(schedule.prologue());
  decoded.bodyEnd = decoded.bodyBegin + count(schedule.body());
  decoded.steps.ops.reserve(decoded.bodyEnd + count(schedule.epilogue()));
  forEachStep(schedule,
              [&](const fb::Step &step) { add(&entry, actionOf(step), &step, decoded.steps); });
  decoded.steps.accesses.shrink_to_fit();
  return decoded;
}

DecodedPlan::DecodedPlan(const Bundle &bundle) {
  const Decoder decoder(bundle);
  for (uint32_t i = 0; i < count(bundle.metadata().traces()); ++i)
    traces.push_back(decoder.decodeTrace(i));
  for (const fb::EntryPoint *entry : *bundle.metadata().entries()) {
    auto &decoded = schedules.emplace_back();
    for (const fb::Schedule *schedule : *entry->schedules())
      decoded.push_back(decoder.decodeSchedule(*entry, *schedule));
  }
}

//===----------------------------------------------------------------------===//
// BufferIndex
//===----------------------------------------------------------------------===//

BufferIndex::BufferIndex(const Bundle &bundle) : bundle(bundle) {
  for (uint32_t i = 0; i < count(bundle.metadata().buffers()); ++i) {
    const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(i);
    if (buffer.kind() == fb::BufferKind::Scratch)
      continue;
    const uint64_t address = bundle.address(buffer);
    reaches.push_back({address, address + bundle.bytes(buffer)});
    if (buffer.end() == 0)
      permanent.emplace(address, &buffer);
  }
  sortItems(reaches, [](const Reach &a, const Reach &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < reaches.size(); ++i)
    reaches[i].end = std::max(reaches[i].end, reaches[i - 1].end);
}

BufferIndex::Reach BufferIndex::reachOf(const Access &access) const {
  const AddressMap &map = bundle.addresses();
  if (!map.isInCore(access.address) || access.end() > map.hostAddress())
    return {access.address, access.end()};
  const uint64_t begin = map.plannedAddress(access.address);
  return {begin, begin + bytesInCore(map, access)};
}

bool BufferIndex::isInsideOne(uint64_t begin, uint64_t end) const {
  auto next = std::upper_bound(reaches.begin(), reaches.end(), begin,
                               [](uint64_t address, const Reach &r) { return address < r.begin; });
  return next != reaches.begin() && end <= std::prev(next)->end;
}

const fb::Buffer *BufferIndex::permanentAt(uint64_t begin, uint64_t end) const {
  auto next = permanent.lower_bound(end);
  if (next == permanent.begin())
    return nullptr;
  auto [address, buffer] = *std::prev(next);
  return address + bundle.bytes(*buffer) > begin ? buffer : nullptr;
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

std::string describeCommand(const Bundle &bundle, uint32_t trace, uint32_t command) {
  const fb::Trace &table = *bundle.metadata().traces()->Get(trace);
  const uint8_t *position = bundle.stream(trace);
  for (uint32_t i = 0; i < command; ++i)
    position += reinterpret_cast<const CommandHeader *>(position)->size;
  const Action action = actionOf(*reinterpret_cast<const CommandHeader *>(position));
  const char *what = action.info->table == IndexedTable::Program
                         ? nameIn(bundle.metadata(), nullptr, *action.info, action.index)
                         : action.info->name;
  const char *source =
      command < count(table.sources()) ? bundle.location(table.sources()->Get(command)) : "";
  return formatText("command {} of trace '{}' ({}{}{})", command, text(table.name()), what,
                    *source ? ", from " : "", source);
}

std::string describeStep(const Bundle &bundle, const fb::EntryPoint &entry, const fb::Step &step) {
  const ActionInfo &info = infoOf(step.kind());
  std::string what = info.phrase;
  if (info.table != IndexedTable::None)
    what += formatText(" '{}'", nameIn(bundle.metadata(), &entry, info, step.index()));
  if (const char *source = bundle.location(step.source()); *source)
    what += formatText(", from {}", source);
  return what;
}

} // namespace ttrt
