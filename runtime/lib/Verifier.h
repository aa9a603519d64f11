// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that must hold before a command runs. Each function throws Error with a message that
// says what was expected and what was found, and relies on those before it having passed.

#ifndef TTRT_LIB_VERIFIER_H
#define TTRT_LIB_VERIFIER_H

#include "Bundle.h"

namespace ttrt {

struct DecodedPlan;

/// Tables: indices, sizes, alignments, every address inside its region, names unique.
void verifyTables(const Bundle &bundle);

/// Streams: every command well-formed, every index and address in range, one end at the end.
void verifyStreams(const Bundle &bundle);
/// One trace; `stream` is where it was mapped to.
void verifyStream(const Bundle &bundle, uint32_t trace, const uint8_t *stream);

/// Schedules: every step refers to something there is, and every wait to an earlier record.
void verifySchedules(const Bundle &bundle);

/// The plan in space: no two buffers that are alive at the same time overlap; every access goes to
/// one buffer that is alive, and may be written if it is written. Fills in the accesses' buffers.
void verifyMemory(const Bundle &bundle, DecodedPlan &decoded);

/// The plan in time, for every schedule, any number of iterations and any interleaving of cores and
/// queues: every read sees the write it should, and accesses that may happen at the same time do
/// not conflict (docs/proof.md).
void verifyOrder(const Bundle &bundle, const DecodedPlan &decoded, Proof &proof);

/// Whether this machine can run the bundle: architecture, CPU features, shared object. Throws
/// Error.
void verifyFit(const Bundle &bundle);

/// True if [address, address + size) lies in [begin, end).
constexpr bool isInside(uint64_t address, uint64_t size, uint64_t begin, uint64_t end) {
  return begin <= end && address >= begin && address <= end && size <= end - address;
}

/// The three parts of a schedule in order.
template <typename Function> void forEachStep(const fb::Schedule &schedule, Function function) {
  for (const auto *part : {schedule.prologue(), schedule.body(), schedule.epilogue()})
    for (uint32_t i = 0; i < count(part); ++i)
      function(*part->Get(i));
}

inline constexpr uint32_t kNoBuffer = ~0u;

/// What one command or step reads or writes: rows of `row` bytes, `pitch` apart, which end `bytes`
/// behind `address`. What is not cut into rows is one row.
struct Access {
  uint64_t address;
  uint64_t bytes;
  bool read;
  bool write;
  uint32_t operand; ///< for messages
  uint64_t row = bytes;
  uint64_t pitch = bytes;
  bool perWorkgroup = false; ///< row k by workgroup k
  /// Of the buffer there, found by verifyMemory(); outside the default schedules only what is alive
  /// always is told from the rest.
  fb::BufferKind kind = fb::BufferKind::Activation;
  uint32_t buffer = kNoBuffer; ///< its index, where the timeline says it

  uint64_t end() const { return address + bytes; }
};

/// Bytes that an access to L1 touches in each core: those of a row where its rows are in
/// neighbouring cores.
inline uint64_t bytesInCore(const AddressMap &map, const Access &access) {
  return access.pitch == map.l1Bytes ? access.row : access.bytes;
}

/// True if two accesses may share a byte. Exact for rows of one pitch, and for what is shorter than
/// the other's pitch; all else counts as everything between its ends.
template <typename A, typename B> bool mayShareBytes(const A &a, const B &b) {
  if (a.address >= b.address + b.bytes || b.address >= a.address + a.bytes)
    return false;
  uint64_t pitch = a.row < a.bytes ? a.pitch : b.pitch;
  auto repeats = [&](const auto &access) {
    return access.row < access.bytes ? access.pitch == pitch : access.bytes <= pitch;
  };
  if (!repeats(a) || !repeats(b))
    return true;
  // Where b's rows begin, counted from the beginning of one of a's.
  uint64_t begin = (b.address % pitch + pitch - a.address % pitch) % pitch;
  return begin < a.row || begin + b.row > pitch;
}

/// Calls function(const Access &) for each access of a (verified) command, or of a program's
/// operands.
template <typename Function>
void forEachAccess(const fb::Program &program, const uint64_t *operands, Function function) {
  for (uint32_t i = 0; i < count(program.operands()); ++i) {
    const fb::Operand &operand = *program.operands()->Get(i);
    Access access{operands[i], operand.bytes(), operand.access() != fb::Access::Write,
                  operand.access() != fb::Access::Read, i};
    if (operand.row_bytes()) {
      access.row = operand.row_bytes();
      access.pitch = operand.pitch_bytes();
      access.perWorkgroup = operand.per_workgroup();
    }
    function(access);
  }
}

/// Whether an access may lie exactly on another one of the same dispatch ("In place" in
/// docs/bundle-format.md).
inline bool mayWriteInPlace(const fb::Program &program, const Access &output, const Access &input) {
  const auto *inputs = program.operands()->Get(output.operand)->in_place_of();
  for (uint32_t i = 0; i < count(inputs); ++i)
    if (inputs->Get(i) == input.operand)
      return output.address == input.address && output.bytes == input.bytes &&
             output.row == input.row && output.pitch == input.pitch &&
             output.perWorkgroup == input.perWorkgroup;
  return false;
}

template <typename Function>
void forEachAccess(const Bundle &bundle, const CommandHeader &header, Function function) {
  switch (header.opcode) {
  case Opcode::Dispatch: {
    const auto &command = reinterpret_cast<const DispatchCommand &>(header);
    forEachAccess(*bundle.metadata().programs()->Get(command.program),
                  reinterpret_cast<const uint64_t *>(&command + 1), function);
    break;
  }
  case Opcode::Copy: {
    const auto &command = reinterpret_cast<const CopyCommand &>(header);
    function(Access{command.src, command.bytes, true, false, 0});
    function(Access{command.dst, command.bytes, false, true, 1});
    break;
  }
  case Opcode::Fill: {
    const auto &command = reinterpret_cast<const FillCommand &>(header);
    function(Access{command.dst, command.bytes, false, true, 0});
    break;
  }
  case Opcode::Barrier:
  case Opcode::Signal:
  case Opcode::Wait:
  case Opcode::End:
    break;
  }
}

} // namespace ttrt

#endif // TTRT_LIB_VERIFIER_H
