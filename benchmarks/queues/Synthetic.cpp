// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Synthetic.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace ttrt::bench {

using test::BundleBuilder;
using test::StreamBuilder;

uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#endif
}

double ticksPerUs() {
  using Clock = std::chrono::steady_clock;
  static const double rate = [] {
    const auto begin = Clock::now();
    const uint64_t first = ticks();
    while (Clock::now() - begin < std::chrono::milliseconds(50)) {
    }
    const uint64_t last = ticks();
    return static_cast<double>(last - first) /
           std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  }();
  return rate;
}

std::vector<uint64_t> inputOf(const Shape &shape, uint64_t seed) {
  std::vector<uint64_t> input(shape.words);
  input[0] = shape.words;
  for (uint64_t i = 1; i < shape.words; ++i)
    input[i] = seed * 1000003 + i;
  return input;
}

bool isOutputOf(const Shape &shape, uint64_t seed, const uint64_t *output) {
  for (uint64_t i = 1; i < shape.words; ++i)
    if (output[i] != seed * 1000003 + i + 2)
      return false;
  return output[0] == shape.words;
}

namespace {

enum Event : uint32_t { kWritten, kConsumed, kProduced, kTaken };

class Maker {
public:
  explicit Maker(const Shape &shape) : shape(shape) {}
  BundleBuilder make();

private:
  uint64_t stamp(uint32_t command) const { return stamps + command * kStampWords * 8; }
  void first(StreamBuilder &stream) { stream.dispatch(step, {duration, x, stamp(0), a}); }
  void middle(StreamBuilder &stream) {
    for (uint32_t i = 1; i + 1 < shape.commands; ++i)
      stream.dispatch(spin, {duration, stamp(i)});
  }
  void last(StreamBuilder &stream) {
    stream.dispatch(step, {duration, a, stamp(shape.commands - 1), y});
  }
  fb::EntryPointT &entry(const char *name) {
    fb::EntryPointT &added = builder.entry(name);
    const auto words = static_cast<int64_t>(shape.words);
    BundleBuilder::port(added.inputs, "x", {words}, inputSlot, fb::DType::U64);
    BundleBuilder::port(added.outputs, "y", {words}, outputSlot, fb::DType::U64);
    return added;
  }

