// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fmt/core.h>

namespace ttrun {

static uint64_t parseNumber(const std::string &name, const std::string &given, uint64_t least,
                            uint64_t most) {
  char *end = nullptr;
  errno = 0;
  unsigned long long parsed = strtoull(given.c_str(), &end, 10);
  // strtoull() takes spaces and signs.
  if (given.find_first_not_of("0123456789") != std::string::npos || *end || errno ||
      parsed < least || parsed > most)
    throw UserError("--" + name + "=" + given + ": expected a number from " +
                    std::to_string(least) + " to " + std::to_string(most));
  return parsed;
}

void OptionParser::flag(const std::string &name, const std::string &help, bool &value) {
  options.push_back({name, "", help, Value::None, [&value](const std::string &) { value = true; }});
}

void OptionParser::text(const std::string &name, const std::string &placeholder,
                        const std::string &help, std::string &value) {
  options.push_back(
      {name, placeholder, help, Value::Required, [=, &value](const std::string &given) {
         if (given.empty())
           throw UserError("--" + name + " needs a value: --" + name + "=" + placeholder);
         value = given;
       }});
}

void OptionParser::list(const std::string &name, const std::string &placeholder,
                        const std::string &help, std::vector<std::string> &values) {
  options.push_back({name, placeholder, help, Value::Required,
                     [&values](const std::string &given) { values.push_back(given); }});
}

void OptionParser::number(const std::string &name, const std::string &placeholder,
                          const std::string &help, uint64_t &value, uint64_t least, uint64_t most) {
  options.push_back(
      {name, placeholder, help, Value::Required,
       [=, &value](const std::string &given) { value = parseNumber(name, given, least, most); }});
}

void OptionParser::real(const std::string &name, const std::string &placeholder,
                        const std::string &help, double &value) {
  options.push_back(
      {name, placeholder, help, Value::Required, [=, &value](const std::string &given) {
         char *end = nullptr;
         double parsed = strtod(given.c_str(), &end);
         if (*end || !(parsed >= 0))
           throw UserError("--" + name + "=" + given + ": expected a number that is not negative");
         value = parsed;
       }});
}

void OptionParser::choice(const std::string &name, const std::vector<std::string> &words,
                          const std::string &help, std::string &value) {
  std::string all;
  for (const std::string &word : words)
    all += (all.empty() ? "" : "|") + word;
  options.push_back({name, all, help, Value::Required, [=, &value](const std::string &given) {
                       if (std::find(words.begin(), words.end(), given) == words.end())
                         throw UserError("--" + name + "=" + given + ": expected " + all);
                       value = given;
                     }});
}

void OptionParser::flagOrNumber(const std::string &name, const std::string &placeholder,
                                const std::string &help, bool &given, uint64_t &value) {
  options.push_back(
      {name, placeholder, help, Value::Optional, [=, &given, &value](const std::string &text) {
         given = true;
         if (!text.empty())
           value = parseNumber(name, text, 0, UINT64_MAX);
       }});
}

void OptionParser::verify(std::string &value) {
  choice("verify", {"full", "structure", "none"},
         "how much is verified before: structure leaves out the hash\nof the weights; none, the "
         "hashes of all segments and the proof",
         value);
}

ttrt_verify verifyLevel(const std::string &word) {
  return word == "full"        ? TTRT_VERIFY_FULL
         : word == "structure" ? TTRT_VERIFY_STRUCTURE
                               : TTRT_VERIFY_NONE;
}

std::string bundleMessage(const std::string &path, ttrt_status status, const std::string &message) {
  // What the operating system says names the file already.
  const bool isNamed = message.find("'" + path + "'") != std::string::npos;
  return isNamed ? message : path + ": " + ttrt_status_name(status) + ": " + message;
}

const OptionParser::Option &OptionParser::find(const std::string &name) const {
  for (const Option &option : options)
    if (option.name == name)
      return option;
  throw UserError("unknown option --" + name + "; see " + command + " --help");
}

std::vector<std::string> OptionParser::parse(int argc, char **argv) const {
  std::vector<std::string> rest;
  bool onlyFiles = false;
  for (int i = 0; i < argc; ++i) {
    std::string argument = argv[i];
    if (onlyFiles || argument.size() < 2 || argument[0] != '-') {
      rest.push_back(argument);
      continue;
    }
    if (argument == "--") {
      onlyFiles = true;
      continue;
    }
    if (argument == "--help" || argument == "-h") {
      printHelp();
      throw HelpShown();
    }
    size_t equals = argument.find('=');
    size_t dashes = argument.compare(0, 2, "--") == 0 ? 2 : 1;
    const Option &option =
        find(argument.substr(dashes, equals == std::string::npos ? equals : equals - dashes));
    if (equals != std::string::npos && option.value == Value::None)
      throw UserError("--" + option.name + " takes no value");
    const bool isNext = equals == std::string::npos && option.value == Value::Required;
    const std::string value = equals != std::string::npos ? argument.substr(equals + 1)
                              : isNext && i + 1 < argc    ? argv[++i]
                                                          : "";
    if (value.empty() && (isNext || equals != std::string::npos))
      throw UserError("--" + option.name + " needs a value: --" + option.name + "=" +
                      option.placeholder);
    option.handler(value);
  }
  return rest;
}

void OptionParser::printHelp() const {
  fmt::print("usage: {} {}\n\n{}\n\noptions:\n", command, synopsis, description);
  constexpr size_t kColumn = 34;
  auto print = [&](const std::string &left, std::string help) {
    const std::string margin(kColumn, ' ');
    for (size_t at = 0; (at = help.find('\n', at)) != std::string::npos; at += 1 + kColumn)
      help.insert(at + 1, margin);
    if (left.size() > kColumn - 3)
      fmt::print("  {}\n{}{}\n", left, margin, help);
    else
      fmt::print("  {:<{}}{}\n", left, kColumn - 2, help);
  };
  for (const Option &option : options) {
    std::string left = "--" + option.name;
    if (option.value == Value::Required)
      left += "=" + option.placeholder;
    if (option.value == Value::Optional)
      left += "[=" + option.placeholder + "]";
    print(left, option.help);
  }
  print("--help", "this text");
  if (!examples.empty())
    fmt::print("\nexamples:\n{}", examples);
}

} // namespace ttrun
