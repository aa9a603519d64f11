// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The characters of strings: code points. Bytes that are no UTF-8 count as one each.

#ifndef TTRT_TEXT_TEMPLATE_CHARACTERS_H
#define TTRT_TEXT_TEMPLATE_CHARACTERS_H

#include "text/Utf8.h"

#include <string_view>

namespace ttrt::language::chat {

/// The first character of a string that is not empty.
inline std::string_view firstCharacter(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) // most are
    return text.substr(0, 1);
  const size_t length = utf8Length(text);
  return text.substr(0, length ? length : 1);
}

/// The last one. What begins a sequence is never inside another one, so this agrees with reading
/// from the beginning.
inline std::string_view lastCharacter(std::string_view text) {
  if (static_cast<unsigned char>(text.back()) < 0x80)
    return text.substr(text.size() - 1);
  for (size_t length = 2; length <= 4 && length <= text.size(); ++length)
    if (const std::string_view tail = text.substr(text.size() - length); utf8Length(tail) == length)
      return tail;
  return text.substr(text.size() - 1);
}

inline size_t countCharacters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count)
    text.remove_prefix(firstCharacter(text).size());
  return count;
}

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_CHARACTERS_H
