// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Printing.h"
#include "Profile/Analysis.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace ttrun::report {

namespace {
/// All gaps between one op and another.
struct Gap {
  std::string after, before;
  std::vector<double> times;
  std::array<double, kUses> uses{};
  double sum = 0;
};

/// "gemm_8x8x32 (command 3)"
std::string placeOf(const Analysis &a, const OpRun &op) {
  return fmt::format("{} ({})", printable(a.models[op.device].opName(op.step, op.command)),
                     op.command);
}

std::vector<Gap> gapsOf(const Analysis &a, uint32_t device) {
  std::map<std::array<uint32_t, 4>, Gap> places;
  for (const OpRun &op : a.ops) {
    const double all = std::accumulate(op.gap.begin(), op.gap.end(), 0.0);
    if (op.device != device || op.after == kNone || all <= 0)
      continue;
    const OpRun &last = a.ops[op.after];
    Gap &gap = places[{last.step, last.command, op.step, op.command}];
    if (gap.times.empty()) {
      gap.after = placeOf(a, last);
      gap.before = placeOf(a, op);
    }
    gap.times.push_back(all);
    gap.sum += all;
    for (size_t i = 0; i < kUses; ++i)
      gap.uses[i] += static_cast<double>(op.gap[i]);
  }
  std::vector<Gap> gaps;
  for (auto &[key, gap] : places)
    gaps.push_back(std::move(gap));
  std::sort(gaps.begin(), gaps.end(), [](const Gap &x, const Gap &y) {
    return std::tie(y.sum, x.after, x.before) < std::tie(x.sum, y.after, y.before);
  });
  return gaps;
}
} // namespace

void printGaps(const Analysis &a, size_t rows) {
  for (uint32_t device = 0; device < a.times.size(); ++device) {
    const std::vector<Gap> gaps = gapsOf(a, device);
    const double span = a.times[device].span();
    double rest = 0;
    fmt::print("\n{:>6} {:>10} {:>8}  {:<11}  gap after one op and before the other{}\n", "share",
               "median us", "times", "mostly",
               a.times.size() > 1 ? fmt::format(" on device {}", device) : "");
    for (size_t i = 0; i < gaps.size(); ++i) {
      const Gap &gap = gaps[i];
      if (i >= rows) {
        rest += gap.sum;
        continue;
      }
      const auto most = std::max_element(gap.uses.begin(), gap.uses.end()) - gap.uses.begin();
      fmt::print("{:5.1f}% {:10.2f} {:8}  {:<11}  {}\n", 100 * gap.sum / span,
                 spreadOf(gap.times).median * 1e-3, gap.times.size(),
                 nameOf(static_cast<Use>(most)),
                 shorten(gap.after + ", " + gap.before, kColumns - 41));
    }
    if (gaps.size() > rows)
      fmt::print("{:5.1f}% in {} other place{}\n", 100 * rest / span, gaps.size() - rows,
                 plural(gaps.size() - rows));
  }
}

} // namespace ttrun::report
