// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Partitioner.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/IR/IRMapping.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"
#include "ttc/Support/Resources.h"
#include <deque>

namespace mlir::ttc {
#define GEN_PASS_DEF_PARTITIONFORMESH
#include "ttc/Mesh/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

//===--- from one layout to another ---------------------------------------------------===//

ArrayAttr Partitioner::getNames(ArrayRef<unsigned> axes) {
  SmallVector<StringRef> names;
  for (unsigned axis : axes)
    names.push_back(mesh.getAxes()[axis].getName());
  return builder.getStrArrayAttr(names);
}

/// The whole along the axes of `dim` from number `keep` on.
Value Partitioner::gather(Value value, Layout &layout, size_t dim, size_t keep) {
  Axes axes(ArrayRef(layout[dim]).drop_front(keep));
  layout[dim].truncate(keep);
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= getParts(mesh, axes);
  return AllGatherOp::create(builder, value.getLoc(), type.clone(shape), value, getNames(axes),
                             static_cast<int64_t>(dim));
}

/// Each device's part of what all have: by indices that differ, because streams do not.
Value Partitioner::takePart(Value value, Layout &layout, size_t dim, const Axes &wanted) {
  Axes axes(ArrayRef(wanted).drop_front(layout[dim].size()));
  layout[dim] = wanted;
  ElementsAttr indices =
      getPartIndices(builder.getContext(), typeOf(value).getDimSize(dim), axes, mesh);
  Value constant = ConstantOp::create(builder, value.getLoc(), indices);
  return GatherOp::create(builder, value.getLoc(), value, constant, static_cast<int64_t>(dim));
}

/// Where one dimension has an axis last that another one wants next, by one exchange.
Value Partitioner::exchange(Value value, Layout &layout, const Layout &wanted) {
  for (size_t from = 0; from < layout.size(); ++from)
    for (size_t to = 0; to < layout.size(); ++to) {
      if (from == to || layout[from].empty() || layout[from] == wanted[from])
        continue;
      unsigned axis = layout[from].back();
      Axes next(layout[to]);
      next.push_back(axis);
      int64_t parts = getParts(mesh, {axis});
      if (ArrayRef(layout[from]).drop_back() !=
              ArrayRef(wanted[from]).take_front(layout[from].size() - 1) ||
          ArrayRef(wanted[to]).take_front(next.size()) != ArrayRef(next) ||
          typeOf(value).getDimSize(to) % parts != 0)
        continue;
      SmallVector<int64_t> shape(typeOf(value).getShape());
      shape[to] /= parts;
      shape[from] *= parts;
      value = AllToAllOp::create(builder, value.getLoc(), typeOf(value).clone(shape), value,
                                 getNames({axis}), static_cast<int64_t>(to),
                                 static_cast<int64_t>(from));
      layout[from].pop_back();
      layout[to] = next;
    }
  return value;
}

Value Partitioner::reshard(Local local, const Layout &wanted) {
  if (local.layout == wanted)
    return local.value;
  SmallVector<Local> &known = resharded[local.value];
  for (const Local &other : known)
    if (other.layout == wanted)
      return other.value;
  Layout layout = local.layout;
  Value value = exchange(local.value, layout, wanted);
  for (size_t dim = 0; dim < layout.size(); ++dim) {
    size_t common = 0;
    while (common < layout[dim].size() && common < wanted[dim].size() &&
           layout[dim][common] == wanted[dim][common])
      ++common;
    if (common < layout[dim].size())
      value = gather(value, layout, dim, common);
  }
  for (size_t dim = 0; dim < layout.size(); ++dim)
    if (layout[dim] != wanted[dim])
      value = takePart(value, layout, dim, wanted[dim]);
  resharded[local.value].push_back({value, wanted});
  return value;
}

//===--- ops --------------------------------------------------------------------------===//

/// What a device needs of an operand. A constant is divided while compiling.
Local Partitioner::getOperand(OpOperand &operand, const Layout &wanted, bool isFlexible) {
  if (auto constant = operand.get().getDefiningOp<ConstantOp>()) {
    if (isReplicated(wanted))
      return {constant, wanted};
    ElementsAttr parts = getParts(common.parts, constant.getValue(), wanted, mesh);
    return {ConstantOp::create(builder, constant.getLoc(), parts), wanted};
  }
  Local local = locals.lookup(operand.get());
  if (isFlexible)
    return local;
  return {reshard(local, wanted), wanted};
}

/// Attributes that tell sizes.
static void setSizes(Operation *op, bool isDepthwise) {
  if (auto slice = dyn_cast<SliceOp>(op)) {
    SmallVector<int64_t> sizes(typeOf(slice.getY()).getShape());
    slice.setSizes(sizes);
  }
  // Groups are divided only if each is one channel.
  const auto setGroups = [](auto convolution) {
    RankedTensorType type = typeOf(convolution.getX());
    if (convolution.getGroups() != 1)
      convolution.setGroups(
          type.getDimSize(convolution.getChannelsLast() ? type.getRank() - 1 : 1));
  };
  if (auto convolution = dyn_cast<ConvOp>(op); convolution && isDepthwise)
    setGroups(convolution);
  if (auto convolution = dyn_cast<ConvTransposeOp>(op); convolution && isDepthwise)
    setGroups(convolution);
  if (auto convolution = dyn_cast<IntConvOp>(op); convolution && isDepthwise)
    setGroups(convolution);
  if (auto attention = dyn_cast<CachedAttentionOp>(op)) {
    RankedTensorType keys = typeOf(attention.getKeys());
    const int64_t heads = keys.getDimSize(keys.getRank() - 4);
    attention.setHeads(attention.getHeads() / attention.getKvHeads() * heads);
    attention.setKvHeads(heads);
  }
}

/// Whether each group of a convolution is one channel.
static bool isDepthwise(Operation *op) {
  const auto check = [](auto convolution) {
    RankedTensorType x = typeOf(convolution.getX()), y = typeOf(convolution.getY());
    int64_t channels = convolution.getChannelsLast() ? x.getRank() - 1 : 1;
    return convolution.getGroups() == x.getDimSize(channels) &&
           convolution.getGroups() == y.getDimSize(channels);
  };
  if (auto convolution = dyn_cast<ConvOp>(op))
    return check(convolution);
  if (auto convolution = dyn_cast<IntConvOp>(op))
    return check(convolution);
  auto convolution = dyn_cast<ConvTransposeOp>(op);
  return convolution && check(convolution);
}

/// The bias of a product: operand 2, or none.
static Value getBias(Operation *op) {
  return isa<MatmulOp, ConvOp, ConvTransposeOp>(op) && op->getNumOperands() == 3 ? op->getOperand(2)
                                                                                 : Value();
}

/// Adds the bias of a product, which for images is one of channels.
static Value addBias(OpBuilder &builder, Operation *op, Value sum, Value bias) {
  bool isChannelsFirst = false;
  if (auto image = dyn_cast<ChannelsLastOpInterface>(op))
    isChannelsFirst = !image.getChannelsLast();
  if (isChannelsFirst) {
    SmallVector<int64_t> shape(typeOf(sum).getRank() - 1, 1);
    shape[0] = typeOf(bias).getNumElements();
    bias = ReshapeOp::create(builder, op->getLoc(), bias, shape);
  }
  return AddOp::create(builder, op->getLoc(), sum.getType(), sum, bias);
}

LogicalResult Partitioner::partition(Operation *op) {
  if (op->getNumRegions() != 0)
    return op->emitOpError("expected ops without regions in a function that is partitioned for a "
                           "mesh, found this one");
  const OpDimensions &info = classes.getDimensions(op);
  SmallVector<Axes> loopAxes = classes.getLoopAxes(op);
  auto getLayout = [&](unsigned value) {
    Layout layout;
    for (int loop : info.leading[value])
      layout.push_back(loop >= 0 ? loopAxes[loop] : Axes());
    return layout;
  };
  Axes summed;
  auto kind = shard::ReductionKind::Sum;
  for (auto [loop, axes] : llvm::zip_equal(info.loops, loopAxes))
    if (loop.isReduction && !axes.empty()) {
      llvm::append_range(summed, axes);
      kind = loop.kind;
    }
  llvm::sort(summed);

  if (failed(checkHeads(op, getLayout)))
    return failure();

  // The bias belongs to the sum of all devices, not to each part of it.
  const bool addsBias = getBias(op) && !summed.empty();
  IRMapping mapping;
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      return op->emitOpError("expected operands that are tensors, found ")
             << operand.get().getType();
    Value special = getSpecialOperand(operand, loopAxes);
    operands.push_back(special ? special
                               : getOperand(operand, getLayout(operand.getOperandNumber())).value);
  }
  Value bias = addsBias ? operands.pop_back_val() : Value();
  Operation *clone = op->clone();
  if (addsBias)
    clone->eraseOperand(2);
  clone->setOperands(operands);
  // The same of a product with weights in blocks, which has more to add.
  auto blocks = summed.empty() ? BlockMatmulOp() : dyn_cast<BlockMatmulOp>(clone);
  Value blockBias, residual;
  if (blocks) {
    blockBias = blocks.getBias();
    residual = blocks.getResidual();
    blocks.getBiasMutable().clear();
    blocks.getResidualMutable().clear();
  }
  for (auto [index, result] : llvm::enumerate(clone->getResults()))
    result.setType(getLocalType(typeOf(result), getLayout(op->getNumOperands() + index), mesh));
  setSizes(clone, isDepthwise(op));
  builder.insert(clone);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    Value local = clone->getResult(index);
    if (!summed.empty()) {
      Reduction reduction = kind == shard::ReductionKind::Max   ? Reduction::Max
                            : kind == shard::ReductionKind::Min ? Reduction::Min
                                                                : Reduction::Sum;
      local = AllReduceOp::create(builder, op->getLoc(), local.getType(), local, getNames(summed),
                                  reduction);
    }
    if (bias)
      local = addBias(builder, op, local, bias);
    if (blocks)
      local = addBehindSum(builder, blocks, local, blockBias, residual, masks);
    locals[result] = {local, getLayout(op->getNumOperands() + index)};
  }
  return success();
}

