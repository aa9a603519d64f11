// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Svg.h"

#include "Formats/Printing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ttrun {

std::string Svg::escaped(const std::string &text) {
  std::string result;
  for (char c : printable(text)) {
    result += c == '&'   ? "&amp;"
              : c == '<' ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
    // U+FFFE and U+FFFF are UTF-8, but no characters of XML.
    if (result.ends_with("\xef\xbf\xbe") || result.ends_with("\xef\xbf\xbf"))
      result.back() = '\xbd';
  }
  return result;
}

/// The advance of a character, for a font of size 1.
static double advanceOf(std::string_view character) {
  const auto c = static_cast<unsigned char>(character[0]);
  if (c >= 0xe1) // from U+1000 on: scripts with wide characters
    return 1;
  if (c >= 0x80 || std::string_view("mwMW@%").find(character[0]) != std::string_view::npos)
    return c >= 0x80 ? 0.8 : 1;
  if (std::string_view("ijlftr.,:;'|!()[]/\\ ").find(character[0]) != std::string_view::npos)
    return 0.42;
  return (c >= 'A' && c <= 'Z') ||
                 std::string_view("+=<>~#&").find(character[0]) != std::string_view::npos
             ? 0.84
             : 0.64;
}

double Svg::widthOf(std::string_view text, int size) {
  double sum = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t length = std::max<size_t>(utf8Length(text.substr(at)), 1);
    sum += advanceOf(text.substr(at, length));
    at += length;
  }
  return sum * size;
}

std::string Svg::fitted(const std::string &given, double room, int size) {
  const std::string text = printable(given);
  if (widthOf(text, size) <= room)
    return text;
  size_t kept = 0, characters = 0;
  for (double left = room - size; kept < text.size(); ++characters) { // an ellipsis is as wide
    const size_t length = std::max<size_t>(utf8Length(text.substr(kept)), 1);
    left -= widthOf(text.substr(kept, length), size);
    if (left < 0)
      break;
    kept += length;
  }
  auto isDigit = [&](size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  while (kept > 0 && ((isDigit(kept) && isDigit(kept - 1)) || text[kept - 1] == ' ')) {
    --kept;
    --characters;
  }
  return characters < 4 ? "" : text.substr(0, kept) + "\u2026";
}

std::string_view Svg::inkOn(std::string_view fill) {
  const auto color = strtoul(std::string(fill.substr(1)).c_str(), nullptr, 16);
  auto linear = [&](int shift) {
    const double part = static_cast<double>(color >> shift & 255) / 255;
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
  return luminance > 0.179 ? "#000" : "#fff";
}

std::string Svg::timeText(double us) {
  // Each limit is where the shorter format would round up to an exponent.
  return us >= 9.9995e9   ? fmt::format("{:.0f} s", us * 1e-6)
         : us >= 9.9995e6 ? fmt::format("{:.4g} s", us * 1e-6)
         : us >= 1e4      ? fmt::format("{:.4g} ms", us * 1e-3)
         : us >= 999.5    ? fmt::format("{:.0f} us", us)
                          : fmt::format("{:.3g} us", us);
}

Svg::Svg(int width, const std::string &title) : width(width), title(title) {
  text(8, 18, title, {.size = 13, .room = width - 16.});
}

std::string Svg::take(int height) const {
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
                     "font-family=\"sans-serif\" font-size=\"{}\">\n<title>{}</title>\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{}</svg>\n",
                     width, height, TextStyle::kSize, escaped(title), out);
}

void Svg::box(const Coordinate &x, const Coordinate &y, const Coordinate &width,
              const Coordinate &height, std::string_view fill, const std::string &title,
              std::string_view more) {
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"{}", x.text,
                     y.text, width.text, height.text, fill, more);
  out += title.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(title));
}

void Svg::text(const Coordinate &x, const Coordinate &y, const std::string &content,
               const TextStyle &style) {
  const std::string shown = style.room > 0 ? fitted(content, style.room, style.size) : content;
  out += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\"", x.text, y.text, style.fill);
  if (style.size != TextStyle::kSize)
    out += fmt::format(" font-size=\"{}\"", style.size);
  out += fmt::format("{}{}>{}", style.centred ? " text-anchor=\"middle\"" : "", style.more,
                     escaped(shown));
  if (shown != content && shown != printable(content))
    out += fmt::format("<title>{}</title>", escaped(content));
  out += "</text>\n";
}

