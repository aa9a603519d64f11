// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Process.h"

#include "Support/FindTool.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

using namespace ttc;

/// argv, which points into `path` and `arguments`.
static std::vector<char *> getArgv(const std::string &path,
                                   const std::vector<std::string> &arguments) {
  std::vector<char *> argv = {const_cast<char *>(path.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  return argv;
}

static int reportStart(const std::string &tool, int error) {
  fmt::print(
      stderr,
      "ttc: error: cannot start {}: {}; expected it in the directory of ttc or in the PATH\n", tool,
      strerror(error));
  return kCannotStart;
}

int ttc::replaceBy(const std::string &tool, const std::vector<std::string> &arguments) {
  std::string path = findTool(tool);
  std::vector<char *> argv = getArgv(path, arguments);
  execvp(path.c_str(), argv.data());
  return reportStart(tool, errno);
}
