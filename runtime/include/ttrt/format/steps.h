// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table per kind of action: the steps of schedules (fb::StepKind) and the commands of streams
// (Opcode). Code that asks what an action names, accesses or orders looks here instead of switching
// over kinds; a new kind is a new row.
//
// How to use it. `infoOf(step.kind())` and `infoOf(header.opcode)` give the row of a verified
// action, `findInfo()` a null pointer for a kind that this version does not support. `actionOf()`
// gives steps and commands one form, so the same code serves both:
//
//     const Action action = actionOf(step);                  // or actionOf(commandHeader)
//     if (action.info->table != IndexedTable::None)          // "input 'x'", "event 'done'"
//       print(nounOf(action.info->table), nameIn(bundle, entry, *action.info, action.index));
//     if (action.info->accesses == AccessShape::Operands)    // any kind of dispatch
//       use(action.operands, action.operandCount);
//     if (action.info->role == OrderRole::Wait) ...          // of a step or of a command
//
// `forEachCommand()` walks a verified stream. Header only; nothing here allocates or throws.

#ifndef TTRT_FORMAT_STEPS_H
#define TTRT_FORMAT_STEPS_H

#include "ttrt/format/commands.h"
#include "ttrt/ttc_bundle_generated.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ttrt {

/// The table that an action's index refers to.
enum class IndexedTable : uint8_t { None, Input, Output, Trace, Program, Event, Collective };

/// What an action reads and writes by itself. A trace's accesses are those of its commands.
enum class AccessShape : uint8_t {
  None,
  Slot,     ///< the slot of input `index`, written, or of output `index`, read
  Operands, ///< the operands of program or collective `index`, as that declares them
  Copy,     ///< reads `bytes` at `src` and writes them at `dst`
  Fill,     ///< writes `bytes` at `dst`
  Carried,  ///< reads the ranges of a loop; its end writes them
};

/// An action's part in the order of execution (docs/proof.md).
enum class OrderRole : uint8_t {
  Work,    ///< reads and writes
  Execute, ///< stands for the commands of a trace
  Barrier, ///< orders all commands before it in the stream before all after it
  Record,  ///< of event `index`; in a stream also a barrier
  Wait,    ///< for event `index`
  End,     ///< of a stream
  Repeat,  ///< begins a loop
  EndRepeat,
};

/// What an action does in a collective. All but an offer wait for other devices.
enum class CollectiveRole : uint8_t {
  None,
  Exchange, ///< all of it
  Send,     ///< of a permutation: lets the receiver have the input
  Receive,  ///< of a permutation: gets the output
  Offer,    ///< lets others read the input of the next exchange
};

/// What is known of a kind of step or command.
struct ActionInfo {
  const char *name;   ///< "host-dispatch"
  const char *phrase; ///< what precedes the name of the indexed entry: "write of input"
  IndexedTable table; ///< what `index` refers to
  AccessShape accesses;
  OrderRole role;
  bool onCores;  ///< divided into workgroups, which the device's cores share
  uint32_t size; ///< of a command, in bytes, without the operands that follow; 0 for steps
  CollectiveRole inCollective = CollectiveRole::None;
};

/// By fb::StepKind.
inline constexpr ActionInfo kStepInfos[] = {
    {"write", "write of input", IndexedTable::Input, AccessShape::Slot, OrderRole::Work, false, 0},
    {"read", "read of output", IndexedTable::Output, AccessShape::Slot, OrderRole::Work, false, 0},
    {"execute", "execute of trace", IndexedTable::Trace, AccessShape::None, OrderRole::Execute,
     true, 0},
    {"host-dispatch", "host dispatch of", IndexedTable::Program, AccessShape::Operands,
     OrderRole::Work, false, 0},
    {"copy", "copy", IndexedTable::None, AccessShape::Copy, OrderRole::Work, false, 0},
    {"dispatch", "dispatch of", IndexedTable::Program, AccessShape::Operands, OrderRole::Work, true,
     0},
    {"record", "record of event", IndexedTable::Event, AccessShape::None, OrderRole::Record, false,
     0},
    {"wait", "wait for event", IndexedTable::Event, AccessShape::None, OrderRole::Wait, false, 0},
};
static_assert(std::size(kStepInfos) == static_cast<size_t>(fb::StepKind::MAX) + 1);

