// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the proof says of loops: good ones, seeded faults, and every interleaving of a few
// iterations.

#include "Explorer.h"
#include "Oracle.h"
#include "ProofBundles.h"
#include "test/unit/Support/LoopBundle.h"

#include <cstring>
#include <gtest/gtest.h>

namespace ttrt::test {
namespace {

//===----------------------------------------------------------------------===//
// Loops that are right
//===----------------------------------------------------------------------===//

TEST(LoopProof, TakesWhatIsRight) {
  for (bool isWide : {false, true})
    for (bool hasFlag : {false, true})
      for (uint32_t depth : {1u, 2u, 3u, kMaxRepeatDepth})
        for (uint64_t times : {uint64_t(1), uint64_t(3), ~uint64_t(0)}) {
          const LoopShape shape{
              .isWide = isWide, .hasFlag = hasFlag, .times = times, .fails = true, .depth = depth};
          BundleBuilder builder = loopBundle(shape);
          EXPECT_EQ(verdict(builder), "") << testing::PrintToString(shape);
        }
}

struct Case {
  const char *name;
  bool isWide;
  void (*make)(LoopBundle &b); ///< the stream, without its end
  const char *message = "";    ///< a part of it; "": the loop is right
};
void PrintTo(const Case &each, std::ostream *stream) { *stream << each.name; }

/// One more buffer of an activation.
uint64_t more(LoopBundle &b, const char *name, uint64_t bytes = 64) {
  uint64_t end = 0;
  for (const auto &buffer : b.builder.bundle.buffers)
    end = std::max(end, buffer->offset + buffer->size);
  b.builder.buffer(name, fb::BufferKind::Activation, end, bytes);
  return end;
}

/// begin, repeat, body, end of the loop, end; with something in between.
void around(LoopBundle &b, const std::function<void()> &before, const std::function<void()> &inside,
            const std::function<void()> &after) {
  b.begin();
  before();
  b.stream.repeat(3, b.carried(), b.options());
  b.body();
  inside();
  b.stream.endRepeat();
  after();
  b.end();
}
void nothing() {}

RepeatCommand &loopIn(LoopBundle &b) {
  for (size_t at = 0;;) {
    auto &header = reinterpret_cast<CommandHeader &>(b.stream.words[at]);
    if (header.opcode == Opcode::Repeat)
      return reinterpret_cast<RepeatCommand &>(header);
    at += header.size / sizeof(uint64_t);
  }
}

const Case kRight[] = {
    {"Swapped", false,
     [](LoopBundle &b) { // two carried values take each other's place
       const uint64_t c = more(b, "c"), t = more(b, "t");
       b.begin();
       b.addTo(c, b.a);
       b.stream.repeat(5, {{b.a, b.bytes}, {c, b.bytes}}, kSequential);
       b.addTo(t, b.a);
       b.stream.copy(b.a, c, b.bytes);
       b.stream.copy(c, t, b.bytes);
       b.stream.endRepeat();
       b.end();
     }},
    {"SlotReadInEachIteration", false,
     [](LoopBundle &b) { around(b, nothing, [&] { b.addTo(b.b, b.x); }, nothing); }},
    {"TemporaryOfEachIteration", true,
     [](LoopBundle &b) { // its bytes are another one's in the same iteration
       around(
           b, nothing,
           [&] {
             b.stream.barrier();
             b.addTo(b.b, b.a);
           },
           nothing);
     }},
    {"BytesReusedAfterTheLoop", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, [&] {
         b.addTo(b.b, b.a);
         b.stream.copy(b.a, b.b, b.bytes);
       });
     }},
    {"PartOfABufferCarried", false,
     [](LoopBundle &b) { // the rest of it stays
       b.begin();
       b.stream.repeat(3, {{b.a, 16}}, kSequential);
       b.stream.copy(b.b, b.a, 16);
       b.stream.copy(b.a, b.b, 16);
       b.stream.endRepeat();
       b.end();
     }},
    {"NothingCarriedAndNothingRead", false,
     [](LoopBundle &b) {
       b.begin();
       b.stream.repeat(3, {}, kSequential);
       b.addTo(b.b, b.a);
       b.stream.endRepeat();
       b.end();
     }},
    {"LoopAfterLoop", true,
     [](LoopBundle &b) {
       b.begin();
       b.loops();
       b.loops();
       b.end();
     }},
    {"OneCoreInAll", true,
     [](LoopBundle &b) {
       around(
           b, nothing,
           [&] {
             b.stream.repeat(3, {{b.a, 64}}, kSequential);
             b.stream.copy(b.b, b.a, 64);
             b.stream.copy(b.a, b.b, 64);
             b.stream.endRepeat();
           },
           nothing);
     }},
};

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

