// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Error.h"

#include <cstdarg>
#include <cstdio>

namespace ttrt {

static std::string formatList(const char *pattern, va_list arguments) {
  char text[sizeof(ttrt_error::message)];
  vsnprintf(text, sizeof(text), pattern, arguments);
  return text;
}

std::string format(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  std::string text = formatList(pattern, arguments);
  va_end(arguments);
  return text;
}

void fail(ttrt_status status, const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  std::string text = formatList(pattern, arguments);
  va_end(arguments);
  throw Error{status, std::move(text)};
}

void failBad(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  std::string text = formatList(pattern, arguments);
  va_end(arguments);
  throw Error{TTRT_BAD_BUNDLE, std::move(text)};
}

} // namespace ttrt
