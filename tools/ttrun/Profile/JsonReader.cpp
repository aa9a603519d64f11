// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "JsonReader.h"

#include "../Options.h"

#include <charconv>
#include <fmt/format.h>

namespace ttrun {

const JsonValue &JsonValue::operator[](const std::string &name) const {
  static const JsonValue none;
  const auto found = fields.find(name);
  return found == fields.end() ? none : found->second;
}

namespace {
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  JsonValue parse() {
    JsonValue value = parseValue();
    if (next() != '\0' || at < text.size())
      fail("the end");
    return value;
  }

private:
  /// A file is nested deeper only by mistake or to harm.
  static constexpr int kDeepest = 64;

  [[noreturn]] void fail(const char *expected) const {
    throw UserError(fmt::format("byte {}: expected {}", at, expected));
  }
  /// The next character that is no space; 0 at the end.
  char next() {
    while (at < text.size() && std::string_view(" \t\n\r").find(text[at]) != std::string_view::npos)
      ++at;
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char wanted) {
    if (next() != wanted)
      return false;
    ++at;
    return true;
  }
  void require(char wanted) {
    if (!take(wanted))
      fail(std::string{'\'', wanted, '\''}.c_str());
  }
  JsonValue word(std::string_view word, JsonValue::Kind kind, double number = 0) {
    if (text.substr(at, word.size()) != word)
      fail("a value");
    at += word.size();
    JsonValue value;
    value.kind = kind;
    value.number = number;
    return value;
  }

  JsonValue parseValue() {
    switch (next()) {
    case '{':
      return parseObject();
    case '[':
      return parseArray();
    case '"': {
      JsonValue value;
      value.kind = JsonValue::Kind::String;
      value.string = parseString();
      return value;
    }
    case 't':
      return word("true", JsonValue::Kind::Bool, 1);
    case 'f':
      return word("false", JsonValue::Kind::Bool);
    case 'n':
      return word("null", JsonValue::Kind::Null);
    default:
      return parseNumber();
    }
  }

  JsonValue parseNumber() {
    JsonValue value;
    value.kind = JsonValue::Kind::Number;
    const char *begin = text.data() + at;
    const auto [end, status] = std::from_chars(begin, text.data() + text.size(), value.number);
    if (status != std::errc())
      fail("a value");
    at += static_cast<size_t>(end - begin);
    return value;
  }

  JsonValue parseArray() {
    JsonValue value;
    value.kind = JsonValue::Kind::Array;
    enter();
    require('[');
    if (!take(']')) {
      do
        value.items.push_back(parseValue());
      while (take(','));
      require(']');
    }
    --depth;
    return value;
  }

  JsonValue parseObject() {
    JsonValue value;
    value.kind = JsonValue::Kind::Object;
    enter();
    require('{');
    if (!take('}')) {
      do {
        if (next() != '"')
          fail("a name");
        std::string name = parseString();
        require(':');
        value.fields[std::move(name)] = parseValue();
      } while (take(','));
      require('}');
    }
    --depth;
    return value;
  }

  void enter() {
    if (++depth > kDeepest)
      fail("at most 64 levels");
  }

  std::string parseString() {
    std::string result;
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] != '\\') {
        result += text[at];
        continue;
      }
      if (++at == text.size())
        break;
      const size_t escape = std::string_view("bfnrt").find(text[at]);
      if (text[at] == 'u')
        result += parseCodePoint();
      else
        result += escape == std::string_view::npos ? text[at] : "\b\f\n\r\t"[escape];
    }
    if (at >= text.size())
      fail("the end of a string");
    ++at;
    return result;
  }

  /// As UTF-8; halves of surrogate pairs, which this project never writes, stay as they are.
  std::string parseCodePoint() {
    uint32_t code = 0;
    const char *begin = text.data() + at + 1;
    if (text.size() - at < 5 || std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4)
      fail("four hexadecimal digits");
    at += 4;
    auto byte = [](uint32_t bits) { return static_cast<char>(bits); };
    if (code < 0x80)
      return {byte(code)};
    if (code < 0x800)
      return {byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f))};
    return {byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f))};
  }

  std::string_view text;
  size_t at = 0;
  int depth = 0;
};
} // namespace

JsonValue JsonValue::parse(std::string_view text) { return Parser(text).parse(); }

} // namespace ttrun
