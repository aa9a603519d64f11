// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof walks each body once. Random nests of loops, judged by whether three iterations of each
// find what they may; and how much a proof of nested loops does.

#include "ProofBundles.h"
#include "test/unit/Support/LoopBundle.h"

#include "Bundle/Verifier.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>

namespace ttrt::test {
namespace {

/// A command that reads a buffer and writes another one, or a loop.
struct Item {
  bool isLoop = false, isCopy = false;
  uint32_t to = 0, from = 0;
  std::vector<uint32_t> carried;
  std::vector<Item> body;
};

/// A stream of loops in loops on a few buffers, which all have contents before.
class Nest {
public:
  static constexpr uint32_t kBuffers = 4;

  explicit Nest(uint32_t seed) : random(seed) { items = makeItems(0); }

  BundleBuilder build(bool isWide) const {
    LoopBundle b({.isWide = isWide});
    std::vector<uint64_t> places = {b.a, b.b};
    for (uint32_t i = 2; i < kBuffers; ++i) {
      places.push_back(b.flag + 1024 * i);
      b.builder.buffer("more" + std::to_string(i), fb::BufferKind::Activation, places[i], b.bytes);
    }
    for (uint64_t place : places)
      b.stream.copy(place, b.x, b.bytes);
    b.barrier();
    emit(b, places, items);
    b.stream.copy(b.y, places[last()], b.bytes);
    return b.finish();
  }

  /// Whether each read finds what the same iterations have written, or what was written before all
  /// loops that have ended an iteration since then; or what those carry.
  bool isRight() const {
    Run run;
    return simulate(run, items) && run.mayRead(last());
  }

private:
  struct Run {
    std::vector<uint32_t>
        path; ///< the iterations that have begun and not ended, each with a number
    std::vector<uint32_t> writtenIn[kBuffers]; ///< the path of the last write
    uint32_t iterations = 0;

    bool mayRead(uint32_t buffer) const {
      return std::all_of(writtenIn[buffer].begin(), writtenIn[buffer].end(),
                         [&](uint32_t iteration) {
                           return std::find(path.begin(), path.end(), iteration) != path.end();
                         });
    }
  };

  uint32_t pick(uint32_t count) { return static_cast<uint32_t>(random() % count); }
  uint32_t last() const { return (items.front().to + items.front().from) % kBuffers; }

  std::vector<Item> makeItems(uint32_t depth) {
    std::vector<Item> made;
    for (uint32_t i = 0, count = 1 + pick(3); i < count; ++i) {
      Item item;
      if (item.to = pick(kBuffers); depth < 4 && pick(3) == 0) {
        item.isLoop = true;
        for (uint32_t buffer = 0; buffer < kBuffers; ++buffer)
          if (pick(2))
            item.carried.push_back(buffer);
        item.body = makeItems(depth + 1);
      } else {
        item.from = (item.to + 1 + pick(kBuffers - 1)) % kBuffers;
        item.isCopy = pick(2);
      }
      made.push_back(item);
    }
    return made;
  }

  static void emit(LoopBundle &b, const std::vector<uint64_t> &places,
                   const std::vector<Item> &items) {
    for (const Item &item : items) {
      if (item.isLoop) {
        std::vector<CarriedRange> carried;
        for (uint32_t buffer : item.carried)
          carried.push_back({places[buffer], b.bytes});
        b.stream.repeat(3, carried, b.options());
        emit(b, places, item.body);
        b.stream.endRepeat();
      } else if (item.isCopy && !b.shape.isWide) {
        b.stream.copy(places[item.to], places[item.from], b.bytes);
      } else {
        b.addTo(places[item.to], places[item.from]);
      }
      b.barrier();
    }
  }

  static bool simulate(Run &run, const std::vector<Item> &items) {
    for (const Item &item : items) {
      if (!item.isLoop) {
        if (!run.mayRead(item.from))
          return false;
        run.writtenIn[item.to] = run.path;
        continue;
      }
      auto handOn = [&](const std::vector<uint32_t> &path) {
        for (uint32_t buffer : item.carried) {
          if (!run.mayRead(buffer))
            return false;
          run.writtenIn[buffer] = path;
        }
        return true;
      };
      const std::vector<uint32_t> around = run.path;
      if (!handOn(around))
        return false;
      for (uint32_t i = 0; i < 3; ++i) {
        run.path.push_back(++run.iterations);
        if (!simulate(run, item.body) || !handOn(around))
          return false;
        run.path.pop_back();
      }
    }
    return true;
  }

  std::mt19937 random;
  std::vector<Item> items;
};

TEST(NestedLoopProof, TakesExactlyWhatIsRight) {
  uint32_t right = 0, wrong = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    const Nest nest(seed);
    const bool isRight = nest.isRight();
    for (bool isWide : {false, true}) {
      BundleBuilder builder = nest.build(isWide);
      const std::string said = verdict(builder);
      EXPECT_EQ(said.empty(), isRight) << "seed " << seed << ", wide " << isWide << ": " << said;
      if (!isRight) {
        EXPECT_NE(said.find("for its own iteration"), std::string::npos) << said;
      }
    }
    ++(isRight ? right : wrong);
  }
  EXPECT_GT(right, 500u);
  EXPECT_GT(wrong, 500u);
}

/// The accesses that a proof of loops of this depth, around a body of some length, looks at.
uint64_t accessesOf(uint32_t depth) {
  LoopBundle b({.depth = depth});
  b.begin();
  for (uint32_t i = 0; i < depth; ++i)
    b.stream.repeat(3, b.carried(), b.options());
  for (uint32_t i = 0; i < 100; ++i)
    b.body();
  for (uint32_t i = 0; i < depth; ++i)
    b.stream.endRepeat();
  b.end();
  const TemporaryFile file(b.finish().finish());
  return Bundle(file.path(), TTRT_VERIFY_FULL).prove().accesses;
}

TEST(NestedLoopProof, WalksEachBodyOnce) {
  const uint64_t one = accessesOf(1);
  for (uint32_t depth = 2; depth <= kMaxRepeatDepth; ++depth)
    EXPECT_LT(accessesOf(depth), one + one / 10) << depth;
}

} // namespace
} // namespace ttrt::test
