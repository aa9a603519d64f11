// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each tensor of a function is assigned a buffer. Transfers between the caller and a slot are the
// writes and reads of the schedule; all other transfers are copies between buffers.
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/ScheduleOps.h"
#include "dialects/Ttc/Traces/StateOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Support/Target.h"
#include "ttc/Transforms/Passes.h"
#include "ttc/Transforms/Schedules.h"
#include "llvm/Support/xxhash.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_SCHEDULEQUEUES
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// The constants of a module, or of a function; equal ones are stored once.
class ConstantPool {
public:
  explicit ConstantPool(SymbolTable &symbols) : symbols(symbols) {}
  ConstantPool(ModuleOp module, SymbolTable &symbols) : symbols(symbols) {
    for (auto buffer : module.getOps<BufferOp>())
      if (buffer.getValue())
        add(*buffer.getValue(), buffer);
  }

  FlatSymbolRefAttr get(Location loc, ElementsAttr value, Operation *before) {
    if (FlatSymbolRefAttr known = byAttribute.lookup(value))
      return known;
    uint64_t hash = hashOf(value);
    for (BufferOp buffer : byHash[hash])
      if (equal(*buffer.getValue(), value)) {
        ++numShared;
        return byAttribute[value] = FlatSymbolRefAttr::get(buffer.getSymNameAttr());
      }
    OpBuilder builder(loc.getContext());
    auto buffer = BufferOp::create(builder, loc, nameOf(value), BufferKind::Constant,
                                   value.getType(), MemorySpace::Dram, value);
    symbols.insert(buffer, before->getIterator());
    add(value, buffer);
    ++numStored;
    return FlatSymbolRefAttr::get(buffer.getSymNameAttr());
  }

  int64_t getNumStored() const { return numStored; }
  int64_t getNumShared() const { return numShared; }

private:
  void add(ElementsAttr value, BufferOp buffer) {
    byAttribute[value] = FlatSymbolRefAttr::get(buffer.getSymNameAttr());
    byHash[hashOf(value)].push_back(buffer);
  }

  /// Calls `use` with the constant's bytes, without a copy if possible.
  template <typename Use> static auto withBytes(ElementsAttr value, Use use) {
    if (std::optional<ArrayRef<char>> bytes = viewConstantBytes(value))
      return use(*bytes);
    return use(ArrayRef<char>(getConstantBytes(value)));
  }

  static uint64_t hashOf(ElementsAttr value) {
    if (auto shards = dyn_cast<ShardsAttr>(value)) {
      llvm::hash_code hash = llvm::hash_combine_range(shards.getDevices());
      for (ElementsAttr each : shards.getValues())
        hash = llvm::hash_combine(hash, hashOf(each));
      return hash;
    }
    return withBytes(value, [](ArrayRef<char> bytes) {
      return llvm::xxh3_64bits(
          ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
    });
  }

  static bool equal(ElementsAttr a, ElementsAttr b) {
    auto shardsOfA = dyn_cast<ShardsAttr>(a), shardsOfB = dyn_cast<ShardsAttr>(b);
    if (shardsOfA || shardsOfB)
      return shardsOfA && shardsOfB && shardsOfA.getDevices() == shardsOfB.getDevices() &&
             llvm::equal(shardsOfA.getValues(), shardsOfB.getValues(), equal);
    return withBytes(a, [&](ArrayRef<char> bytesOfA) {
      return withBytes(b, [&](ArrayRef<char> bytesOfB) { return bytesOfA == bytesOfB; });
    });
  }

  static std::string nameOf(ElementsAttr value) {
    if (auto shards = dyn_cast<ShardsAttr>(value))
      return nameOf(shards.getValues().front());
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
      return resource.getRawHandle().getKey().str();
    return "constant";
  }

  SymbolTable &symbols;
  DenseMap<Attribute, FlatSymbolRefAttr> byAttribute;
  DenseMap<uint64_t, SmallVector<BufferOp, 1>> byHash;
  int64_t numStored = 0, numShared = 0;
};

class Scheduler {
public:
  /// `wanted`: the names of the schedules other than `single`.
  Scheduler(func::FuncOp function, SymbolTable &symbols, ConstantPool &constants, ArrayAttr wanted,
            int64_t slots)
      : function(function), symbols(symbols), constants(constants), wanted(wanted), slots(slots),
        returnOp(cast<func::ReturnOp>(function.getBody().front().getTerminator())) {}

