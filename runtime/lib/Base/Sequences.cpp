// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Sequences.h"

#include "ttrt/format/dataflow.h"

#include <algorithm>

namespace ttrt {

static constexpr uint32_t kFree = ~0u;

/// The place of the table in memory differs from run to run: a file whose sequences all have one
/// hash would have to predict it.
uint64_t Sequences::hashOf(const Words &words) const {
  auto hash = reinterpret_cast<uintptr_t>(this);
  for (uint64_t word : words)
    hash = dataflow::combine(hash, word);
  return hash;
}

bool Sequences::isAt(size_t number, const Words &words) const {
  const size_t begin = begins[number];
  const size_t end = number + 1 < begins.size() ? begins[number + 1] : all.size();
  return end - begin == words.size() && std::equal(words.begin(), words.end(), &all[begin]);
}

uint32_t Sequences::slotOf(uint64_t hash, const Words &words) const {
  for (uint64_t i = hash;; ++i) {
    const uint32_t slot = static_cast<uint32_t>(i & (slots.size() - 1));
    const uint32_t number = slots[slot];
    if (number == kFree || (hashes[number] == hash && isAt(number, words)))
      return slot;
  }
}

size_t Sequences::find(const Words &words) const {
  if (begins.empty())
    return kNone;
  const uint32_t found = slots[slotOf(hashOf(words), words)];
  return found == kFree ? kNone : found;
}

size_t Sequences::add(const Words &words) {
  if (slots.size() <= 2 * begins.size())
    grow();
  const uint64_t hash = hashOf(words);
  uint32_t &number = slots[slotOf(hash, words)];
  if (number == kFree) {
    number = static_cast<uint32_t>(begins.size());
    hashes.push_back(hash);
    begins.push_back(all.size());
    for (uint64_t word : words)
      all.push_back(word);
  }
  return number;
}

void Sequences::grow() {
  slots.assign(std::max<size_t>(64, 2 * slots.size()), kFree);
  for (uint32_t i = 0; i < begins.size(); ++i) {
    uint64_t slot = hashes[i];
    while (slots[slot & (slots.size() - 1)] != kFree)
      ++slot;
    slots[slot & (slots.size() - 1)] = i;
  }
}

} // namespace ttrt
