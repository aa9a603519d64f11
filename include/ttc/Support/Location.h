// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_SUPPORT_LOCATION_H
#define TTC_SUPPORT_LOCATION_H

#include "mlir/IR/Location.h"
#include <string>

namespace mlir::ttc {

/// The name of the op in the source that a location stands for: names joined by '+', file and line
/// where there is no name, "" if nothing is known. Never the path of a file.
std::string toText(Location location);

} // namespace mlir::ttc

#endif // TTC_SUPPORT_LOCATION_H
