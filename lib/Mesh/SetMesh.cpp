// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/Passes.h"

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
    if (getMesh(module))
      return;
    FailureOr<MeshAttr> found = find(module);
    if (failed(found))
      return signalPassFailure();
    if (*found)
      module->setAttr(kMeshAttrName, *found);
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
