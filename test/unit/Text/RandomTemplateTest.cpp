// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random templates of the whole grammar: each ends with a text or a Failure, within its budget.
// TTRT_TEST_TEMPLATES=N renders N of them.

#include "test/unit/Support/Rounds.h"
#include "test/unit/Text/Templates.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

using namespace ttrt::language;
using namespace ttrt::test;

namespace {

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}

  std::string body(int depth) {
    std::string text;
    for (int i = below(3); i >= 0; --i)
      text += statement(depth);
    return text;
  }

  std::string whole() {
    return "{% set ns = namespace(x=1, a=s, l=[]) %}{% macro f(x) %}<{{ x }}>{% endmacro %}" +
           body(3);
  }

  /// An object of JSON, whose fields are the names that the template has.
  std::string names() {
    std::string messages;
    for (int i = below(4); i > 0; --i)
      messages += (messages.empty() ? "" : ", ") +
                  (isRare() ? json(3)
                            : R"({"role": "user", "content": )" + string('"') + R"(, "a": )" +
                                  json(2) + "}");
    return R"({"messages": [)" + messages + R"(], "s": )" + string('"') + R"(, "d": {"a": )" +
           json(2) + R"(, "b": 2}, "l": [1, "a", )" + json(2) + R"(], "n": )" +
           one({"0", "-3", "1e3", "7"}) + "}";
  }

