/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The C API of the ttc runtime: open a trace bundle, load it onto a device, and run it.
 *
 *     ttrt_error error;
 *     ttrt_bundle *bundle;
 *     ttrt_device *device;
 *     if (ttrt_bundle_open("model.ttcb", TTRT_VERIFY_FULL, &bundle, &error) != TTRT_OK ||
 *         ttrt_device_open(bundle, NULL, &device, &error) != TTRT_OK ||
 *         ttrt_run(device, 0, inputs, outputs, NULL, &error) != TTRT_OK)
 *       fprintf(stderr, "%s: %s\n", ttrt_status_name(error.status), error.message);
 *
 * Errors. Every function that can fail returns a status and takes a `ttrt_error *` as its last
 * argument, which may be NULL. On failure it receives the status and a message; on success it is
 * set to TTRT_OK with an empty message. Unless documented otherwise, a failed call has no effect:
 * it writes nothing but the error, and sets handles to NULL. No exception crosses the API.
 *
 * Ownership. The caller owns what an `open` or `create` function returns and releases it with the
 * matching `close` or `destroy` function. A device keeps its bundle's contents alive, so the two
 * may be closed in either order. Strings and shapes returned by a query belong to the bundle and
 * are valid until the caller closes it.
 *
 * Threads. There is no global state, and distinct objects are independent. A bundle is immutable:
 * any number of threads may query it and open devices from it. Calls on the same device must not
 * overlap unless a function is documented as thread-safe; an overlapping call that runs or reads
 * the device returns TTRT_BUSY and has no effect. queue.h and pipeline.h state their own rules.
 *
 * Forks. A device belongs to the process that opened it: a forked child has none of its threads. In
 * the child, every call that runs, enqueues, waits, or loads or releases a trace returns
 * TTRT_UNSUPPORTED at once, and so do calls on pipelines and events of the device. Everything can
 * be closed there; this completes nothing, and leaves the parent's device as it is. A bundle may be
 * used in parent and child: open it once, fork, and open a device in each process.
 *
 * Memory. Between ttrt_device_open() and ttrt_device_close(), no call on the device allocates
 * memory, on any thread, except where documented.
 *
 * Structs that can grow. A struct whose first field is `size` may gain fields at its end in a later
 * release. Initialise it with its TTRT_..._INIT macro, which sets `size` and zeroes the rest:
 *
 *     ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
 *     options.queues = 2;
 *
 * - Options, which the library reads: fields beyond `size` have their defaults, which are
 *   always zero. If `size` exceeds the library's own struct, the extra bytes must be zero;
 *   otherwise the call returns TTRT_UNSUPPORTED, since it asks for an option that this library
 *   lacks.
 * - Results, which the library fills in: at most `size` bytes are written. Fields that the library
 * does not define are set to zero, and `size` keeps its value.
 * - A `size` below sizeof(size_t), as in a struct that is all zero, or above 4096 is
 *   TTRT_INVALID_ARGUMENT.
 *
 * All other structs, and all function and callback signatures, are fixed for the life of the
 * library's major version (docs/compatibility.md).
 *
 * Monitoring. If the environment has TTRT_MONITOR=1, `ttrun monitor` can observe every device that
 * the process opens. This costs a few nanoseconds per run. Failures to set it up are reported on
 * stderr and are not errors.
 *
 * Files. A bundle is mapped, not copied: do not modify the file while it is open. To replace it,
 * rename a new file over it. If the file is truncated while it is open, accesses to its pages raise
 * SIGBUS; the library does not catch signals. docs/runtime.md shows how to use a private copy.
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

/*===---------------------------------------------------------------------===
 * Errors
 *===---------------------------------------------------------------------===*/

