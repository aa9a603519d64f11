// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttrt/queue.h"

#include "Api/ApiChecks.h"

using namespace ttrt;
using profile::HostCall;

struct ttrt_event {
  Device &device;
  Event &event;
};

namespace {

Device &deviceOf(ttrt_device *device) {
  require(device, "device is NULL");
  return *device->device;
}

Queue &queueOf(Device &device, uint32_t queue) {
  if (queue >= device.queues()) [[unlikely]]
    fail(TTRT_INVALID_ARGUMENT, "queue {}; the device was opened with {}", queue, device.queues());
  return device.queue(queue);
}

/// Calls enqueue(context, queue). What that throws it throws before it enqueues anything. No
/// template: its code exists once.
void enqueueWith(Device &device, profile::HostCall call, uint32_t index, bool blocking,
                 void (*enqueue)(void *context, Queue &queue), void *context) {
  const HostZone zone = device.zone(call);
  Queue &queue = queueOf(device, index);
  if (device.piped().load(std::memory_order_relaxed)) [[unlikely]]
    fail(TTRT_BUSY, "the device has a pipeline; close it first");
  requireHostThread(device);
  InUse use(device.busy(index), "another call on this queue");
  if (queue.stopped().load(std::memory_order_acquire)) [[unlikely]]
    requireNoFailure(device);
  enqueue(context, queue);
  if (blocking) {
    queue.drain();
    if (queue.stopped().load(std::memory_order_acquire)) [[unlikely]]
      requireNoFailure(device);
  }
}
template <typename Enqueue>
void enqueueOn(Device &device, profile::HostCall call, uint32_t index, bool blocking,
               Enqueue enqueue) {
  enqueueWith(
      device, call, index, blocking,
      [](void *context, Queue &queue) { (*static_cast<Enqueue *>(context))(queue); }, &enqueue);
}

} // namespace

