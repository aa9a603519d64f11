// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Memory.h"

#include "Format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace ttrt {

DeviceMemory::DeviceMemory(const Bundle &bundle, uint32_t cores) : map_(bundle.addresses()) {
  uint64_t extra = cores > map_.cores ? cores - map_.cores : 0;
  size_ = std::max(map_.size() + extra * map_.l1Bytes, kPageSize);
  void *address =
      mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    fail(TTRT_OUT_OF_MEMORY, "cannot reserve the device's address space of {} bytes: {}", size_,
         strerror(errno));
  base_ = static_cast<uint8_t *>(address);
  try {
    mapFile(bundle.file(), bundle.segment(fb::SegmentKind::Constants));
    mapFile(bundle.file(), bundle.segment(fb::SegmentKind::Streams));

    // One range from the lowest to the highest writable buffer.
    uint64_t begin = ~uint64_t(0), end = 0;
    const auto *buffers = bundle.metadata().buffers();
    for (uint32_t i = 0; i < count(buffers); ++i) {
      const fb::Buffer &buffer = *buffers->Get(i);
      if (buffer.space() != fb::MemorySpace::Dram || buffer.kind() == fb::BufferKind::Constant)
        continue;
      begin = std::min<uint64_t>(begin, buffer.offset());
      end = std::max<uint64_t>(end, buffer.offset() + buffer.size());
    }
    if (begin < end) {
      begin = begin / kPageSize * kPageSize;
      end = alignUp(end, kPageSize);
      // Constants may be stored between buffers. verifyTables() has checked that they share no
      // page.
      const SegmentView &constants = bundle.segment(fb::SegmentKind::Constants);
      uint64_t constantsEnd = alignUp(constants.address + constants.size, kPageSize);
      if (constants.size && begin < constantsEnd && constants.address < end) {
        makeWritable(begin, std::max(begin, constants.address));
        makeWritable(std::min(end, constantsEnd), end);
      } else {
        makeWritable(begin, end);
      }
    }
    // The L1s, host memory and the L1s of additional cores follow DRAM without a gap.
    makeWritable(map_.dramBytes, map_.size() + extra * map_.l1Bytes);
  } catch (...) {
    munmap(base_, size_);
    throw;
  }
}

DeviceMemory::~DeviceMemory() { munmap(base_, size_); }

uint8_t *DeviceMemory::l1(uint32_t core) const {
  return core < map_.cores ? base_ + map_.l1Address(core)
                           : base_ + map_.size() + (core - map_.cores) * map_.l1Bytes;
}

void DeviceMemory::mapFile(const MappedFile &file, const SegmentView &segment) {
  if (!segment.size)
    return;
  // Whole pages. The bytes before the first stream in its page are padding.
  const uint64_t lead = segment.offset % kPageSize;
  void *wanted = base_ + segment.address - lead;
  void *address = mmap(wanted, segment.size + lead, PROT_READ, MAP_SHARED | MAP_FIXED,
                       file.descriptor(), static_cast<off_t>(segment.offset - lead));
  if (address == MAP_FAILED)
    fail(TTRT_OUT_OF_MEMORY, "cannot map {} bytes of the bundle: {}", segment.size,
         strerror(errno));
}

void DeviceMemory::setStreamPages(const Bundle &bundle, uint64_t begin, uint64_t end, bool mapped) {
  const SegmentView &streams = bundle.segment(fb::SegmentKind::Streams);
  void *wanted = base_ + begin;
  // File offset and address are equal modulo the page.
  void *address = mapped ? mmap(wanted, end - begin, PROT_READ, MAP_SHARED | MAP_FIXED,
                                bundle.file().descriptor(),
                                static_cast<off_t>(streams.offset + begin - streams.address))
                         : mmap(wanted, end - begin, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (address == MAP_FAILED)
    fail(TTRT_OUT_OF_MEMORY, "cannot {} {} bytes of streams: {}", mapped ? "map" : "unmap",
         end - begin, strerror(errno));
}

void DeviceMemory::makeWritable(uint64_t begin, uint64_t end) {
  if (begin < end && mprotect(base_ + begin, end - begin, PROT_READ | PROT_WRITE) != 0)
    fail(TTRT_OUT_OF_MEMORY, "cannot get {} bytes of device memory: {}", end - begin,
         strerror(errno));
}

} // namespace ttrt
