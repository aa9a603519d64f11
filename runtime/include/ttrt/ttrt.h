/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The C API of the ttc runtime: open a trace bundle, load it onto a device, replay it.
 *
 * Errors. Every function that can fail returns a status and takes a `ttrt_error *` last, which may
 * be NULL. If it is not, it is filled in on failure with the status and a message that names what
 * is wrong, and set to TTRT_OK with an empty message on success.
 *
 * Ownership. What an `open` function returns is released by the matching `close` function. A device
 * keeps its bundle alive: the two may be closed in any order. Strings and shapes that a query
 * returns belong to the bundle and live as long as the caller holds it open.
 *
 * Threads. There is no global state; different objects are independent of each other. A bundle does
 * not change after it was opened: any number of threads may query it and open devices from it.
 * Calls on one device must not overlap; one that does returns TTRT_BUSY and has no effect.
 * Command queues (queue.h) and pipelines (pipeline.h) say for themselves who may call what.
 *
 * Memory. After ttrt_device_open() nothing allocates, on any thread, until the device is closed.
 *
 * Watching. With TTRT_MONITOR=1 in the environment, every device that is opened can be watched from
 * another terminal with `ttrun monitor`; a few nanoseconds per execution. What hinders it is said
 * on stderr and no error.
 *
 * Files. A bundle is mapped, not copied: a file that is open must not be changed. Replace it by
 * renaming a new one over it.
 */
#ifndef TTRT_TTRT_H
#define TTRT_TTRT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TTRT_API __attribute__((visibility("default")))
#else
#define TTRT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ttrt_status {
  TTRT_OK = 0,
  TTRT_INVALID_ARGUMENT = 1, /**< the caller passed something that cannot be */
  TTRT_NOT_FOUND = 2,        /**< no entry point, input or output of that name */
  TTRT_IO_ERROR = 3,         /**< the operating system said no */
  TTRT_BAD_BUNDLE = 4,       /**< damaged, truncated, or not a bundle */
  TTRT_UNSUPPORTED = 5,      /**< a good bundle, but not for this runtime or machine */
  TTRT_OUT_OF_MEMORY = 6,
  TTRT_BUSY = 7, /**< another call on this device has not returned yet */
  TTRT_INTERNAL = 8,
  TTRT_FAILED = 9,           /**< a command failed on a queue, which has stopped (queue.h) */
  TTRT_NOT_READY = 10,       /**< not complete yet, and the caller did not want to wait */
  TTRT_WOULD_OVERWRITE = 11, /**< outputs that nobody has taken would be lost (pipeline.h) */
  TTRT_END = 12,             /**< no more outputs will come (pipeline.h) */
  TTRT_OVERWRITTEN = 13 /**< the output was of an earlier run (ttrt_output_view), or the input's
                           slot holds something else by now (ttrt_device_input_slot) */
} ttrt_status;

typedef struct ttrt_error {
  ttrt_status status;
  char message[1020]; /**< zero-terminated; a longer message is cut */
} ttrt_error;

/** "invalid argument", ...; never NULL. */
TTRT_API const char *ttrt_status_name(ttrt_status status);
/** "0.1.0" */
TTRT_API const char *ttrt_version(void);

/* ---- Bundles
 * ------------------------------------------------------------------------------------- */

typedef struct ttrt_bundle ttrt_bundle;

/**
 * How much of a bundle is verified. Whatever is left out, no command can leave the device's memory
 * and a damaged table is found: header, metadata and their hashes, every table, command and step
 * are always verified.
 */
typedef enum ttrt_verify {
  TTRT_VERIFY_FULL = 0, /**< everything: every byte of the file, and the proof (docs/proof.md) */
  /** Everything but the hash of the weights, which are then not read. */
  TTRT_VERIFY_STRUCTURE = 1,
  /** Neither hashes of segments nor the proof: for a file that has been verified before. */
  TTRT_VERIFY_NONE = 2
} ttrt_verify;

/** Values of ttrt_port::dtype. TTRT_BOOL is one byte, 0 or 1. */
typedef enum ttrt_dtype {
  TTRT_F32 = 0,
  TTRT_F16 = 1,
  TTRT_BF16 = 2,
  TTRT_F64 = 3,
  TTRT_I8 = 4,
  TTRT_I16 = 5,
  TTRT_I32 = 6,
  TTRT_I64 = 7,
  TTRT_U8 = 8,
  TTRT_U16 = 9,
  TTRT_U32 = 10,
  TTRT_U64 = 11,
  TTRT_BOOL = 12
} ttrt_dtype;

/** An input or output: dense, row-major. */
typedef struct ttrt_port {
  const char *name;
  ttrt_dtype dtype;
  uint32_t rank;
  const int64_t *shape;
  size_t bytes;
} ttrt_port;

