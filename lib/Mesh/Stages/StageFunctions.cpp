// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StageFunctions.h"
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ttc/Analysis/Buffers.h"
#include "ttc/Mesh/Mesh.h"

using namespace mlir;
using namespace mlir::ttc;

bool mlir::ttc::isCopied(Operation *op) {
  return isa<ViewLikeOpInterface>(op) || matchPattern(op, m_Constant());
}

//===--- symbols ----------------------------------------------------------------------===//

FlatSymbolRefAttr BoundaryCollectives::get(Location loc, unsigned stage, RankedTensorType type) {
  OpBuilder builder(loc.getContext());
  Type element = type.getElementType();
  const int64_t bytes = getTensorBytes(type);
  Attribute key = builder.getArrayAttr(
      {builder.getI64IntegerAttr(stage), TypeAttr::get(element), builder.getI64IntegerAttr(bytes)});
  FlatSymbolRefAttr &name = made[key];
  if (name)
    return name;
  SmallVector<Attribute> groups;
  for (auto [sender, receiver] : llvm::zip_equal(devices.stages[stage], devices.stages[stage + 1]))
    groups.push_back(builder.getDenseI64ArrayAttr({sender, receiver}));
  auto op = CollectiveOp::create(
      builder, loc, stringifyCollectiveKind(CollectiveKind::Permute), CollectiveKind::Permute,
      CollectiveAlgorithm::Direct, Reduction::Sum, element, bytes, builder.getArrayAttr(groups),
      /*rows=*/1, /*root=*/0, builder.getDenseI64ArrayAttr({-1, 0}), StringAttr());
  auto *module = cast<ModuleOp>(symbols.getOp()).getBody();
  if (!last) // after the collectives of exchanges
    for (auto other : module->getOps<CollectiveOp>())
      last = other;
  symbols.insert(op, last ? std::next(last->getIterator()) : module->begin());
  last = op;
  return name = FlatSymbolRefAttr::get(op.getSymNameAttr());
}

FlatSymbolRefAttr MicroBatchPrograms::get(Location loc, StringRef name, TypeRange operands,
                                          TypeRange results, int64_t dim) {
  OpBuilder builder(loc.getContext());
  auto type = builder.getFunctionType(operands, results);
  FlatSymbolRefAttr &known = made[{TypeAttr::get(type), dim}];
  if (known)
    return known;
  auto program = ProgramOp::create(builder, loc, name, type);
  program.setPrivate();
  symbols.insert(program);
  Block &block =
      program.getBody().empty() ? program.getBody().emplaceBlock() : program.getBody().front();
  if (block.getNumArguments() == 0)
    for (Type operand : operands)
      block.addArgument(operand, loc);
  builder.setInsertionPointToEnd(&block);
  Operation *op;
  if (operands.size() == 1) {
    SmallVector<int64_t> sizes;
    for (Type result : results)
      sizes.push_back(cast<RankedTensorType>(result).getDimSize(dim));
    op = SplitOp::create(builder, loc, results, block.getArgument(0),
                         builder.getI64IntegerAttr(dim), builder.getDenseI64ArrayAttr(sizes));
  } else {
    op = ConcatOp::create(builder, loc, results, block.getArguments(),
                          builder.getI64IntegerAttr(dim));
  }
  ReturnOp::create(builder, loc, op->getResults());
  return known = FlatSymbolRefAttr::get(program.getSymNameAttr());
}