/// By Opcode, less one.
inline constexpr ActionInfo kCommandInfos[] = {
    {"dispatch", "dispatch of", IndexedTable::Program, AccessShape::Operands, OrderRole::Work, true,
     sizeof(DispatchCommand)},
    {"copy", "copy", IndexedTable::None, AccessShape::Copy, OrderRole::Work, true,
     sizeof(CopyCommand)},
    {"fill", "fill", IndexedTable::None, AccessShape::Fill, OrderRole::Work, true,
     sizeof(FillCommand)},
    {"barrier", "barrier", IndexedTable::None, AccessShape::None, OrderRole::Barrier, false,
     sizeof(CommandHeader)},
    {"signal", "signal of event", IndexedTable::Event, AccessShape::None, OrderRole::Record, false,
     sizeof(EventCommand)},
    {"wait", "wait for event", IndexedTable::Event, AccessShape::None, OrderRole::Wait, false,
     sizeof(EventCommand)},
    {"end", "end", IndexedTable::None, AccessShape::None, OrderRole::End, false,
     sizeof(CommandHeader)},
    {"exchange", "exchange of", IndexedTable::Collective, AccessShape::Operands, OrderRole::Work,
     false, sizeof(ExchangeCommand), CollectiveRole::Exchange},
    {"send", "send of", IndexedTable::Collective, AccessShape::Operands, OrderRole::Work, false,
     sizeof(ExchangeCommand), CollectiveRole::Send},
    {"receive", "receive of", IndexedTable::Collective, AccessShape::Operands, OrderRole::Work,
     false, sizeof(ExchangeCommand), CollectiveRole::Receive},
    {"offer", "offer of", IndexedTable::Collective, AccessShape::Operands, OrderRole::Work, false,
     sizeof(ExchangeCommand), CollectiveRole::Offer},
    {"repeat", "loop", IndexedTable::None, AccessShape::Carried, OrderRole::Repeat, false,
     sizeof(RepeatCommand)},
    {"end-repeat", "end of a loop", IndexedTable::None, AccessShape::None, OrderRole::EndRepeat,
     false, sizeof(CommandHeader)},
};
static_assert(std::size(kCommandInfos) == static_cast<size_t>(Opcode::EndRepeat));

/// Bytes of a command of this kind with so many operands.
constexpr uint64_t sizeOf(const ActionInfo &info, uint32_t operandCount) {
  return info.size +
         uint64_t(operandCount) *
             (info.accesses == AccessShape::Carried ? sizeof(CarriedRange) : sizeof(uint64_t));
}

/// Null for a kind that this version does not support.
constexpr const ActionInfo *findInfo(fb::StepKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < std::size(kStepInfos) ? &kStepInfos[index] : nullptr;
}
constexpr const ActionInfo *findInfo(Opcode opcode) {
  const auto index = static_cast<size_t>(opcode) - 1;
  return index < std::size(kCommandInfos) ? &kCommandInfos[index] : nullptr;
}
/// The description of a kind for which findInfo() returns one.
constexpr const ActionInfo &infoOf(fb::StepKind kind) {
  return kStepInfos[static_cast<size_t>(kind)];
}
constexpr const ActionInfo &infoOf(Opcode opcode) {
  return kCommandInfos[static_cast<size_t>(opcode) - 1];
}

/// A step or a command, its fields in one form. Fields that its kind does not use have no meaning.
struct Action {
  const ActionInfo *info = nullptr;
  uint32_t index = 0;                 ///< into `info->table`
  uint32_t slot = 0;                  ///< AccessShape::Slot: which of the port's slots
  uint32_t operandCount = 0;          ///< AccessShape::Operands
  const uint64_t *operands = nullptr; ///< flat addresses
  uint64_t dst = 0, src = 0, bytes = 0;
  uint64_t pattern = 0;                ///< AccessShape::Fill
  const RepeatCommand *loop = nullptr; ///< AccessShape::Carried: `operandCount` ranges follow it

  const CarriedRange &carried(uint32_t i) const {
    return reinterpret_cast<const CarriedRange *>(loop + 1)[i];
  }
  /// The range that has the flag of a loop; `operandCount` if none has.
  uint32_t flagRange() const {
    uint32_t i = 0;
    while (i < operandCount && loop->flag - carried(i).address >= carried(i).bytes)
      ++i;
    return i;
  }
  /// Whether core 0 alone executes the loop.
  bool isSequential() const { return loop->options & kSequential; }
};

