// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshTables.h"
#include "mlir/IR/Verifier.h"
#include "ttc/Support/ElementTypes.h"
#include "ttrt/format/bundle_format.h"
#include "ttrt/format/collective_digest.h"

using namespace mlir;
using namespace mlir::ttc;
namespace fb = ttrt::fb;

//===--- writing ----------------------------------------------------------------------===//

std::unique_ptr<fb::MeshT> mlir::ttc::writeMesh(MeshAttr mesh) {
  auto table = std::make_unique<fb::MeshT>();
  for (MeshAxisAttr axis : mesh.getAxes()) {
    auto entry = std::make_unique<fb::MeshAxisT>();
    entry->name = axis.getName().str();
    entry->size = axis.getSize();
    entry->topology = static_cast<fb::LinkTopology>(axis.getTopology());
    entry->link_bytes_per_second = axis.getLinkBytesPerSecond();
    entry->link_latency_ns = axis.getLinkLatencyNs();
    table->axes.push_back(std::move(entry));
  }
  return table;
}

FailureOr<std::unique_ptr<fb::CollectiveT>> mlir::ttc::writeCollective(CollectiveOp op) {
  std::optional<fb::DType> dtype = toDType(op.getElementType());
  if (!dtype)
    return op.emitError("expected an element type that the bundle format has, found ")
           << op.getElementType();
  auto table = std::make_unique<fb::CollectiveT>();
  table->name = op.getSymName();
  table->kind = static_cast<fb::CollectiveKind>(op.getKind());
  table->algorithm = static_cast<fb::CollectiveAlgorithm>(op.getAlgorithm());
  table->reduction = static_cast<fb::Reduction>(op.getReduction());
  table->dtype = *dtype;
  for (auto devices : op.getGroups().getAsRange<DenseI64ArrayAttr>()) {
    auto group = std::make_unique<fb::DeviceGroupT>();
    group->devices.assign(devices.asArrayRef().begin(), devices.asArrayRef().end());
    table->groups.push_back(std::move(group));
  }
  table->rows = op.getRows();
  table->root = op.getRoot();
  if (std::optional<ArrayRef<int64_t>> sources = op.getSources())
    table->sources.assign(sources->begin(), sources->end());
  for (int64_t bytes :
       {static_cast<int64_t>(op.getBytes()), op.getResultBytes(), op.getScratchBytes()}) {
    if (bytes == 0)
      continue; // no scratch
    auto operand = std::make_unique<fb::OperandT>();
    operand->access = table->operands.empty() ? fb::Access::Read : fb::Access::Write;
    operand->bytes = bytes;
    operand->alignment = ttrt::kBufferAlignment;
    table->operands.push_back(std::move(operand));
  }
  return table;
}

uint64_t mlir::ttc::digestOfCollective(const fb::CollectiveT &table) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Collective::Pack(builder, &table));
  return ttrt::dataflow::digestOfCollective(
      *flatbuffers::GetRoot<fb::Collective>(builder.GetBufferPointer()));
}

LogicalResult mlir::ttc::writeSharding(Operation *port, fb::PortT &table) {
  auto sharding = port->getAttrOfType<ArrayAttr>(kShardingAttrName);
  if (!sharding)
    return success();
  auto mesh = port->getParentOfType<ModuleOp>()->getAttrOfType<MeshAttr>(kMeshAttrName);
  if (!mesh || sharding.size() != table.shape.size())
    return port->emitError("expected a module with a mesh, and axes for each of ")
           << table.shape.size() << " dimensions, found " << sharding;
  for (auto axes : sharding.getAsRange<ArrayAttr>()) {
    auto list = std::make_unique<fb::AxisListT>();
    for (auto name : axes.getAsRange<StringAttr>()) {
      std::optional<unsigned> axis = mesh.findAxis(name);
      if (!axis)
        return port->emitError("expected axes of ") << mesh << ", found " << name;
      list->axes.push_back(*axis);
    }
    table.sharding.push_back(std::move(list));
  }
  return success();
}

//===--- reading ----------------------------------------------------------------------===//

