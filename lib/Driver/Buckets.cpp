// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buckets.h"
#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include <limits>
#include <map>

using namespace mlir;
using namespace mlir::ttc;

static double productOf(ArrayRef<int64_t> sizes) {
  double product = 1;
  for (int64_t size : sizes)
    product *= static_cast<double>(size);
  return product;
}

BucketCost mlir::ttc::getBucketCost(func::FuncOp function) {
  double all = 0, whole = 0, windows = 0;
  for (Operation &op : function.getOps()) {
    const double count = static_cast<double>(countOperations(&op).value_or(0));
    all += count;
    if (llvm::none_of(getDimensionMap(&op).getLoops(),
                      [](const DimensionMap::Loop &loop) { return loop.kind == LoopKind::Window; }))
      continue;
    // Kernels are for f32, what is computed in it, and bytes.
    const unsigned bits = getElementTypeOrSelf(op.getOperand(0)).getIntOrFloatBitWidth();
    (bits > 32 ? whole : windows) += count;
  }
  return all > 0 ? BucketCost{whole / all, windows / all} : BucketCost{};
}

//===--- what buckets cost --------------------------------------------------------------===//

static bool holds(ArrayRef<int64_t> variant, ArrayRef<int64_t> sizes) {
  return llvm::all_of(llvm::zip_equal(variant, sizes),
                      [](auto pair) { return std::get<0>(pair) >= std::get<1>(pair); });
}

/// The variant that runs take.
static size_t findVariant(ArrayRef<Sizes> variants, ArrayRef<int64_t> sizes) {
  size_t best = variants.size() - 1;
  for (auto [index, variant] : llvm::enumerate(variants))
    if (holds(variant, sizes) && productOf(variant) < productOf(variants[best]))
      best = index;
  return best;
}

static double getBucket(ArrayRef<Sizes> variants, ArrayRef<int64_t> sizes) {
  return productOf(variants[findVariant(variants, sizes)]);
}

double mlir::ttc::estimateSlowdown(ArrayRef<DimRange> ranges, ArrayRef<Sizes> variants,
                                   const BucketCost &cost) {
  /// Sizes of a dimension that take the same bucket.
  struct Part {
    int64_t bucket;
    double number, sum, squares;
  };
  std::vector<SmallVector<Part>> parts;
  for (auto [dim, range] : llvm::enumerate(ranges)) {
    Sizes buckets = llvm::map_to_vector(variants, [&](const Sizes &all) { return all[dim]; });
    llvm::sort(buckets);
    buckets.erase(llvm::unique(buckets), buckets.end());
    parts.emplace_back();
    int64_t from = range.low;
    for (int64_t bucket : buckets) {
      if (bucket < from)
        continue;
      // Sums of an arithmetic progression.
      const int64_t count = (bucket - from) / range.step + 1,
                    last = from + (count - 1) * range.step;
      const double n = static_cast<double>(count), step = static_cast<double>(range.step);
      const double mean = (static_cast<double>(from) + static_cast<double>(last)) / 2;
      parts.back().push_back(
          {bucket, n, n * mean, n * mean * mean + step * step * n * (n * n - 1) / 12});
      from = last + range.step;
    }
  }
  // getTime() is linear in these sums of all sizes in a cell.
  double time = 0, exact = 0;
  SmallVector<unsigned> at(ranges.size(), 0);
  for (;;) {
    Sizes sizes;
    double number = 1, sum = 1, squares = 1;
    for (auto [own, index] : llvm::zip_equal(parts, at)) {
      sizes.push_back(own[index].bucket);
      number *= own[index].number;
      sum *= own[index].sum;
      squares *= own[index].squares;
    }
    const double bucket = getBucket(variants, sizes);
    time += cost.getVariant() * (cost.whole * bucket * number +
                                 (1 - cost.whole) * (sum * (1 + BucketCost::kOverhead) -
                                                     BucketCost::kOverhead * squares / bucket));
    exact += sum;
    size_t dim = 0;
    while (dim < at.size() && ++at[dim] == parts[dim].size())
      at[dim++] = 0;
    if (dim == at.size())
      return time / exact;
  }
}

double mlir::ttc::estimateSlowdown(const SizeHistogram &requests, ArrayRef<Sizes> variants,
                                   const BucketCost &cost) {
  double time = 0, exact = 0;
  for (const auto &[sizes, count] : requests.counts) {
    const double work = productOf(sizes), number = static_cast<double>(count);
    time += number * cost.getTime(work, getBucket(variants, sizes));
    exact += number * work;
  }
  return time / exact;
}

//===--- choosing -----------------------------------------------------------------------===//

