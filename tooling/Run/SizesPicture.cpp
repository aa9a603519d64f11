// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/PerfSizes.h"

#include "Formats/Lanes.h"
#include "Formats/Printing.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ttrun {

namespace {
enum SizeKind { Variant, Spread, First, Tenth, Median };
const std::vector<Svg::Key> kSizeKinds = {{fill::kGrey, "variant"},
                                          {fill::kAmber, "10th to 90th percentile"},
                                          {fill::kPurple, "first run of the size"},
                                          {fill::kGreen, "tenth run"},
                                          {fill::kBlue, "median"}};
constexpr int kPlotLeft = 84, kPlotWidth = 760, kStripTop = 34, kStripHeight = 20, kPlotTop = 66,
              kPlotHeight = 320, kPlotBottom = kPlotTop + kPlotHeight;

class SizesDrawing {
public:
  explicit SizesDrawing(const SizesReport &report)
      : report(report), svg(kPlotLeft + kPlotWidth + Svg::kRight,
                            fmt::format("{}, time over {}", report.title, report.range.dim)) {
    // From 0, unless that would leave much of the picture empty.
    const int64_t low = report.sizes.front().size;
    high = static_cast<double>(report.sizes.back().size);
    from = report.sizes.size() > 1 && static_cast<double>(low) > high / 3 ? static_cast<double>(low)
                                                                          : 0;
    double median = 0;
    for (const SizeTimes &times : report.sizes) {
      const bool isFirst = &times == &report.sizes.back(); // of all runs
      most = std::max({most, isFirst ? 0 : times.first, times.tenth, times.p90});
      median = std::max(median, times.median);
    }
    // A few slow runs must not make all others flat.
    constexpr double kMostOfMedian = 1.6;
    most = std::min(most, kMostOfMedian * median) * 1.02;
  }

  std::string draw() {
    svg.timeScale(kPlotLeft, kPlotWidth, most * 1e3, kPlotTop, kPlotBottom);
    svg.numberAxis(kPlotLeft, kPlotWidth, from, high, kPlotTop, kPlotBottom);
    svg.text(kPlotLeft + kPlotWidth / 2, kPlotBottom + 32, report.range.dim,
             {.centred = true, .room = kPlotWidth});
    drawVariants();
    drawTimes();
    std::vector<std::string> notes = {
        fmt::format("{} sizes, {} runs of each, in any order; the first run of all is that of the "
                    "largest",
                    report.sizes.size(), report.loops)};
    if (beyond)
      notes.push_back(fmt::format("{} run{} beyond the axis, up to {}, {} drawn at its end", beyond,
                                  plural(beyond), Svg::timeText(farthest * 1e3),
                                  beyond == 1 ? "is" : "are"));
    return svg.take(svg.legend(kPlotLeft, kPlotBottom + 44, kSizeKinds, notes));
  }

private:
  double xOf(double size) const {
    return kPlotLeft + (high > from ? (size - from) / (high - from) * kPlotWidth : 0);
  }
  double yOf(double ms) const {
    return kPlotBottom - std::min(ms, most) / std::max(most, 1e-9) * kPlotHeight;
  }

  /// The sizes of each variant, in a strip above the plot, and a line where the next one begins.
  void drawVariants() {
    std::vector<LaneBox> boxes;
    for (size_t i = 0; i < report.sizes.size();) {
      size_t next = i + 1;
      while (next < report.sizes.size() && report.sizes[next].variant == report.sizes[i].variant)
        ++next;
      const double first = static_cast<double>(report.sizes[i].size),
                   last = static_cast<double>(report.sizes[next - 1].size);
      // The model's name is in the title.
      const std::string &name = report.sizes[i].variant;
      boxes.push_back({boxes.empty() ? from : boxes.back().end, last, Variant,
                       name.substr(name.rfind('.') + 1),
                       fmt::format("{}: {} {} to {}", name, report.range.dim, first, last),
                       static_cast<int64_t>(boxes.size())});
      i = next;
    }
    if (boxes.front().end <= from) // one size alone
      boxes.front().end = from + (high - from) / kPlotWidth;
    for (LaneBox &box : boxes) {
      box.begin -= from;
      box.end -= from;
    }
    drawBoxes(svg, boxes, kSizeKinds, kPlotLeft, kPlotWidth / (high - from), kStripTop,
              kStripHeight);
    for (size_t i = 0; i + 1 < boxes.size(); ++i) {
      const double x = xOf(from + boxes[i].end);
      svg.line(x, x, kStripTop + kStripHeight, kPlotBottom, "#999");
    }
  }

  void drawTimes() {
    const double room = static_cast<double>(kPlotWidth) / static_cast<double>(report.sizes.size());
    const double wide = std::clamp(room * 0.3, 1.5, 6.), aside = std::min(room * 0.3, 4.);
    point = std::clamp(room, 2., 4.);
    for (const SizeTimes &times : report.sizes) {
      const double x = xOf(static_cast<double>(times.size));
      const double top = yOf(times.p90);
      svg.box(x - wide / 2, top, wide, std::max(yOf(times.p10) - top, 1.), kSizeKinds[Spread].fill,
              aboutText(times));
    }
    drawLine();
    for (const SizeTimes &times : report.sizes) {
      const double x = xOf(static_cast<double>(times.size));
      drawPoint(x - aside, times.first, First, times);
      drawPoint(x + aside, times.tenth, Tenth, times);
      drawPoint(x, times.median, Median, times);
    }
  }

  /// Through the medians of each variant.
  void drawLine() {
    std::string path;
    for (size_t i = 0; i < report.sizes.size(); ++i) {
      const SizeTimes &times = report.sizes[i];
      const bool begins = i == 0 || report.sizes[i - 1].variant != times.variant;
      path += fmt::format("{} {:.1f} {:.1f} ", begins ? "M" : "L",
                          xOf(static_cast<double>(times.size)), yOf(times.median));
    }
    path.pop_back();
    svg.raw(fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", path, fill::kBlue));
  }

  void drawPoint(double x, double ms, SizeKind kind, const SizeTimes &times) {
    if (ms > most) {
      ++beyond;
      farthest = std::max(farthest, ms);
    }
    svg.box(x - point / 2, yOf(ms) - point / 2, point, point, kSizeKinds[kind].fill,
            fmt::format("{}: {}. {}", kSizeKinds[kind].name, Svg::timeText(ms * 1e3),
                        aboutText(times)));
  }

  std::string aboutText(const SizeTimes &times) const {
    return fmt::format("{} {} in {}: median {}, 10th to 90th percentile {} to {}", report.range.dim,
                       times.size, times.variant, Svg::timeText(times.median * 1e3),
                       Svg::timeText(times.p10 * 1e3), Svg::timeText(times.p90 * 1e3));
  }

  const SizesReport &report;
  Svg svg;
  double from = 0, high = 1, most = 0, farthest = 0; ///< times in ms
  double point = 4;
  uint64_t beyond = 0;
};

} // namespace

std::string sizesPicture(const SizesReport &report) { return SizesDrawing(report).draw(); }

} // namespace ttrun
