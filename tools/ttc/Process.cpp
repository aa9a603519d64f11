// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Process.h"

#include "Support/FindTool.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

/// Runs one step with these standard streams, and waits for it.
static int runStep(const Step &step, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input != STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output != STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  std::string path = findTool(step.tool);
  std::vector<char *> argv = getArgv(path, step.arguments);
  pid_t child = -1;
  int error = posix_spawnp(&child, path.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    return reportStart(step.tool, error);
  int status = 0;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int ttc::runPipeline(const std::vector<Step> &steps) {
  int input = STDIN_FILENO;
  int status = 0;
  for (size_t i = 0; i < steps.size() && status == 0; ++i) {
    int output = STDOUT_FILENO;
    if (i + 1 < steps.size() && (output = memfd_create("ttc", MFD_CLOEXEC)) == -1) {
      fmt::print(stderr, "ttc: error: cannot make a file in memory: {}\n", strerror(errno));
      status = 1;
    } else {
      status = runStep(steps[i], input, output);
    }
    if (input != STDIN_FILENO)
      close(input);
    input = output;
    if (output > STDOUT_FILENO)
      lseek(output, 0, SEEK_SET);
  }
  if (input > STDOUT_FILENO)
    close(input);
  return status;
}
