// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Proof/AliveBuffers.h"

#include "Base/Sort.h"

namespace ttrt {

AliveBuffers::AliveBuffers(const Bundle &bundle)
    : numbers(count(bundle.metadata().buffers())), alive(numbers.size()) {
  const auto *buffers = bundle.metadata().buffers();
  std::vector<Numbered> order(numbers.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = {bundle.addresses().plannedAddress(bundle.address(*buffers->Get(i))), i};
  sortByNumber(order.data(), order.size());
  begins.reserve(order.size());
  places.reserve(order.size());
  for (const auto &[begin, index] : order) {
    const fb::Buffer &buffer = *buffers->Get(index);
    numbers[index] = static_cast<uint32_t>(begins.size());
    begins.push_back(begin);
    places.push_back({begin, begin + buffer.size(), index, buffer.kind(), buffer.end() == 0});
  }
}

const AliveBuffers::Place *AliveBuffers::lastBelow(uint64_t end, size_t &near) const {
  const size_t last = alive.lastBelow(countUpTo(begins, end - 1, near));
  return last == NumberSet::kNone ? nullptr : &places[last];
}

const AliveBuffers::Place *AliveBuffers::find(uint64_t begin, uint64_t end) const {
  size_t near = 0;
  const Place *found = lastBelow(end, near);
  if (!found || found->end <= begin)
    return nullptr;
  while (found->begin > begin) {
    const Place *previous = lastBelow(found->begin, near);
    if (!previous || previous->begin < begin)
      break;
    found = previous;
  }
  return found;
}

} // namespace ttrt
