// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code points and UTF-8.

#ifndef TTRT_TEXT_UTF8_H
#define TTRT_TEXT_UTF8_H

#include "ttrt/format/utf8.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ttrt::language {

/// Appends a code point that is no surrogate.
inline void appendUtf8(std::string &to, uint32_t code) {
  auto byte = [&](uint32_t bits) { to += static_cast<char>(bits); };
  if (code < 0x80)
    return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xe0 | code >> 12);
    } else {
      byte(0xf0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3f));
    }
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

/// The code point of a well-formed sequence, whose length utf8Length() tells.
inline uint32_t codePointOf(std::string_view sequence) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(sequence[i]); };
  uint32_t code = sequence.size() == 1   ? byte(0)
                  : sequence.size() == 2 ? byte(0) & 0x1fu
                  : sequence.size() == 3 ? byte(0) & 0x0fu
                                         : byte(0) & 0x07u;
  for (size_t i = 1; i < sequence.size(); ++i)
    code = code << 6 | (byte(i) & 0x3fu);
  return code;
}

/// Makes text of bytes that come in pieces: complete sequences as soon as they are there, and
/// U+FFFD for bytes that are no UTF-8, as many as Python's bytes.decode(errors="replace") makes.
class Utf8Stream {
public:
  /// `most` is the maximum number of bytes of a piece.
  explicit Utf8Stream(size_t most);
  /// Returns what is complete, which is valid until the next call. Allocates nothing.
  std::string_view push(std::string_view bytes);
  /// Returns the rest, at the end.
  std::string_view finish();

private:
  std::string_view drain(bool atEnd);
  std::string held; ///< the beginning of a sequence
  std::string text; ///< what was returned last
};

} // namespace ttrt::language

#endif // TTRT_TEXT_UTF8_H
