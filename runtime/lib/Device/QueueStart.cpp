// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How queues start, move data and stop: small matters more than fast here.

#include "Base/Format.h"
#include "Bundle/Verifier.h"
#include "Device/Queue.h"

#include <cerrno>
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
// Queues
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

bool Queue::stopAt(const QueueCommand &command) noexcept {
  stop(command, site.stop.status(), site.stop.message());
  return true;
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
