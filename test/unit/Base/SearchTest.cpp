// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The containers that the proof searches, against those of the standard library.

#include "Base/NumberSet.h"
#include "Base/Sequences.h"
#include "Base/Sort.h"
#include "ttrt/format/dataflow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace ttrt;

namespace {

TEST(NumberSet, FindsTheGreatestBelow) {
  for (size_t limit : {1, 63, 64, 65, 4095, 4096, 4097, 262144, 300000}) {
    std::mt19937_64 random(limit);
    NumberSet numbers(limit);
    std::set<size_t> model;
    for (int i = 0; i < 4000; ++i) {
      // Mostly near the ends, so that the set is empty for long stretches, and now and then.
      const size_t number = random() % 3 ? random() % std::min<size_t>(limit, 70)
                                         : limit - 1 - random() % std::min<size_t>(limit, 5000);
      if (random() % 2 || i % 1000 > 900) {
        numbers.remove(number);
        model.erase(number);
      } else {
        numbers.add(number);
        model.insert(number);
      }
      const size_t end = i % 2 ? random() % (limit + 1) : limit;
      const auto next = model.lower_bound(end);
      const size_t expected = next == model.begin() ? NumberSet::kNone : *std::prev(next);
      ASSERT_EQ(numbers.lastBelow(end), expected) << "limit " << limit << ", end " << end;
    }
  }
}

TEST(NumberSet, MayHaveRoomForNone) { EXPECT_EQ(NumberSet(0).lastBelow(0), NumberSet::kNone); }

TEST(Sequences, AreNumberedInTheirOrder) {
  std::mt19937_64 random(1);
  Sequences sequences;
  std::map<Sequences::Words, size_t> model;
  for (int i = 0; i < 20000; ++i) {
    Sequences::Words words(1 + random() % 3);
    for (uint64_t &word : words)
      word = random() % 20;
    const auto known = model.find(words);
    ASSERT_EQ(sequences.find(words), known == model.end() ? Sequences::kNone : known->second);
    if (random() % 2)
      ASSERT_EQ(sequences.add(words), model.try_emplace(words, model.size()).first->second);
    ASSERT_EQ(sequences.size(), model.size());
  }
  EXPECT_GT(model.size(), 3000u);
}

TEST(Sequences, AreFoundAsAWholeOnly) {
  Sequences sequences;
  EXPECT_EQ(sequences.find({1}), Sequences::kNone);
  for (uint64_t i = 0; i < 100; ++i)
    EXPECT_EQ(sequences.add({i, i + 1}), i);
  for (uint64_t i = 0; i < 100; ++i)
    EXPECT_EQ(sequences.find({i, i + 1}), i);
  EXPECT_EQ(sequences.find({99}), Sequences::kNone) << "the beginning of a sequence";
  EXPECT_EQ(sequences.find({99, 100, 0}), Sequences::kNone);
}

TEST(Sort, ByNumberIsStable) {
  std::mt19937_64 random(1);
  for (uint64_t mask : {uint64_t(0), uint64_t(7), uint64_t(0xff00), ~uint64_t(0)})
    for (uint32_t count : {0u, 1u, 2u, 256u, 1000u}) {
      std::vector<Numbered> items(count);
      for (uint32_t i = 0; i < count; ++i)
        items[i] = {random() & mask, i};
      std::vector<Numbered> expected = items;
      std::sort(expected.begin(), expected.end(), [](const Numbered &a, const Numbered &b) {
        return std::pair(a.number, a.item) < std::pair(b.number, b.item);
      });
      sortByNumber(items.data(), items.size());
      for (uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(items[i].number, expected[i].number);
        ASSERT_EQ(items[i].item, expected[i].item);
      }
    }
}

TEST(Sort, AGuessDoesNotChangeTheResult) {
  const std::vector<uint64_t> sorted = {0, 3, 3, 3, 7, 9, ~uint64_t(0)};
  for (const auto &numbers : {std::vector<uint64_t>(), sorted})
    for (uint64_t value : {0, 1, 2, 3, 4, 6, 7, 8, 9, 10})
      for (size_t guess = 0; guess < 20; ++guess) {
        size_t near = guess;
        const auto expected = static_cast<size_t>(
            std::upper_bound(numbers.begin(), numbers.end(), value) - numbers.begin());
        EXPECT_EQ(countUpTo(numbers, value, near), expected);
        EXPECT_EQ(near, expected);
      }
}

/// The sums for numbers that a product of 64 bits cannot hold are the exact ones modulo 2^64.
TEST(Moments, AreExactModulo64Bits) {
  using Wide = unsigned __int128;
  for (uint64_t n : {uint64_t(0), uint64_t(1), uint64_t(2), uint64_t(3), uint64_t(1000),
                     uint64_t(0xffffffff), (uint64_t(1) << 40) + 1, (uint64_t(1) << 46) - 1}) {
    // n (n - 1) (2 n - 1) / 6, with the division by 3 where it leaves nothing.
    const Wide pairs = n ? Wide(n) * (n - 1) / 2 : 0, odd = Wide(n) * 2 - 1;
    const Wide squares = pairs % 3 == 0 ? pairs / 3 * odd : pairs * (odd / 3);
    const dataflow::Moments moments = dataflow::momentsBelow(n);
    EXPECT_EQ(moments.count, n);
    EXPECT_EQ(moments.sum, static_cast<uint64_t>(pairs));
    EXPECT_EQ(moments.squares, static_cast<uint64_t>(squares));
  }
}

} // namespace
