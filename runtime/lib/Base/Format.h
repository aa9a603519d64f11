// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of messages, by fmt. Format strings are checked when they are compiled.
//
// The library has an fmt of its own, without floating point, 128-bit numbers and locales, which
// messages do not need. Its inline namespace keeps it apart from the fmt of a program that
// libttrt.a is linked into.

#ifndef TTRT_LIB_BASE_FORMAT_H
#define TTRT_LIB_BASE_FORMAT_H

#ifdef FMT_BEGIN_NAMESPACE
#error "include Format.h before any header of fmt"
#endif
#ifdef TTC_TOOLS_FMT
#error "tools use fmt itself; this is the library's own"
#endif
#define FMT_BEGIN_NAMESPACE                                                                        \
  namespace fmt {                                                                                  \
  inline namespace ttrt_v9 {
#define FMT_END_NAMESPACE                                                                          \
  }                                                                                                \
  }
#define FMT_USE_FLOAT 0
#define FMT_USE_DOUBLE 0
#define FMT_USE_LONG_DOUBLE 0
#define FMT_USE_INT128 0
#define FMT_STATIC_THOUSANDS_SEPARATOR '\''

#include "Base/Error.h"

#include <fmt/core.h>
#include <string>
#include <utility>

namespace ttrt {

/// At most as much text as an error's message holds. Thread-safe.
std::string formatArguments(fmt::string_view pattern, fmt::format_args arguments);
/// Writes at most `size` bytes, the last of them a zero. Allocates nothing. Thread-safe.
void formatArgumentsTo(char *buffer, size_t size, fmt::string_view pattern,
                       fmt::format_args arguments) noexcept;
/// Throws Error.
[[noreturn, gnu::cold]] void failWithArguments(ttrt_status status, fmt::string_view pattern,
                                               fmt::format_args arguments);

template <typename... Args>
std::string formatText(fmt::format_string<Args...> pattern, Args &&...arguments) {
  return formatArguments(pattern, fmt::make_format_args(arguments...));
}

template <size_t size, typename... Args>
void formatTo(char (&buffer)[size], fmt::format_string<Args...> pattern,
              Args &&...arguments) noexcept {
  formatArgumentsTo(buffer, size, pattern, fmt::make_format_args(arguments...));
}

template <typename... Args>
[[noreturn, gnu::cold]] void fail(ttrt_status status, fmt::format_string<Args...> pattern,
                                  Args &&...arguments) {
  failWithArguments(status, pattern, fmt::make_format_args(arguments...));
}

/// fail(TTRT_BAD_BUNDLE, ...), the status of almost every check.
template <typename... Args>
[[noreturn, gnu::cold]] void failBad(fmt::format_string<Args...> pattern, Args &&...arguments) {
  failWithArguments(TTRT_BAD_BUNDLE, pattern, fmt::make_format_args(arguments...));
}

} // namespace ttrt

#endif // TTRT_LIB_BASE_FORMAT_H
