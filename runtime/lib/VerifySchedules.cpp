// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Format.h"
#include "Verifier.h"

#include <vector>

namespace ttrt {

namespace {
class ScheduleVerifier {
public:
  ScheduleVerifier(const Bundle &bundle, const fb::EntryPoint &entry, const fb::Schedule &schedule)
      : bundle(bundle), entry(entry), schedule(schedule),
        recorded(count(bundle.metadata().events())) {}

  void verify();

private:
  template <typename... Args>
  [[noreturn]] void failHere(fmt::format_string<Args...> pattern, Args &&...arguments) const {
    const std::string what = formatText(pattern, std::forward<Args>(arguments)...);
    failBad("schedule '{}' of entry point '{}', step {}: {}", text(schedule.name()),
            text(entry.name()), position, what);
  }
  void expectIndex(const char *what, uint32_t index, uint32_t size) const {
    if (index >= size)
      failHere("names {} {}; there are {}", what, index, size);
  }
  void verifyStep(const fb::Step &step);
  void verifyOperands(const fb::Step &step) const;
  void collectRecords(const fb::Step &step);
  void verifyWaits(uint32_t trace);
  void verifyWait(uint32_t event) const;
  void verifyBalance() const;

  const Bundle &bundle;
  const fb::EntryPoint &entry;
  const fb::Schedule &schedule;
  std::vector<bool> recorded;
  uint32_t position = 0;
};
} // namespace

void ScheduleVerifier::verifyOperands(const fb::Step &step) const {
  const auto *programs = bundle.metadata().programs();
  expectIndex("program", step.index(), count(programs));
  const fb::Program &program = *programs->Get(step.index());
  if (count(step.operands()) != count(program.operands()))
    failHere("runs '{}' with {} operands; it has {}", text(program.symbol()),
             count(step.operands()), count(program.operands()));
  const uint64_t end = bundle.addresses().size();
  for (uint32_t i = 0; i < count(program.operands()); ++i) {
    const fb::Operand &operand = *program.operands()->Get(i);
    uint64_t address = step.operands()->Get(i);
    if (!isInside(address, operand.bytes(), 0, end) || address % operand.alignment() != 0)
      failHere("runs '{}' with operand {} at {:#x} + {} bytes; expected a multiple of {} "
               "inside the device's memory of {:#x}",
               text(program.symbol()), i, address, operand.bytes(), operand.alignment(), end);
  }
}

void ScheduleVerifier::verifyWait(uint32_t event) const {
  if (!recorded[event])
    failHere("waits for event '{}', which nothing {}",
             text(bundle.metadata().events()->Get(event)->name()),
             schedule.queues() == 1 ? "has recorded before" : "records");
}

void ScheduleVerifier::verifyWaits(uint32_t trace) {
  const uint8_t *position = bundle.stream(trace);
  for (;;) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(position);
    const auto &event = reinterpret_cast<const EventCommand &>(header);
    if (header.opcode == Opcode::Wait)
      verifyWait(event.event);
    else if (header.opcode == Opcode::Signal)
      recorded[event.event] = true;
    else if (header.opcode == Opcode::End)
      return;
    position += header.size;
  }
}

/// With several queues the host's order is not the order of execution: a record anywhere may serve
/// a wait.
void ScheduleVerifier::collectRecords(const fb::Step &step) {
  if (step.kind() == fb::StepKind::Record && step.index() < recorded.size())
    recorded[step.index()] = true;
  if (step.kind() != fb::StepKind::Execute || step.index() >= count(bundle.metadata().traces()))
    return;
  for (const uint8_t *position = bundle.stream(step.index());;) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(position);
    if (header.opcode == Opcode::Signal)
      recorded[reinterpret_cast<const EventCommand &>(header).event] = true;
    if (header.opcode == Opcode::End)
      return;
    position += header.size;
  }
}

