// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/Memory.h"

#include "Base/Format.h"
#include "Base/ParallelHash.h"
#include "Device/HugePages.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace ttrt {

/// Pages without access; null with errno set if there are none, or not `wanted`.
static uint8_t *reservePages(uint8_t *wanted, uint64_t bytes, int flags) {
  void *address =
      mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (address == MAP_FAILED)
    return nullptr;
  if (flags && address != wanted) { // Linux before 4.17 takes MAP_FIXED_NOREPLACE for a hint
    munmap(address, bytes);
    errno = EEXIST;
    return nullptr;
  }
  return static_cast<uint8_t *>(address);
}

/// Pages of which the first one is `first` bytes from the begin of a huge page, if there is room
/// for that.
static uint8_t *reserveAligned(uint8_t *wanted, uint64_t bytes, uint64_t first) {
  uint8_t *address = reservePages(wanted, bytes + kHugePageSize, 0);
  if (!address)
    return reservePages(wanted, bytes, 0);
  const uint64_t lead = (first - reinterpret_cast<uintptr_t>(address)) % kHugePageSize;
  if (lead)
    munmap(address, lead);
  munmap(address + lead + bytes, kHugePageSize - lead);
  return address + lead;
}

/// Reserves the two ranges of reserved_ at their distance, and address 0 `first` bytes from the
/// begin of a huge page. What lies between them may become others' memory.
bool DeviceMemory::reserveParts(uint64_t first) {
  const auto &[low, top] = reserved_;
  uint8_t *hint = nullptr;
  for (uint64_t attempt = 1; attempt <= 32; ++attempt) {
    uint8_t *address = reserveAligned(hint, top.size(), first + top.begin);
    if (!address)
      return false;
    if (reinterpret_cast<uintptr_t>(address) > top.begin) {
      base_ = address - top.begin;
      if (low.size() == 0 || reservePages(base_ + low.begin, low.size(), MAP_FIXED_NOREPLACE))
        return true;
    }
    const int problem = errno;
    munmap(address, top.size());
    if (problem != EEXIST)
      break;
    hint = address - attempt * top.size() - (attempt << 32);
  }
  return false;
}

void DeviceMemory::reserve(const MemoryLayout &layout, const SegmentView &weights) {
  const uint64_t size = std::max(layout.rest.end, kPageSize);
  reserved_[1] = {0, size};
  // A copy of the weights has huge pages at multiples of their size. The file has them at multiples
  // of its own offsets, where the system's cache has any: then the device does, too.
  const uint64_t first = hugePages_ ? 0 : weights.offset - weights.address;
  base_ = reserveAligned(nullptr, size, first);
  if (base_)
    return;
  // The streams end where DRAM does.
  reserved_[1].begin = layout.streams.size() ? layout.streams.begin : layout.rest.begin;
  MemoryRange &low = reserved_[0];
  for (const MemoryRange &range :
       {layout.constants, layout.shard, layout.dram[0], layout.dram[1], layout.dram[2]}) {
    if (range.size() == 0)
      continue;
    low.begin = low.size() ? std::min(low.begin, range.begin) : range.begin;
    low.end = std::max(low.end, range.end);
  }
  if (reserved_[1].size() == 0 || low.end > reserved_[1].begin || !reserveParts(first)) {
    const int problem = errno;
    fail(TTRT_OUT_OF_MEMORY,
         "cannot reserve {} bytes of address space, of the {} that the device has: {}",
         low.size() + reserved_[1].size(), size, strerror(problem));
  }
}

void DeviceMemory::release() noexcept {
  for (const MemoryRange &range : reserved_)
    if (range.size())
      munmap(base_ + range.begin, range.size());
}

