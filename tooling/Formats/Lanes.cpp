// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Lanes.h"

#include <algorithm>
#include <cmath>

namespace ttrun {

namespace {
constexpr int kLaneWidth = 832, kLaneTop = 56, kLaneHeight = 28, kLaneBar = 22;
constexpr double kNarrow = 1, kLeast = 0.3; ///< pixels
} // namespace

void drawBoxes(Svg &svg, const std::vector<LaneBox> &boxes, const std::vector<Svg::Key> &kinds,
               double left, double scale, int top, int height) {
  auto isNarrow = [&](const LaneBox &box) { return (box.end - box.begin) * scale < kNarrow; };
  for (size_t i = 0; i < boxes.size();) {
    const LaneBox &first = boxes[i];
    size_t next = i + 1;
    double end = first.end;
    bool sameName = true;
    auto belongs = [&](const LaneBox &box) {
      return box.kind == first.kind && box.part == first.part && isNarrow(box) &&
             (box.begin - end) * scale < kNarrow;
    };
    if (isNarrow(first))
      for (; next < boxes.size() && belongs(boxes[next]); ++next) {
        end = std::max(end, boxes[next].end);
        sameName &= boxes[next].name == first.name;
      }
    const double x = left + first.begin * scale,
                 width = std::max((end - first.begin) * scale, kLeast);
    const double gap = width > 3 ? 0.5 : 0; // separates neighbours
    const std::string &about = first.about.empty() ? first.name : first.about,
                      &last = boxes[next - 1].about.empty() ? boxes[next - 1].name
                                                            : boxes[next - 1].about;
    const Svg::Key &kind = kinds[first.kind];
    svg.box(x, top, width - gap, height, kind.fill,
            next == i + 1 ? about
                          : fmt::format("{} times {}: {} to {}", next - i, kind.name, about, last));
    if (sameName)
      svg.label(x, width - gap, top + height / 2 + 4, first.name, kind.fill);
    i = next;
  }
}

std::vector<Svg::Key> usedKinds(const std::vector<Svg::Key> &kinds,
                                const std::vector<const std::vector<LaneBox> *> &rows) {
  std::vector<Svg::Key> used;
  for (size_t kind = 0; kind < kinds.size(); ++kind)
    if (std::any_of(rows.begin(), rows.end(), [&](const std::vector<LaneBox> *boxes) {
          return std::any_of(boxes->begin(), boxes->end(),
                             [&](const LaneBox &box) { return box.kind == kind; });
        }))
      used.push_back(kinds[kind]);
  return used;
}

std::string Lanes::draw() const {
  double names = 0;
  std::vector<const std::vector<LaneBox> *> boxes;
  for (const Row &row : rows) {
    names = std::max(names, Svg::widthOf(row.name));
    boxes.push_back(&row.boxes);
  }
  const int left = 24 + static_cast<int>(std::ceil(std::min(names, 160.)));
  const int bottom = kLaneTop + static_cast<int>(rows.size()) * kLaneHeight;
  Svg svg(left + kLaneWidth + Svg::kRight, title);
  svg.timeAxis(left, kLaneWidth, us, kLaneTop, bottom);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int top = kLaneTop + static_cast<int>(i) * kLaneHeight;
    svg.text(8, top + kLaneBar / 2 + 4, rows[i].name, {.room = left - 16.});
    drawBoxes(svg, rows[i].boxes, kinds, left, kLaneWidth / std::max(us, 1e-12), top, kLaneBar);
  }
  return svg.take(svg.legend(left, bottom + 8, usedKinds(kinds, boxes), notes));
}

} // namespace ttrun
