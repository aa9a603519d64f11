// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hostile chat templates: each ends early, with a Failure, and within the stack of a small thread.
// What templates make of messages is compared with Jinja in test/ttrun/test_chat_template.py.

#include "test/unit/Support/Rounds.h"
#include "test/unit/Text/Templates.h"

#include <array>
#include <gtest/gtest.h>
#include <pthread.h>

using namespace ttrt::language;
using namespace ttrt::test;

namespace {

// Steps take longer with sanitizers.
constexpr int kSteps = kIsSanitized ? 100'000 : int(chat::Budget::kMostSteps);

std::string times(int count, const std::string &text) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += text;
  return result;
}

/// Runs in a thread with the stack of a small one.
template <typename Run> void onSmallStack(Run run) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, size_t(2) << 20), 0);
  auto start = [](void *argument) -> void * {
    (*static_cast<Run *>(argument))();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &run), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

/// What a template makes, or the message of its Failure.
std::string render(const std::string &source) {
  chat::Budget budget(kSteps);
  return renderWith(source, R"({"x": "a", "t": true})", budget).text;
}

void expectRefused(const std::string &source, const std::string &words) {
  const std::string message = render(source);
  EXPECT_NE(message.find(words), std::string::npos) << message.substr(0, 300) << "\n"
                                                    << source.substr(0, 300);
}

void expectTooManySteps(const std::string &source) {
  expectRefused(source, "expected at most " + std::to_string(kSteps) + " steps");
}

//===----------------------------------------------------------------------===//
// Steps and bytes
//===----------------------------------------------------------------------===//

/// 60 lists of two, which share all: 2^60 elements.
const std::string kShared = "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}"
                            "{% set ns.x = [ns.x, ns.x] %}{% endfor %}{% set x = ns.x %}";

class Shared : public testing::TestWithParam<const char *> {};

TEST_P(Shared, ElementsAreVisitedOnceForEachStep) {
  expectRefused(kShared + GetParam(), "at most"); // a number of steps, or 64 MiB
}

INSTANTIATE_TEST_SUITE_P(
    Template, Shared,
    testing::Values("{{ x == x }}", "{{ x != x }}", "{{ x in [x] }}", "{{ x not in [x] }}",
                    "{{ [x, x] | unique }}", "{{ x is eq(x) }}", "{{ x is ne x }}",
                    "{{ x is in([x]) }}", "{{ [x] | select('eq', x) }}",
                    "{{ [{'a': x}] | rejectattr('a', 'sameas', x) }}", "{{ {'a': x} == {'a': x} }}",
                    "{{ x }}", "{{ x ~ 1 }}", "{{ x | tojson }}", "{{ x | tojson(indent=2) }}",
                    "{{ x | join }}", "{{ [x] | join(',') }}", "{{ x | string }}",
                    "{{ x | upper }}", "{{ {x | string: 1} }}", "{% set a %}{{ x }}{% endset %}"));

/// Texts of which a budget pays for about 200 copies.
const std::string kLong = "{% set s = 'ab\\n' * " + std::to_string(kSteps / 10) +
                          " %}{% set b = 'a' * " + std::to_string(kSteps / 2) +
                          " %}{% set l = range(2000) %}";

class Repeated : public testing::TestWithParam<const char *> {};

TEST_P(Repeated, OperationsPayEachTime) {
  const std::string source =
      kLong + "{% for i in range(99999) %}{% set y = " + GetParam() + " %}{% endfor %}";
  const std::string message = render(source);
  EXPECT_TRUE(message.find(" steps, found more") != std::string::npos ||
              message.find(" bytes in total, found ") != std::string::npos)
      << message.substr(0, 300) << "\n"
      << source;
}

INSTANTIATE_TEST_SUITE_P(
    Template, Repeated,
    testing::Values("s.split('z')", "s.split('b')", "s.split()", "s.rsplit('a')", "s.splitlines()",
                    "b.strip('a')", "s.strip(s)", "s.strip(b)", "s | trim(s)", "b.lstrip('a')",
                    "b.rstrip('a')", "b.find(b[9:] ~ 'c')", "b.rfind('c' ~ b[9:])",
                    "(b[9:] ~ 'c') in b", "s.find('c')", "b.replace(b[9:] ~ 'c', '')",
                    "b.split(b[99999:] ~ 'c')", "s.replace('a', 'b')", "s | replace('c', 'b')",
                    "s[99999]", "s[-99999]", "s[::2]", "s[::-1]", "s[-5:]", "s[:99999]",
                    "s | length", "s | reverse", "s | indent", "s | indent(9, true)", "s | list",
                    "s | upper", "s.lower()", "s | title", "s.capitalize()", "s | tojson",
                    "[s] | string", "[s, s] | join", "','.join(s)", "s ~ s", "s + s", "s * 2",
                    "s < s", "s == s ~ ''", "s in [s ~ '']", "s.startswith(s)",
                    "s.endswith([s, s])", "s | int", "s | float", "{s: 1}[s]", "{s: 1} == {s: 1}",
                    "dict(a=s) | tojson", "l | unique", "l + l", "l == l", "9999 in l", "l | list",
                    "l | map('string')", "[l] | map('map', 'string')", "l | select('odd')",
                    "l | reject('in', l)", "l[::2]", "l | reverse", "l | join", "range(99999)",
                    "l | tojson", "s | map('upper')", "(' ' * 9999).strip()"));

