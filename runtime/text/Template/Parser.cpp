// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/ExpressionParser.h"

#include "text/Utf8.h"

#include <fmt/format.h>

namespace ttrt::language::chat {

namespace {
class Parser : ExpressionParser {
public:
  explicit Parser(std::string_view source) : segments(lex(source)) {}

  Body run() { return parseBody({}, nullptr); }

private:
  /// Reads up to one of the statements `ends`, which is left as the current tag, after its name.
  Body parseBody(std::initializer_list<const char *> ends, const Segment *of) {
    const Level deeper(*this);
    Body body;
    for (; next < segments.size();) {
      const Segment &segment = segments[next++];
      auto made = std::make_unique<Statement>();
      made->line = segment.line;
      if (segment.kind == Segment::Kind::Text) {
        made->kind = Statement::Kind::Text;
        made->text = segment.text;
        body.push_back(std::move(made));
        continue;
      }
      tag = &segment;
      at = 0;
      if (segment.kind == Segment::Kind::Output) {
        made->kind = Statement::Kind::Output;
        made->expressions.push_back(parseTuple());
        endTag();
        body.push_back(std::move(made));
        continue;
      }
      const std::string word = name();
      for (const char *end : ends)
        if (word == end) {
          ended = word;
          return body;
        }
      parseStatement(word, *made);
      body.push_back(std::move(made));
    }
    if (ends.size())
      failAt(of->line,
             fmt::format("expected a statement '{}' that ends this one", *(ends.end() - 1)));
    return body;
  }

  void parseStatement(const std::string &word, Statement &made) {
    const Segment *begin = tag;
    if (word == "if")
      return parseIf(made, begin);
    if (word == "for")
      return parseFor(made, begin);
    if (word == "set")
      return parseSet(made, begin);
    if (word == "macro")
      return parseMacro(made, begin);
    if (word == "generation") { // marks what a model has said
      made.kind = Statement::Kind::Block;
      endTag();
      made.bodies.push_back(parseBody({"endgeneration"}, begin));
      return endTag();
    }
    if (word == "break" || word == "continue") {
      made.kind = word == "break" ? Statement::Kind::Break : Statement::Kind::Continue;
      if (!loops)
        failAt(begin->line, fmt::format("'{}' outside of a loop", word));
      return endTag();
    }
    failAt(begin->line,
           fmt::format("expected a statement that chat templates have (if, for, set, macro, break, "
                       "continue, generation), found '{}'",
                       printable(word)));
  }

  void parseIf(Statement &made, const Segment *begin) {
    made.kind = Statement::Kind::If;
    ended = "elif";
    while (ended == "elif") {
      made.expressions.push_back(parseTuple());
      endTag();
      made.bodies.push_back(parseBody({"elif", "else", "endif"}, begin));
    }
    if (ended == "else") {
      endTag();
      made.bodies.push_back(parseBody({"endif"}, begin));
    }
    endTag();
  }

  void parseFor(Statement &made, const Segment *begin) {
    made.kind = Statement::Kind::For;
    parseTargets(made);
    require("in");
    made.expressions.push_back(parseOr());
    if (take("if"))
      made.expressions.push_back(parseExpression());
    else
      made.expressions.push_back(nullptr);
    if (is("recursive"))
      failAt(begin->line, "recursive loops are not supported");
    endTag();
    ++loops;
    made.bodies.push_back(parseBody({"else", "endfor"}, begin));
    --loops;
    if (ended == "else") {
      endTag();
      made.bodies.push_back(parseBody({"endfor"}, begin));
    }
    endTag();
  }

  void parseTargets(Statement &made) {
    const bool parenthesis = take("(");
    do
      made.names.push_back(name());
    while (take(","));
    if (parenthesis)
      require(")");
  }

  void parseSet(Statement &made, const Segment *begin) {
    made.kind = Statement::Kind::Set;
    parseTargets(made);
    if (made.names.size() == 1 && take("."))
      made.attribute = name();
    if (take("=")) {
      made.expressions.push_back(parseTuple());
      return endTag();
    }
    if (made.names.size() > 1 || !made.attribute.empty() || is("|"))
      expected("'='");
    endTag();
    made.kind = Statement::Kind::SetBlock;
    made.bodies.push_back(parseBody({"endset"}, begin));
    endTag();
  }

  void parseMacro(Statement &made, const Segment *begin) {
    made.kind = Statement::Kind::Macro;
    made.names.push_back(name());
    require("(");
    while (!take(")")) {
      made.names.push_back(name());
      made.expressions.push_back(take("=") ? parseExpression() : nullptr);
      if (!is(")"))
        require(",");
    }
    endTag();
    const int outer = std::exchange(loops, 0);
    made.bodies.push_back(parseBody({"endmacro"}, begin));
    loops = outer;
    if (token().kind == Token::Kind::Name)
      ++at; // the macro's name may be repeated
    endTag();
  }

  const std::vector<Segment> segments;
  size_t next = 0;   ///< segment
  std::string ended; ///< the statement that ended the last body
  int loops = 0;
};
} // namespace

Body parse(std::string_view source) { return Parser(source).run(); }

} // namespace ttrt::language::chat
