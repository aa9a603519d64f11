// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map of bytes against a byte-by-byte model, by random accesses in rows of several tensors that
// take over each other's bytes: an exact map says the same, a conservative one never says too
// little.

#include "Proof/ShadowMemory.h"
#include "test/unit/Support/Rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>

namespace ttrt {
namespace {

constexpr uint64_t kBytes = 2048;
constexpr uint32_t kQueues = 2;

/// Node n is on queue n % 2, at position n / 2 / 3: some share theirs.
struct Order : TouchOrder {
  static uint32_t queue(Touch touch) { return touch.node % kQueues; }
  static uint32_t position(Touch touch) { return touch.node / kQueues / 3; }
  void keepLast(std::vector<Touch> &touches) const override {
    uint32_t last[kQueues] = {};
    for (Touch touch : touches)
      last[queue(touch)] = std::max(last[queue(touch)], position(touch));
    std::erase_if(touches, [&](Touch touch) { return position(touch) < last[queue(touch)]; });
  }
};

struct Cell {
  Touch writer;
  int64_t inference;
  std::set<uint32_t> readers; ///< nodes
};
using Cells = std::vector<std::optional<Cell>>;

/// Adds a reader, if there is one: so the histories show what was visited.
struct Visitor : ByteVisitor {
  explicit Visitor(ShadowMemory &map, std::optional<Touch> reader = {})
      : map(map), reader(reader) {}
  void written(const VisitedBytes &, History &history) override {
    if (reader)
      history.readers = map.addReader(*reader, history.readers);
  }
  void unwritten(uint64_t, uint64_t) override {}

private:
  ShadowMemory &map;
  const std::optional<Touch> reader;
};

template <typename Function> void forEachByte(const Span &span, Function function) {
  for (uint64_t row = 0; row < span.rows(); ++row)
    for (uint64_t i = 0; i < std::min(span.row, span.bytes); ++i)
      function(span.address + row * span.pitch + i);
}

/// Where each byte's history stands in the map.
std::vector<const History *> histories(const ShadowMemory &map) {
  std::vector<const History *> all(kBytes);
  for (const auto &[begin, band] : map.all())
    for (uint64_t row = begin; row < band.end; row += band.pitch)
      for (const ShadowMemory::Column &column : band.columns)
        for (uint64_t i = column.begin; i < column.end; ++i) {
          EXPECT_EQ(all.at(row + i), nullptr) << "byte " << row + i << " is twice in the map";
          all[row + i] = &column.history;
        }
  return all;
}

std::vector<Touch> touchesOf(const ShadowMemory &map, const History &history, bool withWriter) {
  std::vector<Touch> touches;
  if (withWriter)
    touches.push_back(history.writer);
  for (uint32_t i = history.readers; i != ShadowMemory::kNoReaders; i = map.reader(i).next)
    touches.push_back(map.reader(i).touch);
  return touches;
}

bool isCovered(uint32_t node, const std::vector<Touch> &touches) {
  const Touch touch{node, 0};
  return std::any_of(touches.begin(), touches.end(), [&](Touch other) {
    return other == touch || (Order::queue(other) == Order::queue(touch) &&
                              Order::position(other) > Order::position(touch));
  });
}

void expectSame(const ShadowMemory &map, const Cells &cells) {
  const std::vector<const History *> found = histories(map);
  for (uint64_t i = 0; i < kBytes; ++i) {
    if (found[i] && found[i]->conservative) {
      EXPECT_TRUE(map.isConservative());
      if (!cells[i])
        continue;
      const std::vector<Touch> touches = touchesOf(map, *found[i], true);
      EXPECT_TRUE(isCovered(cells[i]->writer.node, touches)) << "byte " << i;
      for (uint32_t reader : cells[i]->readers)
        EXPECT_TRUE(isCovered(reader, touches)) << "byte " << i;
      continue;
    }
    ASSERT_EQ(found[i] != nullptr, cells[i].has_value()) << "byte " << i;
    if (!found[i])
      continue;
    EXPECT_EQ(found[i]->writer, cells[i]->writer) << "byte " << i;
    EXPECT_EQ(found[i]->inference, cells[i]->inference) << "byte " << i;
    std::set<uint32_t> readers;
    for (Touch touch : touchesOf(map, *found[i], false))
      readers.insert(touch.node);
    if (map.isConservative())
      EXPECT_TRUE(std::includes(readers.begin(), readers.end(), cells[i]->readers.begin(),
                                cells[i]->readers.end()))
          << "byte " << i;
    else
      EXPECT_EQ(readers, cells[i]->readers) << "byte " << i;
  }
}

class RandomRows {
public:
  explicit RandomRows(uint32_t seed) : random(seed) {}
  uint64_t upTo(uint64_t most) { return random() % (most + 1); }
  /// A span of one of some tensors that overlap: all of it, some of its bytes, or some columns of
  /// its rows.
  Span span() {
    static constexpr struct {
      uint64_t base, pitch, rows;
    } kTensors[] = {{0, 64, 20},  {0, 96, 15},   {256, 48, 30}, {512, 160, 8},
                    {100, 7, 90}, {180, 96, 15}, {300, 160, 9}};
    const auto &tensor = kTensors[upTo(std::size(kTensors) - 1)];
    const uint64_t bytes = tensor.pitch * tensor.rows;
    switch (upTo(3)) {
    case 0:
      return {tensor.base, bytes, bytes, bytes, tensor.base};
    case 1: {
      const uint64_t from = upTo(bytes - 1), size = 1 + upTo(bytes - from - 1);
      return {tensor.base + from, size, size, size, tensor.base};
    }
    }
    const uint64_t column = upTo(3) * (tensor.pitch / 4), row = 1 + upTo(tensor.pitch - column - 1),
                   first = upTo(1) ? 0 : upTo(tensor.rows - 2);
    const uint64_t rows = upTo(1) ? tensor.rows - first : 2 + upTo(tensor.rows - first - 2);
    const uint64_t address = tensor.base + first * tensor.pitch + column;
    return {address, (rows - 1) * tensor.pitch + row, row, tensor.pitch,
            upTo(3) ? tensor.base : address};
  }

private:
  std::mt19937 random;
};

void walk(uint32_t seed, bool conservative, uint64_t &timesConservative) {
  Order order;
  ShadowMemory map = conservative ? ShadowMemory(&order) : ShadowMemory();
  Cells cells(kBytes);
  RandomRows random(seed);
  for (uint32_t node = 0; node < 60; ++node) {
    const Touch touch{node, 0};
    const Span span = random.span();
    const bool isWrite = random.upTo(1);
    Visitor visitor(map, isWrite ? std::nullopt : std::optional(touch));
    visitor.needsExact = !isWrite && random.upTo(1);
    map.forEach(span, visitor);
    if (isWrite)
      map.write(span, touch, node, 0);
    forEachByte(span, [&](uint64_t i) {
      if (isWrite)
        cells[i] = Cell{touch, node, {}};
      else if (cells[i])
        cells[i]->readers.insert(node);
    });
    expectSame(map, cells);
    if (testing::Test::HasFailure())
      FAIL() << "seed " << seed << ", access " << node << ": " << span.address << " + "
             << span.bytes << ", rows of " << span.row << " each " << span.pitch;
  }
  timesConservative += map.isConservative();
}

TEST(ShadowMemory, ExactMapIsTheModel) {
  uint64_t times = 0;
  for (uint32_t seed = 0; seed < uint32_t(ttrt::test::rounds(150)) && !testing::Test::HasFailure();
       ++seed)
    walk(seed, /*conservative=*/false, times);
  EXPECT_EQ(times, 0u);
}

TEST(ShadowMemory, ConservativeMapCoversTheModel) {
  uint64_t times = 0;
  for (uint32_t seed = 0; seed < uint32_t(ttrt::test::rounds(150)) && !testing::Test::HasFailure();
       ++seed)
    walk(seed, /*conservative=*/true, times);
  EXPECT_GT(times, uint64_t(ttrt::test::rounds(100)));
}

/// An image's channels are written one by one, and the first pixels of its lines are read.
TEST(ShadowMemory, ReadsOfWholeRowsOfABandAreExact) {
  class Exact final : public ByteVisitor {
  public:
    void written(const VisitedBytes &bytes, History &history) override {
      EXPECT_TRUE(bytes.exact);
      EXPECT_FALSE(history.conservative);
      found += (bytes.end - bytes.begin) * bytes.rows;
      ++visits;
    }
    void unwritten(uint64_t begin, uint64_t end) override { ADD_FAILURE() << begin << ".." << end; }
    uint64_t found = 0, visits = 0;
  };
  constexpr uint64_t kLines = 50, kPixels = 30, kRead = 20, kPixel = 32, kChannel = 4;
  const Order order;
  ShadowMemory map(&order);
  // An older tensor, whose rows are others.
  map.write({0, kLines * kPixels * kPixel, 40, 56, 0}, {0, 0}, 0, 0);
  for (uint64_t channel = 0; channel < kPixel; channel += kChannel) {
    const Span part{channel, (kLines * kPixels - 1) * kPixel + kChannel, kChannel, kPixel, 0};
    Visitor visitor(map);
    map.forEach(part, visitor);
    map.write(part, {1, 0}, 0, 0);
  }
  Exact visitor;
  visitor.needsExact = true;
  map.forEach(
      {0, (kLines - 1) * kPixels * kPixel + kRead * kPixel, kRead * kPixel, kPixels * kPixel, 0},
      visitor);
  EXPECT_EQ(visitor.found, kLines * kRead * kPixel);
  EXPECT_LE(visitor.visits, kLines * (kPixel / kChannel + 2));
}

/// Two tensors of many rows, at 0 and at `begin`, take over each other's bytes, part by part.
ShadowMemory takeOver(ShadowMemory map, uint64_t rows, uint64_t begin, uint64_t pitch) {
  uint32_t node = 0;
  for (uint32_t turn = 0; turn < 6; ++turn) {
    const Span all = turn % 2 ? Span{begin, rows * pitch, pitch / 4, pitch, begin}
                              : Span{0, rows * 768, 768 / 4, 768, 0};
    for (uint64_t column = 0; column < all.pitch; column += all.row) {
      const Span part{all.address + column, (rows - 1) * all.pitch + all.row, all.row, all.pitch,
                      all.phase};
      Visitor visitor(map);
      map.forEach(part, visitor);
      map.write(part, {node++, 0}, 0, 0);
    }
  }
  return map;
}

TEST(ShadowMemory, BandsDoNotGrowWithRows) {
  const Order order;
  EXPECT_LE(takeOver(ShadowMemory(&order), 20, 0, 1024).all().size(), 20u);
  EXPECT_LE(takeOver(ShadowMemory(&order), 2000, 0, 1024).all().size(), 20u);
  EXPECT_GT(takeOver(ShadowMemory(), 500, 0, 1024).all().size(), 1000u);
}

/// At 192, all parts of the second tensor but the last fit into rows of the first one.
TEST(ShadowMemory, RowsOfOnePitchStayTogetherWhereverTheyBegin) {
  const Order order;
  for (uint64_t begin : {64, 192, 300, 767, 768 * 7 + 192})
    for (const ShadowMemory &empty : {ShadowMemory(&order), ShadowMemory()}) {
      const ShadowMemory map = takeOver(empty, 2000, begin, 768);
      EXPECT_LE(map.all().size(), 30u) << "begin " << begin;
      for (const auto &[address, band] : map.all())
        for (const ShadowMemory::Column &column : band.columns)
          EXPECT_FALSE(column.history.conservative) << "begin " << begin << ", at " << address;
    }
}

} // namespace
} // namespace ttrt
