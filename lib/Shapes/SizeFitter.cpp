// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SizeFitter.h"
#include "RoundedLines.h"

#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ttc;

/// A k at which a line that rounds is checked, though the points leave no other line; nothing if
/// all of them are. What a model computes may round twice, so that it is no line: then it differs
/// where a line has steps, of which one period has `rise`.
static std::optional<int64_t> getUnchecked(ArrayRef<std::pair<int64_t, int64_t>> points,
                                           const RoundedLine &line, int64_t last) {
  constexpr int64_t kMostSteps = 8;
  SmallVector<int64_t> checked;
  for (double part : {0.382, 0.854, 0.146, 0.618})
    checked.push_back(static_cast<int64_t>(part * static_cast<double>(last)));
  const int64_t rise = line.rise - llvm::divideFloorSigned(line.rise, line.run) * line.run;
  int64_t value = llvm::divideFloorSigned(rise * (last / 2) + line.offset, line.run);
  for (int64_t step = 0; step < std::min(rise, kMostSteps); ++step) {
    const int64_t k = llvm::divideCeilSigned(++value * line.run - line.offset, rise);
    checked.push_back(k);
    checked.push_back(k - 1);
  }
  for (int64_t k : checked)
    if (k <= last && llvm::none_of(points, [&](const auto &point) { return point.first == k; }))
      return k;
  return std::nullopt;
}

const SizeFitter::Fit &SizeFitter::fit(ArrayRef<int64_t> values) const {
  auto [it, isNew] = known.try_emplace(std::vector<int64_t>(values.begin(), values.end()));
  if (isNew)
    it->second = compute(values);
  return it->second;
}

/// A larger divisor overflows what computes with extents.
static constexpr int64_t kMostDivisor = 1 << 20;

SizeFitter::Fit SizeFitter::compute(ArrayRef<int64_t> values) const {
  Fit fit;
  SmallVector<int64_t> rises;
  Extent extent = space.getConstant(0);
  unsigned numRounded = 0;
  ArrayRef<ExtentSpace::Dimension> dimensions = space.getDimensions();
  for (auto [dim, dimension] : llvm::enumerate(dimensions)) {
    // Along this dimension alone, in steps from the least size.
    std::map<int64_t, int64_t> along;
    for (auto [point, value] : llvm::zip_equal(points, values)) {
      bool isAlone = true;
      for (size_t other = 0; other < point.size(); ++other)
        isAlone &= other == dim || point[other] == points.front()[other];
      if (isAlone)
        along[(point[dim] - dimension.low) / dimension.step] = value;
    }
    const int64_t last = (dimension.high - dimension.low) / dimension.step;
    auto want = [&](int64_t k) {
      if (!fit.wanted.empty())
        return;
      fit.wanted = points.front();
      fit.wanted[dim] = dimension.low + k * dimension.step;
    };
    if (!along.contains(0))
      return Fit();
    std::vector<std::pair<int64_t, int64_t>> pairs(along.begin(), along.end());
    const RoundedLines lines(pairs, last);
    std::optional<RoundedLine> line = lines.getSimplest();
    if (!line)
      return Fit();
    if (std::optional<int64_t> telling = lines.getMostTelling())
      want(*telling);
    else if (std::optional<int64_t> unchecked =
                 line->run > 1 ? getUnchecked(pairs, *line, last) : std::nullopt)
      want(*unchecked);
    numRounded += line->run > 1;
    rises.push_back(line->rise);
    const int64_t run = line->run * dimension.step, common = std::gcd(run, line->rise),
                  divisor = std::lcm(extent.divisor, run / common);
    if (divisor > kMostDivisor)
      return Fit();
    for (int64_t &multiplier : extent.multipliers)
      multiplier *= divisor / extent.divisor;
    extent.divisor = divisor;
    extent.multipliers[dim] = line->rise / common * (divisor / (run / common));
  }
  // Between two offsets, all of which have these values.
  int64_t least = INT64_MIN, most = INT64_MAX;
  for (auto [point, value] : llvm::zip_equal(points, values)) {
    int64_t sum = 0;
    for (auto [multiplier, size] : llvm::zip_equal(extent.multipliers, point))
      sum += multiplier * size;
    least = std::max(least, value * extent.divisor - sum);
    most = std::min(most, value * extent.divisor - sum + extent.divisor - 1);
  }
  extent.offset = least;
  if (least > most && numRounded == 0 && fit.wanted.empty())
    return addProducts(values, rises);
  // Of one line, they are all the same; where several round together, they may not be.
  if (least > most || (numRounded > 1 && least != most))
    return Fit();
  fit.extent = extent;
  return fit;
}

