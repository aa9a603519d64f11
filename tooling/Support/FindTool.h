// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the other tools are.
#ifndef TTC_TOOLING_SUPPORT_FINDTOOL_H
#define TTC_TOOLING_SUPPORT_FINDTOOL_H

#include <string>

namespace ttc {

/// The path of the tool of that name in the directory of this program; or else the name, which
/// execvp() and posix_spawnp() look for in the PATH.
std::string findTool(const std::string &name);

} // namespace ttc

#endif // TTC_TOOLING_SUPPORT_FINDTOOL_H
