// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a command stream. The verifier has checked every command, so nothing is checked
// here.

#include "Device/Cores.h"
#include "Device/ScheduleTable.h"
#include "Observe/MarkedCommand.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace ttrt {

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

void Core::expectShares(uint64_t grid) noexcept {
  for (uint32_t i = 0; i < claims->groups; ++i) {
    const uint32_t begin = i * WorkgroupClaims::kGroup,
                   end = std::min(cores, begin + WorkgroupClaims::kGroup);
    // Count each core that has workgroups.
    expected[i] += grid >= cores ? end - begin
                                 : static_cast<uint32_t>(firstWorkgroup(grid, end, cores) -
                                                         firstWorkgroup(grid, begin, cores));
  }
}

void Core::expectAll(uint64_t grid) noexcept {
  if (claims->groups == 1) {
    expected[0] += static_cast<uint32_t>(grid);
    return;
  }
  for (uint32_t i = 0; i < claims->groups; ++i) {
    const uint32_t begin = i * WorkgroupClaims::kGroup,
                   end = std::min(cores, begin + WorkgroupClaims::kGroup);
    expected[i] += static_cast<uint32_t>(firstWorkgroup(grid, end, cores) -
                                         firstWorkgroup(grid, begin, cores));
  }
}

/// Runs workgroups [first, end), which are this core's share of `grid`.
template <typename Run>
[[gnu::always_inline]] static inline void runShare(Core &core, uint64_t grid, uint64_t first,
                                                   uint64_t end, Run run) noexcept {
  if (first < end) {
    run(first, end);
    ++core.completed[core.group];
  }
  if (core.cores > 1)
    core.expectShares(grid);
}

/// Calls the function object `run` for workgroups [first, end).
using RunRange = void(const void *run, uint64_t first, uint64_t end);
template <typename Run> static void callRange(const void *run, uint64_t first, uint64_t end) {
  (*static_cast<const Run *>(run))(first, end);
}

/// Runs this core's share, then what the other cores have not begun. No template: its code exists
/// once.
static void runClaimed(Core &core, uint64_t grid, uint64_t first, uint64_t end, const void *run,
                       RunRange *call) noexcept {
  WorkgroupClaims &claims = *core.claims;
  const uint32_t sequence = ++core.sequence;
  uint32_t workgroup, count = 0;
  for (; claims.claimOwn(core.index, sequence, static_cast<uint32_t>(first),
                         static_cast<uint32_t>(end), workgroup);
       ++count)
    call(run, workgroup, uint64_t(workgroup) + 1);
  core.completed[core.group] += count;
  uint64_t to = 0;
  for (uint32_t i = 1, other = core.index; i < core.cores; ++i) {
    other = other + 1 < core.cores ? other + 1 : 0;
    const uint64_t from = i == 1 || other == 0 ? firstWorkgroup(grid, other, core.cores) : to;
    to = firstWorkgroup(grid, other + 1, core.cores);
    if (from == to)
      continue;
    for (; claims.claimOther(other, sequence, static_cast<uint32_t>(from),
                             static_cast<uint32_t>(to), workgroup);
         ++core.completed[other / WorkgroupClaims::kGroup])
      call(run, workgroup, uint64_t(workgroup) + 1);
  }
  core.expectAll(grid);
}
template <typename Run>
static inline void runClaimed(Core &core, uint64_t grid, uint64_t first, uint64_t end,
                              const Run &run) noexcept {
  runClaimed(core, grid, first, end, &run, callRange<Run>);
}

/// Calls move(begin, end) for bytes [begin, end) of a transfer, which this core moves.
template <typename Move> static void transfer(Core &core, uint64_t bytes, Move move) noexcept {
  const uint64_t grid = transferGrid(bytes);
  const uint64_t first = firstWorkgroup(grid, core.index, core.cores),
                 end = firstWorkgroup(grid, core.index + 1, core.cores);
  auto run = [&](uint64_t from, uint64_t to) {
    move(from * kBytesPerWorkgroup, std::min(bytes, to * kBytesPerWorkgroup));
  };
  if (core.cores > 1 && isSharedGrid(grid))
    runClaimed(core, grid, first, end, run);
  else
    runShare(core, grid, first, end, run);
}

