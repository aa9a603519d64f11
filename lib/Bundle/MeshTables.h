// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mesh and its collectives as tables of a bundle, and back.
#ifndef TTC_LIB_BUNDLE_MESHTABLES_H
#define TTC_LIB_BUNDLE_MESHTABLES_H

#include "dialects/Ttc/Traces/ExchangeOps.h"
#include "ttrt/ttc_bundle_generated.h"

namespace mlir::ttc {

std::unique_ptr<ttrt::fb::MeshT> writeMesh(MeshAttr mesh);
FailureOr<std::unique_ptr<ttrt::fb::CollectiveT>> writeCollective(CollectiveOp op);
/// What the collective stands for in the dataflow.
uint64_t digestOfCollective(const ttrt::fb::CollectiveT &table);
/// Stores the axes that divide an input or output (`ttc.sharding`), if any do.
LogicalResult writeSharding(Operation *port, ttrt::fb::PortT &table);

/// The readers return null, with a diagnostic, if a table has no equivalent in the IR.
MeshAttr readMesh(const ttrt::fb::Mesh &table, MLIRContext *context,
                  function_ref<InFlightDiagnostic()> emitError);
CollectiveOp readCollective(OpBuilder &builder, Location location,
                            const ttrt::fb::Collective &table,
                            function_ref<InFlightDiagnostic()> emitError);
/// Gives the port its `ttc.sharding`, if the table has one.
LogicalResult readSharding(Operation *port, const ttrt::fb::Port &table, MeshAttr mesh,
                           function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::ttc

#endif // TTC_LIB_BUNDLE_MESHTABLES_H
