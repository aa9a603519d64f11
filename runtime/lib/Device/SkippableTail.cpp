// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/SkippableTail.h"

#include <algorithm>

namespace ttrt {

namespace {

/// What a step writes: activations, or outputs in one turn of the ring, or it cannot be left out.
enum : uint32_t { kActivations = ~0u, kMore = ~0u - 1 };

class Finder {
public:
  Finder(const Bundle &bundle, const fb::EntryPoint &entry)
      : bundle(bundle), entry(entry), index(bundle) {}

  /// The turn of a slot of an output; kMore for any other buffer. Slots with a lifetime cannot be
  /// told from what else has their bytes.
  uint32_t turnOf(const fb::Buffer *buffer) const {
    for (const fb::Port *output : *entry.outputs())
      for (uint32_t i = 0; i < slotsOf(*output); ++i)
        if (bundle.metadata().buffers()->Get(slotOf(*output, i)) == buffer)
          return i;
    return kMore;
  }
  bool hasSlotWithLifetime() const {
    for (const fb::Port *output : *entry.outputs())
      for (uint32_t i = 0; i < slotsOf(*output); ++i)
        if (bundle.metadata().buffers()->Get(slotOf(*output, i))->end() != 0)
          return true;
    return false;
  }
  static uint32_t both(uint32_t a, uint32_t b) {
    return a == kActivations || a == b ? b : b == kActivations ? a : kMore;
  }
  /// What is written to states is added to `states`: a number for each state.
  uint32_t writesOf(const OpList &list, const Op &op, uint64_t &states) const {
    uint32_t writes = kActivations;
    BufferIndex::Near near;
    for (uint32_t i = op.first; i < op.end; ++i) {
      const BufferIndex::Reach reach = index.reachOf(list.accesses[i]);
      const BufferIndex::Permanent *kept = index.permanentAt(reach, near);
      if (!list.accesses[i].write || !kept)
        continue;
      if (!index.isInsideOne(reach, near))
        writes = kMore;
      else if (kept->buffer->kind() == fb::BufferKind::State)
        // Of places at equal distances, different sets could have the same sum without the squares.
        states += (kept->begin + 1) * (kept->begin + 1);
      else if (kept->buffer->kind() != fb::BufferKind::Activation)
        writes = both(writes, turnOf(kept->buffer));
    }
    return writes;
  }

private:
  const Bundle &bundle;
  const fb::EntryPoint &entry;
  BufferIndex index;
};

} // namespace

std::vector<uint32_t> findSkippableTails(const Bundle &bundle, const DecodedPlan &decoded,
                                         uint32_t entry, uint32_t schedule) {
  std::vector<uint32_t> result;
  const Finder finder(bundle, *bundle.metadata().entries()->Get(entry));
  const bool mayBeAnywhere = finder.hasSlotWithLifetime();
  const DecodedSchedule &its = decoded.schedules[entry][schedule];
  const std::vector<Op> &ops = its.steps.ops;

  struct StepWrites {
    uint32_t number = 0; ///< of a transfer: how many of that port there are before it
    uint64_t states = 0; ///< what it writes to them
  };
  std::vector<StepWrites> steps(ops.size());
  const auto &ports = *bundle.metadata().entries()->Get(entry);
  std::vector<uint32_t> written(count(ports.inputs())), read(count(ports.outputs()));
  uint64_t inBody = 0, statesInBody = 0; // inferences, and what these write to states
  for (uint32_t i = 0; i < ops.size(); ++i) {
    const fb::Step &step = *ops[i].step;
    if (step.kind() == fb::StepKind::Write || step.kind() == fb::StepKind::Read) {
      const bool isRead = step.kind() == fb::StepKind::Read;
      steps[i].number = (isRead ? read : written)[step.index()]++;
      inBody += isRead && step.index() == 0 && i >= its.bodyBegin && i < its.bodyEnd;
      continue;
    }
    steps[i].number = finder.writesOf(its.steps, ops[i], steps[i].states);
    if (ops[i].role() == OrderRole::Execute)
      for (const Op &op : decoded.traces[step.index()].ops) {
        steps[i].number = Finder::both(
            steps[i].number, finder.writesOf(decoded.traces[step.index()], op, steps[i].states));
        if (count(ports.devices()) && op.meets()) // devices of other entry points wait for it
          steps[i].number = kMore;
      }
    if (i >= its.bodyBegin && i < its.bodyEnd)
      statesInBody += steps[i].states;
  }

  std::vector<uint32_t>
      wanted;          // turns whose outputs are read later on, for inferences that there are
  uint64_t before = 0; // written to states
  bool isUnsafe = false;
  for (uint32_t end = 0; end < its.bodyEnd; ++end) {
    before += steps[end].states;
    if (ops[end].step->kind() != fb::StepKind::Write)
      continue;
    wanted.clear();
    bool isSkippable = !mayBeAnywhere, changesStates = false;
    for (uint32_t i = static_cast<uint32_t>(ops.size()); i-- > end;) {
      // A run that ends in the prologue has no body.
      if (end < its.bodyBegin && i >= its.bodyBegin && i < its.bodyEnd)
        continue;
      const fb::Step &step = *ops[i].step;
      if (step.kind() == fb::StepKind::Read) {
        if (steps[i].number - (end < its.bodyBegin && i >= its.bodyEnd ? inBody : 0) <
            steps[end].number)
          wanted.push_back(step.slot());
      } else if (step.kind() != fb::StepKind::Write && steps[i].number != kActivations) {
        isSkippable &= steps[i].number != kMore &&
                       std::find(wanted.begin(), wanted.end(), steps[i].number) == wanted.end();
      }
      changesStates |= steps[i].states != 0;
    }
    // Each inference writes the same to states.
    isSkippable &= !changesStates || inBody * before == steps[end].number * statesInBody;
    if (isSkippable)
      result.push_back(end);
    isUnsafe |= changesStates && !isSkippable;
  }
  if (isUnsafe)
    result.push_back(kChangesStates);
  return result;
}

} // namespace ttrt