static RankedTensorType withSize(RankedTensorType type, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

SmallVector<Value> MicroBatchPrograms::split(OpBuilder &builder, Value whole, int64_t dim,
                                             int64_t parts) {
  SmallVector<Type> results(
      parts, withSize(tensorType(whole), dim, tensorType(whole).getDimSize(dim) / parts));
  FlatSymbolRefAttr program = get(whole.getLoc(), "split", whole.getType(), results, dim);
  auto dispatch = DispatchOp::create(builder, whole.getLoc(), results, program, whole);
  return SmallVector<Value>(dispatch->getResults());
}

Value MicroBatchPrograms::concat(OpBuilder &builder, ValueRange parts, int64_t dim) {
  Location loc = parts.front().getLoc();
  RankedTensorType type = tensorType(parts.front());
  Type whole = withSize(type, dim, type.getDimSize(dim) * parts.size());
  FlatSymbolRefAttr program = get(loc, "concat", parts.getTypes(), whole, dim);
  return DispatchOp::create(builder, loc, whole, program, parts)->getResult(0);
}

//===--- functions --------------------------------------------------------------------===//

namespace {

/// Makes the function of one stage.
class StageMaker {
public:
  StageMaker(func::FuncOp whole, const StagePlan &plan, const StageDevices &devices,
             BoundaryCollectives &collectives, MicroBatchPrograms &programs, unsigned stage)
      : whole(whole), plan(plan), devices(devices), collectives(collectives), programs(programs),
        stage(stage), builder(whole.getContext()) {}

  func::FuncOp make();

private:
  unsigned getStage(OpOperand &result);
  bool uses(BlockArgument argument);
  std::optional<int64_t> getDividedDim(DictionaryAttr attrs);
  DictionaryAttr getPortAttrs(DictionaryAttr attrs, StringRef kind, unsigned index);
  void addArguments();
  Value get(Value value, int64_t batch);
  void receive(int64_t batch);
  void send(int64_t batch);
  SmallVector<Value> getResults(SmallVectorImpl<Attribute> &attrs);

  func::FuncOp whole, made;
  const StagePlan &plan;
  const StageDevices &devices;
  BoundaryCollectives &collectives;
  MicroBatchPrograms &programs;
  unsigned stage;
  OpBuilder builder;
  std::vector<IRMapping> locals; ///< by micro-batch
  DenseMap<Value, Value> constants;
};

} // namespace

/// The stage that a result belongs to: that of its state or its work, or of the state that it is.
unsigned StageMaker::getStage(OpOperand &result) {
  if (Attribute state = whole.getResultAttr(result.getOperandNumber(), kStateAttrName))
    return plan.states.at(state);
  Value root = getViewRoot(result.get());
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    Attribute state = whole.getArgAttr(argument.getArgNumber(), kStateAttrName);
    return state ? plan.states.at(state) : 0;
  }
  auto it = plan.stages.find(root.getDefiningOp());
  return it == plan.stages.end() ? 0 : it->second;
}

/// Whether the stage has the argument: it uses it, or no stage does and it is the first one.
bool StageMaker::uses(BlockArgument argument) {
  if (Attribute state = whole.getArgAttr(argument.getArgNumber(), kStateAttrName))
    return plan.states.at(state) == stage;
  bool isUsed = false, isUsedHere = false;
  SmallVector<Value> values{argument};
  while (!values.empty())
    for (OpOperand &use : values.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (auto it = plan.stages.find(user); it != plan.stages.end()) {
        isUsed = true;
        isUsedHere |= it->second == stage;
      } else if (isa<func::ReturnOp>(user)) {
        isUsed = true;
        isUsedHere |= stage == getStage(use);
      } else {
        llvm::append_range(values, user->getResults());
      }
    }
  return isUsed ? isUsedHere : stage == 0;
}

/// The dimension that micro-batches divide.
std::optional<int64_t> StageMaker::getDividedDim(DictionaryAttr attrs) {
  auto sharding = attrs ? attrs.getAs<ArrayAttr>(kShardingAttrName) : ArrayAttr();
  if (sharding && devices.microBatches > 1)
    for (auto [dim, axes] : llvm::enumerate(sharding.getAsRange<ArrayAttr>()))
      if (llvm::is_contained(axes, builder.getStringAttr(kMicroBatchAxis)))
        return dim;
  return std::nullopt;
}

