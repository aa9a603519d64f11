// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// UTF-8 in text of any origin, for the runtime's libraries and the tools. Header only.

#ifndef TTRT_FORMAT_UTF8_H
#define TTRT_FORMAT_UTF8_H

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace ttrt {

/// Length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
inline size_t utf8Length(std::string_view text) {
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

/// Whether a terminal acts on a character instead of showing it: control characters, also U+0080 to
/// U+009F, and those that end lines or turn the direction of text around.
inline bool isControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1)
    return first < 0x20 || first == 0x7f;
  if (character.size() == 2)
    return (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0) ||
           character == "\xd8\x9c"; // U+061C
  auto isBetween = [&](std::string_view low, std::string_view high) {
    return character >= low && character <= high;
  };
  return character.size() == 3 && (isBetween("\xe2\x80\x8e", "\xe2\x80\x8f") || // U+200E, U+200F
                                   isBetween("\xe2\x80\xa8", "\xe2\x80\xae") || // U+2028 to U+202E
                                   isBetween("\xe2\x81\xa6", "\xe2\x81\xa9"));  // U+2066 to U+2069
}

/// Replaces control characters and malformed UTF-8 by \xNN; `keepsLines` leaves line feeds.
inline std::string printable(std::string_view text, bool keepsLines = false) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    const size_t taken = std::max<size_t>(length, 1);
    const bool isLine = keepsLines && text[0] == '\n';
    if (isLine || (length && !isControl(text.substr(0, length))))
      result += text.substr(0, taken);
    else
      for (char c : text.substr(0, taken))
        result += {'\\', 'x', kDigits[(c >> 4) & 15], kDigits[c & 15]};
    text.remove_prefix(taken);
  }
  return result;
}

} // namespace ttrt

#endif // TTRT_FORMAT_UTF8_H
