// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as text. Lists and dictionaries have at most 64 levels, so recursion over them needs no
// counter.
#include "text/Template/Characters.h"
#include "text/Template/Writers.h"

#include <cmath>
#include <fmt/format.h>

namespace ttrt::language::chat {

/// Python's repr() of a float: the shortest digits that give it back.
static std::string textOf(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

/// Adds `text` with some of its bytes replaced: `escape` returns by what, or an empty string.
template <typename Escape>
static void addEscaped(TextWriter &to, std::string_view text, Escape escape) {
  to.budget.scan(text.size());
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if (const std::string by = escape(text[i]); !by.empty()) {
      to.add(text.substr(begin, i - begin));
      to.add(by);
      begin = i + 1;
    }
  to.add(text.substr(begin));
}

static void addQuoted(TextWriter &to, std::string_view text) {
  to.budget.read(2 * text.size());
  const bool hasSingle = text.find('\'') != std::string_view::npos;
  const char quote = hasSingle && text.find('"') == std::string_view::npos ? '"' : '\'';
  to.fill(1, quote);
  addEscaped(to, text, [&](char c) -> std::string {
    if (c == quote || c == '\\')
      return {'\\', c};
    if (c == '\n' || c == '\r' || c == '\t')
      return {'\\', c == '\n' ? 'n' : c == '\r' ? 'r' : 't'};
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return {};
  });
  to.fill(1, quote);
}

static void addJsonText(TextWriter &to, std::string_view text) {
  addEscaped(to, text, [](char c) -> std::string {
    const size_t escape = std::string_view("\"\\\b\f\n\r\t").find(c);
    if (escape != std::string_view::npos)
      return {'\\', "\"\\bfnrt"[escape]};
    if (static_cast<unsigned char>(c) < 0x20)
      return fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    return {};
  });
}

static void addJson(TextWriter &to, std::string_view text, bool ascii) {
  to.fill(1, '"');
  for (size_t at = 0; ascii && at < text.size();) {
    size_t plain = 0;
    while (at + plain < text.size() && static_cast<unsigned char>(text[at + plain]) < 0x80)
      ++plain;
    addJsonText(to, text.substr(at, plain));
    at += plain;
    if (const size_t length = utf8Length(text.substr(at))) {
      const uint32_t code = codePointOf(text.substr(at, length)), rest = code - 0x10000;
      to.add(code < 0x10000 ? fmt::format("\\u{:04x}", code)
                            : fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10),
                                          0xdc00 + (rest & 0x3ff)));
      at += length;
    } else if (at < text.size()) {
      to.fill(1, text[at++]);
    }
  }
  if (!ascii)
    addJsonText(to, text);
  to.fill(1, '"');
}

void Value::print(TextWriter &to) const {
  if (const auto *text = as<std::string>())
    to.add(*text);
  else if (!is<Undefined>())
    represent(to);
}

Text Value::text(Budget &budget) const {
  if (const auto *text = as<Text>())
    return *text;
  TextWriter to(budget);
  print(to);
  return to.share();
}

void Value::represent(TextWriter &to) const {
  to.budget.step();
  if (const auto *flag = as<bool>())
    return to.add(*flag ? "True" : "False");
  if (const auto *number = as<int64_t>())
    return to.add(std::to_string(*number));
  if (const auto *number = as<double>())
    return to.add(textOf(*number));
  if (const auto *text = as<std::string>())
    return addQuoted(to, *text);
  if (is<None>())
    return to.add("None");
  if (is<Undefined>())
    return to.add("Undefined");
  if (is<Function>())
    throw Failure("expected a value to print, found a function");
  const char *separator = "";
  if (is<List>()) {
    to.add("[");
    for (const Value &item : items()) {
      to.add(std::exchange(separator, ", "));
      item.represent(to);
    }
    return to.add("]");
  }
  to.add("{");
  for (const auto &[name, value] : (*as<Dict>())->fields) {
    to.add(std::exchange(separator, ", "));
    if (name.isInteger)
      to.add(name);
    else
      addQuoted(to, name);
    to.add(": ");
    value.represent(to);
  }
  to.add("}");
}

void Value::json(TextWriter &to, int indent, bool ascii, int level) const {
  to.budget.step();
  if (const auto *flag = as<bool>())
    return to.add(*flag ? "true" : "false");
  if (const auto *text = as<std::string>())
    return addJson(to, *text, ascii);
  if (is<None>())
    return to.add("null");
  if (is<Undefined>() || is<Function>())
    throw Failure(fmt::format("expected a value that JSON has, found {}", kind()));
  if (isNumber())
    return represent(to);
  auto addLine = [&](int levels) {
    if (indent < 0)
      return;
    to.fill(1, '\n');
    to.fill(static_cast<size_t>(indent) * static_cast<size_t>(levels), ' ');
  };
  bool isFirst = true;
  auto separate = [&] {
    if (!std::exchange(isFirst, false))
      to.add(indent < 0 ? ", " : ",");
    addLine(level + 1);
  };
  const bool isList = is<List>();
  to.fill(1, isList ? '[' : '{');
  if (isList)
    for (const Value &item : items()) {
      separate();
      item.json(to, indent, ascii, level + 1);
    }
  else
    for (const auto &[name, value] : (*as<Dict>())->fields) {
      separate();
      addJson(to, name, ascii);
      to.add(": ");
      value.json(to, indent, ascii, level + 1);
    }
  if (!isFirst)
    addLine(level);
  to.fill(1, isList ? ']' : '}');
}

} // namespace ttrt::language::chat
