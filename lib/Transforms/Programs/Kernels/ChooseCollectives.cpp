// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "ttc/Analysis/CollectiveCost.h"
#include "ttc/Transforms/Options.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_CHOOSECOLLECTIVES
#include "ttc/Transforms/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;
namespace collectives = ttrt::collectives;

namespace {

constexpr CollectiveAlgorithm kAlgorithms[] = {
    CollectiveAlgorithm::Direct, CollectiveAlgorithm::Ring, CollectiveAlgorithm::Halving};

class Chooser {
public:
  Chooser(ModuleOp module, MeshAttr mesh, AlgorithmChoice wanted)
      : module(module), mesh(mesh), wanted(wanted), symbols(module) {}

  LogicalResult lower(CollectiveOpInterface op) {
    SmallVector<unsigned> axes;
    for (auto name : op.getAxes().getAsRange<StringAttr>()) {
      std::optional<unsigned> axis = mesh.findAxis(name);
      if (!axis)
        return op->emitOpError("expected axes of ") << mesh << ", found " << name;
      axes.push_back(*axis);
    }
    SmallVector<SmallVector<int64_t>> groups = mesh.getGroups(axes);
    const int64_t devices = groups.front().size();
    FailureOr<CollectiveForm> form = op.getForm(devices);
    if (failed(form))
      return failure();
    OpBuilder builder(op);
    Value input = op->getOperand(0);
    if (devices == 1) { // each device alone
      op->getResult(0).replaceAllUsesWith(input);
      op->erase();
      return success();
    }
    Value result = form->splitAndConcat ? exchangeParts(builder, op, *form, groups)
                                        : exchange(builder, op->getLoc(), input,
                                                   op->getResult(0).getType(), *form, groups);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return success();
  }

  int64_t numExchanges = 0, numBytes = 0;

private:
  /// A collective that works on rows of the operand.
  Value exchange(OpBuilder &builder, Location loc, Value input, Type resultType,
                 const CollectiveForm &form, ArrayRef<SmallVector<int64_t>> groups) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getNumElements() == 0)
      return ConstantOp::create(builder, loc, makeEmpty(resultType));
    collectives::Shape shape{static_cast<fb::CollectiveKind>(form.kind),
                             fb::CollectiveAlgorithm::Direct,
                             static_cast<uint32_t>(groups.front().size()),
                             static_cast<uint64_t>(getTensorBytes(type)),
                             static_cast<uint64_t>(form.rows),
                             static_cast<uint32_t>(form.root),
                             nullptr};
    SmallVector<uint32_t> sources(form.sources);
    shape.sources = sources.data();
    const CollectiveAlgorithm algorithm = choose(shape, groups);
    shape.algorithm = static_cast<fb::CollectiveAlgorithm>(algorithm);
    numBytes += getCollectiveCost(shape, groups, mesh).bytes;
    ++numExchanges;