void ScheduleVerifier::verifyStep(const fb::Step &step) {
  if (step.queue() >= schedule.queues())
    failHere("is on queue {}; the schedule has {}", step.queue(), schedule.queues());
  if (step.source() != 0)
    expectIndex("source location", step.source(), count(bundle.metadata().locations()));
  switch (step.kind()) {
  case fb::StepKind::Write:
    expectIndex("input", step.index(), count(entry.inputs()));
    return expectIndex("slot", step.slot(), slotsOf(*entry.inputs()->Get(step.index())));
  case fb::StepKind::Read:
    expectIndex("output", step.index(), count(entry.outputs()));
    return expectIndex("slot", step.slot(), slotsOf(*entry.outputs()->Get(step.index())));
  case fb::StepKind::Execute:
    expectIndex("trace", step.index(), count(bundle.metadata().traces()));
    return verifyWaits(step.index());
  case fb::StepKind::HostDispatch:
  case fb::StepKind::Dispatch:
    return verifyOperands(step);
  case fb::StepKind::Copy: {
    const uint64_t end = bundle.addresses().size();
    if (step.bytes() == 0 || !isInside(step.dst(), step.bytes(), 0, end) ||
        !isInside(step.src(), step.bytes(), 0, end) ||
        (step.dst() < step.src() + step.bytes() && step.src() < step.dst() + step.bytes()))
      failHere("copies {} bytes from {:#x} to {:#x}; expected some bytes that do not overlap, "
               "inside the device's memory of {:#x}",
               step.bytes(), step.src(), step.dst(), end);
    return;
  }
  case fb::StepKind::Record:
    expectIndex("event", step.index(), count(bundle.metadata().events()));
    recorded[step.index()] = true;
    return;
  case fb::StepKind::Wait:
    expectIndex("event", step.index(), count(bundle.metadata().events()));
    return verifyWait(step.index());
  }
  failHere("is of kind {}, which this runtime does not know", (unsigned)step.kind());
}

void ScheduleVerifier::verify() {
  const uint32_t queues = bundle.metadata().target()->queues();
  if (schedule.queues() < 1 || schedule.queues() > queues)
    failBad("schedule '{}' of entry point '{}' has {} queues; the target has {}",
            text(schedule.name()), text(entry.name()), schedule.queues(), queues);
  if (schedule.queues() > 1)
    forEachStep(schedule, [&](const fb::Step &step) { collectRecords(step); });
  std::vector<uint32_t> writes(count(entry.inputs())), reads(count(entry.outputs()));
  forEachStep(schedule, [&](const fb::Step &step) {
    verifyStep(step);
    if (step.kind() == fb::StepKind::Write)
      ++writes[step.index()];
    if (step.kind() == fb::StepKind::Read)
      ++reads[step.index()];
    ++position;
  });
  for (uint32_t i = 0; i < writes.size(); ++i)
    if (!writes[i])
      failBad("schedule '{}' of entry point '{}' never writes input '{}'", text(schedule.name()),
              text(entry.name()), text(entry.inputs()->Get(i)->name()));
  for (uint32_t i = 0; i < reads.size(); ++i)
    if (!reads[i])
      failBad("schedule '{}' of entry point '{}' never reads output '{}'", text(schedule.name()),
              text(entry.name()), text(entry.outputs()->Get(i)->name()));
  verifyBalance();
}

/// How often each part moves each port. Every inference writes every input and reads every output
/// once, so the body must do both equally often, and what the prologue is ahead the epilogue
/// catches up.
void ScheduleVerifier::verifyBalance() const {
  auto movesOf = [&](const auto *part, fb::StepKind kind, uint32_t index) {
    uint32_t moves = 0;
    for (uint32_t i = 0; i < count(part); ++i)
      moves += part->Get(i)->kind() == kind && part->Get(i)->index() == index;
    return moves;
  };
  auto expect = [&](const char *part, uint32_t found, uint32_t expected, const char *what,
                    const char *name) {
    if (found != expected)
      failBad("schedule '{}' of entry point '{}': {} {} '{}' {} times; expected {}, as often as "
              "input '{}' is written",
              text(schedule.name()), text(entry.name()), part, what, name, found, expected,
              text(entry.inputs()->Get(0)->name()));
  };
  if (count(entry.inputs()) == 0)
    return;
  const uint32_t body = movesOf(schedule.body(), fb::StepKind::Write, 0);
  const uint32_t ends = movesOf(schedule.prologue(), fb::StepKind::Write, 0) +
                        movesOf(schedule.epilogue(), fb::StepKind::Write, 0);
  if (body == 0)
    failBad("schedule '{}' of entry point '{}': the body does not write input '{}'",
            text(schedule.name()), text(entry.name()), text(entry.inputs()->Get(0)->name()));
  auto check = [&](fb::StepKind kind, const char *what, const auto *ports) {
    for (uint32_t i = 0; i < count(ports); ++i) {
      const char *name = text(ports->Get(i)->name());
      expect("the body", movesOf(schedule.body(), kind, i), body, what, name);
      expect("prologue with epilogue",
             movesOf(schedule.prologue(), kind, i) + movesOf(schedule.epilogue(), kind, i), ends,
             what, name);
    }
  };
  check(fb::StepKind::Write, "writes input", entry.inputs());
  check(fb::StepKind::Read, "reads output", entry.outputs());
}

void verifySchedules(const Bundle &bundle) {
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    for (const fb::Schedule *schedule : *entry->schedules())
      ScheduleVerifier(bundle, *entry, *schedule).verify();
}

} // namespace ttrt
