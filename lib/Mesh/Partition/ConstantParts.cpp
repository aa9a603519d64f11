// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConstantParts.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantTensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::ttc;

/// The number of the part of a dimension that a device has.
static int64_t getPart(MeshAttr mesh, int64_t device, ArrayRef<unsigned> axes) {
  int64_t part = 0;
  for (unsigned axis : axes)
    part = part * mesh.getAxes()[axis].getSize() + mesh.getCoordinate(device, axis);
  return part;
}

/// The box of `type` whose part numbers are `parts`.
static ElementsAttr getBox(ElementsAttr whole, RankedTensorType type, ArrayRef<int64_t> parts,
                           StringRef name) {
  if (auto splat = dyn_cast<SplatElementsAttr>(whole))
    return splat.resizeSplat(type);
  ConstantTensor source = ConstantTensor::get(whole);
  if (source.isSplat()) {
    ConstantTensor box = ConstantTensor::allocateSplat(type);
    llvm::copy(source.getBytes(), box.getMutableBytes().begin());
    return box.toAttr(name);
  }
  ConstantTensor box = ConstantTensor::allocate(type);
  if (type.getNumElements() == 0)
    return box.toAttr(name);
  // Rows are what is contiguous in both.
  ArrayRef<int64_t> outer = source.getShape(), inner = type.getShape();
  int64_t rank = inner.size(), split = rank;
  int64_t row = source.getElementSize();
  while (split > 0) {
    row *= inner[--split];
    if (inner[split] != outer[split])
      break;
  }
  const char *from = source.getBytes().data();
  char *to = box.getMutableBytes().data();
  SmallVector<int64_t> index(split);
  while (true) {
    int64_t offset = 0;
    for (int64_t dim = 0; dim < rank; ++dim)
      offset = offset * outer[dim] + parts[dim] * inner[dim] + (dim < split ? index[dim] : 0);
    std::memcpy(to, from + offset * source.getElementSize(), row);
    to += row;
    int64_t dim = split - 1;
    while (dim >= 0 && ++index[dim] == inner[dim])
      index[dim--] = 0;
    if (dim < 0)
      return box.toAttr(name);
  }
}

ElementsAttr mlir::ttc::getParts(ElementsAttr whole, const Layout &layout, MeshAttr mesh) {
  if (isReplicated(layout))
    return whole;
  auto shards = dyn_cast<ShardsAttr>(whole);
  auto type = getLocalType(cast<RankedTensorType>(whole.getType()), layout, mesh);
  std::map<std::pair<int64_t, SmallVector<int64_t>>, int64_t> numbers;
  SmallVector<ElementsAttr> values;
  SmallVector<int64_t> devices;
  for (int64_t device = 0; device < mesh.getNumDevices(); ++device) {
    std::pair<int64_t, SmallVector<int64_t>> key(shards ? shards.getDevices()[device] : 0, {});
    for (const Axes &axes : layout)
      key.second.push_back(getPart(mesh, device, axes));
    auto [it, isNew] = numbers.try_emplace(key, values.size());
    if (isNew) {
      ElementsAttr source = shards ? shards.getValue(device) : whole;
      auto resource = dyn_cast<DenseResourceElementsAttr>(source);
      std::string name = resource ? resource.getRawHandle().getKey().str() : "part";
      values.push_back(
          getBox(source, type, key.second, name + "_" + std::to_string(values.size())));
    }
    devices.push_back(it->second);
  }
  return ShardsAttr::getOrValue(whole.getContext(), values, devices);
}

ElementsAttr mlir::ttc::getParts(PartsCache &cache, ElementsAttr whole, const Layout &layout,
                                 MeshAttr mesh) {
  std::vector<int64_t> key;
  for (const Axes &axes : layout) {
    key.insert(key.end(), axes.begin(), axes.end());
    key.push_back(-2);
  }
  ElementsAttr &known = cache[{whole.getAsOpaquePointer(), key}];
  return known ? known : known = getParts(whole, layout, mesh);
}

/// Part `row` of each section, and part `unit` of `units` of each row.
static ElementsAttr getRowBox(ElementsAttr whole, const RowView &view, int64_t row, int64_t rows,
                              int64_t unit, int64_t units, StringRef name) {
  ConstantTensor source = ConstantTensor::get(whole);
  auto type = cast<RankedTensorType>(whole.getType());
  auto local = RankedTensorType::get({type.getNumElements() / rows / units}, type.getElementType());
  if (source.isSplat()) {
    ConstantTensor box = ConstantTensor::allocateSplat(local);
    llvm::copy(source.getBytes(), box.getMutableBytes().begin());
    return box.toAttr(name);
  }
  ConstantTensor box = ConstantTensor::allocate(local);
  const int64_t rowBytes = view.units * view.unit * source.getElementSize();
  const int64_t partBytes = rowBytes / units;
  const char *from = source.getBytes().data() + unit * partBytes;
  char *to = box.getMutableBytes().data();
  for (int64_t section : view.sections) {
    const int64_t count = section / rows;
    for (int64_t i = row * count; i < (row + 1) * count; ++i, to += partBytes)
      std::memcpy(to, from + i * rowBytes, partBytes);
    from += section * rowBytes;
  }
  return box.toAttr(name);
}

ElementsAttr mlir::ttc::getRowParts(PartsCache &cache, ElementsAttr whole, const RowView &view,
                                    const Axes &rows, const Axes &units, MeshAttr mesh) {
  if (rows.empty() && units.empty())
    return whole;
  std::vector<int64_t> key(view.sections.begin(), view.sections.end());
  key.insert(key.end(), {-1, view.units, view.unit});
  key.insert(key.end(), rows.begin(), rows.end());
  key.push_back(-1);
  key.insert(key.end(), units.begin(), units.end());
  ElementsAttr &known = cache[{whole.getAsOpaquePointer(), key}];
  if (known)
    return known;
  auto resource = dyn_cast<DenseResourceElementsAttr>(whole);
  const std::string name = resource ? resource.getRawHandle().getKey().str() : "part";
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers;
  SmallVector<ElementsAttr> values;
  SmallVector<int64_t> devices;
  for (int64_t device = 0; device < mesh.getNumDevices(); ++device) {
    const std::pair part(getPart(mesh, device, rows), getPart(mesh, device, units));
    auto [it, isNew] = numbers.try_emplace(part, values.size());
    if (isNew)
      values.push_back(getRowBox(whole, view, part.first, getParts(mesh, rows), part.second,
                                 getParts(mesh, units),
                                 name + "_" + std::to_string(values.size())));
    devices.push_back(it->second);
  }
  return known = ShardsAttr::getOrValue(whole.getContext(), values, devices);
}

ElementsAttr mlir::ttc::getPartIndices(MLIRContext *context, int64_t size, ArrayRef<unsigned> axes,
                                       MeshAttr mesh) {
  auto numbers = llvm::to_vector(llvm::seq<int64_t>(0, size));
  auto type = RankedTensorType::get({size}, IntegerType::get(context, 64));
  Layout layout{Axes(axes)};
  return getParts(DenseElementsAttr::get(type, ArrayRef(numbers)), layout, mesh);
}
