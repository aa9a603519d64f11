/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Device memory by type, and loading and releasing of traces.
 *
 * A device is opened with all traces of its bundle loaded: their command streams are stored in the
 * trace region. Releasing a trace frees its bytes: they count as free, and pages that hold no other
 * loaded stream are unmapped. To execute a released trace, directly or as part of an entry point,
 * is an error until it is loaded again. Its address stays reserved, so loading it again cannot fail
 * for lack of space.
 *
 * Threads. Loading, executing and releasing are calls on the device (ttrt.h): they must not overlap
 * other calls (TTRT_BUSY) and do not wait for them. Queries are thread-safe. Nothing here allocates
 * memory, unless it fails.
 */
#ifndef TTRT_MEMORY_H
#define TTRT_MEMORY_H

#include "ttrt/ttrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Types of device memory. */
typedef enum ttrt_buffer_type {
  TTRT_DRAM = 0, /**< all banks, without the trace region */
  TTRT_L1 = 1,   /**< of one core: a buffer has the same offset in every core's L1 */
  TTRT_TRACE = 2 /**< the trace region, at the top of DRAM */
} ttrt_buffer_type;

/** Use of one type of memory, in bytes. */
typedef struct ttrt_memory_use {
  size_t size; /**< sizeof(ttrt_memory_use) */
  uint64_t total;
  /** Addresses that a buffer, a program's scratch or a loaded stream uses at any time. */
  uint64_t used;
  uint64_t free; /**< total - used */
  /** The most bytes in use at one point of the timeline; scratch in L1 counts as always in use. Of
      the trace region: the bytes of all streams. */
  uint64_t peak;
  uint64_t largest_free; /**< the longest range of addresses that is never used */
} ttrt_memory_use;
#define TTRT_MEMORY_USE_INIT {sizeof(ttrt_memory_use), 0, 0, 0, 0, 0}

/** Returns the current use of one type of memory. Thread-safe. */
TTRT_API ttrt_status ttrt_device_memory(const ttrt_device *device, ttrt_buffer_type type,
                                        ttrt_memory_use *use, ttrt_error *error);

/** Memory of a device in huge pages, in bytes. */
typedef struct ttrt_huge_pages {
  size_t size; /**< sizeof(ttrt_huge_pages) */
  /** Weights that are a copy (ttrt_device_options::huge_pages); 0: they are pages of the file. */
  uint64_t copied;
  /** What the kernel was asked to back by huge pages: of copied weights, and of activations and
      slots in DRAM, all that are whole huge pages. */
  uint64_t wanted;
  /** Of `copied`, activations and slots: what is in huge pages now. Memory that has not been used
      yet is in no pages, and the kernel uses small ones where it finds no huge one. */
  uint64_t huge;
  /** Why weights were not copied although that was requested; else NULL. Static. */
  const char *problem;
} ttrt_huge_pages;
#define TTRT_HUGE_PAGES_INIT {sizeof(ttrt_huge_pages), 0, 0, 0, NULL}

/**
 * Returns what of the device's memory is in huge pages. Thread-safe; takes some milliseconds in a
 * large process.
 *
 * TTRT_IO_ERROR if /proc/self/smaps cannot be read.
 */
TTRT_API ttrt_status ttrt_device_huge_pages(const ttrt_device *device, ttrt_huge_pages *use,
                                            ttrt_error *error);

/**
 * Loads a released trace, by its number in the bundle. Does nothing if it is loaded.
 *
 * TTRT_BUSY while commands of the device are in flight or a pipeline is open.
 */
TTRT_API ttrt_status ttrt_trace_load(ttrt_device *device, uint32_t trace, ttrt_error *error);
/**
 * Replays a trace on the calling thread, as ttrt_run() does, and returns when it is complete. The
 * trace reads its inputs from their slots (ttrt_device_input_slot()).
 *
 * TTRT_INVALID_ARGUMENT if the trace is released; TTRT_UNSUPPORTED if it waits for another queue or
 * signals one; TTRT_OVERWRITTEN if it reads an input whose slot has been overwritten; TTRT_BUSY as
 * for ttrt_trace_load().
 */
TTRT_API ttrt_status ttrt_trace_execute(ttrt_device *device, uint32_t trace, ttrt_error *error);
/**
 * Releases a trace. Does nothing if it is released.
 *
 * TTRT_BUSY while commands of the device are in flight or a pipeline is open.
 */
TTRT_API ttrt_status ttrt_trace_release(ttrt_device *device, uint32_t trace, ttrt_error *error);
/** Returns 1 if the trace is loaded; 0 if it is released or does not exist. Thread-safe. */
TTRT_API int ttrt_trace_is_loaded(const ttrt_device *device, uint32_t trace);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_MEMORY_H */
