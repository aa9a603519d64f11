// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "QueueBundle.h"

namespace ttrt::test {

namespace {

enum : uint32_t { kWritten, kConsumed, kProduced, kTaken, kConsumedInside, kProducedInside };

struct Writer : StepWriter<Writer> {
  // The parts of an inference where queue 1 writes and reads.
  Writer &writePart(uint32_t consumed = kConsumed) {
    return wait(consumed, 1).write(1).record(kWritten, 1);
  }
  Writer &executePart() {
    return wait(kWritten, 0).wait(kTaken, 0).execute(0).record(kConsumed, 0).record(kProduced, 0);
  }
  Writer &readPart(uint32_t produced = kProduced) {
    return wait(produced, 1).read(1).record(kTaken, 1);
  }
};

} // namespace

BundleBuilder queueBundle() {
  BundleBuilder builder = sampleBundle();
  builder.bundle.target->queues = 2;
  for (const char *name :
       {"written", "consumed", "produced", "taken", "consumed_inside", "produced_inside"})
    builder.event(name);
  fb::EntryPointT &entry = *builder.bundle.entries[0];

  // The trace again, with activations of its own and events inside: a signal takes the place of a
  // barrier.
  const auto words = builder.streams[0].words;
  const uint64_t x = words[2], w = words[3], y = words[20], a = words[9] + kSampleBytes,
                 b = a + kSampleBytes;
  builder.buffer("a2", fb::BufferKind::Activation, a, kSampleBytes);
  builder.buffer("b2", fb::BufferKind::Activation, b, kSampleBytes);
  StreamBuilder stream;
  stream.dispatch(0, {x, w, a});
  stream.signal(kConsumedInside);
  stream.dispatch(1, {a, b});
  stream.barrier();
  stream.dispatch(0, {b, w, a});
  stream.wait(kTaken);
  stream.barrier();
  stream.dispatch(1, {a, y});
  stream.signal(kProducedInside);
  stream.end();
  const uint32_t inside = builder.trace("main_t1", stream);
  entry.schedules[0]->body.clear();
  Writer{entry.schedules[0]->prologue}.record(kTaken, 0);
  Writer{entry.schedules[0]->body}.write(0).execute(0).execute(inside).read(0).record(kTaken, 0);
  for (size_t i = 3; i < 6; ++i) { // the prologue's step is the first point of the timeline
    ++builder.bundle.buffers[i]->begin;
    ++builder.bundle.buffers[i]->end;
  }

  fb::ScheduleT &input = BundleBuilder::schedule(entry, "overlap-input", 2);
  Writer{input.prologue}.record(kConsumed, 0);
  Writer{input.body}.writePart().wait(kWritten, 0).execute(0).record(kConsumed, 0).read(0);

  fb::ScheduleT &io = BundleBuilder::schedule(entry, "overlap-io", 2);
  Writer{io.prologue}.record(kTaken, 1).write(1).record(kWritten, 1).executePart();
  Writer{io.body}.writePart().readPart().executePart();
  Writer{io.epilogue}.readPart();

  fb::ScheduleT &rotated = BundleBuilder::schedule(entry, "rotated", 2);
  Writer{rotated.prologue}.record(kTaken, 1).write(1).record(kWritten, 1);
  Writer{rotated.body}.executePart().writePart().readPart();
  Writer{rotated.epilogue}.executePart().readPart();

  fb::ScheduleT &unrolled = BundleBuilder::schedule(entry, "unrolled", 2);
  Writer{unrolled.prologue}.record(kConsumed, 0).record(kTaken, 1);
  Writer{unrolled.body}.writePart().executePart().readPart().writePart().executePart().readPart();

  fb::ScheduleT &signals = BundleBuilder::schedule(entry, "signals", 2);
  Writer{signals.prologue}.record(kTaken, 1).write(1).record(kWritten, 1);
  Writer{signals.prologue}.wait(kWritten, 0).execute(inside);
  Writer{signals.body}.writePart(kConsumedInside).readPart(kProducedInside);
  Writer{signals.body}.wait(kWritten, 0).execute(inside);
  Writer{signals.epilogue}.readPart(kProducedInside);
  return builder;
}

} // namespace ttrt::test
