/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * @file transport.h
 * What moves bytes between the devices of a mesh. A transport belongs to one device; the transports
 * of all devices of a mesh are connected with each other before the device opens. mesh.h has two
 * (threads of a process; processes of a host, through shared memory), mpi.h has one over MPI. An
 * application can have its own: a struct of functions.
 */
#ifndef TTRT_TRANSPORT_H
#define TTRT_TRANSPORT_H

#include "ttrt/ttrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the verified tables of a bundle, a flatbuffer of ttc_bundle.fbs, which live as long as it
 * is open, and sets *bytes, unless it is NULL, to their size. For libraries around libttrt; a
 * format version is only read by the library that has it (docs/compatibility.md). NULL if `bundle`
 * is. Thread-safe.
 */
TTRT_API const void *ttrt_bundle_tables(const ttrt_bundle *bundle, size_t *bytes);

/** What a transport needs of the device that it belongs to. Lives as long as the device. */
typedef struct ttrt_transport_plan {
  size_t size;            /**< sizeof(ttrt_transport_plan) */
  const void *metadata;   /**< the bundle's verified flatbuffer (ttc_bundle.fbs) */
  uint64_t metadata_hash; /**< equal on all devices of a mesh, or they have different bundles */
  uint64_t dram_begin;    /**< flat addresses: all operands of exchanges are in */
  uint64_t dram_end;      /**< [dram_begin, dram_end), whole pages */
} ttrt_transport_plan;

/**
 * A transport. ttrt_device_open() calls prepare(), maps the device's DRAM, and calls bind(). Then
 * streams call exchange(). When the device closes, it calls unbind(), after which the transport can
 * be opened with another device. Only one thread at a time calls these, except fail() and
 * failure().
 */
typedef struct ttrt_transport {
  size_t size;      /**< sizeof(ttrt_transport) */
  void *state;      /**< the implementation's */
  uint32_t device;  /**< this device's number, in row-major order of the mesh's axes */
  uint32_t devices; /**< of the mesh */

  /**
   * Waits for the other devices, compares the bundles, and says where the device's DRAM is to be:
   * *memory is a file descriptor of which `dram_end - dram_begin` bytes at *offset are mapped
   * shared, or -1: anonymous memory will do. The transport keeps the descriptor. TTRT_BUSY, and
   * nothing else has changed, while another device uses the transport.
   */
  ttrt_status (*prepare)(struct ttrt_transport *transport, const ttrt_transport_plan *plan,
                         int *memory, uint64_t *offset, ttrt_error *error);
  /** The device's memory is mapped: `base` is flat address 0. May allocate; exchange() does not. */
  ttrt_status (*bind)(struct ttrt_transport *transport, uint8_t *base, ttrt_error *error);
  /** No other device will access the device's memory any more, and none is waited for. Also called,
      after fail(), for a device that could not open once it was prepared, perhaps before bind(). */
  void (*unbind)(struct ttrt_transport *transport);
  /**
   * Takes part in collective `collective` of the bundle (collectives.h); `operands` has the flat
   * addresses of its operands. Returns 0 if it succeeded; otherwise this mesh has failed, and all
   * later calls fail at once. Never throws, and never waits longer than a second for a device that
   * has ended or failed.
   */
  int (*exchange)(struct ttrt_transport *transport, uint32_t collective, const uint64_t *operands);
  /**
   * Gathers `bytes` bytes of every device, in order, at `all` on every device. For hosts: to agree
   * on something, or to collect outputs. Not while a stream executes. `bytes` is the same on all.
   * May allocate. Nonzero: failed.
   */
  int (*gather)(struct ttrt_transport *transport, const void *data, size_t bytes, void *all);
  /** This device fails: all others end with an error that names it. Thread-safe. */
  void (*fail)(struct ttrt_transport *transport, const char *message);
  /** Why the mesh has failed, such as "device 2 of the mesh has ended"; NULL if it has not.
     Thread-safe. Lives as long as the transport. */
  const char *(*failure)(struct ttrt_transport *transport);

  /**
   * Takes part in collective `collective`, a permutation, as a device without a source: its input
   * is at flat address `input`. Only this device and the receiver execute it; they need not have
   * executed the same exchanges before. Two devices execute the sends and receives between them in
   * one order. Returns when the receiver has the bytes; otherwise as exchange().
   */
  int (*send)(struct ttrt_transport *transport, uint32_t collective, uint64_t input);
  /** The other side of send(): writes the output at flat address `output`. */
  int (*receive)(struct ttrt_transport *transport, uint32_t collective, uint64_t output);
  /**
   * The next exchange() of collective `collective` has its input at flat address `input`, which
   * nothing writes before: other devices may read it from now on. Does not wait. May do nothing
   * and return 0; otherwise as exchange(). Exchanges of other collectives can come in between.
   */
  int (*offer)(struct ttrt_transport *transport, uint32_t collective, uint64_t input);
  /**
   * Limits waits for other devices, from now on: a wait of more than `wait_ms` milliseconds, or one
   * that lasts beyond `deadline`, nanoseconds of CLOCK_MONOTONIC, fails, with a failure() that
   * names the device that is waited for. 0: no limit. Thread-safe. May be NULL: there are no
   * limits.
   */
  void (*limit)(struct ttrt_transport *transport, uint32_t wait_ms, uint64_t deadline);
} ttrt_transport;

#ifdef __cplusplus
}
#endif

#endif /* TTRT_TRANSPORT_H */
