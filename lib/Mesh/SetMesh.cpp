// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Traces/LoopOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"
#include "llvm/Support/InterleavedRange.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_SETMESH
#include "ttc/Mesh/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

struct SetMesh : mlir::ttc::impl::SetMeshBase<SetMesh> {
  using SetMeshBase::SetMeshBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<MeshAttr> found = getMesh(module);
    if (!*found)
      found = find(module);
    if (succeeded(found) && *found && failed(verifyGrids(module, *found)))
      return signalPassFailure();
    if (succeeded(found))
      found = addMicroBatches(module, *found);
    if (failed(found))
      return signalPassFailure();
    if (!*found)
      return;
    module->setAttr(kMeshAttrName, *found);
    for (auto function : module.getOps<func::FuncOp>()) {
      if ((*found).getNumDevices() > 1)
        for (FailIfOp check : llvm::make_early_inc_range(function.getOps<FailIfOp>())) {
          check.getCopy().replaceAllUsesWith(check.getFlag());
          check.erase();
        }
      for (auto loop : function.getOps<LoopBeginOp>())
        if ((*found).getNumDevices() > 1) {
          loop.emitError("expected a model without loops for a mesh of several devices, found one: "
                         "no exchange is part of a loop");
          return signalPassFailure();
        }
    }
  }

  /// Last, so that the numbers of other axes stay.
  FailureOr<MeshAttr> addMicroBatches(ModuleOp module, MeshAttr found) {
    if (microBatches == 1)
      return found;
    auto emitError = [&] { return module.emitError("--micro-batches: "); };
    if (microBatches < 1 || !found)
      return emitError()
             << "expected a number of at least 1, and more than 1 only with --mesh, found "
             << microBatches.getValue();
    SmallVector<MeshAxisAttr> axes(found.getAxes());
    axes.push_back(
        MeshAxisAttr::get(&getContext(), kMicroBatchAxis, microBatches, LinkTopology::All, 0, 0));
    found = MeshAttr::getChecked(emitError, &getContext(), ArrayRef<MeshAxisAttr>(axes));
    if (!found)
      return failure();
    return found;
  }

  /// Annotations name axes of grids by number: they are those of the mesh.
  static LogicalResult verifyGrids(ModuleOp module, MeshAttr mesh) {
    SmallVector<int64_t> shape;
    for (MeshAxisAttr axis : mesh.getAxes())
      if (axis.getName() != kMicroBatchAxis)
        shape.push_back(axis.getSize());
    for (auto grid : module.getOps<shard::GridOp>())
      if (grid.getShape() != ArrayRef(shape))
        return grid.emitOpError("expected the shape of the mesh (")
               << llvm::interleaved(shape, "x") << "), found "
               << llvm::interleaved(grid.getShape(), "x");
    return success();
  }

  FailureOr<MeshAttr> find(ModuleOp module) {
    auto emitError = [&] { return module.emitError("--mesh: "); };
    if (!mesh.empty())
      return parseMesh(&getContext(), mesh, emitError);
    auto grids = llvm::to_vector(module.getOps<shard::GridOp>());
    if (grids.empty())
      return MeshAttr();
    std::string text;
    for (int64_t size : grids.front().getShape())
      text += (text.empty() ? "" : "x") + std::to_string(size);
    return parseMesh(&getContext(), text, [&] { return grids.front().emitOpError("as a mesh: "); });
  }
};

} // namespace
