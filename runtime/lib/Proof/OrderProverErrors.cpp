// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of a failed proof: both accesses, the bytes, the missing order.

#include "Base/Format.h"
#include "Proof/OrderProver.h"

namespace ttrt {

void OrderProver::failWith(uint64_t kinds, const char *pattern, ...) {
  if (wantsMessage()) {
    va_list arguments;
    va_start(arguments, pattern);
    message = formatText("schedule '{}' of entry point '{}': {}", text(schedule.name()),
                         text(entry.name()), formatList(kinds, pattern, arguments));
    va_end(arguments);
  }
  fail();
}

/// The innermost loop around a command; ~0: none.
static uint32_t loopAround(const OpList &list, uint32_t command) {
  while (command-- > 0) {
    if (list.ops[command].role() == OrderRole::Repeat)
      return command;
    if (list.ops[command].role() == OrderRole::EndRepeat)
      command = list.ops[command].index;
  }
  return ~0u;
}

/// With `full`, also the queue and the iteration.
std::string OrderProver::describe(uint32_t index, bool full) const {
  const Node &node = nodes[index];
  static const char *const kParts[] = {"prologue", "body", "epilogue"};
  if (!node.op)
    return "the initial contents";
  std::string what;
  if (node.command != kNone) {
    const Op &execute = steps.steps.ops[node.step];
    what = describeCommand(bundle, execute.index, node.command);
    if (const uint32_t loop = loopAround(*node.list, node.command); loop != kNone)
      what += formatText(" in the loop at command {}", loop);
  } else {
    const uint32_t begin = node.part == Part::Prologue ? 0
                           : node.part == Part::Body   ? steps.bodyBegin
                                                       : steps.bodyEnd;
    what = formatText("step {} of the {} ({})", node.step - begin,
                      kParts[static_cast<size_t>(node.part)],
                      describeStep(bundle, entry, *node.op->step));
  }
  if (!full)
    return what;
  if (schedule.queues() > 1)
    what += formatText(" on queue {}", node.queue);
  if (node.part == Part::Body)
    what += formatText(" in iteration {}", node.iteration);
  return what;
}

std::string OrderProver::bytesOf(uint64_t begin, uint64_t end, const Access &access) const {
  std::string what = formatText("{:#x} + {} bytes", begin, end - begin);
  if (access.kind == fb::BufferKind::Scratch)
    return what + " of scratch";
  const fb::Buffer *buffer = nullptr;
  BufferIndex::Near near;
  if (access.buffer != kNoBuffer)
    buffer = bundle.metadata().buffers()->Get(access.buffer);
  else if (const BufferIndex::Permanent *permanent = buffers.permanentAt({begin, end}, near))
    buffer = permanent->buffer;
  if (buffer)
    what += formatText(" of '{}'", text(buffer->name()));
  return what;
}

std::string OrderProver::missingOrder(uint32_t earlier) const {
  const Node &a = nodes[earlier], &b = nodes[current];
  if (a.queue == b.queue)
    return "expected a barrier between them";
  return formatText(
      "expected queue {} to wait, before the second, for an event that queue {} records "
      "after the first",
      b.queue, a.queue);
}

/// Where the work that wrote `data` took it from: the read of what another step had written. What
/// wrote `data` itself may only have passed it on.
std::string OrderProver::originOf(Touch data) const {
  for (uint32_t index = data.node; index < origins.size() && origins[index].from.node;
       index = origins[index].from.node) {
    const auto &[read, from] = origins[index];
    const Node &node = nodes[index], &writer = nodes[from.node];
    if (writer.step != node.step || writer.iteration != node.iteration || writer.part != node.part)
      return formatText("; {}, operand {}, has read it from {}, operand {}",
                        describe(read.node, true), accessOf(read).operand,
                        describe(from.node, true), accessOf(from).operand);
  }
  return "";
}

static const char *verb(bool write) { return write ? "writes" : "reads"; }

void OrderProver::failRace(Touch earlier, Touch later, uint64_t begin, uint64_t end,
                           bool earlierWrites, bool laterWrites) {
  if (!wantsMessage())
    return fail();
  const Access &access = accessOf(later);
  const bool full = schedule.queues() > 1;
  failHere("{} {} {}, {} {} them (operands {} and {}), and nothing orders the two: {}",
           describe(earlier.node, full), verb(earlierWrites),
           bytesOf(begin, end, accessOf(earlier)), describe(later.node, full), verb(laterWrites),
           accessOf(earlier).operand, access.operand, missingOrder(earlier.node));
}

void OrderProver::failUnwritten(Touch reader, uint64_t begin, uint64_t end, const Touch *writer) {
  if (!wantsMessage())
    return fail();
  const Access &access = accessOf(reader);
  const bool full = state->iteration > 0;
  failHere("{}, operand {}, reads {}, which {}{}", describe(reader.node, full), access.operand,
           bytesOf(begin, end, access),
           writer ? describe(writer->node, full) : "nothing has written before",
           writer ? " has written last, for its own iteration: expected the loop to carry them"
                  : "");
}

void OrderProver::failOtherBuffer(Touch writer, Touch reader, uint64_t begin, uint64_t end) {
  if (!wantsMessage())
    return fail();
  const Access &write = accessOf(writer), &read = accessOf(reader);
  const bool full = nodes[writer.node].iteration != nodes[reader.node].iteration;
  failHere("{}, operand {}, reads {}, but {} has written these bytes last, as operand {} "
           "at {}",
           describe(reader.node, full), read.operand, bytesOf(begin, end, read),
           describe(writer.node, full), write.operand, bytesOf(write.address, write.end(), write));
}

void OrderProver::failExchanges(uint32_t earlier) {
  if (!wantsMessage())
    return fail();
  const bool iterations = nodes[earlier].iteration != nodes[current].iteration;
  failHere("{} exchanges data with other devices before or after {}; expected one order on all "
           "devices: {}",
           describe(current, iterations), describe(earlier, iterations), missingOrder(earlier));
}

void OrderProver::failMixed(const History &other, Touch reader) {
  if (!wantsMessage())
    return fail();
  auto data = [&](Touch writer, int64_t which) {
    const Access &access = accessOf(writer);
    return formatText("{} from {}, which belong to inference {}",
                      bytesOf(access.address, access.end(), access), describe(writer.node, true),
                      which);
  };
  failHere("{} reads data of two inferences: {}, and {}", describe(reader.node, true),
           data(inferenceFrom, inference), data(other.writer, other.inference));
}

/// What the reader has found belongs to another inference.
void OrderProver::failStale(Touch reader, int64_t expected) {
  if (!wantsMessage())
    return fail();
  const Access &access = accessOf(reader);
  failHere("{} takes the result of inference {}, but {} hold that of inference {}, "
           "from {}{}",
           describe(reader.node, true), expected, bytesOf(access.address, access.end(), access),
           inference, describe(inferenceFrom.node, true), originOf(inferenceFrom));
}

const char *OrderProver::nameOfReference() const {
  return entry.dataflow()         ? "the entry point's dataflow"
         : reference.isLearning() ? "an earlier iteration"
                                  : "the default schedule";
}

void OrderProver::failDataflow(Touch touch, const char *what) {
  if (!wantsMessage())
    return fail();
  // A wrong value comes from the first command that computes another one.
  if (culprit != kNone && culprit != current) {
    touch.node = culprit;
    what = "computes";
  }
  failHere("{} {} what {} does not: expected the same programs on the same data",
           describe(touch.node, true), what, nameOfReference());
}

void OrderProver::failState(Touch touch, int64_t expected) {
  if (!wantsMessage())
    return fail();
  const Access &access = accessOf(touch);
  failHere("{} accesses {} for inference {}, but its other data belongs to inference {}",
           describe(touch.node, true), bytesOf(access.address, access.end(), access), expected,
           inference);
}

} // namespace ttrt
