// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dataflow.h"
#include "StoredBytes.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/BufferOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttrt/format/dataflow.h"
#include "ttrt/format/steps.h"
#include <set>

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;
namespace dataflow = ttrt::dataflow;
using dataflow::Kind;

namespace {

/// What one command or step accesses, in the order of the runtime's accesses.
struct Operand {
  BufferOp buffer;
  dataflow::Rows rows; ///< flat addresses
  bool isWrite;
};

class Follower {
public:
  Follower(EntryOp entry, const fb::EntryPointT &ports, const DataflowContext &context,
           SymbolTableCollection &symbols)
      : entry(entry), ports(ports), context(context), result(std::make_unique<fb::DataflowT>()),
        symbols(symbols) {}

  FailureOr<std::unique_ptr<fb::DataflowT>> run() {
    if (failed(followSchedule()))
      return failure();
    // Again, now that it is known which accesses to state and which messages belong to one
    // inference.
    if (!(states.empty() && messages.empty()) && inferences > 1 && failed(followSchedule()))
      return failure();
    for (auto &[number, state] : states)
      result->states.push_back(std::make_unique<fb::StateDataflowT>(state));
    result->values.assign(values.begin(), values.end());
    return std::move(result);
  }

private:
  LogicalResult followSchedule() {
    std::map<uint32_t, fb::StateDataflowT> before = std::move(states);
    for (auto &[number, state] : before) {
      if (state.accesses.size() % inferences != 0)
        return entry.emitError("expected each of ")
               << inferences << " inferences to access state equally often, found "
               << state.accesses.size() << " accesses";
      perInference[number] = state.accesses.size() / inferences;
    }
    // Each inference has the same messages.
    messagesEach.clear();
    for (auto [collective, times] : messages)
      messagesEach[collective] = std::max(times / std::max(inferences, 1u), 1u);
    messages.clear();
    states.clear();
    memory.clear();
    values.clear();
    inferences = 0;
    result->outputs.assign(ports.outputs.size(), 0);
    auto schedule = *entry.getBody().getOps<ScheduleOp>().begin();
    for (Region *part : {&schedule.getPrologue(), &schedule.getBody(), &schedule.getEpilogue()})
      for (auto step : part->getOps<StepSerializationOpInterface>())
        if (failed(follow(step)))
          return failure();
    for (auto &[number, state] : states)
      state.inferences = std::max<uint32_t>(inferences, 1);
    return success();
  }

  LogicalResult follow(StepSerializationOpInterface step) {
    if (FlatSymbolRefAttr trace = step.getExecutedTrace()) {
      auto op = symbols.lookupNearestSymbolFrom<TraceOp>(step, trace);
      for (auto command : op.getBody().getOps<CommandSerializationOpInterface>()) {
        // The header of a command is aligned to 8 bytes.
        std::vector<char> bytes;
        command.writeCommand(context.numbers, bytes);
        std::vector<uint64_t> words(llvm::divideCeil(bytes.size(), sizeof(uint64_t)));
        memcpy(words.data(), bytes.data(), bytes.size());
        auto &header = *reinterpret_cast<const ttrt::CommandHeader *>(words.data());
        ttrt::Action action = ttrt::actionOf(header);
        if (auto begin = dyn_cast<CmdRepeatOp>(*command)) {
          if (failed(beginLoop(begin, action)))
            return failure();
        } else if (failed(LoopBeginOp::ends(command.getOperation())
                              ? endLoop(command.getOperation())
                              : follow(command, action))) {
          return failure();
        }
      }
      return success();
    }
    fb::StepT table;
    step.writeStep(context.numbers, table);
    ttrt::Action action;
    action.info = &ttrt::infoOf(step.getStepKind());
    action.index = table.index;
    action.slot = table.slot;
    action.operandCount = table.operands.size();
    action.operands = table.operands.data();
    action.dst = table.dst;
    action.src = table.src;
    action.bytes = table.bytes;
    return follow(step, action);
  }

  //===--- loops ------------------------------------------------------------------------===//

  /// A loop that has begun and not ended.
  struct Loop {
    uint64_t value; ///< its digest
    SmallVector<Operand> carried;
    std::vector<std::pair<StringAttr, StoredWrite>> writes; ///< in its body
  };