/// The step's kind is known.
inline Action actionOf(const fb::Step &step) {
  Action action;
  action.info = &infoOf(step.kind());
  action.index = step.index();
  action.slot = step.slot();
  if (const auto *operands = step.operands()) {
    action.operandCount = operands->size();
    action.operands = operands->data();
  }
  action.dst = step.dst();
  action.src = step.src();
  action.bytes = step.bytes();
  return action;
}

/// The command's kind is known, and all of `header.size` bytes are there.
inline Action actionOf(const CommandHeader &header) {
  Action action;
  action.info = &infoOf(header.opcode);
  switch (action.info->accesses) {
  case AccessShape::Operands: {
    // An exchange has the same layout.
    const auto &dispatch = reinterpret_cast<const DispatchCommand &>(header);
    action.index = dispatch.program;
    action.operandCount = dispatch.operandCount;
    action.operands = reinterpret_cast<const uint64_t *>(&dispatch + 1);
    break;
  }
  case AccessShape::Copy: {
    const auto &copy = reinterpret_cast<const CopyCommand &>(header);
    action.dst = copy.dst;
    action.src = copy.src;
    action.bytes = copy.bytes;
    break;
  }
  case AccessShape::Fill: {
    const auto &fill = reinterpret_cast<const FillCommand &>(header);
    action.dst = fill.dst;
    action.bytes = fill.bytes;
    action.pattern = fill.pattern;
    break;
  }
  case AccessShape::Carried:
    action.loop = reinterpret_cast<const RepeatCommand *>(&header);
    action.operandCount = action.loop->operandCount;
    break;
  case AccessShape::None:
  case AccessShape::Slot:
    if (action.info->table == IndexedTable::Event)
      action.index = reinterpret_cast<const EventCommand &>(header).event;
    break;
  }
  return action;
}

/// "input", "event", ...; "" for None.
constexpr const char *nounOf(IndexedTable table) {
  constexpr const char *kNouns[] = {"",        "input", "output",    "trace",
                                    "program", "event", "collective"};
  return kNouns[static_cast<size_t>(table)];
}

/// Calls `function` with the table, which may be null; not for None. Commands name nothing of an
/// entry point: for them `entry` may be null.
template <typename Function>
auto withTable(const fb::Bundle &bundle, const fb::EntryPoint *entry, IndexedTable table,
               Function function) {
  switch (table) {
  case IndexedTable::Input:
    return function(entry->inputs());
  case IndexedTable::Output:
    return function(entry->outputs());
  case IndexedTable::Trace:
    return function(bundle.traces());
  case IndexedTable::Program:
    return function(bundle.programs());
  case IndexedTable::Collective:
    return function(bundle.collectives());
  case IndexedTable::Event:
  case IndexedTable::None:
    break;
  }
  return function(bundle.events());
}

/// The number of entries that an action of this kind can name; 0 for None. `entry` as for
/// withTable().
inline uint32_t countIn(const fb::Bundle &bundle, const fb::EntryPoint *entry,
                        const ActionInfo &info) {
  if (info.table == IndexedTable::None)
    return 0;
  return withTable(bundle, entry, info.table,
                   [](const auto *table) -> uint32_t { return table ? table->size() : 0; });
}

inline uint32_t countIn(const fb::Bundle &bundle, const fb::EntryPoint &entry,
                        const ActionInfo &info) {
  return countIn(bundle, &entry, info);
}

inline const char *nameIn(const fb::Program &program) { return program.symbol()->c_str(); }
template <typename Entry> const char *nameIn(const Entry &entry) { return entry.name()->c_str(); }
/// The name of the entry that a verified action names; "" for None. `entry` as for withTable().
inline const char *nameIn(const fb::Bundle &bundle, const fb::EntryPoint *entry,
                          const ActionInfo &info, uint32_t index) {
  if (info.table == IndexedTable::None)
    return "";
  return withTable(bundle, entry, info.table,
                   [&](const auto *table) { return nameIn(*table->Get(index)); });
}

