// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Formats/Printing.h"
#include "Run/Mesh/Rank.h"
#include "Support/Error.h"
#include "Support/FileNames.h"
#include "Support/Options.h"
#include "Support/Suggest.h"
#include "ttrt/ttrt.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <new>
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
    {"run", "run a bundle on .npy files; write or compare its outputs", runCommand},
    {"perf", "measure latency on the device and end to end, and the time of each command",
     perfCommand},
    {"bench", "compile a model and measure it, beside another engine", benchCommand},
    {"generate", "continue a text, or answer messages, token by token", generateCommand},
    {"report", "make tables and a timeline of a recording", reportCommand},
    {"read", "show the contents of a bundle", readCommand},
    {"monitor", "show the running devices and the memory they use", monitorCommand},
    {"check", "verify bundles without running them", checkCommand},
    {"sign", "sign a bundle with a secret key", signCommand},
    {"keygen", "make a pair of keys for signatures", keygenCommand},
    {"query", "print this machine's target description", queryCommand},
};

static void printHelp(FILE *stream) {
  fmt::print(stream,
             "ttrun {}: runs, measures and inspects trace bundles (.ttcb)\n\n"
             "usage: ttrun COMMAND [arguments]\n\ncommands:\n",
             ttrt_version());
  for (const Command &command : kCommands)
    fmt::print(stream, "  {:<10}{}\n", command.name, command.summary);
  fmt::print(stream,
             "\n'ttrun COMMAND --help' describes a command and its options.\n"
             "Exit status: 0 success; 1 a bundle is bad or cannot run here, or outputs differ;\n"
             "2 wrong usage, or another file cannot be read or written.\n");
}

static int runCommandNamed(const Command &command, int argc, char **argv) {
  try {
    return command.function(argc, argv);
  } catch (const HelpShown &) {
    return 0;
  } catch (const RanksEnded &ended) {
    return ended.status;
  } catch (const BadBundle &error) {
    fmt::print(stderr, "ttrun {}: {}{}\n", command.name, rankPrefix(),
               printable(error.what(), true));
    return 1;
  } catch (const std::system_error &error) {
    // fmt::print() throws this when a stream cannot be written; afterOutput() reports it.
    errno = error.code().value();
    if (!ferror(stdout))
      fmt::print(stderr, "ttrun {}: {}{}\n", command.name, rankPrefix(),
                 printable(error.what(), true));
    return 2;
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "ttrun {}: out of memory\n", command.name);
    return 2;
  } catch (const std::exception &error) { // usually a UserError
    fmt::print(stderr, "ttrun {}: {}{}\n", command.name, rankPrefix(),
               printable(error.what(), true));
    return 2;
  }
}

/// Returns `status`, or 2 if standard output could not be written.
static int afterOutput(int status) {
  leaveRanks();
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  fmt::print(stderr, "ttrun: cannot write standard output: {}\n", strerror(errno));
  return 2;
}

static std::vector<OptionInfo> optionsOf(const Command &command) {
  std::string argument = kListOptions;
  char *arguments[] = {argument.data()};
  try {
    command.function(1, arguments);
  } catch (const OptionsListed &listed) {
    return listed.options;
  }
  return {};
}

/// For `ttrun --loop` and `ttrun pref`.
static int reportUnknown(const std::string &given) {
  std::vector<std::string> names;
  for (const Command &command : kCommands)
    names.push_back(command.name);
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (ttc::hasExtension(given, ".ttcb")) {
    fmt::print(stderr, "ttrun: expected a command, found '{0}'; did you mean 'ttrun run {0}'?\n",
               printable(given));
  } else if (!given.starts_with('-')) {
    const std::string suggested = ttc::suggestion(given, names);
    fmt::print(stderr, "ttrun: unknown command '{}'{}\n", printable(given),
               suggested.empty() ? "; expected one of " + all : suggested);
  } else {
    const std::string option = given.substr(0, given.find('='));
    std::vector<std::string> options = {"--help", "--version"},
                             calls = {"ttrun --help", "ttrun --version"};
    for (const Command &command : kCommands)
      for (const OptionInfo &info : optionsOf(command)) {
        options.push_back(info.name);
        calls.push_back(fmt::format("ttrun {} {}", command.name, info.name));
      }
    const std::string nearest = ttc::nearestName(option, options);
    const auto found = std::find(options.begin(), options.end(), nearest) - options.begin();
    fmt::print(stderr, "ttrun: expected a command before '{}'{}\n", printable(option),
               nearest.empty() ? ": one of " + all
                               : fmt::format("; did you mean '{}'?", calls[found]));
  }
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
  for (const Command &command : kCommands)
    if (name == command.name)
      return afterOutput(runCommandNamed(command, argc - 2, argv + 2));
  return reportUnknown(name);
}

} // namespace ttrun
