// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StageCuts.h"
#include "StageFunctions.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"
#include "llvm/Support/MathExtras.h"
#include <deque>
#include <map>

namespace mlir::ttc {
#define GEN_PASS_DEF_SPLITSTAGES
#include "ttc/Mesh/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Operations that take as long as moving a byte within a device, and to another one: a device that
/// computes 50 operations per nanosecond moves about 12 bytes, and exchanges 6.
constexpr int64_t kOperationsPerByte = 4, kOperationsPerExchangedByte = 8;

int64_t getBytes(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      bytes += getTensorBytes(type);
  return bytes;
}

/// What an op costs, in operations.
int64_t getCost(Operation *op, SymbolTable &symbols) {
  const int64_t bytes = getBytes(op->getOperands()) + getBytes(op->getResults());
  if (isa<ExchangeOp>(op))
    return kOperationsPerExchangedByte * bytes;
  uint64_t operations = 0;
  if (auto dispatch = dyn_cast<DispatchOp>(op))
    if (auto program = symbols.lookup<ProgramOp>(dispatch.getProgramAttr().getAttr());
        program && program.hasTensorBody())
      for (Operation &each : program.getBody().front())
        operations = llvm::SaturatingAdd<uint64_t>(operations, countOperations(&each).value_or(0));
  // The sum over thousands of ops must not overflow.
  return std::min<uint64_t>(std::max<uint64_t>(operations, kOperationsPerByte * bytes), uint64_t(1)
                                                                                            << 48);
}

/// Where a function uses a state: the positions of the work that reads it first and that updates
/// it. Neither may exist, if the state becomes an argument, for instance.
struct StateUse {
  size_t first = std::numeric_limits<size_t>::max(), last = 0;

  bool hasWork() const { return first <= last; }
  bool include(const StateUse &other) {
    const StateUse old = *this;
    first = std::min(first, other.first);
    last = std::max(last, other.last);
    return first != old.first || last != old.last;
  }
};

/// Decides about one function.
class StagePlanner {
public:
  using StateStages = DenseMap<Attribute, unsigned>;

  StagePlanner(func::FuncOp function, const StageDevices &devices, SymbolTable &symbols,
               StateStages &known)
      : function(function), devices(devices), symbols(symbols), known(known),
        stages(devices.stages.size()) {}

  bool readsStates();
  LogicalResult run();
  LogicalResult placeStates();

  func::FuncOp function;
  StagePlan plan;
  SmallVector<int64_t> costs; ///< by stage
  int64_t sends = 0, sentBytes = 0;

private:
  LogicalResult readWork();
  Attribute getState(Value root);
  void findStates();
  void restrictStates();
  void findUses();
  void findTransfers();
  size_t getPosition(Value root);

  const StageDevices &devices;
  SymbolTable &symbols;
  StateStages &known; ///< of functions before, by the states' names
  unsigned stages;
  StageProblem problem;
  SmallVector<Operation *> work;
  DenseMap<Operation *, size_t> positions;
  /// Values with the positions of their work and of their last use.
  llvm::MapVector<Value, std::pair<size_t, size_t>> uses;
  /// By name.
  llvm::MapVector<Attribute, StateUse> states;
  /// States whose next value is the value of another one: both names.
  SmallVector<std::pair<Attribute, Attribute>> moves;
};

} // namespace

//===--- what there is ----------------------------------------------------------------===//

LogicalResult StagePlanner::readWork() {
  if (!function.getBody().hasOneBlock())
    return function.emitError("--parallel=pipeline: expected a function of one block, found ")
           << function.getBody().getBlocks().size();
  for (Operation &op : function.front().without_terminator()) {
    if (op.getNumRegions() != 0)
      return op.emitError("--parallel=pipeline: expected ops without regions, found this one");
    if (TraceBoundaryOp::separates(&op))
      return op.emitError("--parallel=pipeline: expected no ttc.traced region and no event, found ")
             << op.getName() << ": each stage is a trace of its own; leave them out";
    if (isCopied(&op))
      continue;
    positions[&op] = work.size();
    work.push_back(&op);
    problem.costs.push_back(getCost(&op, symbols));
  }
  if (work.size() < stages)
    return function.emitError("--parallel=pipeline: expected at least ")
           << stages << " programs, one for each stage, found " << work.size() << " in '"
           << function.getSymName() << "'";
  problem.bytes.assign(work.size(), 0);
  problem.range.assign(work.size(), {0, stages - 1});
  return success();
}

/// The name of the state that an argument has the value of, or null.
Attribute StagePlanner::getState(Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  return argument ? function.getArgAttr(argument.getArgNumber(), kStateAttrName) : Attribute();
}

bool StagePlanner::readsStates() {
  return llvm::any_of(function.getArguments(), [&](Value argument) { return getState(argument); });
}

/// The position of the work that makes a value; of a state, of its first use.
size_t StagePlanner::getPosition(Value root) {
  if (Attribute state = getState(root))
    return states.lookup(state).first;
  return positions.lookup(root.getDefiningOp());
}