  LogicalResult run() {
    OpBuilder builder(function);
    entry = EntryOp::create(builder, function.getLoc(), function.getSymName());
    if (auto devices = function->getAttrOfType<DenseI64ArrayAttr>(kDevicesAttrName)) {
      auto whole = function->getAttrOfType<StringAttr>(kPartOfAttrName);
      entry.setDevicesAttr(devices);
      entry.setPartOfAttr(whole ? whole : function.getSymNameAttr());
    }
    if (Attribute variant = function->getAttr(kVariantAttrName))
      entry->setAttr(kVariantAttrName, variant);
    auto entryBuilder = OpBuilder::atBlockEnd(&entry.getBody().front());
    schedule =
        ScheduleOp::create(entryBuilder, function.getLoc(), entryBuilder.getStringAttr("single"),
                           entryBuilder.getI64IntegerAttr(1));
    schedule.getBody().emplaceBlock();
    steps = OpBuilder::atBlockEnd(&schedule.getBody().front());

    if (failed(findStates()))
      return failure();
    addInputs();
    for (Operation &op : function.getBody().front().without_terminator())
      if (failed(add(&op)))
        return failure();
    addOutputs();
    if (!wanted.empty())
      entry.setWantedSchedulesAttr(wanted);
    addRings();
    symbols.erase(function);
    symbols.insert(entry);
    return success();
  }

private:
  static constexpr int64_t queue = 0;

  static bool isEmpty(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getNumElements() == 0;
  }

  StringRef getPortName(DictionaryAttr attrs) {
    auto name = attrs ? attrs.getAs<StringAttr>(kNameAttrName) : StringAttr();
    return name ? name.getValue() : StringRef();
  }

  /// Gives an input or output what its argument or result has.
  static void setPortAttrs(Operation *port, DictionaryAttr attrs) {
    for (StringRef name : {StringRef(kShardingAttrName), StringRef(kDimsAttrName)})
      if (Attribute value = attrs ? attrs.get(name) : Attribute())
        port->setAttr(name, value);
  }

  /// Divides a buffer between the banks of DRAM as the layout of a tensor in it says.
  static void shardInDram(BufferOp buffer, Type type) {
    auto layout = dyn_cast_if_present<LayoutAttr>(cast<RankedTensorType>(type).getEncoding());
    if (layout && layout.isSharded() && layout.getMemory() == MemorySpace::Dram &&
        buffer.getMemory() == MemorySpace::Dram)
      buffer.setShards(layout.getNumShards());
  }

  FlatSymbolRefAttr makeBuffer(Location loc, const Twine &name, BufferKind kind, Type type,
                               MemorySpace memory) {
    OpBuilder builder(loc.getContext());
    auto plain = RankedTensorType::get(cast<RankedTensorType>(type).getShape(),
                                       cast<RankedTensorType>(type).getElementType());
    auto buffer = BufferOp::create(builder, loc, name.str(), kind, plain, memory);
    shardInDram(buffer, type);
    symbols.insert(buffer, entry->getIterator());
    return FlatSymbolRefAttr::get(buffer.getSymNameAttr());
  }