/// A result stays divided along its first dimension.
void Partitioner::partitionReturn(func::ReturnOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Layout layout;
    if (auto type = dyn_cast<RankedTensorType>(operand.get().getType())) {
      layout.resize(type.getRank());
      if (Local local = locals.lookup(operand.get()); local.value && !layout.empty())
        layout[0] = local.layout[0];
      // The next value of a state is divided as the state is.
      if (auto state = function.getResultAttrOfType<FlatSymbolRefAttr>(operand.getOperandNumber(),
                                                                       kStateAttrName))
        if (auto known = states.find(state.getAttr()); known != states.end())
          layout = known->second;
      operand.set(getOperand(operand, layout).value);
    }
    results.push_back(layout);
  }
}

//===--- functions --------------------------------------------------------------------===//

Attribute Partitioner::getShardingAttr(const Layout &layout) {
  SmallVector<Attribute> dims;
  for (const Axes &axes : layout)
    dims.push_back(getNames(axes));
  return builder.getArrayAttr(dims);
}

void Partitioner::setTypes(SmallVector<Layout> &arguments) {
  for (auto [index, layout] : llvm::enumerate(arguments))
    if (!isReplicated(layout) && !function.getArgAttr(index, kStateAttrName))
      function.setArgAttr(index, kShardingAttrName, getShardingAttr(layout));
  for (auto [index, layout] : llvm::enumerate(results))
    if (!isReplicated(layout) && !function.getResultAttr(index, kStateAttrName))
      function.setResultAttr(index, kShardingAttrName, getShardingAttr(layout));
  Operation *terminator = function.front().getTerminator();
  function.setFunctionType(
      builder.getFunctionType(function.front().getArgumentTypes(), terminator->getOperandTypes()));
}

