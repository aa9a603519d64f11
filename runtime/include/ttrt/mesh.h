/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file mesh.h
 * A mesh of devices on one host: as threads of a process, or as processes with shared memory. In a
 * library of its own, libttrt_mesh.
 *
 * All devices in this process:
 *
 *     ttrt_mesh *mesh;
 *     if (ttrt_mesh_open(bundle, NULL, &mesh, &error) == TTRT_OK)
 *       ttrt_mesh_run(mesh, 0, inputs, outputs, NULL, &error); // whole inputs and outputs
 *
 * A process for each device: one process creates shared memory and passes the descriptor on, and
 * each opens its own transport and device:
 *
 *     int memory;
 *     ttrt_transport_create_shared(devices, &memory, &error); // then fork(), or fork() and exec()
 *     ...
 *     ttrt_transport *transport;
 *     ttrt_transport_open_shared(memory, device, devices, &transport, &error);
 *     ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
 *     options.transport = transport;
 *     ttrt_device_open(bundle, &options, &opened, &error); // waits for the other devices
 *
 * If a device of a mesh fails, or its process ends, the others end their runs within a second:
 * TTRT_FAILED, with a message such as "device 2 of the mesh has ended". The mesh then stays failed.
 * A process that lives, but does not come, is waited for without a limit, unless
 * ttrt_device_options::wait_limit_ms sets one. Processes that have inputs and options of their own
 * compare them with ttrt_mesh_compare().
 *
 * Errors, ownership and structs that can grow are as in ttrt.h.
 */
#ifndef TTRT_MESH_H
#define TTRT_MESH_H

#include "ttrt/transport.h"
#include "ttrt/ttrt.h"

#if defined(__GNUC__)
#define TTRT_MESH_API __attribute__((visibility("default")))
#else
#define TTRT_MESH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*===---------------------------------------------------------------------===
 * Bundles of a mesh
 *===---------------------------------------------------------------------===*/

/** The number of devices that a bundle is for; 1 if it has no mesh, 0 if it is NULL. Thread-safe.
 */
TTRT_MESH_API uint32_t ttrt_mesh_devices(const ttrt_bundle *bundle);

/**
 * The entry points of the whole mesh, numbered from 0; `entry` of all functions here is such a
 * number. Devices of a pipeline execute entry points of their own, the parts (ttrt_bundle_entry())
 * of one that is whole; in bundles without such parts, the numbers are those of
 * ttrt_bundle_entry(). 0 if the bundle is NULL. Thread-safe.
 */
TTRT_MESH_API uint32_t ttrt_mesh_entries(const ttrt_bundle *bundle);
/** Describes one. Its inputs are those of its parts, each once, and so are its outputs.
    Thread-safe. */
TTRT_MESH_API ttrt_status ttrt_mesh_entry(const ttrt_bundle *bundle, uint32_t entry,
                                          ttrt_entry *info, ttrt_error *error);
/** Finds one by its name. TTRT_NOT_FOUND if there is none. Thread-safe. */
TTRT_MESH_API ttrt_status ttrt_mesh_find_entry(const ttrt_bundle *bundle, const char *name,
                                               uint32_t *entry, ttrt_error *error);
/** The number that ttrt_run() takes for `entry` on a device. TTRT_NOT_FOUND if the device has no
    part of it. Thread-safe. */
TTRT_MESH_API ttrt_status ttrt_mesh_part(const ttrt_bundle *bundle, uint32_t entry, uint32_t device,
                                         uint32_t *part, ttrt_error *error);
/** The number that an input has on a device. TTRT_NOT_FOUND if its part does not have it.
    Thread-safe. */
TTRT_MESH_API ttrt_status ttrt_mesh_part_input(const ttrt_bundle *bundle, uint32_t entry,
                                               uint32_t input, uint32_t device, uint32_t *number,
                                               ttrt_error *error);
/** The number that an output has on a device. As ttrt_mesh_part_input(). */
TTRT_MESH_API ttrt_status ttrt_mesh_part_output(const ttrt_bundle *bundle, uint32_t entry,
                                                uint32_t output, uint32_t device, uint32_t *number,
                                                ttrt_error *error);