static void copyBytes(Core &core, const CopyCommand &command) noexcept {
  transfer(core, command.bytes, [&](uint64_t begin, uint64_t end) {
    memcpy(core.base + command.dst + begin, core.base + command.src + begin, end - begin);
  });
}

static void fillBytes(Core &core, const FillCommand &command) noexcept {
  // Workgroups are whole patterns, so each begins with the pattern's first byte.
  static_assert(kBytesPerWorkgroup % sizeof(command.pattern) == 0);
  uint8_t *dst = core.base + command.dst;
  transfer(core, command.bytes, [&](uint64_t begin, uint64_t end) {
    uint64_t at = begin;
    for (; at + sizeof(command.pattern) <= end; at += sizeof(command.pattern))
      memcpy(dst + at, &command.pattern, sizeof(command.pattern));
    if (at < end)
      memcpy(dst + at, &command.pattern, end - at);
  });
}

/// Workgroups [first, end) of a program, one after another.
[[gnu::always_inline]] static inline auto caller(const Core &core, ProgramFunction *function,
                                                 const uint64_t *operands) {
  return [&core, function, operands](uint64_t first, uint64_t end) {
    for (uint64_t workgroup = first; workgroup < end; ++workgroup)
      function(operands, core.base, core.scratch, workgroup);
  };
}

/// A program with markers. The scratch of a core that runs no workgroup is not the program's.
[[gnu::noinline]] static void runMarked(Core &core, const BoundProgram &program,
                                        const uint64_t *operands) noexcept {
  runShare(core, program.grid, program.first, program.end, [&](uint64_t first, uint64_t end) {
    const RecordedProgram recorded(*program.markers, core.markers);
    caller(core, program.function, operands)(first, end);
  });
}

/// In place of a program: the workgroups of a command that is skipped are counted like others.
static void skip(const uint64_t *, uint8_t *, uint8_t *, uint64_t) {}

