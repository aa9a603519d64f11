// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/proof.md describes the walk and why it proves what it claims.

#include "Proof/OrderProver.h"

#include "Base/Format.h"
#include "Base/Sort.h"
#include "ttrt/format/collective_digest.h"
#include "ttrt/format/dataflow.h"

#include <algorithm>

namespace ttrt {

OrderProver::OrderProver(const Bundle &bundle, const PlacedPlan &plan, const BufferIndex &buffers,
                         DataflowReference &reference, uint32_t entry, uint32_t schedule,
                         Precision precision)
    : bundle(bundle), plan(plan), buffers(buffers), reference(reference),
      entry(*bundle.metadata().entries()->Get(entry)),
      schedule(*this->entry.schedules()->Get(schedule)), steps(plan.schedules[entry][schedule]),
      hasEnds(steps.bodyBegin != 0 || steps.bodyEnd != steps.steps.ops.size()),
      precision(precision),
      state(std::make_unique<State>(precision == Precision::Conservative ? this : nullptr)) {
  state->queues.resize(this->schedule.queues());
  // Events of this schedule alone: states are copied, and a bundle may have many entry points.
  uint32_t endEvent = 0;
  auto findEvents = [&](const OpList &list) {
    for (const Op &op : list.ops)
      if (op.role() == OrderRole::Record || op.role() == OrderRole::Wait) {
        firstEvent = std::min(firstEvent, op.index);
        endEvent = std::max(endEvent, op.index + 1);
      }
  };
  findEvents(steps.steps);
  for (const Op &op : steps.steps.ops)
    if (op.role() == OrderRole::Execute)
      findEvents(plan.traces[op.index]);
  if (endEvent)
    state->events.resize(endEvent - firstEvent);
  outputsAt = count(this->entry.inputs());
  statesAt = outputsAt + count(this->entry.outputs());
  messagesAt = statesAt + static_cast<uint32_t>(reference.states().size());
  messagesEach.resize(count(bundle.metadata().collectives()));
  state->counts.resize(messagesAt + messagesEach.size());
  for (const Meeting &meeting : plan.meetings[entry])
    if (meeting.role != CollectiveRole::Exchange) {
      ++messagesEach[meeting.collective];
      firstMessage = std::min(firstMessage, meeting.collective);
    }
  nodes.push_back({&initial, nullptr, 0, 0, kNone, 0, Part::Prologue, 0});
  for (const auto &[index, number, address, bytes] : reference.states()) {
    const fb::Buffer &buffer = *bundle.metadata().buffers()->Get(index);
    Access access{address, bytes, false, true, 0};
    if (isShardedInL1(buffer)) {
      access.pitch = bundle.addresses().l1Bytes;
      access.bytes += (buffer.shards() - 1) * access.pitch;
    }
    access.kind = buffer.kind();
    access.buffer = index;
    const Touch touch{0, static_cast<uint32_t>(initial.accesses.size())};
    forEachSpan(access, [&](const Span &span) {
      state->bytes.write(span, touch, kNoInference, /*digest=*/0);
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
    return state->queues[b.queue].clock.work[a.queue] >= a.position;
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
  Event &event = state->events[op.index - firstEvent];
  event.recorded = true;
  for (size_t i = 0; i < state->queues.size(); ++i)
    event.clock.work[i] = i == index ? queue.position : queue.clock.work[i];
  ++queue.position; // the event covers all of the queue's work so far
}

void OrderProver::wait(const Event &event, Queue &queue) {
  if (event.recorded)
    for (size_t i = 0; i < state->queues.size(); ++i)
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
  // Each access is inside of some buffer (property 2), and so is what both cover if that is one.
  if ((a.begin <= b.begin && b.end <= a.end) || (b.begin <= a.begin && a.end <= b.end))
    return true;
  BufferIndex::Near near;
  return buffers.isInsideOne({std::min(a.begin, b.begin), std::max(a.end, b.end)}, near);
}

/// Calls function(context, const Span &) for bytes in the cores' own views of L1. Both views of L1
/// are one memory, as on a chip.
void OrderProver::visitSpansInCores(const Access &access, void (*function)(void *, const Span &),
                                    void *context) const {
  const Span all = spanOf(access);
  dataflow::forEachSpan(
      bundle.addresses(), {all.address, all.bytes, all.row, all.pitch, all.phase},
      [&](const dataflow::Rows &rows) {
        function(context, Span{rows.address, rows.bytes, rows.row, rows.pitch, rows.phase});
      });
}

/// Calls function(const Span &) for the bytes of an access.
template <typename Function>
void OrderProver::forEachSpan(const Access &access, Function function) const {
  if (access.bytes == 0) // a port without elements
    return;
  if (!bundle.addresses().isInCore(access.address))
    return function(spanOf(access));
  visitSpansInCores(
      access, [](void *context, const Span &span) { (*static_cast<Function *>(context))(span); },
      &function);
}

Span OrderProver::spanOf(const Access &access) const {
  const uint64_t phase = access.buffer == kNoBuffer || access.row >= access.bytes
                             ? access.address
                             : bundle.address(*bundle.metadata().buffers()->Get(access.buffer));
  return {access.address, access.bytes, access.row, access.pitch, phase};
}

/// The history of an access's bytes if they are a range by themselves, as most are; else null.
History *OrderProver::historyOf(const Access &access) {
  return access.row >= access.bytes && !bundle.addresses().isInCore(access.address)
             ? state->bytes.find(access.address, access.end())
             : nullptr;
}

uint64_t OrderProver::baseOf(const Access &access) const {
  return dataflow::mappedAddress(bundle.addresses(), access.address);
}

/// Checks a read: the last write happened before it, as the same buffer, with data of the same
/// inference as all other data that the command reads.
class OrderProver::Reading final : public ByteVisitor {
public:
  Reading(OrderProver &prover, const Access &access, Touch touch)
      : prover(prover), access(access), touch(touch), base(prover.baseOf(access)) {
    needsExact = true;
  }

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
    if (history.isForgotten)
      return prover.failUnwritten(touch, begin, end, &history.writer);
    if (!prover.isSameBuffer(prover.accessOf(history.writer), access))
      return prover.failOtherBuffer(history.writer, touch, begin, end);
    if (prover.culprit == kNone) // always, in a conservative proof
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
    // What happens after this reader also happens after the readers before it. Of many readers at
    // one position, only the first looks for them.
    ShadowMemory &bytes = prover.state->bytes;
    uint32_t others = ShadowMemory::kNoReaders, i = history.readers;
    if (i != ShadowMemory::kNoReaders && prover.isAtPosition(bytes.reader(i).touch))
      std::swap(others, i);
    for (; i != ShadowMemory::kNoReaders; i = bytes.reader(i).next) {
      ++prover.pairs;
      if (!prover.isOrdered(bytes.reader(i).touch, access))
        others = bytes.addReader(bytes.reader(i).touch, others);
    }
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
class OrderProver::Writing final : public ByteVisitor {
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
    const ShadowMemory &bytes = prover.state->bytes;
    if (const Touch *reader = prover.depth ? prover.readInLoop(history) : nullptr)
      return prover.failUnwritten(*reader, begin, end, &touch);
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

/// Where the body of a loop has read bytes that were written before the loop, or null. If the body
/// then writes them, the next iteration does not find what this one has found.
const Touch *OrderProver::readInLoop(const History &history) const {
  if (history.readers == ShadowMemory::kNoReaders)
    return nullptr;
  // The last reader is the first of the list.
  const Touch &reader = state->bytes.reader(history.readers).touch;
  for (uint32_t i = 0; i < depth; ++i)
    if (reader.node > loops[i].node &&
        (history.conservative || history.writer.node < loops[i].node))
      return &reader;
  return nullptr;
}

/// Marks what an iteration has written.
class OrderProver::Forgetting final : public ByteVisitor {
public:
  void written(const VisitedBytes &, History &history) override { history.isForgotten = true; }
  void unwritten(uint64_t, uint64_t) override {}
};

/// What a command of a collective is. A send or receive is the next one.
uint64_t OrderProver::identifyExchange(const Op &op) const {
  const uint64_t collective =
      dataflow::digestOfCollective(*bundle.metadata().collectives()->Get(op.index));
  return isMessage(op) ? dataflow::digestOfMessage(
                             op.info->inCollective == CollectiveRole::Send, collective,
                             state->counts[messagesAt + op.index] % perInference(op.index))
                       : collective;
}

/// What a step or command is, apart from what it reads.
uint64_t OrderProver::identify(const Op &op) const {
  using enum dataflow::Kind;
  switch (op.info->table) {
  case IndexedTable::Program:
    return reference.digestOfProgram(op.index);
  case IndexedTable::Collective:
    return identifyExchange(op);
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
  if (op.role() == OrderRole::EndRepeat)
    return dataflow::digestOf(LoopEnd, loops[depth - 1].value);
  if (op.role() == OrderRole::Repeat)
    return dataflow::digestOfLoop(op.detail);
  return op.info->accesses == AccessShape::Fill ? dataflow::digestOf(Fill, op.detail)
                                                : dataflow::digestOf(Copy);
}

/// The digest of what an access reads.
uint64_t OrderProver::read(const Access &access, Touch touch) {
  if (access.kind == fb::BufferKind::Constant)
    return access.constant;
  Reading reading(*this, access, touch);
  if (History *history = historyOf(access))
    reading.written({access.address, access.end(), 1, access.bytes, true}, *history);
  else
    forEachSpan(access, [&](const Span &span) { state->bytes.forEach(span, reading); });
  return access.kind == fb::BufferKind::State && !failed ? readState(access, touch)
                                                         : reading.content();
}

/// All devices of a mesh execute the exchanges in one order: that of the host. Core 0 of a queue
/// executes those of the queue one after the other.
void OrderProver::checkExchange() {
  const Node &last = nodes[state->exchange], &now = nodes[current];
  if (state->exchange && last.queue != now.queue &&
      state->queues[now.queue].clock.work[last.queue] < last.position)
    failExchanges(state->exchange);
  state->exchange = current;
}

/// What is sent, and what is received, is data of the inference to which the message belongs.
void OrderProver::checkMessage(const Op &op, uint64_t value) {
  const uint64_t number = state->counts[messagesAt + op.index]++, each = perInference(op.index);
  const auto expected = static_cast<int64_t>(number / each);
  if (op.info->inCollective == CollectiveRole::Receive) {
    inference = expected;
    return;
  }
  if (inference != kNoInference && inference != expected)
    failStale({current, op.first}, expected);
  if (!reference.isSend(op.index, number % each, value))
    failDataflow({current, op.first}, "sends");
}

/// Returns what the command or step computes.
uint64_t OrderProver::touch(const Node &node) {
  nodes.push_back(node);
  current = static_cast<uint32_t>(nodes.size() - 1);
  inference = kNoInference;
  culprit = kNone;
  const Op &op = *node.op;
  if (op.info->table == IndexedTable::Collective)
    checkExchange();
  uint64_t value = identify(op);
  const bool endsLoop = op.role() == OrderRole::EndRepeat;
  if (endsLoop) { // without an iteration, what it carries stays what it was
    const Loop &loop = loops[depth - 1];
    inference = loop.inference;
    inferenceFrom = inferenceRead = {loop.node, nodes[loop.node].op->first};
  } else if (depth) {
    value = dataflow::combine(value, loops[depth - 1].value);
  }
  for (uint32_t i = op.first; i < op.end; ++i) {
    const Access &access = node.list->accesses[i];
    ++accesses;
    if (access.kind == fb::BufferKind::State && (depth || op.role() == OrderRole::Repeat))
      failHere("{} accesses state; expected that outside of loops", describe(current, true));
    if (access.read)
      value = dataflow::combine(value, read(access, {current, i}));
  }
  if (failed)
    return value;
  if (inference != kNoInference && precision == Precision::Exact) {
    origins.resize(nodes.size());
    // State tells by itself which inference it is data of: nothing before it does.
    origins[current] =
        inferenceFrom.node == current ? Origin{} : Origin{inferenceRead, inferenceFrom};
  }
  if (op.info->table == IndexedTable::Input)
    inference = static_cast<int64_t>(state->counts[op.index]++);
  if (op.info->table == IndexedTable::Output) {
    const auto expected = static_cast<int64_t>(state->counts[outputsAt + op.index]++);
    if (inference != kNoInference && inference != expected)
      failStale({current, op.first}, expected);
    if (!reference.isOutput(op.index, value))
      failDataflow({current, op.first}, "returns");
  }
  if (isMessage(op))
    checkMessage(op, value);
  if (endsLoop)
    forgetBody(node);
  for (uint32_t i = op.first; i < op.end; ++i)
    if (const Access &access = node.list->accesses[i]; access.write) {
      const Touch touch{current, i};
      const uint64_t digest = dataflow::combine(dataflow::kDigestOf<dataflow::Kind::Write>, value,
                                                uint64_t(i - op.first));
      if (precision == Precision::Exact && access.kind != fb::BufferKind::Scratch &&
          !reference.hasValue(digest))
        nodes[current].culprit = culprit == kNone ? current : culprit;
      Writing writing(*this, access, touch);
      if (History *history = historyOf(access)) {
        writing.written({access.address, access.end(), 1, access.bytes, true}, *history);
        *history = {touch, inference, digest, ShadowMemory::kNoReaders};
      } else {
        forEachSpan(access, [&](const Span &span) {
          state->bytes.forEach(span, writing);
          state->bytes.write(span, touch, inference, digest);
        });
      }
      if (access.kind == fb::BufferKind::State && !failed)
        writeState(access, touch, digest);
    }
  if (state->bytes.isExhausted())
    failHere("rows of operands are not aligned with those of other tensors at their addresses; "
             "expected at most {} to check one by one",
             ShadowMemory::kMostRows);
  return value;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// The beginning of an iteration is a barrier, unless one core executes all of them.
void OrderProver::runRepeat(Node &node) {
  uint64_t &position = state->queues[node.queue].position;
  const bool isBarrier = node.op->grid != 1;
  node.position = position += isBarrier;
  const uint64_t value = touch(node);
  loops[depth++] = {current, value, inference};
  position += isBarrier;
}

/// The walk executes each body once. Iterations make the same accesses, and all that one makes are
/// ordered after all of the one before it: there is a barrier between them, or core 0 alone makes
/// them. So it remains to show that others find what this one has found. They find symbols in what
/// is carried. Other bytes that this one has read before it wrote them, it has not written at all:
/// readInLoop() refuses that.
void OrderProver::runEndRepeat(Node &node) {
  uint64_t &position = state->queues[node.queue].position;
  const bool isBarrier = node.op->grid != 1;
  node.position = position += isBarrier;
  touch(node);
  position += isBarrier;
  --depth;
}

/// What an iteration has written and does not carry is not for others, nor for what follows the
/// loop. The end writes what it carries. Loops in the body have forgotten the rest of theirs.
void OrderProver::forgetBody(const Node &node) {
  const std::vector<Op> &ops = node.list->ops;
  Forgetting forgetting;
  for (uint32_t command = node.command; --command > node.op->index;) {
    const Op &op = ops[command];
    for (uint32_t i = op.first; i < op.end; ++i)
      if (const Access &access = node.list->accesses[i];
          access.write && access.kind != fb::BufferKind::Scratch)
        forEachSpan(access, [&](const Span &span) { state->bytes.forEach(span, forgetting); });
    if (op.role() == OrderRole::EndRepeat)
      command = op.index;
  }
}

void OrderProver::runTrace(Node node) {
  const uint32_t trace = node.op->index;
  Queue &queue = state->queues[node.queue];
  node.list = &plan.traces[trace];
  // A wait in a stream refers to the records before the stream was enqueued.
  const std::vector<Event> recorded = state->events;
  for (node.command = 0; node.command < node.list->ops.size() && !failed; ++node.command) {
    const Op &op = node.list->ops[node.command];
    node.op = &op;
    node.position = queue.position;
    switch (op.role()) {
    case OrderRole::Work:
      touch(node);
      break;
    case OrderRole::Barrier: // a core alone waits for no other
      if (!depth || nodes[loops[depth - 1].node].op->grid != 1)
        ++queue.position;
      break;
    case OrderRole::Repeat:
      runRepeat(node);
      break;
    case OrderRole::EndRepeat:
      runEndRepeat(node);
      break;
    case OrderRole::Record:
      record(op, queue, node.queue);
      break;
    case OrderRole::Wait:
      wait(recorded[op.index - firstEvent], queue);
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
  Queue &queue = state->queues[index];
  const Node node{&steps.steps, &op, ++queue.position, step, kNone, state->iteration, part, index};
  switch (op.role()) {
  case OrderRole::Work:
    touch(node);
    return;
  case OrderRole::Execute:
    return runTrace(node);
  case OrderRole::Record:
    return record(op, queue, index);
  case OrderRole::Wait:
    return wait(state->events[op.index - firstEvent], queue);
  case OrderRole::Barrier: // commands only
  case OrderRole::Repeat:
  case OrderRole::EndRepeat:
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

} // namespace ttrt
