// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text output, formatted with fmt. Names come from bundles and may hold any bytes: control
// characters must not reach a terminal, malformed UTF-8 must not reach JSON, and no line is wider
// than kColumns.

#ifndef TTC_TOOLING_FORMATS_PRINTING_H
#define TTC_TOOLING_FORMATS_PRINTING_H

#include "ttrt/format/utf8.h"

#include <cstdint>
#include <fmt/core.h>
#include <string>
#include <string_view>
#include <utility>

namespace ttrun {

using ttrt::printable;
using ttrt::utf8Length;

inline constexpr size_t kColumns = 100;

/// The number of code points.
size_t columnsOf(std::string_view text);
/// Makes `text` at most `columns` wide by replacing its middle with "...".
std::string shorten(std::string_view text, size_t columns);

/// Prints one line, made printable. A line wider than kColumns is wrapped at spaces, with four more
/// columns of indentation; a word wider than a line is shortened (--json has it in full).
void printLine(std::string_view line);
template <typename... T> void printLine(fmt::format_string<T...> pattern, T &&...values) {
  const std::string line = fmt::format(pattern, std::forward<T>(values)...);
  printLine(std::string_view(line));
}

/// A field of a CSV row, quoted where necessary. Text that a spreadsheet would take for a formula
/// begins with an apostrophe.
std::string csvField(std::string_view text);

/// "s", unless there is exactly one.
inline const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/// "512 B", "1.5 MiB"
std::string shortBytes(uint64_t bytes);
/// "1.5 MiB (1572864)"
std::string bytesText(uint64_t bytes);
/// "0x1f00"
std::string hexText(uint64_t value);

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_PRINTING_H
