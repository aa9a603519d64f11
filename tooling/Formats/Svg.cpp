// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Svg.h"

#include "Formats/Printing.h"

namespace ttrun {

std::string Svg::escaped(const std::string &text) {
  std::string result;
  for (char c : printable(text))
    result += c == '&'   ? "&amp;"
              : c == '<' ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  return result;
}

Svg::Svg(int width, int height, const std::string &title)
    : out(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
                      "font-family=\"sans-serif\" font-size=\"11\">\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                      width, height)) {
  text(8, 18, title, " font-size=\"13\"");
}

void Svg::box(const Coordinate &x, const Coordinate &y, const Coordinate &width,
              const Coordinate &height, std::string_view fill, const std::string &title,
              std::string_view more) {
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"{}", x.text,
                     y.text, width.text, height.text, fill, more);
  out += title.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(title));
}

void Svg::text(const Coordinate &x, const Coordinate &y, const std::string &content,
               std::string_view more) {
  out +=
      fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", x.text, y.text, more, escaped(content));
}

void Svg::line(const Coordinate &x1, const Coordinate &x2, const Coordinate &y1,
               const Coordinate &y2, std::string_view stroke) {
  out += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"{}\"/>\n", x1.text,
                     x2.text, y1.text, y2.text, stroke);
}

void Svg::label(double x, double width, const Coordinate &y, const std::string &name) {
  if (width > 6.5 * static_cast<double>(columnsOf(name)) + 2)
    text(x + width / 2, y, name, " fill=\"#fff\" text-anchor=\"middle\"");
}

void Svg::key(int x, int y, std::string_view fill, const std::string &name) {
  box(x, y, 12, 12, fill);
  text(x + 17, y + 10, name, kNote);
}

void Svg::timeAxis(int left, double width, double us, int top, int bottom) {
  double tick = 1e-3; // 1, 2 or 5 times a power of ten
  for (int i = 0; us / tick > 8; ++i)
    tick *= i % 3 == 1 ? 2.5 : 2;
  for (double at = 0; at <= us; at += tick) {
    const double x = left + (us > 0 ? at / us * width : 0);
    line(x, x, top - 4, bottom, "#eee");
    text(x, top - 8, fmt::format("{:g} us", at), kCentredNote);
  }
}

} // namespace ttrun
