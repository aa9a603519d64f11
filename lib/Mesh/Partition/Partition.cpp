// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Partitioner.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/CollectiveOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "dialects/Ttc/Traces/StateOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/IR/IRMapping.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"
#include "ttc/Support/Resources.h"
#include <deque>

namespace mlir::ttc {
#define GEN_PASS_DEF_PARTITION
#include "ttc/Mesh/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

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

/// Adds the bias of a product: an element for each channel of the result.
static Value addBias(OpBuilder &builder, AffineWeightsOpInterface op, Value sum, Value bias) {
  if (int64_t inner = tensorType(sum).getRank() - 1 - op.getResultChannelDim()) {
    SmallVector<int64_t> shape(inner + 1, 1);
    shape[0] = tensorType(bias).getNumElements();
    bias = ReshapeOp::create(builder, op->getLoc(), bias, shape);
  }
  return AddOp::create(builder, op->getLoc(), sum.getType(), sum, bias);
}

LogicalResult Partitioner::partition(Operation *op) {
  if (op->getNumRegions() != 0)
    return op->emitOpError("expected ops without regions in a function that is partitioned for a "
                           "mesh, found this one");
  SmallVector<Axes> loopAxes = classes.getLoopAxes(op);
  auto getLayout = [&](unsigned value) { return classes.getLayout(op, value, loopAxes); };
  Axes summed;
  auto combiner = Combiner::Sum;
  for (auto [loop, axes] : llvm::zip_equal(classes.getDimensions(op).getLoops(), loopAxes))
    if (loop.kind == LoopKind::Reduction && !axes.empty()) {
      llvm::append_range(summed, axes);
      combiner = loop.combiner;
    }
  llvm::sort(summed);

  if (failed(checkHeads(op, getLayout)))
    return failure();

  // The bias belongs to the sum of all devices, not to each part of it.
  auto product = dyn_cast<AffineWeightsOpInterface>(op);
  const bool addsBias = product && product.getChannelBias() && !summed.empty();
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
    result.setType(getLocalType(tensorType(result), getLayout(op->getNumOperands() + index), mesh));
  if (auto sized = dyn_cast<DimensionMapOpInterface>(clone))
    sized.updateSizes();
  builder.insert(clone);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    Value local = clone->getResult(index);
    if (!summed.empty()) {
      Reduction reduction = combiner == Combiner::Max   ? Reduction::Max
                            : combiner == Combiner::Min ? Reduction::Min
                                                        : Reduction::Sum;
      local = AllReduceOp::create(builder, op->getLoc(), local.getType(), local, getNames(summed),
                                  reduction);
    }
    if (bias)
      local = addBias(builder, product, local, bias);
    if (blocks)
      local = addAfterSum(builder, blocks, local, blockBias, residual, masks);
    locals[result] = {local, getLayout(op->getNumOperands() + index)};
  }
  return success();
}

/// A result stays divided along its first dimension, and along that of micro-batches: none of them
/// has the others.
Layout Partitioner::getResultLayout(Layout layout) const {
  const std::optional<unsigned> microBatches = getMicroBatchAxis(mesh);
  for (Axes &axes : MutableArrayRef(layout).drop_front(layout.empty() ? 0 : 1))
    if (!microBatches || !llvm::is_contained(axes, *microBatches))
      axes.clear();
  return layout;
}

void Partitioner::partitionReturn(func::ReturnOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Layout layout;
    if (auto type = dyn_cast<RankedTensorType>(operand.get().getType())) {
      Local local = locals.lookup(operand.get());
      layout = local.value ? getResultLayout(local.layout) : Layout(type.getRank());
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

/// A state holds what one device has of it.
void Partitioner::divideState(FlatSymbolRefAttr name, RankedTensorType type, const Layout &layout) {
  auto state = SymbolTable::lookupNearestSymbolFrom<StateOp>(function, name);
  if (states.try_emplace(name.getAttr(), layout).second && state && !isReplicated(layout))
    state.setType(getLocalType(type, layout, mesh));
}

LogicalResult Partitioner::divideReadStates() {
  for (BlockArgument argument : function.getArguments()) {
    auto name =
        function.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(), kStateAttrName);
    if (!name)
      continue;
    const Layout layout = classes.getLayout(argument);
    divideState(name, tensorType(argument), layout);
    if (states.lookup(name.getAttr()) != layout)
      return function.emitError("expected state '")
             << name.getValue() << "' to be divided as in the functions before '"
             << function.getName() << "', found another division";
  }
  return success();
}

void Partitioner::divideWrittenStates() {
  for (OpOperand &result : function.front().getTerminator()->getOpOperands())
    if (auto name = function.getResultAttrOfType<FlatSymbolRefAttr>(result.getOperandNumber(),
                                                                    kStateAttrName))
      divideState(name, tensorType(result.get()),
                  result.get().getDefiningOp<ConstantOp>()
                      ? Layout(tensorType(result.get()).getRank())
                      : getResultLayout(classes.getLayout(result.get())));
}

LogicalResult Partitioner::run() {
  // The old arguments keep their types until nothing asks for the shapes of whole tensors.
  SmallVector<Layout> arguments;
  const unsigned numArguments = function.getNumArguments();
  for (BlockArgument argument : llvm::to_vector(function.getArguments())) {
    Type type = argument.getType();
    Layout layout;
    if (auto whole = dyn_cast<RankedTensorType>(type)) {
      layout = classes.getLayout(argument);
      type = getLocalType(whole, layout, mesh);
    }
    arguments.push_back(layout);
    locals[argument] = {function.front().addArgument(type, argument.getLoc()), layout};
  }

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
  function.front().eraseArguments(0, numArguments);
  scatterSums();
  for (auto constant : llvm::make_early_inc_range(function.getOps<ConstantOp>()))
    if (constant->use_empty())
      constant.erase();
  setTypes(arguments);
  return success();
}

//===--- the pass ---------------------------------------------------------------------===//

namespace {

struct Partition : mlir::ttc::impl::PartitionBase<Partition> {
  PassCounter numCollectives{*this, "collectives", "Collectives inserted"};
  PassCounter operandBytes{*this, "operand-bytes", "Bytes of their operands on one device"};
  PassCounter constantBytes{*this, "constant-bytes", "Bytes of constants before"};
  PassCounter deviceBytes{*this, "device-constant-bytes", "Bytes of constants of one device"};

  static int64_t getBytes(Value value) {
    return tensorType(value).getNumElements() *
           static_cast<int64_t>(ConstantTensor::getElementSize(tensorType(value).getElementType()));
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
      if (failed(partitioner.divideReadStates()))
        return signalPassFailure();
    for (Partitioner &partitioner : partitioners)
      partitioner.divideWrittenStates();
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
