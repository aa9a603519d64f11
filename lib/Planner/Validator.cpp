// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Planner/Validator.h"
#include <algorithm>
#include <map>

namespace ttc::planner {
namespace {

std::string name(size_t index) { return "buffer " + std::to_string(index); }

std::string range(int64_t begin, int64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

/// Sweeps over time and tracks the occupied byte ranges; the range of a buffer that starts must be
/// free.
class Sweep {
public:
  Sweep(std::span<const Buffer> buffers, std::span<const int64_t> offsets,
        std::vector<Fault> &faults)
      : buffers(buffers), offsets(offsets), faults(faults) {}

  void run() {
    struct Change {
      int64_t time;
      bool starts;
      size_t index;
    };
    std::vector<Change> changes;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].size > 0) {
        changes.push_back({buffers[i].lower, true, i});
        changes.push_back({buffers[i].upper, false, i});
      }
    std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
      return std::tuple(a.time, a.starts, a.index) < std::tuple(b.time, b.starts, b.index);
    });
    for (const Change &change : changes)
      change.starts ? start(change.index) : stop(change.index);
  }

private:
  void start(size_t index) {
    int64_t begin = offsets[index], end = begin + buffers[index].size;
    // Occupied ranges are disjoint, so of those that begin below only the last can reach this one.
    auto it = taken.lower_bound(begin);
    if (it != taken.begin() && std::prev(it)->second.end > begin)
      --it;
    if (it != taken.end() && it->first < end) {
      report(it->second.index, index);
      return; // not added: occupied ranges stay disjoint
    }
    taken.emplace(begin, Taken{end, index});
  }

  void stop(size_t index) {
    auto it = taken.find(offsets[index]);
    if (it != taken.end() && it->second.index == index)
      taken.erase(it);
  }

  void report(size_t first, size_t second) {
    auto bytes = [&](size_t i) { return range(offsets[i], offsets[i] + buffers[i].size); };
    auto time = [&](size_t i) { return range(buffers[i].lower, buffers[i].upper); };
    faults.push_back({FaultKind::Overlap, first, second,
                      name(first) + " at " + bytes(first) + ", alive in " + time(first) +
                          ", overlaps " + name(second) + " at " + bytes(second) + ", alive in " +
                          time(second)});
  }

  struct Taken {
    int64_t end;
    size_t index;
  };
  std::span<const Buffer> buffers;
  std::span<const int64_t> offsets;
  std::vector<Fault> &faults;
  std::map<int64_t, Taken> taken;
};

} // namespace

std::vector<Fault> validate(std::span<const Buffer> buffers, const Plan &plan,
                            std::optional<int64_t> capacity) {
  std::vector<Fault> faults;
  auto report = [&](FaultKind kind, size_t index, const std::string &message) {
    faults.push_back({kind, index, index, message});
  };
  if (plan.offsets.size() != buffers.size()) {
    report(FaultKind::Count, 0,
           "expected " + std::to_string(buffers.size()) + " offsets, found " +
               std::to_string(plan.offsets.size()));
    return faults;
  }
  int64_t highest = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = buffers[i];
    int64_t offset = plan.offsets[i], end = offset + buffer.size;
    highest = std::max(highest, end);
    if (buffer.size < 0 || buffer.alignment < 1 || buffer.lower >= buffer.upper) {
      report(FaultKind::BadBuffer, i,
             name(i) +
                 ": expected a size of at least 0, an alignment of at least 1 and a lifetime "
                 "that is not empty, found " +
                 std::to_string(buffer.size) + ", " + std::to_string(buffer.alignment) + " and " +
                 range(buffer.lower, buffer.upper));
      return faults;
    }
    if (offset < 0)
      report(FaultKind::Negative, i,
             name(i) + ": expected an offset of at least 0, found " + std::to_string(offset));
    if (offset % buffer.alignment != 0)
      report(FaultKind::Misaligned, i,
             name(i) + ": expected a multiple of " + std::to_string(buffer.alignment) +
                 ", found offset " + std::to_string(offset));
    if (buffer.offset && *buffer.offset != offset)
      report(FaultKind::Moved, i,
             name(i) + ": expected the fixed offset " + std::to_string(*buffer.offset) +
                 ", found " + std::to_string(offset));
    if (capacity && end > *capacity)
      report(FaultKind::Capacity, i,
             name(i) + ": expected an end of at most " + std::to_string(*capacity) + ", found " +
                 std::to_string(end));
  }
  if (highest != plan.arenaSize)
    report(FaultKind::ArenaSize, 0,
           "expected an arena size of " + std::to_string(highest) + ", found " +
               std::to_string(plan.arenaSize));
  Sweep(buffers, plan.offsets, faults).run();
  return faults;
}

} // namespace ttc::planner