typedef struct ttrt_entry {
  const char *name;
  uint32_t inputs;
  uint32_t outputs;
} ttrt_entry;

/**
 * Opens, maps and verifies a bundle. On success the caller owns *bundle; on failure it is NULL.
 * Thread-safe.
 */
TTRT_API ttrt_status ttrt_bundle_open(const char *path, ttrt_verify verify, ttrt_bundle **bundle,
                                      ttrt_error *error);
/** NULL is allowed. Devices that were opened from the bundle stay usable. */
TTRT_API void ttrt_bundle_close(ttrt_bundle *bundle);

/* Queries. Thread-safe. An index out of range, like a NULL bundle, is TTRT_INVALID_ARGUMENT. */

TTRT_API uint32_t ttrt_bundle_entries(const ttrt_bundle *bundle);
TTRT_API ttrt_status ttrt_bundle_entry(const ttrt_bundle *bundle, uint32_t entry, ttrt_entry *info,
                                       ttrt_error *error);
TTRT_API ttrt_status ttrt_bundle_find_entry(const ttrt_bundle *bundle, const char *name,
                                            uint32_t *entry, ttrt_error *error);
TTRT_API ttrt_status ttrt_bundle_input(const ttrt_bundle *bundle, uint32_t entry, uint32_t input,
                                       ttrt_port *port, ttrt_error *error);
TTRT_API ttrt_status ttrt_bundle_output(const ttrt_bundle *bundle, uint32_t entry, uint32_t output,
                                        ttrt_port *port, ttrt_error *error);

/** What the plan of a bundle takes, in bytes. */
typedef struct ttrt_memory {
  uint64_t dram_bytes;    /**< constants, slots and activations: up to the highest of them */
  uint64_t l1_bytes;      /**< per core: buffers and the scratch of programs */
  uint64_t trace_bytes;   /**< the trace region: exactly the bytes of the command streams */
  uint64_t trace_address; /**< where in DRAM it begins */
} ttrt_memory;

typedef struct ttrt_trace {
  const char *name;
  uint32_t commands; /**< the end command included */
  uint64_t bytes;
} ttrt_trace;

TTRT_API ttrt_status ttrt_bundle_memory(const ttrt_bundle *bundle, ttrt_memory *memory,
                                        ttrt_error *error);
TTRT_API uint32_t ttrt_bundle_traces(const ttrt_bundle *bundle);
TTRT_API ttrt_status ttrt_bundle_trace(const ttrt_bundle *bundle, uint32_t trace, ttrt_trace *info,
                                       ttrt_error *error);

/* ---- Devices
 * ------------------------------------------------------------------------------------- */

/** An address space with a bundle in it, and the threads that execute it. */
typedef struct ttrt_device ttrt_device;

typedef struct ttrt_device_options {
  uint32_t
      cores; /**< threads that compute, the calling one included; 0: one per CPU allowed to us */
  int pin;   /**< not 0: tie worker i to the i-th CPU allowed to us (the caller is left alone) */
  uint32_t queues; /**< command queues (queue.h), each with a thread of its own: 0 to 2. With 0
                      there is only ttrt_run() */
  uint32_t queue1_cores; /**< threads that compute for queue 1, its own included, beside the `cores`
                            of queue 0; 0: 1 */
  uint32_t events; /**< how many events of the caller's there may be at a time (queue.h); 0: 16 */
  int checks; /**< not 0: queues look at every address before they use it, so that a wrong one is
                 an error instead of a crash. Slow: for finding faults */
  uint64_t link_bytes_per_second; /**< make transfers of inputs and outputs as slow as a bus of this
                                     speed; 0: as the bundle's target says, which may be as fast as
                                     memory */
  int check_outputs; /**< not 0: remember of which run every output is, so that one that is used
                        after the next run is found (ttrt_device_check_output()) */
} ttrt_device_options;

/**
 * Makes a device, maps the bundle into it and starts its workers (cores - 1 threads, asleep while
 * there is nothing to do). `options` may be NULL. On success the caller owns *device; on failure it
 * is NULL. Thread-safe.
 */
TTRT_API ttrt_status ttrt_device_open(const ttrt_bundle *bundle, const ttrt_device_options *options,
                                      ttrt_device **device, ttrt_error *error);
/** Stops the workers and releases everything. NULL is allowed. No other call may be under way. */
TTRT_API void ttrt_device_close(ttrt_device *device);
/** Threads that compute. Thread-safe. */
TTRT_API uint32_t ttrt_device_cores(const ttrt_device *device);

typedef struct ttrt_input {
  const void *data; /**< NULL: the slot keeps what it holds (see ttrt_device_input_slot) */
  size_t bytes;     /**< must be the port's, unless data is NULL */
} ttrt_input;