extern "C" {

uint32_t ttrt_device_queues(const ttrt_device *device) {
  return device ? device->device->queues() : 0;
}

ttrt_status ttrt_enqueue_write(ttrt_device *device, uint32_t queue, uint32_t entry, uint32_t input,
                               const void *data, size_t bytes, int blocking, ttrt_error *error) {
  return guarded(error, [&] {
    Device &target = deviceOf(device);
    const ResolvedEntry &resolved = entryOf(target, entry);
    checkBytes(portOf(resolved.inputs, input, "input"), bytes, "input");
    require(data, "data is NULL");
    checkExtents(target, entry, input, data);
    enqueueOn(target, HostCall::EnqueueWrite, queue, blocking != 0, [&](Queue &on) {
      target.watch().give(entry, input);
      on.pushStep(resolved.writes[input], const_cast<void *>(data), /*counted=*/false,
                  /*iteration=*/false);
    });
  });
}

ttrt_status ttrt_enqueue_read(ttrt_device *device, uint32_t queue, uint32_t entry, uint32_t output,
                              void *data, size_t bytes, int blocking, ttrt_error *error) {
  return guarded(error, [&] {
    Device &target = deviceOf(device);
    const ResolvedEntry &resolved = entryOf(target, entry);
    checkBytes(portOf(resolved.outputs, output, "output"), bytes, "output");
    require(data, "data is NULL");
    enqueueOn(target, HostCall::EnqueueRead, queue, blocking != 0, [&](Queue &on) {
      on.pushStep(resolved.reads[output], data, /*counted=*/false, /*iteration=*/false);
    });
  });
}

ttrt_status ttrt_enqueue_execute(ttrt_device *device, uint32_t queue, uint32_t trace, int blocking,
                                 ttrt_error *error) {
  return guarded(error, [&] {
    Device &target = deviceOf(device);
    const ResolvedStep *step = target.execute(trace);
    if (!step)
      fail(TTRT_INVALID_ARGUMENT, "trace {}; the bundle has {}", trace,
           count(target.bundle().metadata().traces()));
    enqueueOn(target, HostCall::EnqueueExecute, queue, blocking != 0, [&](Queue &on) {
      requireLoaded(target, *step);
      target.watch().replay(trace);
      on.pushStep(*step, nullptr, /*counted=*/false, /*iteration=*/true);
    });
  });
}

ttrt_status ttrt_enqueue_call(ttrt_device *device, uint32_t queue, ttrt_call *call, void *user,
                              ttrt_error *error) {
  return guarded(error, [&] {
    require(call, "call is NULL");
    enqueueOn(deviceOf(device), HostCall::EnqueueCall, queue, /*blocking=*/false, [&](Queue &on) {
      QueueCommand command;
      command.kind = QueueCommand::Kind::Call;
      command.call = call;
      command.user = user;
      on.push(command);
    });
  });
}

ttrt_status ttrt_event_create(ttrt_device *device, ttrt_event **event, ttrt_error *error) {
  if (event)
    *event = nullptr;
  return guarded(error, [&] {
    require(event, "event is NULL");
    Device &target = deviceOf(device);
    Event *taken = target.takeEvent();
    if (!taken)
      fail(TTRT_OUT_OF_MEMORY,
           "all {} events of the device are in use; see ttrt_device_options::events",
           target.callerEvents());
    *event = new (std::nothrow) ttrt_event{target, *taken};
    if (!*event) {
      target.giveBack(*taken);
      throw std::bad_alloc();
    }
  });
}

void ttrt_event_destroy(ttrt_event *event) {
  if (event)
    event->device.giveBack(event->event);
  delete event;
}

ttrt_status ttrt_event_record(ttrt_event *event, uint32_t queue, ttrt_error *error) {
  return guarded(error, [&] {
    require(event, "event is NULL");
    enqueueOn(event->device, HostCall::EventRecord, queue, /*blocking=*/false,
              [&](Queue &on) { on.pushRecord(event->event); });
  });
}

ttrt_status ttrt_event_wait(ttrt_event *event, uint32_t queue, ttrt_error *error) {
  return guarded(error, [&] {
    require(event, "event is NULL");
    enqueueOn(event->device, HostCall::EventWait, queue, /*blocking=*/false,
              [&](Queue &on) { on.pushWait(event->event); });
  });
}

ttrt_status ttrt_event_query(ttrt_event *event, ttrt_error *error) {
  bool ready = true;
  const ttrt_status status = guarded(error, [&] {
    require(event, "event is NULL");
    Device &device = event->device;
    requireOwnProcess(device);
    const EventTarget target = event->event.target();
    auto isReady = [&] { return !target.flag || target.flag->isReached(target.value); };
    ready = isReady();
    if (ready || !device.queue(target.queue).stopped().load(std::memory_order_acquire))
      return;
    // The queue may have recorded it just before it stopped; it will not any more.
    ready = isReady();
    if (!ready)
      requireNoFailure(device);
  });
  if (status != TTRT_OK || ready)
    return status;
  return report(error, TTRT_NOT_READY, "the event's last record is not complete yet");
}

ttrt_status ttrt_event_synchronize(ttrt_event *event, ttrt_error *error) {
  return guarded(error, [&] {
    require(event, "event is NULL");
    requireHostThread(event->device);
    const HostZone zone = event->device.zone(HostCall::EventSynchronize);
    const EventTarget target = event->event.target();
    if (target.flag &&
        !target.flag->await(target.value, event->device.queue(target.queue).stopped()))
      requireNoFailure(event->device);
  });
}

ttrt_status ttrt_device_synchronize(ttrt_device *device, ttrt_error *error) {
  return guarded(error, [&] {
    Device &target = deviceOf(device);
    requireHostThread(target);
    const HostZone zone = target.zone(HostCall::DeviceSynchronize);
    target.drain();
    requireNoFailure(target);
  });
}

ttrt_status ttrt_device_reset(ttrt_device *device, ttrt_error *error) {
  return guarded(error, [&] {
    Device &target = deviceOf(device);
    requireHostThread(target);
    InUse use(target.busy(), "another call on this device");
    if (target.piped().load(std::memory_order_acquire))
      fail(TTRT_BUSY, "the device has a pipeline; close it first");
    target.drain();
    target.reset();
  });
}

} // extern "C"
