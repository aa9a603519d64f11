// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What users write about meshes, as attributes.
#ifndef TTC_MESH_MESH_H
#define TTC_MESH_MESH_H

#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ttc {

/// The mesh of a text such as "2x4", "data:2,tensor:4:ring" or "tensor:4:ring:12.5e9:700" (name,
/// size, topology, bytes per second and nanoseconds of a link), the name of a machine
/// ("wormhole_n300", "t3000", "galaxy"), or of a .json file.
FailureOr<MeshAttr> parseMesh(MLIRContext *context, StringRef text,
                              function_ref<InFlightDiagnostic()> emitError);

/// What the devices along an axis do.
enum class Parallelism { Data, Tensor, Pipeline };
struct ParallelAxis {
  Parallelism parallelism;
  unsigned axis;
};

/// The axis of micro-batches, the last one of a mesh, between --ttc-set-mesh and
/// --ttc-split-stages: parts that the same devices compute one after the other. Users cannot write
/// such a name.
inline constexpr StringLiteral kMicroBatchAxis = "micro-batch";
/// Its number; nothing if there is one micro-batch.
std::optional<unsigned> getMicroBatchAxis(MeshAttr mesh);

/// Parses a text such as "data" (all axes) or "data:x,tensor:y".
FailureOr<SmallVector<ParallelAxis>> parseParallel(StringRef text, MeshAttr mesh,
                                                   function_ref<InFlightDiagnostic()> emitError);

/// The module's mesh, or null.
MeshAttr getMesh(ModuleOp module);

} // namespace mlir::ttc

#endif // TTC_MESH_MESH_H