namespace {

/// A variant, and the requests that take it.
struct Group {
  Sizes sizes;
  double number = 0, squares = 0; ///< how many, and the sum of the squares of their work
};

/// Chooses variants that are combinations of buckets of each dimension. In one dimension, dynamic
/// programming finds the best buckets; in several, those of one beside those of the others, in
/// turns.
class BucketChooser {
public:
  BucketChooser(const SizeHistogram &requests, const BucketCost &cost);

  /// The combinations that requests take, for at most as many buckets in each dimension.
  std::vector<Group> choose(ArrayRef<int64_t> numbers) const;
  /// The combinations of these buckets that requests take.
  std::vector<Group> getGroups(ArrayRef<Sizes> buckets) const;
  /// Makes one group of those two with which that costs the least.
  void merge(std::vector<Group> &groups) const;
  ArrayRef<Sizes> getCandidates() const { return candidates; }

private:
  void chooseAlong(size_t dim, int64_t number, std::vector<Sizes> &buckets) const;
  /// What of the time of requests depends on their bucket, without the factor of all variants.
  double getTime(double bucket, double number, double squares) const {
    return cost.whole * bucket * number -
           (1 - cost.whole) * BucketCost::kOverhead * squares / bucket;
  }

  const SizeHistogram &requests;
  const BucketCost &cost;
  std::vector<Sizes> candidates; ///< of each dimension, ascending; the last is the largest size
};

} // namespace

/// The smallest of ascending sizes that is not smaller.
static size_t findSlot(ArrayRef<int64_t> sizes, int64_t size) {
  return llvm::lower_bound(sizes, size) - sizes.begin();
}

BucketChooser::BucketChooser(const SizeHistogram &requests, const BucketCost &cost)
    : requests(requests), cost(cost) {
  // The search takes time by the square of the number of candidates.
  const size_t most = requests.dims.size() > 1 ? 96 : 512;
  for (size_t dim = 0; dim < requests.dims.size(); ++dim) {
    const Sizes sizes = requests.getSizes(dim);
    const size_t number = std::min(sizes.size(), most);
    Sizes chosen;
    for (size_t i = 1; i <= number; ++i)
      chosen.push_back(sizes[i * sizes.size() / number - 1]);
    candidates.push_back(std::move(chosen));
  }
}

void BucketChooser::chooseAlong(size_t dim, int64_t number, std::vector<Sizes> &buckets) const {
  ArrayRef<int64_t> sizes = candidates[dim];
  // Sums over the requests up to each candidate: of the other dimensions' buckets, and of the
  // square of the work by these.
  const size_t count = sizes.size();
  SmallVector<double> others(count + 1, 0), squares(count + 1, 0);
  for (const auto &[all, requested] : requests.counts) {
    double other = 1;
    for (auto [index, own] : llvm::enumerate(buckets))
      if (index != dim)
        other *= static_cast<double>(own[findSlot(own, all[index])]);
    const size_t slot = findSlot(sizes, all[dim]) + 1;
    const double work = productOf(all), n = static_cast<double>(requested);
    others[slot] += n * other;
    squares[slot] += n * work * work / other;
  }
  for (size_t slot = 1; slot <= count; ++slot) {
    others[slot] += others[slot - 1];
    squares[slot] += squares[slot - 1];
  }
  // Requests after candidate `from` up to `to`, which is their bucket.
  auto getTimeOf = [&](size_t from, size_t to) {
    return getTime(static_cast<double>(sizes[to - 1]), others[to] - others[from],
                   squares[to] - squares[from]);
  };
  const size_t most = std::min<size_t>(number, count);
  std::vector<SmallVector<double>> least(most + 1);
  std::vector<SmallVector<size_t>> previous(most + 1);
  least[0].assign(count + 1, std::numeric_limits<double>::infinity());
  least[0][0] = 0;
  for (size_t used = 1; used <= most; ++used) {
    least[used].assign(count + 1, std::numeric_limits<double>::infinity());
    previous[used].assign(count + 1, 0);
    for (size_t to = used; to <= count; ++to)
      for (size_t from = used - 1; from < to; ++from)
        if (const double time = least[used - 1][from] + getTimeOf(from, to);
            time < least[used][to]) {
          least[used][to] = time;
          previous[used][to] = from;
        }
  }
  buckets[dim].clear();
  for (size_t used = most, to = count; used > 0; to = previous[used--][to])
    buckets[dim].push_back(sizes[to - 1]);
  std::reverse(buckets[dim].begin(), buckets[dim].end());
}

std::vector<Group> BucketChooser::choose(ArrayRef<int64_t> numbers) const {
  std::vector<Sizes> buckets;
  for (const Sizes &sizes : candidates)
    buckets.push_back({sizes.back()});
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<Sizes> before = buckets;
    for (auto [dim, number] : llvm::enumerate(numbers))
      chooseAlong(dim, number, buckets);
    if (buckets == before || buckets.size() == 1)
      break;
  }
  return getGroups(buckets);
}

