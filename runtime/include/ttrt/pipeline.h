/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Pipelines: many inferences in flight, by one of the schedules that the compiler stored in the
 * bundle. Outputs are returned in the order in which inputs were enqueued.
 *
 *     ttrt_pipeline_options options = TTRT_PIPELINE_OPTIONS_INIT;
 *     ttrt_pipeline_open(device, &options, &pipeline, &error);
 *     for (each input)
 *       ttrt_pipeline_enqueue(pipeline, input, NULL, TTRT_WAIT, &error);
 *     while (ttrt_pipeline_pop(pipeline, outputs, TTRT_WAIT, &error) == TTRT_OK)
 *       use(outputs);
 *     ttrt_pipeline_close(pipeline);
 *
 * With two threads, one enqueues with TTRT_STREAM and calls ttrt_pipeline_finish() after the last
 * input; the other pops with TTRT_STREAM until it gets TTRT_END.
 *
 * Host memory. Each input is copied once, from the caller's memory to its slot, and each output
 * once, from its slot to host memory. Inputs must not change until the outputs of their inference
 * have been popped. Outputs are stored in memory that the caller passes, or else in the output
 * queue of the pipeline, which has room for `outputs` inferences. There they are valid until the
 * `outputs`-th enqueue after their own; with TTRT_STREAM, only until the next pop. Enqueueing never
 * overwrites outputs that have not been popped.
 *
 * A device has at most one pipeline at a time; the pipeline keeps the device alive. If a queue
 * stops (queue.h), enqueue and pop return TTRT_FAILED: close the pipeline, then call
 * ttrt_device_reset().
 *
 * Threads. One thread may enqueue and finish while another one pops. Other calls on the same
 * pipeline must not overlap. Functions that enqueue or pop must not be called from functions that a
 * queue calls (TTRT_INVALID_ARGUMENT). After ttrt_pipeline_open(), nothing allocates memory, except
 * calls that fail.
 */
#ifndef TTRT_PIPELINE_H
#define TTRT_PIPELINE_H

#include "ttrt/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A schedule of an entry point: what the host enqueues for each inference, on which queue. */
typedef struct ttrt_schedule {
  size_t size; /**< sizeof(ttrt_schedule) */
  const char *name;
  uint32_t queues;   /**< number of queues that it uses: 1 or 2 */
  uint32_t reserved; /**< 0 */
} ttrt_schedule;
#define TTRT_SCHEDULE_INIT {sizeof(ttrt_schedule), NULL, 0, 0}

/** Number of schedules of an entry point; 0 if there is no such entry point. Thread-safe. */
TTRT_API uint32_t ttrt_bundle_schedules(const ttrt_bundle *bundle, uint32_t entry);
/** Describes a schedule, by its number in the entry point. Thread-safe. */
TTRT_API ttrt_status ttrt_bundle_schedule(const ttrt_bundle *bundle, uint32_t entry,
                                          uint32_t schedule, ttrt_schedule *info,
                                          ttrt_error *error);

typedef struct ttrt_pipeline ttrt_pipeline;

/** What a step of a schedule does. New values may be added in a minor release. */
typedef enum ttrt_step_kind {
  TTRT_STEP_WRITE = 0, /**< writes an input to its slot */
  TTRT_STEP_READ = 1,  /**< reads an output from its slot */
  TTRT_STEP_RUN = 2    /**< executes a trace, a program or a copy */
} ttrt_step_kind;

/**
 * Called on the thread of `queue` before each step (`after` is 0) and after it (`after` is 1). A
 * nonzero result stops the queue. It must not enqueue, synchronize or pop on this device; such a
 * call returns TTRT_INVALID_ARGUMENT.
 */
typedef int ttrt_on_step(void *user, uint32_t queue, ttrt_step_kind kind, int after);

/** Options of ttrt_pipeline_open(). Zero is the default of every field. */
typedef struct ttrt_pipeline_options {
  size_t size;    /**< sizeof(ttrt_pipeline_options) */
  uint32_t entry; /**< number of the entry point */
  /** Capacity of the output queue: inferences that are in flight or have not been popped; at most
      2^24; 0: 16. */
  uint32_t outputs;
  /** Name of the schedule; NULL: the first schedule of the entry point that uses as many queues as
      the device has, else the first that uses fewer. */
  const char *schedule;
  int no_trace;          /**< nonzero: the host enqueues each command of a trace by itself */
  ttrt_on_step *on_step; /**< for tests and measurements; may be NULL */
  void *user;            /**< passed to on_step */
} ttrt_pipeline_options;
#define TTRT_PIPELINE_OPTIONS_INIT {sizeof(ttrt_pipeline_options), 0, 0, NULL, 0, NULL, NULL}

