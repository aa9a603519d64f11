// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and sums over a bundle's tables, for people and for JSON.

#ifndef TTC_TOOLS_TTRUN_DESCRIBE_H
#define TTC_TOOLS_TTRUN_DESCRIBE_H

#include "Bundle.h"

#include <string>
#include <vector>

namespace ttrun {

const char *nameOf(ttrt::fb::MemorySpace space);
const char *nameOf(ttrt::fb::BufferKind kind);
const char *nameOf(ttrt::fb::StepKind kind);
const char *nameOf(ttrt::fb::Access access);
const char *nameOf(ttrt::Opcode opcode);
/// "1.5 MiB (1572864)"
std::string bytesText(uint64_t bytes);
std::string hexText(uint64_t value);

/// A command with everything looked up.
struct DecodedCommand {
  uint64_t time = 0; ///< point of the timeline
  ttrt::Opcode opcode;
  std::string program; ///< dispatch
  uint64_t grid = 0;
  struct Operand {
    std::string role; ///< "in", "out", "inout"
    std::string buffer;
    uint64_t offset;  ///< inside the buffer
    uint64_t address; ///< flat
    uint64_t bytes;
  };
  std::vector<Operand> operands;
  uint64_t pattern = 0; ///< fill
  std::string event;    ///< signal, wait
  std::string source;
};

struct DecodedTrace {
  const ttrt::fb::Trace *table = nullptr;
  std::vector<DecodedCommand> commands;
};

/// All traces, at the points of the timeline where the default schedules first execute them.
std::vector<DecodedTrace> decodeTraces(const ttrt::Bundle &bundle);

/// Use of one memory space.
struct SpaceUse {
  uint64_t total = 0;
  uint64_t constants = 0;
  uint64_t slots = 0;
  uint64_t activations = 0; ///< bytes that the activations' addresses span
  uint64_t peak = 0;        ///< largest sum of activations alive at one point
  uint64_t peakTime = 0;
  uint64_t other = 0;
  uint64_t trace = 0;
  std::vector<const ttrt::fb::Buffer *> atPeak; ///< largest first
};
SpaceUse useOf(const ttrt::Bundle &bundle, ttrt::fb::MemorySpace space);

/// The largest scratch of any program.
uint64_t largestScratch(const ttrt::Bundle &bundle);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_DESCRIBE_H