void StagePlanner::findStates() {
  for (Value argument : function.getArguments())
    if (Attribute name = getState(argument))
      states.try_emplace(name);
  for (auto [position, op] : llvm::enumerate(work))
    for (Value operand : op->getOperands())
      if (Attribute name = getState(getViewRoot(operand)); name && !states[name].hasWork())
        states[name] = {position, position};
  for (OpOperand &operand : function.front().getTerminator()->getOpOperands()) {
    Attribute name = function.getResultAttr(operand.getOperandNumber(), kStateAttrName);
    if (!name)
      continue;
    StateUse &state = states[name];
    Value root = getViewRoot(operand.get());
    if (auto update = positions.find(root.getDefiningOp()); update != positions.end())
      state.include({update->second, update->second});
    if (Attribute source = getState(root); source && source != name)
      moves.emplace_back(name, source);
  }
  // In one stage, because nothing is sent when all work is done. Moves can form a chain.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (auto [name, source] : moves) {
      isChanged |= states[name].include(states[source]);
      isChanged |= states[source].include(states[name]);
    }
  }
}

/// The stage that uses a state first updates it: no cut in between.
void StagePlanner::restrictStates() {
  for (auto &[name, use] : states) {
    if (!use.hasWork())
      continue;
    for (size_t position = use.first + 1; position <= use.last; ++position)
      problem.bytes[position] = -1;
    if (auto it = known.find(name); it != known.end()) {
      auto &[first, last] = problem.range[use.first];
      first = std::max(first, it->second);
      last = std::min(last, it->second);
    }
  }
}

void StagePlanner::findUses() {
  for (auto [position, op] : llvm::enumerate(work))
    for (Value operand : op->getOperands()) {
      Value root = getViewRoot(operand);
      Operation *definition = root.getDefiningOp();
      if (definition ? !positions.contains(definition) : !getState(root))
        continue; // a constant, or an argument that each stage has itself
      auto [it, isNew] = uses.try_emplace(root, getPosition(root), position);
      it->second.second = std::max(it->second.second, position);
    }
  // Each value crosses every cut between its work and its last use.
  for (auto &[value, range] : uses)
    for (size_t cut = range.first + 1; cut <= range.second; ++cut)
      if (problem.bytes[cut] >= 0)
        problem.bytes[cut] += getBytes(value);
}

//===--- what is decided --------------------------------------------------------------===//

void StagePlanner::findTransfers() {
  // Those of one op in the order of their first uses.
  std::map<std::pair<size_t, size_t>, size_t> order;
  for (auto [number, use] : llvm::enumerate(uses))
    order[{use.second.first, number}] = number;
  for (auto [key, number] : order) {
    auto &[value, range] = uses.begin()[number];
    const unsigned from = plan.stages.lookup(work[range.first]);
    const unsigned to = plan.stages.lookup(work[range.second]);
    if (from == to)
      continue;
    plan.transfers.push_back({value, from, to});
    const int64_t hops = (to - from) * devices.microBatches;
    sends += hops;
    sentBytes += hops * getBytes(value) * static_cast<int64_t>(devices.stages.front().size());
  }
}

LogicalResult StagePlanner::run() {
  if (failed(readWork()))
    return failure();
  findStates();
  restrictStates();
  findUses();
  if (devices.microBatches > 1 && !states.empty())
    return function.emitError(
               "--micro-batches: expected a function without states, which change from "
               "run to run, found ")
           << states.size() << " in '" << function.getSymName() << "'";
  std::optional<SmallVector<size_t>> cuts = chooseCuts(problem, stages);
  if (!cuts)
    return function.emitError("--parallel=pipeline: expected ")
           << stages
           << " stages, each of which updates the states that it uses, and the same as in "
           << "other functions; found states that '" << function.getSymName()
           << "' uses in too many places";
  costs.assign(stages, 0);
  for (unsigned stage = 0; stage < stages; ++stage)
    for (size_t position = (*cuts)[stage]; position < (*cuts)[stage + 1]; ++position) {
      plan.stages[work[position]] = stage;
      costs[stage] += problem.costs[position];
    }
  for (auto &[name, use] : states)
    if (use.hasWork())
      known[name] = plan.stages.lookup(work[use.first]);
  findTransfers();
  return success();
}

/// Once all functions are cut: a state that no work of this one uses is where another function has
/// it, or in the first stage.
LogicalResult StagePlanner::placeStates() {
  for (auto &[name, use] : states)
    plan.states[name] = known.try_emplace(name, 0).first->second;
  for (auto [name, source] : moves)
    if (plan.states[name] != plan.states[source])
      return function.emitError("--parallel=pipeline: expected state ")
             << name << " in the stage of " << source << ", whose value it becomes in '"
             << function.getSymName() << "', found it in stage " << plan.states[name] << " and not "
             << plan.states[source];
  return success();
}

