// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream's ShardingInterface for the ops of the dialect.
#include "OpLoops.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "ttc/Mesh/Mesh.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// One model for all ops: their families describe the loops.
struct ShardingModel
    : shard::ShardingInterface::ExternalModel<ShardingModel, ConstantOp /*unused*/> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    std::optional<OpLoops> loops = describeLoops(op);
    return loops ? loops->iterators : SmallVector<utils::IteratorType>();
  }
  SmallVector<shard::ReductionKind> getReductionLoopIteratorKinds(Operation *op) const {
    SmallVector<shard::ReductionKind> kinds;
    if (std::optional<OpLoops> loops = describeLoops(op))
      for (auto [iterator, kind] : llvm::zip_equal(loops->iterators, loops->kinds))
        if (iterator == utils::IteratorType::reduction)
          kinds.push_back(kind);
    return kinds;
  }
  SmallVector<AffineMap> getIndexingMaps(Operation *op) const {
    SmallVector<AffineMap> maps;
    if (std::optional<OpLoops> loops = describeLoops(op))
      for (ArrayRef<AffineExpr> exprs : loops->exprs)
        maps.push_back(AffineMap::get(loops->iterators.size(), 0, exprs, op->getContext()));
    return maps;
  }
  // What upstream's passes would call. They understand maps of one loop a dimension only.
  FailureOr<shard::ShardingOption> getShardingOption(Operation *op,
                                                     ArrayRef<shard::Sharding> operands,
                                                     ArrayRef<shard::Sharding> results) const {
    return shard::detail::defaultGetShardingOption(op, operands, results);
  }
  FailureOr<std::vector<shard::Sharding>>
  getShardingAnnotations(Operation *op, const shard::ShardingOption &option) const {
    return shard::detail::defaultGetShardingAnnotations(op, option);
  }
  LogicalResult addShardingAnnotations(Operation *op, OpBuilder &builder,
                                       const shard::ShardingOption &option) const {
    return shard::detail::defaultAddShardingAnnotations(op, builder, option);
  }
  LogicalResult partition(Operation *op, ArrayRef<Value>, ArrayRef<shard::Sharding>,
                          ArrayRef<shard::Sharding>, IRMapping &, SymbolTableCollection &,
                          OpBuilder &) const {
    return op->emitOpError("expected --ttc-partition to partition it, found upstream's pass");
  }
};

} // namespace

void mlir::ttc::registerShardingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TtcDialect *) {
    context->loadDialect<shard::ShardDialect>();
    for (RegisteredOperationName name : context->getRegisteredOperationsByDialect("ttc"))
      if (!name.hasTrait<OpTrait::ConstantLike>())
        name.attachInterface<ShardingModel>();
  });
}
