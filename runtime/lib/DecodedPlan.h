// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the proof walks: commands and steps of a bundle whose tables, streams and schedules have
// been verified, decoded once into who reads and writes which bytes.

#ifndef TTRT_LIB_DECODEDPLAN_H
#define TTRT_LIB_DECODEDPLAN_H

#include "Verifier.h"

#include <map>
#include <string>
#include <vector>

namespace ttrt {

inline constexpr uint32_t kNoProgram = ~0u;

enum class OpKind : uint8_t {
  Work,    ///< reads and writes
  Barrier, ///< orders all work of the trace before and behind it
  Record,  ///< of an event; in a stream (signal) also a barrier
  Wait,
  Execute, ///< of a trace: a step only
};

/// A command of a stream, or a step of a schedule.
struct Op {
  OpKind kind = OpKind::Work;
  uint64_t grid = 1;  ///< workgroups; those of one run on core 0 in the queue's order
  uint32_t index = 0; ///< Record, Wait: event; Execute: trace
  uint32_t first = 0; ///< its accesses are [first, end) of the list
  uint32_t end = 0;
  uint32_t program = kNoProgram;  ///< of a dispatch
  const fb::Step *step = nullptr; ///< null in a stream
};

struct OpList {
  std::vector<Op> ops;
  std::vector<Access> accesses;
};

struct DecodedSchedule {
  OpList steps;                        ///< prologue, body, epilogue
  uint32_t bodyBegin = 0, bodyEnd = 0; ///< steps of the body
};

struct DecodedPlan {
  explicit DecodedPlan(const Bundle &bundle);

  std::vector<OpList> traces;                          ///< without their end commands
  std::vector<std::vector<DecodedSchedule>> schedules; ///< [entry point][schedule]
};

/// Where buffers are, whatever the time.
class BufferIndex {
public:
  explicit BufferIndex(const Bundle &bundle);

  struct Reach {
    uint64_t begin;
    uint64_t end;
  };
  /// The addresses that an access touches; of equal ones in several shards, those of core 0.
  Reach reachOf(const Access &access) const;
  /// Whether one buffer has all of [begin, end).
  bool isInsideOne(uint64_t begin, uint64_t end) const;
  /// A buffer without lifetime that has one of the bytes; null if there is none.
  const fb::Buffer *permanentAt(uint64_t begin, uint64_t end) const;

private:
  const Bundle &bundle;
  /// Of buffers; each ends where the farthest of it and those that begin before it does.
  std::vector<Reach> reaches;
  std::map<uint64_t, const fb::Buffer *> permanent; ///< by address; no two overlap
};

/// "command 3 of trace 'main_t0' (conv_relu, from Conv_0)"
std::string describeCommand(const Bundle &bundle, uint32_t trace, uint32_t command);
/// "write of input 'x'", "execute of trace 'main_t0'", ...
std::string describeStep(const Bundle &bundle, const fb::EntryPoint &entry, const fb::Step &step);

} // namespace ttrt

#endif // TTRT_LIB_DECODEDPLAN_H
