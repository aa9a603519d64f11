// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which point of a bundle's timeline its commands and steps belong to: a flat address means the
// buffer that is alive there. For tools; the runtime itself trusts no such guess.
//
// The default schedules make the timeline, so their commands and steps have points of their own.
// The other schedules enqueue the same work in the same order, in other parts and on other slots:
// each piece of it belongs to the point where the default schedule does the same.

#ifndef TTRT_TIMELINE_INDEX_H
#define TTRT_TIMELINE_INDEX_H

#include "ttrt/ttc_bundle_generated.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ttrt {

class TimelineIndex {
public:
  static constexpr uint64_t kUnknown = UINT64_MAX;

  /// `streams`: the `size` bytes of the segment, which lie at flat address `address`. `permanent`:
  /// begin -> end of the buffers without lifetime, flat. Damaged streams and numbers out of range
  /// are left out; who reads them finds that.
  TimelineIndex(const fb::Bundle &bundle, const char *streams, uint64_t size, uint64_t address,
                std::map<uint64_t, uint64_t> permanent);

  /// kUnknown: for one that accesses no memory outside of the timeline, or like no other.
  uint64_t command(uint32_t trace, uint32_t command) const;
  /// Steps of a schedule count from its prologue on.
  uint64_t step(uint32_t entry, uint32_t schedule, uint32_t step) const;

private:
  /// What a command or step does to which addresses.
  struct Work {
    enum Kind { None, Dispatch, HostDispatch, Copy, Fill } kind = None;
    uint64_t what = 0; ///< program, or bytes
    std::vector<uint64_t> addresses;
    uint64_t point = kUnknown;
  };

  static std::vector<Work> decode(const char *stream, uint64_t size);
  static Work decode(const fb::Step &step);
  bool isPermanent(uint64_t address) const;
  bool isSame(const Work &a, const Work &b) const;
  void readDefault(const fb::Schedule &schedule, std::vector<Work> &work,
                   std::vector<uint64_t> &its);
  void readOther(const fb::Schedule &schedule, const std::vector<Work> &work,
                 std::vector<uint64_t> &its);

  std::map<uint64_t, uint64_t> permanent;
  std::vector<std::vector<Work>> traces;       ///< decoded
  std::vector<std::vector<uint64_t>> commands; ///< per trace; empty: in no schedule yet
  std::vector<std::vector<std::vector<uint64_t>>> steps;
  uint64_t time = 0;
};

} // namespace ttrt

#endif // TTRT_TIMELINE_INDEX_H
