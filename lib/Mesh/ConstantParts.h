// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_LIB_MESH_CONSTANTPARTS_H
#define TTC_LIB_MESH_CONSTANTPARTS_H

#include "DimensionClasses.h"

namespace mlir::ttc {

/// What each device has of a constant that is divided.
ElementsAttr getParts(ElementsAttr whole, const Layout &layout, MeshAttr mesh);

/// The indices, i64, of the elements that each device has of a dimension of `size` elements.
ElementsAttr getPartIndices(MLIRContext *context, int64_t size, ArrayRef<unsigned> axes,
                            MeshAttr mesh);

} // namespace mlir::ttc

#endif // TTC_LIB_MESH_CONSTANTPARTS_H
