// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Format.h"

#include <algorithm>
#include <fmt/format-inl.h>

// Unoptimised code calls both, although nothing is formatted that needs them.
template auto fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref) -> char;
template auto fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref)
    -> fmt::detail::thousands_sep_result<char>;

namespace ttrt {

void formatArgumentsTo(char *buffer, size_t size, fmt::string_view pattern,
                       fmt::format_args arguments) noexcept {
  const auto result = fmt::vformat_to_n(buffer, size - 1, pattern, arguments);
  buffer[std::min(result.size, size - 1)] = 0;
}

std::string formatArguments(fmt::string_view pattern, fmt::format_args arguments) {
  char text[sizeof(ttrt_error::message)];
  formatArgumentsTo(text, sizeof(text), pattern, arguments);
  return text;
}

void failWithArguments(ttrt_status status, fmt::string_view pattern, fmt::format_args arguments) {
  throw Error{status, formatArguments(pattern, arguments)};
}

} // namespace ttrt
