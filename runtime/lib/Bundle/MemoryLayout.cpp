// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bundle/MemoryLayout.h"

#include <algorithm>

namespace ttrt {

MemoryLayout::MemoryLayout(const Bundle &bundle, uint64_t cores, uint32_t device) {
  const AddressMap &map = bundle.addresses();
  const uint64_t extra = cores > map.cores ? cores - map.cores : 0;
  rest = {map.dramBytes, map.size() + extra * map.l1Bytes};
  auto pages = [](const SegmentView &segment) -> MemoryRange {
    return {segment.address / kPageSize * kPageSize,
            alignUp(segment.address + segment.size, kPageSize)};
  };
  if (const SegmentView &segment = bundle.segment(fb::SegmentKind::Constants); segment.size)
    constants = pages(segment);
  if (const SegmentView &segment = bundle.shardOf(device); segment.size)
    shard = pages(segment);
  if (const SegmentView &segment = bundle.segment(fb::SegmentKind::Streams); segment.size)
    streams = pages(segment);
  MemoryRange writable{~uint64_t(0), 0};
  const auto *buffers = bundle.metadata().buffers();
  for (uint32_t i = 0; i < count(buffers); ++i) {
    const fb::Buffer &buffer = *buffers->Get(i);
    if (buffer.space() != fb::MemorySpace::Dram || buffer.kind() == fb::BufferKind::Constant)
      continue;
    writable.begin = std::min<uint64_t>(writable.begin, buffer.offset() / kPageSize * kPageSize);
    writable.end =
        std::max<uint64_t>(writable.end, alignUp(buffer.offset() + buffer.size(), kPageSize));
  }
  if (writable.end == 0)
    return;
  // Constants may be stored between buffers. verifyTables() has checked that they share no page.
  const bool isOrdered = constants.begin <= shard.begin;
  size_t ranges = 0;
  for (const MemoryRange &fixed : {isOrdered ? constants : shard, isOrdered ? shard : constants})
    if (fixed.size() && writable.begin < fixed.end && fixed.begin < writable.end) {
      dram[ranges++] = {writable.begin, std::max(writable.begin, fixed.begin)};
      writable.begin = std::min(writable.end, fixed.end);
    }
  dram[ranges] = writable;
}

MemoryRange MemoryLayout::writable() const {
  MemoryRange all;
  for (const MemoryRange &range : dram)
    if (range.size())
      all = {all.size() ? all.begin : range.begin, range.end};
  return all;
}

} // namespace ttrt
