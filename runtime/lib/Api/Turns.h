/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * What libttrt_generate needs beyond the public API: several pipelines of one device, of which one
 * runs at a time, and runs and writes of states between them; and what libttrt_shapes does. libttrt
 * exports a table of these functions under a version of its own, TTRT_PRIVATE, for these libraries
 * of the same release alone: it may change with every release.
 *
 * Threads: calls on one object must not overlap; enter() finds those that do. The others rely on
 * it, and on arguments that are right. Nothing but open(), add() and failing calls allocates.
 */
#ifndef TTRT_LIB_API_TURNS_H
#define TTRT_LIB_API_TURNS_H

#include "ttrt/pipeline.h"

extern "C" {

typedef struct ttrt_turns ttrt_turns;

/** The functions, as one symbol: a name for each would take more room in libttrt than some of them.
 */
typedef struct ttrt_private_functions {
  /** The device must be idle, and is in use until start() or close(). On success, the caller owns
   * *turns, which keeps the device alive. */
  ttrt_status (*open)(ttrt_device *device, ttrt_turns **turns, ttrt_error *error);
  /** The bundle of the device. Lives as long as `turns`. */
  const ttrt_bundle *(*bundle)(const ttrt_turns *turns);
  /** Adds a pipeline, as ttrt_pipeline_open(); the first one has number 0. */
  ttrt_status (*add)(ttrt_turns *turns, const ttrt_pipeline_options *options, ttrt_error *error);
  /** The data of a state (ttrt_bundle_state()), which may be accessed while nothing is in flight.
   */
  void *(*state)(const ttrt_turns *turns, uint32_t state);
  /** All pipelines are there: the device has a pipeline from now on. */
  ttrt_status (*start)(ttrt_turns *turns, ttrt_error *error);
  /** Completes what is in flight. NULL is allowed. */
  void (*close)(ttrt_turns *turns);

  /** For libttrt_shapes, before it fills slots, which a pipeline, or commands in flight, of another
   * variant may use: TTRT_BUSY if a run could not begin now. */
  ttrt_status (*idle)(ttrt_device *device, ttrt_error *error);

  /** Begins the use by a call; on success, leave() ends it. TTRT_BUSY if another call uses it. */
  ttrt_status (*enter)(ttrt_turns *turns, ttrt_error *error);
  void (*leave)(ttrt_turns *turns);
  /** The error that stopped a queue; NULL if none has stopped. */
  const ttrt_error *(*failure)(const ttrt_turns *turns);
  /** Runs an entry point on the calling thread; nothing is in flight. Outputs are not copied. */
  ttrt_status (*run)(ttrt_turns *turns, uint32_t entry, const ttrt_input *inputs,
                     ttrt_error *error);
  /** Sets all states to zero, as ttrt_state_reset(). */
  ttrt_status (*reset)(ttrt_turns *turns, ttrt_error *error);

  /** Ends what a pipeline runs and waits for it. What was enqueued can still be popped. */
  void (*settle)(ttrt_turns *turns, uint32_t pipeline);
  /** Before an inference is enqueued after another pipeline's. Both are settled and empty. */
  void (*take_over)(ttrt_turns *turns, uint32_t pipeline);
  /** Enqueues an inference of an entry point without inputs; there is room. */
  void (*enqueue)(ttrt_turns *turns, uint32_t pipeline);
  /** Pops the oldest inference: nonzero if there was one. `outputs` as ttrt_pipeline_pop(). */
  int (*pop)(ttrt_turns *turns, uint32_t pipeline, const void **outputs, ttrt_wait wait);
} ttrt_private_functions;
extern TTRT_API const ttrt_private_functions ttrt_private;

} // extern "C"

#endif /* TTRT_LIB_API_TURNS_H */
