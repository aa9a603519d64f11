// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/ScheduleTable.h"

#include "ttrt/format/steps.h"

#include <algorithm>
#include <cstring>

namespace ttrt {

/// A stream of one dispatch and an end, as words.
static std::vector<uint64_t> makeStream(const fb::Step &step) {
  const uint32_t operands = count(step.operands());
  DispatchCommand dispatch{
      {Opcode::Dispatch, 0, static_cast<uint32_t>(dispatchSize(operands))}, step.index(), operands};
  CommandHeader end{Opcode::End, 0, sizeof(CommandHeader)};
  std::vector<uint64_t> words(dispatchSize(operands) / 8 + 1);
  memcpy(words.data(), &dispatch, sizeof(dispatch));
  for (uint32_t i = 0; i < operands; ++i)
    words[sizeof(dispatch) / 8 + i] = step.operands()->Get(i);
  memcpy(&words.back(), &end, sizeof(end));
  return words;
}

ResolvedStep resolveExecute(const Bundle &bundle, const DeviceMemory &memory, uint32_t trace) {
  ResolvedStep resolved{};
  resolved.kind = fb::StepKind::Execute;
  resolved.index = trace;
  const fb::Trace &table = *bundle.metadata().traces()->Get(trace);
  resolved.name = text(table.name());
  // The mapped stream in the trace region, not the file's.
  resolved.stream = memory.base() + table.address();
  forEachCommand(resolved.stream, [&](const CommandHeader &header) {
    const Action action = actionOf(header);
    if (action.info->role == OrderRole::Record)
      resolved.signals.push_back(action.index);
    else if (action.info->role == OrderRole::Wait)
      resolved.waits.push_back(action.index);
  });
  return resolved;
}

namespace {
class EntryResolver {
public:
  EntryResolver(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
                const HostFunctionTable &functions, const fb::EntryPoint &entry)
      : bundle(bundle), memory(memory), code(code), functions(functions), entry(entry) {}

  ResolvedEntry resolve();

private:
  ResolvedPort resolvePort(const fb::Port &port, uint32_t slot) const {
    const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(slotOf(port, slot));
    return {text(port.name()), memory.base() + bundle.address(buffer), sizeOf(port)};
  }
  ResolvedStep resolveTransfer(fb::StepKind kind, uint32_t index, uint32_t slot) const;
  ResolvedStep resolveStep(const fb::Step &step) const;
  ResolvedSchedule resolveSchedule(const fb::Schedule &schedule) const;

  const Bundle &bundle;
  const DeviceMemory &memory;
  const Code &code;
  const HostFunctionTable &functions;
  const fb::EntryPoint &entry;
  ResolvedEntry resolved;
};
} // namespace

ResolvedStep EntryResolver::resolveTransfer(fb::StepKind kind, uint32_t index,
                                            uint32_t slot) const {
  const bool isWrite = kind == fb::StepKind::Write;
  const ResolvedPort port =
      resolvePort(*(isWrite ? entry.inputs() : entry.outputs())->Get(index), slot);
  ResolvedStep step{};
  step.kind = kind;
  step.index = index;
  step.name = port.name;
  step.bytes = port.bytes;
  (isWrite ? step.dst : const_cast<uint8_t *&>(step.src)) = port.slot;
  return step;
}

ResolvedStep EntryResolver::resolveStep(const fb::Step &step) const {
  const fb::Bundle &tables = bundle.metadata();
  const Action action = actionOf(step);
  const ActionInfo &info = *action.info;
  ResolvedStep resolved{};
  if (info.accesses == AccessShape::Slot) {
    resolved = resolveTransfer(step.kind(), action.index, action.slot);
  } else if (info.role == OrderRole::Execute) {
    resolved = resolveExecute(bundle, memory, action.index);
  } else {
    resolved.name = nameIn(tables, entry, info, action.index);
  }
  if (info.accesses == AccessShape::Copy) {
    resolved.dst = memory.base() + action.dst;
    resolved.src = memory.base() + action.src;
    resolved.bytes = action.bytes;
  } else if (info.accesses == AccessShape::Operands && info.onCores) {
    resolved.words = makeStream(step);
    resolved.stream = reinterpret_cast<const uint8_t *>(resolved.words.data());
  } else if (info.accesses == AccessShape::Operands) {
    resolved.function = code.function(action.index);
    resolved.host = functions.step(action.index, memory.base(), action.operands);
    resolved.grid = tables.programs()->Get(action.index)->grid();
    resolved.words.assign(action.operands, action.operands + action.operandCount);
  }
  resolved.kind = step.kind();
  resolved.index = action.index;
  resolved.queue = step.queue();
  resolved.source = bundle.location(step.source());
  return resolved;
}

ResolvedSchedule EntryResolver::resolveSchedule(const fb::Schedule &schedule) const {
  ResolvedSchedule result;
  result.name = text(schedule.name());
  result.queues = schedule.queues();
  auto resolveSteps = [&](const auto *part, std::vector<ResolvedStep> &steps) {
    for (uint32_t i = 0; i < count(part); ++i)
      steps.push_back(resolveStep(*part->Get(i)));
  };
  resolveSteps(schedule.prologue(), result.prologue);
  resolveSteps(schedule.body(), result.body);
  resolveSteps(schedule.epilogue(), result.epilogue);
  return result;
}

ResolvedEntry EntryResolver::resolve() {
  resolved.name = text(entry.name());
  for (uint32_t i = 0; i < count(entry.inputs()); ++i) {
    resolved.inputs.push_back(resolvePort(*entry.inputs()->Get(i), 0));
    resolved.writes.push_back(resolveTransfer(fb::StepKind::Write, i, 0));
  }
  for (uint32_t i = 0; i < count(entry.outputs()); ++i) {
    resolved.outputs.push_back(resolvePort(*entry.outputs()->Get(i), 0));
    resolved.reads.push_back(resolveTransfer(fb::StepKind::Read, i, 0));
  }
  for (const fb::Schedule *schedule : *entry.schedules())
    resolved.schedules.push_back(resolveSchedule(*schedule));
  for (const ResolvedSchedule &schedule : resolved.schedules) {
    if (schedule.queues != 1)
      continue;
    for (const auto *part : {&schedule.prologue, &schedule.body, &schedule.epilogue})
      for (const ResolvedStep &step : *part)
        resolved.steps.push_back(&step);
    break; // verifyFit() has made sure that there is one
  }
  return std::move(resolved); // the steps' addresses go with the vectors
}

ResolvedEntry resolveEntry(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
                           const HostFunctionTable &functions, const fb::EntryPoint &entry) {
  return EntryResolver(bundle, memory, code, functions, entry).resolve();
}

} // namespace ttrt