DeviceMemory::DeviceMemory(const Bundle &bundle, uint32_t cores, bool hugePages,
                           const MeshMembership &mesh)
    : map_(bundle.addresses()) {
  if (hugePages)
    hugeProblem_ = whyNoHugePages();
  hugePages_ = hugePages && !hugeProblem_;
  const MemoryLayout layout(bundle, cores, mesh.device());
  reserve(layout, bundle.segment(fb::SegmentKind::Constants));
  try {
    mapConstants(bundle, bundle.segment(fb::SegmentKind::Constants), layout.constants, copied_[0]);
    mapConstants(bundle, bundle.shardOf(mesh.device()), layout.shard, copied_[1]);
    mapFile(bundle.file(), bundle.segment(fb::SegmentKind::Streams));
    for (const MemoryRange &range : layout.dram)
      mapShared(range, mesh.memory());
    makeWritable(layout.rest);
    for (size_t i = 0; hugePages_ && i < std::size(writable_); ++i) {
      writable_[i] = layout.dram[i];
      hugeWanted_ += adviseHugePages(base_ + writable_[i].begin, writable_[i].size());
    }
  } catch (...) {
    release();
    throw;
  }
}

DeviceMemory::~DeviceMemory() { release(); }

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

void DeviceMemory::mapConstants(const Bundle &bundle, const SegmentView &segment, MemoryRange pages,
                                MemoryRange &copied) {
  if (hugePages_ && segment.size && copyWeights(bundle, segment, pages))
    copied = pages;
  else
    mapFile(bundle.file(), segment);
}

/// Writable DRAM: a part of the mesh's memory, or anonymous.
void DeviceMemory::mapShared(MemoryRange range, const SharedMemory &memory) {
  if (memory.descriptor < 0)
    return makeWritable(range);
  isShared_ = true;
  if (range.size() &&
      mmap(base_ + range.begin, range.size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           memory.descriptor,
           static_cast<off_t>(memory.offset + range.begin - memory.begin)) == MAP_FAILED)
    fail(TTRT_OUT_OF_MEMORY, "cannot map {} bytes of the mesh's memory: {}", range.size(),
         strerror(errno));
}

/// Returns false, with the reason in hugeProblem_, if the system has no huge pages for them.
bool DeviceMemory::copyWeights(const Bundle &bundle, const SegmentView &segment,
                               MemoryRange pages) {
  uint8_t *begin = base_ + pages.begin;
  if (wholeHugePages(begin, pages.size()) == 0) {
    hugeProblem_ = "the weights do not fill a huge page of 2 MiB";
    return false;
  }
  if (mmap(begin, pages.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
           0) == MAP_FAILED)
    fail(TTRT_OUT_OF_MEMORY, "cannot get {} bytes for a copy of the weights: {}", pages.size(),
         strerror(errno));
  const uint64_t wanted = adviseHugePages(begin, pages.size());
  if (wanted == 0) {
    hugeProblem_ = "the kernel refuses them";
    return false;
  }
  // What was verified is what is executed, also if the file has changed since.
  const uint64_t hash =
      readSegmentParallel(bundle.file().descriptor(), segment.offset, base_ + segment.address,
                          segment.size, segment.hash.has_value());
  if (segment.hash && hash != *segment.hash)
    failBad("the weights have changed since the bundle was opened: hash {:016x}, expected {:016x}",
            hash, *segment.hash);
  if (mprotect(begin, pages.size(), PROT_READ) != 0)
    fail(TTRT_OUT_OF_MEMORY, "cannot protect {} bytes of weights: {}", pages.size(),
         strerror(errno));
  hugeWanted_ += wanted;
  return true;
}

ttrt_huge_pages DeviceMemory::hugePages() const {
  ttrt_huge_pages result = TTRT_HUGE_PAGES_INIT;
  result.copied = copied_[0].size() + copied_[1].size();
  result.wanted = hugeWanted_;
  result.problem = hugeProblem_;
  if (hugeWanted_)
    for (const MemoryRange &range :
         {copied_[0], copied_[1], writable_[0], writable_[1], writable_[2]})
      if (range.size())
        result.huge += countHugePages(base_ + range.begin, range.size());
  return result;
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

void DeviceMemory::makeWritable(MemoryRange range) {
  if (range.size() && mprotect(base_ + range.begin, range.size(), PROT_READ | PROT_WRITE) != 0)
    fail(TTRT_OUT_OF_MEMORY, "cannot get {} bytes of device memory: {}", range.size(),
         strerror(errno));
}

} // namespace ttrt
