// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_BUNDLE_MEMORYLAYOUT_H
#define TTRT_LIB_BUNDLE_MEMORYLAYOUT_H

#include "Bundle/Bundle.h"

namespace ttrt {

/// Device addresses [begin, end).
struct MemoryRange {
  uint64_t begin = 0, end = 0;

  uint64_t size() const { return end - begin; }
  bool contains(uint64_t from, uint64_t to) const { return begin <= from && to <= end; }
};

/// What a device maps of its address space; all of whole pages. No range contains another.
struct MemoryLayout {
  /// `cores`: the device may have more than the bundle was planned for. `device`: of the mesh.
  MemoryLayout(const Bundle &bundle, uint64_t cores, uint32_t device);

  MemoryRange constants, shard, streams; ///< read-only
  /// From the lowest to the highest writable buffer in DRAM: below, between and above the
  /// constants of all devices and those of this one.
  MemoryRange dram[3];
  /// All of them, and what is between.
  MemoryRange writable() const;
  /// The L1s, host memory, the interleaved L1s, and the L1s of additional cores.
  MemoryRange rest;
};

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_MEMORYLAYOUT_H
