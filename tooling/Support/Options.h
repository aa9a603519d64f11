// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a tool, or of a command of one. Options are declared with their help and
// parsed strictly. An option of one letter has one dash.

#ifndef TTC_TOOLING_SUPPORT_OPTIONS_H
#define TTC_TOOLING_SUPPORT_OPTIONS_H

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ttrun {

/// Thrown by parse() after it has printed --help.
struct HelpShown {};

/// An option, for suggestions.
struct OptionInfo {
  std::string name;     ///< "--loops"
  std::string argument; ///< "N"; "[SEED]" where it is optional; empty for a flag
  std::string help;     ///< one line
};

/// The argument with which parse() throws OptionsListed; it has a byte that cannot be typed.
constexpr char kListOptions[] = "--\x01";

/// Thrown by parse() for kListOptions.
struct OptionsListed {
  std::vector<OptionInfo> options;
};

class OptionParser {
public:
  /// `synopsis` follows the command's name in the usage line: "BUNDLE [options]".
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
  /// An option that can be repeated.
  void list(const std::string &name, const std::string &placeholder, const std::string &help,
            std::vector<std::string> &values);
  /// An option whose value is one of `words`.
  void choice(const std::string &name, const std::vector<std::string> &words,
              const std::string &help, std::string &value);
  /// A flag with an optional number: --name or --name=number.
  void flagOrNumber(const std::string &name, const std::string &placeholder,
                    const std::string &help, bool &given, uint64_t &value);

  /// Declares --verify, whose value verifyLevel() translates.
  void verify(std::string &value);

  /// Returns the arguments that are not options. Accepts --name=value and --name value.
  std::vector<std::string> parse(int argc, char **argv) const;
  /// Like parse(), for a command that takes exactly one bundle.
  std::string parseBundle(int argc, char **argv) const;
  /// The only argument that parse() has returned. `what`: "bundle".
  std::string requireOne(const char *what, const std::vector<std::string> &files) const;
  /// Like parse(), for a command that takes no arguments.
  void parseNothing(int argc, char **argv) const;

private:
  enum class Value { None, Optional, Required };
  struct Option {
    std::string name, placeholder, help;
    Value value;
    std::function<void(const std::string &)> handler;
  };
  void printHelp() const;
  std::vector<OptionInfo> list() const;
  const Option &find(const std::string &name) const;

  std::string command, synopsis, description, examples;
  std::vector<Option> options;
};

} // namespace ttrun

#endif // TTC_TOOLING_SUPPORT_OPTIONS_H
