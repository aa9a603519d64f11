// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collective ops of a single device, which has what all have. --mesh divides a model over several.
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult importAlone(StablehloOp &op) {
  op.ignoreAttrs({"channel_handle", "channel_id", "use_global_device_ids", "all_gather_dim",
                  "scatter_dimension", "split_dimension", "concat_dimension"});
  SmallVector<int64_t> groups = op.getInts("replica_groups");
  const int64_t parts = op.getInt("split_count", 1);
  if (op.hasFailed())
    return failure();
  if (groups.size() > 1 || (groups.size() == 1 && groups.front() != 0) || parts != 1)
    return op.error() << "expected groups of one device, found [" << printList(groups) << "] and "
                      << parts << " parts: lower the function for one device; --mesh divides it";
  return op.results(op.allOperands());
}

static LogicalResult importDeviceNumber(StablehloOp &op) {
  if (failed(op.checkOperands(0)))
    return failure();
  return op.results(Expressions(op).splat({}, op.resultElementType(), 0));
}

void mlir::ttc::registerStablehloCollectiveOps(StablehloRegistry &registry) {
  for (StringRef name : {"all_gather", "all_reduce", "all_to_all", "reduce_scatter"})
    registry.add(name, importAlone, OnComplex::Handled, "more than one device");
  for (StringRef name : {"partition_id", "replica_id"})
    registry.add(name, importDeviceNumber);
}
