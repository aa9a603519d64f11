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
  uint32_t writesOf(const OpList &list, const Op &op) const {
    uint32_t writes = kActivations;
    BufferIndex::Near near;
    for (uint32_t i = op.first; i < op.end; ++i) {
      const BufferIndex::Reach reach = index.reachOf(list.accesses[i]);
      const BufferIndex::Permanent *kept = index.permanentAt(reach, near);
      if (!list.accesses[i].write || !kept)
        continue;
      if (!index.isInsideOne(reach, near))
        writes = kMore;
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
  if (finder.hasSlotWithLifetime())
    return result;
  const DecodedSchedule &its = decoded.schedules[entry][schedule];
  const std::vector<Op> &ops = its.steps.ops;

  // Per step: of a transfer, how many of that port there are before it; of others, what they write.
  std::vector<uint32_t> numbers(ops.size());
  const auto &ports = *bundle.metadata().entries()->Get(entry);
  std::vector<uint32_t> written(count(ports.inputs())), read(count(ports.outputs()));
  uint32_t inBody = 0; // inferences
  for (uint32_t i = 0; i < ops.size(); ++i) {
    const fb::Step &step = *ops[i].step;
    if (step.kind() == fb::StepKind::Write || step.kind() == fb::StepKind::Read) {
      const bool isRead = step.kind() == fb::StepKind::Read;
      numbers[i] = (isRead ? read : written)[step.index()]++;
      inBody += isRead && step.index() == 0 && i >= its.bodyBegin && i < its.bodyEnd;
      continue;
    }
    numbers[i] = finder.writesOf(its.steps, ops[i]);
    if (ops[i].role() == OrderRole::Execute)
      for (const Op &op : decoded.traces[step.index()].ops) {
        numbers[i] = Finder::both(numbers[i], finder.writesOf(decoded.traces[step.index()], op));
        if (count(ports.devices()) && op.meets()) // devices of other entry points wait for it
          numbers[i] = kMore;
      }
  }

  std::vector<uint32_t>
      wanted; // turns whose outputs are read later on, for inferences that there are
  for (uint32_t end = 0; end < its.bodyEnd; ++end) {
    if (ops[end].step->kind() != fb::StepKind::Write)
      continue;
    wanted.clear();
    bool isSkippable = true;
    for (uint32_t i = static_cast<uint32_t>(ops.size()); i-- > end && isSkippable;) {
      // A run that ends in the prologue has no body.
      if (end < its.bodyBegin && i >= its.bodyBegin && i < its.bodyEnd)
        continue;
      const fb::Step &step = *ops[i].step;
      if (step.kind() == fb::StepKind::Read) {
        if (numbers[i] - (end < its.bodyBegin && i >= its.bodyEnd ? inBody : 0) < numbers[end])
          wanted.push_back(step.slot());
      } else if (step.kind() != fb::StepKind::Write && numbers[i] != kActivations) {
        isSkippable = numbers[i] != kMore &&
                      std::find(wanted.begin(), wanted.end(), numbers[i]) == wanted.end();
      }
    }
    if (isSkippable)
      result.push_back(end);
  }
  return result;
}

} // namespace ttrt