typedef struct ttrt_output {
  void *data;   /**< NULL: not wanted; the slot can be read in place */
  size_t bytes; /**< must be the port's, unless data is NULL */
} ttrt_output;

/** Times of a run, in nanoseconds. */
typedef struct ttrt_timing {
  uint64_t total;  /**< the whole call: inputs written, executed, outputs read */
  uint64_t device; /**< the traces and the host's steps between them, without transfers of inputs
                      and outputs */
} ttrt_timing;

/**
 * Called after each command of a trace that is dispatched from the host (`no_trace`), on the
 * calling thread. `trace` and `command` count from 0; times are nanoseconds of a steady clock.
 */
typedef void ttrt_on_command(void *user, uint32_t trace, uint32_t command, uint64_t begin,
                             uint64_t end);

/** All zero is the default. */
typedef struct ttrt_run_options {
  int no_trace; /**< not 0: dispatch one command at a time from the host instead of replaying */
  ttrt_on_command *on_command; /**< only called with no_trace; may be NULL */
  void *user;                  /**< passed to on_command */
  ttrt_timing *timing;         /**< filled in if not NULL */
} ttrt_run_options;

/**
 * One inference, blocking: writes the inputs to their slots, executes, reads the outputs. The
 * calling thread computes as core 0. `inputs` and `outputs` have as many elements as the entry
 * point has (they may be NULL if it has none); `options` may be NULL. Not thread-safe per device;
 * allocates nothing.
 */
TTRT_API ttrt_status ttrt_run(ttrt_device *device, uint32_t entry, const ttrt_input *inputs,
                              const ttrt_output *outputs, const ttrt_run_options *options,
                              ttrt_error *error);

/**
 * The slot of an input, to be filled in place before a ttrt_run() that passes NULL for it; valid
 * until the device is closed, and must not be touched while a run is under way. It keeps what it
 * holds, unless the plan lets other tensors use its bytes once the input has been read (an input in
 * L1 may; docs/memory.md). Such an input must be given again for each run or replay of a
 * trace that reads it: written, or its slot asked for and filled. Else that run, and replays of
 * its traces by ttrt_trace_execute() and ttrt_enqueue_execute(), return TTRT_OVERWRITTEN.
 */
TTRT_API ttrt_status ttrt_device_input_slot(ttrt_device *device, uint32_t entry, uint32_t input,
                                            void **slot, ttrt_error *error);
/** The slot of an output, which holds the result from one run until the next. */
TTRT_API ttrt_status ttrt_device_output_slot(ttrt_device *device, uint32_t entry, uint32_t output,
                                             const void **slot, ttrt_error *error);

/** An output where it lies on the device, as one run left it. */
typedef struct ttrt_output_view {
  const void *data;
  size_t bytes;
  uint32_t entry, output;
  uint64_t run; /**< counts from 1 what may have written an output of the device: runs, replays of
                   single traces, openings and closings of pipelines; 0 without check_outputs */
} ttrt_output_view;

/**
 * The output of the last run of the entry point, in place. With check_outputs,
 * TTRT_NOT_READY if there was none. Not thread-safe per device; allocates nothing.
 */
TTRT_API ttrt_status ttrt_device_view_output(ttrt_device *device, uint32_t entry, uint32_t output,
                                             ttrt_output_view *view, ttrt_error *error);
/**
 * Whether the bytes of a view are still those of its run: TTRT_OVERWRITTEN, with a message that
 * names the output and both runs, if a later run may have overwritten them: by ttrt_run(), by a
 * replay (ttrt_trace_execute(), ttrt_enqueue_execute(), from when it is enqueued), or by a
 * pipeline, opened since. To be called before each use of `view->data` while looking for such
 * faults; always TTRT_OK on a device without check_outputs, where it costs a comparison. Not
 * thread-safe per device; allocates nothing unless it fails.
 */
TTRT_API ttrt_status ttrt_device_check_output(ttrt_device *device, const ttrt_output_view *view,
                                              ttrt_error *error);

/* ---- This machine
 * -------------------------------------------------------------------------------- */

typedef struct ttrt_host {
  char arch[16];       /**< "x86_64", "aarch64" */
  char model[64];      /**< what the CPU calls itself */
  char features[1024]; /**< LLVM's names, separated by commas */
  uint32_t cores;      /**< CPUs allowed to this process */
  uint64_t l1_bytes;   /**< per core: its L2 cache */
  uint64_t dram_bytes; /**< physical memory */
} ttrt_host;

/** Describes this machine. Thread-safe. */
TTRT_API void ttrt_query_host(ttrt_host *host);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_TTRT_H */
