// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Printing.h"

#include <algorithm>

namespace ttrun {

size_t columnsOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string shorten(std::string_view text, size_t columns) {
  constexpr std::string_view kDots = "...";
  const size_t width = columnsOf(text);
  if (width <= columns)
    return std::string(text);
  columns = std::max(columns, kDots.size() + 2);
  const size_t kept = columns - kDots.size(), head = (kept + 1) / 2;
  std::string result;
  size_t at = 0;
  auto next = [&] {
    const size_t length = std::max<size_t>(utf8Length(text.substr(at)), 1);
    at += length;
    return text.substr(at - length, length);
  };
  for (size_t i = 0; i < head; ++i)
    result += next();
  result += kDots;
  for (size_t i = head; i < width - (kept - head); ++i)
    next();
  return result + std::string(text.substr(at));
}

void printLine(std::string_view line) {
  const std::string whole = printable(line);
  std::string_view rest = whole;
  size_t indent = std::min(rest.find_first_not_of(' '), rest.size());
  const size_t deeper = std::min<size_t>(indent + 4, kColumns / 2);
  std::string current;
  bool empty = true; // nothing but indentation yet
  while (!rest.empty()) {
    // A piece is a word and the spaces before it.
    const size_t word = std::min(rest.find_first_not_of(' '), rest.size());
    const size_t end = std::min(rest.find(' ', word), rest.size());
    std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(end);
    if (!empty && columnsOf(current) + columnsOf(piece) > kColumns) {
      fmt::print("{}\n", current);
      current.assign(deeper, ' ');
      piece.remove_prefix(word);
      empty = true;
    }
    if (empty)
      current += shorten(piece, kColumns - columnsOf(current));
    else
      current += piece;
    empty = false;
  }
  while (!current.empty() && current.back() == ' ')
    current.pop_back();
  fmt::print("{}\n", current);
}

std::string csvField(std::string_view text) {
  const bool isFormula = !text.empty() && std::string_view("=+-@\t").find(text[0]) != text.npos;
  if (!isFormula && text.find_first_of(",\"\n\r") == text.npos)
    return std::string(text);
  std::string quoted = isFormula ? "\"'" : "\"";
  for (char c : text)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string shortBytes(uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  if (bytes < 1024 * 1024)
    return fmt::format("{:.1f} KiB", value / 1024);
  if (bytes < 1024 * 1024 * 1024)
    return fmt::format("{:.1f} MiB", value / (1024 * 1024));
  return fmt::format("{:.2f} GiB", value / (1024 * 1024 * 1024));
}

std::string bytesText(uint64_t bytes) {
  if (bytes < 1024)
    return shortBytes(bytes);
  return fmt::format("{} ({})", shortBytes(bytes), bytes);
}

std::string hexText(uint64_t value) { return fmt::format("0x{:x}", value); }

} // namespace ttrun
