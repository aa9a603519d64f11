// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Device/SlotWatch.h"

#include "Base/Format.h"

#include <algorithm>

namespace ttrt {

template <typename T> static bool contains(const std::vector<T> &list, const T &what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

template <typename T> static void addOnce(std::vector<T> &list, const T &what) {
  if (!contains(list, what))
    list.push_back(what);
}

/// The planned addresses of an access: in either view of L1, those of one core.
static BufferIndex::Reach plannedReach(const AddressMap &map, const Access &access) {
  const uint64_t begin = map.plannedAddress(access.address);
  if (access.address >= map.interleavedAddress())
    return {begin / kBufferAlignment * kBufferAlignment,
            alignUp(map.plannedAddress(access.end() - 1) + 1, kBufferAlignment)};
  return {begin, begin + (map.isInCore(access.address) ? bytesInCore(map, access) : access.bytes)};
}

SlotWatch::SlotWatch(const Bundle &bundle, bool outputs) : bundle_(bundle) {
  const fb::Bundle &metadata = bundle.metadata();
  const auto &entries = *metadata.entries();
  uint32_t inputs = 0;
  for (const fb::EntryPoint *entry : entries)
    inputs += count(entry->inputs());
  shared_.reset(new Shared[inputs]);
  for (uint32_t i = 0; i < entries.size(); ++i)
    for (uint32_t j = 0; j < count(entries[i]->inputs()); ++j) {
      const uint32_t index = entries[i]->inputs()->Get(j)->buffer();
      const fb::Buffer &buffer = *metadata.buffers()->Get(index);
      if (buffer.end() == 0)
        continue; // never shared
      Shared &added = shared_[sharedCount_++];
      added.entry = i;
      added.input = j;
      added.buffer = index;
      added.begin = bundle.addresses().plannedAddress(bundle.address(buffer));
      added.end = added.begin + buffer.size();
    }
  if (outputs)
    lastRuns_.reset(new std::atomic<uint64_t>[entries.size()]());
  if (sharedCount_ == 0 && !outputs)
    return;

  const PlacedPlan &plan = bundle.plan();
  firstEntry_ = plan.traces.size();
  effects_.resize(firstEntry_ + entries.size());
  for (uint32_t i = 0; i < firstEntry_; ++i)
    add(plan.traces[i], effects_[i]);
  for (uint32_t i = 0; i < entries.size(); ++i) {
    Effects &effects = effects_[firstEntry_ + i];
    const OpList &steps = plan.schedules[i][0].steps;
    add(steps, effects);
    for (const Op &op : steps.ops)
      if (op.role() == OrderRole::Execute)
        add(plan.traces[op.index], effects);
    addOnce(effects, {Effect::Outputs, i});
  }
}

void SlotWatch::add(const OpList &list, Effects &effects) const {
  const fb::Bundle &metadata = bundle_.metadata();
  for (const Access &access : list.accesses) {
    const BufferIndex::Reach reach = plannedReach(bundle_.addresses(), access);
    for (uint32_t i = 0; i < sharedCount_; ++i) {
      const Shared &slot = shared_[i];
      if (reach.begin >= slot.end || slot.begin >= reach.end)
        continue;
      const bool isSlot = access.buffer == slot.buffer;
      const bool isOverwritten = contains(effects, {Effect::Overwrites, i});
      // An access of an unknown buffer counts as the slot's, until another tensor is written there.
      if (access.read && (isSlot || (access.buffer == kNoBuffer && !isOverwritten)))
        addOnce(effects, {Effect::Reads, i});
      if (access.write && !isSlot)
        addOnce(effects, {Effect::Overwrites, i});
    }
    if (!access.write || !lastRuns_)
      continue;
    for (uint32_t i = 0; i < metadata.entries()->size(); ++i) {
      const auto *outputs = metadata.entries()->Get(i)->outputs();
      for (uint32_t j = 0; j < count(outputs); ++j) {
        const fb::Buffer &slot = *metadata.buffers()->Get(outputs->Get(j)->buffer());
        const uint64_t begin = bundle_.addresses().plannedAddress(bundle_.address(slot));
        if (reach.begin < begin + slot.size() && begin < reach.end)
          addOnce(effects, {Effect::Outputs, i});
      }
    }
  }
}

void SlotWatch::failGone(const Shared &slot) const {
  const fb::EntryPoint &entry = *bundle_.metadata().entries()->Get(slot.entry);
  fail(TTRT_OVERWRITTEN,
       "input '{}' of entry point '{}': its slot has been overwritten by other tensors that share "
       "its bytes; write the input, or call ttrt_device_input_slot() and fill it, before every run",
       text(entry.inputs()->Get(slot.input)->name()), text(entry.name()));
}

void SlotWatch::finish(const Effects &effects) noexcept {
  uint64_t number = 0;
  for (const Effect &effect : effects) {
    if (effect.kind == Effect::Overwrites)
      shared_[effect.index].isGone.store(true, std::memory_order_relaxed);
    if (effect.kind != Effect::Outputs || !lastRuns_)
      continue;
    if (number == 0)
      number = runs_.fetch_add(1, std::memory_order_relaxed) + 1;
    lastRuns_[effect.index].store(number, std::memory_order_relaxed);
  }
}

void SlotWatch::give(uint32_t entry, uint32_t input) noexcept {
  Shared *given = shared_.get();
  while (given != sharedEnd() && (given->entry != entry || given->input != input))
    ++given;
  if (given == sharedEnd())
    return;
  given->isGone.store(false, std::memory_order_relaxed);
  // Slots of other variants may have the same bytes.
  for (Shared *other = shared_.get(); other != sharedEnd(); ++other)
    if (other->entry != entry && other->begin < given->end && given->begin < other->end)
      other->isGone.store(true, std::memory_order_relaxed);
}

void SlotWatch::run(uint32_t entry, const ttrt_input *inputs) {
  if (effects_.empty()) [[likely]]
    return;
  for (const Shared *slot = shared_.get(); slot != sharedEnd(); ++slot)
    if (slot->entry == entry && !inputs[slot->input].data &&
        slot->isGone.load(std::memory_order_relaxed))
      failGone(*slot);
  finish(effects_[firstEntry_ + entry]);
}

void SlotWatch::replay(uint32_t trace) {
  if (effects_.empty()) [[likely]]
    return;
  for (const Effect &effect : effects_[trace])
    if (effect.kind == Effect::Reads &&
        shared_[effect.index].isGone.load(std::memory_order_relaxed))
      failGone(shared_[effect.index]);
  finish(effects_[trace]);
}

void SlotWatch::enqueue(uint32_t entry, const ttrt_input *inputs) const {
  for (const Shared *slot = shared_.get(); slot != sharedEnd(); ++slot)
    if (slot->entry == entry && !inputs[slot->input].data)
      fail(TTRT_INVALID_ARGUMENT,
           "input '{}' is NULL; expected data for every inference, since other tensors share the "
           "bytes "
           "of its slot",
           text(bundle_.metadata().entries()->Get(entry)->inputs()->Get(slot->input)->name()));
}

void SlotWatch::pipeline(uint32_t entry) noexcept {
  if (!effects_.empty())
    finish(effects_[firstEntry_ + entry]);
}

} // namespace ttrt
