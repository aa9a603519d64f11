// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a command stream. The verifier has checked every command, so nothing is checked
// here.

#include "Cores.h"
#include "MarkedCommand.h"
#include "ScheduleTable.h"

#include <algorithm>
#include <cstring>

namespace ttrt {

static void copyBytes(const Core &core, const CopyCommand &command) noexcept {
  const uint64_t grid = transferGrid(command.bytes);
  const uint64_t begin = firstWorkgroup(grid, core.index, core.cores) * kBytesPerWorkgroup;
  const uint64_t end = std::min(command.bytes, firstWorkgroup(grid, core.index + 1, core.cores) *
                                                   kBytesPerWorkgroup);
  if (begin < end)
    memcpy(core.base + command.dst + begin, core.base + command.src + begin, end - begin);
}

static void fillBytes(const Core &core, const FillCommand &command) noexcept {
  const uint64_t grid = transferGrid(command.bytes);
  const uint64_t begin = firstWorkgroup(grid, core.index, core.cores) * kBytesPerWorkgroup;
  const uint64_t end = std::min(command.bytes, firstWorkgroup(grid, core.index + 1, core.cores) *
                                                   kBytesPerWorkgroup);
  // Workgroups are whole patterns, so each begins with the pattern's first byte.
  static_assert(kBytesPerWorkgroup % sizeof(command.pattern) == 0);
  uint8_t *dst = core.base + command.dst;
  uint64_t at = begin;
  for (; at + sizeof(command.pattern) <= end; at += sizeof(command.pattern))
    memcpy(dst + at, &command.pattern, sizeof(command.pattern));
  if (at < end)
    memcpy(dst + at, &command.pattern, end - at);
}

/// Workgroups [first, end) of a program with markers.
[[gnu::noinline]] static void runMarked(const Core &core, ProgramFunction *function,
                                        ProgramMarkers &markers, const uint64_t *operands,
                                        uint64_t first, uint64_t end) noexcept {
  if (first == end) // the scratch of a core that runs no workgroup is not the program's
    return;
  const RecordedProgram recorded(markers, core.markers);
  for (uint64_t workgroup = first; workgroup < end; ++workgroup)
    function(operands, core.base, core.scratch, workgroup);
}

[[gnu::always_inline]] static inline void dispatch(const Core &core, const BoundProgram *programs,
                                                   const DispatchCommand &command) noexcept {
  const BoundProgram &program = programs[command.program];
  const auto *operands = reinterpret_cast<const uint64_t *>(&command + 1);
  if (program.markers) [[unlikely]]
    return runMarked(core, program.function, *program.markers, operands, program.first,
                     program.end);
  for (uint64_t workgroup = program.first; workgroup < program.end; ++workgroup)
    program.function(operands, core.base, core.scratch, workgroup);
}

void Core::signal(uint32_t event) noexcept {
  barrier();
  if (events && index == 0)
    events->record(event);
}

bool Core::wait(uint32_t event) noexcept {
  // Alone: the verifier has found the record earlier in the order of execution, and recording is a
  // barrier. So every core that gets here has passed it.
  if (!events)
    return true;
  // One core waits and all hear of it at the barrier: whether to go on must be one decision.
  if (index == 0 && !events->await(event)) [[unlikely]] {
    events->aborted = true;
    events->abortedAt.store((uint64_t(1) << 32) + uint32_t(meeting + 1), std::memory_order_relaxed);
  }
  barrier();
  return events->abortedAt.load(std::memory_order_relaxed) != (uint64_t(1) << 32) + meeting;
}

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
  case Opcode::Wait:
  case Opcode::End:
    return;
  }
}

const char *Cores::execute(const ResolvedStep &step, StreamEvents *events) noexcept {
  switch (step.kind) {
  case fb::StepKind::Execute:
  case fb::StepKind::Dispatch:
    return run(step, events) ? nullptr
                             : "the queue that should record an event it waits for has stopped";
  case fb::StepKind::HostDispatch: {
    const MarkedStep marked(first().markers, step.number);
    if (step.host)
      return step.host->run();
    if (ProgramMarkers *markers = first().programs[step.index].markers) {
      runMarked(first(), step.function, *markers, step.words.data(), 0, step.grid);
      return nullptr;
    }
    for (uint64_t workgroup = 0; workgroup < step.grid; ++workgroup)
      step.function(step.words.data(), first().base, first().scratch, workgroup);
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
