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

/// One tool of a pipeline, and what it gets.
struct Step {
  std::string tool;
  std::vector<std::string> arguments;
};

/// Runs the steps one after the other; what one writes to standard output is the standard input of
/// the next one. It stays in memory. Returns the exit status of the first step that fails, after
/// which none is started, or 0; a step that a signal ended counts as 128 + the signal's number.
int runPipeline(const std::vector<Step> &steps);

} // namespace ttc

#endif // TTC_TOOLS_TTC_PROCESS_H