const Case kWrong[] = {
    {"CounterNotCarried", false,
     [](LoopBundle &b) {
       b.begin();
       b.stream.copy(b.counter, b.n, 8);
       b.stream.dispatch(b.isPositive, {b.counter, b.flag});
       b.stream.repeat(3, {{b.a, b.bytes}, {b.flag, 1}}, kSequential, b.flag);
       b.body();
       b.stream.dispatch(b.countDown, {b.counter, b.counter, b.flag});
       b.stream.endRepeat();
       b.end();
     },
     "command 6 of trace 'main_t0' (test_count_down) in the loop at command 3, operand 0, reads "},
    {"ResultNotCarried", false,
     [](LoopBundle &b) {
       b.begin();
       b.stream.repeat(3, {}, kSequential);
       b.stream.copy(b.b, b.x, b.bytes);
       b.stream.copy(b.a, b.b, b.bytes);
       b.stream.endRepeat();
       b.end();
     },
     "command 3 of trace 'main_t0' (copy) in the loop at command 1 has written last, for its own "
     "iteration: expected the loop to carry them"},
    {"ReadAfterTheLoop", false,
     [](LoopBundle &b) { around(b, nothing, nothing, [&] { b.stream.copy(b.a, b.b, b.bytes); }); },
     "for its own iteration"},
    {"ReadAfterTheLoopThatMayNotRun", false,
     [](LoopBundle &b) { // with its flag 0 at once, it is what was there before
       around(b, [&] { b.addTo(b.b, b.x); }, nothing, [&] { b.stream.copy(b.a, b.b, b.bytes); });
     },
     "for its own iteration"},
    {"TemporaryOfTheIterationBefore", false,
     [](LoopBundle &b) {
       const uint64_t c = more(b, "c");
       around(
           b, [&] { b.stream.copy(c, b.x, b.bytes); },
           [&] {
             b.addTo(b.b, c);
             b.addTo(c, b.b);
           },
           nothing);
     },
     "for its own iteration"},
    {"OutsideValueOverwrittenInPlace", false,
     [](LoopBundle &b) {
       const uint64_t c = more(b, "c");
       around(
           b, [&] { b.stream.copy(c, b.n, 8); },
           [&] { b.stream.dispatch(b.countDown, {c, c, b.flag}); }, nothing);
     },
     "for its own iteration"},
    {"SlotOverwritten", false,
     [](LoopBundle &b) {
       around(
           b, nothing,
           [&] {
             b.addTo(b.b, b.x);
             b.addTo(b.x, b.b);
           },
           nothing);
     },
     "for its own iteration"},
    {"TemporariesOverlap", false,
     [](LoopBundle &b) { // k is read in each iteration, t takes its bytes
       const uint64_t at = more(b, "end") + 64;
       b.builder.buffer("k", fb::BufferKind::Activation, at, 64, 3, 7);
       b.builder.buffer("t", fb::BufferKind::Activation, at, 64, 8, 10);
       b.begin();                       // point 2
       b.stream.copy(at, b.x, b.bytes); // 3
       b.stream.repeat(3, b.carried(), kSequential);
       b.body();                        // 5, 6
       b.addTo(b.b, at);                // 7
       b.addTo(at, b.a);                // 8
       b.stream.copy(b.b, at, b.bytes); // 9
       b.stream.endRepeat();
       b.end();
     },
     "in no buffer that is alive"},
    {"OutsideValueLivesTooShort", false,
     [](LoopBundle &b) {
       const uint64_t at = more(b, "end") + 64;
       b.builder.buffer("k", fb::BufferKind::Activation, at, 64, 3, 8);
       b.builder.buffer("t", fb::BufferKind::Activation, at, 64, 8, 10);
       b.begin();                       // point 2
       b.stream.copy(at, b.x, b.bytes); // 3
       b.stream.repeat(3, b.carried(), kSequential);
       b.body();                        // 5, 6
       b.addTo(b.b, at);                // 7
       b.addTo(at, b.a);                // 8
       b.stream.copy(b.b, at, b.bytes); // 9
       b.stream.endRepeat();
       b.end();
     },
     "command 5 of trace 'main_t0' (test_tiny) in the loop at command 2, operand 0, reads "},
    {"CarriedNeverWritten", false,
     [](LoopBundle &b) {
       b.begin();
       b.stream.repeat(3, {{b.a, b.bytes}, {b.counter, 8}}, kSequential);
       b.body();
       b.stream.endRepeat();
       b.end();
     },
     "command 1 of trace 'main_t0' (repeat), operand 1, reads "},
    {"NoBarrierInTheBody", true,
     [](LoopBundle &b) {
       b.begin();
       b.stream.repeat(3, b.carried());
       b.addTo(b.b, b.a);
       b.stream.copy(b.a, b.b, b.bytes);
       b.stream.endRepeat();
       b.end();
     },
     "command 3 of trace 'main_t0' (copy) in the loop at command 1 reads them (operands 2 and 0), "
     "and nothing orders the two: expected a barrier between them"},
    {"NoBarrierBeforeALoopOfOneCore", true,
     [](LoopBundle &b) {
       b.begin();
       b.stream.barrier();
       b.addTo(b.b, b.a);
       b.stream.repeat(3, {{b.b, 64}}, kSequential);
       b.stream.copy(b.a, b.b, 64);
       b.stream.copy(b.b, b.a, 64);
       b.stream.endRepeat();
       b.end();
     },
     "command 3 of trace 'main_t0' (repeat) reads them (operands 2 and 0), and nothing orders"},
    {"ABarrierOfOneCoreIsNone", true,
     [](LoopBundle &b) {
       b.begin();
       b.stream.barrier();
       b.addTo(b.b, b.a);
       b.stream.repeat(3, {{b.a, 64}}, kSequential);
       b.stream.barrier();
       b.stream.copy(b.a, b.b, 64);
       b.stream.endRepeat();
       b.end();
     },
     "nothing orders the two"},
    {"NoBarrierAfterALoopOfOneCore", true,
     [](LoopBundle &b) {
       b.begin();
       b.stream.repeat(3, {{b.a, 64}}, kSequential);
       b.stream.copy(b.b, b.a, 64);
       b.stream.copy(b.a, b.b, 64);
       b.stream.endRepeat();
       b.addTo(b.b, b.a);
       b.stream.barrier();
       b.stream.copy(b.y, b.b, b.bytes);
     },
     "command 4 of trace 'main_t0' (end-repeat) in the loop at command 1 writes"},
    {"NotCarriedByTheLoopAround", false,
     [](LoopBundle &b) {
       const uint64_t c = more(b, "c");
       b.begin();
       b.stream.copy(c, b.x, b.bytes);
       b.stream.repeat(2, {{b.a, b.bytes}}, kSequential);
       b.stream.repeat(2, {{b.a, b.bytes}, {c, b.bytes}}, kSequential);
       b.addTo(b.b, c);
       b.addTo(c, b.b);
       b.stream.copy(b.a, c, b.bytes);
       b.stream.endRepeat();
       b.stream.endRepeat();
       b.end();
     },
     "(repeat) in the loop at command 2, operand 1, reads"},
    {"CarriesAConstant", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       loopIn(b).operandCount = 1;
       reinterpret_cast<CarriedRange *>(&loopIn(b) + 1)->address = b.w;
     },
     "writes constant 'w'"},
    {"CarriesPartsOfTwoBuffers", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       reinterpret_cast<CarriedRange *>(&loopIn(b) + 1)->bytes = 2048;
     },
     "operand 0 at "},
    {"CarriesBytesTwice", false,
     [](LoopBundle &b) {
       b.begin();
       b.stream.repeat(3, {{b.a, 32}, {b.a + 16, 16}}, kSequential);
       b.body();
       b.stream.endRepeat();
       b.end();
     },
     "overlap, and one is written"},
    {"CarriesNoByte", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       reinterpret_cast<CarriedRange *>(&loopIn(b) + 1)->bytes = 0;
     },
     "+ 0 bytes; expected at least one byte"},
    {"CarriesBytesOutsideOfMemory", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       reinterpret_cast<CarriedRange *>(&loopIn(b) + 1)->address = ~uint64_t(15);
     },
     "inside the device's memory"},
    {"CarriesTooMuch", false,
     [](LoopBundle &b) {
       b.begin();
       b.stream.repeat(3, std::vector<CarriedRange>(kMaxCarried + 1, {b.a, 1}), kSequential);
       b.body();
       b.stream.endRepeat();
       b.end();
     },
     "carries 4097 ranges; expected at most 4096"},
    {"FlagOutside", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       loopIn(b).flag = b.flag;
     },
     "with its flag outside of the ranges that it carries"},
    {"FailsWithoutAFlag", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       loopIn(b).options |= kFailsAtLimit;
     },
     "without a flag"},
    {"UnknownOption", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       loopIn(b).options |= 4;
     },
     "with an option that this runtime does not support"},
    {"Reserved", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       loopIn(b).reserved = 1;
     },
     "with an option that this runtime does not support"},
    {"NoIteration", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       loopIn(b).iterations = 0;
     },
     "0 iterations; expected at least one"},
    {"NotSequential", true,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       loopIn(b).options |= kSequential;
     },
     "with options 0x0 of their workgroups; its repeat says 80 in 3, 0x2"},
    {"SequentialUnsaid", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       loopIn(b).options = 0;
     },
     "with options 0x2 of their workgroups; its repeat says "},
    {"OtherBytes", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       loopIn(b).bodyBytes += 8;
     },
     "its repeat says 72 in 2, 0x2"},
    {"OtherCommands", false,
     [](LoopBundle &b) {
       around(b, nothing, nothing, nothing);
       --loopIn(b).bodyCommands;
     },
     "its repeat says 64 in 1, 0x2"},
    {"NoWork", true,
     [](LoopBundle &b) {
       around(
           b, nothing,
           [&] {
             b.stream.repeat(2, {});
             b.stream.barrier();
             b.stream.endRepeat();
           },
           nothing);
     },
     "ends a loop without work"},
    {"NoEnd", false,
     [](LoopBundle &b) {
       b.begin();
       b.stream.repeat(3, b.carried(), kSequential);
       b.body();
       b.end();
     },
     "is in a loop; expected a dispatch, copy, fill, barrier or loop there"},
    {"NoBeginning", false,
     [](LoopBundle &b) {
       b.begin();
       b.stream.repeat(3, b.carried(), kSequential);
       b.body();
       b.stream.endRepeat();
       b.stream.words.push_back(b.stream.words.back());
       ++b.stream.commands;
       b.end();
     },
     "ends no loop"},
    {"TooDeep", false,
     [](LoopBundle &b) {
       b.shape.depth = kMaxRepeatDepth + 1;
       b.begin();
       b.loops();
       b.end();
     },
     "is a loop in 8 others; expected fewer"},
    {"WaitsInside", false,
     [](LoopBundle &b) {
       const uint32_t event = b.builder.event("event");
       around(b, nothing, [&] { b.stream.wait(event); }, nothing);
     },
     "is in a loop"},
    {"SignalsInside", false,
     [](LoopBundle &b) {
       const uint32_t event = b.builder.event("event");
       around(b, nothing, [&] { b.stream.signal(event); }, nothing);
     },
     "is in a loop"},
    {"StateInside", false,
     [](LoopBundle &b) {
       const uint64_t at = more(b, "end") + 64;
       b.builder.buffer("state", fb::BufferKind::State, at, 64);
       around(b, nothing, [&] { b.stream.copy(b.b, at, b.bytes); }, nothing);
     },
     "accesses state; expected that outside of loops"},
    {"ReadsOneByteTooMany", false,
     [](LoopBundle &b) { // of what is carried
       around(b, nothing, nothing, nothing);
       reinterpret_cast<CarriedRange *>(&loopIn(b) + 1)->bytes -= 1;
     },
     "for its own iteration"},
};