/** Dimensions that a divided input or output can have. */
#define TTRT_MESH_MAX_RANK 16

/** A whole input or output of an entry point, and what one device has of it (ttrt_port). */
typedef struct ttrt_mesh_port {
  size_t size; /**< sizeof(ttrt_mesh_port) */
  const char *name;
  ttrt_dtype dtype;
  uint32_t rank;
  int64_t shape[TTRT_MESH_MAX_RANK]; /**< of the whole tensor; the first `rank` are used */
  size_t bytes;                      /**< of the whole tensor */
  size_t part_bytes;                 /**< of one device's part */
  uint32_t parts;                    /**< that differ; 1: every device has the whole tensor */
} ttrt_mesh_port;
#define TTRT_MESH_PORT_INIT {sizeof(ttrt_mesh_port), NULL, TTRT_F32, 0, {0}, 0, 0, 0}

/** Describes a whole input. Thread-safe. TTRT_UNSUPPORTED if it has too many dimensions. */
TTRT_MESH_API ttrt_status ttrt_mesh_input(const ttrt_bundle *bundle, uint32_t entry, uint32_t input,
                                          ttrt_mesh_port *port, ttrt_error *error);
/** Describes a whole output. As ttrt_mesh_input(). */
TTRT_MESH_API ttrt_status ttrt_mesh_output(const ttrt_bundle *bundle, uint32_t entry,
                                           uint32_t output, ttrt_mesh_port *port,
                                           ttrt_error *error);

/**
 * Copies what device `device` gets of a whole input from `whole` (`bytes` of ttrt_mesh_port) to
 * `part` (`part_bytes`); nothing, if its part of the entry point does not have the input.
 * Thread-safe. Allocates nothing, unless it fails.
 */
TTRT_MESH_API ttrt_status ttrt_mesh_scatter(const ttrt_bundle *bundle, uint32_t entry,
                                            uint32_t input, uint32_t device, const void *whole,
                                            void *part, ttrt_error *error);
/**
 * Copies what device `device` has of an output from `part` to its place in `whole`, unless it has
 * none of it, or a device with a lower number has the same: of a replicated output, that of the
 * first device that has it is taken. After calls
 * for all devices, `whole` is complete. Thread-safe, also for several devices and the same `whole`.
 * Allocates nothing, unless it fails.
 */
TTRT_MESH_API ttrt_status ttrt_mesh_gather(const ttrt_bundle *bundle, uint32_t entry,
                                           uint32_t output, uint32_t device, const void *part,
                                           void *whole, ttrt_error *error);

/*===---------------------------------------------------------------------===
 * A mesh in one process
 *===---------------------------------------------------------------------===*/

/** The devices of a mesh, each with a thread that runs it. */
typedef struct ttrt_mesh ttrt_mesh;

/** Options of ttrt_mesh_open(). Zero is the default of every field. */
typedef struct ttrt_mesh_options {
  size_t size; /**< sizeof(ttrt_mesh_options) */
  /** Options of every device; NULL: the defaults. `transport` must be NULL. `cores` is per device;
     0: the CPUs that the process may use, divided by the number of devices, at least 1. */
  const ttrt_device_options *device;
  /** Nonzero: the threads of device i run only on the i-th part of the CPUs that the process may
     use (ttrt_mesh_bind()). Ignored if there are fewer CPUs than devices. */
  int bind;
} ttrt_mesh_options;
#define TTRT_MESH_OPTIONS_INIT {sizeof(ttrt_mesh_options), NULL, 0}

/**
 * Opens all devices of a bundle's mesh, each on a thread of its own. A bundle without a mesh is one
 * of one device. `options` may be NULL. On success, the caller owns *mesh. Thread-safe.
 */
TTRT_MESH_API ttrt_status ttrt_mesh_open(const ttrt_bundle *bundle,
                                         const ttrt_mesh_options *options, ttrt_mesh **mesh,
                                         ttrt_error *error);
/** Closes all devices and ends the threads; NULL is allowed. */
TTRT_MESH_API void ttrt_mesh_close(ttrt_mesh *mesh);
/** A device, for everything else; NULL if there is none. The mesh owns it. Thread-safe. Whatever
   runs on one device of a mesh has to run on all, in the same order, each on a thread of its own.
 */
