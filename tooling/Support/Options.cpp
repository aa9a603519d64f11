// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Support/Options.h"
#include "Support/Error.h"

#include "Support/Suggest.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fmt/core.h>

namespace ttrun {

/// "-o", "--loops"
static std::string dashed(const std::string &name) {
  return (name.size() == 1 ? "-" : "--") + name;
}

static uint64_t parseNumber(const std::string &name, const std::string &given, uint64_t least,
                            uint64_t most) {
  char *end = nullptr;
  errno = 0;
  const uint64_t parsed = strtoull(given.c_str(), &end, 10);
  // strtoull() takes spaces and signs.
  if (given.find_first_not_of("0123456789") != std::string::npos || *end || errno ||
      parsed < least || parsed > most)
    throw UserError(
        fmt::format("--{}={}: expected a number from {} to {}", name, given, least, most));
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
           throw UserError(fmt::format("{0} needs a value: {0}={1}", dashed(name), placeholder));
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
         // Not strtod(), which takes spaces, signs and hexadecimal numbers.
         double parsed = -1;
         const char *last = given.data() + given.size();
         auto [end, status] = std::from_chars(given.data(), last, parsed);
         if (status != std::errc() || end != last || !(parsed >= 0))
           throw UserError(
               fmt::format("--{}={}: expected a number that is not negative", name, given));
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
                         throw UserError(fmt::format("--{}={}: expected {}{}", name, given, all,
                                                     ttc::suggestion(given, words)));
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
         "what to verify first: structure skips the hash of the weights;\nnone skips the "
         "hashes of all segments and the proof",
         value);
}

const OptionParser::Option &OptionParser::find(const std::string &name) const {
  std::vector<std::string> names;
  for (const Option &option : options) {
    if (option.name == name)
      return option;
    names.push_back(dashed(option.name));
  }
  const std::string suggested = ttc::suggestion(dashed(name), names);
  throw UserError(
      fmt::format("unknown option {}{}", dashed(name),
                  suggested.empty() ? fmt::format("; see {} --help", command) : suggested));
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
    if (argument == kListOptions)
      throw OptionsListed{list()};
    size_t equals = argument.find('=');
    size_t dashes = argument.compare(0, 2, "--") == 0 ? 2 : 1;
    const Option &option =
        find(argument.substr(dashes, equals == std::string::npos ? equals : equals - dashes));
    if (equals != std::string::npos && option.value == Value::None)
      throw UserError(dashed(option.name) + " takes no value");
    const bool isNext = equals == std::string::npos && option.value == Value::Required;
    const std::string value = equals != std::string::npos ? argument.substr(equals + 1)
                              : isNext && i + 1 < argc    ? argv[++i]
                                                          : "";
    if (value.empty() && (isNext || equals != std::string::npos))
      throw UserError(
          fmt::format("{0} needs a value: {0}={1}", dashed(option.name), option.placeholder));
    option.handler(value);
  }
  return rest;
}

std::string OptionParser::parseBundle(int argc, char **argv) const {
  return requireOne("bundle", parse(argc, argv));
}

std::string OptionParser::requireOne(const char *what,
                                     const std::vector<std::string> &files) const {
  if (files.empty())
    throw UserError(fmt::format("expected a {}; see {} --help", what, command));
  if (files.size() > 1)
    throw UserError(fmt::format("expected one {}, found '{}' and '{}'; see {} --help", what,
                                files[0], files[1], command));
  return files[0];
}

void OptionParser::parseNothing(int argc, char **argv) const {
  if (const std::vector<std::string> rest = parse(argc, argv); !rest.empty())
    throw UserError(
        fmt::format("expected only options, found '{}'; see {} --help", rest[0], command));
}

std::vector<OptionInfo> OptionParser::list() const {
  std::vector<OptionInfo> infos;
  for (const Option &option : options) {
    std::string help = option.help;
    std::replace(help.begin(), help.end(), '\n', ' ');
    infos.push_back(
        {dashed(option.name),
         option.value == Value::Optional ? "[" + option.placeholder + "]" : option.placeholder,
         std::move(help)});
  }
  infos.push_back({"--help", "", "print this text"});
  return infos;
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
    std::string left = dashed(option.name);
    if (option.value == Value::Required)
      left += "=" + option.placeholder;
    if (option.value == Value::Optional)
      left += "[=" + option.placeholder + "]";
    print(left, option.help);
  }
  print("--help", "print this text");
  if (!examples.empty())
    fmt::print("\nexamples:\n{}", examples);
}

} // namespace ttrun
