// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Format.h"
#include "Bundle/Verifier.h"

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
  [[noreturn, gnu::always_inline]] void failHere(Pattern<Args...> pattern,
                                                 const Args &...arguments) const {
    failWith(kindsOf<Args...>(), pattern.text(), toArgument(arguments)...);
  }
  [[noreturn, gnu::cold]] void failWith(uint64_t kinds, const char *pattern, ...) const;
  auto streamOf() const {
    return [this](uint32_t trace) { return bundle.stream(trace); };
  }
  void verifyStep(const fb::Step &step);
  void collectRecords(const fb::Step &step);
  void verifyWait(uint32_t event) const;
  void verifyBalance() const;

  const Bundle &bundle;
  const fb::EntryPoint &entry;
  const fb::Schedule &schedule;
  std::vector<bool> recorded;
  uint32_t position = 0;
};
} // namespace

void ScheduleVerifier::failWith(uint64_t kinds, const char *pattern, ...) const {
  va_list arguments;
  va_start(arguments, pattern);
  const std::string problem = formatList(kinds, pattern, arguments);
  va_end(arguments);
  failBad("schedule '{}' of entry point '{}', step {}: {}", text(schedule.name()),
          text(entry.name()), position, problem);
}

void ScheduleVerifier::verifyWait(uint32_t event) const {
  if (!recorded[event])
    failHere("waits for event '{}', which nothing {}",
             text(bundle.metadata().events()->Get(event)->name()),
             schedule.queues() == 1 ? "has recorded before" : "records");
}

/// With several queues the order of the host is not the order of execution: a wait may be satisfied
/// by a record anywhere in the schedule. The step has not been verified yet.
void ScheduleVerifier::collectRecords(const fb::Step &step) {
  if (!findInfo(step.kind()))
    return;
  const Action action = actionOf(step);
  if (action.index < countIn(bundle.metadata(), &entry, *action.info))
    forEachEventUse(action, streamOf(), [&](const Action &use) {
      if (use.info->role == OrderRole::Record)
        recorded[use.index] = true;
    });
}

void ScheduleVerifier::verifyStep(const fb::Step &step) {
  if (step.queue() >= schedule.queues())
    failHere("is on queue {}; the schedule has {}", step.queue(), schedule.queues());
  const uint32_t locations = count(bundle.metadata().locations());
  if (step.source() != 0 && step.source() >= locations)
    failHere("names source location {}; there are {}", step.source(), locations);
  if (!findInfo(step.kind()))
    failHere("is of kind {}, which this runtime does not support",
             static_cast<unsigned>(step.kind()));
  const Action action = actionOf(step);
  if (const std::string problem = findProblem(bundle, &entry, action); !problem.empty())
    failHere("{}", problem);
  forEachEventUse(action, streamOf(), [&](const Action &use) {
    if (use.info->role == OrderRole::Record)
      recorded[use.index] = true;
    else
      verifyWait(use.index);
  });
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

/// Every inference writes every input and reads every output once. So the body must do all of these
/// equally often, and so must prologue and epilogue together.
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
