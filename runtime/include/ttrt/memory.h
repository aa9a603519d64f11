/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * A device's memory by buffer type, and the life of traces in it.
 *
 * A device is opened with all traces of its bundle loaded: their streams lie in the trace region.
 * Releasing one gives its bytes back: they count as free, pages that hold no other loaded stream
 * are unmapped, and executing it, by itself or as a part of an entry point, is an error until it is
 * loaded again. Its address stays its own: nothing else can come to lie there, so loading cannot
 * fail for want of room.
 *
 * Threads. Loading, executing and releasing are calls on the device (ttrt.h): they must not overlap
 * with others (TTRT_BUSY), and wait for nothing. Queries are thread-safe. Nothing here allocates.
 */
#ifndef TTRT_MEMORY_H
#define TTRT_MEMORY_H

#include "ttrt/ttrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Types of buffer memory. */
typedef enum ttrt_buffer_type {
  TTRT_DRAM = 0, /**< all banks, less the trace region */
  TTRT_L1 = 1,   /**< of one core: a buffer has one offset, the same in every core's */
  TTRT_TRACE = 2 /**< the trace region, at the top of DRAM */
} ttrt_buffer_type;

/** Bytes of one type of memory. */
typedef struct ttrt_memory_use {
  uint64_t total;
  uint64_t used; /**< addresses that some buffer (or the scratch of some program, or a loaded
                    stream) takes at some time */
  uint64_t free; /**< total - used */
  uint64_t peak; /**< largest sum of bytes alive at one point of the timeline, where the scratch
                    of L1 counts as always alive; of the trace region: the most that was loaded */
  uint64_t largest_free; /**< longest range of addresses that nothing takes at any time */
} ttrt_memory_use;

/** What is used now. */
TTRT_API ttrt_status ttrt_device_memory(const ttrt_device *device, ttrt_buffer_type type,
                                        ttrt_memory_use *use, ttrt_error *error);

/** Loads a released trace, by its number in the bundle; one that is loaded already is no error. */
TTRT_API ttrt_status ttrt_trace_load(ttrt_device *device, uint32_t trace, ttrt_error *error);
/**
 * Replays a trace on the calling thread, as ttrt_run() does, and returns when it is complete. What
 * it reads lies in slots: see ttrt_device_input_slot(). TTRT_INVALID_ARGUMENT if it is released;
 * TTRT_UNSUPPORTED if it waits for, or signals, another queue.
 */
TTRT_API ttrt_status ttrt_trace_execute(ttrt_device *device, uint32_t trace, ttrt_error *error);
/** Releases a trace; TTRT_BUSY while commands of the device are in flight or it has a pipeline. */
TTRT_API ttrt_status ttrt_trace_release(ttrt_device *device, uint32_t trace, ttrt_error *error);
/** 1 if the trace is loaded, 0 if it is released, or there is none. Thread-safe. */
TTRT_API int ttrt_trace_is_loaded(const ttrt_device *device, uint32_t trace);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_MEMORY_H */