/// `rises` are those of one step along each dimension from the largest sizes.
SizeFitter::Fit SizeFitter::addProducts(ArrayRef<int64_t> values, ArrayRef<int64_t> rises) const {
  Fit fit;
  fit.extent = space.getConstant(0); // until all points that are needed are there
  const SmallVector<ExtentSpace::Dimension> dimensions(space.getDimensions());
  const SmallVector<int64_t> &largest = points.front();
  auto getValue = [&](ArrayRef<int64_t> point) -> std::optional<int64_t> {
    for (auto [known, value] : llvm::zip_equal(points, values))
      if (ArrayRef(known) == point)
        return value;
    if (fit.wanted.empty())
      fit.wanted.assign(point.begin(), point.end());
    return std::nullopt;
  };
  /// A multiple of the product of two dimensions.
  struct Term {
    unsigned left, right;
    int64_t times, over;
  };
  SmallVector<Term> terms;
  int64_t divisor = 1;
  for (unsigned left = 0; left < dimensions.size(); ++left)
    for (unsigned right = left + 1; right < dimensions.size(); ++right) {
      if (rises[left] == 0 || rises[right] == 0)
        continue;
      const ExtentSpace::Dimension &a = dimensions[left], &b = dimensions[right];
      SmallVector<int64_t> point = largest;
      point[left] = a.low;
      point[right] = b.low;
      std::optional<int64_t> corner = getValue(point);
      // Another one, to rely on.
      point[left] += (a.high - a.low) / a.step / 2 * a.step;
      point[right] += (b.high - b.low) / b.step / 2 * b.step;
      getValue(point);
      if (!corner)
        continue;
      const int64_t width = a.high - a.low, height = b.high - b.low;
      const int64_t difference = *corner - values.front() + rises[left] * (width / a.step) +
                                 rises[right] * (height / b.step);
      if (difference == 0)
        continue;
      const int64_t common = std::gcd(difference, width * height);
      terms.push_back({left, right, difference / common, width * height / common});
      divisor = std::lcm(divisor, terms.back().over);
      if (divisor > kMostDivisor)
        return Fit();
    }
  if (!fit.wanted.empty())
    return fit;
  for (const ExtentSpace::Dimension &dimension : dimensions)
    divisor = std::lcm(divisor, dimension.step);
  if (divisor > kMostDivisor)
    return Fit();
  Extent extent = space.getConstant(0);
  for (auto [multiplier, rise, dimension] : llvm::zip_equal(
           MutableArrayRef(extent.multipliers).take_front(dimensions.size()), rises, dimensions))
    multiplier = rise * (divisor / dimension.step);
  for (const Term &term : terms) {
    const int64_t times = term.times * (divisor / term.over);
    std::optional<Extent> product =
        space.multiply(space.getDimension(term.left), space.getDimension(term.right));
    if (!product)
      return Fit();
    extent.multipliers.resize(std::max(extent.multipliers.size(), product->multipliers.size()));
    for (auto [to, unit] : llvm::zip_first(product->multipliers, extent.multipliers))
      unit += times * to;
    extent.multipliers[term.left] -= times * largest[term.right];
    extent.multipliers[term.right] -= times * largest[term.left];
  }
  extent.offset = divisor * values.front() - space.evaluate(extent, largest);
  for (auto [point, value] : llvm::zip_equal(points, values))
    if (space.evaluate(extent, point) != divisor * value)
      return Fit();
  fit.extent = space.floorDiv(extent, divisor);
  return fit;
}
