// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of sizes that round, from their values at as few sizes as tell them apart.
#include "lib/Shapes/SizeFitter.h"
#include "lib/Shapes/RoundedLines.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"
#include <gtest/gtest.h>
#include <map>

using namespace mlir;
using namespace mlir::ttc;

namespace {

int64_t at(const RoundedLine &line, int64_t k) {
  return llvm::divideFloorSigned(line.rise * k + line.offset, line.run);
}

/// Asks for points until one line is left, from the first and the last one on. Returns the number
/// of points.
template <typename Function>
size_t search(Function function, int64_t last, std::optional<RoundedLine> &found) {
  std::map<int64_t, int64_t> points = {{0, function(0)}, {last, function(last)}};
  while (true) {
    const RoundedLines lines({points.begin(), points.end()}, last);
    found = lines.getSimplest();
    std::optional<int64_t> next = lines.getMostTelling();
    if (!found || !next)
      return points.size();
    EXPECT_TRUE(points.emplace(*next, function(*next)).second) << "asks for a known point";
    if (points.size() > 100)
      return points.size();
  }
}

TEST(RoundedLines, FindsEveryStride) {
  for (int64_t run :
       {1, 2, 3, 5, 7, 8, 10, 32, 63, 64, 65, 80, 128, 160, 320, 640, 1001, 2048, 4096})
    for (int64_t rise : {1, 2, 3, 7})
      for (int64_t offset : {int64_t(-1), int64_t(0), run / 3, run - 1})
        for (int64_t last : {run / 2 + 1, 3 * run + 1, int64_t(20000)}) {
          const RoundedLine line{rise, offset, run};
          std::optional<RoundedLine> found;
          const size_t count = search([&](int64_t k) { return at(line, k); }, last, found);
          ASSERT_TRUE(found) << rise << " / " << run;
          EXPECT_LE(count, 40u) << rise << " / " << run << " + " << offset << " to " << last;
          for (int64_t k = 0; k <= last; ++k)
            ASSERT_EQ(at(*found, k), at(line, k))
                << rise << " / " << run << " + " << offset << " to " << last << " at " << k;
        }
}

TEST(RoundedLines, FallingAndConstantOnesToo) {
  for (int64_t rise : {-3, -1, 0})
    for (int64_t run : {1, 4, 320}) {
      const RoundedLine line{rise, 1000, run};
      std::optional<RoundedLine> found;
      search([&](int64_t k) { return at(line, k); }, 900, found);
      ASSERT_TRUE(found);
      for (int64_t k = 0; k <= 900; ++k)
        ASSERT_EQ(at(*found, k), at(line, k));
    }
}

TEST(RoundedLines, MultiplesNeedTwoPoints) {
  std::optional<RoundedLine> found;
  // More sizes than are ever looked at one by one.
  EXPECT_EQ(search([](int64_t k) { return 3 * k + 5; }, int64_t(1) << 30, found), 2u);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rise, 3);
  EXPECT_EQ(found->offset, 5);
  EXPECT_EQ(found->run, 1);
}

/// Whether an extent is found for the function of a length from `low` to `high`; it must be right.
template <typename Function>
bool isExtent(Function function, int64_t low, int64_t high, int64_t step = 1) {
  ExtentSpace space({{"length", low, high, step}});
  std::vector<SmallVector<int64_t>> points = {{high}, {low}, {low + step}, {high - step}};
  while (points.size() < 100) {
    const SizeFitter fitter(space, points);
    const SizeFitter::Fit fit = fitter.fit(
        llvm::map_to_vector(points, [&](const auto &point) { return function(point.front()); }));
    if (!fit.extent)
      return false;
    if (fit.wanted.empty()) {
      for (int64_t length = low; length <= high; length += step)
        EXPECT_EQ(space.evaluate(*fit.extent, {length}), function(length)) << length;
      return true;
    }
    EXPECT_EQ(fit.wanted.front() % step, 0);
    points.push_back(fit.wanted);
  }
  ADD_FAILURE() << "asks for too many sizes";
  return false;
}

TEST(SizeFitter, FindsWhatRoundsOnce) {
  EXPECT_TRUE(isExtent([](int64_t n) { return (n - 80) / 320 - 1; }, 720, 16000));
  EXPECT_TRUE(isExtent([](int64_t n) { return 3 * n + n / 640; }, 1, 5000));
  EXPECT_TRUE(isExtent([](int64_t n) { return n / 32; }, 64, 640, 32));
  EXPECT_TRUE(isExtent([](int64_t n) { return (n + 31) / 64; }, 64, 6400, 32));
  EXPECT_TRUE(isExtent([](int64_t n) { return 100 - n / 7; }, 1, 500));
}

TEST(SizeFitter, FindsThatOthersAreNone) {
  EXPECT_FALSE(isExtent([](int64_t n) { return n / 4 * 4; }, 4, 904));
  EXPECT_FALSE(isExtent([](int64_t n) { return n / 2 * 3 / 2; }, 1, 901));
  EXPECT_FALSE(isExtent([](int64_t n) { return n / 160 * 3 / 2; }, 1, 16000));
  EXPECT_FALSE(isExtent([](int64_t n) { return n / 5 * 2 / 3; }, 1, 1000));
  EXPECT_FALSE(isExtent([](int64_t n) { return n / 100 + n / 110; }, 1, 9000));
  EXPECT_FALSE(isExtent([](int64_t n) { return n % 7; }, 1, 900));
  EXPECT_FALSE(isExtent([](int64_t n) { return n * n; }, 1, 900));
  EXPECT_FALSE(isExtent([](int64_t n) { return std::min<int64_t>(n, 500); }, 1, 900));
  // A stride beyond the largest.
  EXPECT_FALSE(isExtent([](int64_t n) { return n / 5003; }, 1, 100000));
}