void Svg::line(const Coordinate &x1, const Coordinate &x2, const Coordinate &y1,
               const Coordinate &y2, std::string_view stroke) {
  out += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"{}\"/>\n", x1.text,
                     x2.text, y1.text, y2.text, stroke);
}

void Svg::label(double x, double width, const Coordinate &y, const std::string &name,
                std::string_view fill) {
  const std::string shown = width > 12 ? fitted(name, width - 4) : "";
  if (!shown.empty())
    text(x + width / 2, y, shown, {.fill = inkOn(fill), .centred = true});
}

int Svg::legend(int left, int top, const std::vector<Key> &keys,
                const std::vector<std::string> &notes) {
  out += "<g class=\"legend\">\n";
  int x = left, y = top;
  for (const Key &key : keys) {
    const int wide = 17 + static_cast<int>(std::ceil(widthOf(key.name, kNote.size)));
    if (x > left && x + wide > width - 8) {
      x = left;
      y += 18;
    }
    box(x, y, 12, 12, key.fill, "", " stroke=\"#666\" stroke-width=\"0.5\"");
    text(x + 17, y + 10, key.name, kNote);
    x += wide + 18;
  }
  if (!keys.empty())
    y += 18;
  // Notes are wrapped at spaces.
  for (const std::string &note : notes)
    for (size_t at = 0; at < note.size(); y += 14) {
      size_t end = note.find(' ', at);
      for (size_t next = end; next != note.npos; end = next) {
        next = std::min(note.find(' ', next + 1), note.size());
        if (next == end ||
            widthOf(std::string_view(note).substr(at, next - at), kNote.size) > width - left - 8)
          break;
      }
      end = std::min(end, note.size());
      text(left, y + 10, note.substr(at, end - at), kNote);
      at = end + 1;
    }
  out += "</g>\n";
  return y + 4;
}

void Svg::tick(double x, int top, int bottom, const std::string &label) {
  line(x, x, top - 4, bottom, "#ddd");
  text(x, top - 8, label, kCentredNote);
}

double Svg::stepOf(double all) {
  double step = 1e-3;
  for (int i = 0; all / step > 8; ++i)
    step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

Svg::Unit Svg::unitOf(double us) {
  return us >= 1e7   ? Unit{1e6, "s"}
         : us >= 1e4 ? Unit{1e3, "ms"}
         : us >= 1   ? Unit{1., "us"}
                     : Unit{1e-3, "ns"};
}

void Svg::timeAxis(int left, double width, double us, int top, int bottom) {
  const Unit unit = unitOf(us);
  const double all = us / unit.us, step = stepOf(all);
  beginAxis();
  for (int i = 0; i * step <= all; ++i)
    tick(left + (all > 0 ? i * step / all * width : 0), top, bottom,
         fmt::format("{:.6g} {}", i * step, unit.name));
  endGroup();
}

void Svg::timeScale(int left, double width, double us, int top, int bottom) {
  const Unit unit = unitOf(us);
  const double all = us / unit.us, step = stepOf(all);
  out += "<g class=\"axis vertical\">\n";
  for (int i = 0; i * step <= all; ++i) {
    const double y = bottom - (all > 0 ? i * step / all * (bottom - top) : 0);
    const std::string label = fmt::format("{:.6g} {}", i * step, unit.name);
    line(left - 4, left + width, y, y, "#ddd");
    text(left - 8 - widthOf(label, kNote.size), y + 4, label, kNote);
  }
  endGroup();
}

void Svg::numberAxis(int left, double width, double from, double to, int top, int bottom) {
  const double step = std::max(stepOf(to - from), 1.);
  out += "<g class=\"axis numbers\">\n";
  for (double value = std::ceil(from / step) * step; value <= to; value += step) {
    const double x = left + (value - from) / (to - from) * width;
    line(x, x, top, bottom + 4, "#ddd");
    text(x, bottom + 16, fmt::format("{:.0f}", value), kCentredNote);
  }
  endGroup();
}

} // namespace ttrun