  const Shape &shape;
  BundleBuilder builder;
  uint32_t step = 0, spin = 0, inputSlot = 0, outputSlot = 0;
  uint64_t duration = 0, x = 0, y = 0, a = 0, stamps = 0;
};

/// Steps of one part of a schedule.
struct Part : test::StepWriter<Part> {};

BundleBuilder Maker::make() {
  std::ifstream file(TTC_BENCH_PROGRAMS, std::ios::binary);
  builder.code.assign(std::istreambuf_iterator<char>(file), {});
  if (builder.code.empty())
    throw std::runtime_error("cannot read " TTC_BENCH_PROGRAMS);
  builder.bundle.target->queues = 2;
  for (const char *name : {"written", "consumed", "produced", "taken"})
    builder.event(name);
  const auto wanted = static_cast<uint64_t>(shape.commandUs * ticksPerUs());
  duration = builder.constant("duration", &wanted, sizeof(wanted));
  const uint64_t bytes = shape.words * 8, room = alignUp(bytes, kBufferAlignment);
  x = builder.dataBegin();
  y = x + room;
  a = y + room;
  stamps = a + room;
  inputSlot = builder.buffer("x", fb::BufferKind::Slot, x, bytes);
  outputSlot = builder.buffer("y", fb::BufferKind::Slot, y, bytes);
  builder.buffer("a", fb::BufferKind::Activation, a, bytes);
  const uint64_t stampBytes = shape.commands * kStampWords * 8;
  const uint32_t stampBuffer = builder.buffer("stamps", fb::BufferKind::State, stamps, stampBytes);
  const uint32_t besideBuffer =
      builder.buffer("stamps_beside", fb::BufferKind::State, stamps + stampBytes, stampBytes);
  step = builder.program("bench_step", 1, {8, bytes}, {16, bytes});
  spin = builder.program("bench_spin", 1, {8}, {16});

  StreamBuilder whole, between, inside;
  first(whole);
  middle(whole);
  last(whole);
  whole.end();
  middle(between);
  between.end();
  first(inside);
  inside.signal(kConsumed);
  middle(inside);
  inside.wait(kTaken);
  last(inside);
  inside.signal(kProduced);
  inside.end();
  const uint32_t t0 = builder.trace("whole", whole), t1 = builder.trace("between", between),
                 t2 = builder.trace("inside", inside);
  const std::vector<uint64_t> load = {duration, x, stamp(0), a},
                              store = {duration, a, stamp(shape.commands - 1), y};

  fb::EntryPointT &main = entry("main");
  Part{main.schedules[0]->body}.write(0).execute(t0).read(0);

  fb::EntryPointT &split = entry("split");
  auto runSplit = [&](Part part) {
    part.wait(kWritten, 0).add(fb::StepKind::Dispatch, step, 0, load).record(kConsumed, 0);
    part.execute(t1).wait(kTaken, 0).add(fb::StepKind::Dispatch, step, 0, store);
    part.record(kProduced, 0);
  };
  auto writePart = [&](Part part) { part.wait(kConsumed, 1).write(1).record(kWritten, 1); };
  auto readPart = [&](Part part) { part.wait(kProduced, 1).read(1).record(kTaken, 1); };
  Part{split.schedules[0]->body}
      .write(0)
      .add(fb::StepKind::Dispatch, step, 0, load)
      .execute(t1)
      .add(fb::StepKind::Dispatch, step, 0, store)
      .read(0);
  fb::ScheduleT &input = BundleBuilder::schedule(split, "overlap-input", 2);
  Part{input.prologue}.record(kConsumed, 0);
  writePart({input.body});
  Part{input.body}
      .wait(kWritten, 0)
      .add(fb::StepKind::Dispatch, step, 0, load)
      .record(kConsumed, 0)
      .execute(t1)
      .add(fb::StepKind::Dispatch, step, 0, store)
      .read(0);
  fb::ScheduleT &io = BundleBuilder::schedule(split, "overlap-io", 2);
  Part{io.prologue}.record(kTaken, 1).write(1).record(kWritten, 1);
  runSplit({io.body});
  writePart({io.body});
  readPart({io.body});
  runSplit({io.epilogue});
  readPart({io.epilogue});

  fb::EntryPointT &marked = entry("inside");
  Part{marked.schedules[0]->prologue}.record(kTaken, 0);
  Part{marked.schedules[0]->body}.write(0).execute(t2).read(0).record(kTaken, 0);
  fb::ScheduleT &signals = BundleBuilder::schedule(marked, "overlap-io", 2);
  Part{signals.prologue}.record(kTaken, 1).write(1).record(kWritten, 1);
  Part{signals.body}.wait(kWritten, 0).execute(t2);
  writePart({signals.body});
  readPart({signals.body});
  Part{signals.epilogue}.wait(kWritten, 0).execute(t2);
  readPart({signals.epilogue});

  StreamBuilder beside;
  for (uint32_t i = 0; i < shape.commands; ++i)
    beside.dispatch(spin, {duration, stamps + stampBytes + i * kStampWords * 8});
  beside.end();
  const uint32_t besideTrace = builder.trace("beside", beside);
  if (t0 != kWholeTrace || besideTrace != kBesideTrace)
    throw std::logic_error("the traces' numbers");

  fb::EntryPointT &stampEntry = builder.entry("stamps");
  BundleBuilder::port(stampEntry.outputs, "stamps", {int64_t(shape.commands * kStampWords)},
                      stampBuffer, fb::DType::U64);
  Part{stampEntry.schedules[0]->body}.read(0);

  fb::EntryPointT &besideEntry = builder.entry("beside");
  BundleBuilder::port(besideEntry.outputs, "stamps", {int64_t(shape.commands * kStampWords)},
                      besideBuffer, fb::DType::U64);
  Part{besideEntry.schedules[0]->body}.execute(besideTrace).read(0);
  return std::move(builder);
}

} // namespace

BundleBuilder syntheticBundle(const Shape &shape) { return Maker(shape).make(); }

} // namespace ttrt::bench
