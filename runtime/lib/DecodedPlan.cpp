// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DecodedPlan.h"

#include "Format.h"
#include "Verifier.h"

#include <algorithm>

namespace ttrt {

/// Scratch is written in the L1 of every core that has work: of core 0, and, if others may have
/// some, of all others; two accesses. Where no buffer lies in L1, nobody could mind.
static void addScratch(const Bundle &bundle, const fb::Program &program, bool onCore0,
                       OpList &list) {
  const AddressMap &map = bundle.addresses();
  if (!program.scratch_bytes())
    return;
  const auto *buffers = bundle.metadata().buffers();
  if (!std::any_of(buffers->begin(), buffers->end(), [](const fb::Buffer *buffer) {
        return buffer->space() == fb::MemorySpace::L1 && buffer->kind() != fb::BufferKind::Scratch;
      }))
    return;
  auto add = [&](uint64_t core, uint64_t cores) {
    Access access{map.l1Address(core), (cores - 1) * map.l1Bytes + program.scratch_bytes(), false,
                  true, count(program.operands())};
    access.row = program.scratch_bytes();
    access.pitch = map.l1Bytes;
    access.kind = fb::BufferKind::Scratch;
    list.accesses.push_back(access);
  };
  add(0, 1);
  if (!onCore0 && map.cores > 1)
    add(1, map.cores - 1);
}

static OpList decodeTrace(const Bundle &bundle, uint32_t index) {
  OpList list;
  const auto *programs = bundle.metadata().programs();
  list.ops.reserve(bundle.metadata().traces()->Get(index)->commands());
  for (const uint8_t *position = bundle.stream(index);;) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(position);
    Op op;
    op.first = static_cast<uint32_t>(list.accesses.size());
    forEachAccess(bundle, header, [&](const Access &access) { list.accesses.push_back(access); });
    switch (header.opcode) {
    case Opcode::Dispatch:
      op.program = reinterpret_cast<const DispatchCommand &>(header).program;
      op.grid = programs->Get(op.program)->grid();
      addScratch(bundle, *programs->Get(op.program), op.grid == 1, list);
      break;
    case Opcode::Copy:
      op.grid = transferGrid(reinterpret_cast<const CopyCommand &>(header).bytes);
      break;
    case Opcode::Fill:
      op.grid = transferGrid(reinterpret_cast<const FillCommand &>(header).bytes);
      break;
    case Opcode::Barrier:
      op.kind = OpKind::Barrier;
      break;
    case Opcode::Signal:
    case Opcode::Wait:
      op.kind = header.opcode == Opcode::Signal ? OpKind::Record : OpKind::Wait;
      op.index = reinterpret_cast<const EventCommand &>(header).event;
      break;
    case Opcode::End:
      return list;
    }
    op.end = static_cast<uint32_t>(list.accesses.size());
    list.ops.push_back(op);
    position += header.size;
  }
}

static Op decodeStep(const Bundle &bundle, const fb::EntryPoint &entry, const fb::Step &step,
                     OpList &list) {
  Op op;
  op.step = &step;
  op.first = static_cast<uint32_t>(list.accesses.size());
  auto addPort = [&](const fb::Port &port, bool write) {
    const uint32_t buffer = slotOf(port, step.slot());
    const fb::Buffer &slot = *bundle.metadata().buffers()->Get(buffer);
    Access access{bundle.address(slot), sizeOf(port), !write, write, 0};
    access.kind = slot.kind();
    access.buffer = buffer;
    list.accesses.push_back(access);
  };
  switch (step.kind()) {
  case fb::StepKind::Write:
    addPort(*entry.inputs()->Get(step.index()), /*write=*/true);
    break;
  case fb::StepKind::Read:
    addPort(*entry.outputs()->Get(step.index()), /*write=*/false);
    break;
  case fb::StepKind::Execute:
    op.kind = OpKind::Execute;
    op.index = step.index();
    break;
  case fb::StepKind::HostDispatch:
  case fb::StepKind::Dispatch:
    op.program = step.index();
    forEachAccess(*bundle.metadata().programs()->Get(op.program),
                  step.operands() ? step.operands()->data() : nullptr,
                  [&](const Access &access) { list.accesses.push_back(access); });
    addScratch(bundle, *bundle.metadata().programs()->Get(op.program),
               step.kind() == fb::StepKind::HostDispatch ||
                   bundle.metadata().programs()->Get(op.program)->grid() == 1,
               list);
    break;
  case fb::StepKind::Copy:
    list.accesses.push_back({step.src(), step.bytes(), true, false, 0});
    list.accesses.push_back({step.dst(), step.bytes(), false, true, 1});
    break;
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    op.kind = step.kind() == fb::StepKind::Record ? OpKind::Record : OpKind::Wait;
    op.index = step.index();
    break;
  }
  op.end = static_cast<uint32_t>(list.accesses.size());
  return op;
}