    FlatSymbolRefAttr collective = getCollective(loc, type, form, algorithm, groups);
    SmallVector<Type> results{resultType};
    if (const uint64_t scratch = collectives::scratchBytes(shape))
      results.push_back(
          RankedTensorType::get({static_cast<int64_t>(scratch)},
                                IntegerType::get(builder.getContext(), 8, IntegerType::Unsigned)));
    return ExchangeOp::create(builder, loc, results, collective, input).getOutputs()[0];
  }

  static ElementsAttr makeEmpty(Type type) {
    return DenseElementsAttr::getFromRawBuffer(cast<ShapedType>(type), {});
  }

  /// An all_to_all that divides another dimension than it concatenates: the parts become rows of
  /// the outermost dimension, and afterwards a part of the dimension that is concatenated.
  Value exchangeParts(OpBuilder &builder, CollectiveOpInterface op, CollectiveForm form,
                      ArrayRef<SmallVector<int64_t>> groups) {
    Location loc = op->getLoc();
    const auto [split, concat] = *form.splitAndConcat;
    const auto devices = static_cast<int64_t>(groups.front().size());
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    // [.., parts, split / parts, ..]
    SmallVector<int64_t> shape(type.getShape());
    shape[split] /= devices;
    shape.insert(shape.begin() + split, devices);
    Value parts = reshape(builder, loc, op->getOperand(0), shape);
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
    order.erase(order.begin() + split);
    order.insert(order.begin(), split);
    parts = transpose(builder, loc, parts, order);
    Value moved = exchange(builder, loc, parts, parts.getType(), form, groups);
    // The sources' parts, before the dimension that they divide.
    order = llvm::to_vector(llvm::seq<int64_t>(1, shape.size()));
    order.insert(order.begin() + concat, 0);
    moved = transpose(builder, loc, moved, order);
    return reshape(builder, loc, moved,
                   cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  }

  static Value reshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(value.getType());
    return ReshapeOp::create(builder, loc, type.clone(shape), value);
  }
  static Value transpose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> order) {
    return TransposeOp::create(builder, loc, value, order);
  }

  /// The algorithm that was asked for, if it is defined; else the one that takes the least time, or
  /// where links take none, the one with the fewest rounds.
  CollectiveAlgorithm choose(collectives::Shape shape, ArrayRef<SmallVector<int64_t>> groups) {
    std::optional<CollectiveAlgorithm> best;
    std::pair<double, uint32_t> least;
    for (CollectiveAlgorithm algorithm : kAlgorithms) {
      shape.algorithm = static_cast<fb::CollectiveAlgorithm>(algorithm);
      if (!collectives::isDefined(shape.kind, shape.algorithm, shape.devices))
        continue;
      if (wanted != AlgorithmChoice::Auto &&
          static_cast<int>(wanted) == static_cast<int>(algorithm))
        return algorithm;
      const std::pair cost(getCollectiveCost(shape, groups, mesh).seconds,
                           collectives::roundsOf(shape));
      if (!best || cost < least) {
        best = algorithm;
        least = cost;
      }
    }
    return *best; // direct is always defined
  }

  /// Equal collectives are one.
  FlatSymbolRefAttr getCollective(Location loc, RankedTensorType type, const CollectiveForm &form,
                                  CollectiveAlgorithm algorithm,
                                  ArrayRef<SmallVector<int64_t>> groups) {
    OpBuilder builder(module.getContext());
    SmallVector<Attribute> devices;
    for (ArrayRef<int64_t> group : groups)
      devices.push_back(builder.getDenseI64ArrayAttr(group));
    builder.setInsertionPointToStart(module.getBody());
    auto op = CollectiveOp::create(
        builder, loc, stringifyCollectiveKind(form.kind), form.kind, algorithm, form.reduction,
        type.getElementType(), getTensorBytes(type), builder.getArrayAttr(devices), form.rows,
        form.root,
        form.sources.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(form.sources),
        StringAttr());
    StringAttr name = op.getSymNameAttr();
    op.setSymName("");
    DictionaryAttr key = op->getAttrDictionary();
    FlatSymbolRefAttr &known = made[key];
    if (known) {
      op->erase();
      return known;
    }
    op.setSymNameAttr(name);
    op->remove();
    // After those before it, in the order of their first use.
    symbols.insert(op, last ? std::next(last->getIterator()) : module.getBody()->begin());
    last = op;
    return known = FlatSymbolRefAttr::get(op.getSymNameAttr());
  }

  ModuleOp module;
  MeshAttr mesh;
  AlgorithmChoice wanted;
  SymbolTable symbols;
  DenseMap<Attribute, FlatSymbolRefAttr> made;
  Operation *last = nullptr;
};

struct ChooseCollectives : mlir::ttc::impl::ChooseCollectivesBase<ChooseCollectives> {
  using ChooseCollectivesBase::ChooseCollectivesBase;
  PassCounter numExchanges{*this, "exchanges", "Collectives in one run of all functions"};
  PassCounter numBytes{*this, "bytes", "Bytes that they move between all devices"};

  void runOnOperation() override {
    SmallVector<CollectiveOpInterface> ops;
    getOperation().walk([&](CollectiveOpInterface op) { ops.push_back(op); });
    if (ops.empty())
      return;
    auto mesh = getOperation()->getAttrOfType<MeshAttr>(kMeshAttrName);
    if (!mesh) {
      ops.front()->emitError("expected a module with a mesh (") << kMeshAttrName << "), found none";
      return signalPassFailure();
    }
    Chooser chooser(getOperation(), mesh, algorithm);
    for (CollectiveOpInterface op : ops)
      if (failed(chooser.lower(op)))
        return signalPassFailure();
    numExchanges += chooser.numExchanges;
    numBytes += chooser.numBytes;
  }
};

} // namespace
