// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeshTime/MeshTime.h"

#include "Formats/Printing.h"
#include "ttrt/format/steps.h"

#include <algorithm>
#include <map>

namespace ttrun {

using namespace ttrt;

namespace {

constexpr int kLeft = 64, kWidth = 900, kTop = 56, kLane = 34, kBar = 22;

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : printable(text))
    result += c == '&'   ? "&amp;"
              : c == '<' ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  return result;
}

constexpr const char *kColours[] = {"#3d7d39", "#4c78a8", "#d8d8d8"};
constexpr const char *kNames[] = {"computing", "moving", "waiting"};

/// A round number of microseconds, of which about eight fit.
double tickOf(double us) {
  double tick = 1e-3;
  while (us / tick > 8)
    for (double factor : {2.0, 2.5, 2.0})
      if (us / tick > 8)
        tick *= factor;
  return tick;
}

/// What an operation is, for its label.
std::string nameOf(const Bundle &bundle, const Operation &operation) {
  if (operation.trace == SimulatorInput::kNone)
    return "host step";
  const uint8_t *position = bundle.stream(operation.trace);
  for (uint32_t i = 0; i < operation.command; ++i)
    position += reinterpret_cast<const CommandHeader *>(position)->size;
  const Action action = actionOf(*reinterpret_cast<const CommandHeader *>(position));
  return action.info->table == IndexedTable::Program ||
                 action.info->table == IndexedTable::Collective
             ? nameIn(bundle.metadata(), nullptr, *action.info, action.index)
             : action.info->name;
}

} // namespace

std::string meshTimelinePicture(const Bundle &bundle, const MeshTime &time,
                                const std::string &title, uint32_t most) {
  const auto devices = static_cast<uint32_t>(std::min<size_t>(time.devices.size(), most));
  const double scale = kWidth / std::max(time.first, 1e-12);
  const int height = kTop + static_cast<int>(devices) * kLane + 48;
  std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
                                "font-family=\"sans-serif\" font-size=\"11\">\n"
                                "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
                                "<text x=\"8\" y=\"18\" font-size=\"13\">{}: {:.2f} us</text>\n",
                                kLeft + kWidth + 16, height, escaped(title), time.first * 1e6);
  const int bottom = kTop + static_cast<int>(devices) * kLane - (kLane - kBar);
  const double tick = tickOf(time.first * 1e6);
  for (double at = 0; at <= time.first * 1e6; at += tick) {
    const double x = kLeft + at * 1e-6 * scale;
    out += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" "
                       "stroke=\"#eee\"/>\n<text x=\"{0:.1f}\" y=\"{3}\" fill=\"#666\" "
                       "font-size=\"10\" text-anchor=\"middle\">{4:g} us</text>\n",
                       x, kTop - 4, bottom, kTop - 8, at);
  }
  for (uint32_t i = 0; i < devices; ++i) {
    const int top = kTop + static_cast<int>(i) * kLane;
    out += fmt::format("<text x=\"8\" y=\"{}\">device {}</text>\n", top + 15, i);
    for (const Span &span : time.devices[i].spans) {
      const double x = kLeft + span.begin * scale, width = (span.end - span.begin) * scale;
      const std::string name = nameOf(bundle, time.streams[time.streamOf[i]][span.operation]);
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\">"
                         "<title>{} {}, {:.2f} us</title></rect>\n",
                         x, top, std::max(width - 0.3, 0.3), kBar, kColours[span.what],
                         kNames[span.what], escaped(name), (span.end - span.begin) * 1e6);
      if (span.what != Span::Waiting && width > 6.5 * static_cast<double>(columnsOf(name)) + 2)
        out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" fill=\"#fff\" "
                           "text-anchor=\"middle\">{}</text>\n",
                           x + width / 2, top + 15, escaped(name));
    }
  }
  int x = kLeft;
  const int y = bottom + 18;
  for (int what = 0; what < 3; ++what, x += 100)
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n"
                       "<text x=\"{}\" y=\"{}\" fill=\"#666\" font-size=\"10\">{}</text>\n",
                       x, y, kColours[what], x + 17, y + 10, kNames[what]);
  if (devices < time.devices.size())
    out += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"#666\" font-size=\"10\">the first {} of {} "
                       "devices</text>\n",
                       x, y + 10, devices, time.devices.size());
  return out + "</svg>\n";
}

} // namespace ttrun
