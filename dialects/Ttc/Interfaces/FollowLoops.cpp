// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding along the loops that ops describe.
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Interfaces/Extents.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
/// The padding along each loop of an op.
class LoopPaddings {
public:
  LoopPaddings(Operation *op, ExtentScope &scope, const DimensionMap &map)
      : op(op), scope(scope), map(map), paddings(map.getLoops().size()) {}

  /// Distributes the padding of an operand's dimension over the loops that index it.
  LogicalResult collect(unsigned operand, int64_t dim);
  /// The padding of a result's dimension.
  Padding get(unsigned value, int64_t dim) const;
  bool has(int loop) const { return paddings[loop].has_value(); }

private:
  Operation *op;
  ExtentScope &scope;
  const DimensionMap &map;
  SmallVector<std::optional<Padding>> paddings;
};
} // namespace

/// The same elements by as few factors as have them.
static Padding joinWhole(const ExtentSpace &space, const Padding &padding) {
  Padding joined;
  for (const PaddingFactor &factor : padding) {
    std::optional<Extent> extent;
    if (!joined.empty() && !factor.extent && joined.back().extent)
      extent = space.multiply(*joined.back().extent, factor.size);
    if (extent)
      joined.back() = {joined.back().size * factor.size, extent};
    else
      joined.push_back(factor);
  }
  return joined;
}

bool mlir::ttc::areEqual(const ExtentSpace &space, const Padding &a, const Padding &b) {
  const Padding left = joinWhole(space, a), right = joinWhole(space, b);
  return left.size() == right.size() && llvm::all_of(llvm::zip_equal(left, right), [&](auto pair) {
           const auto &[one, other] = pair;
           return one.size == other.size && one.extent.has_value() == other.extent.has_value() &&
                  (!one.extent || space.areEqual(*one.extent, *other.extent));
         });
}

LogicalResult LoopPaddings::collect(unsigned operand, int64_t dim) {
  Value value = op->getOperand(operand);
  const DimensionMap::Index &index = map.getIndex(operand, dim);
  Padding left(scope.getPadding(value, dim));
  if (left.empty())
    return success();
  if (!index.sections.empty())
    return emitPaddingError(op, scope, value, dim)
           << "its padding would lie between sections of the dimension";
  auto add = [&](int loop, Padding padding) -> LogicalResult {
    if (llvm::none_of(padding, [](const PaddingFactor &f) { return f.extent.has_value(); }))
      return success();
    std::optional<Padding> &known = paddings[loop];
    if (!known) {
      known = std::move(padding);
      return success();
    }
    if (areEqual(scope.getSpace(), *known, padding))
      return success();
    return emitPaddingError(op, scope, value, dim)
           << "another operand has another size there, which is not always the same";
  };
  if (index.loops.size() == 1)
    return add(index.loops.front(), std::move(left));
  // Factors of the padding to loops, outermost first.
  size_t next = 0;
  for (int loop : index.loops) {
    int64_t size = map.getLoops()[loop].size;
    Padding own;
    while (size > 1) {
      PaddingFactor &factor = left[next];
      if (factor.size <= size && size % factor.size == 0) {
        own.push_back(factor);
        size /= factor.size;
        ++next;
        continue;
      }
      // An outer part of the factor: the inner one must be whole.
      const int64_t inner = factor.size % size == 0 ? factor.size / size : 0;
      if (inner && !factor.extent) {
        own.push_back({size, std::nullopt});
      } else {
        std::optional<Extent> outer;
        if (inner) {
          outer = scope.getSpace().floorDiv(*factor.extent, inner);
          if (!scope.getSpace().isExact(*outer))
            outer.reset();
        }
        if (!outer)
          return emitPaddingError(op, scope, value, dim)
                 << "it is divided into parts of a size that does not divide it";
        own.push_back({size, outer});
      }
      factor = {inner, std::nullopt};
      size = 1;
    }
    if (failed(add(loop, std::move(own))))
      return failure();
  }
  return success();
}

Padding LoopPaddings::get(unsigned value, int64_t dim) const {
  Padding padding;
  bool isPadded = false;
  for (int loop : map.getIndex(value, dim).loops) {
    if (paddings[loop]) {
      llvm::append_range(padding, *paddings[loop]);
      isPadded = true;
    } else if (map.getLoops()[loop].size != 1) {
      padding.push_back({map.getLoops()[loop].size, std::nullopt});
    }
  }
  if (!isPadded)
    padding.clear();
  return padding;
}

static std::optional<Fill> getNeutral(Combiner combiner) {
  switch (combiner) {
  case Combiner::Sum:
    return Fill::Zero;
  case Combiner::Product:
    return Fill::One;
  case Combiner::Max:
    return Fill::Lowest;
  case Combiner::Min:
    return Fill::Highest;
  case Combiner::Mean:
  case Combiner::None:
    return std::nullopt;
  }
  llvm_unreachable("unexpected combiner");
}

LogicalResult mlir::ttc::followLoops(Operation *op, ExtentScope &scope,
                                     function_ref<bool(int loop)> isOwn) {
  if (llvm::none_of(op->getOperands(), [&](Value value) { return scope.isPadded(value); }))
    return success();
  const DimensionMap map = getDimensionMap(op);
  LoopPaddings paddings(op, scope, map);
  for (OpOperand &operand : op->getOpOperands()) {
    const unsigned number = operand.getOperandNumber();
    for (int64_t dim = 0; dim < map.getRank(number); ++dim) {
      if (!scope.isPadded(operand.get(), dim))
        continue;
      const DimensionMap::Index &index = map.getIndex(number, dim);
      if (isOwn && llvm::all_of(index.loops, isOwn))
        continue;
      if (failed(paddings.collect(number, dim)))
        return failure();
      for (int loop : index.loops) {
        const DimensionMap::Loop &info = map.getLoops()[loop];
        if (!paddings.has(loop) || info.kind == LoopKind::Parallel)
          continue;
        const bool keepsPlace = info.kind == LoopKind::Whole && info.combiner != Combiner::None;
        std::optional<Fill> neutral = getNeutral(info.combiner);
        if ((info.kind != LoopKind::Reduction && !keepsPlace) || !neutral)
          return emitPaddingError(op, scope, operand.get(), dim)
                 << "the op would compute with what follows it";
        if (failed(scope.fill(operand, dim, *neutral)))
          return failure();
      }
    }
  }
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    for (int64_t dim = 0; dim < map.getRank(map.getResult(number)); ++dim)
      if (Padding padding = paddings.get(map.getResult(number), dim); !padding.empty())
        scope.setPadding(result, dim, std::move(padding));
  return success();
}
