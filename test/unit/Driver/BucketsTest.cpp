// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of buckets against all others.
#include "lib/Driver/Buckets.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace mlir::ttc;

namespace {

std::vector<Sizes> combine(const std::vector<Sizes> &buckets) {
  std::vector<Sizes> all = {{}};
  for (const Sizes &own : buckets) {
    std::vector<Sizes> longer;
    for (const Sizes &begun : all)
      for (int64_t bucket : own) {
        longer.push_back(begun);
        longer.back().push_back(bucket);
      }
    all = longer;
  }
  return all;
}

/// All sets of sizes with the largest one.
std::vector<Sizes> subsetsOf(const Sizes &sizes) {
  std::vector<Sizes> sets;
  for (unsigned bits = 0; bits < 1u << (sizes.size() - 1); ++bits) {
    Sizes set;
    for (unsigned i = 0; i + 1 < sizes.size(); ++i)
      if (bits >> i & 1)
        set.push_back(sizes[i]);
    set.push_back(sizes.back());
    sets.push_back(set);
  }
  return sets;
}

SizeHistogram makeRequests(std::mt19937 &random, size_t dims, int number) {
  SizeHistogram requests;
  requests.dims.assign(dims, "d");
  for (int i = 0; i < number; ++i) {
    std::vector<int64_t> sizes(dims);
    for (int64_t &size : sizes)
      size = 1 + random() % (dims == 1 ? 1000 : 6) * (1 + random() % 2);
    requests.counts[sizes] += 1 + random() % 50;
  }
  return requests;
}

TEST(BucketsTest, OneDimensionHasTheBest) {
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const SizeHistogram requests = makeRequests(random, 1, 2 + i % 8);
    const int64_t limit = 1 + i % 4;
    const BucketCost cost{i % 3 / 2.0};
    const std::vector<Sizes> chosen = chooseVariants(requests, limit, cost);
    ASSERT_LE(chosen.size(), size_t(limit));
    const double time = estimateSlowdown(requests, chosen, cost);
    double best = time;
    const std::vector<Sizes> all = subsetsOf(requests.getSizes(0));
    for (const Sizes &set : all)
      if (set.size() <= size_t(limit))
        best = std::min(best, estimateSlowdown(requests, combine({set}), cost));
    EXPECT_LE(time, best * 1.01 + 1e-9);
    for (const Sizes &set : all) {
      const double other = estimateSlowdown(requests, combine({set}), cost);
      if (set.size() == chosen.size())
        EXPECT_GE(other, time - 1e-9);
      else if (set.size() < chosen.size())
        EXPECT_GT(other, best * 1.01 - 1e-9) << "fewer variants would do";
    }
  }
}

TEST(BucketsTest, SeveralDimensionsAreCloseToTheBestGrid) {
  std::mt19937 random(2);
  for (int i = 0; i < 20; ++i) {
    const SizeHistogram requests = makeRequests(random, 2, 3 + i % 10);
    const BucketCost cost{i % 3 / 2.0};
    const std::vector<Sizes> chosen = chooseVariants(requests, 6, cost);
    ASSERT_LE(chosen.size(), 6u);
    EXPECT_EQ(chosen.back(), Sizes({requests.getSizes(0).back(), requests.getSizes(1).back()}));
    const double time = estimateSlowdown(requests, chosen, cost);
    for (const Sizes &a : subsetsOf(requests.getSizes(0)))
      for (const Sizes &b : subsetsOf(requests.getSizes(1)))
        if (a.size() * b.size() <= 6)
          EXPECT_LE(time, 1.03 * estimateSlowdown(requests, combine({a, b}), cost));
  }
}

TEST(BucketsTest, SizesThatDependOnEachOtherAreExact) {
  SizeHistogram requests;
  requests.dims = {"height", "width"};
  requests.counts = {{{480, 640}, 5}, {{640, 480}, 5}, {{224, 224}, 9}, {{512, 512}, 4}};
  EXPECT_EQ(chooseVariants(requests, 5, {1}).size(), 5u); // and the largest
  EXPECT_DOUBLE_EQ(estimateSlowdown(requests, chooseVariants(requests, 5, {1}), {1}),
                   BucketCost::kVariant);
  EXPECT_EQ(chooseVariants(requests, 1, {1}), std::vector<Sizes>({{640, 640}}));
}

TEST(BucketsTest, RangesCountEverySizeOnce) {
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    DimRange a, b;
    a.step = 1 + random() % 4;
    a.low = a.step * (1 + random() % 3);
    a.high = a.low + a.step * (random() % 30);
    b.low = 1 + random() % 5;
    b.high = b.low + random() % 9;
    SizeHistogram requests;
    requests.dims = {"a", "b"};
    for (int64_t x = a.low; x <= a.high; x += a.step)
      for (int64_t y = b.low; y <= b.high; ++y)
        requests.counts[{x, y}] = 1;
    // Not all combinations, and buckets between the sizes and below them.
    std::vector<Sizes> variants;
    for (int j = 0; j < i % 5; ++j)
      variants.push_back({int64_t(1 + random() % a.high), int64_t(1 + random() % b.high)});
    variants.push_back({a.high, b.high});
    const BucketCost cost{i % 3 / 2.0};
    const double expected = estimateSlowdown(requests, variants, cost);
    EXPECT_NEAR(estimateSlowdown({a, b}, variants, cost), expected, 1e-9 * expected);
    EXPECT_GE(expected, 1);
  }
}

TEST(BucketsTest, ManySizesAreFast) {
  std::mt19937 random(4);
  SizeHistogram requests;
  requests.dims = {"length"};
  for (int i = 0; i < 20000; ++i)
    requests.counts[{int64_t(1 + random() % 160000)}] += 1;
  const BucketCost cost{1};
  const std::vector<Sizes> chosen = chooseVariants(requests, 8, cost);
  EXPECT_EQ(chosen.size(), 8u);
  EXPECT_EQ(chosen.back()[0], requests.getSizes(0).back());
  EXPECT_LT(estimateSlowdown(requests, chosen, cost), 1.13 * BucketCost::kVariant);
}

} // namespace
