// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/Sort.h"

#include <algorithm>
#include <iterator>

namespace ttrt {

void sortByNumber(Numbered *items, size_t count) {
  std::vector<Numbered> others(count);
  Numbered *from = items, *to = others.data();
  for (int shift = 0; shift < 64; shift += 8) {
    auto digitOf = [&](const Numbered &item) { return item.number >> shift & 0xff; };
    size_t places[257] = {};
    for (size_t i = 0; i < count; ++i)
      ++places[digitOf(from[i]) + 1];
    if (std::find(std::begin(places), std::end(places), count) != std::end(places))
      continue; // all have this digit
    for (size_t i = 1; i < std::size(places); ++i)
      places[i] += places[i - 1];
    for (size_t i = 0; i < count; ++i)
      to[places[digitOf(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != items)
    std::copy_n(from, count, items);
}

size_t countUpTo(const std::vector<uint64_t> &sorted, uint64_t value, size_t &near) {
  for (size_t guess = near - (near > 0); guess <= near + 1 && guess <= sorted.size(); ++guess)
    if ((guess == 0 || sorted[guess - 1] <= value) &&
        (guess == sorted.size() || sorted[guess] > value))
      return near = guess;
  return near = static_cast<size_t>(std::upper_bound(sorted.begin(), sorted.end(), value) -
                                    sorted.begin());
}

} // namespace ttrt
