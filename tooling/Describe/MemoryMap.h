// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_DESCRIBE_MEMORYMAP_H
#define TTC_TOOLING_DESCRIBE_MEMORYMAP_H

#include "Bundle/Bundle.h"

#include <string>

namespace ttrun {

/// A page that shows a bundle's memory plan, address against time: HTML with everything in it.
/// Depends on nothing but the bundle's contents.
std::string memoryMapPage(const ttrt::Bundle &bundle);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_MEMORYMAP_H
