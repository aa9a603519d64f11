// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers in L1, in both views and beside scratch: what the verifier and the proof say of a good
// plan and of faults in it.

#include "L1Bundle.h"

#include <functional>
#include <gtest/gtest.h>

namespace ttrt::test {
namespace {

TEST(L1, GoodPlanPasses) { EXPECT_EQ(L1Bundle().finish(), ""); }

/// Core 0 does what has one workgroup in order, and its scratch is its own.
TEST(L1, ScratchOfOneWorkgroupNeedsNoBarrierBeforeAnother) {
  L1Bundle bundle;
  for (uint32_t program : {bundle.first, bundle.other})
    bundle.builder.bundle.programs[program]->grid = 1;
  bundle.scratchAndThenABuffer();
  EXPECT_EQ(bundle.finish(), "");
}

struct L1Fault {
  const char *name;
  std::function<void(L1Bundle &)> seed;
  const char *message;
};

class L1Faults : public testing::TestWithParam<L1Fault> {};

TEST_P(L1Faults, IsRejected) {
  L1Bundle bundle;
  GetParam().seed(bundle);
  const std::string found = bundle.finish();
  EXPECT_NE(found.find(GetParam().message), std::string::npos) << found;
}

using L = L1Bundle;
const L1Fault kFaults[] = {
    {"ShiftedOntoAnother", [](L &l) { l.buffer(L::A).offset = 0x40; },
     "buffers 'x' (0x4000040 + 64 bytes) and 'a' (0x4000040 + 64 bytes) overlap, and are both "
     "alive "
     "at point 1"},
    {"ShiftedAway", [](L &l) { l.buffer(L::A).offset = 0xc0; },
     "operand 1 at 0x4040200 + 256 bytes is in no buffer that is alive then"},
    {"InterleavedOverShards", [](L &l) { l.buffer(L::B).offset = 0x80; },
     "buffers 'a' (0x4000080 + 64 bytes) and 'b' (0x4000080 + 64 bytes) overlap, and are both "
     "alive "
     "at point 3"},
    {"OverScratch",
     [](L &l) {
       l.buffer(L::X).offset = 0;
       l.x = l.dram + L::kCores * L::kL1;
     },
     "the 64 bytes of scratch of 'test_first' overlap buffer 'x' at L1 0x0"},
    {"FewerShardsThanTheCommandTouches", [](L &l) { l.buffer(L::B).shards = 2; },
     "operand 1 at 0x4000000 + 196672 bytes ends outside buffer 'b'"},
    {"ShardsAsInterleaved",
     [](L &l) {
       fb::OperandT &operand = *l.builder.bundle.programs[l.second]->operands[1];
       operand.row_bytes = operand.pitch_bytes = 0;
       operand.bytes = L::kBytes;
       l.b = l.dram + L::kCores * L::kL1; // the same bytes on a chip
     },
     "ends outside buffer 'b'"},
    {"InterleavedAsShards",
     [](L &l) {
       l.shard(l.first, 1);
       l.a = l.dram + 0x80;
     },
     "ends outside buffer 'a'"},
    {"LifetimeOfTheSlotTooShort", [](L &l) { l.buffer(L::X).end = 1; }, "is alive then"},
    {"ScratchNotOrderedBeforeABuffer", // which is written where the scratch was
     [](L &l) { l.scratchAndThenABuffer(); },
     "of scratch, command 1 of trace 'main_t0' (test_other) writes them (operands 2 and 1), and "
     "nothing orders the two: expected a barrier between them"},
    {"ScratchOfOneWorkgroupNotOrderedBeforeSeveral", // which other cores may do before
     [](L &l) {
       l.builder.bundle.programs[l.first]->grid = 1;
       l.scratchAndThenABuffer();
     },
     "of scratch, command 1 of trace 'main_t0' (test_other) writes them"},
    {"ScratchOfSeveralNotOrderedBeforeOneWorkgroup", // on other cores
     [](L &l) {
       l.builder.bundle.programs[l.other]->grid = 1;
       l.builder.bundle.programs[l.other]->operands[1]->per_workgroup = false;
       l.scratchAndThenABuffer();
     },
     "command 0 of trace 'main_t0' (test_first) writes 0x4040040 + 192 bytes of scratch, command 1 "
     "of trace 'main_t0' (test_other) writes them"},
    {"ViewsNotOrdered", // a shard is written where an interleaved buffer is still read
     [](L &l) {
       l.buffer(L::B).offset = 0x40;
       l.b = l.dram + 0x40;
       l.buffer(L::B).begin = 2;
       l.buffer(L::B).end = 6;
       l.buffer(L::A).end = 2;
       l.stream.dispatch(l.first, {l.x, l.a});
       l.stream.dispatch(l.other, {l.z, l.b});
       l.stream.barrier();
       l.stream.barrier();
       l.stream.dispatch(l.third, {l.b, l.y});
       l.stream.end();
     },
     "command 0 of trace 'main_t0' (test_first) reads 0x4040100 + 256 bytes of 'x', command 1 of "
     "trace 'main_t0' (test_other) writes them"},
};

INSTANTIATE_TEST_SUITE_P(All, L1Faults, testing::ValuesIn(kFaults),
                         [](const auto &info) { return std::string(info.param.name); });

/// In schedules that no timeline covers, with so much scratch for a program.
std::string verdictOnOwnTraces(const char *symbol, uint64_t scratch) {
  BundleBuilder builder = ownTracesBundle();
  for (auto &program : builder.bundle.programs)
    if (program->symbol == symbol)
      program->scratch_bytes = scratch;
  return verdict(builder);
}

TEST(L1, OperandOverTheScratchOfItsOwnCommand) {
  EXPECT_EQ(verdictOnOwnTraces("test_one", 64), "");
  EXPECT_EQ(verdictOnOwnTraces("test_again", 64),
            "command 0 of trace 'last' (test_again): operand 1 (0x4000000 + 196672 bytes) overlaps "
            "the command's 64 bytes of scratch");
  EXPECT_EQ(verdictOnOwnTraces("test_take", 64),
            "step 4 of entry point 'main': operand 1 (0x4040000 + 256 bytes) overlaps the "
            "command's 64 bytes of scratch");
}

TEST(L1, ScratchOverABufferThatOtherSchedulesUse) {
  EXPECT_EQ(verdictOnOwnTraces("test_one", 128),
            "command 0 of trace 'first' (test_one): the 128 bytes of scratch of 'test_one' overlap "
            "buffer 'z' at L1 0x40");
}

TEST(L1, SlotWhoseBytesAreUsedAgainIsWrittenBehindTheLastOfThem) {
  BundleBuilder good = writeAheadBundle(true), bad = writeAheadBundle(false);
  EXPECT_EQ(verdict(good), "");
  const std::string found = verdict(bad);
  EXPECT_NE(found.find("step 1 of the body (write of input 'x') on queue 1 in iteration 1 writes"),
            std::string::npos)
      << found;
  EXPECT_NE(found.find("schedule 'overlap-input'"), std::string::npos) << found;
}

} // namespace
} // namespace ttrt::test
