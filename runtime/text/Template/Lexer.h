// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_TEXT_TEMPLATE_LEXER_H
#define TTRT_TEXT_TEMPLATE_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ttrt::language::chat {

struct Token {
  enum class Kind { Name, String, Integer, Real, Operator, End };
  Kind kind;
  std::string text; ///< of a string, without quotes and escapes
  int line;
};

/// A template is a list of these: text, {{ an expression }} and {% a statement %}.
struct Segment {
  enum class Kind { Text, Output, Statement };
  Kind kind;
  int line;
  std::string text;          ///< of Text
  std::vector<Token> tokens; ///< of the others; the last one is End
};

/// Cuts a template into segments. Comments are left out. White space around tags is removed as
/// transformers has it: the newline after a statement, and the spaces before one that begins a
/// line. Throws Failure.
std::vector<Segment> lex(std::string_view source);

/// Throws Failure: "line 3: ...".
[[noreturn]] void failAt(int line, const std::string &message);

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_LEXER_H
