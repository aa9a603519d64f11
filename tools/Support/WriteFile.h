// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tools that do not link LLVM write files. The compiler's tools use OutputFile
// (ttc/Support/CommandLine.h), which keeps the same promise. The two stay apart: ttrun must not
// depend on LLVM, and the compiler writes to an llvm::raw_ostream.

#ifndef TTC_TOOLS_SUPPORT_WRITEFILE_H
#define TTC_TOOLS_SUPPORT_WRITEFILE_H

#include <initializer_list>
#include <string>
#include <string_view>

namespace ttc {

/// Replaces the content of the file `path` by `pieces`, concatenated. The file is written
/// completely or left unchanged: the pieces go to a temporary file in the same folder, which is
/// then renamed and keeps the permissions of the old file. "-" is standard output; a path that is
/// not a regular file (a device, a pipe) is written directly. Throws std::runtime_error: "cannot
/// write PATH: REASON".
void writeFile(const std::string &path, std::initializer_list<std::string_view> pieces);

} // namespace ttc

#endif // TTC_TOOLS_SUPPORT_WRITEFILE_H
