// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Mesh/Mesh.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Machines of several devices. Links as their vendor states them: Ethernet of 100 Gbit/s, of which
/// neighbours have two (n300, t3000) or four (galaxy).
struct Machine {
  StringLiteral name;
  StringLiteral mesh;
};

constexpr Machine kMachines[] = {
    {"wormhole_n300", "x:1,y:2:line:25e9:1000"},
    {"t3000", "x:2:line:25e9:1000,y:4:ring:25e9:1000"},
    {"galaxy", "x:8:ring:50e9:1000,y:4:ring:50e9:1000"},
};

constexpr StringLiteral kDefaultNames[] = {"x", "y", "z", "w"};

using EmitError = function_ref<InFlightDiagnostic()>;

std::optional<int64_t> parseSize(StringRef text) {
  int64_t size = 0;
  if (text.getAsInteger(10, size) || size < 1)
    return std::nullopt;
  return size;
}

/// A number of at least 0, such as 12.5e9.
std::optional<int64_t> parseNumber(StringRef text) {
  double number = 0;
  if (text.getAsDouble(number) || !(number >= 0) || number > 1e18)
    return std::nullopt;
  return static_cast<int64_t>(number);
}

FailureOr<MeshAxisAttr> parseAxis(MLIRContext *context, StringRef text, EmitError emitError) {
  SmallVector<StringRef> parts;
  text.split(parts, ':');
  const auto fail = [&](StringRef expected, StringRef found) {
    emitError() << "expected " << expected << ", found '" << found << "' in '" << text << "'";
    return failure();
  };
  if (parts.size() < 2 || parts.size() > 5)
    return fail("an axis name:size[:topology[:bytes per second[:nanoseconds]]]", text);
  auto isNameCharacter = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (parts[0].empty() || !llvm::all_of(parts[0], isNameCharacter))
    return fail("a name of letters, digits and _", parts[0]);
  std::optional<int64_t> size = parseSize(parts[1]);
  if (!size)
    return fail("a number of devices", parts[1]);
  std::optional<LinkTopology> topology = LinkTopology::All;
  if (parts.size() > 2 && !(topology = symbolizeLinkTopology(parts[2])))
    return fail("a topology (all, ring, line)", parts[2]);
  std::optional<int64_t> bandwidth = 0, latency = 0;
  if (parts.size() > 3 && !(bandwidth = parseNumber(parts[3])))
    return fail("bytes per second", parts[3]);
  if (parts.size() > 4 && !(latency = parseNumber(parts[4])))
    return fail("nanoseconds", parts[4]);
  return MeshAxisAttr::get(context, parts[0], *size, *topology, *bandwidth, *latency);
}

} // namespace

MeshAttr mlir::ttc::getMesh(ModuleOp module) {
  return module->getAttrOfType<MeshAttr>(kMeshAttrName);
}

std::optional<unsigned> mlir::ttc::getMicroBatchAxis(MeshAttr mesh) {
  return mesh ? mesh.findAxis(kMicroBatchAxis) : std::nullopt;
}

FailureOr<MeshAttr> mlir::ttc::parseMesh(MLIRContext *context, StringRef text,
                                         EmitError emitError) {
  for (const Machine &machine : kMachines)
    if (text == machine.name)
      text = machine.mesh;
  SmallVector<MeshAxisAttr> axes;
  SmallVector<StringRef> parts;
  if (text.contains(':')) {
    text.split(parts, ',');
    for (StringRef part : parts) {
      FailureOr<MeshAxisAttr> axis = parseAxis(context, part, emitError);
      if (failed(axis))
        return failure();
      axes.push_back(*axis);
    }
  } else {
    text.split(parts, 'x');
    for (auto [i, part] : llvm::enumerate(parts)) {
      std::optional<int64_t> size = parseSize(part);
      if (!size || i >= std::size(kDefaultNames)) {
        emitError() << "expected a mesh such as 2, 2x4 or data:2,tensor:4:ring, or one of "
                       "wormhole_n300, t3000, galaxy, found '"
                    << text << "'";
        return failure();
      }
      axes.push_back(MeshAxisAttr::get(context, kDefaultNames[i], *size, LinkTopology::All, 0, 0));
    }
  }
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
