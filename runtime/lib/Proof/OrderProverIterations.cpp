// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any number of iterations: the walk is repeated until it leads to no new state.

#include "Proof/OrderProver.h"

#include "Base/Format.h"
#include "Base/Sort.h"

#include <algorithm>
#include <memory>

namespace ttrt {

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
  if (state.exchange)
    positions[nodes[state.exchange].queue].push_back(nodes[state.exchange].position);
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
  if (const Node &last = nodes[state.exchange]; state.exchange)
    words.insert(words.end(), {last.queue, rank(last.queue, last.position)});
  // How many transfers each port is ahead of the first one.
  const int64_t base = baseInference();
  for (const auto *counts : {&state.written, &state.read})
    for (int64_t times : *counts)
      words.push_back(static_cast<uint64_t>(times - base));
  for (uint32_t i = 0; i < state.messages.size(); ++i)
    if (const uint64_t each = messagesEach[i])
      words.insert(words.end(), {state.messages[i] % each,
                                 state.messages[i] / each - static_cast<uint64_t>(base)});
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
    state = State(pending[i]); // a copy
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
    state = State(between[i]);
    runPart(Part::Epilogue);
    between[i] = State(state);
  }
  Result result{Verdict::Refuted, false, {}};
  if (!failed)
    result.seamless = isSeamless(std::move(between), std::move(seen));
  const bool isProved = !failed || isRestart;
  if (precision == Precision::Conservative &&
      (state.bytes.isConservative() ? !result.seamless : !isProved)) {
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
      state = State(last);
      runPart(Part::Epilogue);
      if (failed)
        return false;
      ends.push_back(state);
    }
  }
  return true;
}

/// An exact proof is necessary for few bundles, and to say what is wrong. `prover` has proved the
/// schedule before this one.
static OrderProver::Result proveSchedule(const Bundle &bundle, const PlacedPlan &plan,
                                         const BufferIndex &buffers, DataflowReference &reference,
                                         uint32_t entry, uint32_t schedule, Proof &proof,
                                         std::unique_ptr<OrderProver> &prover) {
  OrderProver::Result result;
  for (auto precision : {OrderProver::Precision::Conservative, OrderProver::Precision::Exact}) {
    prover = std::make_unique<OrderProver>(bundle, plan, buffers, reference, entry, schedule,
                                           precision, prover.get());
    result = prover->prove(proof);
    if (result.verdict != OrderProver::Verdict::Unknown)
      break;
    if (reference.isLearning())
      reference.restart();
  }
  reference.endLearning();
  return result;
}

Proof verifyOrder(const Bundle &bundle, const PlacedPlan &plan) {
  Proof proof;
  const BufferIndex buffers(bundle);
  std::unique_ptr<OrderProver> prover;
  for (const OpList &trace : plan.traces)
    proof.commands += trace.ops.size() + 1;
  for (uint32_t i = 0; i < plan.schedules.size(); ++i) {
    const fb::EntryPoint &entry = *bundle.metadata().entries()->Get(i);
    DataflowReference reference(bundle, entry);
    for (uint32_t j = 0; j < plan.schedules[i].size(); ++j) {
      const fb::Schedule &schedule = *entry.schedules()->Get(j);
      if (schedule.queues() > kMaxProvedQueues)
        failBad("schedule '{}' of entry point '{}' has {} queues; this runtime supports at most {}",
                text(schedule.name()), text(entry.name()), schedule.queues(), kMaxProvedQueues);
      proof.steps += plan.schedules[i][j].steps.ops.size();
      const OrderProver::Result result =
          proveSchedule(bundle, plan, buffers, reference, i, j, proof, prover);
      if (result.verdict != OrderProver::Verdict::Proved)
        failBad("{}", result.message);
      if (result.seamless)
        proof.seamless.push_back(&schedule);
    }
  }
  return proof;
}

} // namespace ttrt
