// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConstantParts.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "mlir/IR/IRMapping.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_UNROLLMESH
#include "ttc/Mesh/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Rewrites one function.
class Unroller {
public:
  Unroller(func::FuncOp function, MeshAttr mesh)
      : function(function), mesh(mesh), builder(function.getContext()),
        locals(mesh.getNumDevices()) {}

  LogicalResult run();

private:
  FailureOr<Layout> getLayout(Attribute attribute, RankedTensorType type);
  Value getPart(Value whole, const Layout &layout, int64_t device);
  Value getWhole(Value local, const Layout &layout);
  FailureOr<SmallVector<unsigned>> getAxes(CollectiveOpInterface op);
  LogicalResult exchange(CollectiveOpInterface op);

  func::FuncOp function;
  MeshAttr mesh;
  OpBuilder builder;
  /// For each device.
  std::vector<IRMapping> locals;
};

} // namespace

//===--- parts and wholes -------------------------------------------------------------===//

Value Unroller::getPart(Value whole, const Layout &layout, int64_t device) {
  for (auto [dim, axes] : llvm::enumerate(layout))
    for (unsigned axis : axes)
      whole = slicePart(builder, whole, dim, mesh.getCoordinate(device, axis),
                        mesh.getAxes()[axis].getSize());
  return whole;
}

/// Uses the value of the first device of each part.
Value Unroller::getWhole(Value local, const Layout &layout) {
  SmallVector<Value> values;
  for (const IRMapping &mapping : locals)
    values.push_back(mapping.lookup(local));
  // Undoes the divisions, the last one first: then device 0 along the axis has the concatenation.
  for (int64_t dim = layout.size() - 1; dim >= 0; --dim)
    for (unsigned axis : llvm::reverse(layout[dim]))
      for (ArrayRef<int64_t> group : mesh.getGroups({axis})) {
        SmallVector<Value> parts;
        for (int64_t device : group)
          parts.push_back(values[device]);
        values[group.front()] = concatParts(builder, parts, dim);
      }
  return values.front();
}

FailureOr<Layout> Unroller::getLayout(Attribute attribute, RankedTensorType type) {
  Layout layout(type.getRank());
  auto dims = dyn_cast_if_present<ArrayAttr>(attribute);
  if (!dims)
    return layout;
  if (dims.size() != layout.size())
    return function.emitOpError("expected 'ttc.sharding' of ")
           << layout.size() << " dimensions, found " << dims.size();
  for (auto [axes, names] : llvm::zip_equal(layout, dims.getAsRange<ArrayAttr>()))
    for (auto name : names.getAsRange<StringAttr>()) {
      std::optional<unsigned> axis = mesh.findAxis(name);
      if (!axis)
        return function.emitOpError("expected an axis of the mesh, found ") << name;
      axes.push_back(*axis);
    }
  return layout;
}

//===--- collectives ------------------------------------------------------------------===//

FailureOr<SmallVector<unsigned>> Unroller::getAxes(CollectiveOpInterface op) {
  SmallVector<unsigned> axes;
  for (auto name : op.getAxes().getAsRange<StringAttr>()) {
    std::optional<unsigned> axis = mesh.findAxis(name);
    if (!axis)
      return op->emitOpError("expected an axis of the mesh, found ") << name;
    axes.push_back(*axis);
  }
  return axes;
}

LogicalResult Unroller::exchange(CollectiveOpInterface op) {
  FailureOr<SmallVector<unsigned>> axes = getAxes(op);
  if (failed(axes))
    return failure();
  for (ArrayRef<int64_t> group : mesh.getGroups(*axes)) {
    // Reports types and members that do not fit the group.
    if (failed(op.getForm(group.size())))
      return failure();
    SmallVector<Value> operands, results;
    for (int64_t device : group)
      operands.push_back(locals[device].lookup(op->getOperand(0)));
    for (int64_t place = 0; place < static_cast<int64_t>(group.size()); ++place)
      results.push_back(op.unroll(builder, operands, place));
    for (auto [device, result] : llvm::zip_equal(group, results))
      locals[device].map(op->getResult(0), result);
  }
  return success();
}

//===--- functions --------------------------------------------------------------------===//

LogicalResult Unroller::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected one block, found ")
           << function.getBody().getBlocks().size();
  auto old = llvm::map_to_vector(function.front(), [](Operation &op) { return &op; });
  Operation *terminator = old.pop_back_val();
  builder.setInsertionPointToStart(&function.front());
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      return function.emitOpError("expected arguments that are tensors, found ")
             << argument.getType();
    FailureOr<Layout> layout =
        getLayout(function.getArgAttr(argument.getArgNumber(), kShardingAttrName), type);
    if (failed(layout))
      return failure();
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, axes] : llvm::zip_equal(shape, *layout))
      size *= getParts(mesh, axes);
    argument.setType(type.clone(shape));
    function.removeArgAttr(argument.getArgNumber(), kShardingAttrName);
    for (auto [device, mapping] : llvm::enumerate(locals))
      mapping.map(argument, getPart(argument, *layout, device));
  }
  builder.setInsertionPoint(terminator);
  for (Operation *op : old) {
    if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
      if (failed(exchange(collective)))
        return failure();
      continue;
    }
    for (auto [device, mapping] : llvm::enumerate(locals)) {
      Operation *clone = builder.clone(*op, mapping);
      if (auto constant = dyn_cast<ConstantOp>(clone))
        if (auto shards = dyn_cast<ShardsAttr>(constant.getValue()))
          constant.setValueAttr(shards.getValue(device));
    }
  }
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    FailureOr<Layout> layout =
        getLayout(function.getResultAttr(index, kShardingAttrName), tensorType(operand.get()));
    if (failed(layout))
      return failure();
    function.removeResultAttr(index, builder.getStringAttr(kShardingAttrName));
    operand.set(getWhole(operand.get(), *layout));
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
  function.setFunctionType(
      builder.getFunctionType(function.front().getArgumentTypes(), terminator->getOperandTypes()));
  return success();
}

namespace {

struct UnrollMesh : mlir::ttc::impl::UnrollMeshBase<UnrollMesh> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshAttr mesh = getMesh(module);
    if (!mesh)
      return;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && failed(Unroller(function, mesh).run()))
        return signalPassFailure();
    module->removeAttr(kMeshAttrName);
  }
};

} // namespace
