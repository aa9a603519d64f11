// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_LANES_H
#define TTC_TOOLING_FORMATS_LANES_H

#include "Formats/Svg.h"

#include <cstdint>

namespace ttrun {

/// A box of a lane. What is cut off from its name, or is too narrow for one, is said when pointed
/// at.
struct LaneBox {
  double begin, end;
  size_t kind; ///< index of a key
  std::string name, about;
  int64_t part = 0; ///< boxes of different parts stay apart
};

/// Draws boxes, given in order of time, from `left` on. Neighbours of one kind that are too narrow
/// to be told apart are one box, with their name if they have the same.
void drawBoxes(Svg &svg, const std::vector<LaneBox> &boxes, const std::vector<Svg::Key> &kinds,
               double left, double scale, int top, int height);
/// The kinds that there are boxes of.
std::vector<Svg::Key> usedKinds(const std::vector<Svg::Key> &kinds,
                                const std::vector<const std::vector<LaneBox> *> &rows);

/// A picture (SVG) of rows of boxes on one axis of time.
struct Lanes {
  struct Row {
    std::string name;
    std::vector<LaneBox> boxes; ///< microseconds
  };
  std::string title;
  double us = 0; ///< the axis is from 0 to here
  std::vector<Svg::Key> kinds;
  std::vector<Row> rows;
  std::vector<std::string> notes;

  std::string draw() const;
};

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_LANES_H