/** New values may be added in a minor release: treat an unknown one as a failure. */
typedef enum ttrt_status {
  TTRT_OK = 0,
  TTRT_INVALID_ARGUMENT = 1, /**< an argument is out of range, NULL or inconsistent */
  TTRT_NOT_FOUND = 2,        /**< no entry point, schedule or host function has that name */
  TTRT_IO_ERROR = 3,         /**< a system call failed; the message holds its error */
  TTRT_BAD_BUNDLE = 4,       /**< the file is damaged, truncated or not a bundle */
  TTRT_UNSUPPORTED = 5,      /**< valid, but not supported by this library or machine */
  TTRT_OUT_OF_MEMORY = 6,    /**< out of memory, threads or events */
  TTRT_BUSY = 7,             /**< another call, a command or a pipeline uses the device */
  TTRT_INTERNAL = 8,         /**< a bug in the library */
  TTRT_FAILED = 9,           /**< a host function failed, or a command, and its queue has stopped
                                  (queue.h) */
  TTRT_NOT_READY = 10,       /**< not complete yet, and the caller chose not to wait */
  TTRT_WOULD_OVERWRITE = 11, /**< the output queue of a pipeline is full (pipeline.h) */
  TTRT_END = 12,             /**< no more outputs will come (pipeline.h) */
  /** A slot no longer holds the data that it was used for: the output of an earlier run
      (ttrt_output_view), or an input (ttrt_device_input_slot()). */
  TTRT_OVERWRITTEN = 13,
  TTRT_UNTRUSTED = 14,        /**< not signed by a key that the caller trusts (sign.h) */
  TTRT_CANCELLED = 15,        /**< ended by ttrt_device_cancel() */
  TTRT_DEADLINE_EXCEEDED = 16 /**< not complete in time (ttrt_device_set_deadline()) */
} ttrt_status;

typedef struct ttrt_error {
  ttrt_status status;
  char message[1020]; /**< zero-terminated; longer messages are truncated */
} ttrt_error;

/** Returns a description such as "invalid argument"; never NULL. Thread-safe. */
TTRT_API const char *ttrt_status_name(ttrt_status status);
/** Returns the version of the library, such as "0.1.0". Thread-safe. */
TTRT_API const char *ttrt_version(void);

/*===---------------------------------------------------------------------===
 * Bundles
 *===---------------------------------------------------------------------===*/

/** An open, verified bundle. Its contents are immutable; more of its schedules may be proved. */
typedef struct ttrt_bundle ttrt_bundle;

/**
 * How much of a bundle is verified. At every level, the header, the metadata with its hash, every
 * table, command and step, and the shared object with the machine code are verified: damaged tables
 * are found, no command can leave the device's memory, and loading the code runs nothing.
 */
typedef enum ttrt_verify {
  TTRT_VERIFY_FULL = 0,      /**< everything, including all hashes and the proof (docs/proof.md) */
  TTRT_VERIFY_STRUCTURE = 1, /**< all but the hash of the weights, which are not read */
  TTRT_VERIFY_NONE = 2       /**< no segment hashes and no proof: for a file verified before */
} ttrt_verify;

/**
 * Opens, maps and verifies a bundle. On success, the caller owns *bundle. Thread-safe.
 *
 * TTRT_IO_ERROR if the file cannot be opened or mapped; TTRT_BAD_BUNDLE if verification fails;
 * TTRT_UNSUPPORTED if the file has a format version that this library does not read, or needs a
 * feature that it does not have.
 */
TTRT_API ttrt_status ttrt_bundle_open(const char *path, ttrt_verify verify, ttrt_bundle **bundle,
                                      ttrt_error *error);
/**
 * Opens the bundle in a file that is open for reading, from its first byte. The descriptor is
 * duplicated: the caller keeps its own and may close it. `name` stands for the file in messages; it
 * may be NULL. Otherwise as ttrt_bundle_open(). Thread-safe.
 */
TTRT_API ttrt_status ttrt_bundle_open_fd(int descriptor, const char *name, ttrt_verify verify,
                                         ttrt_bundle **bundle, ttrt_error *error);
/**
 * Proves all schedules that have not been proved (docs/proof.md). Opening a bundle proves those
 * that ttrt_run() executes, and ttrt_pipeline_open() proves the one that it uses. So this call is
 * for applications that want to learn of a bad schedule, or spend the time, before they use it.
 * Thread-safe.
 *
 * TTRT_BAD_BUNDLE if a schedule is wrong: the bundle remains usable, but no pipeline opens with
 * that schedule; TTRT_INVALID_ARGUMENT if the bundle was opened with TTRT_VERIFY_NONE.
 */
TTRT_API ttrt_status ttrt_bundle_prove(const ttrt_bundle *bundle, ttrt_error *error);
/** Closes a bundle; NULL is allowed. Devices that were opened from it remain usable. */
TTRT_API void ttrt_bundle_close(ttrt_bundle *bundle);