TEST(Template, NamesAndFieldsPay) {
  std::string fields, parameters;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "n" + std::to_string(i);
    fields += name + "=1, ";
    parameters += name + ", ";
  }
  expectTooManySteps("{{ dict(" + fields + ") }}");
  expectTooManySteps("{% macro f(" + parameters + ") %}{% endmacro %}{{ f(" + fields + ") }}");
  const std::string loop = "{% for i in range(99999) %}", end = "{% endfor %}";
  const std::string name(100'000, 'n');
  expectTooManySteps("{% set " + name + "1 = 1 %}" + loop + "{{ " + name + "2 }}" + end);
  expectTooManySteps("{% set d = {} %}" + loop + "{{ d." + name + " }}" + end);
  // All but the last one are of the same length.
  const std::string keys = "{% set k = 'k' * 100000 %}{% set d = {k ~ 1: 1, k ~ 2: 2, k ~ 3: 3} %}";
  expectTooManySteps(keys + loop + "{{ d[k ~ 4] }}" + end);
}

TEST(Template, ValuesHaveALimitInTotal) {
  std::string source;
  for (int i = 0; i < 190; ++i)
    source += "{% set a" + std::to_string(i) + " = 'a' * 60000000 %}";
  expectTooManySteps(source);
  for (const char *made : {"'a' * 100000", "('a' * 1000) | list", "range(9999)", "{'a': i}",
                           "x.strip", "dict(a=1)", "namespace()", "undefined", "'a b c'.split()"}) {
    chat::Budget budget(chat::Budget::kMostSteps, 1'000'000);
    const Rendered result =
        renderWith("{% for i in range(9999) %}{% set y = " + std::string(made) + " %}{% endfor %}",
                   R"({"x": ""})", budget);
    EXPECT_NE(result.text.find("values of at most 1000000 bytes in total, found 10"),
              std::string::npos)
        << made << result.text;
  }
}

TEST(Template, CountsDownToTheSmallestInteger) {
  const std::string least = "(-9223372036854775807 - 1)";
  EXPECT_EQ(render("{{ 'a b'.split(None, " + least + ") }}"), "['a', 'b']");
  EXPECT_EQ(render("{{ 'a b'.split(' ', " + least + ") }}"), "['a', 'b']");
  EXPECT_EQ(render("{{ 'aa'.replace('a', 'b', " + least + ") }}"), "bb");
  EXPECT_EQ(render("{{ 'abc'[::" + least + "] }}{{ [1, 2][::" + least + "] }}"), "c[2]");
  EXPECT_EQ(render("{{ 'abc'[" + least + ":] }}{{ 'abc'[" + least + "] is defined }}"), "abcFalse");
  EXPECT_EQ(render("{{ 'a' * " + least + " }}"), "");
}

