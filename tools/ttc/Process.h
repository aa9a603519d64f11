// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts the other tools.
#ifndef TTC_TOOLS_TTC_PROCESS_H
#define TTC_TOOLS_TTC_PROCESS_H

#include <string>
#include <vector>

namespace ttc {

/// The exit status of the driver where a tool cannot be started, as shells have it.
inline constexpr int kCannotStart = 127;

/// Replaces this process by the tool. Returns only if the tool cannot be started: kCannotStart,
/// with a message on standard error.
int replaceBy(const std::string &tool, const std::vector<std::string> &arguments);

} // namespace ttc

#endif // TTC_TOOLS_TTC_PROCESS_H