inline const char *nameIn(const fb::Bundle &bundle, const fb::EntryPoint &entry,
                          const ActionInfo &info, uint32_t index) {
  return nameIn(bundle, &entry, info, index);
}

/// What the operands of an action are: some of those that its program or collective declares.
class DeclaredOperands {
public:
  using Table = flatbuffers::Vector<flatbuffers::Offset<fb::Operand>>;

  /// All of a table, which may be null.
  DeclaredOperands(const Table *table) : table(table), count(table ? table->size() : 0) {}
  DeclaredOperands(const Table *table, uint32_t only) : table(table), first(only), count(1) {}

  uint32_t size() const { return count; }
  const fb::Operand &operator[](uint32_t i) const { return *table->Get(first + i); }

private:
  const Table *table;
  uint32_t first = 0, count;
};

/// None for actions without operands. The tables have been verified, and the action's index.
inline DeclaredOperands operandsOf(const fb::Bundle &bundle, const Action &action) {
  if (action.info->table == IndexedTable::Program)
    return bundle.programs()->Get(action.index)->operands();
  if (action.info->table != IndexedTable::Collective)
    return nullptr;
  const auto *all = bundle.collectives()->Get(action.index)->operands();
  switch (action.info->inCollective) {
  case CollectiveRole::Send:
  case CollectiveRole::Offer:
    return {all, 0};
  case CollectiveRole::Receive:
    return {all, 1};
  case CollectiveRole::Exchange:
  case CollectiveRole::None:
    break;
  }
  return all;
}

/// The input or output that a verified step moves; null for all other steps.
inline const fb::Port *portOf(const fb::EntryPoint &entry, const Action &action) {
  if (action.info->accesses != AccessShape::Slot)
    return nullptr;
  return (action.info->table == IndexedTable::Input ? entry.inputs() : entry.outputs())
      ->Get(action.index);
}

/// The workgroups of a verified action, which core 0 runs alone if there is one.
inline uint64_t gridOf(const fb::Bundle &bundle, const Action &action) {
  if (action.loop) // how many there are in all has no meaning
    return action.isSequential() ? 1 : 64;
  if (!action.info->onCores)
    return 1;
  switch (action.info->accesses) {
  case AccessShape::Operands:
    return bundle.programs()->Get(action.index)->grid();
  case AccessShape::Copy:
  case AccessShape::Fill:
    return transferGrid(action.bytes);
  case AccessShape::Slot:
  case AccessShape::Carried:
  case AccessShape::None:
    break;
  }
  return 1;
}

/// Calls function(const CommandHeader &) for each command of a verified stream; the end command is
/// the last.
template <typename Function> void forEachCommand(const uint8_t *stream, Function function) {
  for (;;) {
    const auto &header = *reinterpret_cast<const CommandHeader *>(stream);
    function(header);
    if (header.opcode == Opcode::End)
      return;
    stream += header.size;
  }
}

/// Calls function(const CommandHeader &, uint32_t command) for each command of a verified stream
/// that is in no loop, without ends of loops.
template <typename Function> void forEachOuterCommand(const uint8_t *stream, Function function) {
  uint32_t command = 0, depth = 0;
  forEachCommand(stream, [&](const CommandHeader &header) {
    depth -= header.opcode == Opcode::EndRepeat;
    if (depth == 0 && header.opcode != Opcode::EndRepeat)
      function(header, command);
    depth += header.opcode == Opcode::Repeat;
    ++command;
  });
}

/// Calls function(const Action &) for the records and waits that a verified action makes: itself,
/// or those in the stream of the trace that it executes, in order. `streamOf(trace)` gives the
/// first byte of a stream.
template <typename StreamOf, typename Function>
void forEachEventUse(const Action &action, StreamOf streamOf, Function function) {
  auto use = [&](const Action &candidate) {
    if (candidate.info->role == OrderRole::Record || candidate.info->role == OrderRole::Wait)
      function(candidate);
  };
  if (action.info->role != OrderRole::Execute)
    return use(action);
  forEachCommand(streamOf(action.index), [&](const CommandHeader &header) {
    if (infoOf(header.opcode).table == IndexedTable::Event)
      use(actionOf(header));
  });
}

} // namespace ttrt

#endif // TTRT_FORMAT_STEPS_H