TEST(SizeFitter, SeveralDimensions) {
  ExtentSpace space({{"batch", 1, 4, 1}, {"length", 1, 2000, 1}});
  auto function = [](int64_t batch, int64_t length) { return batch + 2 * ((length + 5) / 320); };
  auto sum = [](int64_t batch, int64_t length) { return batch + (length + 5) / 320; };
  auto find = [&](auto function) {
    std::vector<SmallVector<int64_t>> points = {{4, 2000}, {1, 2000}, {4, 1}, {1, 1}};
    while (true) {
      const SizeFitter fitter(space, points);
      SizeFitter::Fit fit = fitter.fit(llvm::map_to_vector(
          points, [&](const auto &point) { return function(point[0], point[1]); }));
      if (!fit.extent || fit.wanted.empty())
        return fit.extent;
      points.push_back(fit.wanted);
    }
  };
  // A rounded size is no multiple of a dimension.
  EXPECT_FALSE(find(function));
  std::optional<Extent> found = find(sum);
  ASSERT_TRUE(found);
  EXPECT_EQ(space.print(*found), "(320 * batch + length + 5) / 320");
}

/// What is found for a function of three sizes, of which one has a step.
template <typename Function> std::string printFound(Function function) {
  ExtentSpace space({{"batch", 1, 4, 1}, {"height", 8, 64, 8}, {"width", 3, 90, 1}});
  // As the driver chooses the first ones.
  std::vector<SmallVector<int64_t>> points = {{4, 64, 90}, {1, 64, 90}, {2, 64, 90}, {4, 8, 90},
                                              {4, 32, 90}, {4, 64, 3},  {4, 64, 46}, {1, 8, 3}};
  while (points.size() < 60) {
    const SizeFitter fitter(space, points);
    SizeFitter::Fit fit = fitter.fit(llvm::map_to_vector(
        points, [&](const auto &point) { return function(point[0], point[1], point[2]); }));
    if (!fit.extent)
      return "nothing";
    if (!fit.wanted.empty()) {
      points.push_back(fit.wanted);
      continue;
    }
    for (int64_t batch = 1; batch <= 4; ++batch)
      for (int64_t height = 8; height <= 64; height += 8)
        for (int64_t width = 3; width <= 90; ++width)
          EXPECT_EQ(space.evaluate(*fit.extent, {batch, height, width}),
                    function(batch, height, width));
    return space.print(*fit.extent);
  }
  return "too many points";
}

TEST(SizeFitter, ProductsOfTwoDimensions) {
  EXPECT_EQ(printFound([](int64_t b, int64_t h, int64_t w) { return 3 * b * w + h - 2; }),
            "height + 3 * (batch) * (width) - 2");
  EXPECT_EQ(printFound([](int64_t b, int64_t h, int64_t w) { return (b + 1) * (w - 1) + h * w; }),
            "-batch + width + (batch) * (width) + (height) * (width) - 1");
  EXPECT_EQ(printFound([](int64_t b, int64_t h, int64_t) { return b * (h / 8); }),
            "((batch) * (height)) / 8");
  EXPECT_EQ(printFound([](int64_t b, int64_t h, int64_t w) { return b * h * w; }), "nothing");
  EXPECT_EQ(printFound([](int64_t b, int64_t, int64_t w) { return b * (w / 2); }), "nothing");
  EXPECT_EQ(printFound([](int64_t b, int64_t, int64_t w) { return std::min(30 * b, w); }),
            "nothing");
}

TEST(Extents, OfSumsAndProducts) {
  ExtentSpace space({{"batch", 1, 4, 1}, {"length", 1, 4000, 1}});
  const Extent batch = space.getDimension(0), length = space.getDimension(1);
  auto product = [&](const Extent &a, const Extent &b) { return *space.multiply(a, b); };
  // Sizes of which there are more than are compared one by one.
  ExtentSpace many({{"height", 1, 4000, 1}, {"width", 1, 4000, 1}});
  const Extent sum =
      *many.add(*many.multiply(many.getDimension(0), many.getDimension(1)), many.getDimension(1));
  const Extent merged = *many.multiply(many.add(many.getDimension(0), 1), many.getDimension(1));
  EXPECT_TRUE(many.areEqual(sum, merged));
  EXPECT_FALSE(many.areEqual(many.add(sum, 1), merged));
  EXPECT_TRUE(space.areEqual(product(space.add(batch, 2), length),
                             *space.add(product(batch, length), *space.multiply(length, 2))));
  // Two that are rounded, and the way there and back.
  const Extent half = space.floorDiv(length, 2), third = space.floorDiv(length, 3);
  std::optional<Extent> both = space.add(half, third);
  ASSERT_TRUE(both);
  EXPECT_EQ(space.evaluate(*both, {1, 11}), 5 + 3);
  MLIRContext context;
  const AffineExpr expr = space.getExpr(*both, &context);
  ExtentSpace other({{"batch", 1, 2, 1}, {"length", 1, 40, 1}});
  EXPECT_FALSE(other.fromExpr(expr));
  other.addDimensions(AffineMap::get(0, 2, expr));
  std::optional<Extent> read = other.fromExpr(expr);
  ASSERT_TRUE(read);
  EXPECT_EQ(other.evaluate(*read, {1, 11}), 5 + 3);
}

} // namespace
