// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLS_TTRUN_MEMORYMAP_H
#define TTC_TOOLS_TTRUN_MEMORYMAP_H

#include "Bundle.h"

#include <string>

namespace ttrun {

/// A page that shows a bundle's memory plan, address against time: HTML with everything in it.
/// Depends on nothing but the bundle's contents.
std::string memoryMapPage(const ttrt::Bundle &bundle);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_MEMORYMAP_H