/* The queries below are thread-safe. An index out of range or a NULL argument is
   TTRT_INVALID_ARGUMENT; functions that return a count return 0 for a NULL bundle. */

/** An entry point: a model, or one of several functions that share weights. */
typedef struct ttrt_entry {
  size_t size; /**< sizeof(ttrt_entry) */
  const char *name;
  uint32_t inputs;  /**< number of inputs */
  uint32_t outputs; /**< number of outputs */
} ttrt_entry;
#define TTRT_ENTRY_INIT {sizeof(ttrt_entry), NULL, 0, 0}

/** Number of entry points; they are numbered from 0. */
TTRT_API uint32_t ttrt_bundle_entries(const ttrt_bundle *bundle);
/** Describes an entry point. */
TTRT_API ttrt_status ttrt_bundle_entry(const ttrt_bundle *bundle, uint32_t entry, ttrt_entry *info,
                                       ttrt_error *error);
/** Looks up an entry point by name. TTRT_NOT_FOUND if there is none; the message lists all. */
TTRT_API ttrt_status ttrt_bundle_find_entry(const ttrt_bundle *bundle, const char *name,
                                            uint32_t *entry, ttrt_error *error);

/**
 * Looks up what the model's author or the compiler stored under `key`: "tokenizer",
 * "chat_template", "architecture", "vocabulary" (docs/bundle-format.md). Sets *value to its bytes,
 * which live as long as the bundle and do not end with a zero, and *bytes to their number.
 * TTRT_NOT_FOUND if there is none; the message lists all keys.
 */
TTRT_API ttrt_status ttrt_bundle_metadata(const ttrt_bundle *bundle, const char *key,
                                          const void **value, uint64_t *bytes, ttrt_error *error);
/** Number of keys. */
TTRT_API uint32_t ttrt_bundle_metadata_keys(const ttrt_bundle *bundle);
/** Returns a key, in ascending order; NULL if the index is out of range. */
TTRT_API const char *ttrt_bundle_metadata_key(const ttrt_bundle *bundle, uint32_t index);

/** Element types. TTRT_BOOL is one byte, 0 or 1. New values may be added in a minor release. */
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

/** An input or output of an entry point: a dense, row-major tensor. */
typedef struct ttrt_port {
  size_t size; /**< sizeof(ttrt_port) */
  const char *name;
  ttrt_dtype dtype;
  uint32_t rank;
  const int64_t *shape; /**< `rank` extents, outermost first; NULL if the rank is 0 */
  size_t bytes;         /**< of the whole tensor */
} ttrt_port;
#define TTRT_PORT_INIT {sizeof(ttrt_port), NULL, TTRT_F32, 0, NULL, 0}

/** Describes an input of an entry point. */
TTRT_API ttrt_status ttrt_bundle_input(const ttrt_bundle *bundle, uint32_t entry, uint32_t input,
                                       ttrt_port *port, ttrt_error *error);
/** Describes an output of an entry point. */
TTRT_API ttrt_status ttrt_bundle_output(const ttrt_bundle *bundle, uint32_t entry, uint32_t output,
                                        ttrt_port *port, ttrt_error *error);

/** Memory that the plan of a bundle uses, in bytes. */
typedef struct ttrt_memory {
  size_t size;            /**< sizeof(ttrt_memory) */
  uint64_t dram_bytes;    /**< constants, slots and activations: the end of the highest one */
  uint64_t l1_bytes;      /**< per core: buffers and the scratch of programs */
  uint64_t trace_bytes;   /**< the trace region, which holds the command streams */
  uint64_t trace_address; /**< where the trace region begins in DRAM */
} ttrt_memory;
#define TTRT_MEMORY_INIT {sizeof(ttrt_memory), 0, 0, 0, 0}

/** Returns how much device memory the plan of the bundle uses. */
TTRT_API ttrt_status ttrt_bundle_memory(const ttrt_bundle *bundle, ttrt_memory *memory,
                                        ttrt_error *error);

/** A trace: a finished command stream. */
typedef struct ttrt_trace {
  size_t size; /**< sizeof(ttrt_trace) */
  const char *name;
  uint32_t commands; /**< number of commands, including the end command */
  uint64_t bytes;    /**< of the stream */
} ttrt_trace;
#define TTRT_TRACE_INIT {sizeof(ttrt_trace), NULL, 0, 0}

