// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bench/CompileModel.h"

#include "Support/Error.h"
#include "Support/FileNames.h"
#include "Support/FindTool.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace ttrun {

bool isModelFile(const std::string &path) {
  return ttc::hasExtension(path, ".onnx") || ttc::hasExtension(path, ".mlir");
}

/// A file on disk, not in memory: bundles are as large as their weights, and are mapped.
static int openNameless() {
  const std::string folder = ttc::temporaryFolder();
  int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) { // not every file system has them
    std::string name = folder + "/ttrun-XXXXXX";
    file = mkostemp(name.data(), O_CLOEXEC);
    if (file < 0)
      throw UserError(fmt::format("cannot make a file in {}: {}", folder, strerror(errno)));
    unlink(name.c_str());
  }
  return file;
}

CompiledModel::CompiledModel(const std::string &model, const std::vector<std::string> &options) {
  const std::string compiler = ttc::findTool("ttc");
  std::vector<std::string> arguments = {compiler, "compile", model};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"-o", "-"});
  if (ttc::hasExtension(model, ".onnx"))
    arguments.push_back("--caller=ttrun"); // messages name --compile=OPTION
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);

  file_ = openNameless();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, file_, STDOUT_FILENO);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = -1;
  const int error = posix_spawnp(&child, compiler.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  while (!error && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (error || status) {
    close(file_);
    if (error)
      throw UserError(fmt::format("{}: a model needs the compiler: cannot start ttc, which is "
                                  "expected in the folder of ttrun or in the PATH: {}",
                                  model, strerror(error)));
    throw UserError(fmt::format(
        "{} was not compiled; --compile=OPTION passes an option to the compiler", model));
  }
}

CompiledModel::~CompiledModel() { close(file_); }

std::string CompiledModel::path() const { return fmt::format("/proc/self/fd/{}", file_); }

} // namespace ttrun
