// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Mesh/Mesh.h"
#include "ttc/Mesh/MeshDescription.h"

using namespace mlir;
using namespace mlir::ttc;

using EmitError = function_ref<InFlightDiagnostic()>;

MeshAttr mlir::ttc::getMesh(ModuleOp module) {
  return module->getAttrOfType<MeshAttr>(kMeshAttrName);
}

std::optional<unsigned> mlir::ttc::getMicroBatchAxis(MeshAttr mesh) {
  return mesh ? mesh.findAxis(kMicroBatchAxis) : std::nullopt;
}

FailureOr<MeshAttr> mlir::ttc::parseMesh(MLIRContext *context, StringRef text,
                                         EmitError emitError) {
  const ::ttc::MeshDescription description = ::ttc::describeMesh({text.data(), text.size()});
  if (!description.problem.empty()) {
    emitError() << description.problem;
    return failure();
  }
  SmallVector<MeshAxisAttr> axes;
  for (const ::ttc::MeshAxisDescription &axis : description.axes)
    axes.push_back(MeshAxisAttr::get(context, axis.name, axis.size,
                                     *symbolizeLinkTopology(nameOf(axis.topology)),
                                     axis.linkBytesPerSecond, axis.linkLatencyNs));
  MeshAttr mesh = MeshAttr::getChecked(emitError, context, ArrayRef(axes));
  if (!mesh)
    return failure();
  return mesh;
}

FailureOr<SmallVector<ParallelAxis>> mlir::ttc::parseParallel(StringRef text, MeshAttr mesh,
                                                              EmitError emitError) {
  SmallVector<ParallelAxis> result;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [what, name] = part.split(':');
    if (what != "data" && what != "tensor" && what != "pipeline") {
      emitError() << "expected data, tensor or pipeline, found '" << what << "'";
      return failure();
    }
    Parallelism parallelism = what == "data"     ? Parallelism::Data
                              : what == "tensor" ? Parallelism::Tensor
                                                 : Parallelism::Pipeline;
    if (name.empty() && parts.size() > 1) {
      emitError() << "expected the axis of '" << what << "', as in " << what << ":"
                  << mesh.getAxes().front().getName() << ", found none";
      return failure();
    }
    for (auto [i, axis] : llvm::enumerate(mesh.getAxes()))
      if (name.empty() ? axis.getName() != kMicroBatchAxis : axis.getName() == name)
        result.push_back({parallelism, static_cast<unsigned>(i)});
    if (!name.empty() && !mesh.findAxis(name)) {
      InFlightDiagnostic error = emitError();
      error << "expected an axis of the mesh (";
      llvm::interleaveComma(mesh.getAxes(), error,
                            [&](MeshAxisAttr axis) { error << axis.getName(); });
      error << "), found '" << name << "'";
      return failure();
    }
  }
  for (auto [i, one] : llvm::enumerate(result))
    for (const ParallelAxis &other : ArrayRef(result).drop_front(i + 1))
      if (one.axis == other.axis) {
        emitError() << "expected each axis once, found '" << mesh.getAxes()[one.axis].getName()
                    << "' twice";
        return failure();
      }
  return result;
}
