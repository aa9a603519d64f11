// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checks of several tables have in common.

#ifndef TTRT_LIB_BUNDLE_TABLECHECKS_H
#define TTRT_LIB_BUNDLE_TABLECHECKS_H

#include "Base/Format.h"
#include "Bundle/Bundle.h"

#include <string_view>
#include <vector>

namespace ttrt {

/// No two names are equal. Sorts them if they are.
void checkTwins(const char *what, std::vector<std::string_view> &names);

/// Every table has a name, and no two have the same.
template <typename Table>
void checkNames(const char *what, const flatbuffers::Vector<flatbuffers::Offset<Table>> *tables) {
  std::vector<std::string_view> names;
  for (uint32_t i = 0; i < count(tables); ++i) {
    names.push_back(tables->Get(i)->name()->c_str());
    if (names.back().empty())
      failBad("{} {} has no name", what, i);
  }
  checkTwins(what, names);
}

} // namespace ttrt

#endif // TTRT_LIB_BUNDLE_TABLECHECKS_H
