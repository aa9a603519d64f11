// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary encoding of a command stream, shared by the compiler that writes it and the runtime
// that walks it. A stream is a sequence of commands at 8-byte aligned addresses, little-endian, and
// ends with exactly one end command. Reserved fields are zero. Addresses are flat device addresses:
// offsets from the start of DRAM.
//
// Who does what: every core walks the whole stream. A command's work is cut into workgroups
// 0 .. grid-1 (a dispatch has its program's grid, copy and fill one workgroup per
// kBytesPerWorkgroup). Core c of C begins with its share, workgroups [firstWorkgroup(grid, c, C),
// firstWorkgroup(grid, c + 1, C)), and may then take over what others have not begun. Two kinds of
// commands are never taken over, so that they are ordered without barriers: those of one workgroup,
// which core 0 runs in stream order, and dispatches with an operand per workgroup. Cores wait for
// the work before them only at barriers (and at signals, at waits on a queue, where loops begin and
// end, and at the end).
//
// A loop is the commands from a repeat to its end_repeat. Its body stands in the stream once, with
// fixed addresses: what differs from iteration to iteration is data on the device. Loops are
// nested, and contain dispatches, copies, fills, barriers and loops only.

#ifndef TTRT_FORMAT_COMMANDS_H
#define TTRT_FORMAT_COMMANDS_H

#include <cstddef>
#include <cstdint>

namespace ttrt {

enum class Opcode : uint16_t {
  Dispatch = 1,   ///< run a program
  Copy = 2,       ///< move bytes inside the device
  Fill = 3,       ///< repeat an 8-byte pattern
  Barrier = 4,    ///< no core continues before all earlier work is done
  Signal = 5,     ///< a barrier, then the event is recorded
  Wait = 6,       ///< no core continues before the event has been recorded
  End = 7,        ///< the trace is complete when all work is done
  Exchange = 8,   ///< take part in a collective, with the other devices of the mesh
  Send = 9,       ///< let the receivers of a permutation have its input
  Receive = 10,   ///< get the output of a permutation
  Offer = 11,     ///< let other devices read the input of a later exchange
  Repeat = 12,    ///< repeat the commands up to the matching end_repeat
  EndRepeat = 13, ///< a header alone
};

struct CommandHeader {
  Opcode opcode;
  uint16_t reserved;
  uint32_t size; ///< of the whole command in bytes, header included, a multiple of 8
};

/// Followed by `operandCount` flat addresses (uint64_t each): all inputs in order, then all
/// outputs. The program is called with a pointer to them, right here in the stream.
struct DispatchCommand {
  CommandHeader header;
  uint32_t program; ///< index into the bundle's programs
  uint32_t operandCount;
};

/// Followed by `operandCount` flat addresses in DRAM: those of the collective's operands. Core 0
/// executes it: it returns when the output is complete, and when no other device will read the
/// input or the scratch any more.
struct ExchangeCommand {
  CommandHeader header;
  uint32_t collective; ///< index into the bundle's collectives
  uint32_t operandCount;
};

/// Send, Receive and Offer have the layout of an exchange and one operand. The collective of Send
/// and Receive is a permutation, which the two sides execute in entry points of their own
/// (EntryPoint.devices): Send, with the input, on devices without a source, and Receive, with the
/// output, on the others. Send returns when the receiver has the bytes. Offer, with the input,
/// returns at once; the next exchange of the collective in the stream has the same input, which
/// nothing writes in between.

/// The ranges must not overlap.
struct CopyCommand {
  CommandHeader header;
  uint64_t dst;
  uint64_t src;
  uint64_t bytes;
};

/// Byte i of the destination becomes byte i % 8 of the pattern (little-endian).
struct FillCommand {
  CommandHeader header;
  uint64_t dst;
  uint64_t bytes;
  uint64_t pattern;
};

struct EventCommand { ///< signal and wait
  CommandHeader header;
  uint32_t event; ///< index into the bundle's events
  uint32_t reserved;
};

/// Followed by `operandCount` CarriedRange: the bytes that an iteration hands to the next one, and
/// the last one to what follows the loop. All were written before. They are not empty, and none
/// overlaps another one. Nothing after the loop reads what else its body has written.
///
/// A sequential loop is a command of one workgroup: core 0 executes all of it. In any other, the
/// beginning of each iteration and the end of the loop are barriers.
struct RepeatCommand {
  CommandHeader header;
  uint64_t iterations; ///< at least 1; with a flag: at most
  /// Flat address of a byte in one of the ranges, or kNoFlag. An iteration, also the first one,
  /// begins only if that byte is not 0.
  uint64_t flag;
  uint64_t bodyBytes;    ///< from the end of this command to the beginning of its end_repeat
  uint32_t bodyCommands; ///< the commands between the two
  uint32_t operandCount;
  uint32_t options; ///< of RepeatOption
  uint32_t reserved;
};
struct CarriedRange {
  uint64_t address; ///< flat
  uint64_t bytes;
};
inline constexpr uint64_t kNoFlag = ~uint64_t(0);
enum RepeatOption : uint32_t {
  /// A run fails if the flag, which there is, is still not 0 after `iterations`.
  kFailsAtLimit = 1,
  /// Set if and only if every command of the body, also of loops in it, has one workgroup.
  kSequential = 2,
};

static_assert(sizeof(CommandHeader) == 8 && sizeof(DispatchCommand) == 16);
static_assert(sizeof(ExchangeCommand) == sizeof(DispatchCommand));
static_assert(sizeof(CopyCommand) == 32 && sizeof(FillCommand) == 32 && sizeof(EventCommand) == 16);
static_assert(sizeof(RepeatCommand) == 48 && sizeof(CarriedRange) == 16);

/// Every stream starts at a multiple of this, so that no two streams share a cache line.
inline constexpr uint64_t kStreamAlignment = 64;
/// Work of one workgroup of copy and fill.
inline constexpr uint64_t kBytesPerWorkgroup = 64 * 1024;
inline constexpr uint32_t kMaxOperands = 64;
/// Loops in each other, and the ranges that one of them carries.
inline constexpr uint32_t kMaxRepeatDepth = 8;
inline constexpr uint32_t kMaxCarried = 4096;

constexpr uint64_t dispatchSize(uint64_t operandCount) {
  return sizeof(DispatchCommand) + operandCount * sizeof(uint64_t);
}

/// First workgroup of the share of core `core`; `core == cores` gives the grid. Depends on nothing
/// else, so commands of equal grid have equal shares.
constexpr uint64_t firstWorkgroup(uint64_t grid, uint32_t core, uint32_t cores) {
  return (grid * core + cores - 1) / cores;
}

constexpr uint64_t transferGrid(uint64_t bytes) {
  return (bytes + kBytesPerWorkgroup - 1) / kBytesPerWorkgroup;
}

/// The entry of a compiled program. Operand i is stored at `base + operands[i]`; `scratch` is this
/// core's L1 (64-byte aligned, at least the program's scratch bytes). Workgroups are independent of
/// each other.
using ProgramFunction = void(const uint64_t *operands, uint8_t *base, uint8_t *scratch,
                             uint64_t workgroup);

} // namespace ttrt

#endif // TTRT_FORMAT_COMMANDS_H
