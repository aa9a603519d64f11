// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Json.h"

#include "Formats/Printing.h"

#include <cmath>

namespace ttrun {

void Json::separate() {
  if (afterKey) {
    afterKey = false;
    return;
  }
  if (!first)
    text += flatFrom ? ", " : ",";
  if (depth && !flatFrom)
    text += "\n" + std::string(2 * static_cast<size_t>(depth), ' ');
  first = false;
}

void Json::raw(std::string_view piece) {
  separate();
  text += piece;
  first = false;
}

Json &Json::open(char bracket, bool flat) {
  raw(std::string_view(&bracket, 1));
  ++depth;
  if (flat && !flatFrom)
    flatFrom = depth;
  first = true;
  return *this;
}

Json &Json::close(char bracket) {
  const bool flat = flatFrom != 0;
  if (flatFrom == depth)
    flatFrom = 0;
  --depth;
  if (!first && !flat)
    text += "\n" + std::string(2 * static_cast<size_t>(depth), ' ');
  text += bracket;
  first = false;
  return *this;
}

/// A character of two or three bytes.
static unsigned codePointOf(std::string_view character) {
  auto bits = [&](size_t i, unsigned mask) {
    return static_cast<unsigned char>(character[i]) & mask;
  };
  return character.size() == 2 ? bits(0, 0x1f) << 6 | bits(1, 0x3f)
                               : bits(0, 0x0f) << 12 | bits(1, 0x3f) << 6 | bits(2, 0x3f);
}

/// JSON is UTF-8: malformed bytes become U+FFFD, the replacement character. What a terminal acts on
/// is escaped, because JSON is printed, too.
std::string quoteJson(std::string_view raw) {
  std::string quoted = "\"";
  while (!raw.empty()) {
    const size_t length = utf8Length(raw);
    const auto first = static_cast<unsigned char>(raw[0]);
    if (length == 0)
      quoted += "\\ufffd";
    else if (first == '"' || first == '\\')
      quoted += {'\\', raw[0]};
    else if (ttrt::isControl(raw.substr(0, length)))
      quoted += fmt::format("\\u{:04x}", length == 1 ? first : codePointOf(raw.substr(0, length)));
    else
      quoted += raw.substr(0, length);
    raw.remove_prefix(length ? length : 1);
  }
  return quoted + "\"";
}

Json &Json::key(std::string_view name) {
  raw(quoteJson(name));
  text += ": ";
  afterKey = true;
  return *this;
}

Json &Json::value(std::string_view string) {
  raw(quoteJson(string));
  return *this;
}

Json &Json::value(double number) {
  // JSON has neither infinities nor NaN.
  raw(std::isfinite(number) ? fmt::format("{:.9g}", number) : "null");
  return *this;
}

Json &Json::value(uint64_t number) {
  raw(std::to_string(number));
  return *this;
}

Json &Json::value(int64_t number) {
  raw(std::to_string(number));
  return *this;
}

Json &Json::value(bool flag) {
  raw(flag ? "true" : "false");
  return *this;
}

/// These three characters occur only in strings.
std::string insideScript(std::string_view json) {
  std::string safe;
  for (char c : json) {
    if (c == '<' || c == '>' || c == '&')
      safe += fmt::format("\\u{:04x}", c);
    else
      safe += c;
  }
  return safe;
}

} // namespace ttrun
