// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax tree of a chat template.

#ifndef TTRT_TEXT_TEMPLATE_SYNTAX_H
#define TTRT_TEXT_TEMPLATE_SYNTAX_H

#include "text/Template/Value.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ttrt::language::chat {

struct Expression;
using ExpressionPtr = std::unique_ptr<const Expression>;

struct Expression {
  enum class Kind {
    Literal,   ///< value
    Name,      ///< name
    List,      ///< operands
    Dict,      ///< operands: keys and values by turns
    Attribute, ///< operand . name
    Index,     ///< operand [ operand ]
    Slice,     ///< operand [ operand : operand : operand ]; those not given are null
    Call,      ///< operand ( operands, named )
    Filter,    ///< operand | name ( operands, named )
    Test,      ///< operand is name ( operands )
    Unary,     ///< name operand
    Binary,    ///< operand name operand
    Condition  ///< operand 1 if operand 0 else operand 2, which may be null
  };
  Kind kind;
  int line;
  std::string name;
  Value value;
  std::vector<ExpressionPtr> operands;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  int height = 1; ///< levels of expressions
};

struct Statement;
using Body = std::vector<std::unique_ptr<const Statement>>;

struct Statement {
  enum class Kind {
    Text,     ///< text
    Output,   ///< expressions[0]
    If,       ///< bodies[i] if expressions[i]; one more body is that of else
    For,      ///< names in expressions[0] if expressions[1], which may be null; bodies: loop, else
    Set,      ///< names = expressions[0], or names[0].attribute
    SetBlock, ///< names[0] = the text of bodies[0]
    Macro,    ///< names[0](the other names), whose defaults are expressions or null; bodies[0]
    Block,    ///< bodies[0], as it is
    Break,
    Continue
  };
  Kind kind;
  int line;
  std::string text;
  std::vector<std::string> names;
  std::string attribute;
  std::vector<ExpressionPtr> expressions;
  std::vector<Body> bodies;
};

/// Throws Failure: "line 3: expected ..., found ...".
Body parse(std::string_view source);

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_SYNTAX_H
