/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Command queues and events: the layer below the pipeline (pipeline.h), for schedules of one's own.
 *
 * A device that was opened with `queues` 1 or 2 has that many queues. Each executes its commands in
 * order, on a thread of its own; the queues know of each other only through events. Any command can
 * be enqueued on either queue. Both may run programs at the same time: queue 0 on the device's
 * cores, queue 1 on its own (`queue1_cores`).
 *
 * Enqueueing. A command is appended to the queue's ring and the call returns; with `blocking`, it
 * returns when the command is complete. A ring holds at least 1024 commands, and at least 16
 * inferences of any schedule of the bundle; while it is full, enqueueing sleeps.
 *
 * Memory of the host. What a write reads must stay as it is, and what a read writes must not be
 * touched, until the command is complete.
 *
 * Events. Recording is complete when every command that was enqueued on that queue before is. A
 * wait is for the last record of the event that was enqueued, on any queue, before the wait; if
 * there was none, it is over at once. So the order in which the host enqueues is what counts, every
 * wait is for something that was enqueued before it, and no order of enqueueing can make the queues
 * wait for each other in a circle.
 *
 * Errors. A command that fails stops its queue: the commands behind it are left out. The other
 * queue goes on, until it would wait for something that the stopped one will not record; then it
 * stops, too. Whoever enqueues on a stopped queue, or synchronizes, is told the first error with
 * TTRT_FAILED and a message that names the command and the op that it came from. After
 * ttrt_device_reset() the device can be used as before.
 *
 * Threads. Calls on one queue must not overlap (TTRT_BUSY); calls on different queues, and the
 * functions that query and synchronize, may. A host that uses an event on two threads orders its
 * calls itself. Nothing but ttrt_event_create() allocates, and nothing takes a lock.
 */
#ifndef TTRT_QUEUE_H
#define TTRT_QUEUE_H

#include "ttrt/ttrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Recorded on a queue, waited for by a queue or the host. */
typedef struct ttrt_event ttrt_event;

/** Queues of the device: 0, 1 or 2. Thread-safe. */
TTRT_API uint32_t ttrt_device_queues(const ttrt_device *device);

/* ---- Commands
 * ------------------------------------------------------------------------------------ */

/** The caller's bytes go to an input's slot. `bytes` must be the port's. */
TTRT_API ttrt_status ttrt_enqueue_write(ttrt_device *device, uint32_t queue, uint32_t entry,
                                        uint32_t input, const void *data, size_t bytes,
                                        int blocking, ttrt_error *error);
/** An output's bytes go from its slot to the caller. `bytes` must be the port's. */
TTRT_API ttrt_status ttrt_enqueue_read(ttrt_device *device, uint32_t queue, uint32_t entry,
                                       uint32_t output, void *data, size_t bytes, int blocking,
                                       ttrt_error *error);
/** Replays a trace, by its number in the bundle, on the queue's cores. */
TTRT_API ttrt_status ttrt_enqueue_execute(ttrt_device *device, uint32_t queue, uint32_t trace,
                                          int blocking, ttrt_error *error);

/** Returns 0, or anything else to stop the queue. */
typedef int ttrt_call(void *user);
/**
 * The queue's thread calls a function of the caller's. It must not enqueue, synchronize or pop on
 * this device: that is TTRT_INVALID_ARGUMENT there.
 */
TTRT_API ttrt_status ttrt_enqueue_call(ttrt_device *device, uint32_t queue, ttrt_call *call,
                                       void *user, ttrt_error *error);

/* ---- Events
 * -------------------------------------------------------------------------------------- */

/**
 * Takes one of the `events` that the device was opened with. TTRT_OUT_OF_MEMORY if all are taken.
 * Thread-safe.
 */
TTRT_API ttrt_status ttrt_event_create(ttrt_device *device, ttrt_event **event, ttrt_error *error);
/** Gives it back. Nothing in flight may refer to it, and its device is open. NULL is allowed. */
TTRT_API void ttrt_event_destroy(ttrt_event *event);
/** Complete when every command that was enqueued on the queue before is. */
TTRT_API ttrt_status ttrt_event_record(ttrt_event *event, uint32_t queue, ttrt_error *error);
/** Commands enqueued on the queue from now on start after the event's last record is complete. */
TTRT_API ttrt_status ttrt_event_wait(ttrt_event *event, uint32_t queue, ttrt_error *error);
/** TTRT_OK if the event's last record is complete, or there is none; else TTRT_NOT_READY. */
TTRT_API ttrt_status ttrt_event_query(ttrt_event *event, ttrt_error *error);
/** The calling thread waits: returns once the event's last record is complete. */
TTRT_API ttrt_status ttrt_event_synchronize(ttrt_event *event, ttrt_error *error);

/* ---- All queues
 * ---------------------------------------------------------------------------------- */

/**
 * Returns once everything that was enqueued on any queue is complete: TTRT_OK, or TTRT_FAILED if a
 * queue has stopped. Thread-safe.
 */
TTRT_API ttrt_status ttrt_device_synchronize(ttrt_device *device, ttrt_error *error);
/**
 * After an error: waits until nothing is in flight, lets the queues run again and forgets what
 * events have recorded. What slots and outputs hold is undefined. No other call may be under way.
 */
TTRT_API ttrt_status ttrt_device_reset(ttrt_device *device, ttrt_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_QUEUE_H */
