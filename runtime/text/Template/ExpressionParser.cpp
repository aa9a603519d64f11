// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/ExpressionParser.h"

#include "text/Utf8.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace ttrt::language::chat {

using Kind = Expression::Kind;

ExpressionParser::Level::Level(ExpressionParser &parser) : parser(parser) {
  if (++parser.level > kDeepest)
    failAt(parser.tag ? parser.tag->line : 1, fmt::format("expected at most {} levels", kDeepest));
}

//===--------------------------------------------------------------------===//
// Tokens of the current tag
//===--------------------------------------------------------------------===//

void ExpressionParser::expected(std::string_view what) const {
  const Token &found = token();
  failAt(found.line,
         fmt::format("expected {}, found {}", what,
                     found.kind == Token::Kind::End ? "the end of the tag"
                                                    : "'" + printable(found.text) + "'"));
}

bool ExpressionParser::is(std::string_view text) const {
  return (token().kind == Token::Kind::Operator || token().kind == Token::Kind::Name) &&
         token().text == text;
}

bool ExpressionParser::take(std::string_view text) {
  if (!is(text))
    return false;
  ++at;
  return true;
}

void ExpressionParser::require(std::string_view text) {
  if (!take(text))
    expected(fmt::format("'{}'", text));
}

std::string ExpressionParser::name() {
  if (token().kind != Token::Kind::Name)
    expected("a name");
  return tag->tokens[at++].text;
}

void ExpressionParser::endTag() const {
  if (token().kind != Token::Kind::End)
    expected("the end of the tag");
}

//===--------------------------------------------------------------------===//
// Expressions
//===--------------------------------------------------------------------===//

ExpressionParser::Result ExpressionParser::make(Kind kind, std::string text,
                                                std::initializer_list<Result *> operands) {
  auto made = std::make_unique<Expression>();
  made->kind = kind;
  made->line = token().line;
  made->name = std::move(text);
  for (Result *operand : operands)
    add(*made, std::move(*operand));
  return made;
}

void ExpressionParser::add(Expression &to, ExpressionPtr operand) const {
  grow(to, operand.get());
  to.operands.push_back(std::move(operand));
}

void ExpressionParser::grow(Expression &to, const Expression *operand) {
  if (!operand)
    return;
  to.height = std::max(to.height, operand->height + 1);
  if (to.height > kDeepest)
    failAt(to.line, fmt::format("expected expressions of at most {} levels", kDeepest));
}

ExpressionParser::Result ExpressionParser::parseExpression() {
  const Level deeper(*this);
  Result value = parseOr();
  while (take("if")) {
    Result condition = parseOr(), otherwise;
    if (take("else"))
      otherwise = parseExpression();
    value = make(Kind::Condition, "", {&condition, &value, &otherwise});
  }
  return value;
}

/// A list of expressions separated by commas is a tuple.
ExpressionParser::Result ExpressionParser::parseTuple() {
  Result first = parseExpression();
  if (!is(","))
    return first;
  Result list = make(Kind::List, "", {&first});
  while (take(",") && token().kind != Token::Kind::End)
    add(*list, parseExpression());
  return list;
}

ExpressionParser::Result ExpressionParser::parseOr() {
  Result left = parseAnd();
  while (take("or")) {
    Result right = parseAnd();
    left = make(Kind::Binary, "or", {&left, &right});
  }
  return left;
}

ExpressionParser::Result ExpressionParser::parseAnd() {
  Result left = parseNot();
  while (take("and")) {
    Result right = parseNot();
    left = make(Kind::Binary, "and", {&left, &right});
  }
  return left;
}

ExpressionParser::Result ExpressionParser::parseNot() {
  const Level deeper(*this);
  if (!take("not"))
    return parseComparison();
  Result operand = parseNot();
  return make(Kind::Unary, "not", {&operand});
}

ExpressionParser::Result ExpressionParser::parseComparison() {
  Result left = parseSum();
  for (int count = 0;; ++count) {
    std::string which;
    for (const char *one : {"==", "!=", "<=", ">=", "<", ">", "in"})
      if (which.empty() && is(one))
        which = one;
    if (is("not") && tag->tokens[at + 1].kind == Token::Kind::Name &&
        tag->tokens[at + 1].text == "in")
      which = "not in";
    if (which.empty())
      return left;
    if (count)
      failAt(token().line, "a chain of comparisons is not supported; use 'and'");
    at += which == "not in" ? 2 : 1;
    Result right = parseSum();
    left = make(Kind::Binary, which, {&left, &right});
  }
}

ExpressionParser::Result ExpressionParser::parseLeft(std::initializer_list<const char *> operators,
                                                     Result (ExpressionParser::*operand)()) {
  Result left = (this->*operand)();
  for (;;) {
    const auto found =
        std::find_if(operators.begin(), operators.end(), [&](const char *one) { return is(one); });
    if (found == operators.end())
      return left;
    ++at;
    Result right = (this->*operand)();
    left = make(Kind::Binary, *found, {&left, &right});
  }
}

ExpressionParser::Result ExpressionParser::parseSum() {
  return parseLeft({"+", "-"}, &ExpressionParser::parseConcatenation);
}

ExpressionParser::Result ExpressionParser::parseConcatenation() {
  return parseLeft({"~"}, &ExpressionParser::parseProduct);
}

ExpressionParser::Result ExpressionParser::parseProduct() {
  return parseLeft({"*", "//", "/", "%"}, &ExpressionParser::parseSigned);
}

ExpressionParser::Result ExpressionParser::parseSigned() { return parseFilters(parseUnary()); }

