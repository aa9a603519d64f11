// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a walk over a command stream comes to less often than to a dispatch or a barrier: small
// rather than fast.

#include "Device/ScheduleTable.h"
#include "Device/Shares.h"
#include "Observe/MarkedCommand.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace ttrt {

//===----------------------------------------------------------------------===//
// Copies, fills, programs with markers
//===----------------------------------------------------------------------===//

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

/// A program with markers. The scratch of a core that runs no workgroup is not the program's.
void runMarked(Core &core, const BoundProgram &program, const uint64_t *operands) noexcept {
  runShare(core, program.grid, program.first, program.end, [&](uint64_t first, uint64_t end) {
    const RecordedProgram recorded(*program.markers, core.markers);
    caller(core, program.function, operands)(first, end);
  });
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
  const uint32_t turn = expected[0]++;
  if (index == 0) {
    if (!events->await(event)) [[unlikely]]
      claims->abort(job.number, turn);
    ++completed[0];
  }
  barrier();
  return !claims->isAborted(job.number, turn);
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
      claims->abort(job.number, expected[0]);
    ++completed[0];
  }
  ++expected[0];
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

using Decision = WorkgroupClaims::Decision;

Decision Core::decide(const RepeatCommand &command, uint64_t done) noexcept {
  if (skips()) [[unlikely]]
    return WorkgroupClaims::kStop;
  if (command.flag != kNoFlag && base[command.flag] == 0)
    return WorkgroupClaims::kEnd;
  if (done < command.iterations)
    return WorkgroupClaims::kContinue;
  if (command.options & kFailsAtLimit) [[unlikely]]
    overrun = &command;
  return WorkgroupClaims::kEnd;
}

/// Whether an iteration begins. Without a flag, no core has to be told how the loop goes on. But
/// counters are compared modulo 2^31, and a request to stop must not take as long as the loop, so
/// from time to time all meet.
bool Core::begins(const RepeatCommand &command, uint64_t done) noexcept {
  constexpr uint32_t kMostAhead = 1 << 18;
  if (cores == 1)
    return decide(command, done) == WorkgroupClaims::kContinue;
  barrier();
  if (stopped) [[unlikely]]
    return false;
  const bool meets = expected[0] - met > kMostAhead;
  if (meets) [[unlikely]] {
    // No core is past this place, so none has claimed a workgroup of what follows.
    claims->leaveShare(index, sequence);
    countIn();
    met = expected[0];
  } else if (command.flag == kNoFlag) {
    return done < command.iterations;
  }
  const uint32_t turn = expected[0]++;
  if (index == 0) {
    claims->decide(decide(command, done), turn);
    ++completed[0];
  }
  barrier();
  const Decision decision = claims->decision(turn);
  if (decision == WorkgroupClaims::kContinue)
    return true;
  stopped = decision == WorkgroupClaims::kStop;
  countIn(); // the next decision waits for all to know of this one
  return false;
}

static void walkMarked(Core &core, const uint8_t *stream, uint32_t command) noexcept;

void Core::repeat(const RepeatCommand &command) noexcept {
  // A command of one workgroup: core 0 executes it as if there were no others.
  const bool isAlone = cores != 1 && command.options & kSequential;
  const uint32_t all = cores, before = completed[0];
  const uint16_t turn = markers ? markers->turn : 0;
  if (isAlone) {
    ++expected[0];
    if (index != 0)
      return;
    cores = 1;
  }
  const auto *body = reinterpret_cast<const uint8_t *>(&command) + command.header.size;
  const uint32_t number = markers ? markers->command : 0;
  for (uint64_t done = 0;; ++done) {
    bool goesOn;
    if (markers) [[unlikely]] {
      ++markers->turn;
      const MarkedCommand marked(*markers, number, command.header);
      goesOn = begins(command, done);
    } else {
      goesOn = begins(command, done);
    }
    if (!goesOn)
      break;
    if (markers) [[unlikely]]
      walkMarked(*this, body, number + 1);
    else
      walkStream(*this, body);
  }
  if (isAlone) {
    cores = all;
    completed[0] = before + 1;
    if (markers)
      markers->turn = turn; // as that of the others
  }
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
  case Opcode::EndRepeat:
    return;
  case Opcode::Repeat:
    return core.repeat(reinterpret_cast<const RepeatCommand &>(header));
  }
}

void executeMarked(Core &core, uint32_t command, const CommandHeader &header) noexcept {
  if (header.opcode == Opcode::Repeat) { // each iteration has markers
    core.markers->command = command;
    return executeCommand(core, header);
  }
  const MarkedCommand marked(*core.markers, command, header);
  executeCommand(core, header);
}

const char *Cores::execute(const ResolvedStep &step, StreamEvents *events) noexcept {
  switch (step.kind) {
  case fb::StepKind::Execute:
  case fb::StepKind::Dispatch:
    return run(step, events) ? nullptr : whyFailed(step);
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

/// Up to the end of the stream or of the loop that it is in. `command` is the number of the first.
static void walkMarked(Core &core, const uint8_t *stream, uint32_t command) noexcept {
  for (;; ++command) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(stream);
    if (header.opcode == Opcode::EndRepeat)
      return;
    if (header.opcode == Opcode::End || header.opcode == Opcode::Wait) {
      const MarkedCommand marked(*core.markers, command, header);
      if (header.opcode == Opcode::End ||
          !core.wait(reinterpret_cast<const EventCommand &>(header).event))
        return core.barrier();
    } else {
      executeMarked(core, command, header);
    }
    stream += header.size;
    if (header.opcode == Opcode::Repeat) {
      stream += afterBody(header);
      command += reinterpret_cast<const RepeatCommand &>(header).bodyCommands + 1;
    }
  }
}

void walkStreamMarked(Core &core, const uint8_t *stream, uint32_t step) noexcept {
  MarkerRing &markers = *core.markers;
  if (markers.counters) [[unlikely]]
    markers.counters->bind();
  markers.step = step;
  markers.turn = 0;
  markers.begin(MarkerKind::StreamBegin, step, markers.streams++);
  walkMarked(core, stream, 0);
  markers.end(MarkerKind::StreamEnd, step);
  markers.step = profile::kNone;
}

} // namespace ttrt