[[gnu::always_inline]] static inline void dispatch(Core &core, const BoundProgram *programs,
                                                   const DispatchCommand &command) noexcept {
  const BoundProgram &program = programs[command.program];
  const auto *operands = reinterpret_cast<const uint64_t *>(&command + 1);
  ProgramFunction *const function = core.skips() ? skip : program.function;
  if (program.markers) [[unlikely]]
    runMarked(core, program, operands);
  else if (program.shared)
    runClaimed(core, program.grid, program.first, program.end, caller(core, function, operands));
  else
    runShare(core, program.grid, program.first, program.end, caller(core, function, operands));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void Core::signal(uint32_t event) noexcept {
  barrier();
  if (job.hasEvents && index == 0)
    events->record(event);
}

bool Core::wait(uint32_t event) noexcept {
  // Alone: the verifier has found the record earlier in the order of execution, and recording is a
  // barrier. So every core that gets here has passed it.
  if (!job.hasEvents)
    return true;
  // To wait is core 0's work, and the others wait for that.
  if (index == 0) {
    if (!events->await(event)) [[unlikely]]
      claims->abort(job.number);
    ++completed[0];
  }
  ++expected[0];
  barrier();
  return !claims->isAborted(job.number);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void Core::exchange(const ExchangeCommand &command) noexcept {
  // Core 0's work, as a command of one workgroup. After a failure, the rest of the stream computes
  // with what is there; run() reports it.
  if (index == 0) {
    if (skips()) [[unlikely]] // the others do not wait for this device any more
      transport->fail(transport, stop->message());
    const auto *operands = reinterpret_cast<const uint64_t *>(&command + 1);
    const int failed = command.header.opcode == Opcode::Exchange
                           ? transport->exchange(transport, command.collective, operands)
                       : command.header.opcode == Opcode::Send
                           ? transport->send(transport, command.collective, *operands)
                       : command.header.opcode == Opcode::Receive
                           ? transport->receive(transport, command.collective, *operands)
                           : transport->offer(transport, command.collective, *operands);
    if (failed != 0) [[unlikely]]
      claims->abort(job.number);
    ++completed[0];
  }
  ++expected[0];
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

void executeCommand(Core &core, const CommandHeader &header) noexcept {
  switch (header.opcode) {
  case Opcode::Dispatch:
    return dispatch(core, core.programs.data(), reinterpret_cast<const DispatchCommand &>(header));
  case Opcode::Copy:
    return copyBytes(core, reinterpret_cast<const CopyCommand &>(header));
  case Opcode::Fill:
    return fillBytes(core, reinterpret_cast<const FillCommand &>(header));
  case Opcode::Barrier:
    return core.barrier();
  case Opcode::Signal:
    return core.signal(reinterpret_cast<const EventCommand &>(header).event);
  case Opcode::Exchange:
  case Opcode::Send:
  case Opcode::Receive:
  case Opcode::Offer:
    return core.exchange(reinterpret_cast<const ExchangeCommand &>(header));
  case Opcode::Wait:
  case Opcode::End:
  case Opcode::Repeat:
  case Opcode::EndRepeat:
    return;
  }
}

const char *Cores::execute(const ResolvedStep &step, StreamEvents *events) noexcept {
  switch (step.kind) {
  case fb::StepKind::Execute:
  case fb::StepKind::Dispatch:
    return run(step, events) ? nullptr : whyAborted();
  case fb::StepKind::HostDispatch: {
    const MarkedStep marked(first().markers, step.number);
    if (step.host)
      return step.host->run();
    std::optional<RecordedProgram> recorded;
    if (ProgramMarkers *markers = first().programs[step.index].markers)
      recorded.emplace(*markers, first().markers);
    caller(first(), step.function, step.words.data())(0, step.grid);
    return nullptr;
  }
  case fb::StepKind::Copy: {
    const MarkedStep marked(first().markers, step.number);
    memcpy(step.dst, step.src, step.bytes);
    return nullptr;
  }
  case fb::StepKind::Write:
  case fb::StepKind::Read:
  case fb::StepKind::Record:
  case fb::StepKind::Wait:
    break;
  }
  return nullptr;
}

void walkStream(Core &core, const uint8_t *stream) noexcept {
  const BoundProgram *programs = core.programs.data();
  for (;;) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(stream);
    if (header.opcode == Opcode::Dispatch) [[likely]]
      dispatch(core, programs, reinterpret_cast<const DispatchCommand &>(header));
    else if (header.opcode == Opcode::End)
      return core.barrier();
    else if (header.opcode == Opcode::Wait) {
      if (!core.wait(reinterpret_cast<const EventCommand &>(header).event)) [[unlikely]]
        return core.barrier();
    } else
      executeCommand(core, header);
    stream += header.size;
  }
}

void walkStreamMarked(Core &core, const uint8_t *stream, uint32_t step) noexcept {
  MarkerRing &markers = *core.markers;
  if (markers.counters) [[unlikely]]
    markers.counters->bind();
  markers.step = step;
  markers.begin(MarkerKind::StreamBegin, step, markers.streams++);
  for (uint32_t command = 0;; ++command) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(stream);
    bool last = header.opcode == Opcode::End;
    {
      const MarkedCommand marked(markers, command, header);
      if (header.opcode == Opcode::Wait)
        last = !core.wait(reinterpret_cast<const EventCommand &>(header).event);
      else
        executeCommand(core, header);
      if (last)
        core.barrier();
    }
    if (last)
      break;
    stream += header.size;
  }
  markers.end(MarkerKind::StreamEnd, step);
  markers.step = profile::kNone;
}

} // namespace ttrt
