// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a bundle is made of.

#ifndef TTRT_PYTHON_INSPECT_H
#define TTRT_PYTHON_INSPECT_H

#include "Device.h"

namespace ttrt::python {

/// The page that `ttrun read --memory-map` writes.
nb::str memoryMap(Device &device);

/// ttrt_memory, and ttrt_memory_use of each type of memory, as tuples: (dram_bytes, l1_bytes,
/// trace_bytes, trace_address, (total, used, free, peak, largest_free), ...).
nb::tuple memory(Device &device);

/// The bundle's metadata: bytes by key.
nb::dict metadata(Device &device);

/// Verifies the device's file completely, whatever is at its path by now, and returns what was
/// proved: (schedules, steps, commands, iterations, accesses, pairs, seconds).
nb::tuple verify(Device &device);

/// Names of the schedules of an entry point, with the number of queues that each uses.
nb::list schedules(Device &device, uint32_t entry);

} // namespace ttrt::python

#endif // TTRT_PYTHON_INSPECT_H
