/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * State: tensors of a bundle that keep their values from run to run, such as a decoder's cache of
 * keys and values.
 *
 * A state is zero when the device is opened. Entry points read and update it on the device; all
 * entry points that name it share it. The functions here let the application write it, read it, and
 * store the states of a device in a file, for example after a long prompt.
 *
 * Threads. Functions that take a device are calls on it (ttrt.h): they must not overlap with others
 * (TTRT_BUSY). They wait until everything that was enqueued is complete; a pipeline may be open.
 * Queries of a bundle are thread-safe. Reading and writing allocate no memory.
 */
#ifndef TTRT_STATE_H
#define TTRT_STATE_H

#include "ttrt/ttrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Number of states; 0 if `bundle` is NULL. */
TTRT_API uint32_t ttrt_bundle_states(const ttrt_bundle *bundle);

/** Describes a state: a dense, row-major tensor. */
TTRT_API ttrt_status ttrt_bundle_state(const ttrt_bundle *bundle, uint32_t state, ttrt_port *info,
                                       ttrt_error *error);

/** Finds a state by its name. TTRT_NOT_FOUND if the bundle has none of that name. */
TTRT_API ttrt_status ttrt_bundle_find_state(const ttrt_bundle *bundle, const char *name,
                                            uint32_t *state, ttrt_error *error);

/** Sets all states of the device to zero. Gives their memory back to the system where that is whole
 * pages. */
TTRT_API ttrt_status ttrt_state_reset(ttrt_device *device, ttrt_error *error);

/** Copies `bytes` bytes to a state, from byte `offset` on. */
TTRT_API ttrt_status ttrt_state_write(ttrt_device *device, uint32_t state, size_t offset,
                                      const void *data, size_t bytes, ttrt_error *error);

/** Copies `bytes` bytes of a state, from byte `offset` on, to `data`. */
TTRT_API ttrt_status ttrt_state_read(ttrt_device *device, uint32_t state, size_t offset, void *data,
                                     size_t bytes, ttrt_error *error);

/**
 * Stores all states of the device in a file, which replaces one of that name only when it is
 * complete. The file has a hash, and the names, element types and shapes of the states.
 */
TTRT_API ttrt_status ttrt_state_save(ttrt_device *device, const char *path, ttrt_error *error);

/**
 * Sets all states to those of a file. The bundle's states must have the names, element types and
 * shapes of the file's, in the same order; the bundle may be another one otherwise. If the call
 * fails, no state has changed.
 */
TTRT_API ttrt_status ttrt_state_restore(ttrt_device *device, const char *path, ttrt_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_STATE_H */
