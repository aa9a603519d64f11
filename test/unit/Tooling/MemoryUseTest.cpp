// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Describe/MemoryUse.h"
#include "test/unit/Support/ShowBundles.h"

#include <gtest/gtest.h>

using namespace ttrt;
using namespace ttrt::test;
using namespace ttrun;

namespace {
/// An open bundle and its timeline.
struct Opened {
  explicit Opened(BundleBuilder builder)
      : file(builder.finish()), bundle(file.path(), TTRT_VERIFY_FULL),
        timeline(timelineOf(bundle)) {}
  TypeUse use(BufferType type) const { return useOf(bundle, timeline, type); }

  TemporaryFile file;
  Bundle bundle;
  std::vector<Point> timeline;
};
} // namespace

TEST(MemoryUse, Sample) {
  const Opened sample(sampleBundle());
  const TypeUse dram = sample.use(BufferType::Dram);
  EXPECT_EQ(dram.total, 64u * 1024 * 1024 - 192);
  // w at 0, then from 4096: x, y, a and c, b.
  EXPECT_EQ(dram.used, 5 * kSampleBytes);
  EXPECT_EQ(dram.free, dram.total - dram.used);
  EXPECT_EQ(dram.largestGap, dram.total - (4096 + 4 * kSampleBytes));
  EXPECT_EQ(dram.constants, kSampleBytes);
  EXPECT_EQ(dram.slots, 2 * kSampleBytes);
  EXPECT_EQ(dram.peak, 5 * kSampleBytes);
  EXPECT_EQ(dram.peakTime, 3u);
  EXPECT_EQ(dram.lowerBound, 2 * kSampleBytes);
  EXPECT_EQ(dram.lowerBoundTime, 3u);
  EXPECT_EQ(dram.arenaSize, 2 * kSampleBytes);
  // A write, twice w and what else an addition has, twice a reverse, a read.
  EXPECT_EQ(dram.moved, (1 + 2 * 3 + 2 * 2 + 1) * kSampleBytes);
  EXPECT_EQ(dram.movedConstants, 2 * kSampleBytes);
  ASSERT_EQ(dram.atPeak.size(), 2u);
  EXPECT_EQ(dram.atPeak[0].name, "a");
  EXPECT_EQ(dram.atPeak[1].name, "b");

  const TypeUse l1 = sample.use(BufferType::L1);
  EXPECT_EQ(l1.total, 64u * 1024);
  EXPECT_EQ(l1.used, 64u);
  EXPECT_EQ(l1.scratch, 64u);
  EXPECT_EQ(l1.peakTime, 3u);
  ASSERT_EQ(l1.atPeak.size(), 1u);
  EXPECT_EQ(l1.atPeak[0].source, "Reverse_0");

  const TypeUse trace = sample.use(BufferType::Trace);
  EXPECT_EQ(trace.total, 192u);
  EXPECT_EQ(trace.used, 192u);
  EXPECT_EQ(trace.free, 0u);
  EXPECT_EQ(trace.address, 64u * 1024 * 1024 - 192);
  EXPECT_EQ(sample.use(BufferType::Host).total, 0u);
}

TEST(MemoryUse, GapsBetweenBuffers) {
  BundleBuilder builder = sampleBundle();
  // After a hole of 1 MiB, up to the page in which the TRACE region begins.
  const uint64_t dram = 64 * 1024 * 1024;
  builder.buffer("high", fb::BufferKind::State, 4096 + 4 * kSampleBytes + (1 << 20),
                 dram - 4096 - (4096 + 4 * kSampleBytes + (1 << 20)));
  const Opened opened(std::move(builder));
  const TypeUse use = opened.use(BufferType::Dram);
  EXPECT_EQ(use.largestGap, 1u << 20);
  EXPECT_EQ(use.free, (1u << 20) + (4096 - 192) + (4096 - kSampleBytes));
}

TEST(MemoryUse, TimelineNamesEveryPoint) {
  const Opened sample(sampleBundle());
  ASSERT_EQ(sample.timeline.size(), 10u);
  EXPECT_EQ(pointText(sample.timeline[0]), "write input x");
  EXPECT_EQ(pointText(sample.timeline[1]), "dispatch test_add, from Add_0");
  EXPECT_EQ(pointText(sample.timeline[2]), "barrier");
  EXPECT_EQ(sample.timeline[3].offset, 40u + 8);
  EXPECT_EQ(pointText(sample.timeline[8]), "end");
  EXPECT_EQ(pointText(sample.timeline[9]), "read output y");
}

TEST(MemoryUse, ManyBuffers) {
  const Opened many(manyBundle(4000));
  const TypeUse use = many.use(BufferType::Dram);
  // Against a walk over all points.
  const std::vector<Block> blocks = blocksOf(many.bundle, many.timeline, BufferType::Dram);
  EXPECT_EQ(blocks.size(), 4000u + 1000 + 1);
  uint64_t peak = 0, time = 0;
  for (uint64_t t = 0; t < many.timeline.size(); ++t) {
    uint64_t sum = 0;
    for (const Block &block : blocks)
      sum += block.alive(t) ? block.size : 0;
    if (sum > peak) {
      peak = sum;
      time = t;
    }
  }
  EXPECT_EQ(use.peak, peak);
  EXPECT_EQ(use.peakTime, time);
  EXPECT_EQ(use.lowerBound, peak - use.constants - use.slots);
  EXPECT_GT(use.arenaSize, use.lowerBound);
}
