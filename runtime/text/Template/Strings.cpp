// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Strings.h"

#include "text/Template/Builtins.h"
#include "text/Utf8.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

namespace ttrt::language::chat {

static bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
static bool isLower(char c) { return c >= 'a' && c <= 'z'; }
static char toUpper(char c) { return isLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }
static char toLower(char c) { return isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), toUpper);
  return text;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), toLower);
  return text;
}

std::string capitalized(const std::string &text) {
  std::string result = lower(text);
  if (!result.empty())
    result[0] = toUpper(result[0]);
  return result;
}

std::string titled(std::string text) {
  bool begins = true;
  for (char &c : text) {
    const bool isLetter = isUpper(c) || isLower(c) || static_cast<unsigned char>(c) >= 0x80;
    c = begins ? toUpper(c) : toLower(c);
    begins = !isLetter && c != '\'';
  }
  return text;
}

/// str.isspace() of Python.
static bool isSpace(std::string_view character) {
  if (utf8Length(character) != character.size())
    return false;
  const uint32_t code = codePointOf(character);
  return (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x20) || code == 0x85 ||
         code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
         code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

std::string strip(std::string_view text, const Value &characters, bool left, bool right) {
  const bool spaces = characters.is<Undefined>() || characters.is<None>();
  const std::vector<std::string_view> removed =
      spaces ? std::vector<std::string_view>() : charactersOf(requireText(characters, "strip"));
  auto isRemoved = [&](std::string_view character) {
    return spaces ? isSpace(character)
                  : std::find(removed.begin(), removed.end(), character) != removed.end();
  };
  const std::vector<std::string_view> all = charactersOf(text);
  size_t begin = 0, end = all.size();
  while (left && begin < end && isRemoved(all[begin]))
    ++begin;
  while (right && end > begin && isRemoved(all[end - 1]))
    --end;
  std::string result;
  for (size_t i = begin; i < end; ++i)
    result += all[i];
  return result;
}

std::string replaced(const std::string &text, const std::string &old, const std::string &by,
                     const Value &count) {
  int64_t left = count.is<None>() ? -1 : requireInteger(count, "count");
  std::string result;
  size_t at = 0;
  while (left != 0) {
    // Python inserts `by` between all characters for an empty `old`.
    if (old.empty())
      throw Failure("replace: expected a string that is not empty");
    const size_t found = text.find(old, at);
    if (found == std::string::npos)
      break;
    result += text.substr(at, found - at) + by;
    requireSize(result.size());
    at = found + old.size();
    --left;
  }
  return result + text.substr(at);
}

std::vector<std::string> split(std::string_view text, std::string_view separator, int64_t most) {
  std::vector<std::string> parts;
  while (most-- != 0) {
    const size_t found = text.find(separator);
    if (found == std::string_view::npos)
      break;
    parts.emplace_back(text.substr(0, found));
    text.remove_prefix(found + separator.size());
  }
  parts.emplace_back(text);
  return parts;
}

static std::vector<std::string> splitAtSpaces(std::string_view text, int64_t most) {
  std::vector<std::string> parts;
  std::string rest = strip(text, None(), true, false);
  while (!rest.empty()) {
    std::string part;
    for (std::string_view character : charactersOf(rest)) {
      if (isSpace(character) && most != 0)
        break;
      part += character;
    }
    rest = strip(std::string_view(rest).substr(part.size()), None(), true, false);
    parts.push_back(std::move(part));
    --most;
  }
  return parts;
}

template <typename Number> static Value numberOf(std::string_view text, const Value &otherwise) {
  Number number = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return status == std::errc() && end == digits.data() + digits.size() ? Value(number) : otherwise;
}

Value integerOf(std::string_view text, const Value &otherwise) {
  return numberOf<int64_t>(text, otherwise);
}

Value realOf(std::string_view text, const Value &otherwise) {
  return numberOf<double>(text, otherwise);
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

/// str.startswith() takes a string or a tuple of them.
static bool hasAffix(const std::string &text, const Value &affix, bool atEnd) {
  auto has = [&](const Value &one) {
    const std::string &wanted = requireText(one, "startswith");
    return atEnd ? text.ends_with(wanted) : text.starts_with(wanted);
  };
  if (!affix.is<List>())
    return has(affix);
  return std::any_of(affix.items().begin(), affix.items().end(), has);
}

static int64_t positionOf(const std::string &text, const std::string &wanted, bool last) {
  const size_t found = last ? text.rfind(wanted) : text.find(wanted);
  return found == std::string::npos
             ? -1
             : static_cast<int64_t>(charactersOf(std::string_view(text).substr(0, found)).size());
}

static Value splitText(const std::string &text, const Arguments &a, bool fromRight) {
  const Value separator = a.get(0, "sep", None());
  const int64_t most = requireInteger(a.get(1, "maxsplit", int64_t(-1)), "maxsplit");
  if (fromRight && most >= 0)
    throw Failure("rsplit() with a number of cuts is not supported");
  std::vector<std::string> parts;
  if (separator.is<None>())
    parts = splitAtSpaces(text, most);
  else if (requireText(separator, "split").empty())
    throw Failure("split: expected a separator that is not empty");
  else
    parts = split(text, *separator.as<std::string>(), most);
  return Value(std::vector<Value>(parts.begin(), parts.end()));
}

using TextMethod = Value (*)(const std::string &, const Arguments &);

static const std::map<std::string, TextMethod> &textMethods() {
  using S = const std::string &;
  using A = const Arguments &;
  static const std::map<std::string, TextMethod> all = {
      {"strip", [](S s, A a) { return Value(strip(s, a.get(0, "chars"), true, true)); }},
      {"lstrip", [](S s, A a) { return Value(strip(s, a.get(0, "chars"), true, false)); }},
      {"rstrip", [](S s, A a) { return Value(strip(s, a.get(0, "chars"), false, true)); }},
      {"upper", [](S s, A) { return Value(upper(s)); }},
      {"lower", [](S s, A) { return Value(lower(s)); }},
      {"capitalize", [](S s, A) { return Value(capitalized(s)); }},
      {"title", [](S s, A) { return Value(titled(s)); }},
      {"startswith", [](S s, A a) { return Value(hasAffix(s, a.get(0, "prefix"), false)); }},
      {"endswith", [](S s, A a) { return Value(hasAffix(s, a.get(0, "suffix"), true)); }},
      {"find",
       [](S s, A a) { return Value(positionOf(s, requireText(a.get(0, "sub"), "find"), false)); }},
      {"rfind",
       [](S s, A a) { return Value(positionOf(s, requireText(a.get(0, "sub"), "rfind"), true)); }},
      {"split", [](S s, A a) { return splitText(s, a, false); }},
      {"rsplit", [](S s, A a) { return splitText(s, a, true); }},
      {"splitlines",
       [](S s, A) {
         std::vector<std::string> lines = split(s, "\n");
         if (lines.back().empty())
           lines.pop_back();
         return Value(std::vector<Value>(lines.begin(), lines.end()));
       }},
      {"replace",
       [](S s, A a) {
         return Value(replaced(s, requireText(a.get(0, "old"), "replace"),
                               requireText(a.get(1, "new"), "replace"),
                               a.get(2, "count", int64_t(-1))));
       }},
      {"join", [](S s, A a) {
         Arguments of;
         of.positional = {a.get(0, "iterable"), Value(s)};
         return applyFilter("join", of);
       }}};
  return all;
}

static Value dictMethod(const Dict &dict, const std::string &name) {
  if (name == "items")
    return Function([dict](const Arguments &) {
      Arguments of;
      of.positional = {Value(dict)};
      return applyFilter("items", of);
    });
  if (name == "keys")
    return Function([dict](const Arguments &) { return Value(Value(dict).elements()); });
  if (name == "values")
    return Function([dict](const Arguments &) {
      std::vector<Value> values;
      for (const auto &field : dict->fields)
        values.push_back(field.second);
      return Value(std::move(values));
    });
  if (name == "get")
    return Function([dict](const Arguments &arguments) {
      const Value key = arguments.get(0, "key");
      const auto *text = key.as<std::string>();
      const Value *found = text ? dict->find(*text) : nullptr;
      return found ? *found : arguments.get(1, "default", None());
    });
  return Undefined{name};
}

Value methodOf(const Value &value, const std::string &name) {
  if (const auto *text = value.as<std::string>()) {
    const auto found = textMethods().find(name);
    if (found == textMethods().end())
      return Undefined{name};
    return Function([text = *text, method = found->second](const Arguments &arguments) {
      return method(text, arguments);
    });
  }
  if (const auto *dict = value.as<Dict>(); dict && !(*dict)->isNamespace)
    return dictMethod(*dict, name);
  return Undefined{name};
}

} // namespace ttrt::language::chat
