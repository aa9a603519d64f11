/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Command queues and events: the layer below pipelines (pipeline.h), for custom schedules.
 *
 * A device that is opened with `queues` set to 1 or 2 has that many queues. Each executes its
 * commands in order, on a thread of its own; queues synchronize only through events. Any command
 * can be enqueued on either queue. Both can run programs at the same time: queue 0 on the device's
 * cores, queue 1 on cores of its own (`queue1_cores`).
 *
 * Enqueueing. A call appends a command to the queue's ring and returns; if `blocking` is nonzero,
 * it returns when the command is complete. A ring holds at least 1024 commands, and at least 16
 * inferences of any schedule of the bundle. While the ring is full, the call sleeps.
 *
 * Host memory. Until a command is complete, the source of a write must not change, and the
 * destination of a read must not be accessed.
 *
 * Events. A record is complete when every command that was enqueued before it on its queue is
 * complete. A wait refers to the last record of the event that was enqueued before the wait, on any
 * queue. If none was recorded, the wait returns immediately. Only the order in which the host
 * enqueues matters. Every wait refers to an earlier record, so queues cannot deadlock.
 *
 * Errors. A command that fails stops its queue; later commands on it are skipped. The other queue
 * continues until it would wait for a record that can no longer come; then it stops as well. Any
 * call that enqueues on a stopped queue, or synchronizes, returns the first error: TTRT_FAILED and
 * a message that names the command and the op it came from. ttrt_device_reset() makes the device
 * usable again. Where ttrt_device_cancel() or a deadline is the reason, TTRT_CANCELLED or
 * TTRT_DEADLINE_EXCEEDED takes the place of TTRT_FAILED here. Enqueueing also returns
 *   - TTRT_INVALID_ARGUMENT if an index or a size is wrong, or if it is called from a function that
 *     a queue calls (ttrt_enqueue_call(), ttrt_on_step): such a call would wait for itself;
 *   - TTRT_BUSY if the device has a pipeline.
 *
 * Threads. Calls on the same queue must not overlap (TTRT_BUSY); calls on different queues may, and
 * so may functions that query or synchronize. A host that uses one event on two threads must order
 * its calls itself. No call takes a lock, and none allocates memory, except ttrt_event_create() and
 * calls that fail.
 */
#ifndef TTRT_QUEUE_H
#define TTRT_QUEUE_H

#include "ttrt/ttrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Recorded on a queue; queues and the host can wait for it. */
typedef struct ttrt_event ttrt_event;

/** Number of queues: 0, 1 or 2. Thread-safe. */
TTRT_API uint32_t ttrt_device_queues(const ttrt_device *device);

/*===---------------------------------------------------------------------===
 * Commands
 *===---------------------------------------------------------------------===*/

/** Copies `bytes` bytes at `data` to the slot of an input. `bytes` must be ttrt_port::bytes. */
TTRT_API ttrt_status ttrt_enqueue_write(ttrt_device *device, uint32_t queue, uint32_t entry,
                                        uint32_t input, const void *data, size_t bytes,
                                        int blocking, ttrt_error *error);
/** Copies an output from its slot to `data`. `bytes` must be ttrt_port::bytes. */
TTRT_API ttrt_status ttrt_enqueue_read(ttrt_device *device, uint32_t queue, uint32_t entry,
                                       uint32_t output, void *data, size_t bytes, int blocking,
                                       ttrt_error *error);
/**
 * Replays a trace, by its number in the bundle, on the queue's cores.
 *
 * TTRT_INVALID_ARGUMENT if the trace is released (memory.h); TTRT_OVERWRITTEN if it reads an input
 * whose slot has been overwritten (ttrt_device_input_slot()).
 */
TTRT_API ttrt_status ttrt_enqueue_execute(ttrt_device *device, uint32_t queue, uint32_t trace,
                                          int blocking, ttrt_error *error);

/** A function of the host. Returns 0, or any other value to stop the queue. */
typedef int ttrt_call(void *user);
/**
 * Calls a function on the queue's thread. The function must not enqueue, synchronize or pop on this
 * device; such a call returns TTRT_INVALID_ARGUMENT. It may query events.
 */
TTRT_API ttrt_status ttrt_enqueue_call(ttrt_device *device, uint32_t queue, ttrt_call *call,
                                       void *user, ttrt_error *error);

/*===---------------------------------------------------------------------===
 * Events
 *===---------------------------------------------------------------------===*/

/**
 * Takes one of the device's events (ttrt_device_options::events). On success, the caller owns
 * *event; it must be destroyed before the device is closed. Thread-safe.
 *
 * TTRT_OUT_OF_MEMORY if all events are in use.
 */
TTRT_API ttrt_status ttrt_event_create(ttrt_device *device, ttrt_event **event, ttrt_error *error);
/** Returns an event to its device; NULL is allowed. No command in flight may refer to it. */
TTRT_API void ttrt_event_destroy(ttrt_event *event);
/** Enqueues a record of the event. */
TTRT_API ttrt_status ttrt_event_record(ttrt_event *event, uint32_t queue, ttrt_error *error);
/**
 * Enqueues a wait: commands enqueued on the queue from now on start after the event's last record
 * is complete.
 */
TTRT_API ttrt_status ttrt_event_wait(ttrt_event *event, uint32_t queue, ttrt_error *error);
/**
 * Returns TTRT_OK if the event's last record is complete or none was enqueued, else TTRT_NOT_READY.
 * TTRT_FAILED if the queue of that record stopped before it. Does not wait, so a function that a
 * queue calls may use it. Thread-safe.
 */
TTRT_API ttrt_status ttrt_event_query(ttrt_event *event, ttrt_error *error);
/**
 * Waits until the event's last record is complete; returns immediately if none was enqueued.
 * TTRT_FAILED if the queue of that record stopped before it. Thread-safe.
 */
TTRT_API ttrt_status ttrt_event_synchronize(ttrt_event *event, ttrt_error *error);

/*===---------------------------------------------------------------------===
 * All queues
 *===---------------------------------------------------------------------===*/

/**
 * Waits until everything enqueued on any queue is complete. TTRT_FAILED if a queue has stopped.
 * Thread-safe.
 */
TTRT_API ttrt_status ttrt_device_synchronize(ttrt_device *device, ttrt_error *error);
/**
 * Recovers from an error or from ttrt_device_cancel(): waits until nothing is in flight, restarts
 * the queues, clears all events and removes a deadline. The contents of slots and outputs are
 * undefined afterwards. No other call on the device may be in progress. TTRT_BUSY if the device has
 * a pipeline.
 */
TTRT_API ttrt_status ttrt_device_reset(ttrt_device *device, ttrt_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_QUEUE_H */
