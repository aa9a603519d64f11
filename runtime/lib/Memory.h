// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_MEMORY_H
#define TTRT_LIB_MEMORY_H

#include "Bundle.h"

namespace ttrt {

/// A device's address space: one reservation, into which the bundle is mapped at its device
/// addresses. Constants and streams are pages of the file, read-only and shared between processes.
/// Writable memory is anonymous and initially zero; it takes no physical memory until it is
/// touched. Queries are thread-safe; setStreamPages() must not overlap with another call.
class DeviceMemory {
public:
  /// Throws Error.
  DeviceMemory(const Bundle &bundle, uint32_t cores);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Flat address 0.
  uint8_t *base() const { return base_; }
  /// A core's L1. A device may have more cores than the bundle was planned for; their L1s follow
  /// everything else.
  uint8_t *l1(uint32_t core) const;

  /// Maps or unmaps whole pages of the streams. Throws Error.
  void setStreamPages(const Bundle &bundle, uint64_t begin, uint64_t end, bool mapped);

private:
  void mapFile(const MappedFile &file, const SegmentView &segment);
  void makeWritable(uint64_t begin, uint64_t end);

  AddressMap map_;
  uint8_t *base_ = nullptr;
  uint64_t size_ = 0;
};

} // namespace ttrt

#endif // TTRT_LIB_MEMORY_H
