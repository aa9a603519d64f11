// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the walk does and why it proves what it says is in docs/proof.md.

#include "Error.h"
#include "OrderProver.h"

#include <algorithm>

namespace ttrt {

OrderProver::OrderProver(const Bundle &bundle, const DecodedBundle &decoded,
                         const BufferIndex &buffers, uint32_t entry, uint32_t schedule)
    : bundle(bundle), decoded(decoded), buffers(buffers),
      entry(*bundle.metadata().entries()->Get(entry)),
      schedule(*this->entry.schedules()->Get(schedule)), steps(decoded.schedules[entry][schedule]) {
  const uint32_t queues = this->schedule.queues();
  if (queues > kMaxProvedQueues)
    failHere(format("has %u queues; this runtime knows at most %u", queues, kMaxProvedQueues));
  state.queues.resize(queues);
  state.events.resize(count(bundle.metadata().events()));
  state.written.resize(count(this->entry.inputs()));
  state.read.resize(count(this->entry.outputs()));
  nodes.push_back({&initial, nullptr, 0, 0, kNone, 0, Part::Prologue, 0});
  for (uint32_t i = 0; i < count(bundle.metadata().buffers()); ++i) {
    const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(i);
    if (buffer.kind() != fb::BufferKind::State)
      continue;
    Access access{bundle.address(buffer), buffer.size(), false, true, 0};
    access.kind = buffer.kind();
    access.buffer = i;
    state.bytes.write(spanOf(access), {0, static_cast<uint32_t>(initial.accesses.size())},
                      kNoInference);
    initial.accesses.push_back(access);
  }
  countBody();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether `earlier` has happened before the current node in every order in which the schedule can
/// run.
bool OrderProver::isOrdered(uint32_t earlier) const {
  if (earlier == current || earlier == 0)
    return true;
  const Node &a = nodes[earlier], &b = nodes[current];
  if (a.queue != b.queue)
    return state.queues[b.queue].clock.work[a.queue] >= a.position;
  // Work of one workgroup is core 0's, which does it in the order of the stream.
  return a.position < b.position || (a.op->single && b.op->single);
}

void OrderProver::record(const Op &op, Queue &queue, uint8_t index) {
  Event &event = state.events[op.index];
  event.recorded = true;
  for (size_t i = 0; i < state.queues.size(); ++i)
    event.clock.set(i, i == index ? queue.position : queue.clock.work[i]);
  ++queue.position; // the event stands for all of the queue's work up to here
}

void OrderProver::wait(const Event &event, Queue &queue) {
  if (event.recorded)
    for (size_t i = 0; i < state.queues.size(); ++i)
      queue.clock.set(i, std::max(queue.clock.work[i], event.clock.work[i]));
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Whether what was written as one operand may be read as another.
bool OrderProver::isSameBuffer(const Access &write, const Access &read) const {
  if (write.buffer != kNoBuffer && read.buffer != kNoBuffer)
    return write.buffer == read.buffer;
  return buffers.isInsideOne(std::min(write.address, read.address),
                             std::max(write.end(), read.end()));
}

Span OrderProver::spanOf(const Access &access) const {
  const uint64_t phase = access.buffer == kNoBuffer
                             ? access.address
                             : bundle.address(*bundle.metadata().buffers()->Get(access.buffer));
  return {access.address, access.bytes, access.row, access.pitch, phase};
}

/// A read sees the last write of its buffer, of the inference of all other data; nobody may be
/// writing.
class OrderProver::Reading : public ByteVisitor {
public:
  Reading(OrderProver &prover, const Access &access, Touch touch)
      : prover(prover), access(access), touch(touch) {}

  void written(uint64_t begin, uint64_t end, History &history) override {
    ++prover.pairs;
    if (!prover.isOrdered(history.writer.node))
      prover.failRace(history.writer, touch, begin, end, /*earlierWrites=*/true,
                      /*laterWrites=*/false);
    if (!prover.isSameBuffer(prover.accessOf(history.writer), access))
      prover.failOtherBuffer(history.writer, touch, begin, end);
    if (access.kind != fb::BufferKind::State && history.inference != kNoInference) {
      if (prover.inference != kNoInference && prover.inference != history.inference)
        prover.failMixed(history, touch);
      prover.inference = history.inference;
      prover.inferenceFrom = history.writer;
    }
    // Whoever comes after this reader comes also after those that it comes after.
    ByteMap &bytes = prover.state.bytes;
    uint32_t others = ByteMap::kNoReaders;
    for (uint32_t i = history.readers; i != ByteMap::kNoReaders; i = bytes.reader(i).next)
      if (!prover.isOrdered(bytes.reader(i).touch.node))
        others = bytes.addReader(bytes.reader(i).touch, others);
    history.readers = bytes.addReader(touch, others);
  }
  void unwritten(uint64_t begin, uint64_t end) override { prover.failUnwritten(touch, begin, end); }

private:
  OrderProver &prover;
  const Access &access;
  const Touch touch;
};

/// When bytes are written, nobody may be writing or reading them.
class OrderProver::Writing : public ByteVisitor {
public:
  Writing(OrderProver &prover, Touch touch) : prover(prover), touch(touch) {}

  void written(uint64_t begin, uint64_t end, History &history) override {
    ++prover.pairs;
    if (!prover.isOrdered(history.writer.node))
      prover.failRace(history.writer, touch, begin, end, /*earlierWrites=*/true,
                      /*laterWrites=*/true);
    const ByteMap &bytes = prover.state.bytes;
    for (uint32_t i = history.readers; i != ByteMap::kNoReaders; i = bytes.reader(i).next) {
      const Touch reader = bytes.reader(i).touch;
      ++prover.pairs;
      if (!prover.isOrdered(reader.node))
        prover.failRace(reader, touch, begin, end, /*earlierWrites=*/false, /*laterWrites=*/true);
    }
  }
  void unwritten(uint64_t, uint64_t) override {}

private:
  OrderProver &prover;
  const Touch touch;
};

void OrderProver::touch(const Node &node) {
  nodes.push_back(node);
  current = static_cast<uint32_t>(nodes.size() - 1);
  inference = kNoInference;
  const Op &op = *node.op;
  const bool isInput = op.step && op.step->kind() == fb::StepKind::Write;
  const bool isOutput = op.step && op.step->kind() == fb::StepKind::Read;
  for (uint32_t i = op.first; i < op.end; ++i) {
    const Access &access = node.list->accesses[i];
    ++accesses;
    if (access.read && access.kind != fb::BufferKind::Constant) {
      Reading reading(*this, access, {current, i});
      state.bytes.forEach(spanOf(access), reading);
    }
  }
  if (isInput && repeatsInput[op.step->index()])
    inference = state.written[op.step->index()]++;
  if (isOutput) {
    const int64_t expected = state.read[op.step->index()]++;
    const Access &access = node.list->accesses[op.first];
    if (inference != kNoInference && inference != expected)
      failStale(inferenceFrom, inference, {current, op.first}, expected, access.address,
                access.end());
  }
  for (uint32_t i = op.first; i < op.end; ++i)
    if (node.list->accesses[i].write) {
      const Touch touch{current, i};
      const Span span = spanOf(node.list->accesses[i]);
      Writing writing(*this, touch);
      state.bytes.forEach(span, writing);
      state.bytes.write(span, touch, inference);
    }
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void OrderProver::runTrace(Node node) {
  const uint32_t trace = node.op->index;
  Queue &queue = state.queues[node.queue];
  node.list = &decoded.traces[trace];
  // A wait in a stream is for what was recorded before the stream was enqueued.
  const std::vector<Event> recorded = state.events;
  for (node.command = 0; node.command < node.list->ops.size(); ++node.command) {
    const Op &op = node.list->ops[node.command];
    node.op = &op;
    node.position = queue.position;
    switch (op.kind) {
    case OpKind::Work:
      touch(node);
      break;
    case OpKind::Barrier:
      ++queue.position;
      break;
    case OpKind::Record:
      record(op, queue, node.queue);
      break;
    case OpKind::Wait:
      wait(recorded[op.index], queue);
      break;
    case OpKind::Execute:
      break; // not in a stream
    }
  }
}

void OrderProver::runStep(uint32_t step) {
  const Op &op = steps.steps.ops[step];
  const uint8_t index = op.step->queue();
  Queue &queue = state.queues[index];
  const Node node{&steps.steps, &op, ++queue.position, step, kNone, iteration, part, index};
  switch (op.kind) {
  case OpKind::Work:
    return touch(node);
  case OpKind::Execute:
    return runTrace(node);
  case OpKind::Record:
    return record(op, queue, index);
  case OpKind::Wait:
    return wait(state.events[op.index], queue);
  case OpKind::Barrier:
    return;
  }
}

void OrderProver::runPart(Part which) {
  part = which;
  const uint32_t end = static_cast<uint32_t>(steps.steps.ops.size());
  uint32_t from = which == Part::Prologue ? 0
                  : which == Part::Body   ? steps.bodyBegin
                                          : steps.bodyEnd;
  uint32_t to = which == Part::Prologue ? steps.bodyBegin
                : which == Part::Body   ? steps.bodyEnd
                                        : end;
  for (Queue &queue : state.queues)
    queue.clock.startIteration();
  for (Event &event : state.events)
    event.clock.startIteration();
  for (uint32_t step = from; step < to; ++step)
    runStep(step);
}

//===----------------------------------------------------------------------===//
// Any number of iterations
//===----------------------------------------------------------------------===//

/// How many inferences one body feeds and drains: the n-th write of an input and the n-th read of
/// an output belong to inference n. What the body does not do is no stream of data.
void OrderProver::countBody() {
  std::vector<int64_t> writes(state.written.size()), reads(state.read.size());
  for (uint32_t i = steps.bodyBegin; i < steps.bodyEnd; ++i) {
    const fb::Step &step = *steps.steps.ops[i].step;
    if (step.kind() == fb::StepKind::Write)
      ++writes[step.index()];
    else if (step.kind() == fb::StepKind::Read)
      ++reads[step.index()];
  }
  auto compare = [&](const char *what, const flatbuffers::String *name, int64_t times) {
    if (times == 0)
      return;
    if (perBody && times != perBody)
      failHere(format("the body %s '%s' %lld times and %s %lld times", what, text(name),
                      (long long)times, firstPort.c_str(), (long long)perBody));
    if (!perBody)
      firstPort = format("%s '%s'", what, text(name));
    perBody = times;
  };
  for (uint32_t i = 0; i < writes.size(); ++i)
    compare("writes input", entry.inputs()->Get(i)->name(), writes[i]);
  for (uint32_t i = 0; i < reads.size(); ++i)
    compare("reads output", entry.outputs()->Get(i)->name(), reads[i]);
  for (int64_t times : writes)
    repeatsInput.push_back(times != 0);
  for (int64_t times : reads)
    repeatsOutput.push_back(times != 0);
}

/// After a whole run every inference that began has ended.
void OrderProver::verifyCounts() const {
  int64_t expected = -1;
  auto compare = [&](const char *what, const flatbuffers::String *name, int64_t times) {
    if (expected >= 0 && times != expected)
      failHere(format("a run with %u iterations of the body %s '%s' %lld times and %s %lld times",
                      iteration, what, text(name), (long long)times, firstPort.c_str(),
                      (long long)expected));
    expected = times;
  };
  for (uint32_t i = 0; i < repeatsInput.size(); ++i)
    if (repeatsInput[i])
      compare("writes input", entry.inputs()->Get(i)->name(), state.written[i]);
  for (uint32_t i = 0; i < repeatsOutput.size(); ++i)
    if (repeatsOutput[i])
      compare("reads output", entry.outputs()->Get(i)->name(), state.read[i]);
}

/// An access, by what it is and how many iterations ago it was.
OrderProver::Encoded OrderProver::encode(Touch touch) const {
  const Node &node = nodes[touch.node];
  const uint64_t age = node.part == Part::Body ? iteration - node.iteration : kNone;
  return {uint64_t(node.step) << 32 | node.command, age << 32 | touch.access};
}

void OrderProver::encode(std::vector<uint64_t> &words, const History &history) const {
  const Encoded writer = encode(history.writer);
  words.insert(words.end(), {writer.first, writer.second});
  words.push_back(static_cast<uint64_t>(
      history.inference == kNoInference ? kNoInference : history.inference - perBody * iteration));
  std::vector<Encoded> readers;
  for (uint32_t i = history.readers; i != ByteMap::kNoReaders; i = state.bytes.reader(i).next)
    readers.push_back(encode(state.bytes.reader(i).touch));
  std::sort(readers.begin(), readers.end());
  words.push_back(readers.size());
  for (const Encoded &reader : readers)
    words.insert(words.end(), {reader.first, reader.second});
}

/// All that later iterations depend on, relative to this one.
std::vector<uint64_t> OrderProver::snapshot() const {
  std::vector<uint64_t> words;
  auto addClock = [&](const Clock &clock) {
    for (size_t i = 0; i < state.queues.size(); ++i) {
      words.push_back(clock.moved[i]);
      words.push_back(clock.moved[i] ? state.queues[i].position - clock.work[i] : clock.work[i]);
    }
  };
  for (const Queue &queue : state.queues)
    addClock(queue.clock);
  for (const Event &event : state.events) {
    words.push_back(event.recorded);
    addClock(event.clock);
  }
  for (const auto &[begin, band] : state.bytes.all()) {
    words.insert(words.end(), {begin, band.end, band.pitch, band.columns.size()});
    for (const ByteMap::Column &column : band.columns) {
      words.insert(words.end(), {column.begin, column.end});
      encode(words, column.history);
    }
  }
  return words;
}

/// Ends a run after each number of iterations, until the state at the end of one is that at the end
/// of the one before: from there on everything repeats.
void OrderProver::prove(Proof &proof) {
  constexpr uint32_t kMaxIterations = 64;
  std::vector<uint64_t> before;
  runPart(Part::Prologue);
  for (iteration = 0;;) {
    if (steps.bodyEnd < steps.steps.ops.size()) {
      State saved = state;
      runPart(Part::Epilogue);
      verifyCounts();
      state = std::move(saved);
    } else {
      verifyCounts();
    }
    if (iteration == kMaxIterations)
      failHere(format("its %u-th iteration still differs from the one before it; expected a "
                      "steady state",
                      iteration));
    runPart(Part::Body);
    ++iteration;
    std::vector<uint64_t> now = snapshot();
    if (now == before)
      break;
    before = std::move(now);
  }
  ++proof.schedules;
  proof.iterations = std::max<uint64_t>(proof.iterations, iteration);
  proof.accesses += accesses;
  proof.pairs += pairs;
}

void verifyOrder(const Bundle &bundle, const DecodedBundle &decoded, Proof &proof) {
  const BufferIndex buffers(bundle);
  for (const OpList &trace : decoded.traces)
    proof.commands += trace.ops.size() + 1;
  for (uint32_t entry = 0; entry < decoded.schedules.size(); ++entry)
    for (uint32_t schedule = 0; schedule < decoded.schedules[entry].size(); ++schedule) {
      proof.steps += decoded.schedules[entry][schedule].steps.ops.size();
      OrderProver(bundle, decoded, buffers, entry, schedule).prove(proof);
    }
}

} // namespace ttrt
