// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle's tables as text and as JSON: names, decoded commands, sums.

#ifndef TTC_TOOLING_DESCRIBE_DESCRIBE_H
#define TTC_TOOLING_DESCRIBE_DESCRIBE_H

#include "Bundle/Bundle.h"
#include "ttrt/format/steps.h"

#include <string>
#include <vector>

namespace ttrun {

const char *nameOf(ttrt::fb::MemorySpace space);
const char *nameOf(ttrt::fb::BufferKind kind);
const char *nameOf(ttrt::fb::Access access);

/// A command with its indices resolved to names.
struct DecodedCommand {
  uint64_t time = 0;   ///< point of the timeline; TimelineIndex::kUnknown: none
  uint64_t offset = 0; ///< in the stream
  uint64_t bytes = 0;  ///< of the command itself
  const ttrt::ActionInfo *info = nullptr;
  std::string program;    ///< of a dispatch
  std::string collective; ///< of an exchange: its name
  uint64_t grid = 0;
  struct Operand {
    std::string role; ///< "in", "out", "inout"
    std::string buffer;
    uint64_t offset;  ///< inside the buffer
    uint64_t address; ///< flat
    uint64_t bytes;   ///< to the end of the last row
    uint64_t rows;
    uint64_t row;      ///< bytes
    bool perWorkgroup; ///< row k belongs to workgroup k
  };
  std::vector<Operand> operands;
  uint64_t pattern = 0; ///< of a fill
  /// Of a loop's beginning: how often, at most if it has a flag, and whether it fails then.
  uint64_t iterations = 0;
  bool hasFlag = false, failsAtLimit = false;
  uint64_t flag = 0;  ///< its address
  uint32_t depth = 0; ///< loops around the command
  std::string event;  ///< of a signal or wait
  std::string source;
};

struct DecodedTrace {
  const ttrt::fb::Trace *table = nullptr;
  std::vector<DecodedCommand> commands;
};

/// All traces, at the points of the timeline where the default schedules first execute them or do
/// the same work (ttrt/format/timeline_index.h).
std::vector<DecodedTrace> decodeTraces(const ttrt::Bundle &bundle);

/// The entry points that access a state.
std::vector<std::string> entriesWithState(const ttrt::Bundle &bundle, const ttrt::fb::Port &state);

/// A point of the timeline (docs/bundle-format.md): a command of a trace, or a step of the host.
struct Point {
  std::string entry;
  std::string what; ///< the command's or the step's name: "dispatch", "write"
  std::string of;   ///< program, input, output, event, ...
  std::string source;
  int64_t trace = -1; ///< a command's; -1: a step of the host
  uint32_t command = 0;
  uint64_t offset = 0, bytes = 0; ///< a command's place in its stream
  uint64_t scratch = 0, grid = 0; ///< of a program
  /// The bytes of its accesses to DRAM, each counted once, and the part of them that is constants.
  uint64_t moved = 0, movedConstants = 0;
  /// A buffer that it accesses, by its index in the bundle's table.
  struct Touched {
    uint32_t buffer;
    bool read, write;
  };
  std::vector<Touched> touched; ///< each buffer once
};
/// The commands and host steps of all default schedules, in order of time.
std::vector<Point> timelineOf(const ttrt::Bundle &bundle);
/// "dispatch gemm_8, from Conv_0"
std::string pointText(const Point &point);

/// What a step refers to, as text: "input image slot 1", "event done".
std::string stepText(const ttrt::Bundle &bundle, const ttrt::fb::EntryPoint &entry,
                     const ttrt::fb::Step &step);

/// The bytes that the trace region occupies in each DRAM bank: it is spread evenly over all banks,
/// at DRAM's alignment.
uint64_t traceBytesPerBank(const ttrt::Bundle &bundle);

/// The largest scratch of any program.
uint64_t largestScratch(const ttrt::Bundle &bundle);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_DESCRIBE_H