//===--- the pass ---------------------------------------------------------------------===//

namespace {

struct SplitStages : mlir::ttc::impl::SplitStagesBase<SplitStages> {
  using SplitStagesBase::SplitStagesBase;
  PassCounter numStages{*this, "stages", "Stages of all functions"};
  PassCounter numSends{*this, "sends", "Sends of one inference from stage to stage"};
  PassCounter sentBytes{*this, "sent-bytes", "Bytes that they move between all devices"};
  PassCounter largest{*this, "largest-stage-permille", "Cost of the largest stage, of their mean"};
  PassCounter bubble{*this, "bubble-permille", "Time of all devices in which they wait for others"};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshAttr mesh = getMesh(module);
    if (!mesh)
      return;
    Axes axes;
    if (!parallel.empty()) {
      auto found = parseParallel(parallel, mesh, [&] { return module.emitError("--parallel: "); });
      if (failed(found))
        return signalPassFailure();
      for (ParallelAxis axis : *found)
        if (axis.parallelism == Parallelism::Pipeline)
          axes.push_back(axis.axis);
    }
    StageDevices devices = removeMicroBatches(module, mesh);
    addStages(axes, devices);
    if (devices.stages.size() == 1 && devices.microBatches == 1)
      return;
    for (auto function : module.getOps<func::FuncOp>())
      if (auto variant = function->getAttrOfType<VariantAttr>(kVariantAttrName)) {
        function.emitError("a model for ranges of sizes ('")
            << variant.getOf()
            << "') has no stages; expected one size for each --dim with pipeline and micro-batches";
        return signalPassFailure();
      }
    split(devices);
  }

private:
  using Axes = SmallVector<unsigned>;

  static StageDevices removeMicroBatches(ModuleOp module, MeshAttr mesh) {
    StageDevices devices;
    devices.mesh = mesh;
    std::optional<unsigned> axis = getMicroBatchAxis(mesh);
    if (!axis)
      return devices;
    const int64_t batches = devices.microBatches = mesh.getAxes()[*axis].getSize();
    devices.mesh = MeshAttr::get(mesh.getContext(), mesh.getAxes().drop_back());
    module->setAttr(kMeshAttrName, devices.mesh);
    // Device d has been d * batches + b for each micro-batch b.
    Builder builder(mesh.getContext());
    for (auto collective : module.getOps<CollectiveOp>()) {
      SmallVector<Attribute> groups;
      for (auto group : collective.getGroups().getAsRange<DenseI64ArrayAttr>()) {
        SmallVector<int64_t> members(group.asArrayRef());
        if (members.front() % batches != 0)
          continue;
        for (int64_t &device : members)
          device /= batches;
        groups.push_back(builder.getDenseI64ArrayAttr(members));
      }
      collective.setGroupsAttr(builder.getArrayAttr(groups));
    }
    return devices;
  }

  static void addStages(const Axes &axes, StageDevices &devices) {
    size_t count = 1;
    for (unsigned axis : axes)
      count *= devices.mesh.getAxes()[axis].getSize();
    devices.stages.resize(count);
    for (int64_t device = 0; device < devices.mesh.getNumDevices(); ++device) {
      size_t stage = 0;
      for (unsigned axis : axes)
        stage = stage * devices.mesh.getAxes()[axis].getSize() +
                devices.mesh.getCoordinate(device, axis);
      devices.stages[stage].push_back(device);
    }
  }

  void split(const StageDevices &devices) {
    SymbolTable symbols(getOperation());
    BoundaryCollectives collectives(symbols, devices);
    MicroBatchPrograms programs(symbols);
    StagePlanner::StateStages states;
    std::deque<StagePlanner> planners;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        planners.emplace_back(function, devices, symbols, states);
    // Those that only write states, such as one that resets them, follow those that read them.
    for (bool reads : {true, false})
      for (StagePlanner &planner : planners)
        if (planner.readsStates() == reads && failed(planner.run()))
          return signalPassFailure();
    for (StagePlanner &planner : planners) {
      if (failed(planner.placeStates()))
        return signalPassFailure();
      count(planner, devices);
      makeStageFunctions(planner.function, planner.plan, devices, symbols, collectives, programs);
    }
  }

  /// All micro-batches pass the largest stage one after the other, and one of them all other
  /// stages.
  void count(const StagePlanner &planner, const StageDevices &devices) {
    double all = 0, most = 0;
    for (int64_t cost : planner.costs) {
      all += cost;
      most = std::max<double>(most, cost);
    }
    const double stages = devices.stages.size(), batches = devices.microBatches;
    numStages += devices.stages.size();
    numSends += planner.sends;
    sentBytes += planner.sentBytes;
    if (all > 0) {
      largest += std::llround(1000 * most * stages / all);
      bubble += std::llround(1000 * (1 - batches * all / (stages * (all + (batches - 1) * most))));
    }
  }
};

} // namespace