/** How long a call may wait. */
typedef enum ttrt_wait {
  TTRT_DONT_WAIT = 0, /**< not at all */
  TTRT_WAIT = 1,      /**< for the device, but not for another thread of the host */
  TTRT_STREAM = 2     /**< for the device, and for the thread at the other end of the pipeline */
} ttrt_wait;

/**
 * Opens a pipeline. `options` may be NULL. On success, the caller owns *pipeline. The first
 * pipeline with a schedule proves that schedule (docs/proof.md), unless ttrt_bundle_prove() did.
 *
 * TTRT_BAD_BUNDLE if the proof fails; TTRT_NOT_FOUND if the entry point has no schedule of that
 * name; TTRT_INVALID_ARGUMENT if the device has no queue or fewer than the schedule, or a trace of
 * it is released (memory.h); TTRT_UNSUPPORTED if the entry point has no outputs or no schedule for
 * that many queues, or if it has no inputs and the schedule computes several inferences at a time
 * (rings of slots); TTRT_BUSY while commands are in flight or another pipeline is open; TTRT_FAILED
 * if a queue has stopped.
 */
TTRT_API ttrt_status ttrt_pipeline_open(ttrt_device *device, const ttrt_pipeline_options *options,
                                        ttrt_pipeline **pipeline, ttrt_error *error);
/** Completes what was enqueued and closes the pipeline; NULL is allowed. */
TTRT_API void ttrt_pipeline_close(ttrt_pipeline *pipeline);

/**
 * Enqueues one inference and returns before it is complete.
 *
 * `inputs` has one element per input of the entry point. If the data of an input is NULL, its slot
 * keeps its contents (an input with a ring of slots uses them in turn); this is
 * TTRT_INVALID_ARGUMENT if other tensors share the bytes of the slot (ttrt_device_input_slot()).
 *
 * `outputs` has one element per output: where to store it, or NULL data to discard it. If `outputs`
 * is NULL, all of them are stored in the output queue.
 *
 * If the output queue is full, the call returns TTRT_WOULD_OVERWRITE and enqueues nothing; with
 * TTRT_STREAM, it waits until the other thread has popped.
 */
TTRT_API ttrt_status ttrt_pipeline_enqueue(ttrt_pipeline *pipeline, const ttrt_input *inputs,
                                           const ttrt_output *outputs, ttrt_wait wait,
                                           ttrt_error *error);
/**
 * Declares that no more inputs will come: from now on, a pop that finds nothing returns TTRT_END
 * instead of waiting, and ttrt_pipeline_enqueue() returns TTRT_INVALID_ARGUMENT.
 */
TTRT_API ttrt_status ttrt_pipeline_finish(ttrt_pipeline *pipeline, ttrt_error *error);

/**
 * Removes the oldest inference from the output queue. `outputs` receives one pointer per output of
 * the entry point; that of a discarded output is NULL.
 *
 * TTRT_NOT_READY if the inference is not complete (with TTRT_DONT_WAIT only); TTRT_END if there is
 * none. With TTRT_STREAM, the call waits for one, and returns TTRT_END only after
 * ttrt_pipeline_finish(). TTRT_UNSUPPORTED, on a device of a mesh whose inputs or outputs have
 * several slots, for anything but TTRT_WAIT: the speed of a device must not decide which slot it
 * takes.
 */
TTRT_API ttrt_status ttrt_pipeline_pop(ttrt_pipeline *pipeline, const void **outputs,
                                       ttrt_wait wait, ttrt_error *error);
/**
 * Waits for all inferences that were enqueued, and removes them from the output queue, in order and
 * `capacity` at most. `outputs` has room for `capacity` times as many pointers as the entry point
 * has outputs; *count receives the number of inferences, also if the call fails.
 */
TTRT_API ttrt_status ttrt_pipeline_pop_all(ttrt_pipeline *pipeline, const void **outputs,
                                           size_t capacity, size_t *count, ttrt_error *error);

/** Name of the schedule in use. Valid until the pipeline is closed. Thread-safe. */
TTRT_API const char *ttrt_pipeline_schedule(const ttrt_pipeline *pipeline);
/** Number of inferences enqueued since the pipeline was opened. Thread-safe. */
TTRT_API uint64_t ttrt_pipeline_enqueued(const ttrt_pipeline *pipeline);
/** Number of inferences popped since the pipeline was opened. Thread-safe. */
TTRT_API uint64_t ttrt_pipeline_popped(const ttrt_pipeline *pipeline);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_PIPELINE_H */