TEST(Template, CutsCharacters) {
  const std::string set = "{% set s = 'a\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82\xff\x82z' %}";
  const std::pair<const char *, const char *> cases[] = {
      {"s | length", "7"},
      {"s[1]", "\xc3\xa4"},
      {"s[-2]", "\x82"},
      {"s[-4]", "\xf0\x9f\x99\x82"},
      {"s[7] is defined", "False"},
      {"s[-8] is defined", "False"},
      {"s[:2]", "a\xc3\xa4"},
      {"s[2:4]", "\xe2\x82\xac\xf0\x9f\x99\x82"},
      {"s[4:99]", "\xff\x82z"},
      {"s[9:99]", ""},
      {"s[3:1]", ""},
      {"s[-3:]", "\xff\x82z"},
      {"s[:-4]", "a\xc3\xa4\xe2\x82\xac"},
      {"s[::3]", "a\xf0\x9f\x99\x82z"},
      {"s[5:0:-2]", "\x82\xf0\x9f\x99\x82\xc3\xa4"},
      {"s | reverse", "z\x82\xff\xf0\x9f\x99\x82\xe2\x82\xac\xc3\xa4"
                      "a"},
      {"s | last", "z"},
      {"s.strip('za\xff\x82')", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82"},
      {"s.find('\xe2\x82\xac')", "2"},
      {"s.rfind('z')", "6"},
      {"'abab'.rfind('ab')", "2"},
      {"'ab'.rfind('')", "2"},
      {"'ab'.find('')", "0"},
      {"'abc'.rfind('abcd')", "-1"}};
  for (const auto &[expression, text] : cases)
    EXPECT_EQ(render(set + "{{ " + expression + " }}"), text) << expression;
}

TEST(Template, FormatsTheTime) {
  EXPECT_EQ(render("{{ strftime_now('no string of a few bytes, but one of the heap: %%') }}"),
            "no string of a few bytes, but one of the heap: %");
  expectRefused("{{ strftime_now('a' * 1001) }}", "at most 1000 bytes, found 1001");
}

//===----------------------------------------------------------------------===//
// The stack
//===----------------------------------------------------------------------===//

TEST(Template, NestsWithinASmallStack) {
  onSmallStack([] {
    const std::array<const char *, 3> cases[] = {
        {"(", "1", ")"},          {"[", "1", "]"},      {"{'a': ", "1", "}"},
        {"x[", "1", "]"},         {"x(", "1", ")"},     {"x | default(", "1", ")"},
        {"x is eq(", "1", ")"},   {"x(a=", "1", ")"},   {"1 if 1 else ", "1", ""},
        {"not ", "1", ""},        {"-", "1", ""},       {"", "x", "[0]"},
        {"", "x", ".a"},          {"", "x", "()"},      {"", "x", " | string"},
        {"", "x", " is defined"}, {"", "1", " + 1"},    {"", "1", " ~ 1"},
        {"", "1", " and 1"},      {"", "'a'", "[0:2]"}, {"", "1", " if 1"},
        {"1 if ", "1", " else 1"}};
    for (const auto &[begin, inner, end] : cases) {
      for (int count : {64, 65, 66, 99, 100, 198, 199})
        render("{{ " + times(count, begin) + inner + times(count, end) + " }}");
      expectRefused("{{ " + times(999, begin) + inner + times(999, end) + " }}",
                    "at most 200 levels");
    }
    const std::pair<std::string, std::string> blocks[] = {
        {"{% if 1 %}", "{% endif %}"},
        {"{% if 0 %}{% else %}", "{% endif %}"},
        {"{% if 0 %}{% elif 1 %}", "{% endif %}"},
        {"{% for i in [1] %}", "{% endfor %}"},
        {"{% for i in [] %}{% else %}", "{% endfor %}"},
        {"{% set x %}", "{% endset %}"},
        {"{% macro f() %}", "{% endmacro %}{{ f() }}"},
        {"{% generation %}", "{% endgeneration %}"}};
    for (const auto &[begin, end] : blocks) {
      for (int count : {40, 198, 199})
        render(times(count, begin) + "1" + times(count, end));
      expectRefused(times(999, begin) + times(999, end), "at most 200 levels");
    }
    EXPECT_EQ(render("{% if 0 %}" + times(9999, "{% elif 0 %}") + "{% else %}a{% endif %}"), "a");
  });
}

TEST(Template, RecursesWithinASmallStack) {
  onSmallStack([] {
    const std::string calls[] = {"f()",
                                 "f()" + times(8, " | string"),
                                 "['a'] | map(" + times(14, "'map', ") + "'default', f()) | list",
                                 times(7, "dict(a=") + "f()" + times(7, ")"),
                                 times(9, "[") + "f()" + times(9, "]"),
                                 times(7, "{'a': ") + "f()" + times(7, "}"),
                                 times(7, "1 ~ (") + "f()" + times(7, ")"),
                                 times(7, "(") + "f()" + times(7, " is defined)"),
                                 times(9, "not ") + "f()",
                                 times(6, "1 if (") + "f()" + times(6, ") else 1"),
                                 "'abc'[f() | length:][f() | length:]",
                                 "x.replace(f(), f())"};
    for (const std::string &call : calls)
      for (const std::string word : {"if 1", "for i in [1]", "set x", "generation"})
        for (int levels : {1, 13}) {
          const std::string end = "{% end" + word.substr(0, word.find(' ')) + " %}";
          expectRefused("{% macro f() %}" + times(levels, "{% " + word + " %}") + "{{ " + call +
                            " }}" + times(levels, end) + "{% endmacro %}{{ f() }}",
                        "levels deep");
        }
    expectRefused("{{ 'a' | map(" + times(99'999, "'map', ") + "'upper') }}", "at most");
    expectRefused("{{ 'a' | map(" + times(600, "'map', ") + "'upper') }}", "at most");
  });
}

TEST(Template, ValuesNestWithinASmallStack) {
  onSmallStack([] {
    const std::string begin = "{% set ns = namespace(x=1) %}{% for i in range(9999) %}"
                              "{% set ns.x = ",
                      end = " %}{% endfor %}";
    for (const char *deeper :
         {"[ns.x]", "{'a': ns.x}", "dict(a=ns.x)", "{'a': ns.x}.get", "[{'a': ns.x}.items]", "ns",
          "[ns.x] | list + [ns.x]", "namespace(a=ns.x)", "[ns.x, loop]"})
      expectRefused(begin + deeper + end, "at most 64 levels deep");
    // A method of a dictionary that holds another method has no end of its own.
    expectRefused("{% set d = {'a': 1} %}{% for i in range(9) %}{% set d = {'a': d.get} %}"
                  "{{ d }}{% endfor %}",
                  "found a function");
    const std::string deepest = "{% set ns = namespace(x=1) %}{% for i in range(63) %}"
                                "{% set ns.x = [{'a': ns.x}][0] %}{% endfor %}{% set x = ns.x %}";
    EXPECT_EQ(render(deepest + "{{ x == x }}{{ x in [1] }}"), "TrueFalse");
    EXPECT_EQ(render(deepest + "{{ (x | tojson | length) == (x | string | length) }}"), "True");
  });
}

} // namespace