class LoopCase : public testing::TestWithParam<Case> {};

TEST_P(LoopCase, IsJudged) {
  LoopBundle bundle({.isWide = GetParam().isWide});
  GetParam().make(bundle);
  BundleBuilder builder = bundle.finish();
  const std::string said = verdict(builder);
  if (*GetParam().message)
    EXPECT_NE(said.find(GetParam().message), std::string::npos) << said;
  else
    EXPECT_EQ(said, "");
}

INSTANTIATE_TEST_SUITE_P(Right, LoopCase, testing::ValuesIn(kRight),
                         [](const auto &info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(Wrong, LoopCase, testing::ValuesIn(kWrong),
                         [](const auto &info) { return std::string(info.param.name); });

/// Schedules of one entry point compute the same: the iterations count, and what is carried.
TEST(LoopProof, ComparesSchedules) {
  LoopBundle bundle;
  bundle.begin();
  bundle.loops();
  bundle.end();
  auto other = [&](const std::function<void(LoopBundle &)> &make) {
    LoopBundle changed;
    make(changed);
    changed.stream.end();
    BundleBuilder builder = LoopBundle(bundle).finish();
    const uint32_t trace = builder.trace("other", changed.stream);
    fb::ScheduleT &schedule = BundleBuilder::schedule(*builder.bundle.entries[0], "other");
    for (fb::StepKind kind : {fb::StepKind::Write, fb::StepKind::Execute, fb::StepKind::Read}) {
      BundleBuilder::step(schedule.body, kind, kind == fb::StepKind::Execute ? trace : 0);
      if (kind == fb::StepKind::Write)
        BundleBuilder::step(schedule.body, kind, 1);
    }
    return verdict(builder);
  };
  auto loop = [](uint64_t times, bool twice) {
    return [=](LoopBundle &b) {
      b.begin();
      b.stream.repeat(times, b.carried(), kSequential);
      b.body();
      if (twice)
        b.body();
      b.stream.endRepeat();
      b.end();
    };
  };
  EXPECT_EQ(other(loop(3, false)), "");
  EXPECT_NE(other(loop(4, false)).find("what the default schedule does not"), std::string::npos);
  EXPECT_NE(other(loop(3, true)).find("what the default schedule does not"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Every interleaving
//===----------------------------------------------------------------------===//

/// Queue 1 writes x and reads y, queue 0 runs a loop that reads x in each iteration.
BundleBuilder overlappedLoop(bool isSequentialInside) {
  LoopBundle b({.isWide = true});
  const uint32_t inReady = b.builder.event("in_ready"), inFree = b.builder.event("in_free"),
                 outReady = b.builder.event("out_ready"), outFree = b.builder.event("out_free");
  b.begin();
  b.stream.repeat(3, b.carried());
  b.stream.dispatch(b.add, {b.a, b.x, b.b});
  b.stream.barrier();
  if (isSequentialInside) {
    b.stream.repeat(3, {{b.b, 64}}, kSequential);
    b.stream.copy(b.a, b.b, 64);
    b.stream.copy(b.b, b.a, 64);
    b.stream.endRepeat();
  }
  b.stream.copy(b.a, b.b, b.bytes);
  b.stream.endRepeat();
  b.stream.signal(inFree);
  b.end();
  b.stream.signal(outReady);
  BundleBuilder builder = b.finish();
  fb::EntryPointT &entry = *builder.bundle.entries[0];
  entry.inputs.pop_back(); // n
  builder.bundle.target->queues = 2;
  entry.schedules[0]->body.clear();
  BundleBuilder::run(entry, {0});
  fb::ScheduleT &s = BundleBuilder::schedule(entry, "overlap-io", 2);
  using K = fb::StepKind;
  auto add = [](auto &part, uint8_t queue, K kind, uint32_t index) {
    BundleBuilder::step(part, kind, index, queue);
  };
  add(s.prologue, 1, K::Write, 0);
  add(s.prologue, 1, K::Record, inReady);
  add(s.body, 0, K::Wait, inReady);
  add(s.body, 0, K::Wait, outFree);
  add(s.body, 0, K::Execute, 0);
  add(s.body, 1, K::Wait, inFree);
  add(s.body, 1, K::Write, 0);
  add(s.body, 1, K::Record, inReady);
  add(s.body, 1, K::Wait, outReady);
  add(s.body, 1, K::Read, 0);
  add(s.body, 1, K::Record, outFree);
  add(s.epilogue, 0, K::Wait, inReady);
  add(s.epilogue, 0, K::Wait, outFree);
  add(s.epilogue, 0, K::Execute, 0);
  add(s.epilogue, 1, K::Wait, outReady);
  add(s.epilogue, 1, K::Read, 0);
  return builder;
}

/// What the proof takes goes well in every interleaving of any number of iterations.
TEST(LoopExplore, TheProofTakesNoOrderThatFails) {
  ExploreOptions options;
  options.bodies = 2;
  for (bool isSequentialInside : {false, true}) {
    uint32_t harmful = 0, harmless = 0, cautious = 0;
    auto faultOf = [&](const BundleBuilder &builder) {
      for (uint64_t iterations : {0, 1, 2, 3}) {
        const Reference reference =
            referenceOf(unrollLoops(overlappedLoop(isSequentialInside), iterations), 8);
        const std::string found = exploreAll(unrollLoops(builder, iterations), reference, options);
        if (!found.empty())
          return std::to_string(iterations) + " iterations: " + found;
      }
      return std::string();
    };
    BundleBuilder good = overlappedLoop(isSequentialInside);
    EXPECT_EQ(verdict(good), "");
    EXPECT_EQ(faultOf(good), "");
    for (const FaultKind &kind : faultKinds()) {
      if (kind.order != FaultKind::Order::Events)
        continue;
      for (size_t variant = 0; variant < 40; ++variant) {
        BundleBuilder builder = overlappedLoop(isSequentialInside);
        if (!kind.seed(builder, variant))
          break;
        repairLoops(builder);
        const std::string said = verdict(builder), found = faultOf(builder);
        if (said.empty())
          EXPECT_EQ(found, "") << kind.name << ", variant " << variant;
        ++(said.empty() ? harmless : found.empty() ? cautious : harmful);
      }
    }
    EXPECT_GT(harmful, 20u);
    EXPECT_GT(harmless, 5u);
    RecordProperty("harmful", std::to_string(harmful));
    RecordProperty("harmless", std::to_string(harmless));
    RecordProperty("refused_though_harmless", std::to_string(cautious));
  }
}

} // namespace
} // namespace ttrt::test