/// With a name, which does not depend on the stage, and without the axis of micro-batches.
DictionaryAttr StageMaker::getPortAttrs(DictionaryAttr attrs, StringRef kind, unsigned index) {
  NamedAttrList list(attrs);
  if (!list.get(kNameAttrName) && !list.get(kStateAttrName))
    list.set(kNameAttrName, builder.getStringAttr(kind + Twine(index)));
  if (getDividedDim(attrs)) {
    bool isDivided = false;
    SmallVector<Attribute> dims;
    for (auto axes : attrs.getAs<ArrayAttr>(kShardingAttrName).getAsRange<ArrayAttr>()) {
      SmallVector<Attribute> names;
      for (auto name : axes.getAsRange<StringAttr>())
        if (name.getValue() != kMicroBatchAxis)
          names.push_back(name);
      isDivided |= !names.empty();
      dims.push_back(builder.getArrayAttr(names));
    }
    if (isDivided)
      list.set(kShardingAttrName, builder.getArrayAttr(dims));
    else
      list.erase(kShardingAttrName);
  }
  return list.getDictionary(builder.getContext());
}

void StageMaker::addArguments() {
  SmallVector<Attribute> attrs;
  Block &block = made.front();
  for (BlockArgument argument : whole.getArguments()) {
    if (!uses(argument))
      continue;
    DictionaryAttr old = whole.getArgAttrDict(argument.getArgNumber());
    attrs.push_back(getPortAttrs(old, "input", argument.getArgNumber()));
    std::optional<int64_t> dim = getDividedDim(old);
    RankedTensorType type = tensorType(argument);
    if (dim)
      type = withSize(type, *dim, type.getDimSize(*dim) * devices.microBatches);
    Value local = block.addArgument(type, argument.getLoc());
    if (!dim) {
      for (IRMapping &mapping : locals)
        mapping.map(argument, local);
      continue;
    }
    if (argument.use_empty())
      continue;
    for (auto [mapping, part] :
         llvm::zip_equal(locals, programs.split(builder, local, *dim, devices.microBatches)))
      mapping.map(argument, part);
  }
  made.setFunctionType(builder.getFunctionType(block.getArgumentTypes(), {}));
  if (!attrs.empty())
    made.setArgAttrsAttr(builder.getArrayAttr(attrs));
}

