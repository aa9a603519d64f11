// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Utf8.h"

#include <algorithm>
#include <fmt/core.h>

namespace ttrun {

size_t utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto continues = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (text.empty() || first < 0x80)
    return text.empty() ? 0 : 1;
  if (first >= 0xc2 && first <= 0xdf)
    return continues(1) ? 2 : 0;
  // No overlong forms, no surrogates, nothing above U+10FFFF.
  if (first >= 0xe0 && first <= 0xef)
    return continues(1) && continues(2) && !(first == 0xe0 && second < 0xa0) &&
                   !(first == 0xed && second > 0x9f)
               ? 3
               : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return continues(1) && continues(2) && continues(3) && !(first == 0xf0 && second < 0x90) &&
                   !(first == 0xf4 && second > 0x8f)
               ? 4
               : 0;
  return 0;
}

size_t columnsOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // U+0080 to U+009F are control characters, too.
    const bool control =
        first < 0x20 || first == 0x7f ||
        (first == 0xc2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xa0);
    const size_t taken = std::max<size_t>(length, 1);
    if (length && !control)
      result += text.substr(0, taken);
    else
      for (char c : text.substr(0, taken))
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    text.remove_prefix(taken);
  }
  return result;
}

/// How many bytes at the start of `text`, which does not begin with a sequence, begin one that ends
/// too early; 1 if none do.
static size_t prefixLength(std::string_view text) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0), second = byte(1);
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (first < 0xe0 || first > 0xf4 || second < least || second > most)
    return 1;
  return first >= 0xf0 && (byte(2) & 0xc0) == 0x80 ? 3 : 2;
}

std::string Utf8Stream::drain(bool atEnd) {
  std::string text;
  std::string_view rest = held;
  while (!rest.empty()) {
    if (const size_t length = utf8Length(rest)) {
      text += rest.substr(0, length);
      rest.remove_prefix(length);
      continue;
    }
    const size_t prefix = prefixLength(rest);
    const auto first = static_cast<unsigned char>(rest[0]);
    if (!atEnd && prefix == rest.size() && first >= 0xc2 && first <= 0xf4)
      break;
    text += "\xef\xbf\xbd";
    rest.remove_prefix(prefix);
  }
  held = std::string(rest);
  return text;
}

std::string Utf8Stream::push(std::string_view bytes) {
  held += bytes;
  return drain(/*atEnd=*/false);
}

std::string Utf8Stream::finish() { return drain(/*atEnd=*/true); }

} // namespace ttrun
