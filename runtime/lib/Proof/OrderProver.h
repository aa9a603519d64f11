// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof of one schedule (docs/proof.md). The prover executes the schedule symbolically in the
// order in which the host enqueues it: prologue, bodies, epilogue. This is one of the possible
// orders. Vector clocks tell which of the accesses before the current one have happened in every
// possible order.

#ifndef TTRT_LIB_PROOF_ORDERPROVER_H
#define TTRT_LIB_PROOF_ORDERPROVER_H

#include "Base/Format.h"
#include "Bundle/DecodedPlan.h"
#include "Proof/DataflowReference.h"
#include "Proof/ShadowMemory.h"

#include <memory>

namespace ttrt {

/// More than any target has.
inline constexpr uint32_t kMaxProvedQueues = 4;

class OrderProver final : public TouchOrder {
public:
  /// Which kind of shadow memory the proof uses (ShadowMemory.h). A conservative proof takes less
  /// time. What it proves holds, but it may be unable to prove what does hold, and it does not keep
  /// what only messages need.
  enum class Precision { Conservative, Exact };

  enum class Verdict {
    Proved,
    Refuted, ///< by an exact proof only
    Unknown, ///< of a conservative proof only: an exact one decides
  };
  struct Result {
    Verdict verdict;
    /// The schedule may start again while its own epilogue is under way.
    bool seamless = false;
    std::string message; ///< why it was refuted
  };

  /// The schedule has at most kMaxProvedQueues queues. All arguments outlive the prover.
  /// `reference` is the entry point's; the proof of the default schedule may add to it.
  OrderProver(const Bundle &bundle, const PlacedPlan &plan, const BufferIndex &buffers,
              DataflowReference &reference, uint32_t entry, uint32_t schedule, Precision precision);
  /// Once. Adds to `proof` if the verdict is Proved.
  Result prove(Proof &proof);

private:
  void keepLast(std::vector<Touch> &touches) const override;

  struct StatePlace;
  class Reading;
  class Writing;
  class Forgetting;
  static constexpr uint32_t kNone = ~0u;
  /// The inference of data that depends on no input, or only on state.
  static constexpr int64_t kNoInference = INT64_MIN;
  enum class Part : uint8_t { Prologue, Body, Epilogue };

  /// One execution of a command or step.
  struct Node {
    const OpList *list;
    const Op *op;
    uint64_t position; ///< on its queue; work at the same position may happen at the same time
    uint32_t step;
    uint32_t command; ///< kNone for a step
    uint32_t iteration;
    Part part;
    uint8_t queue;
    /// The node that first computed a value which is not in the dataflow, if this one's depends on
    /// it. It may be of no consequence. For messages: an exact proof's only.
    uint32_t culprit = kNone;
  };
  /// Where a node's inference is from: the last of its reads that found data of one, and what had
  /// written that data.
  struct Origin {
    Touch read{}, from{};
  };
  /// For each queue, the position up to which its work has happened.
  struct VectorClock {
    uint64_t work[kMaxProvedQueues] = {};
  };
  struct Queue {
    uint64_t position = 0; ///< of the work that is enqueued next
    VectorClock clock;     ///< the work of other queues that has happened before it
  };
  struct Event {
    bool recorded = false;
    VectorClock clock;
  };
  struct State {
    explicit State(const TouchOrder *order) : bytes(order) {}

    ShadowMemory bytes;
    std::vector<Queue> queues;
    std::vector<Event> events; ///< from firstEvent on
    /// How often so far inputs were written, outputs read (outputsAt), state buffers accessed
    /// (statesAt), and messages of collectives sent and received (messagesAt).
    std::vector<uint64_t> counts;
    uint32_t iteration = 0; ///< bodies so far
    uint32_t exchange = 0;  ///< the last node that was one; 0: none so far
  };
  /// A loop of the trace that is executed.
  struct Loop {
    uint32_t node; ///< of the repeat
    /// What it computes: stands for what is carried at the beginning of an iteration.
    uint64_t value;
    int64_t inference; ///< of that
  };
  /// Everything that the future of a state depends on.
  using Snapshot = std::vector<uint64_t>;

  using States = std::vector<std::unique_ptr<State>>;

