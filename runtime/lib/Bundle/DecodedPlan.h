// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands and steps of a bundle, decoded once into the bytes that each reads and writes. The
// proof walks it, and the device asks it what may be overwritten or skipped.

#ifndef TTRT_LIB_BUNDLE_DECODEDPLAN_H
#define TTRT_LIB_BUNDLE_DECODEDPLAN_H

#include "Bundle/Access.h"

#include <string>
#include <vector>

namespace ttrt {

/// A command of a stream, or a step of a schedule.
struct Op {
  const ActionInfo *info = nullptr;
  const fb::Step *step = nullptr; ///< null in a stream
  uint64_t grid = 1;              ///< workgroups; if 1, core 0 runs it in the queue's order
  /// Into info->table. Of a loop: the number of its end; of that, the number of the loop.
  uint32_t index = 0;
  uint32_t first = 0; ///< its accesses are [first, end) of the list
  uint32_t end = 0;
  uint32_t detail = 0; ///< a digest: of a fill's pattern, or of a loop

  OrderRole role() const { return info->role; }
  bool runsProgram() const { return info->table == IndexedTable::Program; }
  /// Whether it waits for other devices.
  bool meets() const {
    return info->table == IndexedTable::Collective && info->inCollective != CollectiveRole::Offer;
  }
};

struct OpList {
  std::vector<Op> ops;
  std::vector<Access> accesses;
};

struct DecodedSchedule {
  OpList steps;                        ///< prologue, body, epilogue
  uint32_t bodyBegin = 0, bodyEnd = 0; ///< steps of the body
};

/// A command of a stream that waits for other devices.
struct Meeting {
  CollectiveRole role;
  uint32_t collective;
  uint32_t trace, command;
  uint32_t number; ///< of the same collective in one inference, from 0

  bool isSame(const Meeting &other) const {
    return role == other.role && collective == other.collective;
  }
};

struct DecodedPlan {
  /// Decodes a bundle whose tables, streams and schedules have been verified.
  explicit DecodedPlan(const Bundle &bundle);

  std::vector<OpList> traces;                          ///< without their end commands
  std::vector<std::vector<DecodedSchedule>> schedules; ///< [entry point][schedule]
  /// For entry points of some devices: the meetings of one inference, in the order of the default
  /// schedule. verifyExchangesMatch() shows that all inferences of all schedules have them.
  std::vector<std::vector<Meeting>> meetings;
};

/// Calls function(const Meeting &, uint32_t step) for all that a schedule executes, in the order of
/// the host. Their numbers are not set.
template <typename Function>
void forEachMeeting(const DecodedPlan &plan, const DecodedSchedule &schedule, Function function) {
  for (uint32_t step = 0; step < schedule.steps.ops.size(); ++step) {
    const Op &execute = schedule.steps.ops[step];
    if (execute.role() != OrderRole::Execute)
      continue;
    const std::vector<Op> &ops = plan.traces[execute.index].ops;
    for (uint32_t command = 0; command < ops.size(); ++command)
      if (ops[command].meets())
        function(
            Meeting{ops[command].info->inCollective, ops[command].index, execute.index, command, 0},
            step);
  }
}

/// The inferences of steps [begin, end), as transfers tell; 1 for an entry point without ports.
uint64_t countInferences(const fb::EntryPoint &entry, const DecodedSchedule &schedule,
                         uint32_t begin, uint32_t end);

/// A plan whose accesses have their buffers (Access::kind, Access::buffer): the result of
/// verifyMemory().
struct PlacedPlan : DecodedPlan {
  explicit PlacedPlan(DecodedPlan &&plan) : DecodedPlan(std::move(plan)) {}
};

/// The addresses of buffers, regardless of their lifetimes. Immutable: all functions are
/// thread-safe if their guesses are not shared.
class BufferIndex {
public:
  explicit BufferIndex(const Bundle &bundle);

  struct Reach {
    uint64_t begin;
    uint64_t end;
  };
  /// A buffer without a lifetime.
  struct Permanent {
    uint64_t begin;
    uint64_t end;
    const fb::Buffer *buffer;
  };
  /// Guesses where to look first, from one search to the next.
  struct Near {
    size_t reach = 0;
    size_t permanent = 0;
  };
  /// The addresses that an access touches; where they are equal in several shards, those in core 0.
  Reach reachOf(const Access &access) const;
  /// Whether one buffer contains all of the bytes.
  bool isInsideOne(const Reach &bytes, Near &near) const;
  /// A permanent buffer that contains one of the bytes; null if there is none.
  const Permanent *permanentAt(const Reach &bytes, Near &near) const;

private:
  const Bundle &bundle;
  /// Bounds of buffers, by their begin; only those that end after all previous ones.
  std::vector<uint64_t> begins, ends;
  std::vector<uint64_t> permanentBegins;
  std::vector<Permanent> permanent; ///< no two overlap
};

/// "command 3 of trace 'main_t0' (conv_relu, from Conv_0)"
std::string describeCommand(const Bundle &bundle, uint32_t trace, uint32_t command);
/// "write of input 'x'", "execute of trace 'main_t0'", ...
std::string describeStep(const Bundle &bundle, const fb::EntryPoint &entry, const fb::Step &step);

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_DECODEDPLAN_H
