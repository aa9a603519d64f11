// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a tool with subcommands: options declared with their help, parsed strictly.

#ifndef TTC_TOOLS_TTRUN_OPTIONS_H
#define TTC_TOOLS_TTRUN_OPTIONS_H

#include "ttrt/ttrt.h"

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ttrun {

/// Something the user can correct; the message is all they see.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A bundle that is bad or cannot run here; the message is all the user sees.
struct BadBundle : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the runtime says of the bundle at `path`, with its name: "x.ttcb: bad bundle: ...".
std::string bundleMessage(const std::string &path, ttrt_status status, const std::string &message);

/// --help was asked for and printed.
struct HelpShown {};

class OptionParser {
public:
  /// `synopsis` is what follows the command's name: "BUNDLE [options]".
  OptionParser(std::string command, std::string synopsis, std::string description,
               std::string examples)
      : command(std::move(command)), synopsis(std::move(synopsis)),
        description(std::move(description)), examples(std::move(examples)) {}

  void flag(const std::string &name, const std::string &help, bool &value);
  void text(const std::string &name, const std::string &placeholder, const std::string &help,
            std::string &value);
  void number(const std::string &name, const std::string &placeholder, const std::string &help,
              uint64_t &value, uint64_t least, uint64_t most);
  void real(const std::string &name, const std::string &placeholder, const std::string &help,
            double &value);
  /// May be given several times.
  void list(const std::string &name, const std::string &placeholder, const std::string &help,
            std::vector<std::string> &values);
  /// One of a few words.
  void choice(const std::string &name, const std::vector<std::string> &words,
              const std::string &help, std::string &value);
  /// A flag that may have a number: --name or --name=number.
  void flagOrNumber(const std::string &name, const std::string &placeholder,
                    const std::string &help, bool &given, uint64_t &value);

  /// --verify, for verifyLevel().
  void verify(std::string &value);

  /// Returns the other arguments. Takes --name=value and --name value.
  std::vector<std::string> parse(int argc, char **argv) const;

private:
  enum class Value { None, Optional, Required };
  struct Option {
    std::string name, placeholder, help;
    Value value;
    std::function<void(const std::string &)> handler;
  };
  void printHelp() const;
  const Option &find(const std::string &name) const;

  std::string command, synopsis, description, examples;
  std::vector<Option> options;
};

/// "full", "structure" or "none".
ttrt_verify verifyLevel(const std::string &word);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_OPTIONS_H