namespace {

/// The vector, which may be absent.
template <typename T> ArrayRef<T> toArray(const flatbuffers::Vector<T> *vector) {
  return vector ? ArrayRef<T>(vector->data(), vector->size()) : ArrayRef<T>();
}

SmallVector<int64_t> toNumbers(const flatbuffers::Vector<uint32_t> *vector) {
  return SmallVector<int64_t>(toArray(vector));
}

} // namespace

MeshAttr mlir::ttc::readMesh(const fb::Mesh &table, MLIRContext *context,
                             function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<MeshAxisAttr> axes;
  for (const fb::MeshAxis *axis : *table.axes()) {
    if (axis->topology() > fb::LinkTopology::MAX || axis->link_bytes_per_second() > INT64_MAX ||
        axis->link_latency_ns() > INT64_MAX) {
      emitError() << "expected links that this version supports, found topology  "
                  << static_cast<int>(axis->topology());
      return {};
    }
    MeshAxisAttr attr = MeshAxisAttr::getChecked(
        emitError, context, StringRef(axis->name()->c_str(), axis->name()->size()),
        int64_t(axis->size()), static_cast<LinkTopology>(axis->topology()),
        static_cast<int64_t>(axis->link_bytes_per_second()),
        static_cast<int64_t>(axis->link_latency_ns()));
    if (!attr)
      return {};
    axes.push_back(attr);
  }
  return MeshAttr::getChecked(emitError, context, ArrayRef<MeshAxisAttr>(axes));
}

CollectiveOp mlir::ttc::readCollective(OpBuilder &builder, Location location,
                                       const fb::Collective &table,
                                       function_ref<InFlightDiagnostic()> emitError) {
  const auto *operands = table.operands();
  if (table.kind() > fb::CollectiveKind::MAX || table.algorithm() > fb::CollectiveAlgorithm::MAX ||
      table.reduction() > fb::Reduction::MAX || table.dtype() > fb::DType::MAX ||
      table.groups()->size() == 0 || operands->size() == 0 ||
      operands->Get(0)->bytes() > INT64_MAX || table.rows() > INT64_MAX) {
    emitError() << "collective '" << table.name()->c_str() << "' has no equivalent in the IR";
    return {};
  }
  SmallVector<int64_t> sources = toNumbers(table.sources());
  for (int64_t &source : sources)
    if (source == ttrt::kNoSource)
      source = -1;
  SmallVector<Attribute> groups;
  for (const fb::DeviceGroup *group : *table.groups())
    groups.push_back(builder.getDenseI64ArrayAttr(toNumbers(group->devices())));
  auto op = CollectiveOp::create(
      builder, location, table.name()->c_str(), static_cast<CollectiveKind>(table.kind()),
      static_cast<CollectiveAlgorithm>(table.algorithm()),
      static_cast<Reduction>(table.reduction()), fromDType(table.dtype(), builder.getContext()),
      operands->Get(0)->bytes(), builder.getArrayAttr(groups), table.rows(), table.root(),
      table.sources() ? builder.getDenseI64ArrayAttr(sources) : DenseI64ArrayAttr(), StringAttr());
  if (failed(mlir::verify(op)))
    return {};
  return op;
}

LogicalResult mlir::ttc::readSharding(Operation *port, const fb::Port &table, MeshAttr mesh,
                                      function_ref<InFlightDiagnostic()> emitError) {
  if (!table.sharding() || table.sharding()->size() == 0)
    return success();
  Builder builder(port->getContext());
  SmallVector<Attribute> dimensions;
  for (const fb::AxisList *list : *table.sharding()) {
    SmallVector<Attribute> names;
    for (uint32_t axis : toArray(list->axes())) {
      if (!mesh || axis >= mesh.getAxes().size())
        return emitError() << "expected axes of the mesh, found axis " << axis << " of '"
                           << table.name()->c_str() << "'";
      names.push_back(builder.getStringAttr(mesh.getAxes()[axis].getName()));
    }
    dimensions.push_back(builder.getArrayAttr(names));
  }
  port->setAttr(kShardingAttrName, builder.getArrayAttr(dimensions));
  return success();
}
