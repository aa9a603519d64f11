// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locations as text: the names of ops in the source model.
#ifndef TTC_SUPPORT_LOCATION_H
#define TTC_SUPPORT_LOCATION_H

#include "mlir/IR/Location.h"
#include <string>

namespace mlir::ttc {

/// The name of the source op at a location: names joined by '+', or file and line where there is no
/// name. Empty if nothing is known. Never contains the path of a file.
std::string toText(Location location);

/// The location of a name that toText() returned.
Location toLocation(StringRef text, MLIRContext *context);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_LOCATION_H
