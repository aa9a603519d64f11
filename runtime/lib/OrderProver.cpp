// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the walk does and why it proves what it says is in docs/proof.md.

#include "OrderProver.h"
#include "Format.h"

#include <algorithm>

namespace ttrt {

OrderProver::OrderProver(const Bundle &bundle, const DecodedPlan &decoded,
                         const BufferIndex &buffers, uint32_t entry, uint32_t schedule,
                         Precision precision)
    : bundle(bundle), decoded(decoded), buffers(buffers),
      entry(*bundle.metadata().entries()->Get(entry)),
      schedule(*this->entry.schedules()->Get(schedule)), steps(decoded.schedules[entry][schedule]) {
  const uint32_t queues = this->schedule.queues();
  if (queues > kMaxProvedQueues)
    failHere("has {} queues; this runtime knows at most {}", queues, kMaxProvedQueues);
  if (precision == Precision::Conservative)
    state.bytes = ShadowMemory(this);
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
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether workgroup k of both accesses touches rows that no other workgroup of the other one does:
/// rows of both fall into one grid of stripes, one for each workgroup.
static bool isWithinWorkgroups(const Access &a, const Access &b) {
  return a.perWorkgroup && b.perWorkgroup && a.pitch == b.pitch &&
         std::max(a.address + a.row, b.address + b.row) - std::min(a.address, b.address) <= a.pitch;
}

/// Whether core 0 makes an access, and nobody else: of one workgroup, or to its own scratch.
bool OrderProver::isCore0s(const Op &op, const Access &access) const {
  return op.grid == 1 || (access.kind == fb::BufferKind::Scratch &&
                          access.address < bundle.addresses().l1Address(1));
}

/// Whether the access `earlier` has happened before that of the current node, in every order in
/// which the schedule can run.
bool OrderProver::isOrdered(Touch earlier, const Access &now) const {
  if (earlier.node == current || earlier.node == 0)
    return true;
  const Node &a = nodes[earlier.node], &b = nodes[current];
  if (a.queue != b.queue)
    return state.queues[b.queue].clock.work[a.queue] >= a.position;
  if (a.position < b.position)
    return true;
  if (isCore0s(*a.op, accessOf(earlier)) && isCore0s(*b.op, now))
    return true;
  // Scratch is its core's, which has one command at a time; others may be ahead or behind.
  const bool scratch = accessOf(earlier).kind == fb::BufferKind::Scratch;
  if (scratch || now.kind == fb::BufferKind::Scratch)
    return scratch && now.kind == fb::BufferKind::Scratch;
  // Equal workgroups of equal grids are one core's, which does them in the order of the stream.
  return a.op->grid == b.op->grid && isWithinWorkgroups(accessOf(earlier), now);
}

/// The last of each queue: what comes behind a position comes behind all before it.
void OrderProver::keepLast(std::vector<Touch> &touches) const {
  uint64_t last[kMaxProvedQueues] = {};
  for (Touch touch : touches) {
    const Node &node = nodes[touch.node];
    last[node.queue] = std::max(last[node.queue], node.position);
  }
  std::erase_if(touches, [&](Touch touch) {
    return nodes[touch.node].position < last[nodes[touch.node].queue];
  });
  auto key = [](Touch touch) { return std::pair(touch.node, touch.access); };
  std::sort(touches.begin(), touches.end(), [&](Touch a, Touch b) { return key(a) < key(b); });
  touches.erase(std::unique(touches.begin(), touches.end()), touches.end());
}

void OrderProver::record(const Op &op, Queue &queue, uint8_t index) {
  Event &event = state.events[op.index];
  event.recorded = true;
  for (size_t i = 0; i < state.queues.size(); ++i)
    event.clock.work[i] = i == index ? queue.position : queue.clock.work[i];
  ++queue.position; // the event stands for all of the queue's work up to here
}

void OrderProver::wait(const Event &event, Queue &queue) {
  if (event.recorded)
    for (size_t i = 0; i < state.queues.size(); ++i)
      queue.clock.work[i] = std::max(queue.clock.work[i], event.clock.work[i]);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Whether what was written as one operand may be read as another.
bool OrderProver::isSameBuffer(const Access &write, const Access &read) const {
  if (write.kind == fb::BufferKind::Scratch)
    return false;
  if (write.buffer != kNoBuffer && read.buffer != kNoBuffer)
    return write.buffer == read.buffer;
  const auto a = buffers.reachOf(write), b = buffers.reachOf(read);
  return buffers.isInsideOne(std::min(a.begin, b.begin), std::max(a.end, b.end));
}

/// Calls function(const Span &) for an access's bytes. Both views of L1 are one memory, as on a
/// chip: bytes at one offset in neighbouring cores follow each other in the interleaved view, unit
/// by unit, so shards and scratch are rows of it; what is less than a unit, at either end, are rows
/// of its own.
template <typename Function>
void OrderProver::forEachSpan(const Access &access, Function function) const {
  const AddressMap &map = bundle.addresses();
  if (!map.isInCore(access.address))
    return function(spanOf(access));
  constexpr uint64_t unit = kBufferAlignment;
  const uint64_t inCore = bytesInCore(map, access), pitch = unit * map.cores;
  const uint64_t shards = (access.bytes - inCore) / map.l1Bytes + 1;
  const uint64_t core = (access.address - map.dramBytes) / map.l1Bytes;
  uint64_t begin = (access.address - map.dramBytes) % map.l1Bytes;
  for (const uint64_t end = begin + inCore; begin < end;) {
    const uint64_t left = end - begin, lead = begin % unit;
    const uint64_t first = map.interleavedAddress() + begin / unit * pitch + core * unit + lead;
    uint64_t bytes = left / unit * unit;
    if (lead || !bytes) {
      bytes = std::min(left, unit - lead);
      function(Span{first, (shards - 1) * unit + bytes, bytes, unit, first});
    } else {
      const uint64_t row = unit * shards, all = (bytes / unit - 1) * pitch + row;
      function(Span{first, all, row < pitch ? row : all, pitch, first - core * unit});
    }
    begin += bytes;
  }
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
    if (history.conservative)
      throw NeedsExact();
    if (!prover.isOrdered(history.writer, access))
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
    ShadowMemory &bytes = prover.state.bytes;
    uint32_t others = ShadowMemory::kNoReaders;
    for (uint32_t i = history.readers; i != ShadowMemory::kNoReaders; i = bytes.reader(i).next)
      if (!prover.isOrdered(bytes.reader(i).touch, access))
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
  Writing(OrderProver &prover, const Access &access, Touch touch)
      : prover(prover), access(access), touch(touch) {}

  void written(uint64_t begin, uint64_t end, History &history) override {
    ++prover.pairs;
    if (!prover.isOrdered(history.writer, access))
      prover.failRace(history.writer, touch, begin, end, /*earlierWrites=*/true,
                      /*laterWrites=*/true);
    const ShadowMemory &bytes = prover.state.bytes;
    for (uint32_t i = history.readers; i != ShadowMemory::kNoReaders; i = bytes.reader(i).next) {
      const Touch reader = bytes.reader(i).touch;
      ++prover.pairs;
      if (!prover.isOrdered(reader, access))
        prover.failRace(reader, touch, begin, end, /*earlierWrites=*/false, /*laterWrites=*/true);
    }
  }
  void unwritten(uint64_t, uint64_t) override {}

private:
  OrderProver &prover;
  const Access &access;
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
      forEachSpan(access, [&](const Span &span) { state.bytes.forEach(span, reading); });
    }
  }
  if (isInput)
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
      Writing writing(*this, node.list->accesses[i], touch);
      forEachSpan(node.list->accesses[i], [&](const Span &span) {
        state.bytes.forEach(span, writing);
        state.bytes.write(span, touch, inference);
      });
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
  const Node node{&steps.steps, &op, ++queue.position, step, kNone, state.iteration, part, index};
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
  for (uint32_t step = from; step < to; ++step)
    runStep(step);
}

//===----------------------------------------------------------------------===//
// Any number of iterations
//===----------------------------------------------------------------------===//

/// Two states with equal snapshots have the same future: later checks ask of what was done before
/// only which bytes it touched, as what, whether it has happened before (a clock has its position),
/// and to which inference, counted from the current one, its data belong.
OrderProver::Snapshot OrderProver::snapshot() const {
  // Positions are of interest only against clocks: those that matter, per queue, are numbered.
  std::vector<uint64_t> positions[kMaxProvedQueues];
  auto forEachTouch = [&](auto function) {
    for (const auto &[begin, band] : state.bytes.all())
      for (const ShadowMemory::Column &column : band.columns) {
        function(column.history.writer);
        for (uint32_t i = column.history.readers; i != ShadowMemory::kNoReaders;
             i = state.bytes.reader(i).next)
          function(state.bytes.reader(i).touch);
      }
  };
  forEachTouch([&](Touch touch) {
    positions[nodes[touch.node].queue].push_back(nodes[touch.node].position);
  });
  for (auto &queue : positions) {
    std::sort(queue.begin(), queue.end());
    queue.erase(std::unique(queue.begin(), queue.end()), queue.end());
  }
  auto rank = [&](size_t queue, uint64_t position) {
    const auto &all = positions[queue];
    return static_cast<uint64_t>(std::upper_bound(all.begin(), all.end(), position) - all.begin());
  };

  Snapshot words;
  for (size_t i = 0; i < state.queues.size(); ++i) {
    for (const Queue &queue : state.queues)
      words.push_back(rank(i, queue.clock.work[i]));
    for (const Event &event : state.events)
      words.push_back(event.recorded ? rank(i, event.clock.work[i]) : kNone);
  }
  // How far each port is ahead of the first one.
  const int64_t base = !state.written.empty() ? state.written[0]
                       : !state.read.empty()  ? state.read[0]
                                              : 0;
  for (const auto *counts : {&state.written, &state.read})
    for (int64_t times : *counts)
      words.push_back(static_cast<uint64_t>(times - base));
  std::vector<std::pair<uint64_t, uint64_t>> touches;
  auto encode = [&](Touch touch) {
    const Node &node = nodes[touch.node];
    touches.emplace_back(uint64_t(node.step) << 32 | node.command,
                         rank(node.queue, node.position) << 32 | touch.access);
  };
  for (const auto &[begin, band] : state.bytes.all()) {
    words.insert(words.end(), {begin, band.end, band.pitch, band.columns.size()});
    for (const ShadowMemory::Column &column : band.columns) {
      const History &history = column.history;
      touches.clear();
      encode(history.writer);
      for (uint32_t i = history.readers; i != ShadowMemory::kNoReaders;
           i = state.bytes.reader(i).next)
        encode(state.bytes.reader(i).touch);
      const bool known = !history.conservative && history.inference != kNoInference;
      words.insert(words.end(),
                   {column.begin, column.end, touches.size(), history.conservative,
                    static_cast<uint64_t>(known ? history.inference - base : kNoInference)});
      std::sort(touches.begin() + 1, touches.end()); // the readers
      for (const auto &[what, when] : touches)
        words.insert(words.end(), {what, when});
    }
  }
  return words;
}

/// There are few.
static bool isNew(std::vector<std::vector<uint64_t>> &seen, std::vector<uint64_t> snapshot) {
  if (std::find(seen.begin(), seen.end(), snapshot) != seen.end())
    return false;
  seen.push_back(std::move(snapshot));
  return true;
}

/// Adds a body to each of the pending states, and so on, until every state that comes up has been
/// seen. False if there are too many.
bool OrderProver::explore(std::vector<State> &pending, std::vector<Snapshot> &seen) {
  constexpr size_t kMost = 256;
  for (size_t i = 0; i < pending.size(); ++i) {
    state = pending[i];
    runPart(Part::Body);
    ++state.iteration;
    if (!isNew(seen, snapshot()))
      continue;
    if (seen.size() > kMost)
      return false;
    pending.push_back(state);
  }
  return true;
}

bool OrderProver::prove(Proof &proof) {
  try {
    const bool seamless = walk();
    if (!seamless && state.bytes.isConservative())
      throw NeedsExact();
    ++proof.schedules;
    proof.iterations = std::max(proof.iterations, iterations);
    proof.accesses += accesses;
    proof.pairs += pairs;
    return seamless;
  } catch (const Error &) {
    if (state.bytes.isConservative())
      throw NeedsExact();
    throw;
  }
}

bool OrderProver::walk() {
  // The states between two bodies, of a schedule that begins when all is quiet.
  std::vector<State> between;
  std::vector<Snapshot> seen;
  runPart(Part::Prologue);
  seen.push_back(snapshot());
  between.push_back(state);
  if (!explore(between, seen))
    failHere("{} iterations of the body are all different; expected a steady state",
             seen.size() - 1);
  iterations = state.iteration;
  // Whatever their number, the epilogue may follow; and then, perhaps, the prologue again.
  std::vector<State> ends;
  for (const State &last : between) {
    state = last;
    runPart(Part::Epilogue);
    ends.push_back(state);
  }
  bool seamless = true;
  try {
    for (size_t i = 0; i < ends.size() && seamless; ++i) {
      state = std::move(ends[i]);
      runPart(Part::Prologue);
      if (!isNew(seen, snapshot()))
        continue;
      std::vector<State> more = {state};
      seamless = explore(more, seen);
      for (const State &last : more) {
        state = last;
        runPart(Part::Epilogue);
        ends.push_back(state);
      }
    }
  } catch (const Error &) {
    seamless = false;
  }
  return seamless;
}

/// Few bundles have bytes of which it matters what a conservative proof does not know.
static bool prove(const Bundle &bundle, const DecodedPlan &decoded, const BufferIndex &buffers,
                  uint32_t entry, uint32_t schedule, Proof &proof) {
  using enum OrderProver::Precision;
  try {
    return OrderProver(bundle, decoded, buffers, entry, schedule, Conservative).prove(proof);
  } catch (const OrderProver::NeedsExact &) {
    return OrderProver(bundle, decoded, buffers, entry, schedule, Exact).prove(proof);
  }
}

void verifyOrder(const Bundle &bundle, const DecodedPlan &decoded, Proof &proof) {
  const BufferIndex buffers(bundle);
  for (const OpList &trace : decoded.traces)
    proof.commands += trace.ops.size() + 1;
  for (uint32_t entry = 0; entry < decoded.schedules.size(); ++entry)
    for (uint32_t schedule = 0; schedule < decoded.schedules[entry].size(); ++schedule) {
      proof.steps += decoded.schedules[entry][schedule].steps.ops.size();
      if (prove(bundle, decoded, buffers, entry, schedule, proof))
        proof.seamless.push_back(
            bundle.metadata().entries()->Get(entry)->schedules()->Get(schedule));
    }
}

} // namespace ttrt
