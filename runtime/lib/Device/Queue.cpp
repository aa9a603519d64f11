// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/Queue.h"

#include "Device/FloatingPoint.h"

#include <sys/prctl.h>

namespace ttrt {

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

uint32_t Queue::push(const QueueCommand &command) noexcept {
  if (tail - knownCompleted > mask) [[unlikely]]
    waitForRoom();
  ring[tail & mask] = command;
  submitted.set(++tail);
  return tail;
}

void Queue::pushRecord(Event &event) noexcept {
  QueueCommand command;
  command.kind = QueueCommand::Kind::Record;
  command.event = &event;
  event.issue(index);
  push(command);
}

void Queue::pushWait(Event &event) noexcept {
  const EventTarget target = event.target();
  if (!target.flag || target.queue == index)
    return; // nothing to wait for, or done in order
  QueueCommand command;
  command.kind = QueueCommand::Kind::Wait;
  command.index = static_cast<uint32_t>(&event - site.events);
  command.flag = target.flag;
  command.value = target.value;
  command.target = static_cast<uint8_t>(target.queue);
  push(command);
}

uint32_t Queue::pushStep(const ResolvedStep &step, void *host, bool counted,
                         bool iteration) noexcept {
  for (uint32_t event : step.waits) {
    const EventTarget target = site.events[event].target();
    QueueCommand command;
    command.kind = QueueCommand::Kind::Target;
    command.index = event;
    command.flag = target.flag;
    command.value = target.value;
    command.target = static_cast<uint8_t>(target.queue);
    push(command);
  }
  QueueCommand command;
  command.step = &step;
  command.sink = host;
  command.counted = counted;
  command.iteration = iteration;
  const uint32_t ticket = push(command);
  for (uint32_t event : step.signals)
    site.events[event].issue(index);
  return ticket;
}

void Queue::pushCommands(const ResolvedStep &step) noexcept {
  forEachOuterCommand(step.stream, [&](const CommandHeader &header, uint32_t index) {
    const OrderRole role = infoOf(header.opcode).role;
    if (role == OrderRole::Work || role == OrderRole::Repeat) {
      QueueCommand command;
      command.kind = QueueCommand::Kind::Command;
      command.index = index;
      command.step = &step;
      command.header = &header;
      push(command);
    } else if (role == OrderRole::Record) {
      pushRecord(site.events[reinterpret_cast<const EventCommand &>(header).event]);
    } else if (role == OrderRole::Wait) {
      pushWait(site.events[reinterpret_cast<const EventCommand &>(header).event]);
    } // a barrier is implied: each command is complete before the next begins
  });
}

//===----------------------------------------------------------------------===//
// The thread's side
//===----------------------------------------------------------------------===//

/// Commands that take no time and whose tickets are never waited for.
static bool isMark(QueueCommand::Kind kind) {
  return kind == QueueCommand::Kind::Record || kind == QueueCommand::Kind::Wait ||
         kind == QueueCommand::Kind::Target;
}

void Queue::work() noexcept {
  OwnFloatingPoint guard(cores.flushes());
  prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul); // a slow link sleeps for exact times
  uint32_t known = 0;                           // this thread's last view of `submitted`
  auto isThere = [&](uint32_t head) { return ((known - head) & 0x7fffffff) != 0; };
  bool untold = false; // work is complete that `completed` does not show yet
  for (uint32_t head = 0;;) {
    if (!isThere(head)) {
      submitted.await(head + 1);
      known = submitted.value();
    }
    const QueueCommand &command = ring[head & mask];
    // A stopped queue skips everything until it is restarted.
    if (!stopped_.load(std::memory_order_relaxed)) [[likely]]
      perform(command);
    const bool last = command.kind == QueueCommand::Kind::Stop;
    untold |= !isMark(command.kind);
    ++head;
    __builtin_prefetch(&ring[head & mask]); // overlaps with the load of `submitted`
    // A record is published before the host learns that the commands before it are complete: the
    // other queue may be waiting for it. Marks alone need not be reported at all.
    if (!isThere(head))
      known = submitted.value();
    if (isThere(head) && (!untold || ring[head & mask].kind == QueueCommand::Kind::Record))
      continue;
    untold = false;
    completed.set(head);
    if (last)
      return;
  }
}

void Queue::perform(const QueueCommand &command) noexcept {
  if (command.kind == QueueCommand::Kind::Stop || stopsAt(command)) [[unlikely]]
    return;
  switch (command.kind) {
  case QueueCommand::Kind::Step:
    return performStep(command);
  case QueueCommand::Kind::Command: {
    MonitoredWork work(lane());
    if (const char *problem = cores.run(*command.step, *command.header, command.index)) [[unlikely]]
      stop(command, site.stop.status(), problem);
    else
      stopsAt(command); // some of it may have been skipped
    return;
  }
  case QueueCommand::Kind::Record:
    if (MarkerRing *markers = cores.first().markers) [[unlikely]]
      markers->single(MarkerKind::Record, static_cast<uint32_t>(command.event - site.events));
    return command.event->record(index);
  case QueueCommand::Kind::Wait:
    return performWait(command);
  case QueueCommand::Kind::Target:
    events.targets[command.index] = {command.flag, command.value, command.target};
    return;
  case QueueCommand::Kind::Call:
    return checkCall(command, command.call(command.user));
  case QueueCommand::Kind::OnStep: {
    const fb::StepKind kind = command.step->kind;
    const ttrt_step_kind told = kind == fb::StepKind::Write  ? TTRT_STEP_WRITE
                                : kind == fb::StepKind::Read ? TTRT_STEP_READ
                                                             : TTRT_STEP_RUN;
    return checkCall(command, command.onStep(command.user, index, told, command.value != 0));
  }
  case QueueCommand::Kind::Stop:
    return;
  }
}

void Queue::performStep(const QueueCommand &command) noexcept {
  const ResolvedStep &step = *command.step;
  MonitoredWork work(lane());
  if (step.isTransfer()) {
    const MarkedStep marked(cores.first().markers, step.number);
    move(command);
  } else {
    if (site.checks && !isStreamIntact(command)) [[unlikely]]
      return;
    if (const char *problem = cores.execute(step, &events)) [[unlikely]]
      return stop(command, site.stop.status(), problem);
    if (stopsAt(command)) [[unlikely]]
      return;
  }
  if (stopped_.load(std::memory_order_relaxed)) [[unlikely]]
    return; // its transfer failed
  if (command.iteration)
    work.count();
  if (command.counted)
    site.done[index].raise();
}

} // namespace ttrt
