// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any number of iterations: the walk is repeated until it leads to no new state.

#include "Proof/OrderProver.h"

#include "Base/Format.h"
#include "Base/Sort.h"
#include "Bundle/Verifier.h"

#include <algorithm>
#include <memory>

namespace ttrt {

/// Two states with equal snapshots have the same future. Later checks depend on earlier accesses
/// only by the bytes that they touched and as which operands, by whether they have happened before
/// (a clock includes their position), and by the inference of their data relative to the current
/// one.
OrderProver::Snapshot OrderProver::snapshot() const {
  // Positions are only compared with clocks. So the positions that occur, per queue, are numbered.
  std::vector<uint32_t> positions[kMaxProvedQueues];
  for (size_t i = 0; i < state->queues.size(); ++i)
    positions[i].resize(state->queues[i].position + 1);
  auto add = [&](uint32_t node) { positions[nodes[node].queue][nodes[node].position] = 1; };
  for (const auto &[begin, band] : state->bytes.all())
    for (const ShadowMemory::Column &column : band.columns) {
      add(column.history.writer.node);
      for (uint32_t i = column.history.readers; i != ShadowMemory::kNoReaders;
           i = state->bytes.reader(i).next)
        add(state->bytes.reader(i).touch.node);
    }
  if (state->exchange)
    add(state->exchange);
  for (auto &queue : positions)
    for (size_t i = 1; i < queue.size(); ++i)
      queue[i] += queue[i - 1];
  auto rank = [&](size_t queue, uint64_t position) -> uint64_t {
    return positions[queue][position];
  };

  Snapshot words;
  auto append = [&](std::initializer_list<uint64_t> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  for (size_t i = 0; i < state->queues.size(); ++i) {
    for (const Queue &queue : state->queues)
      append({rank(i, queue.clock.work[i])});
    for (const Event &event : state->events)
      append({event.recorded ? rank(i, event.clock.work[i]) : kNone});
  }
  if (const Node &last = nodes[state->exchange]; state->exchange)
    append({last.queue, rank(last.queue, last.position)});
  // How many transfers each port is ahead of the first one.
  const int64_t base = baseInference();
  const std::vector<uint64_t> &counts = state->counts;
  auto appendCount = [&](uint64_t times, uint64_t each) {
    if (each)
      append({times % each, times / each - static_cast<uint64_t>(base)});
  };
  for (uint32_t i = 0; i < statesAt; ++i)
    appendCount(counts[i], 1);
  for (uint32_t i = 0; i < messagesEach.size(); ++i)
    appendCount(counts[messagesAt + i], messagesEach[i]);
  for (const StateBuffer &buffer : reference.states())
    appendCount(counts[statesAt + buffer.number], reference.perInference(buffer));
  std::vector<std::pair<uint64_t, uint64_t>> touches;
  auto encode = [&](Touch touch) {
    const Node &node = nodes[touch.node];
    touches.emplace_back(uint64_t(node.step) << 32 | node.command,
                         rank(node.queue, node.position) << 32 | touch.access);
  };
  for (const auto &[begin, band] : state->bytes.all()) {
    append({begin, band.end, band.pitch, band.columns.size()});
    for (const ShadowMemory::Column &column : band.columns) {
      const History &history = column.history;
      touches.clear();
      encode(history.writer);
      for (uint32_t i = history.readers; i != ShadowMemory::kNoReaders;
           i = state->bytes.reader(i).next)
        encode(state->bytes.reader(i).touch);
      const bool known = !history.conservative && history.inference != kNoInference;
      append({column.begin, column.end, touches.size(),
              uint64_t(history.conservative) << 1 | history.isForgotten, history.digest,
              static_cast<uint64_t>(known ? history.inference - base : kNoInference)});
      sortItems(touches.data() + 1, touches.size() - 1); // the readers
      for (const auto &[what, when] : touches)
        append({what, when});
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

/// Appends bodies to the current state until a fixpoint is reached. Adds to `between` the states
/// after which the body or the epilogue may follow. False if there are too many states, or a check
/// has failed.
bool OrderProver::explore(States &between, std::vector<Snapshot> &seen) {
  constexpr size_t kMost = 256;
  do {
    if (seen.size() > kMost)
      return false;
    if (hasEnds)
      between.push_back(std::make_unique<State>(*state));
    runPart(Part::Body);
    if (failed)
      return false;
    ++state->iteration;
  } while (addIfNew(seen, snapshot()));
  return true;
}

/// Executes the epilogue after each state of `between`, and adds the resulting states to `ends`.
bool OrderProver::runEpilogues(States &between, States &ends) {
  for (auto &before : between) {
    state = std::move(before);
    runPart(Part::Epilogue);
    if (failed)
      return false;
    ends.push_back(std::move(state));
  }
  return true;
}

OrderProver::Result OrderProver::prove(Proof &proof) {
  // The states between two bodies, of a schedule that starts on an idle device; and those in which
  // an epilogue ends.
  States between, ends;
  std::vector<Snapshot> seen;
  runPart(Part::Prologue);
  if (!failed) {
    seen.push_back(snapshot());
    if (!explore(between, seen) && !failed)
      failHere("{} iterations of the body are all different; expected a steady state",
               seen.size() - 1);
    iterations = state->iteration;
    if (!failed && !hasEnds) // the epilogue has no steps; all bodies have equally many accesses
      checkStateAccesses();
  }
  Result result{Verdict::Refuted, false, {}};
  if (!failed && runEpilogues(between, ends))
    result.seamless = isSeamless(ends, seen);
  const bool isProved = !failed || isRestart;
  if (precision == Precision::Conservative && !result.seamless &&
      (state->bytes.isConservative() || !isProved)) {
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
bool OrderProver::isSeamless(States &ends, std::vector<Snapshot> &seen) {
  isRestart = true;
  for (size_t i = 0; i < ends.size(); ++i) {
    state = std::move(ends[i]);
    runPart(Part::Prologue);
    if (failed)
      return false;
    if (!addIfNew(seen, snapshot()))
      continue;
    States more;
    if (!explore(more, seen) || !runEpilogues(more, ends))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// All schedules
//===----------------------------------------------------------------------===//

/// What all proofs need.
struct OrderProofs::Tables {
  explicit Tables(const Bundle &bundle) : buffers(bundle), dataflow(bundle) {}
  BufferIndex buffers;
  DataflowTables dataflow;
};

OrderProofs::OrderProofs(const Bundle &bundle, const PlacedPlan &plan)
    : bundle(bundle), plan(plan), tables(std::make_unique<Tables>(bundle)),
      entries(plan.schedules.size()) {
  for (const OpList &trace : plan.traces)
    proof.commands += trace.ops.size() + 1;
  for (uint32_t i = 0; i < entries.size(); ++i)
    entries[i].schedules.resize(plan.schedules[i].size());
}

OrderProofs::~OrderProofs() = default;

bool OrderProofs::prove(uint32_t entry, uint32_t schedule) {
  auto &[states, learned] = entries[entry];
  State &state = states[schedule];
  if (state != State::Unproved)
    return state == State::Seamless;
  const fb::EntryPoint &table = *bundle.metadata().entries()->Get(entry);
  const fb::Schedule &its = *table.schedules()->Get(schedule);
  if (its.queues() > kMaxProvedQueues)
    failBad("schedule '{}' of entry point '{}' has {} queues; this runtime supports at most {}",
            text(its.name()), text(table.name()), its.queues(), kMaxProvedQueues);
  if (schedule != 0)
    prove(entry, 0);
  std::unique_ptr<DataflowReference> own;
  if (!learned)
    own = std::make_unique<DataflowReference>(tables->dataflow, table);
  DataflowReference &reference = own ? *own : *learned;
  OrderProver::Result result;
  // An exact proof is necessary for few bundles, and to say what is wrong.
  for (auto precision : {OrderProver::Precision::Conservative, OrderProver::Precision::Exact}) {
    result = OrderProver(bundle, plan, tables->buffers, reference, entry, schedule, precision)
                 .prove(proof);
    if (result.verdict != OrderProver::Verdict::Unknown)
      break;
    if (reference.isLearning())
      reference.restart();
  }
  if (result.verdict != OrderProver::Verdict::Proved)
    failBad("{}", result.message);
  proof.steps += plan.schedules[entry][schedule].steps.ops.size();
  state = result.seamless ? State::Seamless : State::Proved;
  if (reference.isLearning()) {
    reference.endLearning();
    learned = std::move(own);
  }
  return result.seamless;
}

} // namespace ttrt
