// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings as Python has them. Letters outside of ASCII have no case here: they stay as they are.
// All functions take time in proportion to what they pay.

#ifndef TTRT_TEXT_TEMPLATE_STRINGS_H
#define TTRT_TEXT_TEMPLATE_STRINGS_H

#include "text/Template/Value.h"

namespace ttrt::language::chat {

Text upper(std::string_view text, Budget &budget);
Text lower(std::string_view text, Budget &budget);
Text capitalized(std::string_view text, Budget &budget);
/// The first letter of each word upper, the others lower.
Text titled(std::string_view text, Budget &budget);
/// Removes `characters` at the ends; white space if they are undefined or none.
std::string_view strip(std::string_view text, const Value &characters, bool left, bool right,
                       Budget &budget);
/// Replaces the first `count` occurrences; all if it is negative or none.
Text replaced(std::string_view text, std::string_view old, std::string_view by, const Value &count,
              Budget &budget);
/// Where `wanted` begins in `text` for the first or last time, in bytes; npos if it does not.
size_t findFirst(std::string_view text, std::string_view wanted, Budget &budget);
size_t findLast(std::string_view text, std::string_view wanted, Budget &budget);
/// The number that the whole text is; `otherwise` if it is none.
Value integerOf(std::string_view text, const Value &otherwise, Budget &budget);
Value realOf(std::string_view text, const Value &otherwise, Budget &budget);

/// Calls run(part) for the parts of `text` between separators, which are not empty. At most `most`
/// cuts; any number if it is negative.
template <typename Run>
void split(std::string_view text, std::string_view separator, int64_t most, Budget &budget,
           Run run) {
  while (most-- != 0) {
    budget.step();
    const size_t found = findFirst(text, separator, budget);
    if (found == std::string_view::npos)
      break;
    run(text.substr(0, found));
    text.remove_prefix(found + separator.size());
  }
  run(text);
}

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_STRINGS_H
