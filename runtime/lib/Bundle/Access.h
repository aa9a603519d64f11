// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that steps and commands read and write.

#ifndef TTRT_LIB_BUNDLE_ACCESS_H
#define TTRT_LIB_BUNDLE_ACCESS_H

#include "Bundle/Bundle.h"
#include "ttrt/format/steps.h"

#include <algorithm>

namespace ttrt {

inline constexpr uint32_t kNoBuffer = ~0u;
static_assert(kMaxOperands < UINT8_MAX);

/// One read or write in a strided layout: rows of `row` bytes, `pitch` apart. The last row ends
/// `bytes` after `address`. A contiguous range is a single row.
struct Access {
  uint64_t address;
  uint64_t bytes;
  bool read : 1;
  bool write : 1;
  uint8_t operand;           ///< for messages
  bool perWorkgroup = false; ///< workgroup k accesses row k only
  /// The kind of the buffer at that address; verifyMemory() fills it in. Outside the default
  /// schedules, only permanent buffers are distinguished from the others.
  fb::BufferKind kind = fb::BufferKind::Activation;
  uint32_t buffer = kNoBuffer; ///< its index, where the timeline determines it
  uint64_t row = bytes;
  uint64_t pitch = bytes;
  uint64_t constant = 0; ///< of constants: the digest of what is read; with `kind`

  uint64_t end() const { return address + bytes; }
};

/// Bytes that an access to L1 touches in each core: one row's if its rows are in neighbouring
/// cores.
inline uint64_t bytesInCore(const AddressMap &map, const Access &access) {
  return access.pitch == map.l1Bytes ? access.row : access.bytes;
}

/// True if two accesses may share a byte. Exact if both have rows of the same pitch, or if one is
/// shorter than the other's pitch. Otherwise each counts as everything between its ends.
template <typename A, typename B> bool mayShareBytes(const A &a, const B &b) {
  if (a.address >= b.address + b.bytes || b.address >= a.address + a.bytes)
    return false;
  uint64_t pitch = a.row < a.bytes ? a.pitch : b.pitch;
  auto repeats = [&](const auto &access) {
    return access.row < access.bytes ? access.pitch == pitch : access.bytes <= pitch;
  };
  if (!repeats(a) || !repeats(b))
    return true;
  // Where b's rows begin, relative to the beginning of one of a's rows.
  uint64_t begin = (b.address % pitch + pitch - a.address % pitch) % pitch;
  return begin < a.row || begin + b.row > pitch;
}

/// Whether an output may be stored exactly where an input of the same dispatch is ("In-place
/// operands" in docs/bundle-format.md). False for scratch, which is no operand.
inline bool mayWriteInPlace(const fb::Program &program, const Access &output, const Access &input) {
  if (output.operand >= count(program.operands()))
    return false;
  const auto *inputs = program.operands()->Get(output.operand)->in_place_of();
  for (uint32_t i = 0; i < count(inputs); ++i)
    if (inputs->Get(i) == input.operand)
      return output.address == input.address && output.bytes == input.bytes &&
             output.row == input.row && output.pitch == input.pitch &&
             output.perWorkgroup == input.perWorkgroup;
  return false;
}

/// Calls function(const Access &) for each of the declared operands, at these addresses.
template <typename Function>
void forEachAccess(const DeclaredOperands &declared, const uint64_t *operands, Function function) {
  for (uint32_t i = 0; i < declared.size(); ++i) {
    const fb::Operand &operand = declared[i];
    Access access{operands[i], operand.bytes(), operand.access() != fb::Access::Write,
                  operand.access() != fb::Access::Read, static_cast<uint8_t>(i)};
    if (operand.row_bytes()) {
      access.row = operand.row_bytes();
      access.pitch = operand.pitch_bytes();
      access.perWorkgroup = operand.per_workgroup();
    }
    function(access);
  }
}

/// Calls function(const Access &) for each access of a verified step or command. `entry` may be
/// null for commands. The accesses of an execute step are those of the trace's commands.
template <typename Function>
void forEachAccess(const Bundle &bundle, const fb::EntryPoint *entry, const Action &action,
                   Function function) {
  switch (action.info->accesses) {
  case AccessShape::Slot: {
    const fb::Port &port = *portOf(*entry, action);
    const bool write = action.info->table == IndexedTable::Input;
    const uint32_t buffer = slotOf(port, action.slot);
    const fb::Buffer &slot = *bundle.metadata().buffers()->Get(buffer);
    Access access{bundle.address(slot), sizeOf(port), !write, write, 0};
    access.kind = slot.kind();
    access.buffer = buffer;
    function(access);
    break;
  }
  case AccessShape::Operands:
    forEachAccess(operandsOf(bundle.metadata(), action), action.operands, [&](Access access) {
      // What it receives is all of the output, whatever other devices get.
      access.read &= action.info->inCollective != CollectiveRole::Receive;
      function(access);
    });
    break;
  case AccessShape::Copy:
    function(Access{action.src, action.bytes, true, false, 0});
    function(Access{action.dst, action.bytes, false, true, 1});
    break;
  case AccessShape::Fill:
    function(Access{action.dst, action.bytes, false, true, 0});
    break;
  case AccessShape::Carried:
    for (uint32_t i = 0; i < action.operandCount; ++i)
      function(Access{action.carried(i).address, action.carried(i).bytes, true, true,
                      static_cast<uint8_t>(std::min<uint32_t>(i, UINT8_MAX))});
    break;
  case AccessShape::None:
    break;
  }
}

template <typename Function>
void forEachAccess(const Bundle &bundle, const CommandHeader &header, Function function) {
  forEachAccess(bundle, nullptr, actionOf(header), function);
}

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_ACCESS_H
