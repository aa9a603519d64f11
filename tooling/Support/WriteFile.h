// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file whose bytes are all there, written as FileWriter.h says.

#ifndef TTC_TOOLING_SUPPORT_WRITEFILE_H
#define TTC_TOOLING_SUPPORT_WRITEFILE_H

#include <initializer_list>
#include <string>
#include <string_view>

namespace ttc {

/// Replaces the content of the file `path` by `pieces`, concatenated, or leaves it as it is. Throws
/// std::runtime_error: "cannot write PATH: REASON".
void writeFile(const std::string &path, std::initializer_list<std::string_view> pieces);

} // namespace ttc

#endif // TTC_TOOLING_SUPPORT_WRITEFILE_H
