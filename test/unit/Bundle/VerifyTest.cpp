// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of fault is rejected with a message that names it.

#include "test/unit/Support/Loaded.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>

using namespace ttrt;
using namespace ttrt::test;

namespace {

using Bytes = std::vector<uint8_t>;

struct Fault {
  const char *name;
  std::function<void(BundleBuilder &)> change;
  const char *message; ///< a part of it
  ttrt_status status = TTRT_BAD_BUNDLE;
};

void PrintTo(const Fault &fault, std::ostream *stream) { *stream << fault.name; }

class VerifyFault : public testing::TestWithParam<Fault> {};

TEST_P(VerifyFault, IsRejected) {
  BundleBuilder builder = sampleBundle();
  GetParam().change(builder);
  ttrt_status status;
  std::string message = verdict(builder.finish(), &status);
  EXPECT_EQ(status, GetParam().status) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

fb::BufferT &bufferNamed(BundleBuilder &b, const std::string &name) {
  for (auto &buffer : b.bundle.buffers)
    if (buffer->name == name)
      return *buffer;
  throw std::out_of_range(name);
}
fb::ScheduleT &schedule(BundleBuilder &b) { return *b.bundle.entries[0]->schedules[0]; }

void addMetadata(BundleBuilder &b, std::initializer_list<std::string> keys) {
  for (const std::string &key : keys) {
    b.bundle.metadata.push_back(std::make_unique<fb::MetadatumT>());
    b.bundle.metadata.back()->key = key;
  }
}

// Words of the sample's stream: add at 0 (2 + 3), barrier at 5, reverse at 6 (2 + 2), barrier at
// 10, add at 11 (2 + 3), barrier at 16, reverse at 17 (2 + 2), end at 21.
const Fault kFaults[] = {
    {"UnknownRequiredFeature",
     [](BundleBuilder &b) { b.bundle.required_features.push_back("time travel"); },
     "needs feature 'time travel'", TTRT_UNSUPPORTED},
    {"OtherArchitecture",
     [](BundleBuilder &b) {
       b.bundle.target->arch = "vax";
       b.bundle.target->cpu = "11-780";
     },
     "compiled for vax (11-780); this machine is", TTRT_UNSUPPORTED},
    {"MissingCpuFeature", [](BundleBuilder &b) { b.bundle.target->features = {"no-such-thing"}; },
     "lacks: no-such-thing", TTRT_UNSUPPORTED},
    {"TwoChips", [](BundleBuilder &b) { b.bundle.target->chips = 2; }, "planned for 2 chips",
     TTRT_UNSUPPORTED},
    {"OnlyTwoQueues",
     [](BundleBuilder &b) {
       b.bundle.target->queues = 2;
       schedule(b).queues = 2;
     },
     "no schedule for one command queue", TTRT_UNSUPPORTED},
    {"DramNotPages", [](BundleBuilder &b) { b.bundle.target->dram_bank_bytes += 1; },
     "a DRAM bank is 67108865 bytes; expected a multiple of 4096"},
    {"NoCores", [](BundleBuilder &b) { b.bundle.target->cores = 0; }, "0 cores"},
    {"HugeMemory",
     [](BundleBuilder &b) {
       b.bundle.target->dram_banks = 65536;
       b.bundle.target->dram_bank_bytes = uint64_t(1) << 40;
     },
     "does not fit an address space"},
    {"NoCode", [](BundleBuilder &b) { b.code.clear(); }, "2 programs, but no code"},
    {"CodeNotElf", [](BundleBuilder &b) { b.code.assign(5000, 1); },
     "not a 64-bit little-endian ELF"},
    {"CodeTooShort", [](BundleBuilder &b) { b.code.resize(20); }, "too short for a shared object"},
    {"CodeCut", [](BundleBuilder &b) { b.code.resize(2000); }, "not inside the segment"},
    {"CodeForOtherMachine", [](BundleBuilder &b) { b.code[18] = 8; },
     "code is for ELF machine 8; expected "},
    {"UnknownSymbol", [](BundleBuilder &b) { b.bundle.programs[0]->symbol = "test_nothing"; },
     "the code has no program 'test_nothing'"},
    {"NoSymbol", [](BundleBuilder &b) { b.bundle.programs[0]->symbol = ""; },
     "program 0 has no symbol"},
    {"NoGrid", [](BundleBuilder &b) { b.bundle.programs[0]->grid = 0; },
     "program 'test_add' has a grid of 0"},
    {"NoRoomForMarkers", [](BundleBuilder &b) { b.bundle.programs[1]->markers = true; },
     "program 'test_reverse' has markers in its 64 bytes of scratch; expected a multiple of 64, at "
     "least 4160"},
    {"MarkersThatAreNotAligned",
     [](BundleBuilder &b) {
       b.bundle.programs[1]->markers = true;
       b.bundle.programs[1]->scratch_bytes = 4168;
     },
     "has markers in its 4168 bytes of scratch; expected a multiple of 64"},
    {"ZoneNamesOutOfOrder", [](BundleBuilder &b) { b.bundle.zone_names = {"b", "a"}; },
     "zone name 1 is 'a', after 'b'; expected names in ascending order, each once"},
    {"ZoneNameTwice", [](BundleBuilder &b) { b.bundle.zone_names = {"a", "a"}; },
     "zone name 1 is 'a', after 'a'"},
    {"EmptyZoneName", [](BundleBuilder &b) { b.bundle.zone_names = {""}; }, "zone name 0 is ''"},
    {"ZoneNamesWithOneHash",
     [](BundleBuilder &b) { b.bundle.zone_names = {"costarring", "kernel", "liquid"}; },
     "zone names 'costarring' and 'liquid' have the same hash 0x5e4daa9d"},
    {"MetadataOutOfOrder", [](BundleBuilder &b) { addMetadata(b, {"b", "a"}); },
     "metadata 1 has the key 'a', after 'b'; expected keys in ascending order, each once"},
    {"MetadataTwice", [](BundleBuilder &b) { addMetadata(b, {"a", "a"}); },
     "metadata 1 has the key 'a', after 'a'"},
    {"MetadataWithoutKey", [](BundleBuilder &b) { addMetadata(b, {""}); },
     "metadata 0 has the key ''"},
    {"MetadataKeyWithZero", [](BundleBuilder &b) { addMetadata(b, {std::string("a\0b", 3)}); },
     "metadata 0 has the key 'a'"},
    {"ScratchPastL1", [](BundleBuilder &b) { b.bundle.programs[1]->scratch_bytes = 65537; },
     "needs 65537 bytes of scratch; L1 has 65536"},
    {"OperandOfNoBytes", [](BundleBuilder &b) { b.bundle.programs[0]->operands[1]->bytes = 0; },
     "program 'test_add', operand 1"},
    {"OperandAlignment", [](BundleBuilder &b) { b.bundle.programs[0]->operands[1]->alignment = 3; },
     "alignment 3"},
    {"BufferPastDram", [](BundleBuilder &b) { bufferNamed(b, "b").offset = uint64_t(1) << 60; },
     "buffer 'b' at 0x1000000000000000 + 1024 bytes ends outside DRAM"},
    {"BufferMisaligned", [](BundleBuilder &b) { bufferNamed(b, "b").offset += 32; },
     "buffer 'b' at 0x"},
    {"BufferInTraceRegion",
     [](BundleBuilder &b) { bufferNamed(b, "b").offset = 64 * 1024 * 1024 - 1024; },
     "is in the pages of the trace region"},
    {"BufferInConstants", [](BundleBuilder &b) { bufferNamed(b, "b").offset = 2048; },
     "is in the pages of the constants"},
    {"ConstantOutsideSegment", [](BundleBuilder &b) { bufferNamed(b, "w").offset += 64; },
     "constant 'w' at 0x40 + 1024 bytes is not in the constants' segment"},
    {"BufferTwice", [](BundleBuilder &b) { bufferNamed(b, "b").name = "a"; },
     "two buffers are named 'a'"},
    {"EmptyLifetime", [](BundleBuilder &b) { bufferNamed(b, "b").begin = 7; },
     "buffer 'b' lives for [7, 6), which is empty"},
    {"LifetimePastTheEnd",
     [](BundleBuilder &b) { b.buffer("late", fb::BufferKind::Activation, 65536, 64, 100, 101); },
     "buffer 'late' lives from point 100 of a timeline that has 10"},
    {"BuffersOverlap", [](BundleBuilder &b) { bufferNamed(b, "b").offset -= 64; },
     "both alive at point 3"},
    {"LifetimesOverlap", [](BundleBuilder &b) { bufferNamed(b, "c").begin = 2; },
     "both alive at point 2"},
    {"LifetimeTooShort", [](BundleBuilder &b) { bufferNamed(b, "a").end = 3; },
     "command 2 of trace 'main_t0' (test_reverse, from Reverse_0): operand 0"},
    {"WritesConstant",
     [](BundleBuilder &b) {
       b.streams[0].words[4] = 0; /* out of add = w */
     },
     "operand 2 writes constant 'w'"},
    {"ReadsUnwritten",
     [](BundleBuilder &b) {
       b.streams[0].words[2] = b.streams[0].words[4] - 1024; /* a = y + w */
     },
     "command 0 of trace 'main_t0' (test_add, from Add_0), operand 0, reads 0x1400 + 1024 bytes of "
     "'y', "
     "which nothing has written before"},
    {"OutputNotWritten",
     [](BundleBuilder &b) {
       b.streams[0].words[20] = b.streams[0].words[9]; /* last reverse -> b */
     },
     "is in no buffer that is alive"},
    {"OwnOperandsOverlap",
     [](BundleBuilder &b) {
       b.bundle.programs[0]->operands[0]->bytes = 512;
       b.bundle.programs[0]->operands[2]->bytes = 512;
       b.streams[0].words[4] = b.streams[0].words[2] + 256; // a = x + 256
     },
     "operands 0 (0x1000 + 512 bytes) and 2 (0x1100 + 512 bytes) overlap, and one is written"},
    {"NoBarrier",
     [](BundleBuilder &b) {
       auto &words = b.streams[0].words;
       words.erase(words.begin() + 5);
       b.bundle.traces[0]->commands -= 1;
       b.bundle.traces[0]->sources.erase(b.bundle.traces[0]->sources.begin() + 1);
       for (auto &buffer : b.bundle.buffers) { // all later points move by one
         if (buffer->begin > 1)
           --buffer->begin;
         if (buffer->end)
           --buffer->end;
       }
     },
     "command 0 of trace 'main_t0' (test_add, from Add_0) writes 0x1800 + 1024 bytes of 'a', "
     "command 1 of trace 'main_t0' (test_reverse, from Reverse_0) reads them (operands 2 and 0), "
     "and nothing orders the two: expected a barrier between them"},
    {"ScratchOverL1Buffer",
     [](BundleBuilder &b) {
       const uint32_t shard =
           b.buffer("shard", fb::BufferKind::Activation, 0, 64, 0, 0, fb::MemorySpace::L1);
       b.bundle.buffers[shard]->shards = 1;
     },
     "the 64 bytes of scratch of 'test_reverse' overlap buffer 'shard'"},
    {"ScratchOverInterleavedBuffer",
     [](BundleBuilder &b) {
       b.bundle.target->interleaved_l1 = true;
       b.buffer("spread", fb::BufferKind::Activation, 0, 64, 0, 0, fb::MemorySpace::L1);
     },
     "the 64 bytes of scratch of 'test_reverse' overlap buffer 'spread'"},
    {"InterleavedWhereTheTargetDoesNot",
     [](BundleBuilder &b) {
       b.buffer("spread", fb::BufferKind::Activation, 64, 64, 0, 0, fb::MemorySpace::L1);
     },
     "buffer 'spread' is interleaved over L1, which the target 'cpu' does not do"},
    {"MoreShardsThanCores",
     [](BundleBuilder &b) {
       const uint32_t shard =
           b.buffer("shard", fb::BufferKind::Activation, 64, 64, 0, 0, fb::MemorySpace::L1);
       b.bundle.buffers[shard]->shards = 5;
     },
     "buffer 'shard' in L1 has 5 shards; expected at most 4: one on a core, or in a bank of DRAM"},
    {"ShardsInDram", [](BundleBuilder &b) { b.bundle.buffers[2]->shards = 2; },
     "in DRAM has 2 shards; expected at most 1: one on a core, or in a bank of DRAM"},
    {"StateInShards",
     [](BundleBuilder &b) {
       const uint32_t state = b.buffer("kept", fb::BufferKind::State, 0x8000, 64, 0, 0);
       b.bundle.buffers[state]->shards = 1;
     },
     "buffer 'kept' in shards, of kind 5, has 64 bytes of DRAM; expected a slot or an activation "
     "with as many in each of 1 banks"},
    {"UnequalBanks",
     [](BundleBuilder &b) {
       b.bundle.target->dram_banks = 3;
       const uint32_t shard =
           b.buffer("shard", fb::BufferKind::Activation, 0x8000, 64, 0, 0, fb::MemorySpace::Dram);
       b.bundle.buffers[shard]->shards = 3;
     },
     "buffer 'shard' in shards, of kind 2, has 64 bytes of DRAM; expected a slot or an activation "
     "with as many in each of 3 banks"},
    {"L1BufferBeyondL1",
     [](BundleBuilder &b) {
       b.bundle.target->interleaved_l1 = true;
       b.buffer("spread", fb::BufferKind::Activation, 65536, 64, 0, 0, fb::MemorySpace::L1);
     },
     "ends outside L1 of 65536 bytes"},
    {"PortInShards",
     [](BundleBuilder &b) {
       b.bundle.buffers[1]->space = fb::MemorySpace::L1;
       b.bundle.buffers[1]->offset = 64;
       b.bundle.buffers[1]->shards = 1;
     },
     "input 'x' of entry point 'main' is stored in buffer 'x', which has shards"},
    {"UnknownOpcode", [](BundleBuilder &b) { b.streams[0].words[5] = 99 | uint64_t(8) << 32; },
     "command 1 at byte 40: has opcode 99"},
    {"ReservedField", [](BundleBuilder &b) { b.streams[0].words[5] |= 1 << 16; },
     "has 1 in a reserved field"},
    {"CommandTooLong", [](BundleBuilder &b) { b.streams[0].words[21] = 7 | uint64_t(16) << 32; },
     "has 16 bytes; expected a multiple of 8 up to the 8 that are left"},
    {"CommandOfNoSize", [](BundleBuilder &b) { b.streams[0].words[5] = 4; }, "has 0 bytes"},
    {"BarrierTooLong", [](BundleBuilder &b) { b.streams[0].words[5] = 4 | uint64_t(16) << 32; },
     "has 16 bytes; expected 8"},
    {"UnknownProgram", [](BundleBuilder &b) { b.streams[0].words[1] = 7 | uint64_t(3) << 32; },
     "names program 7; there are 2"},
    {"OperandCount", [](BundleBuilder &b) { b.streams[0].words[1] = 0 | uint64_t(2) << 32; },
     "has 40 bytes with 2 operands; expected 32"},
    {"OperandOutside", [](BundleBuilder &b) { b.streams[0].words[2] = ~uint64_t(63); },
     "operand 0 at 0xffffffffffffffc0"},
    {"OperandMisaligned", [](BundleBuilder &b) { b.streams[0].words[2] += 4; },
     "expected a multiple of 64"},
    {"NoEnd", [](BundleBuilder &b) { b.streams[0].words[21] = 4 | uint64_t(8) << 32; },
     "does not end with an end command"},
    {"TwoEnds", [](BundleBuilder &b) { b.streams[0].words[5] = 7 | uint64_t(8) << 32; },
     "follows the end command"},
    {"CommandCount",
     [](BundleBuilder &b) {
       b.bundle.traces[0]->commands = 7;
       b.bundle.traces[0]->sources.clear();
     },
     "has 8 commands; its table says 7"},
    {"TooManyWorkgroups",
     [](BundleBuilder &b) {
       b.bundle.programs[0]->grid = 1 << 20; // counts 65,535
       const auto words = b.streams[0].words;
       b.streams[0] = {};
       for (int i = 0; i < 4097; ++i)
         b.streams[0].dispatch(0, {words[2], words[3], words[4]});
       b.streams[0].end();
       b.bundle.traces[0]->commands = b.streams[0].commands;
       b.bundle.traces[0]->sources.clear();
     },
     "ends 268496895 workgroups; expected at most 268435456 in a trace"},
    {"SourceCount", [](BundleBuilder &b) { b.bundle.traces[0]->sources.pop_back(); },
     "has 8 commands and 7 source locations"},
    {"UnknownLocation", [](BundleBuilder &b) { b.bundle.traces[0]->sources[0] = 50; },
     "has source location 50"},
    {"TraceOutsideRegion", [](BundleBuilder &b) { b.bundle.traces[0]->address = 4096; },
     "expected an address in the trace region"},
    {"TraceRegionTooLarge",
     [](BundleBuilder &b) {
       b.streams[0].words.resize(40);
       b.bundle.traces[0]->size = 22 * 8;
     },
     "segment streams of 320 bytes; its 1 streams need 192"},
    {"TraceRegionNotOnTop",
     [](BundleBuilder &b) {
       b.bundle.trace_region = std::make_unique<fb::RegionT>();
       b.bundle.trace_region->address = 1024 * 1024;
       b.bundle.trace_region->size = 192;
     },
     "expected to end where DRAM ends"},
    {"NoEntry", [](BundleBuilder &b) { b.bundle.entries.clear(); }, "no entry points"},
    {"EntryTwice",
     [](BundleBuilder &b) {
       auto &entry = b.entry("main");
       BundleBuilder::step(entry, fb::StepKind::Execute, 0);
     },
     "two entry points are named 'main'"},
    {"RingOfNoBuffer", [](BundleBuilder &b) { b.bundle.entries[0]->inputs[0]->ring = {99}; },
     "input 'x' of entry point 'main' has buffer 99"},
    {"RingOfAConstant", [](BundleBuilder &b) { b.bundle.entries[0]->inputs[0]->ring = {0}; },
     "input 'x' of entry point 'main' is stored in buffer 'w', which is not a slot"},
    {"StepOfNoSlot", [](BundleBuilder &b) { b.bundle.entries[0]->schedules[0]->body[0]->slot = 1; },
     "names slot 1; there are 1"},
    {"PortOfNoBuffer", [](BundleBuilder &b) { b.bundle.entries[0]->inputs[0]->buffer = 99; },
     "input 'x' of entry point 'main' has buffer 99"},
    {"PortNotASlot", [](BundleBuilder &b) { b.bundle.entries[0]->inputs[0]->buffer = 3; },
     "is stored in buffer 'a', which is not a slot"},
    {"PortTooLarge", [](BundleBuilder &b) { b.bundle.entries[0]->inputs[0]->shape = {257}; },
     "has 1028 bytes; its buffer 'x' has 1024"},
    {"PortOverflows",
     [](BundleBuilder &b) {
       b.bundle.entries[0]->inputs[0]->shape = {int64_t(1) << 40, int64_t(1) << 40};
     },
     "dimension 1 is 1099511627776"},
    {"PortNegative", [](BundleBuilder &b) { b.bundle.entries[0]->inputs[0]->shape = {-1}; },
     "dimension 0 is -1"},
    {"PortType", [](BundleBuilder &b) { b.bundle.entries[0]->inputs[0]->dtype = fb::DType(77); },
     "element type 77"},
    {"NoSchedule", [](BundleBuilder &b) { b.bundle.entries[0]->schedules.clear(); },
     "has no schedule"},
    {"StepKind", [](BundleBuilder &b) { schedule(b).body[0]->kind = fb::StepKind(50); },
     "step 0: is of kind 50"},
    {"StepIndex", [](BundleBuilder &b) { schedule(b).body[1]->index = 3; },
     "step 1: names trace 3; there are 1"},
    {"StepQueue", [](BundleBuilder &b) { schedule(b).body[1]->queue = 1; },
     "step 1: is on queue 1; the schedule has 1"},
    {"TooManyQueues", [](BundleBuilder &b) { schedule(b).queues = 2; },
     "has 2 queues; the target has 1"},
    {"InputNotWritten", [](BundleBuilder &b) { schedule(b).body.erase(schedule(b).body.begin()); },
     "never writes input 'x'"},
    {"OutputNotRead", [](BundleBuilder &b) { schedule(b).body.pop_back(); },
     "never reads output 'y'"},
    {"BodyWithoutWrite",
     [](BundleBuilder &b) {
       schedule(b).prologue.push_back(std::move(schedule(b).body[0]));
       schedule(b).body.erase(schedule(b).body.begin());
     },
     "the body does not write input 'x'"},
    {"BodyReadsTwice",
     [](BundleBuilder &b) { BundleBuilder::step(*b.bundle.entries[0], fb::StepKind::Read, 0); },
     "the body reads output 'y' 2 times; expected 1, as often as input 'x' is written"},
    {"EpilogueReadsMore",
     [](BundleBuilder &b) {
       schedule(b).epilogue.push_back(std::make_unique<fb::StepT>(*schedule(b).body.back()));
     },
     "prologue with epilogue reads output 'y' 1 times; expected 0, as often as input 'x' is "
     "written"},
    {"TraceNotExecuted",
     [](BundleBuilder &b) {
       StreamBuilder stream;
       stream.end();
       b.trace("spare", stream);
     },
     "trace 'spare' is in no schedule"},
    {"WaitWithoutRecord",
     [](BundleBuilder &b) {
       b.event("ready");
       BundleBuilder::step(*b.bundle.entries[0], fb::StepKind::Wait, 0);
     },
     "waits for event 'ready', which nothing has recorded before"},
    {"WaitInTraceWithoutSignal",
     [](BundleBuilder &b) {
       b.event("ready");
       auto &stream = b.streams[0];
       stream.words.pop_back();
       stream.wait(0);
       stream.signal(0);
       stream.words.push_back(7 | uint64_t(8) << 32);
       b.bundle.traces[0]->commands = 10;
       b.bundle.traces[0]->sources.clear();
     },
     "waits for event 'ready'"},
    {"UnknownEvent",
     [](BundleBuilder &b) {
       auto &stream = b.streams[0];
       stream.words.pop_back();
       stream.signal(4);
       stream.words.push_back(7 | uint64_t(8) << 32);
       b.bundle.traces[0]->commands = 9;
       b.bundle.traces[0]->sources.clear();
     },
     "names event 4; there are 0"},
    {"CopyOverlaps",
     [](BundleBuilder &b) {
       auto &stream = b.streams[0];
       stream.words.pop_back();
       stream.copy(8192, 8200, 64);
       stream.words.push_back(7 | uint64_t(8) << 32);
       b.bundle.traces[0]->commands = 9;
       b.bundle.traces[0]->sources.clear();
     },
     "copies 64 bytes from 0x2008 to 0x2000; expected at least one byte and ranges that do not "
     "overlap"},
    {"FillOutside",
     [](BundleBuilder &b) {
       auto &stream = b.streams[0];
       stream.words.pop_back();
       stream.fill(~uint64_t(0) - 8, 64, 0);
       stream.words.push_back(7 | uint64_t(8) << 32);
       b.bundle.traces[0]->commands = 9;
       b.bundle.traces[0]->sources.clear();
     },
     "fills 64 bytes at 0xfffffffffffffff7"},
    {"StepCopyOutside",
     [](BundleBuilder &b) {
       auto &step = BundleBuilder::step(*b.bundle.entries[0], fb::StepKind::Copy, 0);
       step.dst = 4096;
       step.src = ~uint64_t(0);
       step.bytes = 1;
     },
     "step 3: copies 1 bytes"},
    {"HostDispatchOperands",
     [](BundleBuilder &b) {
       BundleBuilder::step(*b.bundle.entries[0], fb::StepKind::HostDispatch, 0).operands = {1};
     },
     "step 3: runs 'test_add' with 1 operands; it has 3"},
};

INSTANTIATE_TEST_SUITE_P(Verify, VerifyFault, testing::ValuesIn(kFaults),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
