// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/proof.md describes the walk and why it proves what it claims.

#include "OrderProver.h"

#include "Format.h"
#include "Sort.h"
#include "ttrt/dataflow.h"

#include <algorithm>

namespace ttrt {

OrderProver::OrderProver(const Bundle &bundle, const PlacedPlan &plan, const BufferIndex &buffers,
                         DataflowReference &reference, uint32_t entry, uint32_t schedule,
                         Precision precision)
    : bundle(bundle), plan(plan), buffers(buffers), reference(reference),
      entry(*bundle.metadata().entries()->Get(entry)),
      schedule(*this->entry.schedules()->Get(schedule)), steps(plan.schedules[entry][schedule]) {
  if (precision == Precision::Conservative)
    state.bytes = ShadowMemory(this);
  state.queues.resize(this->schedule.queues());
  state.events.resize(count(bundle.metadata().events()));
  state.written.resize(count(this->entry.inputs()));
  state.read.resize(count(this->entry.outputs()));
  state.stateAccesses.resize(reference.numStates());
  nodes.push_back({&initial, nullptr, 0, 0, kNone, 0, Part::Prologue, 0});
  for (uint32_t i = 0; i < count(bundle.metadata().buffers()); ++i) {
    const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(i);
    if (buffer.kind() != fb::BufferKind::State)
      continue;
    Access access{bundle.address(buffer), bundle.bytes(buffer), false, true, 0};
    if (buffer.shards()) {
      access.pitch = bundle.addresses().l1Bytes;
      access.bytes += (buffer.shards() - 1) * access.pitch;
    }
    access.kind = buffer.kind();
    access.buffer = i;
    const Touch touch{0, static_cast<uint32_t>(initial.accesses.size())};
    forEachSpan(access, [&](const Span &span) {
      state.bytes.write(span, touch, kNoInference, /*digest=*/0);
    });
    initial.accesses.push_back(access);
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether row k of one access overlaps no row of the other but row k: there is one grid of stripes
/// that separates the rows of both. Workgroup k of either access touches row k only.
static bool isWithinWorkgroups(const Access &a, const Access &b) {
  return a.perWorkgroup && b.perWorkgroup && a.pitch == b.pitch &&
         std::max(a.address + a.row, b.address + b.row) - std::min(a.address, b.address) <= a.pitch;
}

/// Whether only core 0 makes an access: one of a single workgroup, or to its own scratch.
bool OrderProver::isOnCore0(const Op &op, const Access &access) const {
  return op.grid == 1 || (access.kind == fb::BufferKind::Scratch &&
                          access.address < bundle.addresses().l1Address(1));
}

/// Whether the access `earlier` happens before `now`, an access of the current node, in every
/// possible order of execution.
bool OrderProver::isOrdered(Touch earlier, const Access &now) const {
  if (earlier.node == current || earlier.node == 0)
    return true;
  const Node &a = nodes[earlier.node], &b = nodes[current];
  if (a.queue != b.queue)
    return state.queues[b.queue].clock.work[a.queue] >= a.position;
  if (a.position < b.position)
    return true;
  if (isOnCore0(*a.op, accessOf(earlier)) && isOnCore0(*b.op, now))
    return true;
  // Each core has its own scratch and runs one command at a time. Other cores may be at an earlier
  // or later command.
  const bool scratch = accessOf(earlier).kind == fb::BufferKind::Scratch;
  if (scratch || now.kind == fb::BufferKind::Scratch)
    return scratch && now.kind == fb::BufferKind::Scratch;
  // Equal workgroups of equal grids run on the same core, in the order of the stream.
  return a.op->grid == b.op->grid && isWithinWorkgroups(accessOf(earlier), now);
}

/// The last touches of each queue: what happens after a position happens after all before it.
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
  sortItems(touches, [&](Touch a, Touch b) { return key(a) < key(b); });
  touches.erase(std::unique(touches.begin(), touches.end()), touches.end());
}

void OrderProver::record(const Op &op, Queue &queue, uint8_t index) {
  Event &event = state.events[op.index];
  event.recorded = true;
  for (size_t i = 0; i < state.queues.size(); ++i)
    event.clock.work[i] = i == index ? queue.position : queue.clock.work[i];
  ++queue.position; // the event covers all of the queue's work so far
}

void OrderProver::wait(const Event &event, Queue &queue) {
  if (event.recorded)
    for (size_t i = 0; i < state.queues.size(); ++i)
      queue.clock.work[i] = std::max(queue.clock.work[i], event.clock.work[i]);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Whether data that was written as one operand may be read as another.
bool OrderProver::isSameBuffer(const Access &write, const Access &read) const {
  if (write.kind == fb::BufferKind::Scratch)
    return false;
  if (write.buffer != kNoBuffer && read.buffer != kNoBuffer)
    return write.buffer == read.buffer;
  const auto a = buffers.reachOf(write), b = buffers.reachOf(read);
  return buffers.isInsideOne(std::min(a.begin, b.begin), std::max(a.end, b.end));
}

/// Calls function(context, const Span &) for the bytes of an access. Both views of L1 are one
/// memory, as on a chip.
void OrderProver::visitSpans(const Access &access, void (*function)(void *, const Span &),
                             void *context) const {
  const Span all = spanOf(access);
  dataflow::forEachSpan(
      bundle.addresses(), {all.address, all.bytes, all.row, all.pitch, all.phase},
      [&](const dataflow::Rows &rows) {
        function(context, Span{rows.address, rows.bytes, rows.row, rows.pitch, rows.phase});
      });
}

/// The same with function(const Span &).
template <typename Function>
void OrderProver::forEachSpan(const Access &access, Function function) const {
  visitSpans(
      access, [](void *context, const Span &span) { (*static_cast<Function *>(context))(span); },
      &function);
}

Span OrderProver::spanOf(const Access &access) const {
  const uint64_t phase = access.buffer == kNoBuffer
                             ? access.address
                             : bundle.address(*bundle.metadata().buffers()->Get(access.buffer));
  return {access.address, access.bytes, access.row, access.pitch, phase};
}

uint64_t OrderProver::baseOf(const Access &access) const {
  return dataflow::mappedAddress(bundle.addresses(), access.address);
}

/// Checks a read: the last write happened before it, as the same buffer, with data of the same
/// inference as all other data that the command reads.
class OrderProver::Reading : public ByteVisitor {
public:
  Reading(OrderProver &prover, const Access &access, Touch touch)
      : prover(prover), access(access), touch(touch), base(prover.baseOf(access)) {}

  /// The digest of what was read.
  uint64_t content() const { return content_; }

  void written(const VisitedBytes &visited, History &history) override {
    if (prover.failed)
      return;
    ++prover.pairs;
    const auto [begin, end, rows, pitch, exact] = visited;
    if (history.conservative || !exact)
      return prover.fail();
    if (!prover.isOrdered(history.writer, access))
      return prover.failRace(history.writer, touch, begin, end, /*earlierWrites=*/true,
                             /*laterWrites=*/false);
    if (!prover.isSameBuffer(prover.accessOf(history.writer), access))
      return prover.failOtherBuffer(history.writer, touch, begin, end);
    if (prover.culprit == kNone)
      prover.culprit = prover.nodes[history.writer.node].culprit;
    content_ += dataflow::contribution(history.digest,
                                       prover.baseOf(prover.accessOf(history.writer)) - base,
                                       dataflow::momentsOf(begin - base, end - begin, rows, pitch));
    if (access.kind != fb::BufferKind::State && history.inference != kNoInference) {
      if (prover.inference != kNoInference && prover.inference != history.inference)
        return prover.failMixed(history, touch);
      prover.inference = history.inference;
      prover.inferenceFrom = history.writer;
      prover.inferenceRead = touch;
    }
    // What happens after this reader also happens after the readers before it.
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
  const uint64_t base;
  uint64_t content_ = 0;
};

/// Checks a write: all earlier reads and writes of the bytes happened before it.
class OrderProver::Writing : public ByteVisitor {
public:
  Writing(OrderProver &prover, const Access &access, Touch touch)
      : prover(prover), access(access), touch(touch) {}

  void written(const VisitedBytes &visited, History &history) override {
    if (prover.failed)
      return;
    ++prover.pairs;
    const uint64_t begin = visited.begin, end = visited.end;
    if (!prover.isOrdered(history.writer, access))
      return prover.failRace(history.writer, touch, begin, end, /*earlierWrites=*/true,
                             /*laterWrites=*/true);
    const ShadowMemory &bytes = prover.state.bytes;
    for (uint32_t i = history.readers; i != ShadowMemory::kNoReaders; i = bytes.reader(i).next) {
      const Touch reader = bytes.reader(i).touch;
      ++prover.pairs;
      if (!prover.isOrdered(reader, access))
        return prover.failRace(reader, touch, begin, end, /*earlierWrites=*/false,
                               /*laterWrites=*/true);
    }
  }
  void unwritten(uint64_t, uint64_t) override {}

private:
  OrderProver &prover;
  const Access &access;
  const Touch touch;
};

/// What a step or command is, apart from what it reads.
uint64_t OrderProver::identify(const Op &op) const {
  using enum dataflow::Kind;
  switch (op.info->table) {
  case IndexedTable::Program:
    return dataflow::digestOf(Program, op.index);
  case IndexedTable::Input:
    return dataflow::digestOf(Input, op.index, reference.digestOf(*entry.inputs()->Get(op.index)));
  case IndexedTable::Output:
    return dataflow::digestOf(Output, op.index,
                              reference.digestOf(*entry.outputs()->Get(op.index)));
  case IndexedTable::None:
  case IndexedTable::Trace:
  case IndexedTable::Event:
    break;
  }
  return op.info->accesses == AccessShape::Fill ? dataflow::digestOf(Fill, op.detail)
                                                : dataflow::digestOf(Copy);
}

/// The digest of what an access reads.
uint64_t OrderProver::read(const Access &access, Touch touch) {
  if (access.kind == fb::BufferKind::Constant) {
    const SegmentView &constants = bundle.segment(fb::SegmentKind::Constants);
    return dataflow::digestOf(dataflow::Kind::Constant, reference.constantsDigest(),
                              access.address - constants.address, access.bytes, access.row,
                              access.pitch);
  }
  Reading reading(*this, access, touch);
  forEachSpan(access, [&](const Span &span) { state.bytes.forEach(span, reading); });
  return access.kind == fb::BufferKind::State && !failed ? readState(access, touch)
                                                         : reading.content();
}

void OrderProver::touch(const Node &node) {
  nodes.push_back(node);
  current = static_cast<uint32_t>(nodes.size() - 1);
  inference = kNoInference;
  culprit = kNone;
  const Op &op = *node.op;
  uint64_t value = identify(op);
  for (uint32_t i = op.first; i < op.end; ++i) {
    const Access &access = node.list->accesses[i];
    ++accesses;
    if (access.read)
      value = dataflow::combine(value, read(access, {current, i}));
  }
  if (failed)
    return;
  if (inference != kNoInference && !state.bytes.isConservative()) {
    origins.resize(nodes.size());
    origins[current] = {inferenceRead, inferenceFrom};
  }
  if (op.info->table == IndexedTable::Input)
    inference = state.written[op.index]++;
  if (op.info->table == IndexedTable::Output) {
    const int64_t expected = state.read[op.index]++;
    const Access &access = node.list->accesses[op.first];
    if (inference != kNoInference && inference != expected)
      failStale(inferenceFrom, inference, {current, op.first}, expected, access.address,
                access.end());
    if (!reference.isOutput(op.index, value))
      failDataflow({current, op.first}, "returns");
  }
  for (uint32_t i = op.first; i < op.end; ++i)
    if (const Access &access = node.list->accesses[i]; access.write) {
      const Touch touch{current, i};
      const uint64_t digest = dataflow::digestOf(dataflow::Kind::Write, value, i - op.first);
      if (access.kind != fb::BufferKind::Scratch && !reference.hasValue(digest))
        nodes[current].culprit = culprit == kNone ? current : culprit;
      Writing writing(*this, access, touch);
      forEachSpan(access, [&](const Span &span) {
        state.bytes.forEach(span, writing);
        state.bytes.write(span, touch, inference, digest);
      });
      if (access.kind == fb::BufferKind::State && !failed)
        writeState(access, touch, digest);
    }
  if (state.bytes.isExhausted())
    failHere("rows of operands are not aligned with those of other tensors at their addresses; "
             "expected at most {} to check one by one",
             ShadowMemory::kMostRows);
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// The place of an access to state in the order of all accesses to the same buffer.
struct OrderProver::StatePlace {
  StateBuffer buffer;
  uint64_t index;       ///< from the first access on
  uint64_t inInference; ///< from the first one of the inference on
  int64_t inference;
  uint64_t digest; ///< of the bytes in the buffer
};

OrderProver::StatePlace OrderProver::nextStateAccess(const Access &access) {
  StatePlace place{reference.stateAt(access.address), 0, 0, 0, 0};
  place.index = state.stateAccesses[place.buffer.number]++;
  // While the first inference is learned, all accesses so far are its own.
  const uint64_t each = reference.perInference(place.buffer);
  place.inInference = each ? place.index % each : place.index;
  place.inference = each ? static_cast<int64_t>(place.index / each) : 0;
  place.digest = dataflow::combine(place.buffer.index, access.address - place.buffer.address,
                                   access.bytes, access.row, access.pitch);
  return place;
}

/// After an epilogue: what has been written is as often what has been read.
int64_t OrderProver::countInferences() const {
  return !state.written.empty() ? state.written[0] : !state.read.empty() ? state.read[0] : 1;
}

/// After an epilogue, each inference has accessed state as often as in the default schedule.
void OrderProver::checkStateAccesses() {
  const auto inferences = static_cast<uint64_t>(countInferences());
  for (uint32_t i = 0; i < reference.numStates(); ++i)
    if (const uint64_t expected = reference.perInference(reference.state(i)) * inferences;
        state.stateAccesses[i] != expected)
      failHere("state buffer {} is accessed {} times; expected {}", i, state.stateAccesses[i],
               expected);
}

/// Checks that the access is the one that follows in the order of the default schedule. State that
/// inference n reads is data of inference n: what the previous one left, or it wrote itself.
uint64_t OrderProver::readState(const Access &access, Touch touch) {
  const StatePlace place = nextStateAccess(access);
  const uint64_t digest =
      dataflow::digestOf(dataflow::Kind::StateRead, place.digest, place.inInference);
  if (!reference.isStateAccess(place.buffer, place.index, digest))
    failDataflow(touch, "reads, out of turn,");
  else if (inference != kNoInference && inference != place.inference)
    failState(touch, place.inference);
  inference = place.inference;
  inferenceFrom = touch;
  return digest;
}

void OrderProver::writeState(const Access &access, Touch touch, uint64_t write) {
  const StatePlace place = nextStateAccess(access);
  const uint64_t digest =
      dataflow::digestOf(dataflow::Kind::StateWrite, place.digest, place.inInference, write);
  if (!reference.isStateAccess(place.buffer, place.index, digest))
    failDataflow(touch, "writes, out of turn,");
  else if (inference != kNoInference && inference != place.inference)
    failState(touch, place.inference);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void OrderProver::runTrace(Node node) {
  const uint32_t trace = node.op->index;
  Queue &queue = state.queues[node.queue];
  node.list = &plan.traces[trace];
  // A wait in a stream refers to the records before the stream was enqueued.
  const std::vector<Event> recorded = state.events;
  for (node.command = 0; node.command < node.list->ops.size() && !failed; ++node.command) {
    const Op &op = node.list->ops[node.command];
    node.op = &op;
    node.position = queue.position;
    switch (op.role()) {
    case OrderRole::Work:
      touch(node);
      break;
    case OrderRole::Barrier:
      ++queue.position;
      break;
    case OrderRole::Record:
      record(op, queue, node.queue);
      break;
    case OrderRole::Wait:
      wait(recorded[op.index], queue);
      break;
    case OrderRole::Execute: // a step only
    case OrderRole::End:
      break;
    }
  }
}

void OrderProver::runStep(uint32_t step) {
  const Op &op = steps.steps.ops[step];
  const uint8_t index = op.step->queue();
  Queue &queue = state.queues[index];
  const Node node{&steps.steps, &op, ++queue.position, step, kNone, state.iteration, part, index};
  switch (op.role()) {
  case OrderRole::Work:
    return touch(node);
  case OrderRole::Execute:
    return runTrace(node);
  case OrderRole::Record:
    return record(op, queue, index);
  case OrderRole::Wait:
    return wait(state.events[op.index], queue);
  case OrderRole::Barrier: // commands only
  case OrderRole::End:
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
  for (uint32_t step = from; step < to && !failed; ++step)
    runStep(step);
  if (failed)
    return;
  if (which == Part::Body && reference.isOpen() &&
      !reference.endFirstBody(static_cast<uint64_t>(countInferences())))
    failHere("one body accesses state for several inferences; expected a dataflow");
  if (which == Part::Epilogue)
    checkStateAccesses();
}

//===----------------------------------------------------------------------===//
// Any number of iterations
//===----------------------------------------------------------------------===//

/// Two states with equal snapshots have the same future. Later checks depend on earlier accesses
/// only by the bytes that they touched and as which operands, by whether they have happened before
/// (a clock includes their position), and by the inference of their data relative to the current
/// one.
OrderProver::Snapshot OrderProver::snapshot() const {
  // Positions are only compared with clocks. So the positions that occur, per queue, are numbered.
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
    sortItems(queue);
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
  // How many transfers each port is ahead of the first one.
  const int64_t base = !state.written.empty() ? state.written[0]
                       : !state.read.empty()  ? state.read[0]
                                              : 0;
  for (const auto *counts : {&state.written, &state.read})
    for (int64_t times : *counts)
      words.push_back(static_cast<uint64_t>(times - base));
  for (uint32_t i = 0; i < reference.numStates(); ++i)
    if (const uint64_t each = reference.perInference(reference.state(i))) {
      words.push_back(state.stateAccesses[i] % each);
      words.push_back(state.stateAccesses[i] / each - static_cast<uint64_t>(base));
    }
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
                   {column.begin, column.end, touches.size(), history.conservative, history.digest,
                    static_cast<uint64_t>(known ? history.inference - base : kNoInference)});
      sortItems(touches.data() + 1, touches.size() - 1); // the readers
      for (const auto &[what, when] : touches)
        words.insert(words.end(), {what, when});
    }
  }
  return words;
}

/// Adds a snapshot; false if it is there. There are few of them.
static bool addIfNew(std::vector<std::vector<uint64_t>> &seen, std::vector<uint64_t> snapshot) {
  if (std::find(seen.begin(), seen.end(), snapshot) != seen.end())
    return false;
  seen.push_back(std::move(snapshot));
  return true;
}

/// Appends a body to each pending state and adds the resulting states that are new, until a
/// fixpoint is reached. False if there are too many states, or a check has failed.
bool OrderProver::explore(std::vector<State> &pending, std::vector<Snapshot> &seen) {
  constexpr size_t kMost = 256;
  for (size_t i = 0; i < pending.size(); ++i) {
    state = pending[i];
    runPart(Part::Body);
    if (failed)
      return false;
    ++state.iteration;
    if (!addIfNew(seen, snapshot()))
      continue;
    if (seen.size() > kMost)
      return false;
    pending.push_back(state);
  }
  return true;
}

OrderProver::Result OrderProver::prove(Proof &proof) {
  // The states between two bodies, of a schedule that starts on an idle device.
  std::vector<State> between;
  std::vector<Snapshot> seen;
  runPart(Part::Prologue);
  if (!failed) {
    seen.push_back(snapshot());
    between.push_back(state);
    if (!explore(between, seen) && !failed)
      failHere("{} iterations of the body are all different; expected a steady state",
               seen.size() - 1);
    iterations = state.iteration;
  }
  // The epilogue may follow any of them.
  for (size_t i = 0; i < between.size() && !failed; ++i) {
    state = between[i];
    runPart(Part::Epilogue);
    between[i] = state;
  }
  Result result{Verdict::Refuted, false, {}};
  if (!failed)
    result.seamless = isSeamless(std::move(between), std::move(seen));
  const bool isProved = !failed || isRestart;
  if (!result.seamless && state.bytes.isConservative()) {
    result.verdict = Verdict::Unknown;
  } else if (isProved) {
    result.verdict = Verdict::Proved;
    ++proof.schedules;
    proof.iterations = std::max(proof.iterations, iterations);
    proof.accesses += accesses;
    proof.pairs += pairs;
  } else {
    result.message = std::move(message);
  }
  return result;
}

/// Whether the schedule may start again after any of the states in which an epilogue ends, and
/// after the states in which those runs end, and so on. `seen` are the snapshots between bodies so
/// far.
bool OrderProver::isSeamless(std::vector<State> ends, std::vector<Snapshot> seen) {
  isRestart = true;
  for (size_t i = 0; i < ends.size(); ++i) {
    state = std::move(ends[i]);
    runPart(Part::Prologue);
    if (failed)
      return false;
    if (!addIfNew(seen, snapshot()))
      continue;
    std::vector<State> more = {state};
    if (!explore(more, seen))
      return false;
    for (const State &last : more) {
      state = last;
      runPart(Part::Epilogue);
      if (failed)
        return false;
      ends.push_back(state);
    }
  }
  return true;
}

/// An exact proof is necessary for few bundles only.
static OrderProver::Result proveSchedule(const Bundle &bundle, const PlacedPlan &plan,
                                         const BufferIndex &buffers, DataflowReference &reference,
                                         uint32_t entry, uint32_t schedule, Proof &proof) {
  using enum OrderProver::Precision;
  OrderProver::Result result =
      OrderProver(bundle, plan, buffers, reference, entry, schedule, Conservative).prove(proof);
  if (result.verdict == OrderProver::Verdict::Unknown) {
    if (reference.isLearning())
      reference.restart();
    result = OrderProver(bundle, plan, buffers, reference, entry, schedule, Exact).prove(proof);
  }
  reference.endLearning();
  return result;
}

Proof verifyOrder(const Bundle &bundle, const PlacedPlan &plan) {
  Proof proof;
  const BufferIndex buffers(bundle);
  for (const OpList &trace : plan.traces)
    proof.commands += trace.ops.size() + 1;
  for (uint32_t i = 0; i < plan.schedules.size(); ++i) {
    const fb::EntryPoint &entry = *bundle.metadata().entries()->Get(i);
    DataflowReference reference(bundle, entry);
    for (uint32_t j = 0; j < plan.schedules[i].size(); ++j) {
      const fb::Schedule &schedule = *entry.schedules()->Get(j);
      if (schedule.queues() > kMaxProvedQueues)
        failBad("schedule '{}' of entry point '{}' has {} queues; this runtime knows at most {}",
                text(schedule.name()), text(entry.name()), schedule.queues(), kMaxProvedQueues);
      proof.steps += plan.schedules[i][j].steps.ops.size();
      const OrderProver::Result result =
          proveSchedule(bundle, plan, buffers, reference, i, j, proof);
      if (result.verdict != OrderProver::Verdict::Proved)
        failBad("{}", result.message);
      if (result.seamless)
        proof.seamless.push_back(&schedule);
    }
  }
  return proof;
}

} // namespace ttrt