private:
  int below(int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); }
  bool isRare() { return below(20) == 0; }
  std::string one(std::initializer_list<const char *> of) {
    return *(of.begin() + below(static_cast<int>(of.size())));
  }
  std::string name() {
    return one({"messages", "m", "s", "d", "l", "n", "x", "y", "ns", "loop", "f", "g", "u"});
  }
  std::string field() {
    return one({"a", "b", "role", "content", "index", "length", "x", "items"});
  }

  std::string string(char quote) {
    std::string text(1, quote);
    for (int i = isRare() ? below(2000) : below(6); i > 0; --i)
      text += one({"a", "b", " ", ",", ".", "0", "7", "\\n", "\\t", "\\\\", "\xc3\xa4",
                   "\U0001f642", "{", "}", "%", "<", "A", "Z"});
    return text + quote;
  }

  std::string json(int depth) {
    const int kind = below(depth > 0 ? 8 : 5);
    if (kind < 2)
      return string('"');
    if (kind < 5)
      return one({"0", "1", "-1", "2.5", "true", "false", "null", "9223372036854775807", "1e300"});
    std::string text;
    for (int i = below(4); i > 0; --i)
      text += (text.empty() ? "" : ", ") + (kind < 7 ? "\"" + field() + "\": " : std::string()) +
              json(depth - 1);
    return kind < 7 ? "{" + text + "}" : "[" + text + "]";
  }

  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  std::string tag(const std::string &text) {
    return "{%" + one({" ", "- ", "+ "}) + text + one({" ", " -", " +"}) + "%}";
  }

  std::string statement(int depth) {
    const int kind = below(depth > 0 ? 12 : 4);
    if (kind == 0)
      return one({"text ", "\n", "  ", "{# comment #}", "\xc3\xa4", "}}", "<|end|>"});
    if (kind < 3)
      return "{{ " + any(2) + " }}";
    if (kind == 3)
      return below(2)   ? tag("set " + one({"x", "y", "ns.x", "ns.a", "u"}) + " = " + any(2))
             : below(2) ? tag("set s = " + text(3))
             : below(4) ? tag("set ns.l = ns.l + " + list(1))
                        : tag("set x, y = " + any(1) + ", " + any(1));
    const std::string inner = body(depth - 1);
    if (kind < 6)
      return tag("if " + flag(2)) + inner +
             (below(2) ? "" : tag("elif " + flag(1)) + body(depth - 1)) +
             (below(2) ? "" : tag("else") + body(depth - 1)) + tag("endif");
    if (kind < 9)
      return tag("for " +
                 (below(4) ? one({"m", "x"}) + " in " + list(2)
                           : one({"m, x", "(x, y)"}) + " in d.items()") +
                 (below(4) ? "" : " if " + flag(1))) +
             inner +
             (below(4) ? ""
                       : tag("if " + flag(1)) + tag(one({"break", "continue"})) + tag("endif")) +
             (below(4) ? "" : tag("else") + body(depth - 1)) + tag("endfor");
    if (kind == 9)
      return tag("macro " + one({"f(x, y=1)", "f(m)", "f(x='a')", "f()"})) + inner +
             tag("endmacro");
    if (kind == 10)
      return tag("set " + one({"x", "s"})) + inner + tag("endset");
    return tag("generation") + inner + tag("endgeneration");
  }

  //===--------------------------------------------------------------------===//
  // Expressions, mostly of the types that operations take
  //===--------------------------------------------------------------------===//

  std::string any(int depth) {
    if (below(50) == 0)
      return expression(depth);
    switch (below(7)) {
    case 0:
      return name();
    case 1:
      return list(depth);
    case 2:
      return flag(depth);
    case 3:
      return number(depth);
    case 4:
      return one({"d", "loop", "none", "m.role", "d.a", "{'a': 1}", "d['b']", "dict(a=s)"});
    default:
      return text(depth);
    }
  }

  std::string text(int depth) {
    if (depth <= 0)
      return below(2) ? string('\'') : one({"s", "(x | string)", "''", "'a'", "' '"});
    const std::string inner = text(depth - 1);
    switch (below(10)) {
    case 0:
      return "(" + inner + one({" ~ ", " + "}) + text(depth - 1) + ")";
    case 1:
      return "(" + any(depth - 1) + " ~ " + inner + ")";
    case 2:
      return "(" + inner + " | " +
             one({"trim", "upper", "lower", "capitalize", "title", "replace('a', 'bb')", "string",
                  "safe", "indent", "indent(1, true)", "reverse", "tojson", "default('a')",
                  "trim('ab')"}) +
             ")";
    case 3:
      return inner + one({".strip()", ".lstrip('a ')", ".rstrip(s)", ".upper()", ".title()",
                          ".replace('a', s)", ".replace(' ', '', 1)", ".capitalize()"});
    case 4:
      return inner + "[" + number(0) +
             one({":]", "::2]", "::-1]",
                  ":"
                  "5]",
                  ":-1]"});
    case 5:
      return "(" + list(depth - 1) + " | join(" + text(0) + "))";
    case 6:
      return "(" + inner + " * " + one({"0", "2", "3", "50"}) + ")";
    case 7:
      return "(" + inner + " if " + flag(depth - 1) + " else " + text(depth - 1) + ")";
    case 8:
      return "(" + list(depth - 1) + " | tojson)";
    default:
      return "f(" + (below(2) ? any(depth - 1) : "") + ")";
    }
  }

  std::string number(int depth) {
    if (depth <= 0)
      return one({"0", "1", "2", "-1", "10", "1.5", "n", "9223372036854775807", "true"});
    switch (below(7)) {
    case 0:
      return "(" + number(depth - 1) + one({" + ", " - ", " * "}) + number(depth - 1) + ")";
    case 1:
      return "(" + number(depth - 1) + one({" / 2", " // 3", " % 7", " // -2"}) + ")";
    case 2:
      return "(" + text(depth - 1) + one({" | length", " | int", " | float", " | count"}) + ")";
    case 3:
      return "(" + list(depth - 1) + " | length)";
    case 4:
      return text(depth - 1) + one({".find('a')", ".rfind(s)", ".find('\xc3\xa4')"});
    case 5:
      return "(-" + number(depth - 1) + ")";
    default:
      return "(" + number(depth - 1) + one({" | abs", " | int", " | float"}) + ")";
    }
  }

  std::string list(int depth) {
    if (depth <= 0)
      return one({"l", "messages", "range(3)", "range(40)", "[]", "ns.l", "d.keys()", "[s, n]"});
    const std::string inner = list(depth - 1);
    switch (below(8)) {
    case 0:
      return "[" + any(depth - 1) + ", " + any(depth - 1) + "]";
    case 1:
      return text(depth - 1) + one({".split()", ".split('a')", ".split(' ', 2)", ".splitlines()",
                                    ".rsplit('b')", ".split('\\n')"});
    case 2:
      return "(" + inner + " + " + list(depth - 1) + ")";
    case 3:
      return inner + one({"[1:]", "[:2]", "[::-1]", "[-2:]", "[::2]"});
    case 4:
      return "(" + inner + " | " +
             one({"reverse", "unique", "list", "map('string')", "map('default', 1)",
                  "select('defined')", "reject('in', l)", "select('string')", "select",
                  "map('string') | map('upper')", "map('string') | map('list')",
                  "select('mapping') | map(attribute='role')",
                  "select('mapping') | selectattr('role')",
                  "select('mapping') | rejectattr('content', 'eq', s)", "select('eq', x)"}) +
             ")";
    case 5:
      return one({"(d | items)", "d.items()", "d.values()", "(d | list)"});
    case 6:
      return "(" + text(depth - 1) + " | list)";
    default:
      return "(" + inner + " or " + list(depth - 1) + ")";
    }
  }

  std::string flag(int depth) {
    if (depth <= 0)
      return one({"true", "false", "x", "loop.first", "loop", "s", "l"});
    switch (below(8)) {
    case 0:
      return "(" + any(depth - 1) + one({" == ", " != "}) + any(depth - 1) + ")";
    case 1:
      return "(" + text(depth - 1) + one({" in ", " not in ", " < ", " >= "}) + text(depth - 1) +
             ")";
    case 2:
      return "(" + any(depth - 1) + " in " + list(depth - 1) + ")";
    case 3:
      return "(" + number(depth - 1) + one({" < ", " > ", " == ", " <= "}) + number(depth - 1) +
             ")";
    case 4:
      return "(not " + flag(depth - 1) + ")";
    case 5:
      return "(" + flag(depth - 1) + one({" and ", " or "}) + flag(depth - 1) + ")";
    case 6:
      return text(depth - 1) + one({".startswith('a')", ".endswith(s)", ".startswith(['a', s])"});
    default:
      return "(" + any(depth - 1) + " is " + one({"", "not "}) + test() + ")";
    }
  }

  //===--------------------------------------------------------------------===//
  // Expressions of any types
  //===--------------------------------------------------------------------===//

  std::string arguments(int depth) {
    std::string text = "(";
    for (int i = below(3); i > 0; --i)
      text += (text == "(" ? "" : ", ") + (isRare() ? field() + "=" : std::string()) +
              expression(depth - 1);
    return text + ")";
  }

  std::string literal() {
    switch (below(6)) {
    case 0:
      return string('\'');
    case 1:
      return one({"0", "1", "2", "-1", "100", "1.5", "1e9", "9223372036854775807"});
    case 2:
      return one({"true", "false", "none", "''", "'a'", "'\\n'", "[]", "{}"});
    default:
      return name();
    }
  }

  std::string expression(int depth) {
    if (depth <= 0)
      return literal();
    const std::string inner = expression(depth - 1);
    switch (below(14)) {
    case 0:
      return "(" + inner + ")" + one({" + ", " - ", " * ", " / ", " // ", " % ", " ~ "}) +
             expression(depth - 1);
    case 1:
      return "(" + inner + one({" == ", " != ", " < ", " >= ", " in ", " not in "}) +
             expression(depth - 1) + ")";
    case 2:
      return "(" + inner + one({" and ", " or "}) + expression(depth - 1) + ")";
    case 3:
      return one({"not ", "-", "+"}) + inner;
    case 4:
      return "(" + inner + " if " + expression(depth - 1) +
             (below(3) ? " else " + expression(depth - 1) : "") + ")";
    case 5:
      return "[" + inner + ", " + expression(depth - 1) + "]";
    case 6:
      return "{'a': " + inner + ", " + string('\'') + ": " + expression(depth - 1) + "}";
    case 7:
      return name() + "." + field();
    case 8:
      return "(" + inner + ")[" +
             (below(2) ? expression(depth - 1)
                       : one({"0", "-1", "1:", ":2", ":-1", "::2", "::-1", "1:5:2", "-3:"})) +
             "]";
    case 9:
    case 10:
      return "(" + inner + ") | " + filter(depth);
    case 11:
      return "(" + inner + ") is " + one({"", "not "}) +
             (below(2) ? test() : one({"odd", "even", "divisibleby 2"}));
    case 12:
      return "(" + inner + ")." +
             one({"strip",      "lstrip",   "rstrip", "upper", "lower",  "capitalize", "title",
                  "startswith", "endswith", "find",   "rfind", "split",  "rsplit",     "splitlines",
                  "replace",    "join",     "items",  "keys",  "values", "get"}) +
             arguments(depth);
    default:
      return one({"f", "g", "range", "dict", "namespace", "strftime_now", "x", "d.get"}) +
             arguments(depth);
    }
  }

  std::string filter(int depth) {
    const std::string word =
        one({"trim",   "upper",  "lower", "capitalize", "title",   "replace",    "length",
             "count",  "first",  "last",  "join",       "default", "string",     "safe",
             "list",   "items",  "int",   "float",      "abs",     "reverse",    "unique",
             "indent", "tojson", "map",   "select",     "reject",  "selectattr", "rejectattr"});
    if (word == "map" || word == "select" || word == "reject")
      return word + one({"('string')", "('upper')", "('defined')", "('eq', 1)", "('in', l)",
                         "(attribute='a')", "('map', 'string')", "('length')", "()"});
    if (word == "selectattr" || word == "rejectattr")
      return word + one({"('a')", "('role', 'eq', 'a')", "('a.b', 'defined')", "('content')"});
    return below(2) ? word : word + arguments(depth);
  }

  std::string test() {
    return one({"defined", "undefined", "none",     "string",   "boolean",       "integer",
                "float",   "number",    "mapping",  "sequence", "iterable",      "callable",
                "true",    "false",     "odd",      "even",     "divisibleby 2", "in l",
                "eq(1)",   "ne 'a'",    "sameas(x)"});
  }

  std::mt19937_64 random;
};