/// A state holds what one device has of it, in all functions alike.
LogicalResult Partitioner::divideStates(ArrayRef<Layout> arguments) {
  for (auto [index, layout] : llvm::enumerate(arguments)) {
    auto name = function.getArgAttrOfType<FlatSymbolRefAttr>(index, kStateAttrName);
    if (!name)
      continue;
    auto [known, isNew] = states.try_emplace(name.getAttr(), layout);
    if (!isNew && known->second != layout)
      return function.emitError("expected state '")
             << name.getValue() << "' to be divided as in the functions before '"
             << function.getName() << "', found another division";
    auto state = SymbolTable::lookupNearestSymbolFrom<StateOp>(function, name);
    if (isNew && state && !isReplicated(layout))
      state.setType(getLocalType(typeOf(function.getArgument(index)), layout, mesh));
  }
  return success();
}

LogicalResult Partitioner::run() {
  SmallVector<Layout> arguments;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    Layout layout = type ? classes.getLayout(argument) : Layout();
    arguments.push_back(layout);
    locals[argument] = {argument, layout};
  }
  if (failed(divideStates(arguments)))
    return failure();
  for (auto [argument, layout] : llvm::zip_equal(function.getArguments(), arguments))
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      argument.setType(getLocalType(type, layout, mesh));

  SmallVector<Operation *> old;
  for (Operation &op : llvm::make_early_inc_range(function.front())) {
    builder.setInsertionPoint(&op);
    if (isa<ConstantOp>(op))
      continue; // divided where it is used; whole, it stays
    if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      partitionReturn(returnOp);
      continue;
    }
    old.push_back(&op);
    if (isa<shard::ShardingOp>(op))
      continue;
    if (auto annotation = dyn_cast<shard::ShardOp>(op)) {
      Layout layout = classes.getLayout(annotation.getResult());
      locals[annotation.getResult()] =
          getOperand(annotation.getSrcMutable(), layout, !isReshard(annotation));
      continue;
    }
    if (!partitionDecoder(&op) && failed(partition(&op)))
      return failure();
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
  for (auto constant : llvm::make_early_inc_range(function.getOps<ConstantOp>()))
    if (constant->use_empty())
      constant.erase();
  setTypes(arguments);
  return success();
}

