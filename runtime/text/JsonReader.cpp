// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/JsonReader.h"

#include "text/Error.h"
#include "text/Utf8.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace ttrun {

/// A file is nested deeper only by mistake or to harm.
static constexpr int kDeepest = 64;

void JsonCursor::fail(const char *expected) const {
  throw TextError(fmt::format("byte {}: expected {}", at, expected));
}

/// The next character that is no space; 0 at the end.
char JsonCursor::next() {
  while (at < text.size() && std::string_view(" \t\n\r").find(text[at]) != std::string_view::npos)
    ++at;
  return at < text.size() ? text[at] : '\0';
}

bool JsonCursor::take(char wanted) {
  if (next() != wanted || at == text.size())
    return false;
  ++at;
  return true;
}

bool JsonCursor::takeWord(std::string_view word) {
  next();
  if (text.substr(at, word.size()) != word)
    return false;
  at += word.size();
  return true;
}

JsonCursor::Kind JsonCursor::kind() {
  switch (next()) {
  case '{':
    return Kind::Object;
  case '[':
    return Kind::Array;
  case '"':
    return Kind::String;
  case 't':
  case 'f':
    return Kind::Bool;
  case 'n':
    return Kind::Null;
  default:
    return Kind::Number;
  }
}

void JsonCursor::readNull() {
  if (!takeWord("null"))
    fail("a value");
}

bool JsonCursor::readBool() {
  const bool value = takeWord("true");
  if (!value && !takeWord("false"))
    fail("a value");
  return value;
}

double JsonCursor::readNumber() {
  next();
  double number = 0;
  const char *begin = text.data() + at;
  const auto [end, status] = std::from_chars(begin, text.data() + text.size(), number);
  if (status != std::errc())
    fail("a value");
  at += static_cast<size_t>(end - begin);
  return number;
}

int64_t JsonCursor::readInteger(int64_t least, int64_t most) {
  next();
  const size_t begin = at;
  const double number = readNumber();
  if (number == std::floor(number) && number >= static_cast<double>(least) &&
      number <= static_cast<double>(most))
    return static_cast<int64_t>(number);
  at = begin;
  fail(fmt::format("an integer from {} to {}", least, most).c_str());
}

bool JsonCursor::enter(char open, char close) {
  if (!take(open))
    fail(std::string{'\'', open, '\''}.c_str());
  if (++depth > kDeepest)
    fail("at most 64 levels");
  if (!take(close))
    return true;
  --depth;
  return false;
}

bool JsonCursor::another(char close) {
  if (take(','))
    return true;
  if (!take(close))
    fail(std::string{'\'', close, '\''}.c_str());
  --depth;
  return false;
}

std::string JsonCursor::readName() {
  if (next() != '"')
    fail("a name");
  std::string name;
  readString(name);
  if (!take(':'))
    fail("':'");
  return name;
}

void JsonCursor::readString(std::string &to) {
  to.clear();
  if (!take('"'))
    fail("a string");
  for (;;) {
    const size_t end = std::min(text.find_first_of("\"\\", at), text.size());
    to += text.substr(at, end - at);
    at = end;
    if (at == text.size())
      fail("the end of a string");
    if (text[at++] == '"')
      return;
    readEscape(to);
  }
}

void JsonCursor::readEscape(std::string &to) {
  if (at == text.size())
    fail("the end of a string");
  const char letter = text[at++];
  const size_t escape = std::string_view("bfnrt").find(letter);
  if (letter != 'u') {
    to += escape == std::string_view::npos ? letter : "\b\f\n\r\t"[escape];
    return;
  }
  uint32_t code = readCodeUnit();
  if (code >= 0xd800 && code < 0xdc00 && text.substr(at, 2) == "\\u") {
    const size_t begin = at;
    at += 2;
    const uint32_t low = readCodeUnit();
    if (low >= 0xdc00 && low < 0xe000)
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    else
      at = begin;
  }
  // Half of a surrogate pair is no character.
  appendUtf8(to, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
}

uint32_t JsonCursor::readCodeUnit() {
  uint32_t code = 0;
  const char *begin = text.data() + at;
  if (text.size() - at < 4 || std::from_chars(begin, begin + 4, code, 16).ptr != begin + 4)
    fail("four hexadecimal digits");
  at += 4;
  return code;
}

void JsonCursor::skip() {
  std::string ignored;
  switch (kind()) {
  case Kind::Object:
    return readObject([&](const std::string &) { skip(); });
  case Kind::Array:
    return readArray([&] { skip(); });
  case Kind::String:
    return readString(ignored);
  case Kind::Bool:
    readBool();
    return;
  case Kind::Null:
    return readNull();
  case Kind::Number:
    readNumber();
  }
}

void JsonCursor::finish() {
  if (next() != '\0' || at < text.size())
    fail("the end");
}

const JsonValue &JsonValue::operator[](const std::string &name) const {
  static const JsonValue none;
  const auto found = fields.find(name);
  return found == fields.end() ? none : found->second;
}

JsonValue JsonValue::read(JsonCursor &cursor) {
  JsonValue value;
  switch (value.kind = cursor.kind()) {
  case Kind::Object:
    cursor.readObject([&](std::string name) { value.fields[std::move(name)] = read(cursor); });
    break;
  case Kind::Array:
    cursor.readArray([&] { value.items.push_back(read(cursor)); });
    break;
  case Kind::String:
    cursor.readString(value.string);
    break;
  case Kind::Bool:
    value.number = cursor.readBool();
    break;
  case Kind::Null:
    cursor.readNull();
    break;
  case Kind::Number:
    value.number = cursor.readNumber();
  }
  return value;
}

JsonValue JsonValue::parse(std::string_view text) {
  JsonCursor cursor(text);
  JsonValue value = read(cursor);
  cursor.finish();
  return value;
}

} // namespace ttrun