  /// Whether host work uses the value, so that it must be stored in host memory.
  bool isUsedByHostWork(Value value) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner()))
        return isUsedByHostWork(view.getViewDest());
      auto work = dyn_cast<EnqueuedOpInterface>(use.getOwner());
      return work && !work.writesOnDevice() && !work.readsOnDevice(use.getOperandNumber());
    });
  }

  /// The number of the entry point's output that the value is, through transfers and views.
  std::optional<unsigned> getOutput(Value value) {
    for (OpOperand &use : value.getUses()) {
      if (use.getOwner() == returnOp) {
        if (getStateOfResult(use.getOperandNumber()))
          continue;
        return use.getOperandNumber();
      }
      std::optional<unsigned> output;
      if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner()))
        output = getOutput(view.getViewDest());
      else if (auto work = dyn_cast<EnqueuedOpInterface>(use.getOwner());
               work && work->getNumResults() == 1 && !work.writesOnDevice() &&
               work.readsOnDevice(use.getOperandNumber()) && !isUsedByHostWork(work->getResult(0)))
        output = getOutput(work->getResult(0)); // a transfer to the caller
      if (output)
        return output;
    }
    return std::nullopt;
  }

  std::string getOutputName(unsigned index) {
    StringRef name = getPortName(function.getResultAttrDict(index));
    return name.empty() ? "output" + std::to_string(index) : name.str();
  }

  //===--- state ----------------------------------------------------------------------===//

  FlatSymbolRefAttr getStateOf(BlockArgument argument) {
    return function.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(), kStateAttrName);
  }
  FlatSymbolRefAttr getStateOfResult(unsigned index) {
    return function.getResultAttrOfType<FlatSymbolRefAttr>(index, kStateAttrName);
  }

  /// Places the arguments that are states in the states' buffers.
  LogicalResult findStates() {
    auto verify = [&](FlatSymbolRefAttr state, StringRef what, unsigned index) -> LogicalResult {
      auto buffer = symbols.lookup<BufferOp>(state.getAttr());
      if (buffer && buffer.getKind() == BufferKind::State)
        return success();
      return function.emitError("expected ")
             << what << " " << index << " to name a ttc.state, found " << state;
    };
    for (BlockArgument argument : function.getArguments())
      if (FlatSymbolRefAttr state = getStateOf(argument)) {
        if (failed(verify(state, "argument", argument.getArgNumber())))
          return failure();
        places[argument] = state;
        oldValues[state] = argument;
      }
    for (unsigned i = 0; i < returnOp.getNumOperands(); ++i)
      if (FlatSymbolRefAttr state = getStateOfResult(i);
          state && failed(verify(state, "result", i)))
        return failure();
    return success();
  }

  /// Whether `work`, or anything after it, uses the value or a view of it, other than as the next
  /// value of the state itself. A trace may use it: --ttc-bind-buffers orders the uses within.
  bool isUsedSince(Operation *work, Value value, FlatSymbolRefAttr state) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (user == returnOp)
        return getStateOfResult(use.getOperandNumber()) != state;
      if (auto view = dyn_cast<ViewLikeOpInterface>(user))
        return isUsedSince(work, view.getViewDest(), state);
      return user == work ? !isa<ExecuteOp>(user) : work->isBeforeInBlock(user);
    });
  }

  /// The state that the value of some work is the next value of, if it may be written there at
  /// once.
  FlatSymbolRefAttr getStateToUpdate(Operation *work, Value value) {
    for (OpOperand &use : value.getUses()) {
      FlatSymbolRefAttr state;
      if (use.getOwner() == returnOp)
        state = getStateOfResult(use.getOperandNumber());
      else if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner()))
        state = getStateToUpdate(work, view.getViewDest());
      if (!state)
        continue;
      Value old = oldValues.lookup(state);
      if (!old || !isUsedSince(work, old, state))
        return state;
    }
    return {};
  }

  /// Copies the next values of states that are elsewhere. States are written last, so a value that
  /// another state holds is set aside first.
  void updateStates() {
    SmallVector<std::tuple<Location, FlatSymbolRefAttr, FlatSymbolRefAttr, int64_t>> copies;
    auto copy = [&](Location loc, FlatSymbolRefAttr source, FlatSymbolRefAttr target,
                    int64_t bytes) {
      EnqueueCopyOp::create(steps, loc, source, target, steps.getI64IntegerAttr(bytes),
                            steps.getI64IntegerAttr(queue));
    };
    for (auto [i, value] : llvm::enumerate(returnOp.getOperands())) {
      FlatSymbolRefAttr state = getStateOfResult(i), place = places.lookup(value);
      if (!state || state == place)
        continue;
      int64_t bytes = getTensorBytes(cast<ShapedType>(value.getType()));
      if (symbols.lookup<BufferOp>(place.getAttr()).getKind() == BufferKind::State) {
        FlatSymbolRefAttr aside =
            makeBuffer(value.getLoc(), (function.getSymName() + "_v" + Twine(numValues++)).str(),
                       BufferKind::Activation, value.getType(), MemorySpace::Dram);
        copy(value.getLoc(), place, aside, bytes);
        place = aside;
      }
      copies.emplace_back(value.getLoc(), place, state, bytes);
    }
    for (auto [loc, source, target, bytes] : copies)
      copy(loc, source, target, bytes);
  }

  //===--- ports ----------------------------------------------------------------------===//

  void addInputs() {
    OpBuilder builder(schedule);
    int64_t number = 0;
    for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
      if (getStateOf(argument))
        continue;
      StringRef name = getPortName(function.getArgAttrDict(i));
      std::string port = name.empty() ? "input" + std::to_string(i) : name.str();
      bool onHost = isUsedByHostWork(argument);
      FlatSymbolRefAttr slot =
          makeBuffer(argument.getLoc(), port, onHost ? BufferKind::Host : BufferKind::Slot,
                     argument.getType(), onHost ? MemorySpace::Host : MemorySpace::Dram);
      places[argument] = slot;
      auto input = InputOp::create(builder, argument.getLoc(), builder.getStringAttr(port), slot,
                                   TypeAttr::get(argument.getType()), ArrayAttr());
      setPortAttrs(input, function.getArgAttrDict(i));
      EnqueueWriteOp::create(steps, argument.getLoc(), steps.getI64IntegerAttr(number++), slot,
                             steps.getI64IntegerAttr(queue));
    }
  }

  LogicalResult add(Operation *op) {
    if (isa<EventOpInterface>(op))
      return success(); // one queue runs in order
    if (op->getNumResults() > 0 && llvm::all_of(op->getResultTypes(), isEmpty))
      return success(); // nothing to store, copy or compute
    ElementsAttr value;
    if (matchPattern(op, m_Constant(&value))) {
      places[op->getResult(0)] = constants.get(op->getLoc(), value, entry);
      return success();
    }
    if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
      places[view.getViewDest()] = places.lookup(view.getViewSource());
      return success();
    }
    auto work = dyn_cast<EnqueuedOpInterface>(op);
    if (!work)
      return op->emitError("expected work that the host enqueues, found ") << op->getName();
    if (auto execute = dyn_cast<ExecuteOp>(op))
      if (failed(bind(execute)))
        return failure();
    SmallVector<Attribute> operandPlaces, resultPlaces;
    for (Value operand : op->getOperands())
      operandPlaces.push_back(places.lookup(operand));
    for (Value result : op->getResults()) {
      if (!places.contains(result))
        places[result] = choosePlace(work, cast<OpResult>(result));
      resultPlaces.push_back(places.lookup(result));
    }
    work.enqueue(steps, queue, operandPlaces, resultPlaces);
    return success();
  }

  bool isSlotOrHost(FlatSymbolRefAttr place, MemorySpace memory) {
    auto buffer = symbols.lookup<BufferOp>(place.getAttr());
    return buffer.getMemory() == memory && buffer.getKind() != BufferKind::Constant;
  }

  FlatSymbolRefAttr choosePlace(EnqueuedOpInterface work, OpResult result) {
    // A transfer between the caller's memory and a slot needs no step of its own: the schedule's
    // writes and reads are that transfer.
    if (work->getNumOperands() == 1 && work->getNumResults() == 1 &&
        work.readsOnDevice(0) != work.writesOnDevice()) {
      FlatSymbolRefAttr source = places.lookup(work->getOperand(0));
      bool staysOnDevice = work.writesOnDevice() || !isUsedByHostWork(result);
      if (staysOnDevice && isSlotOrHost(source, MemorySpace::Dram)) {
        shardInDram(symbols.lookup<BufferOp>(source.getAttr()), result.getType());
        return source;
      }
    }
    if (work.writesOnDevice())
      if (FlatSymbolRefAttr state = getStateToUpdate(work, result))
        return state;
    std::optional<unsigned> output = getOutput(result);
    bool onDevice = work.writesOnDevice() || (output && !isUsedByHostWork(result) &&
                                              work->getNumOperands() == 1 && work.readsOnDevice(0));
    std::string name =
        output ? getOutputName(*output) : (function.getSymName() + "_v" + Twine(numValues++)).str();
    BufferKind kind = !onDevice ? BufferKind::Host
                      : output  ? BufferKind::Slot
                                : BufferKind::Activation;
    return makeBuffer(result.getLoc(), name, kind, result.getType(),
                      onDevice ? MemorySpace::Dram : MemorySpace::Host);
  }

  /// Binds a trace's arguments and results to the places of the execute's operands and results.
  LogicalResult bind(ExecuteOp execute) {
    auto trace = symbols.lookup<TraceOp>(execute.getTrace());
    StringRef attr = TraceOp::getBufferAttrName();
    auto yield = cast<YieldOp>(trace.getBody().front().getTerminator());
    DenseMap<Value, FlatSymbolRefAttr> byRoot;
    SmallVector<FlatSymbolRefAttr> inputs, outputs;
    for (auto [operand, argument] :
         llvm::zip_equal(execute.getInputs(), trace.getBody().getArguments())) {
      inputs.push_back(places.lookup(operand));
      byRoot[argument] = inputs.back();
    }
    for (auto [result, value] : llvm::zip_equal(execute.getOutputs(), yield.getValues())) {
      // A result that is a view of an argument or of another result shares its buffer.
      FlatSymbolRefAttr &place = byRoot[getViewRoot(value)];
      if (!place)
        place = choosePlace(cast<EnqueuedOpInterface>(*execute), result);
      places[result] = place;
      outputs.push_back(place);
    }
    // All at once: setting one attribute copies those of all arguments.
    Builder builder(trace.getContext());
    auto with = [&](DictionaryAttr attrs, FlatSymbolRefAttr place) {
      NamedAttrList list(attrs);
      list.set(attr, place);
      return list.getDictionary(trace.getContext());
    };
    SmallVector<Attribute> argumentAttrs, resultAttrs;
    for (auto [i, place] : llvm::enumerate(inputs)) {
      auto bound = trace.getArgAttrOfType<FlatSymbolRefAttr>(i, attr);
      if (bound && bound != place)
        return execute.emitError("expected @")
               << trace.getSymName() << " to be executed with one set of tensors, found operand "
               << i << " in " << place << " and, elsewhere, in " << bound
               << ": a trace has fixed addresses";
      argumentAttrs.push_back(with(trace.getArgAttrDict(i), place));
    }
    for (auto [i, place] : llvm::enumerate(outputs)) {
      if (auto bound = trace.getResultAttrOfType<FlatSymbolRefAttr>(i, attr);
          bound && bound != place)
        return execute.emitError("expected @")
               << trace.getSymName() << " to be executed once, found result " << i << " in "
               << place << " and, elsewhere, in " << bound << ": a trace has fixed addresses";
      resultAttrs.push_back(with(trace.getResultAttrDict(i), place));
    }
    if (!argumentAttrs.empty())
      trace.setArgAttrsAttr(builder.getArrayAttr(argumentAttrs));
    if (!resultAttrs.empty())
      trace.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
    return success();
  }

  void addOutputs() {
    OpBuilder builder(schedule);
    SmallVector<std::pair<Location, FlatSymbolRefAttr>> outputs;
    for (auto [i, value] : llvm::enumerate(returnOp.getOperands())) {
      if (getStateOfResult(i))
        continue;
      std::string port = getOutputName(i);
      FlatSymbolRefAttr place = places.lookup(value);
      if (isEmpty(value.getType()))
        place =
            makeBuffer(value.getLoc(), port, BufferKind::Slot, value.getType(), MemorySpace::Dram);
      auto buffer = symbols.lookup<BufferOp>(place.getAttr());
      if (buffer.getKind() == BufferKind::Constant || buffer.getKind() == BufferKind::Activation ||
          buffer.getKind() == BufferKind::State) {
        // What is read must be a slot.
        FlatSymbolRefAttr slot =
            makeBuffer(value.getLoc(), port, BufferKind::Slot, value.getType(), MemorySpace::Dram);
        EnqueueCopyOp::create(
            steps, value.getLoc(), place, slot,
            steps.getI64IntegerAttr(getTensorBytes(cast<ShapedType>(value.getType()))),
            steps.getI64IntegerAttr(queue));
        place = slot;
      }
      outputs.emplace_back(value.getLoc(), place);
      auto output = OutputOp::create(builder, value.getLoc(), builder.getStringAttr(port), place,
                                     TypeAttr::get(value.getType()), ArrayAttr());
      setPortAttrs(output, function.getResultAttrDict(i));
    }
    updateStates();
    int64_t number = 0;
    for (auto [loc, place] : outputs)
      EnqueueReadOp::create(steps, loc, steps.getI64IntegerAttr(number++), place,
                            steps.getI64IntegerAttr(queue));
  }

  /// Gives the inputs and outputs their further slots.
  void addRings() {
    if (slots == 1)
      return;
    llvm::SmallDenseSet<Attribute> inputs, both; // what is both is never written ahead
    for (auto input : entry.getBody().getOps<InputOp>())
      inputs.insert(input.getBufferAttr());
    for (auto output : entry.getBody().getOps<OutputOp>())
      if (inputs.contains(output.getBufferAttr()))
        both.insert(output.getBufferAttr());
    DenseMap<Attribute, ArrayAttr> rings;
    auto addRing = [&](auto port) {
      FlatSymbolRefAttr first = port.getBufferAttr();
      if (both.contains(first))
        return;
      ArrayAttr &ring = rings[first];
      if (!ring) {
        auto buffer = symbols.lookup<BufferOp>(first.getAttr());
        SmallVector<Attribute> further;
        for (int64_t i = 1; i < slots; ++i) {
          further.push_back(makeBuffer(buffer.getLoc(), first.getValue() + "_slot" + Twine(i),
                                       buffer.getKind(), buffer.getTensorType(),
                                       buffer.getMemory()));
          auto slot = cast<FlatSymbolRefAttr>(further.back());
          symbols.lookup<BufferOp>(slot.getAttr()).setShardsAttr(buffer.getShardsAttr());
        }
        ring = ArrayAttr::get(port.getContext(), further);
      }
      port.setRingAttr(ring);
    };
    for (auto input : entry.getBody().getOps<InputOp>())
      addRing(input);
    for (auto output : entry.getBody().getOps<OutputOp>())
      addRing(output);
  }

  func::FuncOp function;
  SymbolTable &symbols;
  ConstantPool &constants;
  ArrayAttr wanted;
  int64_t slots;
  func::ReturnOp returnOp;
  EntryOp entry;
  ScheduleOp schedule;
  OpBuilder steps{static_cast<MLIRContext *>(nullptr)};
  DenseMap<Value, FlatSymbolRefAttr> places;
  DenseMap<Attribute, Value> oldValues; ///< the arguments, by the state that they are
  int64_t numValues = 0;
};