TTRT_MESH_API ttrt_device *ttrt_mesh_device(ttrt_mesh *mesh, uint32_t device);

/**
 * Runs one inference on all devices, as ttrt_run() does on one: divides the inputs, runs, and
 * collects the outputs. Sizes are those of whole tensors (ttrt_mesh_port::bytes). NULL data of an
 * input: the devices use what their slots hold; of an output: it is not copied. `options` may be
 * NULL; `on_command` is called for device 0 only, on its thread, and `timing` is the longest of all
 * devices, with dividing and collecting in `total`. Not thread-safe.
 *
 * TTRT_FAILED, with the first device's message, if a device fails; the mesh stays failed. Another
 * thread may cancel a device or set its deadline, through ttrt_mesh_device(). The run then returns
 * TTRT_CANCELLED or TTRT_DEADLINE_EXCEEDED, or TTRT_FAILED if the device had completed its part
 * when it was cancelled, and the mesh has failed.
 */
TTRT_MESH_API ttrt_status ttrt_mesh_run(ttrt_mesh *mesh, uint32_t entry, const ttrt_input *inputs,
                                        const ttrt_output *outputs, const ttrt_run_options *options,
                                        ttrt_error *error);

/**
 * Lets the calling thread, and those that it starts, run only on the `part`-th of `parts` equal
 * parts of the CPUs that it may use now, for a process that has one of several devices. CPUs of one
 * NUMA node come one after another: if the parts are a multiple of the nodes, a part is in one
 * node, and so is memory that the thread touches first. Does nothing if there are fewer CPUs than
 * parts.
 */
TTRT_MESH_API ttrt_status ttrt_mesh_bind(uint32_t part, uint32_t parts, ttrt_error *error);

/*===---------------------------------------------------------------------===
 * Transports
 *===---------------------------------------------------------------------===*/

/**
 * Creates the transports of all devices of a mesh whose devices are in this process: sets
 * transports[0] to transports[devices - 1]. Each device has to be opened, and run, on a thread of
 * its own. The caller closes all of them after the devices. `devices` is 1 to 4096.
 */
TTRT_MESH_API ttrt_status ttrt_transport_open_threads(uint32_t devices, ttrt_transport **transports,
                                                      ttrt_error *error);

/**
 * Creates shared memory for a mesh of processes: *memory is a file descriptor without a name
 * (memfd_create()), which is closed on exec (FD_CLOEXEC) and which the caller closes. Its size
 * grows when the devices open.
 */
TTRT_MESH_API ttrt_status ttrt_transport_create_shared(uint32_t devices, int *memory,
                                                       ttrt_error *error);

/**
 * Opens the transport of device `device` of `devices`. `memory` is what
 * ttrt_transport_create_shared() created, inherited or received, or any file in memory that was
 * empty when the first device opened its transport and that the caller removes; it is the same for
 * all devices, and it is used for one mesh only. The descriptor is duplicated. The caller closes
 * the transport after the device.
 *
 * TTRT_INVALID_ARGUMENT if the number of devices differs from that of another one; TTRT_BUSY if
 * another process has opened `device`; TTRT_UNSUPPORTED if another device has another version of
 * the library.
 */
TTRT_MESH_API ttrt_status ttrt_transport_open_shared(int memory, uint32_t device, uint32_t devices,
                                                     ttrt_transport **transport, ttrt_error *error);

/**
 * Compares data that must be the same on all devices: where each device of a mesh is in a process
 * of its own, every one has a copy of whole inputs and of options. All devices call this, with any
 * transport, after they have opened and while none of them runs. Allocates.
 *
 * TTRT_INVALID_ARGUMENT, on every device, if the data of one differ from those of device 0; the
 * message names that device and `what`. TTRT_FAILED if the mesh has failed.
 */
TTRT_MESH_API ttrt_status ttrt_mesh_compare(ttrt_transport *transport, const char *what,
                                            const void *data, size_t bytes, ttrt_error *error);

/** Closes a transport of this library; NULL is allowed. Its device must be closed. */
TTRT_MESH_API void ttrt_transport_close(ttrt_transport *transport);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_MESH_H */
