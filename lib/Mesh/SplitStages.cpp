// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StageCuts.h"
#include "StageFunctions.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"
#include "llvm/Support/MathExtras.h"
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
  // Of thousands of ops, the sum must not overflow.
  return std::min<uint64_t>(std::max<uint64_t>(operations, kOperationsPerByte * bytes), uint64_t(1)
                                                                                            << 48);
}

/// Decides about one function.
class StagePlanner {
public:
  using StateStages = DenseMap<Attribute, unsigned>;

  StagePlanner(func::FuncOp function, const StageDevices &devices, SymbolTable &symbols,
               StateStages &known)
      : function(function), devices(devices), symbols(symbols), known(known),
        stages(devices.stages.size()) {}

  LogicalResult run();

  StagePlan plan;
  SmallVector<int64_t> costs; ///< by stage
  int64_t sends = 0, sentBytes = 0;

private:
  LogicalResult readWork();
  void restrictStates();
  void findUses();
  void findTransfers();
  size_t getPosition(Value root) const;

  func::FuncOp function;
  const StageDevices &devices;
  SymbolTable &symbols;
  StateStages &known; ///< of functions before, by the states' names
  unsigned stages;
  StageProblem problem;
  SmallVector<Operation *> work;
  DenseMap<Operation *, size_t> positions;
  /// Values with the positions of their work and of their last use.
  llvm::MapVector<Value, std::pair<size_t, size_t>> uses;
  /// Of states, the positions of the first use and of the update.
  llvm::MapVector<Value, std::pair<size_t, size_t>> states;
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

/// The position of the work that makes a value; of a state, of its first use.
size_t StagePlanner::getPosition(Value root) const {
  if (auto state = states.find(root); state != states.end())
    return state->second.first;
  return positions.lookup(root.getDefiningOp());
}

/// The stage that uses a state first updates it: no cut in between.
void StagePlanner::restrictStates() {
  DenseMap<Attribute, Value> byName;
  for (BlockArgument argument : function.getArguments()) {
    auto name =
        function.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(), kStateAttrName);
    if (!name)
      continue;
    byName[name] = argument;
    size_t first = work.size() - 1;
    for (auto [position, op] : llvm::enumerate(work))
      if (llvm::any_of(op->getOperands(),
                       [&](Value operand) { return getViewRoot(operand) == argument; })) {
        first = position;
        break;
      }
    states[argument] = {first, first};
  }
  for (OpOperand &operand : function.front().getTerminator()->getOpOperands()) {
    auto name =
        function.getResultAttrOfType<FlatSymbolRefAttr>(operand.getOperandNumber(), kStateAttrName);
    Value state = name ? byName.lookup(name) : Value();
    Operation *update = getViewRoot(operand.get()).getDefiningOp();
    if (!state || !positions.contains(update))
      continue;
    auto &[first, last] = states[state];
    const size_t position = positions.lookup(update);
    first = std::min(first, position);
    last = std::max(last, position);
  }
  for (auto &[state, range] : states) {
    auto [first, last] = range;
    for (size_t position = first + 1; position <= last; ++position)
      problem.bytes[position] = -1;
    auto name = function.getArgAttrOfType<FlatSymbolRefAttr>(
        cast<BlockArgument>(state).getArgNumber(), kStateAttrName);
    if (auto it = known.find(name); it != known.end())
      problem.range[first] = {it->second, it->second};
  }
}

void StagePlanner::findUses() {
  for (auto [position, op] : llvm::enumerate(work))
    for (Value operand : op->getOperands()) {
      Value root = getViewRoot(operand);
      Operation *definition = root.getDefiningOp();
      if (definition ? !positions.contains(definition) : !states.contains(root))
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
  for (auto &[state, range] : states) {
    const unsigned stage = plan.stages.lookup(work[range.first]);
    plan.states[state] = stage;
    known[function.getArgAttr(cast<BlockArgument>(state).getArgNumber(), kStateAttrName)] = stage;
  }
  findTransfers();
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
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal())
        continue;
      StagePlanner planner(function, devices, symbols, states);
      if (failed(planner.run()))
        return signalPassFailure();
      count(planner, devices);
      makeStageFunctions(function, planner.plan, devices, symbols, collectives, programs);
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
