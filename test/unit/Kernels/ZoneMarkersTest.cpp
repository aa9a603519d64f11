// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kernels/ZoneMarkers.h: what a kernel records, and what it leaves out.
#include "kernels/ZoneMarkers.h"
#include "KernelCases.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace ttc::kernels;
using namespace ttrt::profile;

/// The compiler's part.
extern "C" uint32_t ttc_zone_id(const char *name) noexcept { return nameHash(name, strlen(name)); }
extern "C" uint64_t ttc_target_time() noexcept {
  static uint64_t time = 0;
  return ++time;
}

namespace {

class Zones : public testing::Test {
protected:
  Zones() {
    // As scratch is found: of another program.
    memset(static_cast<void *>(&markers), 0xa5, sizeof(markers));
    markers.reset(/*record=*/true);
    workgroup();
  }

  /// What the entry of a program does first.
  void workgroup() { beginGuaranteed(&markers, kMainBegin, ttc_zone_id("main")); }

  std::vector<MarkerKind> kinds() const {
    std::vector<MarkerKind> kinds;
    for (uint32_t i = 0; i < markers.count; ++i)
      kinds.push_back(markers.optional[i].kind);
    return kinds;
  }

  ProgramMarkers markers;
};

TEST_F(Zones, NestInOrder) {
  {
    TTC_ZONE(&markers, "outer");
    {
      TTC_ZONE(&markers, "inner");
    }
    TTC_EVENT(&markers, "event");
    TTC_DATA(&markers, "data", 0x123456789abcdef0u);
  }
  using enum MarkerKind;
  ASSERT_EQ(kinds(), (std::vector{ZoneBegin, ZoneBegin, ZoneEnd, Event, Data, Payload, ZoneEnd}));
  EXPECT_EQ(markers.optional[0].id, nameHash("outer", 5));
  EXPECT_EQ(markers.optional[1].id, nameHash("inner", 5));
  EXPECT_EQ(markers.optional[2].id, nameHash("inner", 5));
  EXPECT_EQ(markers.optional[3].id, nameHash("event", 5));
  EXPECT_EQ(markers.optional[4].id, nameHash("data", 4));
  EXPECT_EQ(markers.optional[5].time, 0x123456789abcdef0u);
  EXPECT_EQ(markers.optional[6].id, nameHash("outer", 5));
  EXPECT_LE(markers.optional[0].time, markers.optional[1].time);
  EXPECT_LE(markers.optional[1].time, markers.optional[2].time);
  EXPECT_LE(markers.optional[2].time, markers.optional[6].time);
  EXPECT_EQ(markers.dropped, 0u);
}

TEST_F(Zones, KeepTheirEndsWhenFull) {
  constexpr uint32_t kInner = 200;
  {
    TTC_ZONE(&markers, "outer");
    for (uint32_t i = 0; i < kInner; ++i) {
      TTC_ZONE(&markers, "inner");
      TTC_EVENT(&markers, "event");
    }
  }
  EXPECT_EQ(markers.count + markers.dropped, 2 + 3 * kInner);
  EXPECT_EQ(markers.count, kOptionalMarkers);
  int open = 0;
  for (MarkerKind kind : kinds()) {
    open += (kind == MarkerKind::ZoneBegin) - (kind == MarkerKind::ZoneEnd);
    EXPECT_GE(open, 0);
  }
  EXPECT_EQ(open, 0);
  EXPECT_EQ(markers.optional[kOptionalMarkers - 1].id, nameHash("outer", 5));
}

TEST_F(Zones, NeverSplitData) {
  for (uint32_t i = 0; i < kOptionalMarkers - 1; ++i)
    TTC_EVENT(&markers, "event");
  TTC_DATA(&markers, "data", 1);
  EXPECT_EQ(markers.count, kOptionalMarkers - 1);
  EXPECT_EQ(markers.dropped, 2u);
  TTC_EVENT(&markers, "event");
  EXPECT_EQ(markers.count, kOptionalMarkers);
  EXPECT_EQ(markers.dropped, 2u);
}

TEST_F(Zones, GuaranteedKeepFirstBeginAndLastEnd) {
  const uint64_t begin = markers.guaranteed[kMainBegin].time;
  uint64_t child = 0, end = 0;
  for (int i = 0; i < 3; ++i) {
    workgroup();
    {
      TTC_MAIN_CHILD_ZONE(&markers, "child");
      if (i == 0)
        child = markers.guaranteed[kChildBegin].time;
    }
    endGuaranteed(&markers, kMainBegin, ttc_zone_id("main"));
    EXPECT_GT(markers.guaranteed[kMainEnd].time, end);
    end = markers.guaranteed[kMainEnd].time;
  }
  EXPECT_EQ(markers.written, 0xfu);
  EXPECT_EQ(markers.guaranteed[kMainBegin].time, begin);
  EXPECT_EQ(markers.guaranteed[kChildBegin].time, child);
  EXPECT_LE(begin, child);
  EXPECT_LT(child, markers.guaranteed[kChildEnd].time);
  EXPECT_LE(markers.guaranteed[kChildEnd].time, end);
  for (uint32_t i : {kMainBegin, kMainEnd})
    EXPECT_EQ(markers.guaranteed[i].id, nameHash("main", 4));
  for (uint32_t i : {kChildBegin, kChildEnd})
    EXPECT_EQ(markers.guaranteed[i].id, nameHash("child", 5));
  EXPECT_EQ(markers.guaranteed[kChildBegin].kind, MarkerKind::ZoneBegin);
  EXPECT_EQ(markers.guaranteed[kChildEnd].kind, MarkerKind::ZoneEnd);
  EXPECT_EQ(markers.count, 0u);
}

TEST_F(Zones, SumsAddUp) {
  uint64_t last = 0;
  for (uint32_t i = 1; i <= 300; ++i) {
    {
      TTC_SUM_ZONE(&markers, 1, "sum");
    }
    EXPECT_GT(markers.totals[1].time, last);
    EXPECT_EQ(markers.totals[1].count, i);
    last = markers.totals[1].time;
  }
  EXPECT_EQ(markers.totals[1].id, nameHash("sum", 3));
  EXPECT_EQ(markers.totals[0].id, 0u);
  EXPECT_EQ(markers.dropped, 0u);
}

/// All that ZoneMarkers.h has, once.
void useAll(ProgramMarkers *markers) {
  beginGuaranteed(markers, kMainBegin, ttc_zone_id("main"));
  TTC_MAIN_CHILD_ZONE(markers, "child");
  TTC_SUM_ZONE(markers, 0, "sum");
  TTC_ZONE(markers, "zone");
  TTC_EVENT(markers, "event");
  TTC_DATA(markers, "data", 7);
  invalidateMarkers(markers);
  endGuaranteed(markers, kMainBegin, ttc_zone_id("main"));
}

TEST_F(Zones, WriteNothingIfNobodyRecords) {
  markers.reset(/*record=*/false);
  const ProgramMarkers before = markers;
  useAll(&markers);
  EXPECT_EQ(memcmp(&before, &markers, sizeof(markers)), 0);
  useAll(nullptr);
}

TEST_F(Zones, StayInBoundsWhateverTheCapacity) {
  struct {
    ProgramMarkers markers;
    uint8_t behind[64];
  } area;
  memset(static_cast<void *>(&area), 0xff, sizeof(area));
  // Scratch that no runtime has reset: nothing fits.
  useAll(&area.markers);
  for (uint8_t byte : area.behind)
    EXPECT_EQ(byte, 0xff);
  area.markers.reset(/*record=*/true);
  area.markers.capacity = UINT32_MAX;
  for (int i = 0; i < 300; ++i)
    useAll(&area.markers);
  EXPECT_LE(area.markers.count, kOptionalMarkers);
  for (uint8_t byte : area.behind)
    EXPECT_EQ(byte, 0xff);
}

TEST_F(Zones, CanBeInvalid) {
  EXPECT_EQ(markers.invalid, 0u);
  invalidateMarkers(&markers);
  EXPECT_NE(markers.invalid, 0u);
}

// The zones of a kernel that is compiled without markers leave no instruction.
TEST(KernelZones, AreGoneWithoutMarkers) {
  const std::string window = "kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, "
                             "pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>";
  struct {
    std::string op;
    std::vector<std::string> operands;
    std::string result;
  } const kernels[] = {
      {"ttc.kernel.gemm %0, %1 {tile = array<i64: 6, 16>}",
       {"tensor<20x40xf32>", "tensor<40x16xf32>"},
       "tensor<20x16xf32>"},
      {"ttc.kernel.depthwise_conv %0, %1 {" + window + "}",
       {"tensor<1x8x8x32xf32>", "tensor<9x32xf32>"},
       "tensor<1x8x8x32xf32>"},
      {"ttc.kernel.pool %0 {kind = #ttc.pool_kind<max>, " + window + "}",
       {"tensor<1x8x8x32xf32>"},
       "tensor<1x8x8x32xf32>"},
  };
  for (const auto &kernel : kernels) {
    ttc::test::KernelSuite suite;
    suite.add(kernel.op, kernel.operands, kernel.result);
    auto isTimed = [&](bool markers) {
      std::string assembly = suite.assembly(ttc::test::host(), markers);
      EXPECT_NE(assembly.find("program0"), std::string::npos);
      return assembly.find("rdtsc") != std::string::npos;
    };
    EXPECT_TRUE(isTimed(true)) << kernel.op;
    EXPECT_FALSE(isTimed(false)) << kernel.op;
  }
}

} // namespace