  /// Iterations read what stands for the carried values of any iteration.
  LogicalResult beginLoop(CmdRepeatOp op, const ttrt::Action &action) {
    Loop loop;
    uint64_t flagRange = ~uint64_t(0), flagOffset = ~uint64_t(0);
    for (auto [k, name] : llvm::enumerate(op.getCarried().getAsRange<FlatSymbolRefAttr>())) {
      const ttrt::CarriedRange &range = action.carried(k);
      loop.carried.push_back({symbols.lookupNearestSymbolFrom<BufferOp>(op, name),
                              {range.address, range.bytes, range.bytes, range.bytes, 0},
                              /*isWrite=*/false});
      if (name == op.getFlagAttr()) {
        flagRange = k;
        flagOffset = action.loop->flag - range.address;
      }
    }
    loop.value = dataflow::digestOfLoop(dataflow::detailOfLoop(
        action.loop->iterations, action.loop->options, loop.carried.size(), flagRange, flagOffset));
    if (!loops.empty())
      loop.value = dataflow::combine(loop.value, loops.back().value);
    FailureOr<uint64_t> value = readCarried(op, loop, loop.value);
    if (failed(value))
      return failure();
    loop.value = *value;
    loops.push_back(std::move(loop));
    writeCarried(loops.back(), *value);
    return success();
  }

  LogicalResult endLoop(Operation *op) {
    Loop loop = std::move(loops.back());
    FailureOr<uint64_t> value =
        readCarried(op, loop, dataflow::digestOf(Kind::LoopEnd, loop.value));
    if (failed(value))
      return failure();
    loops.pop_back();
    for (auto &[buffer, write] : loop.writes) {
      write.isGone = true;
      memory[buffer].write(write);
      if (!loops.empty())
        loops.back().writes.emplace_back(buffer, write);
    }
    writeCarried(loop, *value);
    return success();
  }

  FailureOr<uint64_t> readCarried(Operation *op, Loop &loop, uint64_t value) {
    for (Operand &operand : loop.carried) {
      FailureOr<uint64_t> content = read(op, operand);
      if (failed(content))
        return failure();
      value = dataflow::combine(value, *content);
    }
    return value;
  }

  void writeCarried(Loop &loop, uint64_t value) {
    for (auto [k, operand] : llvm::enumerate(loop.carried))
      write(operand, dataflow::digestOf(Kind::Write, value, k));
  }

  //===--- operands ---------------------------------------------------------------------===//

  const fb::PortT &portOf(const ttrt::Action &action) const {
    return action.info->table == ttrt::IndexedTable::Input ? *ports.inputs[action.index]
                                                           : *ports.outputs[action.index];
  }

  /// The bytes of access `index` of an op.
  dataflow::Rows rowsOf(BufferAccessOpInterface op, const ttrt::Action &action, unsigned index,
                        BufferOp buffer) {
    uint64_t address = context.numbers.addresses.lookup(buffer.getSymNameAttr());
    uint64_t bytes = action.bytes;
    switch (action.info->accesses) {
    case ttrt::AccessShape::Operands: {
      if (action.info->table == ttrt::IndexedTable::Collective) {
        bytes = cast<CommandOpInterface>(*op).getSpan(index, symbols).bytes;
        return {action.operands[index], bytes, bytes, bytes, 0};
      }
      ByteSpan span = programOf(action).getSpan(index);
      return {action.operands[index], uint64_t(span.bytes), uint64_t(span.row),
              uint64_t(span.pitch), 0};
    }
    case ttrt::AccessShape::Slot:
      bytes = getTensorBytes(portTypeOf(action));
      break;
    case ttrt::AccessShape::Copy:
      address = index == 0 ? action.src : action.dst;
      break;
    case ttrt::AccessShape::Fill:
      address = action.dst;
      break;
    case ttrt::AccessShape::Carried:
    case ttrt::AccessShape::None:
      break;
    }
    return {address, bytes, bytes, bytes, 0};
  }

  RankedTensorType portTypeOf(const ttrt::Action &action) const {
    Type type = action.info->table == ttrt::IndexedTable::Input
                    ? cast<InputOp>(context.numbers.inputs[action.index]).getType()
                    : cast<OutputOp>(context.numbers.outputs[action.index]).getType();
    return cast<RankedTensorType>(type);
  }

  ProgramOp programOf(const ttrt::Action &action) const { return context.programs[action.index]; }

  //===--- digests ----------------------------------------------------------------------===//