ExpressionParser::Result ExpressionParser::parseUnary() {
  const Level deeper(*this);
  for (const char *sign : {"-", "+"})
    if (take(sign)) {
      Result operand = parseUnary();
      return make(Kind::Unary, sign, {&operand});
    }
  return parsePostfix(parsePrimary());
}

ExpressionParser::Result ExpressionParser::parsePrimary() {
  Result made = make(Kind::Literal, "");
  const Token &first = token();
  switch (first.kind) {
  case Token::Kind::String: {
    std::string text;
    while (token().kind == Token::Kind::String)
      text += tag->tokens[at++].text;
    made->value = Value(std::move(text));
    return made;
  }
  case Token::Kind::Integer: {
    int64_t number = 0;
    if (std::from_chars(first.text.data(), first.text.data() + first.text.size(), number).ec !=
        std::errc())
      expected("an integer of 64 bits");
    made->value = Value(number);
    ++at;
    return made;
  }
  case Token::Kind::Real: {
    double number = 0;
    std::from_chars(first.text.data(), first.text.data() + first.text.size(), number);
    made->value = Value(number);
    ++at;
    return made;
  }
  case Token::Kind::Name: {
    const std::string word = name();
    if (word == "true" || word == "True" || word == "false" || word == "False")
      made->value = Value(word == "true" || word == "True");
    else if (word == "none" || word == "None")
      made->value = Value(None());
    else
      made->kind = Kind::Name;
    made->name = word;
    return made;
  }
  default:
    break;
  }
  if (take("("))
    return parseParenthesis();
  if (take("["))
    return parseList("]");
  if (take("{"))
    return parseDict();
  expected("an expression");
}

ExpressionParser::Result ExpressionParser::parseParenthesis() {
  if (take(")"))
    return make(Kind::List, "");
  Result first = parseExpression();
  if (!is(",")) {
    require(")");
    return first;
  }
  Result list = make(Kind::List, "", {&first});
  while (take(",") && !is(")"))
    add(*list, parseExpression());
  require(")");
  return list;
}

ExpressionParser::Result ExpressionParser::parseList(std::string_view close) {
  Result list = make(Kind::List, "");
  while (!take(close)) {
    add(*list, parseExpression());
    if (!is(close))
      require(",");
  }
  return list;
}

ExpressionParser::Result ExpressionParser::parseDict() {
  Result dict = make(Kind::Dict, "");
  while (!take("}")) {
    add(*dict, parseExpression());
    require(":");
    add(*dict, parseExpression());
    if (!is("}"))
      require(",");
  }
  return dict;
}

void ExpressionParser::parseArguments(Expression &to) {
  while (!take(")")) {
    if (token().kind == Token::Kind::Name && tag->tokens[at + 1].kind == Token::Kind::Operator &&
        tag->tokens[at + 1].text == "=") {
      std::string key = name();
      require("=");
      Result value = parseExpression();
      grow(to, value.get());
      to.named.emplace_back(std::move(key), std::move(value));
    } else {
      add(to, parseExpression());
    }
    if (!is(")"))
      require(",");
  }
}

ExpressionParser::Result ExpressionParser::parsePostfix(Result value) {
  for (;;) {
    if (take(".")) {
      if (token().kind == Token::Kind::Integer) {
        Result index = parsePrimary();
        value = make(Kind::Index, "", {&value, &index});
      } else {
        std::string which = name();
        value = make(Kind::Attribute, std::move(which), {&value});
      }
    } else if (take("[")) {
      value = parseSubscript(std::move(value));
    } else if (take("(")) {
      value = make(Kind::Call, "", {&value});
      parseArguments(*value);
    } else {
      return value;
    }
  }
}

ExpressionParser::Result ExpressionParser::parseSubscript(Result value) {
  Result parts[3];
  bool slice = false;
  for (int part = 0; part < 3; ++part) {
    if (!is(":") && !is("]"))
      parts[part] = parseExpression();
    if (part == 2 || !take(":"))
      break;
    slice = true;
  }
  require("]");
  if (slice)
    return make(Kind::Slice, "", {&value, &parts[0], &parts[1], &parts[2]});
  if (!parts[0])
    expected("an index before ']'");
  return make(Kind::Index, "", {&value, &parts[0]});
}

ExpressionParser::Result ExpressionParser::parseFilters(Result value) {
  for (;;) {
    if (take("|")) {
      std::string filter = name();
      while (take("."))
        filter += "." + name();
      value = make(Kind::Filter, std::move(filter), {&value});
      if (take("("))
        parseArguments(*value);
    } else if (take("is")) {
      const bool negated = take("not");
      std::string test = name();
      value = make(Kind::Test, std::move(test), {&value});
      if (take("("))
        parseArguments(*value);
      else if (startsArgument())
        add(*value, parsePostfix(parsePrimary()));
      if (negated)
        value = make(Kind::Unary, "not", {&value});
    } else if (is("(")) {
      value = parsePostfix(std::move(value));
    } else {
      return value;
    }
  }
}

/// Whether a test has an argument without parentheses: `is divisibleby 3`.
bool ExpressionParser::startsArgument() const {
  const Token &next = token();
  if (next.kind == Token::Kind::Operator)
    return next.text == "[" || next.text == "{";
  if (next.kind != Token::Kind::Name)
    return next.kind != Token::Kind::End;
  for (const char *word : {"else", "or", "and", "is", "if", "not", "in"})
    if (next.text == word)
      return false;
  return true;
}

} // namespace ttrt::language::chat
