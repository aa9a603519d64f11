// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_MESH_CONSTANTPARTS_H
#define TTC_LIB_MESH_CONSTANTPARTS_H

#include "lib/Mesh/Sharding/DimensionClasses.h"
#include <map>

namespace mlir::ttc {

/// What devices have of constants that were divided before: equal divisions of a constant, in
/// several ops or functions, are one constant.
using PartsCache = std::map<std::pair<const void *, std::vector<int64_t>>, ElementsAttr>;

/// What each device has of a constant that is divided.
ElementsAttr getParts(ElementsAttr whole, const Layout &layout, MeshAttr mesh);
ElementsAttr getParts(PartsCache &cache, ElementsAttr whole, const Layout &layout, MeshAttr mesh);

/// A vector as rows of `units` times `unit` elements.
struct RowView {
  int64_t units = 1, unit = 1;
  /// How many rows each section has: devices have a part of each section, one after the other.
  SmallVector<int64_t> sections;
};

/// What each device has of a vector whose rows are divided by `rows`, and whose units by `units`.
ElementsAttr getRowParts(PartsCache &cache, ElementsAttr whole, const RowView &view,
                         const Axes &rows, const Axes &units, MeshAttr mesh);

/// The indices, i64, of the elements that each device has of a dimension of `size` elements.
ElementsAttr getPartIndices(MLIRContext *context, int64_t size, ArrayRef<unsigned> axes,
                            MeshAttr mesh);

} // namespace mlir::ttc

#endif // TTC_LIB_MESH_CONSTANTPARTS_H
