/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What libttrt_generate needs beyond the public API: several pipelines of one device, of which one
 * runs at a time, and runs and writes of states between them; and what libttrt_shapes does. libttrt
 * exports these functions under a version of their own, TTRT_PRIVATE, for these libraries of the
 * same release alone: they may change with every release.
 *
 * Threads: calls on one object must not overlap; ttrt_turns_enter() finds those that do. The others
 * rely on it, and on arguments that are right. Nothing but open, add and failing calls allocates.
 */
#ifndef TTRT_LIB_API_TURNS_H
#define TTRT_LIB_API_TURNS_H

#include "ttrt/pipeline.h"

extern "C" {

typedef struct ttrt_turns ttrt_turns;

/** The device must be idle, and is in use until ttrt_turns_start() or ttrt_turns_close(). On
 * success, the caller owns *turns, which keeps the device alive. */
TTRT_API ttrt_status ttrt_turns_open(ttrt_device *device, ttrt_turns **turns, ttrt_error *error);
/** The bundle of the device. Lives as long as `turns`. */
TTRT_API const ttrt_bundle *ttrt_turns_bundle(const ttrt_turns *turns);
/** Adds a pipeline, as ttrt_pipeline_open(); the first one has number 0. */
TTRT_API ttrt_status ttrt_turns_add(ttrt_turns *turns, const ttrt_pipeline_options *options,
                                    ttrt_error *error);
/** The data of a state (ttrt_bundle_state()), which may be accessed while nothing is in flight. */
TTRT_API void *ttrt_turns_state(const ttrt_turns *turns, uint32_t state);
/** All pipelines are there: the device has a pipeline from now on. */
TTRT_API ttrt_status ttrt_turns_start(ttrt_turns *turns, ttrt_error *error);
/** Completes what is in flight. NULL is allowed. */
TTRT_API void ttrt_turns_close(ttrt_turns *turns);

/** For libttrt_shapes, before it fills slots, which a pipeline, or commands in flight, of another
 * variant may use: TTRT_BUSY if a run could not begin now. */
TTRT_API ttrt_status ttrt_device_idle(ttrt_device *device, ttrt_error *error);

/** Begins the use by a call; on success, ttrt_turns_leave() ends it. TTRT_BUSY if another call uses
 * it. */
TTRT_API ttrt_status ttrt_turns_enter(ttrt_turns *turns, ttrt_error *error);
TTRT_API void ttrt_turns_leave(ttrt_turns *turns);
/** The error that stopped a queue; NULL if none has stopped. */
TTRT_API const ttrt_error *ttrt_turns_failure(const ttrt_turns *turns);
/** Runs an entry point on the calling thread; nothing is in flight. Outputs are not copied. */
TTRT_API ttrt_status ttrt_turns_run(ttrt_turns *turns, uint32_t entry, const ttrt_input *inputs,
                                    ttrt_error *error);
/** Sets all states to zero, as ttrt_state_reset(). */
TTRT_API ttrt_status ttrt_turns_reset(ttrt_turns *turns, ttrt_error *error);

/** Ends what a pipeline runs and waits for it. What was enqueued can still be popped. */
TTRT_API void ttrt_turns_settle(ttrt_turns *turns, uint32_t pipeline);
/** Before an inference is enqueued after another pipeline's. Both are settled and empty. */
TTRT_API void ttrt_turns_take_over(ttrt_turns *turns, uint32_t pipeline);
/** Enqueues an inference of an entry point without inputs; there is room. */
TTRT_API void ttrt_turns_enqueue(ttrt_turns *turns, uint32_t pipeline);
/** Pops the oldest inference: nonzero if there was one. `outputs` as ttrt_pipeline_pop(). */
TTRT_API int ttrt_turns_pop(ttrt_turns *turns, uint32_t pipeline, const void **outputs,
                            ttrt_wait wait);

} // extern "C"

#endif /* TTRT_LIB_API_TURNS_H */
