/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * A mesh of devices over MPI: a library of its own, libttrt-mpi, because libttrt does not need MPI.
 * Every rank is one device, and its number is its rank.
 *
 *     ttrt_transport *transport;
 *     if (ttrt_mpi_open(NULL, &transport, &error) == TTRT_OK) {
 *       ttrt_device_options options = TTRT_DEVICE_OPTIONS_INIT;
 *       options.transport = transport;
 *       ttrt_device_open(bundle, &options, &device, &error);
 *       ...
 *       ttrt_device_close(device);
 *       ttrt_mpi_close(transport);
 *     }
 *
 * The rules of ttrt.h for errors and ownership apply.
 */
#ifndef TTRT_MPI_H
#define TTRT_MPI_H

#include "ttrt/transport.h"

#if defined(__GNUC__)
#define TTRT_MPI_API __attribute__((visibility("default")))
#else
#define TTRT_MPI_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Options of ttrt_mpi_open(). Zero is the default of every field. */
typedef struct ttrt_mpi_options {
  size_t size; /**< sizeof(ttrt_mpi_options) */
  /** An `MPI_Comm *`: the ranks of the mesh. The transport duplicates it, which keeps its messages
      apart from others. NULL: MPI_COMM_WORLD. */
  const void *communicator;
} ttrt_mpi_options;
#define TTRT_MPI_OPTIONS_INIT {sizeof(ttrt_mpi_options), NULL}

/**
 * Connects this rank with all others of the communicator, each of which calls this, too. `options`
 * may be NULL. If the process has not initialised MPI, the transport does so, with
 * MPI_THREAD_SERIALIZED, and ends it again in ttrt_mpi_close().
 *
 * Otherwise, MPI must have been initialised with at least MPI_THREAD_SERIALIZED: a device's calls
 * come from one thread at a time, but not always from the same one. A process that makes MPI calls
 * of its own while a device runs, or that has several transports, needs MPI_THREAD_MULTIPLE.
 *
 * TTRT_UNSUPPORTED if MPI has a lower level or has ended; TTRT_IO_ERROR if a call of MPI fails.
 */
TTRT_MPI_API ttrt_status ttrt_mpi_open(const ttrt_mpi_options *options, ttrt_transport **transport,
                                       ttrt_error *error);
/**
 * Releases a transport; its device must be closed. NULL is allowed. The other ranks see that this
 * one has left. If the transport initialised MPI, this waits until all ranks come here; after a
 * failure, it waits at most half a second, and ends MPI only if all ranks know of the failure.
 */
TTRT_MPI_API void ttrt_mpi_close(ttrt_transport *transport);

#ifdef __cplusplus
}
#endif

#endif /* TTRT_MPI_H */
