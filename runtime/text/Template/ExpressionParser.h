// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_TEXT_TEMPLATE_EXPRESSIONPARSER_H
#define TTRT_TEXT_TEMPLATE_EXPRESSIONPARSER_H

#include "text/Template/Lexer.h"
#include "text/Template/Syntax.h"

#include <initializer_list>

namespace ttrt::language::chat {

/// Parses the expressions of a tag, with Jinja's precedence of operators.
class ExpressionParser {
protected:
  using Result = std::unique_ptr<Expression>;

  /// Templates nest deeper only by mistake or to harm.
  static constexpr int kDeepest = 200;

  /// Counts levels while something is parsed.
  struct Level {
    explicit Level(ExpressionParser &parser);
    ~Level() { --parser.level; }
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;
    ExpressionParser &parser;
  };

  const Token &token() const { return tag->tokens[at]; }
  /// Throws Failure: "line 3: expected a name, found ','".
  [[noreturn]] void expected(std::string_view what) const;
  bool is(std::string_view text) const;
  bool take(std::string_view text);
  void require(std::string_view text);
  std::string name();
  void endTag() const;

  Result parseExpression();
  /// A list of expressions separated by commas is a tuple.
  Result parseTuple();
  /// An expression without `if`.
  Result parseOr();

  const Segment *tag = nullptr; ///< that is being parsed
  size_t at = 0;                ///< token of the tag

private:
  Result make(Expression::Kind kind, std::string text,
              std::initializer_list<Result *> operands = {});
  void add(Expression &to, ExpressionPtr operand) const;
  static void grow(Expression &to, const Expression *operand);
  Result parseAnd();
  Result parseNot();
  Result parseComparison();
  Result parseLeft(std::initializer_list<const char *> operators,
                   Result (ExpressionParser::*operand)());
  Result parseSum();
  Result parseConcatenation();
  Result parseProduct();
  Result parseSigned();
  Result parseUnary();
  Result parsePrimary();
  Result parseParenthesis();
  Result parseList(std::string_view close);
  Result parseDict();
  void parseArguments(Expression &to);
  Result parsePostfix(Result value);
  Result parseSubscript(Result value);
  Result parseFilters(Result value);
  bool startsArgument() const;

  int level = 0;
};

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_EXPRESSIONPARSER_H
