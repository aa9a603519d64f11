// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_DEVICE_MEMORY_H
#define TTRT_LIB_DEVICE_MEMORY_H

#include "Bundle/MemoryLayout.h"
#include "Device/MeshMembership.h"
#include "ttrt/memory.h"

namespace ttrt {

/// A device's address space: one reservation, into which the bundle is mapped at its device
/// addresses. Where the process may not reserve that much (RLIMIT_AS), only what the plan uses is
/// reserved. Constants and streams are pages of the file, read-only and shared between processes.
/// Writable memory is anonymous and initially zero; it takes no physical memory until it is
/// touched. With huge pages, the constants are a copy that is private to the device. Queries are
/// thread-safe; setStreamPages() must not overlap with another call.
class DeviceMemory {
public:
  /// Throws Error. `hugePages`: asks for them, if the system has them, and copies the constants.
  /// In a mesh, writable DRAM may be memory that other devices see.
  DeviceMemory(const Bundle &bundle, uint32_t cores, bool hugePages, const MeshMembership &mesh);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Flat address 0.
  uint8_t *base() const { return base_; }
  /// A core's L1. A device may have more cores than the bundle was planned for; their L1s follow
  /// everything else.
  uint8_t *l1(uint32_t core) const;

  /// Whether other processes map the writable DRAM.
  bool isShared() const { return isShared_; }

  /// Throws Error.
  ttrt_huge_pages hugePages() const;

  /// Maps or unmaps whole pages of the streams. Throws Error.
  void setStreamPages(const Bundle &bundle, uint64_t begin, uint64_t end, bool mapped);

private:
  void mapFile(const MappedFile &file, const SegmentView &segment);
  void mapConstants(const Bundle &bundle, const SegmentView &segment, MemoryRange pages,
                    MemoryRange &copied);
  bool copyWeights(const Bundle &bundle, const SegmentView &segment, MemoryRange pages);
  void mapShared(MemoryRange range, const SharedMemory &memory);
  void reserve(const MemoryLayout &layout, const SegmentView &weights);
  bool reserveParts(uint64_t first);
  void release() noexcept;
  void makeWritable(MemoryRange range);

  AddressMap map_;
  uint8_t *base_ = nullptr;
  MemoryRange reserved_[2]; ///< the second one is all, or the top
  bool isShared_ = false;
  bool hugePages_ = false;  ///< wanted, and the system has them
  MemoryRange writable_[3]; ///< in DRAM, with huge pages
  MemoryRange copied_[2];   ///< the constants and those of the device, if they are a copy
  uint64_t hugeWanted_ = 0; ///< bytes of whole huge pages
  const char *hugeProblem_ = nullptr;
};

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_MEMORY_H