DecodedPlan::DecodedPlan(const Bundle &bundle) {
  const fb::Bundle &metadata = bundle.metadata();
  for (uint32_t i = 0; i < count(metadata.traces()); ++i)
    traces.push_back(decodeTrace(bundle, i));
  for (const fb::EntryPoint *entry : *metadata.entries()) {
    auto &decoded = schedules.emplace_back();
    for (const fb::Schedule *schedule : *entry->schedules()) {
      DecodedSchedule &added = decoded.emplace_back();
      added.bodyBegin = count(schedule->prologue());
      added.bodyEnd = added.bodyBegin + count(schedule->body());
      forEachStep(*schedule, [&](const fb::Step &step) {
        added.steps.ops.push_back(decodeStep(bundle, *entry, step, added.steps));
      });
    }
  }
}

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
  std::sort(reaches.begin(), reaches.end(),
            [](const Reach &a, const Reach &b) { return a.begin < b.begin; });
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

std::string describeCommand(const Bundle &bundle, uint32_t trace, uint32_t command) {
  const fb::Trace &table = *bundle.metadata().traces()->Get(trace);
  const uint8_t *position = bundle.stream(trace);
  for (uint32_t i = 0; i < command; ++i)
    position += reinterpret_cast<const CommandHeader *>(position)->size;
  const auto &header = *reinterpret_cast<const CommandHeader *>(position);
  static const char *const kNames[] = {"?",       "dispatch", "copy", "fill",
                                       "barrier", "signal",   "wait", "end"};
  std::string what = kNames[static_cast<uint16_t>(header.opcode)];
  if (header.opcode == Opcode::Dispatch) {
    uint32_t program = reinterpret_cast<const DispatchCommand &>(header).program;
    what = text(bundle.metadata().programs()->Get(program)->symbol());
  }
  const char *source =
      command < count(table.sources()) ? bundle.location(table.sources()->Get(command)) : "";
  return formatText("command {} of trace '{}' ({}{}{})", command, text(table.name()), what,
                    *source ? ", from " : "", source);
}

std::string describeStep(const Bundle &bundle, const fb::EntryPoint &entry, const fb::Step &step) {
  const fb::Bundle &metadata = bundle.metadata();
  std::string what;
  switch (step.kind()) {
  case fb::StepKind::Write:
    what = formatText("write of input '{}'", text(entry.inputs()->Get(step.index())->name()));
    break;
  case fb::StepKind::Read:
    what = formatText("read of output '{}'", text(entry.outputs()->Get(step.index())->name()));
    break;
  case fb::StepKind::Execute:
    what = formatText("execute of trace '{}'", text(metadata.traces()->Get(step.index())->name()));
    break;
  case fb::StepKind::HostDispatch:
  case fb::StepKind::Dispatch:
    what = formatText("{} of '{}'",
                      step.kind() == fb::StepKind::Dispatch ? "dispatch" : "host dispatch",
                      text(metadata.programs()->Get(step.index())->symbol()));
    break;
  case fb::StepKind::Copy:
    what = "copy";
    break;
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    what =
        formatText("{} event '{}'", step.kind() == fb::StepKind::Record ? "record of" : "wait for",
                   text(metadata.events()->Get(step.index())->name()));
    break;
  }
  if (const char *source = bundle.location(step.source()); *source)
    what += formatText(", from {}", source);
  return what;
}

} // namespace ttrt
