// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bundle/DecodedPlan.h"

#include "Base/Format.h"
#include "Base/Sort.h"
#include "Bundle/Verifier.h"
#include "ttrt/format/dataflow.h"

#include <algorithm>

namespace ttrt {

namespace {

class Decoder {
public:
  explicit Decoder(const Bundle &bundle);

  OpList decodeTrace(uint32_t index) const;
  DecodedSchedule decodeSchedule(const fb::EntryPoint &entry, const fb::Schedule &schedule) const;

private:
  /// What is the same in all uses of a program.
  struct Program {
    uint64_t grid;
    uint64_t scratchBytes; ///< 0 if it is not tracked
    uint32_t first, end;   ///< of `operands`
  };
  uint32_t countScratch(const Program &program, uint64_t grid) const;
  uint32_t countAccesses(const Action &action) const;
  void add(const fb::EntryPoint *entry, const Action &action, const fb::Step *step,
           OpList &list) const;
  void addScratch(const Program &program, const Op &op, OpList &list) const;

  const Bundle &bundle;
  std::vector<Program> programs;
  std::vector<Access> operands; ///< without their addresses
};

} // namespace

Decoder::Decoder(const Bundle &bundle) : bundle(bundle) {
  const auto *buffers = bundle.metadata().buffers();
  // Without tensors in L1 scratch conflicts with nothing and is not tracked.
  const bool hasTensorsInL1 =
      buffers && std::any_of(buffers->begin(), buffers->end(), [](const fb::Buffer *buffer) {
        return buffer->space() == fb::MemorySpace::L1 && buffer->kind() != fb::BufferKind::Scratch;
      });
  const uint64_t noAddresses[kMaxOperands] = {};
  for (uint32_t i = 0; i < count(bundle.metadata().programs()); ++i) {
    const fb::Program &program = *bundle.metadata().programs()->Get(i);
    const auto first = static_cast<uint32_t>(operands.size());
    forEachAccess(program.operands(), noAddresses,
                  [&](const Access &access) { operands.push_back(access); });
    programs.push_back({program.grid(), hasTensorsInL1 ? program.scratch_bytes() : 0, first,
                        static_cast<uint32_t>(operands.size())});
  }
}

/// A dispatch writes scratch in the L1 of every core that runs a workgroup. That is one access for
/// core 0 and, if other cores may run some, one for all other cores.
uint32_t Decoder::countScratch(const Program &program, uint64_t grid) const {
  return !program.scratchBytes ? 0 : grid > 1 && bundle.addresses().cores > 1 ? 2 : 1;
}

void Decoder::addScratch(const Program &program, const Op &op, OpList &list) const {
  const uint32_t parts = countScratch(program, op.grid);
  const AddressMap &map = bundle.addresses();
  auto add = [&](uint64_t core, uint64_t cores) {
    Access access{map.l1Address(core), (cores - 1) * map.l1Bytes + program.scratchBytes, false,
                  true, static_cast<uint8_t>(program.end - program.first)};
    access.row = program.scratchBytes;
    access.pitch = map.l1Bytes;
    access.kind = fb::BufferKind::Scratch;
    list.accesses.push_back(access);
  };
  if (parts > 0)
    add(0, 1);
  if (parts > 1)
    add(1, map.cores - 1);
}

uint32_t Decoder::countAccesses(const Action &action) const {
  switch (action.info->accesses) {
  case AccessShape::Operands:
    break;
  case AccessShape::Copy:
    return 2;
  case AccessShape::Carried:
    return 2 * action.operandCount; // at the end, too
  case AccessShape::Slot:
  case AccessShape::Fill:
    return 1;
  case AccessShape::None:
    return 0;
  }
  if (action.info->table != IndexedTable::Program)
    return action.operandCount;
  const Program &program = programs[action.index];
  return action.operandCount + countScratch(program, action.info->onCores ? program.grid : 1);
}

/// A digest of a loop.
static uint32_t detailOf(const Action &action) {
  const RepeatCommand &loop = *action.loop;
  const uint32_t range = action.flagRange();
  if (loop.flag == kNoFlag)
    return dataflow::detailOfLoop(loop.iterations, loop.options, action.operandCount, ~uint64_t(0),
                                  ~uint64_t(0));
  return dataflow::detailOfLoop(loop.iterations, loop.options, action.operandCount, range,
                                loop.flag - action.carried(range).address);
}

void Decoder::add(const fb::EntryPoint *entry, const Action &action, const fb::Step *step,
                  OpList &list) const {
  Op op;
  op.info = action.info;
  op.step = step;
  op.index = action.index;
  if (action.info->accesses == AccessShape::Fill)
    op.detail = static_cast<uint32_t>(dataflow::mix(action.pattern));
  if (action.loop)
    op.detail = detailOf(action);
  op.first = static_cast<uint32_t>(list.accesses.size());
  if (op.runsProgram()) {
    const Program &program = programs[op.index];
    op.grid = action.info->onCores ? program.grid : 1;
    for (uint32_t i = program.first; i < program.end; ++i) {
      list.accesses.push_back(operands[i]);
      list.accesses.back().address = action.operands[i - program.first];
    }
    addScratch(program, op, list);
  } else {
    op.grid = gridOf(bundle.metadata(), action);
    forEachAccess(bundle, entry, action,
                  [&](const Access &access) { list.accesses.push_back(access); });
  }
  op.end = static_cast<uint32_t>(list.accesses.size());
  list.ops.push_back(op);
}

OpList Decoder::decodeTrace(uint32_t index) const {
  OpList list;
  size_t accesses = 0;
  auto forEachAction = [&](auto function) {
    forEachCommand(bundle.stream(index), [&](const CommandHeader &header) {
      if (header.opcode != Opcode::End)
        function(actionOf(header));
    });
  };
  forEachAction([&](const Action &action) { accesses += countAccesses(action); });
  list.ops.reserve(bundle.metadata().traces()->Get(index)->commands());
  list.accesses.reserve(accesses);
  uint32_t loops[kMaxRepeatDepth], depth = 0;
  forEachAction([&](const Action &action) {
    const auto number = static_cast<uint32_t>(list.ops.size());
    add(nullptr, action, nullptr, list);
    if (action.info->role == OrderRole::Repeat)
      loops[depth++] = number;
    if (action.info->role != OrderRole::EndRepeat)
      return;
    Op &begin = list.ops[loops[--depth]], &end = list.ops[number];
    begin.index = number;
    end.index = loops[depth];
    end.grid = begin.grid;
    for (uint32_t i = begin.first; i < begin.end; ++i)
      list.accesses.push_back(Access(list.accesses[i]));
    end.end = static_cast<uint32_t>(list.accesses.size());
  });
  return list;
}

DecodedSchedule Decoder::decodeSchedule(const fb::EntryPoint &entry,
                                        const fb::Schedule &schedule) const {
  DecodedSchedule decoded;
  decoded.bodyBegin = count(schedule.prologue());
  decoded.bodyEnd = decoded.bodyBegin + count(schedule.body());
  OpList &steps = decoded.steps;
  size_t accesses = 0;
  forEachStep(schedule, [&](const fb::Step &step) { accesses += countAccesses(actionOf(step)); });
  steps.ops.reserve(decoded.bodyEnd + count(schedule.epilogue()));
  steps.accesses.reserve(accesses);
  forEachStep(schedule, [&](const fb::Step &step) { add(&entry, actionOf(step), &step, steps); });
  return decoded;
}

/// The first meetings of the default schedule, as many as one inference has.
static std::vector<Meeting> findMeetings(const Bundle &bundle, const DecodedPlan &plan,
                                         uint32_t entry) {
  const DecodedSchedule &schedule = plan.schedules[entry][0];
  std::vector<Meeting> found;
  uint64_t inBody = 0;
  forEachMeeting(plan, schedule, [&](const Meeting &meeting, uint32_t step) {
    inBody += step >= schedule.bodyBegin && step < schedule.bodyEnd;
    found.push_back(meeting);
  });
  const uint64_t inferences = countInferences(*bundle.metadata().entries()->Get(entry), schedule,
                                              schedule.bodyBegin, schedule.bodyEnd);
  found.resize(std::min<uint64_t>(found.size(), inBody / std::max<uint64_t>(inferences, 1)));
  std::vector<uint32_t> numbers(count(bundle.metadata().collectives()));
  for (Meeting &meeting : found)
    meeting.number = numbers[meeting.collective]++;
  return found;
}

uint64_t countInferences(const fb::EntryPoint &entry, const DecodedSchedule &schedule,
                         uint32_t begin, uint32_t end) {
  const bool isWritten = count(entry.inputs()) != 0;
  if (!isWritten && count(entry.outputs()) == 0)
    return 1;
  uint64_t inferences = 0;
  for (uint32_t step = begin; step < end; ++step) {
    const Op &op = schedule.steps.ops[step];
    inferences +=
        op.index == 0 && op.info->table == (isWritten ? IndexedTable::Input : IndexedTable::Output);
  }
  return inferences;
}

DecodedPlan::DecodedPlan(const Bundle &bundle)
    : traces(count(bundle.metadata().traces())), schedules(count(bundle.metadata().entries())),
      meetings(schedules.size()) {
  const Decoder decoder(bundle);
  for (uint32_t i = 0; i < traces.size(); ++i)
    traces[i] = decoder.decodeTrace(i);
  for (uint32_t i = 0; i < schedules.size(); ++i) {
    const fb::EntryPoint &entry = *bundle.metadata().entries()->Get(i);
    schedules[i] = std::vector<DecodedSchedule>(count(entry.schedules()));
    for (uint32_t j = 0; j < schedules[i].size(); ++j)
      schedules[i][j] = decoder.decodeSchedule(entry, *entry.schedules()->Get(j));
    if (count(entry.devices()))
      meetings[i] = findMeetings(bundle, *this, i);
  }
}

//===----------------------------------------------------------------------===//
// BufferIndex
//===----------------------------------------------------------------------===//

BufferIndex::BufferIndex(const Bundle &bundle) : bundle(bundle) {
  const auto *buffers = bundle.metadata().buffers();
  std::vector<Numbered> order(count(buffers));
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = {bundle.address(*buffers->Get(i)), i};
  sortByNumber(order.data(), order.size());
  for (const auto &[begin, i] : order) {
    const fb::Buffer &buffer = *buffers->Get(i);
    if (buffer.kind() == fb::BufferKind::Scratch)
      continue;
    const uint64_t end = begin + bundle.bytes(buffer);
    if (buffer.end() == 0) {
      permanentBegins.push_back(begin);
      permanent.push_back({begin, end, &buffer});
    }
    if (!ends.empty() && end <= ends.back())
      continue; // what begins here ends where an earlier one does
    if (!begins.empty() && begins.back() == begin) {
      ends.back() = end;
      continue;
    }
    begins.push_back(begin);
    ends.push_back(end);
  }
}

BufferIndex::Reach BufferIndex::reachOf(const Access &access) const {
  const AddressMap &map = bundle.addresses();
  if (!map.isInCore(access.address) || access.end() > map.hostAddress())
    return {access.address, access.end()};
  const uint64_t begin = map.plannedAddress(access.address);
  return {begin, begin + bytesInCore(map, access)};
}

bool BufferIndex::isInsideOne(const Reach &bytes, Near &near) const {
  const size_t before = countUpTo(begins, bytes.begin, near.reach);
  return before && bytes.end <= ends[before - 1];
}

const BufferIndex::Permanent *BufferIndex::permanentAt(const Reach &bytes, Near &near) const {
  const size_t before = bytes.end ? countUpTo(permanentBegins, bytes.end - 1, near.permanent) : 0;
  return before && permanent[before - 1].end > bytes.begin ? &permanent[before - 1] : nullptr;
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
  const char *what =
      action.info->table == IndexedTable::Program || action.info->table == IndexedTable::Collective
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
