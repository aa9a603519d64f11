// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_DEVICE_MEMORY_H
#define TTRT_LIB_DEVICE_MEMORY_H

#include "Bundle/Bundle.h"
#include "Device/Membership.h"
#include "ttrt/memory.h"

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
  DeviceMemory(const Bundle &bundle, uint32_t cores, bool hugePages, const Membership &mesh);
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
  void reserve(const MemoryLayout &layout);
  bool reserveParts();
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