  uint64_t identify(const ttrt::Action &action) const {
    switch (action.info->table) {
    case ttrt::IndexedTable::Program:
      return context.hostDigests[action.index] != 0
                 ? context.hostDigests[action.index]
                 : dataflow::digestOf(Kind::Program, action.index);
    case ttrt::IndexedTable::Collective:
      return isMessage(action) ? dataflow::digestOfMessage(isSend(action),
                                                           context.collectiveDigests[action.index],
                                                           numberOfMessage(action.index))
                               : context.collectiveDigests[action.index];
    case ttrt::IndexedTable::Input:
    case ttrt::IndexedTable::Output: {
      const fb::PortT &port = portOf(action);
      bool isInput = action.info->table == ttrt::IndexedTable::Input;
      return dataflow::digestOf(isInput ? Kind::Input : Kind::Output, action.index, digestOf(port));
    }
    default:
      break;
    }
    return action.info->accesses == ttrt::AccessShape::Fill
               ? dataflow::digestOf(Kind::Fill,
                                    static_cast<uint32_t>(dataflow::mix(action.pattern)))
               : dataflow::digestOf(Kind::Copy);
  }

  static bool isSend(const ttrt::Action &action) {
    return action.info->inCollective == ttrt::CollectiveRole::Send;
  }
  static bool isMessage(const ttrt::Action &action) {
    return isSend(action) || action.info->inCollective == ttrt::CollectiveRole::Receive;
  }
  /// The number in its inference of the next send or receive of a collective.
  uint64_t numberOfMessage(uint32_t collective) const {
    const uint32_t number = messages.lookup(collective), each = messagesEach.lookup(collective);
    return each ? number % each : number;
  }

  uint64_t digestOf(const fb::PortT &port) const {
    uint64_t digest =
        dataflow::digestOfPort(ports.name, port.name, static_cast<uint64_t>(port.dtype),
                               port.shape.data(), port.shape.size());
    for (auto [dimension, list] : llvm::enumerate(port.sharding))
      for (uint32_t axis : list->axes)
        digest = dataflow::digestOfDivision(
            digest, dimension, axis, static_cast<uint32_t>(context.mesh->axes.size()),
            [&](uint32_t i) { return context.mesh->axes[i]->size; });
    return digest;
  }

  uint64_t baseOf(Operand &operand) const {
    return dataflow::mappedAddress(context.map, operand.rows.address);
  }

  template <typename Function> void forEachRows(Operand &operand, Function function) const {
    dataflow::forEachSpan(context.map, operand.rows, [&](const dataflow::Rows &rows) {
      bool isOne = rows.row >= rows.bytes;
      int64_t row = isOne ? rows.bytes : rows.row, pitch = isOne ? row : rows.pitch;
      function(ByteRows{int64_t(rows.address), row,
                        isOne ? 1 : (int64_t(rows.bytes) - row) / pitch + 1, pitch});
    });
  }

  /// The digest of an access to state: a read, or the write of a value. Adds it to the buffer's
  /// list.
  uint64_t accessState(Operand &operand, Kind kind, ArrayRef<uint64_t> write) {
    uint32_t number = context.numbers.buffers.lookup(operand.buffer.getSymNameAttr());
    fb::StateDataflowT &state = states[number];
    state.buffer = number;
    uint64_t begin = context.numbers.addresses.lookup(operand.buffer.getSymNameAttr());
    uint64_t place = dataflow::combine(number, operand.rows.address - begin, operand.rows.bytes,
                                       operand.rows.row, operand.rows.pitch);
    uint64_t index = state.accesses.size();
    if (uint64_t each = perInference[number])
      index %= each;
    uint64_t digest = dataflow::digestOf(kind, place, index);
    for (uint64_t written : write)
      digest = dataflow::combine(digest, written);
    state.accesses.push_back(digest);
    return digest;
  }

