// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SlotWatch.h"

#include "Error.h"

#include <algorithm>

namespace ttrt {

static void addOnce(std::vector<uint32_t> &list, uint32_t index) {
  if (std::find(list.begin(), list.end(), index) == list.end())
    list.push_back(index);
}

/// The addresses that an access touches, where buffers are planned: in either view of L1 those of
/// one core.
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
  for (uint32_t i = 0; i < entries.size(); ++i)
    for (uint32_t j = 0; j < count(entries[i]->inputs()); ++j) {
      const uint32_t index = entries[i]->inputs()->Get(j)->buffer();
      const fb::Buffer &buffer = *metadata.buffers()->Get(index);
      if (buffer.end() == 0)
        continue; // its own all the time
      Shared &added = shared_.emplace_back();
      added.entry = i;
      added.input = j;
      added.buffer = index;
      added.begin = bundle.addresses().plannedAddress(bundle.address(buffer));
      added.end = added.begin + buffer.size();
    }
  if (outputs)
    lastRuns_.reset(new std::atomic<uint64_t>[entries.size()]());
  if (shared_.empty() && !outputs)
    return;

  DecodedBundle decoded(bundle);
  verifyMemory(bundle, decoded); // says which buffers the operands are
  traces_.resize(decoded.traces.size());
  for (uint32_t i = 0; i < traces_.size(); ++i)
    add(decoded.traces[i], traces_[i]);
  entries_.resize(entries.size());
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    const OpList &steps = decoded.schedules[i][0].steps;
    add(steps, entries_[i]);
    for (const Op &op : steps.ops)
      if (op.kind == OpKind::Execute)
        add(decoded.traces[op.index], entries_[i]);
    entries_[i].outputs = {i};
  }
}

void SlotWatch::add(const OpList &list, Effects &effects) const {
  const fb::Bundle &metadata = bundle_.metadata();
  for (const Access &access : list.accesses) {
    const BufferIndex::Reach reach = plannedReach(bundle_.addresses(), access);
    for (uint32_t i = 0; i < shared_.size(); ++i) {
      const Shared &slot = shared_[i];
      if (reach.begin >= slot.end || slot.begin >= reach.end)
        continue;
      const bool isSlot = access.buffer == slot.buffer;
      const bool isOverwritten = std::find(effects.overwrites.begin(), effects.overwrites.end(),
                                           i) != effects.overwrites.end();
      // Where nothing says which buffer it is: the slot, until somebody else has written there.
      if (access.read && (isSlot || (access.buffer == kNoBuffer && !isOverwritten)))
        addOnce(effects.reads, i);
      if (access.write && !isSlot)
        addOnce(effects.overwrites, i);
    }
    if (!access.write || !lastRuns_)
      continue;
    for (uint32_t i = 0; i < metadata.entries()->size(); ++i) {
      const auto *outputs = metadata.entries()->Get(i)->outputs();
      for (uint32_t j = 0; j < count(outputs); ++j) {
        const fb::Buffer &slot = *metadata.buffers()->Get(outputs->Get(j)->buffer());
        const uint64_t begin = bundle_.addresses().plannedAddress(bundle_.address(slot));
        if (reach.begin < begin + slot.size() && begin < reach.end)
          addOnce(effects.outputs, i);
      }
    }
  }
}

void SlotWatch::failGone(const Shared &slot) const {
  const fb::EntryPoint &entry = *bundle_.metadata().entries()->Get(slot.entry);
  fail(TTRT_OVERWRITTEN,
       "input '%s' of entry point '%s': other tensors have used the bytes of its slot since it was "
       "filled; expected it to be written, or its slot to be asked for and filled, before each run",
       text(entry.inputs()->Get(slot.input)->name()), text(entry.name()));
}

void SlotWatch::finish(const Effects &effects) noexcept {
  for (uint32_t i : effects.overwrites)
    shared_[i].isGone.store(true, std::memory_order_relaxed);
  if (lastRuns_ && !effects.outputs.empty()) {
    const uint64_t number = runs_.fetch_add(1, std::memory_order_relaxed) + 1;
    for (uint32_t entry : effects.outputs)
      lastRuns_[entry].store(number, std::memory_order_relaxed);
  }
}

void SlotWatch::give(uint32_t entry, uint32_t input) noexcept {
  for (Shared &slot : shared_)
    if (slot.entry == entry && slot.input == input)
      slot.isGone.store(false, std::memory_order_relaxed);
}

void SlotWatch::run(uint32_t entry, const ttrt_input *inputs) {
  if (entries_.empty()) [[likely]]
    return;
  for (const Shared &slot : shared_)
    if (slot.entry == entry && !inputs[slot.input].data &&
        slot.isGone.load(std::memory_order_relaxed))
      failGone(slot);
  finish(entries_[entry]);
}

void SlotWatch::replay(uint32_t trace) {
  if (traces_.empty()) [[likely]]
    return;
  for (uint32_t i : traces_[trace].reads)
    if (shared_[i].isGone.load(std::memory_order_relaxed))
      failGone(shared_[i]);
  finish(traces_[trace]);
}

void SlotWatch::enqueue(uint32_t entry, const ttrt_input *inputs) const {
  for (const Shared &slot : shared_)
    if (slot.entry == entry && !inputs[slot.input].data)
      fail(
          TTRT_INVALID_ARGUMENT,
          "input '%s' is NULL; other tensors use the bytes of its slot, so every inference must be "
          "given it",
          text(bundle_.metadata().entries()->Get(entry)->inputs()->Get(slot.input)->name()));
}

void SlotWatch::pipeline(uint32_t entry) noexcept {
  if (!entries_.empty())
    finish(entries_[entry]);
}

} // namespace ttrt
