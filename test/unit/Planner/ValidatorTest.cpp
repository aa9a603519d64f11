// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The validator is tested by mutation: right plans are accepted, and each way of breaking one
// is found.
#include "ttc/Planner/Validator.h"
#include "Problems.h"
#include "test/unit/Support/Rounds.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace ttc::planner;

namespace {

bool has(const std::vector<Fault> &faults, FaultKind kind) {
  return std::any_of(faults.begin(), faults.end(),
                     [&](const Fault &fault) { return fault.kind == kind; });
}

int64_t arenaSizeOf(const std::vector<Buffer> &buffers, const Plan &plan) {
  int64_t arenaSize = 0;
  for (size_t i = 0; i < buffers.size(); ++i)
    arenaSize = std::max(arenaSize, plan.offsets[i] + buffers[i].size);
  return arenaSize;
}

/// The definition, in quadratic time.
bool overlaps(const std::vector<Buffer> &buffers, const Plan &plan) {
  for (size_t i = 0; i < buffers.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Buffer &a = buffers[i], &b = buffers[j];
      if (a.lower < b.upper && b.lower < a.upper && a.size > 0 && b.size > 0 &&
          plan.offsets[i] < plan.offsets[j] + b.size && plan.offsets[j] < plan.offsets[i] + a.size)
        return true;
    }
  return false;
}

} // namespace

TEST(Validator, FindsAMissingOffset) {
  std::vector<Buffer> buffers = test::network(1, 20);
  Plan result = plan(buffers);
  result.offsets.pop_back();
  EXPECT_TRUE(has(validate(buffers, result), FaultKind::Count));
}

TEST(Validator, FindsBadBuffers) {
  Plan result{{0}, 8};
  for (Buffer buffer : {Buffer{0, 1, -8, 1, {}}, Buffer{0, 1, 8, 0, {}}, Buffer{3, 3, 8, 1, {}},
                        Buffer{3, 2, 8, 1, {}}})
    EXPECT_TRUE(has(validate(std::span(&buffer, 1), result), FaultKind::BadBuffer));
}

TEST(Validator, FindsANegativeOffset) {
  std::vector<Buffer> buffers = {{0, 1, 64, 64, {}}};
  EXPECT_TRUE(has(validate(buffers, Plan{{-64}, 0}), FaultKind::Negative));
}

TEST(Validator, FindsAWrongAlignment) {
  std::vector<Buffer> buffers = {{0, 1, 64, 64, {}}};
  EXPECT_TRUE(has(validate(buffers, Plan{{32}, 96}), FaultKind::Misaligned));
}

TEST(Validator, FindsAMovedFixedBuffer) {
  std::vector<Buffer> buffers = {{0, 1, 64, 64, 128}};
  EXPECT_TRUE(has(validate(buffers, Plan{{64}, 128}), FaultKind::Moved));
}

TEST(Validator, FindsAWrongHeight) {
  std::vector<Buffer> buffers = test::network(1, 20);
  Plan result = plan(buffers);
  ++result.arenaSize;
  EXPECT_TRUE(has(validate(buffers, result), FaultKind::ArenaSize));
}

TEST(Validator, FindsAPlanAboveCapacity) {
  std::vector<Buffer> buffers = test::network(1, 20);
  Plan result = plan(buffers);
  EXPECT_TRUE(validate(buffers, result, result.arenaSize).empty());
  EXPECT_TRUE(has(validate(buffers, result, result.arenaSize - 1), FaultKind::Capacity));
}

TEST(Validator, TouchingInTimeOrSpaceIsNoOverlap) {
  std::vector<Buffer> buffers = {{0, 2, 64}, {2, 4, 64}, {0, 4, 64}};
  EXPECT_TRUE(validate(buffers, Plan{{0, 0, 64}, 128}).empty());
}

TEST(Validator, FindsOneByteAndOnePointOfOverlap) {
  std::vector<Buffer> buffers = {{0, 2, 64}, {1, 3, 64}};
  EXPECT_TRUE(has(validate(buffers, Plan{{0, 63}, 127}), FaultKind::Overlap));
  EXPECT_TRUE(has(validate(buffers, Plan{{63, 0}, 127}), FaultKind::Overlap));
  buffers[1].lower = 2;
  EXPECT_TRUE(validate(buffers, Plan{{0, 63}, 127}).empty());
}

TEST(Validator, OverlapNamesBothBuffers) {
  std::vector<Buffer> buffers = {{0, 9, 10}, {0, 9, 10}, {0, 9, 10}};
  std::vector<Fault> faults = validate(buffers, Plan{{0, 20, 25}, 35});
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].first, 1u);
  EXPECT_EQ(faults[0].second, 2u);
  EXPECT_EQ(faults[0].message, "buffer 1 at [20, 30), alive in [0, 9), overlaps buffer 2 at "
                               "[25, 35), alive in [0, 9)");
}

static const unsigned kSeeds = ttrt::test::isNightly() ? 400 : 100;

// One offset moved at random: the validator must agree with the definition, whatever comes out.
TEST(Validator, AgreesWithTheDefinitionOnMovedBuffers) {
  int wrong = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::vector<Buffer> buffers = seed % 2 ? test::network(seed, 60) : test::noise(seed, 60);
    for (Buffer &buffer : buffers)
      buffer.alignment = 1;
    Plan result = plan(buffers);
    std::mt19937 random(seed);
    size_t victim = random() % buffers.size();
    result.offsets[victim] = static_cast<int64_t>(random() % (result.arenaSize + 1));
    result.arenaSize = arenaSizeOf(buffers, result);
    EXPECT_EQ(!validate(buffers, result).empty(), overlaps(buffers, result)) << "seed " << seed;
    wrong += overlaps(buffers, result);
  }
  EXPECT_GT(wrong, int(kSeeds / 4)); // the mutation does break plans
}

// A lifetime that is longer than the planner was told.
TEST(Validator, AgreesWithTheDefinitionOnLongerLifetimes) {
  int wrong = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::vector<Buffer> buffers = test::network(seed, 60);
    Plan result = plan(buffers);
    std::mt19937 random(seed);
    Buffer &victim = buffers[random() % buffers.size()];
    victim.upper += 1 + random() % 5;
    victim.lower -= random() % 5;
    EXPECT_EQ(!validate(buffers, result).empty(), overlaps(buffers, result)) << "seed " << seed;
    wrong += overlaps(buffers, result);
  }
  EXPECT_GT(wrong, int(kSeeds / 4));
}

// A buffer that is larger than the planner was told.
TEST(Validator, AgreesWithTheDefinitionOnLargerBuffers) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::vector<Buffer> buffers = test::network(seed, 60);
    Plan result = plan(buffers);
    std::mt19937 random(seed);
    buffers[random() % buffers.size()].size += 1;
    result.arenaSize = arenaSizeOf(buffers, result);
    EXPECT_EQ(!validate(buffers, result).empty(), overlaps(buffers, result)) << "seed " << seed;
  }
}
