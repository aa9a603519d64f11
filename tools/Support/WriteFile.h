// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the tools that know no LLVM write their files. (Those that do: OutputFile in
// ttc/Support/CommandLine.h.)

#ifndef TTC_TOOLS_SUPPORT_WRITEFILE_H
#define TTC_TOOLS_SUPPORT_WRITEFILE_H

#include <initializer_list>
#include <string>
#include <string_view>

namespace ttc {

/// Gives the file `path` the content `pieces`, one behind the other, whole or not at all: they are
/// written to a file beside it, which then takes its name, with the permissions of what was there.
/// "-" is standard output; what is no regular file (a device, a pipe) is written directly. Throws
/// std::runtime_error: "cannot write PATH: REASON".
void writeFile(const std::string &path, std::initializer_list<std::string_view> pieces);

} // namespace ttc

#endif // TTC_TOOLS_SUPPORT_WRITEFILE_H
