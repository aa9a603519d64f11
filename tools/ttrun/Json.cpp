// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Json.h"

#include <cmath>
#include <cstdio>

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

static std::string quote(std::string_view raw) {
  std::string quoted = "\"";
  for (char c : raw) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      snprintf(escape, sizeof(escape), "\\u%04x", c);
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

Json &Json::key(std::string_view name) {
  raw(quote(name));
  text += ": ";
  afterKey = true;
  return *this;
}

Json &Json::value(std::string_view string) {
  raw(quote(string));
  return *this;
}

Json &Json::value(double number) {
  char digits[32];
  // JSON has neither infinities nor NaN.
  if (std::isfinite(number))
    snprintf(digits, sizeof(digits), "%.9g", number);
  else
    snprintf(digits, sizeof(digits), "null");
  raw(digits);
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

} // namespace ttrun