std::vector<Group> BucketChooser::getGroups(ArrayRef<Sizes> buckets) const {
  std::map<std::vector<int64_t>, Group> taken;
  std::vector<int64_t> combination(buckets.size());
  for (const auto &[sizes, count] : requests.counts) {
    for (auto [chosen, own, size] : llvm::zip_equal(combination, buckets, sizes))
      chosen = own[findSlot(own, size)];
    Group &group = taken[combination];
    const double work = productOf(sizes), number = static_cast<double>(count);
    group.sizes.assign(combination.begin(), combination.end());
    group.number += number;
    group.squares += number * work * work;
  }
  auto groups = llvm::make_second_range(taken);
  return {groups.begin(), groups.end()};
}

static Group join(const Group &a, const Group &b) {
  Group joined{a.sizes, a.number + b.number, a.squares + b.squares};
  for (auto [size, other] : llvm::zip_equal(joined.sizes, b.sizes))
    size = std::max(size, other);
  return joined;
}

void BucketChooser::merge(std::vector<Group> &groups) const {
  auto timeOf = [&](const Group &group) {
    return getTime(productOf(group.sizes), group.number, group.squares);
  };
  double least = std::numeric_limits<double>::infinity();
  std::pair<size_t, size_t> best;
  for (size_t a = 0; a < groups.size(); ++a)
    for (size_t b = a + 1; b < groups.size(); ++b)
      if (const double time =
              timeOf(join(groups[a], groups[b])) - timeOf(groups[a]) - timeOf(groups[b]);
          time < least) {
        least = time;
        best = {a, b};
      }
  groups[best.first] = join(groups[best.first], groups[best.second]);
  groups.erase(groups.begin() + best.second);
}

/// The sizes of groups, in the order of their products. The last one holds all sizes.
static std::vector<Sizes> getVariants(ArrayRef<Group> groups, const Sizes &largest) {
  std::vector<Sizes> variants;
  for (const Group &group : groups)
    if (group.sizes != largest && !llvm::is_contained(variants, group.sizes))
      variants.push_back(group.sizes);
  llvm::sort(variants, [](const Sizes &a, const Sizes &b) {
    return productOf(a) != productOf(b) ? productOf(a) < productOf(b) : a < b;
  });
  variants.push_back(largest);
  return variants;
}

std::vector<Sizes> mlir::ttc::chooseVariants(const SizeHistogram &requests, int64_t limit,
                                             const BucketCost &cost) {
  constexpr double kTolerance = 1.01;
  // Of several dimensions, more combinations than variants are tried, and then merged.
  constexpr int64_t kMostCombinations = 64;
  const size_t dims = requests.dims.size();
  const BucketChooser chooser(requests, cost);
  Sizes largest;
  for (const Sizes &sizes : chooser.getCandidates())
    largest.push_back(sizes.back());
  /// The best of each number of variants.
  std::map<size_t, std::pair<double, std::vector<Sizes>>> best;
  double least = std::numeric_limits<double>::infinity();
  auto add = [&](std::vector<Sizes> variants) {
    if (static_cast<int64_t>(variants.size()) > limit)
      return;
    const double time = estimateSlowdown(requests, variants, cost);
    least = std::min(least, time);
    auto [found, isNew] = best.try_emplace(variants.size(), time, variants);
    if (!isNew && time < found->second.first)
      found->second = {time, std::move(variants)};
  };
  SmallVector<int64_t> numbers(dims, 1);
  auto isAllowed = [&](size_t dim) {
    int64_t product = 1;
    for (int64_t number : numbers)
      product *= number;
    return product <= (dims == 1 ? limit : std::max(limit, kMostCombinations)) &&
           numbers[dim] <= static_cast<int64_t>(chooser.getCandidates()[dim].size());
  };
  auto addGroups = [&](std::vector<Group> groups) {
    add(getVariants(groups, largest));
    for (; dims > 1 && groups.size() > 1; add(getVariants(groups, largest)))
      chooser.merge(groups);
  };
  if (requests.counts.size() <= kMostCombinations)
    addGroups(chooser.getGroups(chooser.getCandidates()));
  for (size_t dim = 0; dim < dims;) {
    addGroups(chooser.choose(numbers));
    for (dim = 0; dim < dims; ++dim) {
      numbers[dim] += dims == 1 ? 1 : (numbers[dim] + 1) / 2; // 1, 2, 3, 5, 8, 12, ...
      if (isAllowed(dim))
        break;
      numbers[dim] = 1;
    }
  }
  return llvm::find_if(best,
                       [&](const auto &entry) { return entry.second.first <= least * kTolerance; })
      ->second.second;
}
