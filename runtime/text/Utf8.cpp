// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Utf8.h"

namespace ttrt::language {

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

std::string_view Utf8Stream::drain(bool atEnd) {
  text.clear();
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
  held.erase(0, held.size() - rest.size());
  return text;
}

Utf8Stream::Utf8Stream(size_t most) {
  held.reserve(most + 3);
  text.reserve(3 * (most + 3));
}

std::string_view Utf8Stream::push(std::string_view bytes) {
  held += bytes;
  return drain(/*atEnd=*/false);
}

std::string_view Utf8Stream::finish() { return drain(/*atEnd=*/true); }

} // namespace ttrt::language
