// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/MemoryUse.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace ttrun {

using namespace ttrt;

const char *titleOf(BufferType type) {
  static const char *const kNames[] = {"DRAM", "L1", "TRACE", "host"};
  return kNames[static_cast<size_t>(type)];
}
const char *nameOf(BufferType type) {
  static const char *const kNames[] = {"dram", "l1", "trace", "host"};
  return kNames[static_cast<size_t>(type)];
}

static bool isIn(const fb::Buffer &buffer, BufferType type) {
  return (type == BufferType::Dram && buffer.space() == fb::MemorySpace::Dram) ||
         (type == BufferType::L1 && buffer.space() == fb::MemorySpace::L1) ||
         (type == BufferType::Host && buffer.space() == fb::MemorySpace::Host);
}

static Block blockOf(const Bundle &bundle, const fb::Trace &trace) {
  Block block;
  block.kind = "stream";
  block.name = text(trace.name());
  block.offset = trace.address() - bundle.metadata().trace_region()->address();
  block.size = alignUp(trace.size(), kStreamAlignment);
  block.type = std::to_string(trace.commands()) + " commands";
  return block;
}

std::vector<Block> blocksOf(const Bundle &bundle, const std::vector<Point> &timeline,
                            BufferType type) {
  std::vector<Block> blocks;
  if (type == BufferType::Trace) {
    for (uint32_t i = 0; i < count(bundle.metadata().traces()); ++i)
      blocks.push_back(blockOf(bundle, *bundle.metadata().traces()->Get(i)));
    return blocks;
  }
  const auto *buffers = bundle.metadata().buffers();
  for (uint32_t i = 0; i < count(buffers); ++i) {
    const fb::Buffer &buffer = *buffers->Get(i);
    // A scratch buffer only reserves the bytes of the dispatches below.
    if (isIn(buffer, type) && buffer.kind() != fb::BufferKind::Scratch)
      blocks.push_back({nameOf(buffer.kind()), text(buffer.name()), buffer.offset(), buffer.size(),
                        buffer.begin(), buffer.end(), text(buffer.type()),
                        bundle.location(buffer.source()), 0, buffer.shards(), i});
  }
  if (type == BufferType::L1)
    for (size_t time = 0; time < timeline.size(); ++time) {
      const Point &point = timeline[time];
      if (point.scratch)
        blocks.push_back({nameOf(fb::BufferKind::Scratch), point.of, 0, point.scratch, time,
                          time + 1, "", point.source, point.grid});
    }
  return blocks;
}

namespace {
/// The most bytes alive at one point, and the first such point.
struct Peak {
  uint64_t always = 0;
  std::map<uint64_t, uint64_t> begins, ends;
  uint64_t bytes = 0, time = 0;

  void add(const Block &block) {
    if (block.end == 0) {
      always += block.size;
    } else {
      begins[block.begin] += block.size;
      ends[block.end] += block.size;
    }
  }
  void finish() {
    uint64_t alive = bytes = always;
    auto end = ends.begin();
    for (const auto &[begin, size] : begins) {
      for (; end != ends.end() && end->first <= begin; ++end)
        alive -= end->second;
      alive += size;
      if (alive > bytes) {
        bytes = alive;
        time = begin;
      }
    }
  }
};
} // namespace

/// Sums up the addresses that blocks occupy, and finds the longest range that is never occupied.
static void measureGaps(const std::vector<Block> &blocks, TypeUse &use) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const Block &block : blocks)
    ranges.emplace_back(block.offset, block.offset + block.size);
  std::sort(ranges.begin(), ranges.end());
  uint64_t reached = 0;
  for (const auto &[begin, end] : ranges) {
    if (begin > reached)
      use.largestGap = std::max(use.largestGap, begin - reached);
    if (end > reached)
      use.used += end - std::max(begin, reached);
    reached = std::max(reached, end);
  }
  if (use.total > reached)
    use.largestGap = std::max(use.largestGap, use.total - reached);
  use.free = use.total > use.used ? use.total - use.used : 0;
}

static void addToKind(const Block &block, TypeUse &use) {
  const std::string_view kind = block.kind;
  if (kind == nameOf(fb::BufferKind::Constant))
    use.constants += block.size;
  else if (kind == nameOf(fb::BufferKind::Slot))
    use.slots += block.size;
  else if (kind == nameOf(fb::BufferKind::State))
    use.states += block.size;
  else if (kind == nameOf(fb::BufferKind::Host))
    use.staging += block.size;
  else if (kind == nameOf(fb::BufferKind::Scratch))
    use.scratch = std::max(use.scratch, block.size);
  else if (kind == "stream")
    use.streams += block.size;
}

TypeUse useOf(const Bundle &bundle, const std::vector<Point> &timeline, BufferType type) {
  TypeUse use;
  use.type = type;
  const AddressMap &map = bundle.addresses();
  const fb::Region *region = bundle.metadata().trace_region();
  const uint64_t regionBytes = region ? region->size() : 0;
  switch (type) {
  case BufferType::Dram:
    use.total = map.dramBytes - regionBytes;
    for (const Point &point : timeline) {
      use.moved += point.moved;
      use.movedConstants += point.movedConstants;
    }
    break;
  case BufferType::L1:
    use.total = map.l1Bytes;
    use.address = map.l1Address(0);
    break;
  case BufferType::Trace:
    use.total = regionBytes;
    use.address = region ? region->address() : map.dramBytes;
    break;
  case BufferType::Host:
    use.total = map.hostBytes;
    use.address = map.hostAddress();
    break;
  }

  const std::vector<Block> blocks = blocksOf(bundle, timeline, type);
  measureGaps(blocks, use);
  Peak all, activations;
  uint64_t lowest = ~uint64_t(0), highest = 0;
  for (const Block &block : blocks) {
    addToKind(block, use);
    all.add(block);
    // In L1 activations are planned together with scratch and everything else.
    if (type != BufferType::L1 && block.kind != nameOf(fb::BufferKind::Activation))
      continue;
    activations.add(block);
    lowest = std::min(lowest, block.offset);
    highest = std::max(highest, block.offset + block.size);
  }
  all.finish();
  activations.finish();
  use.peak = all.bytes;
  use.peakTime = all.time;
  use.lowerBound = activations.bytes;
  if (type == BufferType::L1 && use.lowerBound == use.scratch) // nothing but scratch
    use.lowerBound = lowest = highest = 0;
  use.lowerBoundTime = activations.time;
  use.arenaSize = highest > lowest ? highest - lowest : 0;
  // Blocks that are always alive are summed by kind. In L1 they are a few slots, listed at the
  // peak.
  for (const Block &block : blocks)
    if ((block.end || type == BufferType::L1) && block.alive(use.peakTime))
      use.atPeak.push_back(block);
  std::sort(use.atPeak.begin(), use.atPeak.end(), [](const Block &a, const Block &b) {
    return a.size != b.size ? a.size > b.size : a.name < b.name;
  });
  return use;
}

} // namespace ttrun
