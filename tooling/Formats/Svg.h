// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_SVG_H
#define TTC_TOOLING_FORMATS_SVG_H

#include <fmt/core.h>
#include <string>
#include <string_view>

namespace ttrun {

/// Writes a picture of lanes from left to right as SVG. Coordinates are integers, or doubles, which
/// have one decimal. `more` are further attributes: ` stroke="#fff"`.
class Svg {
public:
  struct Coordinate {
    Coordinate(int value) : text(fmt::format("{}", value)) {}
    Coordinate(double value) : text(fmt::format("{:.1f}", value)) {}
    std::string text;
  };
  /// Attributes of notes: small and grey.
  static constexpr std::string_view kNote = " fill=\"#666\" font-size=\"10\"";
  static constexpr std::string_view kCentredNote =
      " fill=\"#666\" font-size=\"10\" text-anchor=\"middle\"";

  Svg(int width, int height, const std::string &title);

  void box(const Coordinate &x, const Coordinate &y, const Coordinate &width,
           const Coordinate &height, std::string_view fill, const std::string &title = "",
           std::string_view more = "");
  void text(const Coordinate &x, const Coordinate &y, const std::string &content,
            std::string_view more = "");
  void line(const Coordinate &x1, const Coordinate &x2, const Coordinate &y1, const Coordinate &y2,
            std::string_view stroke);
  /// The name of a box from x on, if it has room there.
  void label(double x, double width, const Coordinate &y, const std::string &name);
  /// An entry of a legend.
  void key(int x, int y, std::string_view fill, const std::string &name);
  /// Ticks of microseconds from `left` on, about eight of them.
  void timeAxis(int left, double width, double us, int top, int bottom);
  void raw(std::string_view piece) { out += piece; }

  std::string take() { return std::move(out) + "</svg>\n"; }

  /// Text without markup or control characters.
  static std::string escaped(const std::string &text);

private:
  std::string out;
};

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_SVG_H
