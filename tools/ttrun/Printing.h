// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text for people. Names come out of bundles and may hold anything: control characters must not
// reach a terminal, bytes that are no UTF-8 must not reach JSON, and no line is wider than
// kColumns.

#ifndef TTC_TOOLS_TTRUN_PRINTING_H
#define TTC_TOOLS_TTRUN_PRINTING_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ttrun {

inline constexpr size_t kColumns = 100;

/// Length of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
size_t utf8Length(std::string_view text);
/// Code points.
size_t columnsOf(std::string_view text);
/// With \xNN in place of control characters and of bytes that are no UTF-8.
std::string printable(std::string_view text);
/// At most `columns` wide: the middle gives way to "...".
std::string shorten(std::string_view text, size_t columns);

/// Makes a string; printf's arguments.
[[gnu::format(printf, 1, 2)]] std::string textOf(const char *format, ...);
/// One line, printable. What is wider than kColumns goes on below, cut at spaces, indented by four
/// more than it began; a word that is wider than a line is shortened. (--json has it in full.)
void printLine(const std::string &line);
[[gnu::format(printf, 1, 2)]] void printLine(const char *format, ...);

/// "512 B", "1.5 MiB"
std::string shortBytes(uint64_t bytes);
/// "1.5 MiB (1572864)"
std::string bytesText(uint64_t bytes);
/// "0x1f00"
std::string hexText(uint64_t value);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_PRINTING_H
