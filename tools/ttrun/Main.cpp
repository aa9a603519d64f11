// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Options.h"
#include "ttrt/ttrt.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/core.h>
#include <string>
#include <system_error>

namespace ttrun {

namespace {
struct Command {
  const char *name;
  const char *summary;
  int (*function)(int, char **);
};
} // namespace

static constexpr Command kCommands[] = {
    {"run", "run a bundle on .npy files, write or compare its outputs", runCommand},
    {"perf", "measure: latency on the device and end to end, time per command", perfCommand},
    {"read", "show what is in a bundle", readCommand},
    {"monitor", "show the devices that run now, and the memory that they use", monitorCommand},
    {"check", "verify a bundle without running it", checkCommand},
    {"query", "describe this machine as a target", queryCommand},
};

static void printHelp(FILE *stream) {
  fmt::print(stream,
             "ttrun {}: runs, measures and inspects trace bundles (.ttcb)\n\n"
             "usage: ttrun COMMAND [arguments]\n\ncommands:\n",
             ttrt_version());
  for (const Command &command : kCommands)
    fmt::print(stream, "  {:<8}{}\n", command.name, command.summary);
  fmt::print(stream,
             "\n'ttrun COMMAND --help' tells more about one of them.\n"
             "Exit status: 0 success; 1 a bundle is bad or cannot run here, or outputs differ;\n"
             "2 wrong usage, or another file cannot be read or written.\n");
}

static int runCommandNamed(const Command &command, int argc, char **argv) {
  try {
    return command.function(argc, argv);
  } catch (const HelpShown &) {
    return 0;
  } catch (const BadBundle &error) {
    fmt::print(stderr, "ttrun {}: {}\n", command.name, error.what());
    return 1;
  } catch (const std::system_error &error) {
    // fmt::print() throws this when a stream cannot be written; afterOutput() reports it.
    errno = error.code().value();
    if (!ferror(stdout))
      fmt::print(stderr, "ttrun {}: {}\n", command.name, error.what());
    return 2;
  } catch (const std::exception &error) { // UserError above all
    fmt::print(stderr, "ttrun {}: {}\n", command.name, error.what());
    return 2;
  }
}

/// `status`, unless what was printed has not arrived.
static int afterOutput(int status) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  fmt::print(stderr, "ttrun: cannot write standard output: {}\n", strerror(errno));
  return 2;
}

int runTool(int argc, char **argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name.empty() || name == "--help" || name == "-h" || name == "help") {
    printHelp(name.empty() ? stderr : stdout);
    return afterOutput(name.empty() ? 2 : 0);
  }
  if (name == "--version") {
    fmt::print("ttrun {}\n", ttrt_version());
    return afterOutput(0);
  }
  std::string names;
  for (const Command &command : kCommands) {
    if (name == command.name)
      return afterOutput(runCommandNamed(command, argc - 2, argv + 2));
    names += std::string(names.empty() ? "" : ", ") + command.name;
  }
  fmt::print(stderr, "ttrun: unknown command '{}'; expected one of {}\n", name, names);
  return 2;
}

} // namespace ttrun
