// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/Residency.h"
#include "Base/Sort.h"

#include <algorithm>

namespace ttrt {

/// Sums up ranges of addresses, which come in their order, and finds the longest gap.
namespace {
struct RangeSum {
  uint64_t reached = 0, used = 0, gap = 0;

  void add(uint64_t begin, uint64_t end) {
    if (begin > reached)
      gap = std::max(gap, begin - reached);
    if (end > reached)
      used += end - std::max(begin, reached);
    reached = std::max(reached, end);
  }
  ttrt_memory_use finish(uint64_t total, uint64_t peak) {
    if (total > reached)
      gap = std::max(gap, total - reached);
    return {sizeof(ttrt_memory_use), total, used, total > used ? total - used : 0, peak, gap};
  }
};
} // namespace

static ttrt_memory_use useOf(const Bundle &bundle, fb::MemorySpace space, uint64_t total,
                             uint64_t scratch) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  // Points of the timeline, and how many bytes begin (+) or end (-) there: ends come first.
  std::vector<std::pair<uint64_t, int64_t>> changes;
  if (scratch)
    ranges.emplace_back(0, scratch);
  int64_t alive = static_cast<int64_t>(scratch);
  const auto *buffers = bundle.metadata().buffers();
  for (uint32_t i = 0; i < count(buffers); ++i) {
    const fb::Buffer &buffer = *buffers->Get(i);
    // A scratch buffer only reserves what programs say themselves.
    if (buffer.space() != space || buffer.kind() == fb::BufferKind::Scratch)
      continue;
    const int64_t bytes = static_cast<int64_t>(buffer.size());
    ranges.emplace_back(buffer.offset(), buffer.offset() + buffer.size());
    if (buffer.end() == 0) {
      alive += bytes;
    } else {
      changes.emplace_back(buffer.begin(), bytes);
      changes.emplace_back(buffer.end(), -bytes);
    }
  }
  sortItems(ranges);
  sortItems(changes);
  RangeSum sum;
  for (const auto &[begin, end] : ranges)
    sum.add(begin, end);
  int64_t peak = alive;
  for (const auto &[time, bytes] : changes)
    peak = std::max(peak, alive += bytes);
  return sum.finish(total, static_cast<uint64_t>(peak));
}

Residency::Residency(const Bundle &bundle, DeviceMemory &memory)
    : bundle_(bundle), memory_(memory),
      loaded_(new std::atomic<bool>[count(bundle.metadata().traces())]) {
  const fb::Bundle &metadata = bundle.metadata();
  const fb::Region *region = metadata.trace_region();
  uint64_t scratch = 0;
  for (uint32_t i = 0; i < count(metadata.programs()); ++i)
    scratch = std::max<uint64_t>(scratch, metadata.programs()->Get(i)->scratch_bytes());
  dram_ = useOf(bundle, fb::MemorySpace::Dram,
                bundle.addresses().dramBytes - (region ? region->size() : 0), 0);
  l1_ = useOf(bundle, fb::MemorySpace::L1, bundle.addresses().l1Bytes, scratch);
  for (uint32_t i = 0; i < count(metadata.traces()); ++i) {
    loaded_[i].store(true, std::memory_order_relaxed);
    byAddress_.push_back(i);
  }
  sortItems(byAddress_,
            [&](uint32_t a, uint32_t b) { return traceOf(a).address() < traceOf(b).address(); });
}

ttrt_memory_use Residency::use(ttrt_buffer_type type) const noexcept {
  if (type != TTRT_TRACE)
    return type == TTRT_DRAM ? dram_ : l1_;
  const fb::Region *region = bundle_.metadata().trace_region();
  if (!region)
    return TTRT_MEMORY_USE_INIT;
  RangeSum sum;
  uint64_t all = 0;
  for (uint32_t trace : byAddress_) {
    const uint64_t begin = traceOf(trace).address() - region->address();
    const uint64_t bytes = alignUp(traceOf(trace).size(), kStreamAlignment);
    all += bytes;
    if (isLoaded(trace))
      sum.add(begin, begin + bytes);
  }
  return sum.finish(region->size(), all);
}

bool Residency::isShared(uint64_t page, uint32_t but) const {
  return std::any_of(byAddress_.begin(), byAddress_.end(), [&](uint32_t trace) {
    const uint64_t begin = traceOf(trace).address(), end = begin + traceOf(trace).size();
    return trace != but && isLoaded(trace) && begin < page + kPageSize && page < end;
  });
}

void Residency::set(uint32_t trace, bool loaded) {
  if (isLoaded(trace) == loaded)
    return;
  const uint64_t end = traceOf(trace).address() + traceOf(trace).size();
  uint64_t begin = traceOf(trace).address() / kPageSize * kPageSize;
  uint64_t stop = alignUp(end, kPageSize);
  // Only the first and the last page can hold other streams.
  if (isShared(begin, trace))
    begin += kPageSize;
  if (begin < stop && isShared(stop - kPageSize, trace))
    stop -= kPageSize;
  if (begin < stop)
    memory_.setStreamPages(bundle_, begin, stop, loaded);
  loaded_[trace].store(loaded, std::memory_order_relaxed);
  released_.fetch_add(loaded ? uint32_t(-1) : 1, std::memory_order_relaxed);
}

} // namespace ttrt
