// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command queue: a ring that the host fills, and a thread that executes its commands in order.
// docs/queues.md defines the commands.

#ifndef TTRT_LIB_DEVICE_QUEUE_H
#define TTRT_LIB_DEVICE_QUEUE_H

#include "Device/Cores.h"
#include "Device/Events.h"
#include "Device/HostLink.h"
#include "Device/ScheduleTable.h"
#include "Observe/MonitorFile.h"
#include "ttrt/pipeline.h"

#include <atomic>
#include <memory>
#include <thread>

namespace ttrt {

/// One entry of the ring.
struct QueueCommand {
  enum class Kind : uint8_t {
    Step,    ///< `step`; a write or read has the host's memory in `source` or `sink`
    Command, ///< `header`, command `index` of the trace `step`: dispatched by the host
    Record,  ///< `event`
    Wait,    ///< until `flag` reaches `value`: for event `index`
    Target,  ///< waits for event `index` in the next stream end when `flag` reaches `value`
    Call,    ///< call(user)
    OnStep,  ///< onStep(user, ...); `value` 1: after `step`
    Stop,    ///< ends the thread
  };
  Kind kind = Kind::Step;
  bool counted = false;   ///< raises QueueSite::done when complete
  bool iteration = false; ///< Step: when it is complete, so is an iteration (for the monitor)
  uint8_t target = 0;     ///< Wait, Target: the queue that records
  uint32_t value = 0;
  uint32_t index = 0;
  const ResolvedStep *step = nullptr;
  union {
    const void *source = nullptr; ///< Write
    void *sink;                   ///< Read
    const CommandHeader *header;  ///< Command
    Flag *flag;                   ///< Wait, Target
    Event *event;                 ///< Record
    ttrt_call *call;              ///< Call
    ttrt_on_step *onStep;         ///< OnStep
  };
  void *user = nullptr; ///< Call, OnStep
};

/// The first error of any queue of a device.
class Failure {
public:
  /// Keeps the first message; later ones are consequences of it.
  [[gnu::cold]] void set(ttrt_status status, const char *message) noexcept;
  /// Only after a queue has stopped.
  [[gnu::cold]] const ttrt_error &get() const noexcept;
  /// The queues must not be in use.
  void clear() noexcept { state.store(kNone, std::memory_order_relaxed); }

private:
  enum State : uint32_t { kNone, kWriting, kThere };
  std::atomic<uint32_t> state{kNone};
  ttrt_error error{};
};

/// State that the queues of a device share.
struct QueueSite {
  const ForkGuard &process;
  const Bundle &bundle;
  Event *events; ///< the bundle's, then the caller's
  uint32_t eventCount;
  HostLink link;
  StopRequest &stop;
  bool checks;             ///< check every command's addresses before executing it
  Flag done[kMaxQueues]{}; ///< per queue: counted commands that are complete
  Failure failure{};
  std::atomic<bool> anyStopped{false}; ///< a queue, or all; set before the flags here are poked
  Flag fed{};                   ///< pipeline: inferences enqueued, plus one when it is finished
  Flag freed{};                 ///< pipeline: inferences whose outputs may be overwritten
  MonitorLane *lanes = nullptr; ///< null unless the device is monitored
};

class Queue {
public:
  /// Throws Error. `capacity`: entries of the ring, a power of two.
  Queue(QueueSite &site, uint32_t index, Cores &cores, uint32_t capacity);
  /// Completes what was enqueued, except in a forked child.
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  // For the host. Calls on one queue must not overlap. Nothing allocates or takes a lock.

  /// Appends a command and returns its ticket. Sleeps while the ring is full.
  uint32_t push(const QueueCommand &command) noexcept;
  /// Appends a step of a schedule; `host`: the memory of a write or read.
  uint32_t pushStep(const ResolvedStep &step, void *host, bool counted, bool iteration) noexcept;
  /// Appends the commands of an execute step one by one.
  void pushCommands(const ResolvedStep &step) noexcept;
  [[gnu::noinline]] void pushRecord(Event &event) noexcept;
  [[gnu::noinline]] void pushWait(Event &event) noexcept;

  // Any thread.

  /// Waits until the command is complete, or skipped because the queue has stopped.
  void await(uint32_t ticket) noexcept { completed.await(ticket); }
  /// Waits for everything enqueued so far.
  void drain() noexcept { await(submitted.value()); }
  bool isDrained() const noexcept { return completed.isReached(submitted.value()); }
  const std::atomic<bool> &stopped() const noexcept { return stopped_; }
  uint32_t capacity() const noexcept { return mask + 1; }
  bool isOwnThread() const noexcept { return std::this_thread::get_id() == thread.get_id(); }

  /// Restarts the queue after an error. It must be drained.
  void restart() noexcept { stopped_.store(false, std::memory_order_release); }
  /// Sets the other queue, which waits refer to.
  void setPeer(const Queue &peer) noexcept { events.stopped[peer.index] = &peer.stopped_; }

private:
  void work() noexcept;
  void perform(const QueueCommand &command) noexcept;
  void performStep(const QueueCommand &command) noexcept;
  void performWait(const QueueCommand &command) noexcept;
  [[gnu::cold]] bool isStreamIntact(const QueueCommand &command) noexcept;
  MonitorLane *lane() const noexcept { return site.lanes ? &site.lanes[1 + index] : nullptr; }
  void checkCall(const QueueCommand &command, int result) noexcept;
  void move(const QueueCommand &command) noexcept;
  void waitForRoom() noexcept;
  [[gnu::cold]] void stop(const QueueCommand &command, ttrt_status status,
                          const char *reason) noexcept;
  /// Stops if that was requested, and returns whether it was.
  bool stopsAt(const QueueCommand &command) noexcept {
    return site.stop.isMade(/*watches=*/true) && stopAt(command);
  }
  [[gnu::cold, gnu::noinline]] bool stopAt(const QueueCommand &command) noexcept;

  QueueSite &site;
  const uint32_t index;
  Cores &cores;
  const uint32_t mask;
  std::unique_ptr<QueueCommand[]> ring;
  StreamEvents events;
  std::atomic<bool> stopped_{false};

  // Used by the host, on a separate cache line.
  alignas(64) uint32_t tail = 0; ///< commands enqueued
  uint32_t knownCompleted = 0;   ///< the host's last view of `completed`
  Flag submitted;                ///< host -> thread: `tail`
  Flag completed;                ///< thread -> host
  std::thread thread;            ///< last: uses everything above
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_QUEUE_H
