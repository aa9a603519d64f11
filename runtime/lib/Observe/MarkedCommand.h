// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_LIB_OBSERVE_MARKEDCOMMAND_H
#define TTRT_LIB_OBSERVE_MARKEDCOMMAND_H

#include "Observe/Counters.h"
#include "ttrt/format/steps.h"

namespace ttrt {

/// A command that is executed: its markers, and what is counted if it does work.
class MarkedCommand {
public:
  MarkedCommand(MarkerRing &ring, uint32_t command, const CommandHeader &header) noexcept
      : ring(ring), command(command) {
    ring.command = command;
    if (ring.counters && infoOf(header.opcode).role == OrderRole::Work) [[unlikely]] {
      counters = ring.counters;
      counters->begin(ring, command);
    } else {
      ring.begin(MarkerKind::CommandBegin, command, ring.turn);
    }
  }
  ~MarkedCommand() {
    if (counters) [[unlikely]]
      counters->end(ring, command);
    else
      ring.end(MarkerKind::CommandEnd, command);
    ring.command = profile::kNone;
  }
  MarkedCommand(const MarkedCommand &) = delete;
  MarkedCommand &operator=(const MarkedCommand &) = delete;

private:
  MarkerRing &ring;
  const uint32_t command;
  CounterGroup *counters = nullptr;
};

} // namespace ttrt

#endif // TTRT_LIB_OBSERVE_MARKEDCOMMAND_H
