// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Strings.h"

#include "text/Template/Builtins.h"
#include "text/Template/Characters.h"
#include "text/Template/Writers.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

namespace ttrt::language::chat {

static bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
static bool isLower(char c) { return c >= 'a' && c <= 'z'; }
static char toUpper(char c) { return isLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }
static char toLower(char c) { return isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// A copy of `text` that change() may change.
template <typename Change>
static Text changed(std::string_view text, Budget &budget, Change change) {
  budget.scan(text.size());
  TextWriter writer(budget);
  writer.add(text);
  std::string result = writer.take();
  change(result);
  return std::make_shared<const std::string>(std::move(result));
}

Text upper(std::string_view text, Budget &budget) {
  return changed(text, budget, [](std::string &all) {
    std::transform(all.begin(), all.end(), all.begin(), toUpper);
  });
}

Text lower(std::string_view text, Budget &budget) {
  return changed(text, budget, [](std::string &all) {
    std::transform(all.begin(), all.end(), all.begin(), toLower);
  });
}

Text capitalized(std::string_view text, Budget &budget) {
  return changed(text, budget, [](std::string &all) {
    std::transform(all.begin(), all.end(), all.begin(), toLower);
    if (!all.empty())
      all[0] = toUpper(all[0]);
  });
}

Text titled(std::string_view text, Budget &budget) {
  return changed(text, budget, [](std::string &all) {
    bool begins = true;
    for (char &c : all) {
      const bool isLetter = isUpper(c) || isLower(c) || static_cast<unsigned char>(c) >= 0x80;
      c = begins ? toUpper(c) : toLower(c);
      begins = !isLetter && c != '\'';
    }
  });
}

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

/// std::string::find() compares the whole of `wanted` at each byte. memmem() of the C libraries
/// does so up to 256 bytes only, and takes linear time for longer ones.
static size_t findUnpaid(std::string_view text, std::string_view wanted) {
  if (wanted.empty())
    return 0;
  const void *found = memmem(text.data(), text.size(), wanted.data(), wanted.size());
  return found ? static_cast<size_t>(static_cast<const char *>(found) - text.data())
               : std::string_view::npos;
}

/// Pays for a search that has read `bytes`.
static void paySearch(size_t bytes, size_t wanted, Budget &budget) {
  budget.read(wanted);
  budget.read(uint64_t(bytes) * (1 + std::min<size_t>(wanted, 256) / 32));
}

size_t findFirst(std::string_view text, std::string_view wanted, Budget &budget) {
  if (wanted.size() > text.size())
    return std::string_view::npos;
  const size_t found = findUnpaid(text, wanted);
  paySearch(found == std::string_view::npos ? text.size() : found, wanted.size(), budget);
  return found;
}

size_t findLast(std::string_view text, std::string_view wanted, Budget &budget) {
  if (wanted.size() > text.size())
    return std::string_view::npos;
  budget.scan(text.size() + wanted.size());
  paySearch(text.size(), wanted.size(), budget);
  const std::string backwards(text.rbegin(), text.rend());
  const size_t found = findUnpaid(backwards, std::string(wanted.rbegin(), wanted.rend()));
  return found == std::string_view::npos ? found : text.size() - wanted.size() - found;
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

std::string_view strip(std::string_view text, const Value &characters, bool left, bool right,
                       Budget &budget) {
  const bool spaces = characters.is<Undefined>() || characters.is<None>();
  std::vector<std::string_view> removed;
  if (!spaces)
    for (std::string_view rest = requireText(characters, "strip"); !rest.empty();) {
      budget.step();
      removed.push_back(firstCharacter(rest));
      rest.remove_prefix(removed.back().size());
    }
  std::sort(removed.begin(), removed.end());
  auto isRemoved = [&](std::string_view character) {
    if (spaces) {
      budget.scan(character.size());
      return isSpace(character);
    }
    budget.step();
    return std::binary_search(removed.begin(), removed.end(), character);
  };
  while (left && !text.empty() && isRemoved(firstCharacter(text)))
    text.remove_prefix(firstCharacter(text).size());
  while (right && !text.empty() && isRemoved(lastCharacter(text)))
    text.remove_suffix(lastCharacter(text).size());
  return text;
}

Text replaced(std::string_view text, std::string_view old, std::string_view by, const Value &count,
              Budget &budget) {
  const int64_t most =
      count.is<None>() ? -1 : std::max<int64_t>(requireInteger(count, "count"), -1);
  // Python inserts `by` between all characters for an empty `old`.
  if (old.empty() && most != 0)
    throw Failure("replace: expected a string that is not empty");
  TextWriter result(budget);
  bool isFirst = true;
  split(text, old, most, budget, [&](std::string_view part) {
    if (!std::exchange(isFirst, false))
      result.add(by);
    result.add(part);
  });
  return result.share();
}

/// str.split() without a separator.
static Value splitAtSpaces(std::string_view text, int64_t most, Budget &budget) {
  ListWriter parts(budget);
  for (;;) {
    text = strip(text, None(), true, false, budget);
    if (text.empty())
      return Value(parts.take());
    size_t end = 0;
    if (most-- == 0)
      end = text.size();
    while (end < text.size()) {
      const std::string_view character = firstCharacter(text.substr(end));
      if (isSpace(character))
        break;
      end += character.size();
    }
    budget.scan(end);
    parts.addText(text.substr(0, end));
    text.remove_prefix(end);
  }
}

template <typename Number>
static Value numberOf(std::string_view text, const Value &otherwise, Budget &budget) {
  budget.scan(text.size());
  Number number = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return status == std::errc() && end == digits.data() + digits.size() ? Value(number) : otherwise;
}

Value integerOf(std::string_view text, const Value &otherwise, Budget &budget) {
  return numberOf<int64_t>(text, otherwise, budget);
}

Value realOf(std::string_view text, const Value &otherwise, Budget &budget) {
  return numberOf<double>(text, otherwise, budget);
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

static Value stripped(std::string_view text, const Value &characters, bool left, bool right,
                      Budget &budget) {
  return makeText(strip(text, characters, left, right, budget), budget);
}

/// str.startswith() takes a string or a tuple of them.
static bool hasAffix(std::string_view text, const Value &affix, bool atEnd, Budget &budget) {
  auto has = [&](const Value &one) {
    const std::string &wanted = requireText(one, "startswith");
    budget.step();
    budget.read(std::min(wanted.size(), text.size()));
    return atEnd ? text.ends_with(wanted) : text.starts_with(wanted);
  };
  if (!affix.is<List>())
    return has(affix);
  return std::any_of(affix.items().begin(), affix.items().end(), has);
}

static Value positionOf(std::string_view text, const Value &wanted, bool last, Budget &budget) {
  const std::string &sought = requireText(wanted, last ? "rfind" : "find");
  const size_t found = last ? findLast(text, sought, budget) : findFirst(text, sought, budget);
  if (found == std::string_view::npos)
    return int64_t(-1);
  budget.scan(found);
  return static_cast<int64_t>(countCharacters(text.substr(0, found)));
}

static Value splitText(std::string_view text, const Arguments &a, bool fromRight) {
  const Value separator = a.get(0, "sep", None());
  const int64_t most = std::max<int64_t>(
      requireInteger(a.get(1, "maxsplit", int64_t(-1)), "maxsplit"), -1); // all negative ones
  if (fromRight && most >= 0)
    throw Failure("rsplit() with a number of cuts is not supported");
  if (separator.is<None>())
    return splitAtSpaces(text, most, a.budget);
  const std::string &by = requireText(separator, "split");
  if (by.empty())
    throw Failure("split: expected a separator that is not empty");
  ListWriter parts(a.budget);
  split(text, by, most, a.budget, [&](std::string_view part) { parts.addText(part); });
  return Value(parts.take());
}

static Value splitLines(std::string_view text, const Arguments &a) {
  ListWriter lines(a.budget);
  if (text.ends_with('\n'))
    text.remove_suffix(1);
  else if (text.empty())
    return Value(lines.take());
  split(text, "\n", -1, a.budget, [&](std::string_view line) { lines.addText(line); });
  return Value(lines.take());
}

/// str.format(), with fields such as {}, {0} and {name}.
static Value formatted(std::string_view text, const Arguments &a) {
  TextWriter result(a.budget);
  size_t next = 0;
  while (!text.empty()) {
    const size_t brace = std::min(text.find_first_of("{}"), text.size());
    a.budget.scan(brace);
    result.add(text.substr(0, brace));
    text.remove_prefix(brace);
    if (text.empty())
      break;
    if (text.size() > 1 && text[1] == text[0]) { // twice: itself
      result.add(text.substr(0, 1));
      text.remove_prefix(2);
      continue;
    }
    const size_t end = text.find('}');
    if (text[0] == '}' || end == std::string_view::npos)
      throw Failure("format: expected a field such as {} or {name}, found a single brace");
    const std::string_view field = text.substr(1, end - 1);
    if (field.find_first_of("{:!.[") != std::string_view::npos)
      throw Failure("format: expected a field such as {} or {name}, found '{" + printable(field) +
                    "}'");
    size_t place = next;
    const char *last = field.data() + field.size();
    const bool isNumber = field.empty() || std::from_chars(field.data(), last, place).ptr == last;
    next += field.empty();
    const Value value = a.get(isNumber ? place : SIZE_MAX, isNumber ? "" : field, Undefined());
    if (value.is<Undefined>() && (isNumber ? place >= a.positional.size() : true))
      throw Failure("format: expected an argument for the field '{" + printable(field) + "}'");
    value.print(result);
    text.remove_prefix(end + 1);
  }
  return result.share();
}

using TextMethod = Value (*)(const Text &, const Arguments &);

static const std::map<std::string, TextMethod, std::less<>> &textMethods() {
  using S = const Text &;
  using A = const Arguments &;
  static const std::map<std::string, TextMethod, std::less<>> all = {
      {"strip", [](S s, A a) { return stripped(*s, a.get(0, "chars"), true, true, a.budget); }},
      {"lstrip", [](S s, A a) { return stripped(*s, a.get(0, "chars"), true, false, a.budget); }},
      {"rstrip", [](S s, A a) { return stripped(*s, a.get(0, "chars"), false, true, a.budget); }},
      {"upper", [](S s, A a) { return Value(upper(*s, a.budget)); }},
      {"lower", [](S s, A a) { return Value(lower(*s, a.budget)); }},
      {"capitalize", [](S s, A a) { return Value(capitalized(*s, a.budget)); }},
      {"title", [](S s, A a) { return Value(titled(*s, a.budget)); }},
      {"startswith",
       [](S s, A a) { return Value(hasAffix(*s, a.get(0, "prefix"), false, a.budget)); }},
      {"endswith",
       [](S s, A a) { return Value(hasAffix(*s, a.get(0, "suffix"), true, a.budget)); }},
      {"find", [](S s, A a) { return positionOf(*s, a.get(0, "sub"), false, a.budget); }},
      {"rfind", [](S s, A a) { return positionOf(*s, a.get(0, "sub"), true, a.budget); }},
      {"format", [](S s, A a) { return formatted(*s, a); }},
      {"split", [](S s, A a) { return splitText(*s, a, false); }},
      {"rsplit", [](S s, A a) { return splitText(*s, a, true); }},
      {"splitlines", [](S s, A a) { return splitLines(*s, a); }},
      {"replace",
       [](S s, A a) {
         const Value old = a.get(0, "old"), by = a.get(1, "new");
         return Value(replaced(*s, requireText(old, "replace"), requireText(by, "replace"),
                               a.get(2, "count", int64_t(-1)), a.budget));
       }},
      {"join", [](S s, A a) {
         Arguments of(a.budget);
         of.positional = {a.get(0, "iterable"), Value(s)};
         return applyFilter("join", of);
       }}};
  return all;
}

static Value dictMethod(const Value &value, const std::string &name, Budget &budget) {
  if (name == "items")
    return makeMethod(
        value,
        [value](const Arguments &a) {
          Arguments of(a.budget);
          of.positional = {value};
          return applyFilter("items", of);
        },
        budget);
  if (name == "keys")
    return makeMethod(
        value, [value](const Arguments &a) { return Value(value.elements(a.budget)); }, budget);
  const Dict &dict = *value.as<Dict>();
  if (name == "values")
    return makeMethod(
        value,
        [dict](const Arguments &a) {
          ListWriter values(a.budget);
          for (const auto &field : dict->fields)
            values.add(field.second);
          return Value(values.take());
        },
        budget);
  if (name == "get")
    return makeMethod(
        value,
        [dict](const Arguments &a) {
          const Value key = a.get(0, "key");
          const auto *text = key.as<std::string>();
          const auto *number = key.as<int64_t>();
          const Value *found = text     ? dict->find(*text, a.budget)
                               : number ? dict->find(*number, a.budget)
                                        : nullptr;
          return found ? *found : a.get(1, "default", None());
        },
        budget);
  return {};
}

Value methodOf(const Value &value, const std::string &name, Budget &budget) {
  if (const auto *text = value.as<Text>()) {
    const auto found = textMethods().find(name);
    if (found == textMethods().end())
      return {};
    return makeMethod(
        value,
        [text = *text, method = found->second](const Arguments &arguments) {
          return method(text, arguments);
        },
        budget);
  }
  if (const auto *dict = value.as<Dict>(); dict && !(*dict)->isNamespace)
    return dictMethod(value, name, budget);
  return {};
}

} // namespace ttrt::language::chat