  bool isSeamless(States &ends, std::vector<Snapshot> &seen);
  void runPart(Part part);
  void runStep(uint32_t step);
  void runTrace(Node node);
  void record(const Op &op, Queue &queue, uint8_t index);
  void wait(const Event &event, Queue &queue);
  uint64_t touch(const Node &node);
  void runRepeat(Node &node);
  void runEndRepeat(Node &node);
  void forgetBody(const Node &node);
  const Touch *readInLoop(const History &history) const;
  void checkExchange();
  uint64_t perInference(uint32_t collective) const {
    return std::max<uint64_t>(messagesEach[collective], 1);
  }
  uint64_t read(const Access &access, Touch touch);
  uint64_t identify(const Op &op) const;
  uint64_t identifyExchange(const Op &op) const;
  void checkMessage(const Op &op, uint64_t value);
  /// A send or receive.
  static bool isMessage(const Op &op) {
    return op.info->inCollective == CollectiveRole::Send ||
           op.info->inCollective == CollectiveRole::Receive;
  }
  int64_t countInferences() const;
  int64_t baseInference() const;
  void checkStateAccesses();
  StatePlace nextStateAccess(const Access &access);
  uint64_t readState(const Access &access, Touch touch);
  void writeState(const Access &access, Touch touch, uint64_t write);
  /// The first address, with both views of L1 as one memory.
  uint64_t baseOf(const Access &access) const;
  Span spanOf(const Access &access) const;
  History *historyOf(const Access &access);
  void visitSpansInCores(const Access &access, void (*function)(void *, const Span &),
                         void *context) const;
  template <typename Function> void forEachSpan(const Access &access, Function function) const;
  bool isOnCore0(const Op &op, const Access &access) const;
  bool isOrdered(Touch earlier, const Access &now) const;
  /// Whether a touch is at the current position of the same queue.
  bool isAtPosition(Touch other) const {
    return nodes[other.node].position == nodes[current].position &&
           nodes[other.node].queue == nodes[current].queue;
  }
  bool isSameBuffer(const Access &write, const Access &read) const;
  bool explore(States &between, std::vector<Snapshot> &seen);
  bool runEpilogues(States &between, States &ends);
  Snapshot snapshot() const;

  const Access &accessOf(Touch touch) const {
    return nodes[touch.node].list->accesses[touch.access];
  }

  // Messages.
  std::string describe(uint32_t node, bool iterations) const;
  std::string bytesOf(uint64_t begin, uint64_t end, const Access &access) const;
  std::string missingOrder(uint32_t earlier) const;
  std::string originOf(Touch data) const;

  // Each records the first failure; the walk then ends.
  template <typename... Args>
  [[gnu::always_inline]] void failHere(Pattern<Args...> pattern, const Args &...arguments) {
    failWith(kindsOf<Args...>(), pattern.text(), toArgument(arguments)...);
  }
  [[gnu::cold]] void failWith(uint64_t kinds, const char *pattern, ...);
  void fail() { failed = true; }
  bool wantsMessage() const { return !failed && !isRestart && precision == Precision::Exact; }
  void failRace(Touch earlier, Touch later, uint64_t begin, uint64_t end, bool earlierWrites,
                bool laterWrites);
  /// `writer`: it has written them for its own iteration; else nothing has.
  void failUnwritten(Touch reader, uint64_t begin, uint64_t end, const Touch *writer = nullptr);
  void failOtherBuffer(Touch writer, Touch reader, uint64_t begin, uint64_t end);
  void failExchanges(uint32_t earlier);
  void failMixed(const History &other, Touch reader);
  void failStale(Touch reader, int64_t expected);
  const char *nameOfReference() const;
  void failDataflow(Touch touch, const char *what);
  void failState(Touch touch, int64_t expected);

  const Bundle &bundle;
  const PlacedPlan &plan;
  const BufferIndex &buffers;
  DataflowReference &reference;
  const fb::EntryPoint &entry;
  const fb::Schedule &schedule;
  const DecodedSchedule &steps;
  const bool hasEnds; ///< a prologue or an epilogue; else a state after a body is all there is
  const Precision precision;
  uint32_t outputsAt, statesAt, messagesAt; ///< in State::counts
  std::vector<uint32_t> messagesEach;       ///< sends and receives of an inference, per collective
  uint32_t firstMessage = kNone;            ///< a collective that has some
  uint32_t firstEvent = kNone;              ///< of those that the schedule uses
  OpList initial;                           ///< writes of the state buffers before the first step
  std::unique_ptr<State> state;
  Loop loops[kMaxRepeatDepth]; ///< from the outermost
  uint32_t depth = 0;          ///< of loops
  std::vector<Node> nodes;     ///< the first one stands for the initial contents
  std::vector<Origin> origins; ///< of the nodes, for messages: an exact proof's only
  Part part = Part::Prologue;
  uint32_t current = 0; ///< the node that is executed
  // What the reads of the current node have found.
  int64_t inference = kNoInference;
  Touch inferenceFrom{}, inferenceRead{};
  /// The node from which the current one has a value that is not in the dataflow, or kNone.
  uint32_t culprit = kNone;
  uint64_t accesses = 0, pairs = 0, iterations = 0;
  bool isRestart = false; ///< whether the walk is past the first epilogue
  bool failed = false;
  std::string message; ///< of the first failure
};

} // namespace ttrt

#endif // TTRT_LIB_PROOF_ORDERPROVER_H
