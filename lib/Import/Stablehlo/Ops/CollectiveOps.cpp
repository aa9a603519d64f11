// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collective ops of a single device, which has what all have. --mesh divides a model over several.
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult importAlone(StablehloOp &op) {
  op.ignoreAttrs({"channel_handle", "channel_id", "use_global_device_ids", "all_gather_dim",
                  "scatter_dimension", "split_dimension", "concat_dimension", "split_count"});
  for (int64_t process : op.getInts("replica_groups"))
    if (process != 0)
      return op.error() << "expected groups of one device, found device " << process
                        << ": lower the function for one device; --mesh divides it";
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
