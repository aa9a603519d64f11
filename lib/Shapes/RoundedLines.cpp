// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RoundedLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::ttc;

/// Below a value's next whole number by this much: a fraction with a run of at most kMostRun cannot
/// be nearer.
static constexpr double kGap = 1.0 / RoundedLines::kMostRun;
/// For the rounding of doubles. The numbers here are below kMostLast, so theirs is far less.
static constexpr double kSlack = kGap / 64;

RoundedLines::RoundedLines(std::vector<std::pair<int64_t, int64_t>> given, int64_t last)
    : points(std::move(given)), last(last), first(points.front().second), whole(0) {
  // Without whole multiples, numbers are small: from 0 to `last`.
  if (last > 0)
    whole = llvm::divideFloorSigned(points.back().second - first, last);
  bool isWhole = true;
  for (auto &[k, value] : points) {
    value -= first + whole * k;
    isWhole &= value == 0;
  }
  if (isWhole) {
    simplest = RoundedLine{whole, first, 1};
    return;
  }
  if (last > kMostLast || llvm::any_of(points, [&](const auto &point) {
        return point.second < -1 || point.second > last;
      }))
    return;
  findCorners();
  if (!corners.empty())
    findSimplest();
}

void RoundedLines::findCorners() {
  // At k, a line is at least at `bound`, or at most. Two bounds at different k are a line.
  struct Bound {
    double k, bound;
  };
  std::vector<Bound> bounds;
  for (auto [k, value] : points) {
    bounds.push_back({static_cast<double>(k), static_cast<double>(value)});
    bounds.push_back({static_cast<double>(k), static_cast<double>(value) + 1 - kGap});
  }
  for (size_t a = 0; a < bounds.size(); ++a)
    for (size_t b = a + 1; b < bounds.size(); ++b) {
      if (bounds[a].k == bounds[b].k)
        continue;
      const double slope = (bounds[b].bound - bounds[a].bound) / (bounds[b].k - bounds[a].k);
      const double height = bounds[a].bound - slope * bounds[a].k;
      if (llvm::all_of(points, [&](const auto &point) {
            const double above = slope * static_cast<double>(point.first) + height -
                                 static_cast<double>(point.second);
            return above > -kSlack && above < 1 - kGap + kSlack;
          }))
        corners.push_back({slope, height});
    }
  // Where several bounds meet, the same corner was found several times.
  llvm::sort(corners, [](const Corner &a, const Corner &b) {
    return std::pair(a.slope, a.height) < std::pair(b.slope, b.height);
  });
  const double length = static_cast<double>(last);
  corners.erase(std::unique(corners.begin(), corners.end(),
                            [&](const Corner &a, const Corner &b) {
                              return std::abs(a.slope - b.slope) * length < kSlack / 64 &&
                                     std::abs(a.height - b.height) < kSlack / 64;
                            }),
                corners.end());
}

void RoundedLines::findSimplest() {
  const double least = corners.front().slope, most = corners.back().slope;
  for (int64_t run = 1; run <= kMostRun; ++run) {
    const double unit = static_cast<double>(run), slack = kSlack / static_cast<double>(last);
    const auto to = static_cast<int64_t>(std::floor((most + slack) * unit));
    for (auto rise = static_cast<int64_t>(std::ceil((least - slack) * unit)); rise <= to; ++rise) {
      int64_t low = INT64_MIN, high = INT64_MAX;
      for (auto [k, value] : points) {
        low = std::max(low, value * run - rise * k);
        high = std::min(high, value * run - rise * k + run - 1);
      }
      if (low > high)
        continue;
      simplest = RoundedLine{rise + whole * run, low + first * run, run};
      return;
    }
  }
}

std::optional<int64_t> RoundedLines::getMostTelling() const {
  std::optional<int64_t> telling;
  double most = 0;
  for (int64_t k = 1; k < last && !corners.empty(); ++k) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Corner &corner : corners) {
      const double value = corner.slope * static_cast<double>(k) + corner.height;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    // Values from the first whole number to the second one; those between are less than kGap apart
    // from a whole number only if they are one.
    low = std::max(low, std::floor(low + kGap - 2 * kSlack));
    const double bound = std::floor(low) + 1;
    if (high + kSlack < bound)
      continue;
    // How much is left if the value turns out to be what tells least.
    const double tells = high - low > 1 ? (high - low) / 2 : std::min(bound - low, high - bound);
    if (!telling || tells > most) {
      most = tells;
      telling = k;
    }
  }
  return telling;
}