struct ScheduleQueues : mlir::ttc::impl::ScheduleQueuesBase<ScheduleQueues> {
  using ScheduleQueuesBase::ScheduleQueuesBase;
  PassCounter numConstants{*this, "constants", "Constants stored"};
  PassCounter numStates{*this, "states", "States, each of which has a buffer"};
  PassCounter numShared{*this, "shared-constants", "Constants equal to one that is stored"};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<StringRef> wanted;
    if (failed(chooseSchedules(wanted)))
      return signalPassFailure();
    ArrayAttr names = Builder(module.getContext()).getStrArrayAttr(wanted);
    SymbolTable symbols(module);
    for (StateOp state : llvm::to_vector(module.getOps<StateOp>())) {
      OpBuilder builder(&getContext());
      auto buffer = BufferOp::create(builder, state.getLoc(), state.getSymName(), BufferKind::State,
                                     state.getType(), MemorySpace::Dram);
      Block::iterator place = std::next(state->getIterator());
      symbols.erase(state);
      symbols.insert(buffer, place);
      ++numStates;
    }
    ConstantPool constants(module, symbols);
    for (func::FuncOp function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      if (failed(checkSlots(function)))
        return signalPassFailure();
      // A stage of a pipeline has its own, which are on no other devices.
      ConstantPool own(symbols);
      const bool isStage = function->hasAttr(kDevicesAttrName);
      if (failed(Scheduler(function, symbols, isStage ? own : constants, names, slots).run()))
        return signalPassFailure();
      count(own);
    }
    count(constants);
  }

