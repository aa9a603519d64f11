// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions for misspelled names, of all tools.

#ifndef TTC_TOOLING_SUPPORT_SUGGEST_H
#define TTC_TOOLING_SUPPORT_SUGGEST_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ttc {

/// The least number of insertions, deletions, substitutions and swaps of adjacent characters that
/// turn `a` into `b` (no character is edited twice).
size_t editDistance(std::string_view a, std::string_view b);

/// The name that `given` most likely stands for: one that differs in at most a third of its
/// characters, or the shortest that begins with it. The first of equals; empty if there is none.
std::string nearestName(std::string_view given, const std::vector<std::string> &names);

/// "; did you mean 'perf'?", or nothing.
std::string suggestion(std::string_view given, const std::vector<std::string> &names);

} // namespace ttc

#endif // TTC_TOOLING_SUPPORT_SUGGEST_H
