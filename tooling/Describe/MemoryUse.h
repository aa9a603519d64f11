// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of each type of memory a bundle's plan uses, computed from its tables alone.

#ifndef TTC_TOOLING_DESCRIBE_MEMORYUSE_H
#define TTC_TOOLING_DESCRIBE_MEMORYUSE_H

#include "Describe/Describe.h"

#include <string>
#include <string_view>
#include <vector>

namespace ttrun {

/// The types of memory. The trace region is part of DRAM's addresses but a type of its own: Dram is
/// the range below it. L1 is the memory of one core: a buffer in L1 has the same offset in every
/// core. Host is the staging memory of host steps.
enum class BufferType { Dram, L1, Trace, Host };
inline constexpr BufferType kBufferTypes[] = {BufferType::Dram, BufferType::L1, BufferType::Trace,
                                              BufferType::Host};
/// "DRAM"
const char *titleOf(BufferType type);
/// "dram", the key in JSON
const char *nameOf(BufferType type);

/// A range of addresses for an interval of time: a buffer, the scratch of a dispatched program, or
/// a stream in the trace region.
struct Block {
  std::string_view kind; ///< nameOf(BufferKind), or "stream"
  std::string name;
  uint64_t offset = 0; ///< from the start of the type's memory; of a stream, of the trace region
  uint64_t size = 0;
  uint64_t begin = 0, end = 0; ///< points of the timeline, half open; both 0: always
  std::string type;            ///< "1x64x56x56xf32"
  std::string source;
  uint64_t grid = 0;   ///< of scratch: the workgroups, which determine the cores that use it
  uint32_t shards = 0; ///< in L1: the number of cores that hold a shard; 0: all
  int64_t buffer = -1; ///< index in the bundle's table; -1: not a buffer
  bool alive(uint64_t time) const { return end == 0 || (begin <= time && time < end); }
};

/// All blocks of a type: the table's buffers in their order, then scratch in the order of the
/// timeline.
std::vector<Block> blocksOf(const ttrt::Bundle &bundle, const std::vector<Point> &timeline,
                            BufferType type);

/// The use of one type of memory, in bytes.
struct TypeUse {
  BufferType type;
  uint64_t address = 0; ///< flat address of its start (L1: of core 0)
  uint64_t total = 0;
  uint64_t used = 0;       ///< addresses that a block occupies at some time
  uint64_t free = 0;       ///< total - used
  uint64_t largestGap = 0; ///< longest range that no block ever occupies
  uint64_t peak = 0;       ///< most bytes alive at one point
  uint64_t peakTime = 0;   ///< the first such point
  // Sums by kind; of scratch the maximum, because one command at a time uses it.
  uint64_t constants = 0, slots = 0, states = 0, staging = 0, scratch = 0, streams = 0;
  /// For activations: the most bytes alive at one point, which bounds every plan from below, and
  /// the arena size of this plan, from the lowest address to the highest. In L1 these include
  /// everything that is stored there, scratch too, and are 0 if there is only scratch.
  uint64_t lowerBound = 0, lowerBoundTime = 0, arenaSize = 0;
  /// DRAM: the bytes that the default schedules move, and the part of them that is constants.
  uint64_t moved = 0, movedConstants = 0;
  std::vector<Block> atPeak; ///< blocks with a lifetime that are alive at peakTime, largest first
};
TypeUse useOf(const ttrt::Bundle &bundle, const std::vector<Point> &timeline, BufferType type);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_MEMORYUSE_H
