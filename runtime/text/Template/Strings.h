// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings as Python has them. Letters outside of ASCII have no case here: they stay as they are.

#ifndef TTRT_TEXT_TEMPLATE_STRINGS_H
#define TTRT_TEXT_TEMPLATE_STRINGS_H

#include "text/Template/Value.h"

namespace ttrt::language::chat {

std::string upper(std::string text);
std::string lower(std::string text);
std::string capitalized(const std::string &text);
/// The first letter of each word upper, the others lower.
std::string titled(std::string text);
/// Replaces the first `count` occurrences; all if it is negative or none.
std::string replaced(const std::string &text, const std::string &old, const std::string &by,
                     const Value &count);
/// At most `most` cuts; any number if it is negative.
std::vector<std::string> split(std::string_view text, std::string_view separator,
                               int64_t most = -1);
/// The number that the whole text is; `otherwise` if it is none.
Value integerOf(std::string_view text, const Value &otherwise);
Value realOf(std::string_view text, const Value &otherwise);

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_STRINGS_H
