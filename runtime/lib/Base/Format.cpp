// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Format.h"

#include <cstring>

namespace ttrt {

namespace {
/// Where text goes: what does not fit is dropped.
struct Sink {
  void put(char character) {
    if (next < end)
      *next++ = character;
  }
  void put(const char *text, size_t length) {
    for (size_t i = 0; i < length; ++i)
      put(text[i]);
  }
  char *next, *const end;
};

/// What follows the colon of a field.
struct NumberFormat {
  unsigned base = 10, width = 0;
  bool hasPrefix = false;
};
} // namespace

static void putNumber(Sink &sink, uint64_t value, bool isNegative, const NumberFormat &format) {
  char digits[64];
  size_t begin = sizeof(digits);
  do
    digits[--begin] = "0123456789abcdef"[value % format.base];
  while ((value /= format.base) != 0);
  if (isNegative)
    sink.put('-');
  if (format.hasPrefix) {
    sink.put('0');
    if (format.base == 16)
      sink.put('x');
  }
  for (size_t count = sizeof(digits) - begin; count < format.width; ++count)
    sink.put('0');
  sink.put(digits + begin, sizeof(digits) - begin);
}

/// `at` is after the brace that opens a field; returns its closing brace.
static const char *parseField(const char *at, unsigned &index, unsigned &next,
                              NumberFormat &format) {
  index = *at >= '0' && *at <= '9' ? static_cast<unsigned>(*at++ - '0') : next++;
  for (; *at != '}'; ++at)
    if (*at == '#')
      format.hasPrefix = true;
    else if (*at == 'x')
      format.base = 16;
    else if (*at == 'o')
      format.base = 8;
    else if (*at != ':')
      format.width = format.width * 10 + static_cast<unsigned>(*at - '0');
  return at;
}

void formatList(char *buffer, size_t size, uint64_t kinds, const char *pattern,
                va_list arguments) noexcept {
  uint64_t values[kMaxArguments];
  unsigned count = 0;
  for (uint64_t left = kinds; left; left >>= kKindBits)
    values[count++] = va_arg(arguments, uint64_t);
  Sink sink{buffer, buffer + size - 1};
  unsigned next = 0;
  for (const char *at = pattern; *at; ++at) {
    if (*at != '{' && *at != '}') {
      sink.put(*at);
      continue;
    }
    if (at[1] == *at) {
      sink.put(*at++);
      continue;
    }
    unsigned index;
    NumberFormat format;
    at = parseField(at + 1, index, next, format);
    const uint64_t value = values[index];
    switch (static_cast<ArgumentKind>(kinds >> index * kKindBits & ((1 << kKindBits) - 1))) {
    case ArgumentKind::None:
      break;
    case ArgumentKind::Signed: {
      const bool isNegative = static_cast<int64_t>(value) < 0;
      putNumber(sink, isNegative ? 0 - value : value, isNegative, format);
      break;
    }
    case ArgumentKind::Unsigned:
      putNumber(sink, value, false, format);
      break;
    case ArgumentKind::Character:
      sink.put(static_cast<char>(value));
      break;
    case ArgumentKind::Text: {
      const auto *text = reinterpret_cast<const char *>(value);
      sink.put(text, strlen(text));
      break;
    }
    case ArgumentKind::View: {
      const auto &text = *reinterpret_cast<const std::string_view *>(value);
      sink.put(text.data(), text.size());
      break;
    }
    }
  }
  *sink.next = 0;
}

void formatPassed(char *buffer, size_t size, uint64_t kinds, const char *pattern, ...) noexcept {
  va_list arguments;
  va_start(arguments, pattern);
  formatList(buffer, size, kinds, pattern, arguments);
  va_end(arguments);
}

std::string formatList(uint64_t kinds, const char *pattern, va_list arguments) {
  char text[sizeof(ttrt_error::message)];
  formatList(text, sizeof(text), kinds, pattern, arguments);
  return text;
}

std::string formatPassed(uint64_t kinds, const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  char text[sizeof(ttrt_error::message)];
  formatList(text, sizeof(text), kinds, pattern, arguments);
  va_end(arguments);
  return text;
}

uint32_t findName(const char *what, const char *wanted, const char *owner, uint32_t count,
                  const void *table, NameAt *at) {
  std::string known;
  for (uint32_t i = 0; i < count; ++i) {
    const char *name = at(table, i);
    if (strcmp(name, wanted) == 0)
      return i;
    known += i ? ", " : "";
    known += name;
  }
  fail(TTRT_NOT_FOUND, "no {} '{}'; {} has: {}", what, wanted, owner, count ? known : "none");
}

void failPassed(uint64_t statusAndKinds, const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  char text[sizeof(ttrt_error::message)];
  formatList(text, sizeof(text), statusAndKinds >> 8, pattern, arguments);
  va_end(arguments);
  throw Error{static_cast<ttrt_status>(static_cast<int8_t>(statusAndKinds)), text};
}

} // namespace ttrt
