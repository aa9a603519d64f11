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
  /// How often each input is written, or each output read: in prologue and epilogue (2 i) and in
  /// the body (2 i + 1).
  using Moves = std::vector<uint32_t>;
  void verifyBalance(const Moves &writes, const Moves &reads) const;

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
  Moves writes(2 * count(entry.inputs())), reads(2 * count(entry.outputs()));
  const uint32_t bodyBegin = count(schedule.prologue()),
                 bodyEnd = bodyBegin + count(schedule.body());
  forEachStep(schedule, [&](const fb::Step &step) {
    verifyStep(step);
    const bool isInBody = position >= bodyBegin && position < bodyEnd;
    if (step.kind() == fb::StepKind::Write)
      ++writes[2 * step.index() + isInBody];
    if (step.kind() == fb::StepKind::Read)
      ++reads[2 * step.index() + isInBody];
    ++position;
  });
  auto requireSome = [&](const Moves &moves, const char *what, const auto *ports) {
    for (uint32_t i = 0; i < count(ports); ++i)
      if (!moves[2 * i] && !moves[2 * i + 1])
        failBad("schedule '{}' of entry point '{}' never {} '{}'", text(schedule.name()),
                text(entry.name()), what, text(ports->Get(i)->name()));
  };
  requireSome(writes, "writes input", entry.inputs());
  requireSome(reads, "reads output", entry.outputs());
  verifyBalance(writes, reads);
}

/// Every inference writes every input and reads every output once. So the body must do all of these
/// equally often, and so must prologue and epilogue together.
void ScheduleVerifier::verifyBalance(const Moves &writes, const Moves &reads) const {
  if (count(entry.inputs()) == 0)
    return;
  const char *first = text(entry.inputs()->Get(0)->name());
  if (writes[1] == 0)
    failBad("schedule '{}' of entry point '{}': the body does not write input '{}'",
            text(schedule.name()), text(entry.name()), first);
  auto expect = [&](const char *part, uint32_t found, uint32_t expected, const char *what,
                    const char *name) {
    if (found != expected)
      failBad("schedule '{}' of entry point '{}': {} {} '{}' {} times; expected {}, as often as "
              "input '{}' is written",
              text(schedule.name()), text(entry.name()), part, what, name, found, expected, first);
  };
  auto check = [&](const Moves &moves, const char *what, const auto *ports) {
    for (uint32_t i = 0; i < count(ports); ++i) {
      const char *name = text(ports->Get(i)->name());
      expect("the body", moves[2 * i + 1], writes[1], what, name);
      expect("prologue with epilogue", moves[2 * i], writes[0], what, name);
    }
  };
  check(writes, "writes input", entry.inputs());
  check(reads, "reads output", entry.outputs());
}

void verifySchedules(const Bundle &bundle) {
  for (const fb::EntryPoint *entry : *bundle.metadata().entries())
    for (const fb::Schedule *schedule : *entry->schedules())
      ScheduleVerifier(bundle, *entry, *schedule).verify();
}

} // namespace ttrt