private:
  void count(const ConstantPool &constants) {
    numConstants += constants.getNumStored();
    numShared += constants.getNumShared();
  }

  /// The host of a stage without outputs repeats `single`, and ends after any inference. The others
  /// would continue to the end of the ring.
  LogicalResult checkSlots(func::FuncOp function) {
    const auto name = function->getAttrOfType<StringAttr>(kPartOfAttrName);
    if (slots == 1 || !name)
      return success();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (!function.getResultAttr(i, kStateAttrName))
        return success();
    return function.emitError() << "expected slots=1, found slots=" << slots.getValue()
                                << ": stage '" << function.getSymName() << "' of '"
                                << name.getValue()
                                << "' has no outputs, so nothing tells its host where a ring ends";
  }

  /// The names other than `single`, from the options.
  LogicalResult chooseSchedules(SmallVectorImpl<StringRef> &wanted) {
    ModuleOp module = getOperation();
    int64_t most = 1;
    if (!schedules.empty()) {
      FailureOr<TargetAttr> target = getTarget(module);
      if (failed(target))
        return failure();
      most = queues == QueueLimit::All ? target->getQueues() : queues == QueueLimit::One ? 1 : 2;
      if (most > target->getQueues())
        return emitError(module.getLoc(), "expected queues of at most ")
               << target->getQueues() << ", as many as " << target->getName()
               << " has; found queues=" << most;
    }
    auto want = [&](StringRef name) {
      if (name != "single" && !llvm::is_contained(wanted, name))
        wanted.push_back(name);
    };
    bool isRing = false;
    for (ScheduleChoice choice : schedules) {
      if (choice == ScheduleChoice::All) {
        for (const NamedSchedule &schedule : getNamedSchedules())
          if (schedule.getQueues() <= most)
            want(schedule.name);
        continue;
      }
      const NamedSchedule &schedule = getNamedSchedules()[static_cast<int>(choice)];
      if (schedule.getQueues() > most)
        return emitError(module.getLoc(), "expected schedules for ")
               << most << " queue" << (most == 1 ? "" : "s") << ", found '" << schedule.name
               << "', which takes " << schedule.getQueues();
      want(schedule.name);
    }
    for (StringRef name : wanted)
      isRing |= findNamedSchedule(name)->getQueues() > 1;
    const bool fits = slots >= 1 && slots <= kMostSlots;
    if (!fits || (slots > 1 && !isRing))
      return emitError(module.getLoc())
             << "expected slots=1, or up to " << kMostSlots
             << " where a schedule has two queues; found slots=" << slots.getValue()
             << (fits ? " and none with two queues" : "");
    return success();
  }
};

} // namespace
