// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "ZoneCalls.h"
#include "dialects/Ttc/Programs/ZoneOps.h"
#include "ttc/Codegen/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_EXPANDZONES
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {
struct ExpandZonesPass : mlir::ttc::impl::ExpandZonesBase<ExpandZonesPass> {
  using ExpandZonesBase::ExpandZonesBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (!program.hasTensorBody())
      return;
    if (instrument)
      program.setMarkers(true);
    Block &body = program.getBody().front();
    bool hasZones =
        llvm::any_of(body, [](Operation &op) { return isa<ZoneOp>(op) || getZone(op.getLoc()); });
    SmallVector<Attribute> path;
    expand(body, path, program.getMarkers());
    if (!program.getMarkers() || hasZones)
      return;
    Builder builder(program);
    for (Operation &op : body)
      if (!isa<ReturnOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
        op.setLoc(setZone(op.getLoc(), builder.getStringAttr(op.getName().stripDialect())));
  }

  /// Moves what zones of `block` hold in front of them.
  static void expand(Block &block, SmallVectorImpl<Attribute> &path, bool marks) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto zone = dyn_cast<ZoneOp>(op)) {
        Block &body = zone.getBody().front();
        path.push_back(zone.getNameAttr());
        expand(body, path, marks);
        path.pop_back();
        zone.replaceAllUsesWith(body.getTerminator()->getOperands());
        body.getTerminator()->erase();
        block.getOperations().splice(Block::iterator(zone), body.getOperations());
        zone.erase();
      } else if (marks && !path.empty() && !op.hasTrait<OpTrait::IsTerminator>() &&
                 !getZone(op.getLoc())) {
        op.setLoc(setZone(op.getLoc(), ArrayAttr::get(op.getContext(), path)));
      }
    }
  }
};
} // namespace
