// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an entry point computes (fb::Dataflow): every schedule must compute it, from the right data.

#include "ttrt/format/dataflow.h"
#include "test/unit/Support/Certify.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/QueueBundle.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace ttrt::test {
namespace {

//===----------------------------------------------------------------------===//
// Digests
//===----------------------------------------------------------------------===//

TEST(Digests, MomentsAreSums) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const uint64_t first = random() % 1000 - 500, bytes = random() % 20 + 1,
                   rows = random() % 9 + 1, pitch = bytes + random() % 30;
    uint64_t count = 0, sum = 0, squares = 0;
    for (uint64_t row = 0; row < rows; ++row)
      for (uint64_t column = 0; column < bytes; ++column) {
        const uint64_t p = first + row * pitch + column;
        ++count;
        sum += p;
        squares += p * p;
      }
    const dataflow::Moments moments = dataflow::momentsOf(first, bytes, rows, pitch);
    EXPECT_EQ(moments.count, count);
    EXPECT_EQ(moments.sum, sum);
    EXPECT_EQ(moments.squares, squares);
  }
}

/// Content does not depend on how the bytes of a write are divided.
TEST(Digests, ContributionsAdd) {
  auto of = [](uint64_t first, uint64_t bytes, uint64_t rows, uint64_t pitch) {
    return dataflow::contribution(7, 64, dataflow::momentsOf(first, bytes, rows, pitch));
  };
  const uint64_t whole = of(0, 96, 1, 96);
  EXPECT_EQ(of(0, 32, 1, 32) + of(32, 64, 1, 64), whole);
  EXPECT_EQ(of(0, 24, 4, 24), whole);
  EXPECT_EQ(of(0, 8, 4, 24) + of(8, 16, 4, 24), whole);
  EXPECT_NE(of(0, 96, 1, 96), dataflow::contribution(8, 64, dataflow::momentsOf(0, 96, 1, 96)));
  EXPECT_NE(of(0, 96, 1, 96), dataflow::contribution(7, 65, dataflow::momentsOf(0, 96, 1, 96)));
  EXPECT_NE(of(0, 96, 1, 96), of(1, 96, 1, 96));
  EXPECT_NE(of(0, 96, 1, 96), of(0, 95, 1, 95));
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

constexpr uint64_t kState = 1 << 20;

/// queueBundle() whose trace first adds the input to `sum`, which it keeps, and whose output starts
/// from that: x' = sum' = x + sum. Two constants of one size, and two programs of one form.
BundleBuilder keepingBundle() {
  BundleBuilder builder;
  float weights[2][kSampleElements];
  for (uint64_t i = 0; i < kSampleElements; ++i) {
    weights[0][i] = static_cast<float>(i);
    weights[1][i] = -2 * static_cast<float>(i);
  }
  const uint64_t v = builder.constant("v", weights[0], kSampleBytes);
  const uint64_t w = builder.constant("w", weights[1], kSampleBytes);
  const uint64_t x = builder.dataBegin(), y = x + kSampleBytes, a = y + kSampleBytes,
                 b = a + kSampleBytes, c = b + kSampleBytes;
  const uint32_t inputSlot = builder.buffer("x", fb::BufferKind::Slot, x, kSampleBytes);
  const uint32_t outputSlot = builder.buffer("y", fb::BufferKind::Slot, y, kSampleBytes);
  builder.buffer("sum", fb::BufferKind::State, kState, kSampleBytes);
  // Points: 0 write, 1 add, 3 copy, 5 add, 7 add, 9 reverse, 10 end, 11 read.
  builder.buffer("a", fb::BufferKind::Activation, a, kSampleBytes, 1, 6);
  builder.buffer("b", fb::BufferKind::Activation, b, kSampleBytes, 5, 8);
  builder.buffer("c", fb::BufferKind::Activation, c, kSampleBytes, 7, 10);
  const uint32_t add =
      builder.program("test_add", 16, {kSampleBytes, kSampleBytes}, {kSampleBytes});
  const uint32_t reverse = builder.program("test_reverse", 16, {kSampleBytes}, {kSampleBytes}, 64);
  StreamBuilder stream;
  stream.dispatch(add, {x, kState, a});
  stream.barrier();
  stream.copy(kState, a, kSampleBytes);
  stream.barrier();
  stream.dispatch(add, {a, v, b});
  stream.barrier();
  stream.dispatch(add, {b, w, c});
  stream.barrier();
  stream.dispatch(reverse, {c, y});
  stream.end();
  const uint32_t trace = builder.trace("main_t0", stream);
  builder.entry("main", {"x", {1, 256}, inputSlot}, {"y", {1, 256}, outputSlot}, {trace});
  return builder;
}

/// Words of the stream: add at 0 (operands at 2, 3, 4), copy at 6 (dst, src at 7, 8), add at 11
/// (operands at 13, 14, 15), add at 17 (19, 20, 21), reverse at 23 (25, 26).
std::vector<uint64_t> &words(BundleBuilder &b) { return b.streams[0].words; }

struct Change {
  const char *name;
  std::function<void(BundleBuilder &)> change;
  const char *message = "what the entry point's dataflow does not"; ///< a part of it
};
void PrintTo(const Change &change, std::ostream *stream) { *stream << change.name; }

class Dataflow : public testing::TestWithParam<Change> {};

TEST_P(Dataflow, OtherDataIsRefused) {
  BundleBuilder builder = keepingBundle();
  certify(builder);
  ASSERT_EQ(verdict(builder.finish()), "");
  GetParam().change(builder);
  const std::string message = verdict(builder.finish());
  EXPECT_NE(message, "");
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

fb::EntryPointT &entry(BundleBuilder &b) { return *b.bundle.entries[0]; }

const Change kChanges[] = {
    {"ExchangedConstants", [](BundleBuilder &b) { std::swap(words(b)[14], words(b)[20]); },
     "read of output 'y') in iteration 0 returns what the entry point's dataflow does not"},
    {"SameConstantTwice", [](BundleBuilder &b) { words(b)[14] = words(b)[20]; }},
    {"OtherInputOfTheSameInference", [](BundleBuilder &b) { words(b)[13] = words(b)[2]; }},
    {"ExchangedOperands", [](BundleBuilder &b) { std::swap(words(b)[2], words(b)[3]); }},
    {"OtherBytesOfTheWeights", [](BundleBuilder &b) { b.constants[3] ^= 1; }},
    {"InputType", [](BundleBuilder &b) { entry(b).inputs[0]->dtype = fb::DType::I32; }},
    {"InputShape", [](BundleBuilder &b) { entry(b).inputs[0]->shape = {256}; }},
    {"InputName", [](BundleBuilder &b) { entry(b).inputs[0]->name = "z"; }},
    {"OutputType", [](BundleBuilder &b) { entry(b).outputs[0]->dtype = fb::DType::I32; },
     "returns what the entry point's dataflow does not"},
    {"OutputShape", [](BundleBuilder &b) { entry(b).outputs[0]->shape = {256, 1}; },
     "returns what"},
    {"OutputName", [](BundleBuilder &b) { entry(b).outputs[0]->name = "z"; }, "returns what"},
    {"EntryName", [](BundleBuilder &b) { entry(b).name = "other"; }},
    {"StateIsWrittenFirst",
     [](BundleBuilder &b) {
       // The copy before the first add: it would keep what the last inference left in `a`.
       std::vector<uint64_t> &all = words(b);
       std::rotate(all.begin(), all.begin() + 6, all.begin() + 10);
       b.bundle.buffers[5]->begin = 0;
     },
     "which nothing has written before"},
    {"StateIsNotWritten", [](BundleBuilder &b) { words(b)[7] = words(b)[26]; },
     "reads, out of turn, what the entry point's dataflow does not"},
    {"ActivationAsState",
     [](BundleBuilder &b) {
       b.bundle.buffers[6]->kind = fb::BufferKind::State;
       b.bundle.buffers[6]->begin = b.bundle.buffers[6]->end = 0;
     }},
    {"StateAsSlot", [](BundleBuilder &b) { b.bundle.buffers[4]->kind = fb::BufferKind::Slot; },
     "expected a state buffer"},
    {"NoOutputs", [](BundleBuilder &b) { entry(b).dataflow->outputs.clear(); },
     "the dataflow of entry point 'main' has 0 outputs; expected 1"},
    {"NoStates", [](BundleBuilder &b) { entry(b).dataflow->states.clear(); },
     "reads, out of turn, what the entry point's dataflow does not"},
    {"StateOfAnotherBuffer", [](BundleBuilder &b) { entry(b).dataflow->states[0]->buffer = 0; },
     "expected a state buffer, and accesses that divide into inferences"},
    {"StateInNoInference", [](BundleBuilder &b) { entry(b).dataflow->states[0]->inferences = 0; },
     "expected a state buffer"},
    {"StateInTwoInferences", [](BundleBuilder &b) { entry(b).dataflow->states[0]->inferences = 2; },
     "out of turn"},
};
INSTANTIATE_TEST_SUITE_P(Changes, Dataflow, testing::ValuesIn(kChanges),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(KeptState, IsUsed) {
  BundleBuilder builder = keepingBundle();
  certify(builder);
  const TemporaryFile file(builder.finish());
  Loaded loaded(file.path(), 2);
  const std::vector<float> input(kSampleElements, 1.0f);
  for (int inference = 1; inference < 4; ++inference) {
    const std::vector<float> output = loaded.run(input, kSampleElements);
    for (uint64_t i = 0; i < kSampleElements; ++i) {
      const auto j = static_cast<float>(kSampleElements - 1 - i);
      ASSERT_EQ(output[i], static_cast<float>(inference) - j) << i;
    }
  }
}

/// A second schedule that accesses state at another time, or not at all.
TEST(KeptState, EverySchedule) {
  auto with = [](std::function<void(fb::ScheduleT &)> change) {
    BundleBuilder builder = keepingBundle();
    certify(builder);
    auto &schedules = entry(builder).schedules;
    schedules.push_back(std::make_unique<fb::ScheduleT>(*schedules[0]));
    schedules.back()->name = "other";
    change(*schedules.back());
    return verdict(builder.finish());
  };
  EXPECT_EQ(with([](fb::ScheduleT &) {}), "");
  const std::string twice = with([](fb::ScheduleT &schedule) {
    schedule.body.push_back(std::make_unique<fb::StepT>(*schedule.body[1]));
  });
  EXPECT_NE(twice.find("schedule 'other' of entry point 'main'"), std::string::npos) << twice;
  EXPECT_NE(twice.find("of 'sum' for inference 1, but its other data belongs to inference 0"),
            std::string::npos)
      << twice;
  // A copy to the state that reads no input, once more in each iteration.
  BundleBuilder builder = keepingBundle();
  certify(builder);
  StreamBuilder stream;
  stream.fill(kState, kSampleBytes, 0);
  stream.end();
  const uint32_t trace = builder.trace("clear", stream);
  builder.bundle.trace_region = nullptr;
  builder.bundle.traces[0]->address = 0;
  auto &schedules = entry(builder).schedules;
  schedules.push_back(std::make_unique<fb::ScheduleT>(*schedules[0]));
  schedules.back()->name = "other";
  schedules.back()->body.push_back(std::make_unique<fb::StepT>(*schedules[0]->body[1]));
  schedules.back()->body.back()->index = trace;
  const std::string cleared = verdict(builder.finish());
  EXPECT_NE(cleared.find("writes, out of turn, what the entry point's dataflow does not"),
            std::string::npos)
      << cleared;
}

} // namespace
} // namespace ttrt::test