/// The value in this stage. Constants and views are copied here.
Value StageMaker::get(Value value, int64_t batch) {
  if (Value known = locals[batch].lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  auto constant = dyn_cast<ConstantOp>(op);
  auto shards = constant ? dyn_cast<ShardsAttr>(constant.getValue()) : ShardsAttr();
  if (op->getNumOperands() == 0 && !(shards && devices.microBatches > 1)) {
    Value &copy = constants[value];
    if (!copy)
      copy = builder.clone(*op)->getResult(0);
    locals[batch].map(value, copy);
    return copy;
  }
  for (Value operand : op->getOperands())
    get(operand, batch);
  Operation *copy = builder.clone(*op, locals[batch]);
  if (shards) { // device d has those of micro-batch b as device d * micro-batches + b
    SmallVector<ElementsAttr> values;
    SmallVector<int64_t> numbers, numberOf(shards.getValues().size(), -1);
    for (int64_t device = 0; device < devices.mesh.getNumDevices(); ++device) {
      int64_t number = shards.getDevices()[device * devices.microBatches + batch];
      if (numberOf[number] < 0) {
        numberOf[number] = values.size();
        values.push_back(shards.getValues()[number]);
      }
      numbers.push_back(numberOf[number]);
    }
    cast<ConstantOp>(copy).setValueAttr(
        ShardsAttr::getOrValue(builder.getContext(), values, numbers));
  }
  return locals[batch].lookup(value);
}

void StageMaker::receive(int64_t batch) {
  for (const StagePlan::Transfer &transfer : plan.transfers) {
    if (transfer.from >= stage || transfer.to < stage)
      continue;
    Location loc = transfer.value.getLoc();
    RankedTensorType type = tensorType(transfer.value);
    Value local;
    if (type.getNumElements() == 0)
      local = ConstantOp::create(builder, loc, DenseElementsAttr::getFromRawBuffer(type, {}));
    else
      local = ReceiveOp::create(builder, loc, type, collectives.get(loc, stage - 1, type));
    locals[batch].map(transfer.value, local);
  }
}

void StageMaker::send(int64_t batch) {
  for (const StagePlan::Transfer &transfer : plan.transfers) {
    if (transfer.from > stage || transfer.to <= stage ||
        tensorType(transfer.value).getNumElements() == 0)
      continue;
    Location loc = transfer.value.getLoc();
    SendOp::create(builder, loc, collectives.get(loc, stage, tensorType(transfer.value)),
                   get(transfer.value, batch));
  }
}

SmallVector<Value> StageMaker::getResults(SmallVectorImpl<Attribute> &attrs) {
  SmallVector<Value> results;
  for (OpOperand &operand : whole.front().getTerminator()->getOpOperands()) {
    if (getStage(operand) != stage)
      continue;
    DictionaryAttr old = whole.getResultAttrDict(operand.getOperandNumber());
    attrs.push_back(getPortAttrs(old, "output", operand.getOperandNumber()));
    std::optional<int64_t> dim = getDividedDim(old);
    SmallVector<Value> parts;
    for (int64_t batch = 0; batch < (dim ? devices.microBatches : 1); ++batch)
      parts.push_back(get(operand.get(), batch));
    results.push_back(dim ? programs.concat(builder, parts, *dim) : parts[0]);
  }
  return results;
}

func::FuncOp StageMaker::make() {
  const bool isWhole = devices.stages.size() == 1;
  std::string name = whole.getSymName().str() + (isWhole ? "" : "_" + std::to_string(stage));
  made = func::FuncOp::create(builder, whole.getLoc(), name, builder.getFunctionType({}, {}));
  made->setDiscardableAttrs(whole->getDiscardableAttrDictionary());
  if (!isWhole) {
    made->setAttr(kDevicesAttrName, builder.getDenseI64ArrayAttr(devices.stages[stage]));
    made->setAttr(kPartOfAttrName, whole.getSymNameAttr());
  }
  locals.resize(devices.microBatches);
  builder.setInsertionPointToEnd(&made.getBody().emplaceBlock());
  addArguments();
  for (int64_t batch = 0; batch < devices.microBatches; ++batch) {
    receive(batch);
    for (auto [op, itsStage] : plan.stages) {
      if (itsStage != stage)
        continue;
      for (Value operand : op->getOperands())
        get(operand, batch);
      builder.clone(*op, locals[batch]);
    }
    send(batch);
  }
  SmallVector<Attribute> attrs;
  SmallVector<Value> results = getResults(attrs);
  func::ReturnOp::create(builder, whole.getLoc(), results);
  made.setFunctionType(
      builder.getFunctionType(made.getArgumentTypes(), ValueRange(results).getTypes()));
  if (!attrs.empty())
    made.setResAttrsAttr(builder.getArrayAttr(attrs));
  return made;
}

void mlir::ttc::makeStageFunctions(func::FuncOp function, const StagePlan &plan,
                                   const StageDevices &devices, SymbolTable &symbols,
                                   BoundaryCollectives &collectives, MicroBatchPrograms &programs) {
  SmallVector<func::FuncOp> made;
  for (unsigned stage = 0; stage < devices.stages.size(); ++stage)
    made.push_back(StageMaker(function, plan, devices, collectives, programs, stage).make());
  Block::iterator place = std::next(function->getIterator());
  symbols.erase(function);
  for (func::FuncOp each : made)
    symbols.insert(each, place);
}