/** Number of traces; they are numbered from 0. */
TTRT_API uint32_t ttrt_bundle_traces(const ttrt_bundle *bundle);
/** Describes a trace. */
TTRT_API ttrt_status ttrt_bundle_trace(const ttrt_bundle *bundle, uint32_t trace, ttrt_trace *info,
                                       ttrt_error *error);

/*===---------------------------------------------------------------------===
 * Devices
 *===---------------------------------------------------------------------===*/

/** An address space with a bundle loaded into it, and the threads that execute it. */
typedef struct ttrt_device ttrt_device;

typedef struct ttrt_host_function ttrt_host_function;
typedef struct ttrt_profiler ttrt_profiler;
struct ttrt_transport;

/** Options of ttrt_device_open(). Zero is the default of every field. */
typedef struct ttrt_device_options {
  size_t size; /**< sizeof(ttrt_device_options) */
  /** Threads that compute, including the calling one: at most 1024; 0: one per CPU that the process
      may use, and no more than the quota of its control groups (cgroups of version 1 and 2) pays
      for. Results do not depend on it. */
  uint32_t cores;
  /** Nonzero: pin worker i to the i-th CPU that the process may use. The calling thread is not
      pinned. */
  int pin;
  /** Command queues (queue.h), each with its own thread: 0 to 2. With 0, only ttrt_run() and
      ttrt_trace_execute() can run traces. */
  uint32_t queues;
  /** Threads that compute for queue 1, including its own, in addition to `cores`: at most 1024;
      0: 1. */
  uint32_t queue1_cores;
  /** Events that ttrt_event_create() can hand out at a time: at most 65536; 0: 16. */
  uint32_t events;
  /** Nonzero: queues check the addresses of traces before they execute them, and report a wrong one
      as an error instead of crashing. Slow; for debugging. */
  int checks;
  /** Slows transfers of inputs and outputs down to this many bytes per second, to simulate a bus;
      0: the speed in the bundle's target, which may be unlimited. */
  uint64_t link_bytes_per_second;
  /** Nonzero: record which run wrote each output, so that ttrt_device_check_output() detects views
      that have become invalid. */
  int check_outputs;
  /** Nonzero: copy the weights once, into huge pages, if the system has them (transparent huge
      pages; see ttrt_device_huge_pages() in memory.h). Then fewer address lookups slow down models
      that stream their weights from memory, but the copy is private to the device: no other one,
      and no other process, shares it. It is compared with the hash that the bundle was opened with,
      if that was verified; later changes of the file do not reach it. */
  int huge_pages;
  /** Functions that compute ops of the model on the host (host.h), up to a NULL; NULL: none. */
  const ttrt_host_function *const *host_functions;
  /** Records what the device executes (profile.h); it must outlive the device. NULL: nothing,
     unless the environment has TTRT_PROFILE. */
  ttrt_profiler *profiler;
  /** Connects the device with the others of its mesh (transport.h), and says which one it is; it
     must outlive the device. NULL: the device is alone, and the bundle must not have a mesh. */
  struct ttrt_transport *transport;
  /** Nonzero: subnormal numbers count as zero, as operands and as results (x86-64: FTZ and DAZ).
      Faster where a model computes with them, but not bit-identical. Only threads that compute for
      the device do so, and the calling thread during a run: its own mode is restored. */
  int flush_denormals;
  /** In a mesh: how long the device waits for another one, in milliseconds; 0: for ever. When it
      has waited longer, the mesh fails, with a message that names the device that is waited for.
      While devices open, the limit is at least two minutes. */
  uint32_t wait_limit_ms;
} ttrt_device_options;
#define TTRT_DEVICE_OPTIONS_INIT                                                                   \
  {sizeof(ttrt_device_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0}

/**
 * Opens a device: reserves its address space, maps the bundle into it, loads all traces and starts
 * the threads, which sleep while there is no work. `options` may be NULL. On success, the caller
 * owns *device. Thread-safe.
 *
 * TTRT_UNSUPPORTED if the bundle does not fit this machine (architecture, CPU features, limits);
 * TTRT_NOT_FOUND if it wants host functions that are not registered, which the message names;
 * TTRT_IO_ERROR if a system call fails; TTRT_BAD_BUNDLE if the code cannot be loaded, if weights
 * that are copied (`huge_pages`) have changed since the bundle was opened or, after
 * TTRT_VERIFY_NONE only, if the plan is wrong.
 */
TTRT_API ttrt_status ttrt_device_open(const ttrt_bundle *bundle, const ttrt_device_options *options,
                                      ttrt_device **device, ttrt_error *error);
/**
 * Completes what is enqueued, stops the threads and releases the device; NULL is allowed. No other
 * call on the device may be in progress or follow.
 */
TTRT_API void ttrt_device_close(ttrt_device *device);
/**
 * Ends what the device executes, as soon as the commands that have begun are complete: a blocking
 * run, its queues, a pipeline or a generator. Everything in progress, and everything that follows,
 * returns TTRT_CANCELLED, until ttrt_device_reset() (queue.h) makes the device usable again.
 * Outputs, slots of inputs, and what the bundle keeps from run to run are then undefined: write,
 * restore or reset states (state.h). A function of the host is not interrupted.
 *
 * In a mesh, the other devices end with TTRT_FAILED, and the mesh stays failed.
 *
 * Thread-safe: called while another call runs the device. Takes no lock and allocates nothing,
 * except for a device of a mesh. Without a mesh, a signal handler may call it.
 */
TTRT_API ttrt_status ttrt_device_cancel(ttrt_device *device, ttrt_error *error);
/**
 * Everything that the device executes has to be complete `nanoseconds` from now; UINT64_MAX: there
 * is no deadline (any more). What is not ends as by ttrt_device_cancel(), and returns
 * TTRT_DEADLINE_EXCEEDED, as does what begins later. ttrt_device_reset() removes the deadline. A
 * wait for another thread of the host (TTRT_STREAM) does not end. In a mesh, a device that waits
 * for another one ends, too. Thread-safe.
 */
TTRT_API ttrt_status ttrt_device_set_deadline(ttrt_device *device, uint64_t nanoseconds,
                                              ttrt_error *error);
/** Number of threads that compute for ttrt_run() and queue 0. Thread-safe. */
TTRT_API uint32_t ttrt_device_cores(const ttrt_device *device);

/** Data of one input. */
typedef struct ttrt_input {
  const void *data; /**< NULL: use what the slot holds (ttrt_device_input_slot()) */
  size_t bytes;     /**< ttrt_port::bytes; ignored if `data` is NULL */
} ttrt_input;

/** Destination of one output. */
typedef struct ttrt_output {
  void *data;   /**< NULL: do not copy; the slot can be read in place */
  size_t bytes; /**< ttrt_port::bytes; ignored if `data` is NULL */
} ttrt_output;

/** Times of one run, in nanoseconds. */
typedef struct ttrt_timing {
  size_t size;     /**< sizeof(ttrt_timing) */
  uint64_t total;  /**< the whole run: writing inputs, executing, reading outputs */
  uint64_t device; /**< traces and host steps only, without transfers of inputs and outputs */
} ttrt_timing;
#define TTRT_TIMING_INIT {sizeof(ttrt_timing), 0, 0}

/**
 * Called on the calling thread after each command that `no_trace` dispatches from the host. `trace`
 * and `command` count from 0; `begin` and `end` are nanoseconds of a steady clock.
 */
typedef void ttrt_on_command(void *user, uint32_t trace, uint32_t command, uint64_t begin,
                             uint64_t end);

/** Options of ttrt_run(). Zero is the default of every field. */
typedef struct ttrt_run_options {
  size_t size; /**< sizeof(ttrt_run_options) */
  /** Nonzero: dispatch each command of a trace from the host and wait for it, instead of replaying
      the trace. */
  int no_trace;
  ttrt_on_command *on_command; /**< called only with no_trace; may be NULL */
  void *user;                  /**< passed to on_command */
  ttrt_timing *timing;         /**< filled in unless NULL */
} ttrt_run_options;
#define TTRT_RUN_OPTIONS_INIT {sizeof(ttrt_run_options), 0, NULL, NULL, NULL}

/**
 * Runs one inference and returns when it is complete: writes the inputs to their slots, executes
 * the first single-queue schedule of the entry point, and reads the outputs. The calling thread
 * computes as core 0.
 *
 * `inputs` and `outputs` have one element per input and output of the entry point, in order; each
 * may be NULL if there are none. `options` may be NULL. Not thread-safe. Allocates nothing, unless
 * it fails.
 *
 * TTRT_BUSY while a queue has commands in flight or a pipeline is open; TTRT_OVERWRITTEN if an
 * input is NULL and its slot has been overwritten; TTRT_INVALID_ARGUMENT if a size is wrong or a
 * trace of the entry point is released (memory.h); TTRT_FAILED if a host function fails: outputs,
 * slots of inputs, and what the bundle keeps from run to run are then undefined, and the device can
 * run again; TTRT_CANCELLED and TTRT_DEADLINE_EXCEEDED (ttrt_device_cancel()).
 */
TTRT_API ttrt_status ttrt_run(ttrt_device *device, uint32_t entry, const ttrt_input *inputs,
                              const ttrt_output *outputs, const ttrt_run_options *options,
                              ttrt_error *error);

/**
 * Returns the slot of an input: the device memory that its data is written to. Fill it in place and
 * pass NULL data to ttrt_run(). The pointer is valid until the device is closed; do not access it
 * during a run. Not thread-safe: TTRT_BUSY during a run, because the run may overwrite the slot;
 * and while a pipeline is open, if the slot's bytes are shared.
 *
 * A slot keeps its contents from run to run, unless the plan shares its bytes with other tensors
 * (as it may for an input in L1; docs/memory.md). If you fill slots in place, refill any slot whose
 * bytes are shared before every run, and call this function again each time you do: it marks the
 * slot as filled. Otherwise a run, or a replay of a trace that reads the input, returns
 * TTRT_OVERWRITTEN.
 */
TTRT_API ttrt_status ttrt_device_input_slot(ttrt_device *device, uint32_t entry, uint32_t input,
                                            void **slot, ttrt_error *error);
/**
 * Returns the slot of an output. It holds the result from the end of one run until the next run
 * begins; the pointer is valid until the device is closed. Thread-safe: the call only looks up an
 * address.
 */
TTRT_API ttrt_status ttrt_device_output_slot(ttrt_device *device, uint32_t entry, uint32_t output,
                                             const void **slot, ttrt_error *error);

/** An output of one run, in its slot. */
typedef struct ttrt_output_view {
  const void *data;
  size_t bytes;
  uint32_t entry, output;
  /** Number of the run, counting from 1 everything that may write an output of the device: runs,
      replays of single traces, and opening and closing pipelines; 0 without check_outputs. */
  uint64_t run;
} ttrt_output_view;

/**
 * Returns a view of an output of the last run. Not thread-safe. Allocates nothing, unless it fails.
 *
 * TTRT_NOT_READY if the entry point has not run yet (detected with check_outputs only).
 */
TTRT_API ttrt_status ttrt_device_view_output(ttrt_device *device, uint32_t entry, uint32_t output,
                                             ttrt_output_view *view, ttrt_error *error);
/**
 * Checks that a view still holds the output of its run. Call it before each use of `view->data` to
 * find code that keeps views for too long. Without check_outputs it always succeeds, at the cost of
 * one comparison. Not thread-safe. Allocates nothing, unless it fails.
 *
 * TTRT_OVERWRITTEN if a later run may have written the output: a ttrt_run(), a replay
 * (ttrt_trace_execute(), or ttrt_enqueue_execute() from the time of the call), or a pipeline that
 * was opened since. The message names the output and both runs.
 */
TTRT_API ttrt_status ttrt_device_check_output(ttrt_device *device, const ttrt_output_view *view,
                                              ttrt_error *error);

/*===---------------------------------------------------------------------===
 * This machine
 *===---------------------------------------------------------------------===*/

/** The machine that the process runs on. Strings are zero-terminated. */
typedef struct ttrt_host {
  size_t size;         /**< sizeof(ttrt_host) */
  char arch[16];       /**< "x86_64" or "aarch64" */
  char model[64];      /**< the CPU's name for itself */
  char features[1024]; /**< CPU features by LLVM's names, separated by commas */
  uint32_t cores;      /**< CPUs that the process may use, and that its quota pays for */
  uint64_t l1_bytes;   /**< size of one core's L2 cache, which serves as its L1 */
  uint64_t dram_bytes; /**< physical memory */
} ttrt_host;
#define TTRT_HOST_INIT {sizeof(ttrt_host), "", "", "", 0, 0, 0}

/** Describes this machine. Thread-safe. */
TTRT_API ttrt_status ttrt_query_host(ttrt_host *host, ttrt_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_TTRT_H */