  FailureOr<uint64_t> read(Operation *op, Operand &operand) {
    const dataflow::Rows &rows = operand.rows;
    if (operand.buffer.getKind() == BufferKind::Constant) {
      const bool differs =
          isa<ShardsAttr>(*operand.buffer.getValue()) || operand.buffer.getLiveBegin();
      return dataflow::digestOf(
          Kind::Constant, differs ? context.shardsHash : context.constantsHash,
          rows.address - (differs ? context.shardsAddress : context.constantsAddress), rows.bytes,
          rows.row, rows.pitch);
    }
    if (operand.buffer.getKind() == BufferKind::State) {
      if (!loops.empty())
        return op->emitError("expected no access to a state in a loop, found one to @")
               << operand.buffer.getSymName();
      return accessState(operand, Kind::StateRead, {});
    }
    uint64_t content = 0, base = baseOf(operand);
    bool isComplete = true;
    const StoredBytes &stored = memory[operand.buffer.getSymNameAttr()];
    forEachRows(operand, [&](const ByteRows &bytes) {
      const bool isWritten =
          stored.read(bytes, [&](const ByteRows &part, const StoredWrite &write) {
            isComplete &= !write.isGone;
            content += dataflow::contribution(
                write.digest, write.base - base,
                dataflow::momentsOf(part.address - base, part.row, part.rows, part.pitch));
          });
      isComplete &= isWritten;
    });
    if (!isComplete)
      return op->emitError("expected all bytes of @")
             << operand.buffer.getSymName() << " that it reads to be written before, found some "
             << "that nothing has written";
    return content;
  }

  LogicalResult follow(BufferAccessOpInterface op, const ttrt::Action &action) {
    SmallVector<BufferAccess> accesses;
    op.getAccesses(accesses);
    SmallVector<Operand> operands;
    for (auto [i, access] : llvm::enumerate(accesses)) {
      auto buffer = symbols.lookupNearestSymbolFrom<BufferOp>(op, access.buffer);
      operands.push_back({buffer, rowsOf(op, action, i, buffer), access.write});
    }
    if (operands.empty())
      return success();
    uint64_t value = identify(action);
    if (!loops.empty())
      value = dataflow::combine(value, loops.back().value);
    for (Operand &operand : operands)
      if (!operand.isWrite) {
        FailureOr<uint64_t> content = read(op, operand);
        if (failed(content))
          return failure();
        value = dataflow::combine(value, *content);
      }
    // One transfer of the first port for each inference.
    inferences += action.index == 0 &&
                  action.info->table == (ports.inputs.empty() ? ttrt::IndexedTable::Output
                                                              : ttrt::IndexedTable::Input);
    if (action.info->table == ttrt::IndexedTable::Output) {
      uint64_t &output = result->outputs[action.index];
      if (output != 0 && output != value)
        return op->emitError("expected each read of an output to return the same of its inference, "
                             "found two different results");
      output = value;
    }
    if (isMessage(action))
      ++messages[action.index];
    if (isSend(action)) // what is sent is an output for other devices
      values.insert(value);
    for (auto [i, operand] : llvm::enumerate(operands))
      if (operand.isWrite)
        write(operand, dataflow::digestOf(Kind::Write, value, i));
    return success();
  }

  void write(Operand &operand, uint64_t digest) {
    values.insert(digest);
    if (operand.buffer.getKind() == BufferKind::State) {
      accessState(operand, Kind::StateWrite, digest);
      return;
    }
    StoredWrite stored{{}, digest, int64_t(baseOf(operand))};
    forEachRows(operand, [&](const ByteRows &bytes) { stored.bytes.push_back(bytes); });
    if (!loops.empty())
      loops.back().writes.emplace_back(operand.buffer.getSymNameAttr(), stored);
    memory[operand.buffer.getSymNameAttr()].write(std::move(stored));
  }

  EntryOp entry;
  const fb::EntryPointT &ports;
  const DataflowContext &context;
  std::unique_ptr<fb::DataflowT> result;
  SymbolTableCollection &symbols;
  DenseMap<StringAttr, StoredBytes> memory;
  std::map<uint32_t, fb::StateDataflowT> states; ///< by buffer
  std::map<uint32_t, uint64_t> perInference;     ///< accesses, by state buffer; 0: not known yet
  DenseMap<uint32_t, uint32_t> messages;         ///< sends and receives so far, by collective
  DenseMap<uint32_t, uint32_t> messagesEach;     ///< in an inference; 0: not known yet
  SmallVector<Loop> loops;
  std::set<uint64_t> values;
  uint32_t inferences = 0;
};

} // namespace

FailureOr<std::unique_ptr<fb::DataflowT>>
mlir::ttc::followDataflow(EntryOp entry, const fb::EntryPointT &ports,
                          const DataflowContext &context, SymbolTableCollection &symbols) {
  return Follower(entry, ports, context, symbols).run();
}
