// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the proof says when it fails: both accesses, the bytes, the missing order.

#include "Error.h"
#include "OrderProver.h"

namespace ttrt {

using ull = unsigned long long;

void OrderProver::failHere(const std::string &what) const {
  failBad("schedule '%s' of entry point '%s': %s", text(schedule.name()), text(entry.name()),
          what.c_str());
}

/// An execution; with `full`, also on which queue and in which iteration.
std::string OrderProver::describe(uint32_t index, bool full) const {
  const Node &node = nodes[index];
  static const char *const kParts[] = {"prologue", "body", "epilogue"};
  if (!node.op)
    return "what was there from the start";
  std::string what;
  if (node.command != kNone) {
    const Op &execute = steps.steps.ops[node.step];
    what = describeCommand(bundle, execute.index, node.command);
  } else {
    const uint32_t begin = node.part == Part::Prologue ? 0
                           : node.part == Part::Body   ? steps.bodyBegin
                                                       : steps.bodyEnd;
    what =
        format("step %u of the %s (%s)", node.step - begin, kParts[static_cast<size_t>(node.part)],
               describeStep(bundle, entry, *node.op->step).c_str());
  }
  if (!full)
    return what;
  if (schedule.queues() > 1)
    what += format(" on queue %u", node.queue);
  if (node.part == Part::Body)
    what += format(" in iteration %u", node.iteration);
  return what;
}

std::string OrderProver::bytesOf(uint64_t begin, uint64_t end, const Access &access) const {
  std::string what = format("0x%llx + %llu bytes", (ull)begin, (ull)(end - begin));
  if (access.kind == fb::BufferKind::Scratch)
    return what + " of scratch";
  const fb::Buffer *buffer = access.buffer != kNoBuffer
                                 ? bundle.metadata().buffers()->Get(access.buffer)
                                 : buffers.permanentAt(begin, end);
  if (buffer)
    what += format(" of '%s'", text(buffer->name()));
  return what;
}

std::string OrderProver::missingOrder(uint32_t earlier) const {
  const Node &a = nodes[earlier], &b = nodes[current];
  if (a.queue == b.queue)
    return "expected a barrier between them";
  return format("expected queue %u to wait, before the second, for an event that queue %u records "
                "behind the first",
                b.queue, a.queue);
}

static const char *verb(bool write) { return write ? "writes" : "reads"; }

void OrderProver::failRace(Touch earlier, Touch later, uint64_t begin, uint64_t end,
                           bool earlierWrites, bool laterWrites) const {
  const Access &access = accessOf(later);
  const bool full = schedule.queues() > 1;
  failHere(format("%s %s %s, %s %s them (operands %u and %u), and nothing orders the two: %s",
                  describe(earlier.node, full).c_str(), verb(earlierWrites),
                  bytesOf(begin, end, accessOf(earlier)).c_str(),
                  describe(later.node, full).c_str(), verb(laterWrites), accessOf(earlier).operand,
                  access.operand, missingOrder(earlier.node).c_str()));
}

void OrderProver::failUnwritten(Touch reader, uint64_t begin, uint64_t end) const {
  const Access &access = accessOf(reader);
  failHere(format("%s, operand %u, reads %s, which nothing has written before",
                  describe(reader.node, state.iteration > 0).c_str(), access.operand,
                  bytesOf(begin, end, access).c_str()));
}

void OrderProver::failOtherBuffer(Touch writer, Touch reader, uint64_t begin, uint64_t end) const {
  const Access &write = accessOf(writer), &read = accessOf(reader);
  const bool full = nodes[writer.node].iteration != nodes[reader.node].iteration;
  failHere(format("%s, operand %u, reads %s, but %s has written these bytes last, as operand %u "
                  "at %s",
                  describe(reader.node, full).c_str(), read.operand,
                  bytesOf(begin, end, read).c_str(), describe(writer.node, full).c_str(),
                  write.operand, bytesOf(write.address, write.end(), write).c_str()));
}

void OrderProver::failMixed(const History &other, Touch reader) const {
  auto data = [&](Touch writer, int64_t which) {
    const Access &access = accessOf(writer);
    return format("%s from %s, which belong to inference %lld",
                  bytesOf(access.address, access.end(), access).c_str(),
                  describe(writer.node, true).c_str(), (long long)which);
  };
  failHere(format("%s reads data of two inferences: %s, and %s",
                  describe(reader.node, true).c_str(), data(inferenceFrom, inference).c_str(),
                  data(other.writer, other.inference).c_str()));
}

void OrderProver::failStale(Touch writer, int64_t found, Touch reader, int64_t expected,
                            uint64_t begin, uint64_t end) const {
  failHere(format("%s takes the result of inference %lld, but %s hold that of inference %lld, "
                  "from %s",
                  describe(reader.node, true).c_str(), (long long)expected,
                  bytesOf(begin, end, accessOf(reader)).c_str(), (long long)found,
                  describe(writer.node, true).c_str()));
}

} // namespace ttrt
