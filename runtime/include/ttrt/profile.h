/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The profiler: records when the device executes what, and what the application does meanwhile.
 *
 *     ttrt_profiler *profiler;
 *     ttrt_profiler_open("profile", NULL, &profiler, &error);
 *     ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
 *     options.profiler = profiler;
 *     ttrt_device_open(bundle, &options, &device, &error);
 *     ttrt_signpost(profiler, "warm-up", "3 runs");
 *     ... run ...
 *     ttrt_device_close(device);
 *     ttrt_profiler_close(profiler);
 *
 * writes a log to profile/<date and time>/, from which `ttrun report profile` makes tables, a
 * timeline and a page (docs/profiling.md). Without code: a process whose environment has
 * TTRT_PROFILE=DIR records every device that it opens without a profiler of its own.
 *
 * What is recorded. Every core has a ring of 16-byte markers, which its thread writes around each
 * command without a lock; calls of this library and zones of the application have another one. A
 * read moves the markers of all rings to the log. A ring that is full drops markers: they are
 * counted exactly, and the next read reports them on stderr with the core, the command and the
 * remedy.
 *
 * Cost. Without a profiler, one comparison for each trace. With one, two time stamps for each
 * command and core. Recording allocates nothing; functions that do are documented so. With
 * counters, two more system calls for each command and core; and where another thread than before
 * executes a core's commands (ttrt_run() on another thread), some that open its events.
 *
 * Threads. All functions are thread-safe, except ttrt_profiler_close(). A NULL profiler is allowed
 * where nothing is returned: the call then does nothing, so that zones can stay in the code. In a
 * forked child nothing is recorded.
 */
#ifndef TTRT_PROFILE_H
#define TTRT_PROFILE_H

#include "ttrt/ttrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A recording is a ttrt_profiler (ttrt.h). */

/** Options of ttrt_profiler_open(). Zero is the default of every field. */
typedef struct ttrt_profiler_options {
  size_t size; /**< sizeof(ttrt_profiler_options) */
  /** Commands for which the ring of a core has room between two reads; 0: 1000. At most 2^20. The
      ring of the host has room for four markers for each of them, at least for 16384. */
  uint32_t programs;
  /** Milliseconds between reads by a thread of the profiler; 0: no thread, only calls of
      ttrt_profiler_read() and closing read. */
  uint32_t read_interval;
  /** What to count in each command, separated by commas: cycles, instructions, cache-misses,
      branch-misses, fp-256, fp-512, fp-ops, raw:0xNNNN (a raw event of the CPU), task-clock,
      page-faults, context-switches, migrations; default (the first four and context-switches);
      flops (the fp-... that this CPU has). NULL or "": nothing. At most 16. The report tells which
      of them this machine cannot count, and why (docs/profiling.md). Copied. */
  const char *counters;
} ttrt_profiler_options;
#define TTRT_PROFILER_OPTIONS_INIT {sizeof(ttrt_profiler_options), 0, 0, NULL}

/**
 * Starts a recording in a new folder `folder`/<YYYYMMDD-HHMMSS>; where that exists, -1, -2, ... is
 * appended. `options` may be NULL. On success, the caller owns *profiler. Allocates. Takes 5 ms to
 * compare the clocks.
 *
 * TTRT_IO_ERROR if the folder or the log cannot be made; TTRT_INVALID_ARGUMENT if an option is
 * wrong, such as an unknown counter.
 */
TTRT_API ttrt_status ttrt_profiler_open(const char *folder, const ttrt_profiler_options *options,
                                        ttrt_profiler **profiler, ttrt_error *error);
/**
 * Reads all rings a last time and completes the log; NULL is allowed. Devices that record must have
 * been closed. Write errors that no read has reported are reported on stderr.
 */
TTRT_API void ttrt_profiler_close(ttrt_profiler *profiler);
/** The folder of this recording; valid until the profiler is closed. */
TTRT_API const char *ttrt_profiler_folder(const ttrt_profiler *profiler);

/**
 * Moves all markers from the rings to the log. May be called while devices run.
 *
 * TTRT_IO_ERROR if the log cannot be written: the markers are lost then, as are later ones.
 */
TTRT_API ttrt_status ttrt_profiler_read(ttrt_profiler *profiler, ttrt_error *error);
/** Markers that were dropped until the last read because a ring was full. */
TTRT_API uint64_t ttrt_profiler_dropped(const ttrt_profiler *profiler);

/** Where a zone stands in the source. */
typedef struct ttrt_zone_source {
  size_t size;      /**< sizeof(ttrt_zone_source) */
  const char *name; /**< not NULL */
  const char *file; /**< may be NULL */
  uint32_t line;
  uint32_t color; /**< 0xRRGGBB; 0: chosen by name */
} ttrt_zone_source;
#define TTRT_ZONE_SOURCE_INIT {sizeof(ttrt_zone_source), NULL, NULL, 0, 0}

/**
 * Registers a zone; returns its number for ttrt_zone_begin() and ttrt_frame(), equal for equal
 * sources. Returns 0, which is a zone without a name, if `profiler` is NULL, an argument is wrong
 * or there is no memory. Allocates.
 */
TTRT_API uint32_t ttrt_profiler_zone(ttrt_profiler *profiler, const ttrt_zone_source *source);
/** Begins a zone of the calling thread. Zones of a thread nest. */
TTRT_API void ttrt_zone_begin(ttrt_profiler *profiler, uint32_t zone);
/** Ends the innermost zone of the calling thread. */
TTRT_API void ttrt_zone_end(ttrt_profiler *profiler);
/** Adds a text to the innermost zone of the calling thread. Writes to the log at once. */
TTRT_API void ttrt_zone_text(ttrt_profiler *profiler, const char *text);
/** Marks the begin of a frame: a unit of work, such as a request. */
TTRT_API void ttrt_frame(ttrt_profiler *profiler, uint32_t zone);
/** Adds a row to the table of ops and a mark to the timeline. `message` may be NULL. Writes to the
    log at once. */
TTRT_API void ttrt_signpost(ttrt_profiler *profiler, const char *header, const char *message);
/** Adds a message to the timeline, in a colour (0xRRGGBB). Writes to the log at once. */
TTRT_API void ttrt_message(ttrt_profiler *profiler, const char *text, uint32_t color);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_PROFILE_H */
