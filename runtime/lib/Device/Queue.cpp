// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/Queue.h"

#include "Base/Format.h"
#include "Bundle/Verifier.h"
#include "Device/FloatingPoint.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <system_error>

namespace ttrt {

//===----------------------------------------------------------------------===//
// Failure
//===----------------------------------------------------------------------===//

void Failure::set(ttrt_status status, const char *message) noexcept {
  uint32_t none = kNone;
  if (!state.compare_exchange_strong(none, kWriting, std::memory_order_acquire))
    return;
  error.status = status;
  formatTo(error.message, "{}", message);
  state.store(kThere, std::memory_order_release);
}

const ttrt_error &Failure::get() const noexcept {
  // Another queue may still be writing the first message.
  while (state.load(std::memory_order_acquire) != kThere)
    pauseCpu();
  return error;
}

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

Queue::Queue(QueueSite &site, uint32_t index, Cores &cores, uint32_t capacity)
    : site(site), index(index), cores(cores), mask(capacity - 1), ring(new QueueCommand[capacity]) {
  events.events = site.events;
  events.queue = index;
  events.targets.reset(new EventTarget[site.eventCount]);
  events.waits.reset(new AdaptiveWait[site.eventCount]);
  events.stopped[index] = &stopped_;
  try {
    thread = std::thread([this] { work(); });
  } catch (const std::system_error &error) {
    fail(TTRT_OUT_OF_MEMORY, "cannot start the thread of queue {}: {}", index, error.what());
  }
}

Queue::~Queue() {
  if (site.process.isChild()) {
    abandon(std::move(thread));
    return;
  }
  QueueCommand last;
  last.kind = QueueCommand::Kind::Stop;
  push(last);
  thread.join();
}

/// A host that is too far ahead sleeps until half of the ring is empty, so it is not woken for
/// every command.
void Queue::waitForRoom() noexcept {
  auto refresh = [this] { knownCompleted = tail - ((tail - completed.value()) & 0x7fffffff); };
  refresh();
  if (tail - knownCompleted <= mask)
    return;
  completed.await(tail - (mask + 1) / 2, /*spins=*/0);
  refresh();
}

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

bool Queue::stopAt(const QueueCommand &command) noexcept {
  stop(command, site.stop.status(), site.stop.message());
  return true;
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

void Queue::performWait(const QueueCommand &command) noexcept {
  MarkerRing *const markers = cores.first().markers;
  if (markers) [[unlikely]]
    markers->begin(MarkerKind::WaitBegin, command.index);
  if (!command.flag->await(command.value, *events.stopped[command.target],
                           events.waits[command.index])) [[unlikely]]
    stop(command, TTRT_FAILED, "the queue that should record the event has stopped");
  if (markers) [[unlikely]]
    markers->end(MarkerKind::WaitEnd, command.index);
}

void Queue::checkCall(const QueueCommand &command, int result) noexcept {
  if (result == 0)
    return;
  char reason[64];
  formatTo(reason, "the caller's function returned {}", result);
  stop(command, TTRT_FAILED, reason);
}

/// Verifies the stream of an execute step once more; if it fails, the queue stops.
bool Queue::isStreamIntact(const QueueCommand &command) noexcept {
  const ResolvedStep &step = *command.step;
  if (step.kind != fb::StepKind::Execute)
    return true;
  try {
    verifyStream(site.bundle, step.index, step.stream);
    return true;
  } catch (const Error &error) {
    stop(command, TTRT_FAILED, error.message.c_str());
  } catch (const std::exception &error) {
    stop(command, TTRT_OUT_OF_MEMORY, error.what());
  }
  return false;
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

/// With checks, the kernel copies: it reports an invalid address instead of crashing.
void Queue::move(const QueueCommand &command) noexcept {
  const ResolvedStep &step = *command.step;
  const bool isWrite = step.kind == fb::StepKind::Write;
  if (!command.source)
    return; // the slot is accessed in place
  if (site.checks) {
    iovec slot{isWrite ? step.dst : const_cast<uint8_t *>(step.src), step.bytes};
    iovec host{command.sink, step.bytes};
    const auto moved = isWrite ? process_vm_readv(getpid(), &slot, 1, &host, 1, 0)
                               : process_vm_writev(getpid(), &slot, 1, &host, 1, 0);
    if (moved == static_cast<ssize_t>(step.bytes))
      return;
    if (moved >= 0 || errno == EFAULT) {
      char reason[160];
      formatTo(reason, "expected {} {} bytes of host memory at {:#x}", step.bytes,
               isWrite ? "readable" : "writable", reinterpret_cast<uintptr_t>(command.source));
      return stop(command, TTRT_FAILED, reason);
    }
    // The kernel forbids such copies here: copy as usual.
  }
  if (isWrite)
    site.link.move(step.dst, command.source, step.bytes);
  else
    site.link.move(command.sink, step.src, step.bytes);
}

void Queue::stop(const QueueCommand &command, ttrt_status status, const char *reason) noexcept {
  const char *what = command.kind == QueueCommand::Kind::Wait   ? "wait"
                     : command.kind == QueueCommand::Kind::Call ? "call"
                                                                : "";
  const char *name = "", *source = "";
  if (command.step) {
    what = command.step->info().name;
    name = command.step->name;
    source = command.step->source;
  }
  char message[sizeof(ttrt_error::message)];
  formatTo(message, "queue {} stopped at {}{}{}{}{}{}{}: {}", index, what, *name ? " '" : "", name,
           *name ? "'" : "", *source ? " (from " : "", source, *source ? ")" : "", reason);
  site.failure.set(status, message);
  if (ttrt_transport *transport = cores.first().transport)
    transport->fail(transport, message); // the other devices do not wait for this one
  site.anyStopped.store(true, std::memory_order_release);
  stopped_.store(true, std::memory_order_release);
  // Wake every thread that waits for this queue.
  for (uint32_t i = 0; i < site.eventCount; ++i)
    site.events[i].poke(index);
  site.done[index].poke();
  site.fed.poke();
  site.freed.poke();
}

} // namespace ttrt
