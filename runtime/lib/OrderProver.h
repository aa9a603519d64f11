// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof of one schedule (docs/proof.md). The schedule is executed symbolically in the order in
// which the host enqueues it: prologue, bodies, epilogue. That order is one of those that can
// happen; clocks say which of the accesses before the current one have happened in every order.

#ifndef TTRT_LIB_ORDERPROVER_H
#define TTRT_LIB_ORDERPROVER_H

#include "DecodedPlan.h"
#include "Format.h"
#include "ShadowMemory.h"

namespace ttrt {

/// More than any target has.
inline constexpr uint32_t kMaxProvedQueues = 4;

class OrderProver final : public TouchOrder {
public:
  /// A conservative proof takes rows together that do not line up (ShadowMemory.h).
  enum class Precision { Conservative, Exact };

  OrderProver(const Bundle &bundle, const DecodedPlan &decoded, const BufferIndex &buffers,
              uint32_t entry, uint32_t schedule, Precision precision);
  /// Throws Error; adds to `proof`. True if the schedule may also begin anew while its epilogue is
  /// under way. Throws NeedsExact where a conservative proof does not know.
  bool prove(Proof &proof);
  struct NeedsExact {};

private:
  void keepLast(std::vector<Touch> &touches) const override;

  class Reading;
  class Writing;
  static constexpr uint32_t kNone = ~0u;
  /// Data that depends on no input, or on state only.
  static constexpr int64_t kNoInference = INT64_MIN;
  enum class Part : uint8_t { Prologue, Body, Epilogue };

  /// One execution of a command or step.
  struct Node {
    const OpList *list;
    const Op *op;
    uint64_t position; ///< on its queue: all work at one position may happen at the same time
    uint32_t step;
    uint32_t command; ///< kNone for a step
    uint32_t iteration;
    Part part;
    uint8_t queue;
  };
  /// Per queue: work up to here has happened.
  struct VectorClock {
    uint64_t work[kMaxProvedQueues] = {};
  };
  struct Queue {
    uint64_t position = 0; ///< of the work that is enqueued next
    VectorClock clock;     ///< of other queues' work, what has happened before it
  };
  struct Event {
    bool recorded = false;
    VectorClock clock;
  };
  struct State {
    ShadowMemory bytes;
    std::vector<Queue> queues;
    std::vector<Event> events;
    std::vector<int64_t> written, read; ///< how often each input and output
    uint32_t iteration = 0;             ///< bodies so far
  };
  /// All that the future of a state depends on.
  using Snapshot = std::vector<uint64_t>;

  bool walk();
  void runPart(Part part);
  void runStep(uint32_t step);
  void runTrace(Node node);
  void record(const Op &op, Queue &queue, uint8_t index);
  void wait(const Event &event, Queue &queue);
  void touch(const Node &node);
  Span spanOf(const Access &access) const;
  template <typename Function> void forEachSpan(const Access &access, Function function) const;
  bool isCore0s(const Op &op, const Access &access) const;
  bool isOrdered(Touch earlier, const Access &now) const;
  bool isSameBuffer(const Access &write, const Access &read) const;
  bool explore(std::vector<State> &pending, std::vector<Snapshot> &seen);
  Snapshot snapshot() const;

  const Access &accessOf(Touch touch) const {
    return nodes[touch.node].list->accesses[touch.access];
  }

  // Messages.
  std::string describe(uint32_t node, bool iterations) const;
  std::string bytesOf(uint64_t begin, uint64_t end, const Access &access) const;
  std::string missingOrder(uint32_t earlier) const;
  [[noreturn]] void failWith(const std::string &what) const;
  template <typename... Args>
  [[noreturn]] void failHere(fmt::format_string<Args...> pattern, Args &&...arguments) const {
    failWith(formatText(pattern, std::forward<Args>(arguments)...));
  }
  [[noreturn]] void failRace(Touch earlier, Touch later, uint64_t begin, uint64_t end,
                             bool earlierWrites, bool laterWrites) const;
  [[noreturn]] void failUnwritten(Touch reader, uint64_t begin, uint64_t end) const;
  [[noreturn]] void failOtherBuffer(Touch writer, Touch reader, uint64_t begin, uint64_t end) const;
  [[noreturn]] void failMixed(const History &other, Touch reader) const;
  [[noreturn]] void failStale(Touch writer, int64_t found, Touch reader, int64_t expected,
                              uint64_t begin, uint64_t end) const;

  const Bundle &bundle;
  const DecodedPlan &decoded;
  const BufferIndex &buffers;
  const fb::EntryPoint &entry;
  const fb::Schedule &schedule;
  const DecodedSchedule &steps;
  OpList initial; ///< the bytes of state buffers, as written before the first step
  State state;
  std::vector<Node> nodes; ///< the first one stands for what is there from the start
  Part part = Part::Prologue;
  uint32_t current = 0; ///< the node that is executed
  // Of the current node: what its reads have found.
  int64_t inference = kNoInference;
  Touch inferenceFrom{};
  uint64_t accesses = 0, pairs = 0, iterations = 0;
};

} // namespace ttrt

#endif // TTRT_LIB_ORDERPROVER_H
