// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Printing.h"
#include "Formats/Json.h"

#include <gtest/gtest.h>

using namespace ttrun;

TEST(Printing, Utf8) {
  EXPECT_EQ(utf8Length(""), 0u);
  EXPECT_EQ(utf8Length("a"), 1u);
  EXPECT_EQ(utf8Length("\xc3\xbc"), 2u);
  EXPECT_EQ(utf8Length("\xe2\x86\x92"), 3u);
  EXPECT_EQ(utf8Length("\xf0\x9f\x98\x80"), 4u);
  for (const char *bad :
       {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\xaf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x86"})
    EXPECT_EQ(utf8Length(bad), 0u) << bad;
}

TEST(Printing, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\n\x7f"), "a\\x1b[2Jb\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("a\n\x1b", true), "a\n\\x1b");
  // Marks and overrides of direction, and separators of lines and paragraphs.
  for (const char *hidden : {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8",
                             "\xe2\x80\xa9", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"})
    EXPECT_EQ(printable(hidden).find(hidden), std::string::npos);
  for (const char *shown : {"\xe2\x80\x8d", "\xe2\x80\xa6", "\xe2\x81\xaa", "\xd8\x9d"})
    EXPECT_EQ(printable(shown), shown);
}

TEST(Printing, FieldsOfCsv) {
  EXPECT_EQ(csvField("a b"), "a b");
  EXPECT_EQ(csvField("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csvField("=1+1"), "\"'=1+1\"");
  for (const char *formula : {"+a", "-a", "@a", "\ta"})
    EXPECT_EQ(csvField(formula), "\"'" + std::string(formula) + "\"");
  EXPECT_EQ(csvField(""), "");
}

TEST(Printing, ShortensInTheMiddle) {
  EXPECT_EQ(shorten("0123456789", 10), "0123456789");
  EXPECT_EQ(shorten("0123456789a", 10), "0123...89a");
  EXPECT_EQ(shorten("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 6),
            "\xc3\xbc\xc3\xbc...\xc3\xbc");
}

static std::vector<std::string> printed(const std::string &line) {
  testing::internal::CaptureStdout();
  printLine(line);
  std::string text = testing::internal::GetCapturedStdout();
  std::vector<std::string> lines;
  for (size_t at; (at = text.find('\n')) != std::string::npos; text.erase(0, at + 1))
    lines.push_back(text.substr(0, at));
  EXPECT_EQ(text, "") << "the last line ends";
  return lines;
}

TEST(Printing, LongLinesGoOnBelow) {
  EXPECT_EQ(printed("  short  one "), std::vector<std::string>{"  short  one"});
  EXPECT_EQ(printed(""), std::vector<std::string>{""});
  std::string words = "  ";
  for (int i = 0; i < 60; ++i)
    words += "word" + std::to_string(i) + " ";
  const auto lines = printed(words);
  ASSERT_EQ(lines.size(), 5u);
  for (const std::string &line : lines)
    EXPECT_LE(line.size(), kColumns);
  EXPECT_EQ(lines[1].substr(0, 10), "      word");
  // A word that fits no line loses its middle, and nothing else.
  const auto wide = printed("    name " + std::string(300, 'x') + "end tail");
  ASSERT_EQ(wide.size(), 3u);
  EXPECT_EQ(wide[0], "    name");
  EXPECT_EQ(wide[1].size(), kColumns);
  EXPECT_EQ(wide[1].substr(wide[1].size() - 5), "xxend");
  EXPECT_EQ(wide[2], "        tail");
}

TEST(Printing, JsonIsAlwaysValid) {
  Json json;
  json.beginObject().field("a\"b\\c\n", "\xff<\x01>\x7f").field("n", 1.0 / 0.0).endObject();
  EXPECT_EQ(json.take(),
            "{\n  \"a\\\"b\\\\c\\u000a\": \"\\ufffd<\\u0001>\\u007f\",\n  \"n\": null\n}\n");
}
