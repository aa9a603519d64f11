// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Plan.h"

#include "Verifier.h"

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

PlannedStep planExecute(const Bundle &bundle, const DeviceMemory &memory, uint32_t trace) {
  PlannedStep planned{};
  planned.kind = fb::StepKind::Execute;
  planned.index = trace;
  const fb::Trace &table = *bundle.metadata().traces()->Get(trace);
  planned.name = text(table.name());
  // The mapped stream in the trace region, not the file's.
  planned.stream = memory.base() + table.address();
  for (const uint8_t *position = planned.stream;;) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(position);
    if (header.opcode == Opcode::Signal)
      planned.signals.push_back(reinterpret_cast<const EventCommand &>(header).event);
    else if (header.opcode == Opcode::Wait)
      planned.waits.push_back(reinterpret_cast<const EventCommand &>(header).event);
    else if (header.opcode == Opcode::End)
      return planned;
    position += header.size;
  }
}

namespace {
class EntryPlanner {
public:
  EntryPlanner(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
               const fb::EntryPoint &entry)
      : bundle(bundle), memory(memory), code(code), entry(entry) {}

  PlannedEntry plan();

private:
  PlannedPort planPort(const fb::Port &port, uint32_t slot) const {
    const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(slotOf(port, slot));
    return {text(port.name()), memory.base() + bundle.address(buffer), sizeOf(port)};
  }
  PlannedStep planTransfer(fb::StepKind kind, uint32_t index, uint32_t slot) const;
  PlannedStep planStep(const fb::Step &step) const;
  PlannedSchedule planSchedule(const fb::Schedule &schedule) const;

  const Bundle &bundle;
  const DeviceMemory &memory;
  const Code &code;
  const fb::EntryPoint &entry;
  PlannedEntry planned;
};
} // namespace

PlannedStep EntryPlanner::planTransfer(fb::StepKind kind, uint32_t index, uint32_t slot) const {
  const bool isWrite = kind == fb::StepKind::Write;
  const PlannedPort port =
      planPort(*(isWrite ? entry.inputs() : entry.outputs())->Get(index), slot);
  PlannedStep step{};
  step.kind = kind;
  step.index = index;
  step.name = port.name;
  step.bytes = port.bytes;
  (isWrite ? step.dst : const_cast<uint8_t *&>(step.src)) = port.slot;
  return step;
}

PlannedStep EntryPlanner::planStep(const fb::Step &step) const {
  const fb::Bundle &tables = bundle.metadata();
  PlannedStep planned{};
  switch (step.kind()) {
  case fb::StepKind::Write:
  case fb::StepKind::Read:
    planned = planTransfer(step.kind(), step.index(), step.slot());
    break;
  case fb::StepKind::Execute:
    planned = planExecute(bundle, memory, step.index());
    break;
  case fb::StepKind::HostDispatch:
    planned.function = code.function(step.index());
    planned.grid = tables.programs()->Get(step.index())->grid();
    planned.name = text(tables.programs()->Get(step.index())->symbol());
    for (uint32_t i = 0; i < count(step.operands()); ++i)
      planned.words.push_back(step.operands()->Get(i));
    break;
  case fb::StepKind::Dispatch:
    planned.words = makeStream(step);
    planned.stream = reinterpret_cast<const uint8_t *>(planned.words.data());
    planned.name = text(tables.programs()->Get(step.index())->symbol());
    break;
  case fb::StepKind::Copy:
    planned.dst = memory.base() + step.dst();
    planned.src = memory.base() + step.src();
    planned.bytes = step.bytes();
    break;
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    planned.name = text(tables.events()->Get(step.index())->name());
    break;
  }
  planned.kind = step.kind();
  planned.index = step.index();
  planned.queue = step.queue();
  planned.source = bundle.location(step.source());
  return planned;
}

PlannedSchedule EntryPlanner::planSchedule(const fb::Schedule &schedule) const {
  PlannedSchedule result;
  result.name = text(schedule.name());
  result.queues = schedule.queues();
  result.seamless =
      std::count(bundle.proof().seamless.begin(), bundle.proof().seamless.end(), &schedule) != 0;
  auto plan = [&](const auto *part, std::vector<PlannedStep> &steps) {
    for (uint32_t i = 0; i < count(part); ++i)
      steps.push_back(planStep(*part->Get(i)));
  };
  plan(schedule.prologue(), result.prologue);
  plan(schedule.body(), result.body);
  plan(schedule.epilogue(), result.epilogue);
  return result;
}

PlannedEntry EntryPlanner::plan() {
  planned.name = text(entry.name());
  for (uint32_t i = 0; i < count(entry.inputs()); ++i) {
    planned.inputs.push_back(planPort(*entry.inputs()->Get(i), 0));
    planned.writes.push_back(planTransfer(fb::StepKind::Write, i, 0));
  }
  for (uint32_t i = 0; i < count(entry.outputs()); ++i) {
    planned.outputs.push_back(planPort(*entry.outputs()->Get(i), 0));
    planned.reads.push_back(planTransfer(fb::StepKind::Read, i, 0));
  }
  for (const fb::Schedule *schedule : *entry.schedules())
    planned.schedules.push_back(planSchedule(*schedule));
  for (const PlannedSchedule &schedule : planned.schedules) {
    if (schedule.queues != 1)
      continue;
    for (const auto *part : {&schedule.prologue, &schedule.body, &schedule.epilogue})
      for (const PlannedStep &step : *part)
        planned.steps.push_back(&step);
    break; // verifyFit() has made sure that there is one
  }
  return std::move(planned); // the steps' addresses go with the vectors
}

PlannedEntry planEntry(const Bundle &bundle, const DeviceMemory &memory, const Code &code,
                       const fb::EntryPoint &entry) {
  return EntryPlanner(bundle, memory, code, entry).plan();
}

} // namespace ttrt
