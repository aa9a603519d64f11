// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Support/Suggest.h"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>

namespace ttc {

size_t editDistance(std::string_view a, std::string_view b) {
  // Three rows of the table of distances between prefixes of `a` and prefixes of `b`.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t differs = a[i - 1] != b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearestName(std::string_view given, const std::vector<std::string> &names) {
  constexpr size_t kLongest = 256; // the time is the product of both lengths
  if (given.size() > kLongest)
    return "";
  const std::string *nearest = nullptr;
  size_t least = (given.size() + 2) / 3 + 1;
  for (const std::string &name : names) {
    const size_t distance = name.size() > kLongest ? least : editDistance(given, name);
    // A name of one or two characters is not near everything of its length.
    if (distance < least && distance < given.size()) {
      least = distance;
      nearest = &name;
    }
  }
  if (!nearest && given.size() >= 3)
    for (const std::string &name : names)
      if (name.starts_with(given) && (!nearest || name.size() < nearest->size()))
        nearest = &name;
  return nearest ? *nearest : "";
}

std::string suggestion(std::string_view given, const std::vector<std::string> &names) {
  const std::string nearest = nearestName(given, names);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

} // namespace ttc
