// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What steps and commands have in common: the entry that they name, operands and addresses.

#include "Base/Format.h"
#include "Bundle/MeshTables.h"
#include "Bundle/Verifier.h"

namespace ttrt {

/// The operands of a collective are where the other devices reach them: in DRAM, and not in the
/// pages of the file. None overlaps another one.
static std::string findExchangeProblem(const Bundle &bundle, const Action &action,
                                       const char *name) {
  static constexpr const char *kVerbs[] = {"", "exchanges", "sends", "receives", "offers"};
  const char *verb = kVerbs[static_cast<size_t>(action.info->inCollective)];
  const DeclaredOperands declared = operandsOf(bundle.metadata(), action);
  const SegmentView &constants = bundle.segment(fb::SegmentKind::Constants);
  const ShardedConstants sharded = shardedConstants(bundle.metadata());
  auto overlaps = [&](uint32_t i, uint64_t begin, uint64_t size) {
    return action.operands[i] < begin + size && begin < action.operands[i] + declared[i].bytes();
  };
  for (uint32_t i = 0; i < action.operandCount; ++i) {
    const uint64_t address = action.operands[i], bytes = declared[i].bytes();
    if (!isInside(address, bytes, 0, bundle.addresses().dramBytes))
      return formatText("{} '{}' with operand {} at {:#x} + {} bytes; expected it in DRAM of "
                        "{:#x} bytes",
                        verb, name, i, address, bytes, bundle.addresses().dramBytes);
    if (overlaps(i, constants.address, constants.size) ||
        overlaps(i, sharded.address, sharded.least))
      return formatText("{} '{}' with operand {} at {:#x} + {} bytes, in the constants; expected "
                        "it where other devices can reach it",
                        verb, name, i, address, bytes);
    for (uint32_t j = 0; j < i; ++j)
      if (overlaps(i, action.operands[j], declared[j].bytes()))
        return formatText("exchanges '{}' with operands {} ({:#x} + {} bytes) and {} ({:#x} + {} "
                          "bytes); expected operands that do not overlap",
                          name, j, action.operands[j], declared[j].bytes(), i, address, bytes);
  }
  return "";
}

static std::string findOperandProblem(const Bundle &bundle, const Action &action) {
  const char *symbol = nameIn(bundle.metadata(), nullptr, *action.info, action.index);
  if (action.info->table == IndexedTable::Program && action.info->onCores)
    if (const fb::HostFunction *function =
            bundle.metadata().programs()->Get(action.index)->host_function())
      return formatText("runs '{}' on the cores; host function '{}' computes it", symbol,
                        text(function->name()));
  const DeclaredOperands declared = operandsOf(bundle.metadata(), action);
  const uint32_t operands = declared.size();
  if (action.operandCount != operands)
    return formatText("runs '{}' with {} operands; it has {}", symbol, action.operandCount,
                      operands);
  const uint64_t end = bundle.addresses().size();
  for (uint32_t i = 0; i < operands; ++i) {
    const fb::Operand &operand = declared[i];
    const uint64_t address = action.operands[i];
    if (!isInside(address, operand.bytes(), 0, end) || address % operand.alignment() != 0)
      return formatText("runs '{}' with operand {} at {:#x} + {} bytes; expected a multiple of {} "
                        "inside the device's memory of {:#x}",
                        symbol, i, address, operand.bytes(), operand.alignment(), end);
  }
  if (action.info->table == IndexedTable::Collective)
    return findExchangeProblem(bundle, action, symbol);
  return "";
}

std::string findProblem(const Bundle &bundle, const fb::EntryPoint *entry, const Action &action) {
  const ActionInfo &info = *action.info;
  const uint32_t entries = countIn(bundle.metadata(), entry, info);
  if (info.table != IndexedTable::None && action.index >= entries)
    return formatText("names {} {}; there are {}", nounOf(info.table), action.index, entries);
  const uint64_t end = bundle.addresses().size();
  switch (info.accesses) {
  case AccessShape::Slot: {
    const uint32_t slots = slotsOf(*portOf(*entry, action));
    if (action.slot >= slots)
      return formatText("names slot {}; there are {}", action.slot, slots);
    return "";
  }
  case AccessShape::Operands:
    return findOperandProblem(bundle, action);
  case AccessShape::Copy:
    if (action.bytes == 0 || !isInside(action.dst, action.bytes, 0, end) ||
        !isInside(action.src, action.bytes, 0, end) ||
        (action.dst < action.src + action.bytes && action.src < action.dst + action.bytes))
      return formatText(
          "copies {} bytes from {:#x} to {:#x}; expected at least one byte and ranges "
          "that do not overlap, inside the device's memory of {:#x}",
          action.bytes, action.src, action.dst, end);
    return "";
  case AccessShape::Fill:
    if (action.bytes == 0 || !isInside(action.dst, action.bytes, 0, end))
      return formatText("fills {} bytes at {:#x}; expected at least one byte, inside the device's "
                        "memory of {:#x}",
                        action.bytes, action.dst, end);
    return "";
  case AccessShape::Carried:
    if (action.operandCount > kMaxCarried)
      return formatText("carries {} ranges; expected at most {}", action.operandCount, kMaxCarried);
    for (uint32_t i = 0; i < action.operandCount; ++i)
      if (const auto [address, bytes] = action.carried(i);
          bytes == 0 || !isInside(address, bytes, 0, end))
        return formatText("carries {:#x} + {} bytes; expected at least one byte, inside the "
                          "device's memory of {:#x}",
                          address, bytes, end);
    return "";
  case AccessShape::None:
    return "";
  }
  return "";
}

} // namespace ttrt