//===--- the pass ---------------------------------------------------------------------===//

namespace {

struct PartitionForMesh : mlir::ttc::impl::PartitionForMeshBase<PartitionForMesh> {
  PassCounter numCollectives{*this, "collectives", "Collectives inserted"};
  PassCounter operandBytes{*this, "operand-bytes", "Bytes of their operands on one device"};
  PassCounter constantBytes{*this, "constant-bytes", "Bytes of constants before"};
  PassCounter deviceBytes{*this, "device-constant-bytes", "Bytes of constants of one device"};

  static int64_t getBytes(Value value) {
    return typeOf(value).getNumElements() *
           static_cast<int64_t>(ConstantTensor::getElementSize(typeOf(value).getElementType()));
  }

  int64_t getConstantBytes() {
    int64_t bytes = 0;
    getOperation().walk([&](ConstantOp op) { bytes += getBytes(op); });
    return bytes;
  }

  /// A function that chooses tokens from divided logits becomes two: one gathers all logits, the
  /// other one, of the name with `_best`, those that a greedy choice or a small top-k needs.
  void addBestVariants(ModuleOp module, MeshAttr mesh) {
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function.isExternal() || !function.getBody().hasOneBlock() ||
          bestVariants.contains(function))
        continue;
      auto samples = function.getOps<SampleOp>();
      if (samples.empty())
        continue;
      FailureOr<DimensionClasses> classes = DimensionClasses::get(function, mesh);
      if (failed(classes))
        return; // said again where it stops the pass
      if (!choosesFromParts(*samples.begin(), *classes))
        continue;
      OpBuilder builder(function->getContext());
      builder.setInsertionPointAfter(function);
      auto best = cast<func::FuncOp>(builder.clone(*function));
      best.setName((function.getName() + "_best").str());
      bestVariants.insert(best);
    }
  }

  DenseSet<Operation *> bestVariants;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshAttr mesh = getMesh(module);
    if (!mesh)
      return;
    bestVariants.clear();
    constantBytes += getConstantBytes();
    DenseSet<StringRef> before = getResources(module);
    addBestVariants(module, mesh);
    Partitioner::Common common;
    std::vector<Partitioner> partitioners;
    std::deque<DimensionClasses> classes; // they stay where they are
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      FailureOr<DimensionClasses> its = DimensionClasses::get(function, mesh);
      if (failed(its))
        return signalPassFailure();
      classes.push_back(std::move(*its));
      partitioners.emplace_back(function, classes.back(), common, bestVariants.contains(function));
      partitioners.back().findTables();
    }
    for (Partitioner &partitioner : partitioners)
      if (failed(partitioner.run()))
        return signalPassFailure();
    for (auto grid : llvm::make_early_inc_range(module.getOps<shard::GridOp>()))
      grid.erase();
    releaseResources(module, std::move(before));
    deviceBytes += getConstantBytes();
    bool isIndependent = true;
    module.walk([&](CollectiveOpInterface op) {
      ++numCollectives;
      operandBytes += getBytes(op->getOperand(0));
      isIndependent &= succeeded(verifyMicroBatches(op));
    });
    if (!isIndependent)
      signalPassFailure();
  }

  /// Micro-batches are computed one after the other: none has what others have.
  static LogicalResult verifyMicroBatches(CollectiveOpInterface op) {
    for (auto name : op.getAxes().getAsRange<StringAttr>())
      if (name.getValue() == kMicroBatchAxis)
        return op->emitError(
                   "--micro-batches: expected a batch whose elements do not depend on each "
                   "other, found that all of them are needed here (")
               << op->getName() << ")";
    return success();
  }
};

} // namespace
