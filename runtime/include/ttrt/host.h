/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Host functions: ops of a model that the application computes, between traces (docs/host-ops.md).
 *
 * A bundle names the functions that it wants. The application passes them to ttrt_device_open():
 *
 *     static ttrt_status clip(void *user, const ttrt_host_call *call, ttrt_error *error) {
 *       const float *x = call->operands[0].data;
 *       float *y = call->results[0].data;
 *       ...
 *       return TTRT_OK;
 *     }
 *     static const ttrt_host_function kClip = {sizeof(kClip), "com.acme.Clip", clip, NULL};
 *     static const ttrt_host_function *const kFunctions[] = {&kClip, NULL};
 *
 *     ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
 *     options.host_functions = kFunctions;
 *
 * Threads. A function is called on the thread that executes the host step: the caller of
 * ttrt_run(), or that of a queue. Steps of one queue are executed one after the other. Two calls
 * overlap if both queues of a schedule have host steps, or if several devices use the function.
 *
 * Ownership. The library copies the list and its structs when the device is opened. Functions,
 * `user` and names must stay valid until it is closed. What a call points to is valid during the
 * call.
 *
 * A function must compute its results from its operands and attributes alone: the compiler makes
 * one call of two equal ones, and removes calls whose results are unused. It must not throw an
 * exception, nor call functions on the device. Nothing is allocated and no lock is taken around it.
 */
#ifndef TTRT_HOST_H
#define TTRT_HOST_H

#include "ttrt/ttrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A dense, row-major tensor. */
typedef struct ttrt_tensor {
  ttrt_dtype dtype;
  uint32_t rank;
  const int64_t *shape; /**< `rank` extents, outermost first; NULL if the rank is 0 */
  size_t bytes; /**< of the whole tensor; 0: an optional operand or result that is omitted */
  void *data;   /**< operands, and tensors of attributes, must not be written */
} ttrt_tensor;

/** Kinds of attributes, with the field that has the value. New values may be added in a minor
    release. */
typedef enum ttrt_attribute_kind {
  TTRT_ATTRIBUTE_INT = 0,     /**< ints[0] */
  TTRT_ATTRIBUTE_FLOAT = 1,   /**< floats[0] */
  TTRT_ATTRIBUTE_STRING = 2,  /**< strings[0] */
  TTRT_ATTRIBUTE_INTS = 3,    /**< ints */
  TTRT_ATTRIBUTE_FLOATS = 4,  /**< floats */
  TTRT_ATTRIBUTE_STRINGS = 5, /**< strings */
  TTRT_ATTRIBUTE_TENSOR = 6   /**< tensor */
} ttrt_attribute_kind;

/** An attribute of the op. Fields of other kinds are NULL or zero. */
typedef struct ttrt_attribute {
  const char *name;
  ttrt_attribute_kind kind;
  uint32_t count; /**< of elements; 1 unless it is a list */
  const int64_t *ints;
  const float *floats;
  const char *const *strings; /**< zero-terminated */
  ttrt_tensor tensor;
} ttrt_attribute;

/** A call of a host function. */
typedef struct ttrt_host_call {
  size_t size;      /**< sizeof(ttrt_host_call) */
  const char *name; /**< as it was registered */
  uint64_t version; /**< the model's opset of the op's domain */
  uint32_t operand_count;
  uint32_t result_count;
  const ttrt_tensor *operands; /**< in the order of the op's inputs */
  const ttrt_tensor *results;
  const ttrt_attribute *attributes; /**< sorted by name */
  uint64_t attribute_count;
} ttrt_host_call;
#define TTRT_HOST_CALL_INIT {sizeof(ttrt_host_call), NULL, 0, 0, 0, NULL, NULL, NULL, 0}

/**
 * Computes the results. Any status but TTRT_OK makes the run fail with TTRT_FAILED; the message
 * says what the function wrote to `error->message`, which is empty at first, or else the name of
 * the status. The device stays usable. `error` is never NULL.
 */
typedef ttrt_status ttrt_host_callback(void *user, const ttrt_host_call *call, ttrt_error *error);

/** A function that the application registers (ttrt_device_options::host_functions). */
struct ttrt_host_function {
  size_t size;      /**< sizeof(ttrt_host_function) */
  const char *name; /**< of the op: "<domain>.<op>"; of ONNX's default domain, the op alone */
  ttrt_host_callback *call; /**< not NULL */
  void *user;               /**< passed to `call` */
};
#define TTRT_HOST_FUNCTION_INIT {sizeof(ttrt_host_function), NULL, NULL, NULL}

/** Number of calls that a bundle makes of host functions with different names, attributes or types.
    Thread-safe. */
TTRT_API uint32_t ttrt_bundle_host_calls(const ttrt_bundle *bundle);
/** Describes one of them; all `data` are NULL, except in attributes. What it points to is valid
   until the bundle is closed. Thread-safe. */
TTRT_API ttrt_status ttrt_bundle_host_call(const ttrt_bundle *bundle, uint32_t index,
                                           ttrt_host_call *call, ttrt_error *error);

/**
 * The symbol by which a shared library hands out its functions, as a list for
 * ttrt_device_options::host_functions. `ttrun --host-library=FILE` calls it:
 *
 *     const ttrt_host_function *const *ttrt_host_library(void) { return kFunctions; }
 */
#define TTRT_HOST_LIBRARY "ttrt_host_library"
typedef const ttrt_host_function *const *ttrt_host_library_function(void);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_HOST_H */
