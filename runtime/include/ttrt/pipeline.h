/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Pipelines: many inferences in flight, by one of the schedules that the compiler put into the
 * bundle. Inputs go in at one end, outputs come out at the other, in the same order.
 *
 *     ttrt_pipeline_open(device, &options, &pipeline, &error);
 *     for (each input)
 *       ttrt_pipeline_enqueue(pipeline, input, NULL, TTRT_WAIT, &error);
 *     while (ttrt_pipeline_pop(pipeline, outputs, TTRT_WAIT, &error) == TTRT_OK)
 *       use(outputs);
 *     ttrt_pipeline_close(pipeline);
 *
 * Or with two threads: one enqueues with TTRT_STREAM and calls ttrt_pipeline_finish() at the end,
 * the other one pops with TTRT_STREAM until TTRT_END.
 *
 * Memory of the host. There is one copy from the caller's input into its slot and one from an
 * output's slot to the host. Inputs must stay as they are until the inference's outputs were
 * popped. Outputs go to memory of the pipeline, which holds `outputs` inferences, or where the
 * caller says. In the pipeline's memory they stay until the `outputs`-th enqueue after their own;
 * with TTRT_STREAM in any case until the next pop. Enqueueing never overwrites outputs that were
 * not popped.
 *
 * A device has at most one pipeline at a time, which keeps the device alive. Errors of a queue
 * (queue.h) come out of enqueue and pop as TTRT_FAILED; then close the pipeline, and reset the
 * device.
 *
 * Threads. One thread may enqueue and finish while another one pops; all other calls must not
 * overlap. Nothing allocates after ttrt_pipeline_open().
 */
#ifndef TTRT_PIPELINE_H
#define TTRT_PIPELINE_H

#include "ttrt/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ttrt_schedule {
  const char *name;
  uint32_t queues;
} ttrt_schedule;

/** Schedules of an entry point; 0 if there is no such. Thread-safe. */
TTRT_API uint32_t ttrt_bundle_schedules(const ttrt_bundle *bundle, uint32_t entry);
TTRT_API ttrt_status ttrt_bundle_schedule(const ttrt_bundle *bundle, uint32_t entry,
                                          uint32_t schedule, ttrt_schedule *info,
                                          ttrt_error *error);

typedef struct ttrt_pipeline ttrt_pipeline;

typedef enum ttrt_step_kind {
  TTRT_STEP_WRITE = 0,
  TTRT_STEP_READ = 1,
  TTRT_STEP_RUN = 2 /**< a trace, a program, a copy */
} ttrt_step_kind;

/**
 * Called on the thread of `queue` before (`after` 0) and after (1) each step. Anything but 0 stops
 * the queue. It must not enqueue, synchronize or pop (TTRT_INVALID_ARGUMENT there).
 */
typedef int ttrt_on_step(void *user, uint32_t queue, ttrt_step_kind kind, int after);

/** All zero is the default. */
typedef struct ttrt_pipeline_options {
  uint32_t entry;        /**< entry point */
  const char *schedule;  /**< its name; NULL: the first one in the bundle that has as many queues as
                            the device, else the first that has fewer */
  uint32_t outputs;      /**< inferences whose outputs fit: in flight or not popped; 0: 16;
                            at most 2^24 */
  int no_trace;          /**< not 0: the host enqueues every command of a trace by itself */
  ttrt_on_step *on_step; /**< for tests and measurements; may be NULL */
  void *user;            /**< passed to on_step */
} ttrt_pipeline_options;

typedef enum ttrt_wait {
  TTRT_DONT_WAIT = 0, /**< return at once */
  TTRT_WAIT = 1,      /**< wait for the device, never for another thread of the host */
  TTRT_STREAM = 2     /**< wait for the thread at the other end of the pipeline, too */
} ttrt_wait;

/**
 * `options` may be NULL. The device was opened with as many queues as the schedule has, or more,
 * and nothing is in flight. On success the caller owns *pipeline; on failure it is NULL.
 */
TTRT_API ttrt_status ttrt_pipeline_open(ttrt_device *device, const ttrt_pipeline_options *options,
                                        ttrt_pipeline **pipeline, ttrt_error *error);
/** Completes what was enqueued. NULL is allowed. */
TTRT_API void ttrt_pipeline_close(ttrt_pipeline *pipeline);

/**
 * Enqueues one inference; returns before it is complete. `inputs` has as many elements as the entry
 * point; NULL data: the slot keeps what it holds (of a ring of slots, each time another one),
 * unless other tensors use its bytes (ttrt_device_input_slot()): TTRT_INVALID_ARGUMENT. `outputs`:
 * where the outputs shall go, or NULL for the pipeline's memory (all of them or none; NULL data:
 * that output is not wanted).
 *
 * If the outputs of so many inferences were not popped that there is no room:
 * TTRT_WOULD_OVERWRITE, and nothing is enqueued; with TTRT_STREAM it waits until the other thread
 * has popped.
 */
TTRT_API ttrt_status ttrt_pipeline_enqueue(ttrt_pipeline *pipeline, const ttrt_input *inputs,
                                           const ttrt_output *outputs, ttrt_wait wait,
                                           ttrt_error *error);
/** No more inputs will come: a pop that finds nothing returns TTRT_END instead of waiting. */
TTRT_API ttrt_status ttrt_pipeline_finish(ttrt_pipeline *pipeline, ttrt_error *error);

/**
 * The oldest inference that was not popped: `outputs`, one pointer for each output of the entry
 * point, are filled in. Not complete yet: with TTRT_DONT_WAIT, TTRT_NOT_READY. Nothing was
 * enqueued: TTRT_END; with TTRT_STREAM only after ttrt_pipeline_finish(), until then it waits.
 */
TTRT_API ttrt_status ttrt_pipeline_pop(ttrt_pipeline *pipeline, const void **outputs,
                                       ttrt_wait wait, ttrt_error *error);
/**
 * All inferences that were enqueued and not popped, at most `capacity` of them, in order; waits for
 * them. `outputs` has room for `capacity` times the entry point's outputs; *count is set.
 */
TTRT_API ttrt_status ttrt_pipeline_pop_all(ttrt_pipeline *pipeline, const void **outputs,
                                           size_t capacity, size_t *count, ttrt_error *error);

/** Name of the schedule. Lives as long as the pipeline. */
TTRT_API const char *ttrt_pipeline_schedule(const ttrt_pipeline *pipeline);
/** Inferences enqueued, and popped, since the pipeline was opened. Thread-safe. */
TTRT_API uint64_t ttrt_pipeline_enqueued(const ttrt_pipeline *pipeline);
TTRT_API uint64_t ttrt_pipeline_popped(const ttrt_pipeline *pipeline);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_PIPELINE_H */
