// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Lanes.h"

#include <gtest/gtest.h>

namespace ttrun {
namespace {

TEST(Svg, CutsNoNumber) {
  const std::string name = "gemm_1024x768";
  bool isCut = false;
  for (double room = 10; room < 120; room += 0.5) {
    const std::string shown = Svg::fitted(name, room);
    EXPECT_TRUE(shown.empty() || Svg::widthOf(shown) <= room) << shown;
    if (shown.empty() || shown == name)
      continue;
    isCut = true;
    ASSERT_TRUE(shown.ends_with("\u2026")) << shown;
    const size_t kept = shown.size() - 3;
    EXPECT_GE(kept, 4u);
    EXPECT_FALSE(isdigit(name[kept]) && isdigit(name[kept - 1])) << shown;
  }
  EXPECT_TRUE(isCut);
  EXPECT_EQ(Svg::fitted("run 0", 30), ""); // not "run..."
}

TEST(Svg, EscapesWhatXmlForbids) {
  EXPECT_EQ(Svg::escaped("<a&\"\x1b\xef\xbf\xbf\xff"), "&lt;a&amp;&quot;\\x1b\xef\xbf\xbd\\xff");
}

TEST(Svg, WritesReadableText) {
  EXPECT_EQ(Svg::inkOn("#ffffff"), "#000");
  EXPECT_EQ(Svg::inkOn(fill::kAmber), "#000");
  EXPECT_EQ(Svg::inkOn(fill::kBlue), "#fff");
}

TEST(Svg, WritesTimes) {
  EXPECT_EQ(Svg::timeText(0.5), "0.5 us");
  EXPECT_EQ(Svg::timeText(999.6), "1000 us");
  EXPECT_EQ(Svg::timeText(12345), "12.35 ms");
  EXPECT_EQ(Svg::timeText(2.5e7), "25 s");
  for (double us = 1; us < 1e13; us *= 1.001)
    EXPECT_EQ(Svg::timeText(us).find("e+"), std::string::npos) << us;
}

/// A thousand narrow boxes are one; neighbours of another kind or part are not in it.
TEST(Lanes, MergesWhatIsTooNarrow) {
  Lanes picture;
  picture.kinds = {{fill::kBlue, "op"}, {fill::kGreen, "transfer"}};
  picture.us = 2000;
  Lanes::Row row{"row", {}};
  for (int i = 0; i < 2000; ++i)
    row.boxes.push_back({double(i), double(i + 1), 0, std::to_string(i / 1000), "", i / 1000});
  row.boxes.push_back({2000, 2000.1, 1, "read", ""});
  picture.rows.push_back(row);
  const std::string svg = picture.draw();
  size_t boxes = 0;
  for (size_t at = 0; (at = svg.find("<rect", at)) != svg.npos; ++at)
    ++boxes;
  EXPECT_EQ(boxes, 1u /* background */ + 3 + 2 /* keys */) << svg;
  EXPECT_NE(svg.find("1000 times op: 0 to 0"), svg.npos) << svg;
  EXPECT_NE(svg.find(">1</text>"), svg.npos) << svg;
}

/// Steps are 1, 2 or 5, whatever the length.
TEST(Lanes, DrawsAxesOfAnyLength) {
  for (double us = 1e-3; us < 1e12; us *= 1.7) {
    Lanes picture;
    picture.us = us;
    const std::string svg = picture.draw();
    size_t ticks = 0;
    for (size_t at = 0; (at = svg.find("<line", at)) != svg.npos; ++at)
      ++ticks;
    EXPECT_GE(ticks, 3u) << us;
    EXPECT_LE(ticks, 9u) << us;
    EXPECT_EQ(svg.find("e+"), svg.npos) << us;
  }
}

} // namespace
} // namespace ttrun
