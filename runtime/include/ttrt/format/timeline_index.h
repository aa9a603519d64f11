// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The point of a bundle's timeline that each command and step belongs to. With it a tool can tell
// which buffer a flat address means: the one that is alive at that point. The runtime does not use
// it.
//
// The default schedules define the timeline, so their commands and steps have points of their own.
// Other schedules enqueue the same work in the same order, divided differently and on other slots.
// Each piece of their work belongs to the point at which the default schedule does the same.

#ifndef TTRT_FORMAT_TIMELINE_INDEX_H
#define TTRT_FORMAT_TIMELINE_INDEX_H

#include "ttrt/format/steps.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ttrt {

class TimelineIndex {
public:
  static constexpr uint64_t kUnknown = UINT64_MAX;

  /// `streams` are the `size` bytes of the segment at flat address `address`. `permanent` maps the
  /// begin to the end of the buffers without a lifetime, as flat addresses. Damaged streams and
  /// numbers out of range are ignored: the code that reads them reports them.
  TimelineIndex(const fb::Bundle &bundle, const char *streams, uint64_t size, uint64_t address,
                std::map<uint64_t, uint64_t> permanent);

  /// kUnknown if it accesses no memory and is outside the timeline, or if the default schedule does
  /// nothing like it.
  uint64_t command(uint32_t trace, uint32_t command) const;
  /// Steps of a schedule are numbered from the first one of its prologue.
  uint64_t step(uint32_t entry, uint32_t schedule, uint32_t step) const;

private:
  /// What a command or step does to which addresses.
  struct Work {
    AccessShape shape = AccessShape::None;
    bool onHost = false;
    uint64_t what = 0; ///< program, or bytes
    std::vector<uint64_t> addresses;
    uint64_t point = kUnknown;
  };

  static std::vector<Work> decode(const char *stream, uint64_t size);
  static Work decode(const fb::Step &step);
  static Work workOf(const Action &action);
  bool isPermanent(uint64_t address) const;
  bool isSame(const Work &a, const Work &b) const;
  void readDefault(const fb::Schedule &schedule, std::vector<Work> &work,
                   std::vector<uint64_t> &points);
  void readOther(const fb::Schedule &schedule, const std::vector<Work> &work,
                 std::vector<uint64_t> &points);

  std::map<uint64_t, uint64_t> permanent;
  std::vector<std::vector<Work>> traces;       ///< decoded
  std::vector<std::vector<uint64_t>> commands; ///< per trace; empty: in no schedule yet
  std::vector<std::vector<std::vector<uint64_t>>> steps;
  uint64_t time = 0;
};

} // namespace ttrt

#endif // TTRT_FORMAT_TIMELINE_INDEX_H
