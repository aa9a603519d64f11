// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a command stream. The verifier has checked every command, so nothing is checked
// here.

#include "Device/Shares.h"

#include <algorithm>

namespace ttrt {

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

void runClaimed(Core &core, uint64_t grid, uint64_t first, uint64_t end, const void *run,
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
void Core::awaitAll() noexcept {
  for (uint32_t i = 0; i < claims->groups; ++i)
    if (completed[i])
      claims->complete(i, std::exchange(completed[i], 0));
  for (uint32_t i = 0; i < claims->groups; ++i)
    claims->await(i, expected[i]);
}

void walkStream(Core &core, const uint8_t *stream) noexcept {
  const BoundProgram *programs = core.programs.data();
  for (;;) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(stream);
    if (header.opcode == Opcode::Dispatch) [[likely]] {
      dispatch(core, programs, reinterpret_cast<const DispatchCommand &>(header));
    } else if (header.opcode == Opcode::EndRepeat) {
      return;
    } else {
      const bool isLast = header.opcode == Opcode::End ||
                          (header.opcode == Opcode::Wait &&
                           !core.wait(reinterpret_cast<const EventCommand &>(header).event));
      if (header.opcode == Opcode::Barrier || isLast)
        core.barrier();
      else
        executeCommand(core, header);
      if (isLast)
        return;
      if (header.opcode == Opcode::Repeat)
        stream += afterBody(header);
    }
    stream += header.size;
  }
}

} // namespace ttrt
