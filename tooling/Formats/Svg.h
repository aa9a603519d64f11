// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_SVG_H
#define TTC_TOOLING_FORMATS_SVG_H

#include <fmt/core.h>
#include <string>
#include <string_view>
#include <vector>

namespace ttrun {

/// What boxes are filled with. Each has another lightness, so that print in grey tells them apart.
namespace fill {
inline constexpr std::string_view kBlue = "#134885", kPurple = "#9246b9", kGreen = "#42a142",
                                  kAmber = "#efa93f", kGrey = "#dfdedd";
} // namespace fill

struct TextStyle {
  static constexpr int kSize = 11;
  std::string_view fill = "#000";
  int size = kSize;
  bool centred = false;
  double room = 0;            ///< unless 0: what has no room is cut off, and is in the title
  std::string_view more = ""; ///< further attributes
};

/// Writes a picture of lanes from left to right as SVG. Coordinates are integers, or doubles, which
/// have one decimal.
class Svg {
public:
  struct Coordinate {
    Coordinate(int value) : text(fmt::format("{}", value)) {}
    Coordinate(double value) : text(fmt::format("{:.1f}", value)) {}
    std::string text;
  };
  /// An entry of the legend.
  struct Key {
    std::string_view fill;
    std::string name;
  };
  /// Notes are small and grey.
  static constexpr TextStyle kNote = {.fill = "#666", .size = 10},
                             kCentredNote = {.fill = "#666", .size = 10, .centred = true};
  /// The room for the labels of an axis to the right of it.
  static constexpr int kRight = 40;

  Svg(int width, const std::string &title);

  /// `more` are further attributes: ` stroke="#fff"`.
  void box(const Coordinate &x, const Coordinate &y, const Coordinate &width,
           const Coordinate &height, std::string_view fill, const std::string &title = "",
           std::string_view more = "");
  void text(const Coordinate &x, const Coordinate &y, const std::string &content,
            const TextStyle &style = {});
  void line(const Coordinate &x1, const Coordinate &x2, const Coordinate &y1, const Coordinate &y2,
            std::string_view stroke);
  /// The name of a box from x on, as far as it has room there.
  void label(double x, double width, const Coordinate &y, const std::string &name,
             std::string_view fill);
  /// The legend: keys, then notes, in as many lines as they need. Returns where it ends.
  int legend(int left, int top, const std::vector<Key> &keys,
             const std::vector<std::string> &notes = {});
  /// Ticks of time from `left` on, about eight of them.
  void timeAxis(int left, double width, double us, int top, int bottom);
  /// Ticks of time to the left of a plot, from its bottom up.
  void timeScale(int left, double width, double us, int top, int bottom);
  /// Ticks of numbers below a plot.
  void numberAxis(int left, double width, double from, double to, int top, int bottom);
  /// A line of an axis with its label above.
  void tick(double x, int top, int bottom, const std::string &label);
  void beginAxis() { out += "<g class=\"axis\">\n"; }
  void endGroup() { out += "</g>\n"; }
  void raw(std::string_view piece) { out += piece; }

  /// The whole picture.
  std::string take(int height) const;

  /// Text without markup or control characters.
  static std::string escaped(const std::string &text);
  /// How wide text of a size is, in wide fonts.
  static double widthOf(std::string_view text, int size = TextStyle::kSize);
  /// The first part of a text that has room, with an ellipsis; never a part of a number. Empty if
  /// that would be less than four characters.
  static std::string fitted(const std::string &text, double room, int size = TextStyle::kSize);
  /// Black or white, whichever is easier to read on it.
  static std::string_view inkOn(std::string_view fill);
  /// "1.25 us", "12.5 ms"
  static std::string timeText(double us);

private:
  /// What is about an eighth: 1, 2 or 5 times a power of ten.
  static double stepOf(double all);
  struct Unit {
    double us;
    std::string_view name;
  };
  static Unit unitOf(double us);

  const int width;
  const std::string title;
  std::string out;
};

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_SVG_H
