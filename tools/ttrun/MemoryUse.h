// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a bundle's plan takes of each type of buffer memory, from its tables alone.

#ifndef TTC_TOOLS_TTRUN_MEMORYUSE_H
#define TTC_TOOLS_TTRUN_MEMORYUSE_H

#include "Describe.h"

#include <string>
#include <string_view>
#include <vector>

namespace ttrun {

/// The types of buffer memory. The trace region is a part of DRAM's addresses, but a type of its
/// own: Dram is what lies below it. L1 is that of one core: a buffer in L1 has one offset, the same
/// in every core. Host is the staging memory of host steps.
enum class BufferType { Dram, L1, Trace, Host };
inline constexpr BufferType kBufferTypes[] = {BufferType::Dram, BufferType::L1, BufferType::Trace,
                                              BufferType::Host};
/// "DRAM"
const char *titleOf(BufferType type);
/// "dram", the key in JSON
const char *nameOf(BufferType type);

/// Some bytes for some time: a buffer; the scratch of a dispatched program; a stream in the trace
/// region.
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

/// Bytes, unless it says otherwise.
struct TypeUse {
  BufferType type;
  uint64_t address = 0; ///< flat, where it begins (of L1: core 0's)
  uint64_t total = 0;
  uint64_t used = 0;       ///< addresses that some block takes at some time
  uint64_t free = 0;       ///< total - used
  uint64_t largestGap = 0; ///< longest range of addresses that no block takes at any time
  uint64_t peak = 0;       ///< largest sum alive at one point
  uint64_t peakTime = 0;   ///< the first such point
  // Sums by kind; scratch is used by one command at a time, so it is the largest.
  uint64_t constants = 0, slots = 0, states = 0, staging = 0, scratch = 0, streams = 0;
  /// Activations: the largest sum of them alive at one point, below which no plan can get, and what
  /// this plan takes: the addresses from the lowest to the highest of them. In L1 of all that lies
  /// there, scratch too; 0 where there is nothing else.
  uint64_t lowerBound = 0, lowerBoundTime = 0, height = 0;
  /// DRAM: bytes that the default schedules move through it, and those of constants among them.
  uint64_t moved = 0, movedConstants = 0;
  std::vector<Block> atPeak; ///< those with a lifetime that live at peakTime, largest first
};
TypeUse useOf(const ttrt::Bundle &bundle, const std::vector<Point> &timeline, BufferType type);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_MEMORYUSE_H