TEST(RandomTemplates, EndWithinTheirBudget) {
  const char *wanted = getenv("TTRT_TEST_TEMPLATES");
  const int count = wanted ? atoi(wanted) : rounds(20'000);
  // Small, so that many templates exceed it.
  constexpr uint64_t kSteps = 5000, kBytes = 100'000;
  int good = 0, tooMany = 0;
  for (int i = 0; i < count; ++i) {
    Generator generator(static_cast<uint64_t>(i));
    const std::string names = generator.names(), source = generator.whole();
    chat::Budget budget(kSteps, kBytes);
    const Rendered result = renderWith(source, names, budget);
    good += result.isGood;
    if (!result.isGood) {
      tooMany += result.text.find("expected at most 5000 steps") != std::string::npos ||
                 result.text.find("bytes in total") != std::string::npos;
      ASSERT_TRUE(result.text.starts_with("line ")) << i << ": " << result.text << "\n" << source;
      continue;
    }
    ASSERT_LE(budget.steps(), kSteps) << i << ": " << source;
    ASSERT_LE(budget.bytes(), kBytes) << i << ": " << source;
    ASSERT_LE(result.text.size(), kBytes) << i << ": " << source;
  }
  printf("%d templates: %d made text, %d exceeded the budget\n", count, good, tooMany);
  if (count >= 1000) { // templates of all kinds
    EXPECT_GT(good, count / 20);
    EXPECT_GT(tooMany, count / 1000);
  }
}

} // namespace
