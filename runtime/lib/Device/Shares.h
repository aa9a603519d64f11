// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who runs which workgroups, for all kinds of commands.

#ifndef TTRT_LIB_DEVICE_SHARES_H
#define TTRT_LIB_DEVICE_SHARES_H

#include "Device/Cores.h"

namespace ttrt {

/// Runs workgroups [first, end), which are this core's share of `grid`.
template <typename Run>
[[gnu::always_inline]] inline void runShare(Core &core, uint64_t grid, uint64_t first, uint64_t end,
                                            Run run) noexcept {
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
void runClaimed(Core &core, uint64_t grid, uint64_t first, uint64_t end, const void *run,
                RunRange *call) noexcept;
template <typename Run>
static inline void runClaimed(Core &core, uint64_t grid, uint64_t first, uint64_t end,
                              const Run &run) noexcept {
  runClaimed(core, grid, first, end, &run, callRange<Run>);
}

/// Workgroups [first, end) of a program, one after another.
[[gnu::always_inline]] inline auto caller(const Core &core, ProgramFunction *function,
                                          const uint64_t *operands) {
  return [&core, function, operands](uint64_t first, uint64_t end) {
    for (uint64_t workgroup = first; workgroup < end; ++workgroup)
      function(operands, core.base, core.scratch, workgroup);
  };
}

/// Runs a program with markers.
[[gnu::noinline]] void runMarked(Core &core, const BoundProgram &program,
                                 const uint64_t *operands) noexcept;
/// In place of a program: the workgroups of a command that is skipped are counted like others.
inline void skip(const uint64_t *, uint8_t *, uint8_t *, uint64_t) {}

[[gnu::always_inline]] inline void dispatch(Core &core, const BoundProgram *programs,
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

/// Bytes from the end of a repeat to the command after the loop.
inline uint64_t afterBody(const CommandHeader &repeat) {
  return reinterpret_cast<const RepeatCommand &>(repeat).bodyBytes + sizeof(CommandHeader);
}

} // namespace ttrt

#endif // TTRT_LIB_DEVICE_SHARES_H
