// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mesh of devices, and constants that differ between its devices.
#include "dialects/Ttc/TtcAttributes.h"
#include "ttrt/format/bundle_format.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- mesh -------------------------------------------------------------------------===//

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                   int64_t size, LinkTopology, int64_t bytesPerSecond,
                                   int64_t latency) {
  if (name.empty() || size < 1 || bytesPerSecond < 0 || latency < 0)
    return emitError() << "(C1) expected a name, a size of at least 1, and bandwidth and latency "
                          "of at least 0, found '"
                       << name << "', " << size << ", " << bytesPerSecond << " and " << latency;
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes) {
  if (axes.empty())
    return emitError() << "(C1) expected at least one axis, found none";
  int64_t devices = 1;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    for (MeshAxisAttr other : axes.drop_front(i + 1))
      if (other.getName() == axis.getName())
        return emitError() << "(C1) expected axes of distinct names, found two of '"
                           << axis.getName() << "'";
    if (axis.getSize() > ttrt::kMaxDevices || (devices *= axis.getSize()) > ttrt::kMaxDevices)
      return emitError() << "(C2) expected at most " << ttrt::kMaxDevices << " devices, found more";
  }
  return success();
}

int64_t MeshAttr::getNumDevices() const {
  int64_t devices = 1;
  for (MeshAxisAttr axis : getAxes())
    devices *= axis.getSize();
  return devices;
}

std::optional<unsigned> MeshAttr::findAxis(StringRef name) const {
  for (auto [i, axis] : llvm::enumerate(getAxes()))
    if (axis.getName() == name)
      return i;
  return std::nullopt;
}

int64_t MeshAttr::getCoordinate(int64_t device, unsigned axis) const {
  for (MeshAxisAttr later : getAxes().drop_front(axis + 1))
    device /= later.getSize();
  return device % getAxes()[axis].getSize();
}

SmallVector<SmallVector<int64_t>> MeshAttr::getGroups(ArrayRef<unsigned> axes) const {
  int64_t devices = getNumDevices(), size = 1;
  for (unsigned axis : axes)
    size *= getAxes()[axis].getSize();
  // By the coordinates along all other axes.
  std::map<SmallVector<int64_t>, size_t> numbers;
  SmallVector<SmallVector<int64_t>> groups;
  for (int64_t device = 0; device < devices; ++device) {
    SmallVector<int64_t> others;
    for (unsigned axis = 0; axis < getAxes().size(); ++axis)
      if (!llvm::is_contained(axes, axis))
        others.push_back(getCoordinate(device, axis));
    auto [it, isNew] = numbers.try_emplace(others, groups.size());
    if (isNew)
      groups.emplace_back(size);
    int64_t place = 0;
    for (unsigned axis : axes)
      place = place * getAxes()[axis].getSize() + getCoordinate(device, axis);
    groups[it->second][place] = device;
  }
  return groups;
}

//===--- shards -----------------------------------------------------------------------===//

LogicalResult ShardsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<ElementsAttr> values, ArrayRef<int64_t> devices) {
  for (ElementsAttr value : values)
    if (value.getType() != values.front().getType() || isa<ShardsAttr>(value))
      return emitError() << "(C1) expected values of one type, found " << value.getType()
                         << (isa<ShardsAttr>(value) ? " that differs itself" : "") << " beside "
                         << values.front().getType();
  BitVector isUsed(values.size());
  for (int64_t device : devices) {
    if (device < 0 || device >= static_cast<int64_t>(values.size()))
      return emitError() << "(C2) expected numbers of " << values.size() << " values, found "
                         << device;
    isUsed.set(device);
  }
  if (values.empty() || !isUsed.all())
    return emitError() << "(C2) expected values that some device has, found "
                       << (values.empty() ? 0 : isUsed.find_first_unset())
                       << (values.empty() ? " values" : " that none has");
  return success();
}

ShapedType ShardsAttr::getType() const { return getValues().front().getShapedType(); }

ElementsAttr ShardsAttr::map(function_ref<ElementsAttr(ElementsAttr)> function) const {
  SmallVector<ElementsAttr> values;
  for (ElementsAttr value : getValues())
    if (!values.emplace_back(function(value)))
      return {};
  return getOrValue(getContext(), values, getDevices());
}

ElementsAttr ShardsAttr::getOrValue(MLIRContext *context, ArrayRef<ElementsAttr> values,
                                    ArrayRef<int64_t> devices) {
  return llvm::all_equal(values) ? values.front() : ShardsAttr::get(context, values, devices);
}
