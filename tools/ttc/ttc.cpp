// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One command over all tools: compiles by itself, and passes every other command on.
#include "Compile.h"
#include "Process.h"
#include "Support/FileNames.h"
#include "Support/Suggest.h"
#include "ttrt/format/utf8.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

using namespace ttc;

namespace {
struct Command {
  std::string_view name;
  std::string_view tool; ///< empty: this program itself
  bool isCommandOfTool;  ///< the tool gets the name, too
  std::string_view summary;
};
} // namespace

static constexpr Command kCommands[] = {
    {"compile", "", false, "compile models to a bundle (the default command)"},
    {"run", "ttrun", true, "run a bundle on .npy files; write or compare its outputs"},
    {"perf", "ttrun", true,
     "measure latency on the device and end to end, and the time of each command"},
    {"bench", "ttrun", true, "compile a model and measure it, beside another engine"},
    {"generate", "ttrun", true, "continue a text, or answer messages, token by token"},
    {"read", "ttrun", true, "show the contents of a bundle"},
    {"check", "ttrun", true, "verify bundles without running them"},
    {"report", "ttrun", true, "make tables and a timeline of a recording"},
    {"monitor", "ttrun", true, "show the running devices and the memory they use"},
    {"sign", "ttrun", true, "sign a bundle with a secret key"},
    {"keygen", "ttrun", true, "make a pair of keys for signatures"},
    {"query", "ttrun", true, "print this machine's target description"},
    {"translate", "ttc-translate", false, "convert between models, IR and bundles"},
    {"opt", "ttc-opt", false, "run passes on IR"},
    {"plan", "ttc-plan", false, "the memory planner alone"},
    {"plan-check", "ttc-plan-check", false, "the checker of memory plans alone"},
    {"lsp-server", "ttc-lsp-server", false, "the language server for .mlir files"},
};

static void printHelp() {
  fmt::print("ttc " TTC_VERSION ": compiles neural networks ahead of time, and runs them\n\n"
             "usage: ttc MODEL... [-o BUNDLE] [options]\n"
             "       ttc COMMAND [arguments]\n\n"
             "commands:\n");
  for (const Command &command : kCommands)
    fmt::print("  {:<11} {}\n", command.name, command.summary);
  fmt::print("\n'ttc COMMAND --help' describes a command; 'man ttc' describes all.\n"
             "Exit status: that of the tool; 2 wrong usage; 127 a tool is missing.\n");
}

static std::vector<std::string> namesOfCommands() {
  std::vector<std::string> names;
  for (const Command &command : kCommands)
    names.emplace_back(command.name);
  return names;
}

static int reportUnknown(const std::string &word) {
  std::string hint = "; 'ttc --help' lists the commands";
  if (word.size() > 5 && hasExtension(word, ".ttcb"))
    hint = fmt::format("; a bundle is run by 'ttc run {}'", word);
  else if (const std::string suggested = suggestion(word, namesOfCommands()); !suggested.empty())
    hint = suggested;
  fmt::print(stderr,
             "ttc: error: expected a command or a model (.onnx, .gguf or .mlir), found '{}'{}\n",
             ttrt::printable(word), ttrt::printable(hint));
  return 2;
}

static const Command *find(std::string_view name) {
  for (const Command &command : kCommands)
    if (command.name == name)
      return &command;
  return nullptr;
}

static int start(const Command &command, std::vector<std::string> arguments) {
  if (command.tool.empty())
    return compile(arguments);
  if (command.isCommandOfTool)
    arguments.insert(arguments.begin(), std::string(command.name));
  return replaceBy(std::string(command.tool), arguments);
}

int main(int argc, char **argv) {
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is an error of the write
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty()) {
    printHelp();
    return 2;
  }
  const std::string first = arguments[0];
  if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) {
    printHelp();
    return 0;
  }
  if (first == "--version" || first == "version") {
    fmt::print("ttc " TTC_VERSION "\n");
    return 0;
  }
  if (first == "help") {
    const Command *command = find(arguments[1]);
    return command ? start(*command, {"--help"}) : reportUnknown(arguments[1]);
  }
  if (const Command *command = find(first))
    return start(*command, {arguments.begin() + 1, arguments.end()});
  // A model, or options before one.
  if (isModel(first) || first[0] == '-')
    return compile(arguments);
  return reportUnknown(first);
}
