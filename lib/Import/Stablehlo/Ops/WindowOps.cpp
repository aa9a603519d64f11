// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of windows, and the scattering to what windows select.
#include "Bodies.h"
#include "Padding.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;

/// The most positions of a window that are taken one by one.
static constexpr int64_t kMostWindow = 4096;

namespace {
/// The windows of a tensor, by dimension.
struct Windows {
  SmallVector<int64_t> sizes, strides, dilations;
  PadCounts padding{0};
  /// How many there are.
  SmallVector<int64_t> counts;

  int64_t rank() const { return sizes.size(); }
  int64_t reach(int64_t dim) const { return (sizes[dim] - 1) * dilations[dim] + 1; }
  /// Whether each element of a dimension is a window.
  bool isTrivial(int64_t dim) const {
    return sizes[dim] == 1 && strides[dim] == 1 && padding.low[dim] == 0 &&
           padding.high[dim] == 0 && padding.interior[dim] == 0;
  }
};
} // namespace

/// Reads the attributes; what the op does not have is 1. The numbers of constraints are the op's.
static FailureOr<Windows> readWindows(StablehloOp &op, ArrayRef<int64_t> shape, bool hasDilations) {
  const int64_t rank = shape.size();
  SmallVector<int64_t> ones(rank, 1);
  Windows windows;
  windows.sizes = op.getInts("window_dimensions");
  windows.strides = op.getInts("window_strides", ones);
  windows.dilations = hasDilations ? op.getInts("window_dilations", ones) : ones;
  SmallVector<int64_t> base = hasDilations ? op.getInts("base_dilations", ones) : ones;
  std::optional<PadCounts> padding = readPadding(op, rank, hasDilations ? "C12" : "C8");
  if (op.hasFailed())
    return failure();
  auto check = [&](ArrayRef<int64_t> values, StringRef name,
                   StringRef constraint) -> LogicalResult {
    // What is larger than any tensor only overflows.
    constexpr int64_t most = int64_t(1) << 31;
    if (static_cast<int64_t>(values.size()) == rank &&
        llvm::all_of(values, [](int64_t value) { return value > 0 && value <= most; }))
      return success();
    return op.error() << constraint << " expected attribute '" << name << "' to have " << rank
                      << " positive elements, found " << printList(values);
  };
  if (failed(check(windows.sizes, "window_dimensions", "(C4, C5)")) ||
      failed(check(windows.strides, "window_strides", "(C6, C7)")) ||
      failed(check(base, "base_dilations", "(C8, C9)")) ||
      failed(check(windows.dilations, "window_dilations", "(C10, C11)")))
    return failure();
  windows.padding = *padding;
  for (int64_t i = 0; i < rank; ++i)
    windows.padding.interior[i] = base[i] - 1;
  std::optional<SmallVector<int64_t>> padded = getPaddedShape(op, shape, windows.padding);
  if (!padded)
    return failure();
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t room = (*padded)[i] - windows.reach(i);
    windows.counts.push_back((*padded)[i] == 0 || room < 0 ? 0 : room / windows.strides[i] + 1);
  }
  return windows;
}

//===----------------------------------------------------------------------===//
// What ttc has
//===----------------------------------------------------------------------===//

/// Running sums and products: each window reaches to the end of a dimension.
static Value makeCumulative(StablehloOp &op, Reducer &reducer, Value x, const Windows &windows) {
  if ((reducer.getKind() != BodyKind::Add && reducer.getKind() != BodyKind::Multiply) ||
      op.isComplex(x))
    return {};
  int64_t axis = -1;
  for (int64_t i = 0; i < windows.rank(); ++i) {
    if (windows.isTrivial(i))
      continue;
    const int64_t size = shapeOf(x)[i], low = windows.padding.low[i],
                  high = windows.padding.high[i];
    if (axis >= 0 || windows.sizes[i] != size || windows.strides[i] != 1 ||
        windows.dilations[i] != 1 || windows.padding.interior[i] != 0 || low + high != size - 1 ||
        (low != 0 && high != 0))
      return {};
    axis = i;
  }
  if (axis < 0)
    return {};
  const CumulativeKind kind =
      reducer.getKind() == BodyKind::Add ? CumulativeKind::Sum : CumulativeKind::Prod;
  SmallVector<NamedAttribute> attrs = {op.attr("kind", CumulativeKindAttr::get(op.context(), kind)),
                                       op.i64("axis", axis)};
  if (windows.padding.low[axis] == 0)
    attrs.push_back(op.flag("reverse"));
  return op.create<CumulativeOp>(x, attrs);
}

/// Pools over one to three dimensions that lie together, padding neutral.
static Value makePool(StablehloOp &op, Reducer &reducer, Value x, Windows windows) {
  if (op.isComplex(x))
    return {};
  const BodyKind kind = reducer.getKind();
  Type type = elementTypeOf(x);
  const bool isExact = type.isF32() || type.isF64();
  // The mean times the number of elements: narrow floats would round twice.
  if (kind != BodyKind::Maximum && !(kind == BodyKind::Minimum && isa<FloatType>(type)) &&
      !(kind == BodyKind::Add && isExact))
    return {};
  int64_t first = windows.rank(), last = -1, positions = 1;
  for (int64_t i = 0; i < windows.rank(); ++i) {
    positions *= windows.sizes[i];
    if (windows.isTrivial(i))
      continue;
    first = std::min(first, i);
    last = i;
    if (windows.padding.interior[i] != 0 || windows.padding.low[i] < 0 ||
        windows.padding.high[i] < 0 ||
        std::max(windows.padding.low[i], windows.padding.high[i]) >= windows.reach(i) ||
        positions > (int64_t(1) << 24))
      return {};
  }
  if (last < 0 || last - first > 2)
    return {};
  ArrayRef<int64_t> from = shapeOf(x);
  const int64_t rank = from.size(), spatial = last - first + 1;
  auto product = [](ArrayRef<int64_t> sizes) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    return count;
  };
  // Batch and channels before the windows, or channels after them.
  const bool isChannelsLast = last != rank - 1;
  SmallVector<int64_t> shape;
  const bool fits = isChannelsLast ? first == 1 && last == rank - 2 : first == 2;
  if (fits)
    shape.assign(from.begin(), from.end());
  else {
    shape.push_back(product(from.take_front(first)));
    if (!isChannelsLast)
      shape.push_back(1);
    shape.append(from.begin() + first, from.begin() + last + 1);
    if (isChannelsLast)
      shape.push_back(product(from.drop_front(last + 1)));
  }
  SmallVector<int64_t> kernel, strides, dilations, pads(2 * spatial);
  for (int64_t i = 0; i < spatial; ++i) {
    kernel.push_back(windows.sizes[first + i]);
    strides.push_back(windows.strides[first + i]);
    dilations.push_back(windows.dilations[first + i]);
    pads[i] = windows.padding.low[first + i];
    pads[spatial + i] = windows.padding.high[first + i];
  }
  SmallVector<NamedAttribute> attrs = {op.attr("kernel", kernel), op.attr("strides", strides),
                                       op.attr("pads", pads), op.attr("dilations", dilations)};
  if (isChannelsLast)
    attrs.push_back(op.flag("channels_last"));
  Expressions e(op);
  x = op.reshape(x, shape);
  Value y;
  if (kind == BodyKind::Maximum) {
    y = op.create<MaxPoolOp>(x, attrs);
  } else if (kind == BodyKind::Minimum) {
    y = e.unary<NegOp>(op.create<MaxPoolOp>(e.unary<NegOp>(x), attrs));
  } else {
    attrs.push_back(op.flag("count_include_pad"));
    y = e.mul(op.create<AvgPoolOp>(x, attrs), static_cast<double>(positions));
  }
  return op.reshape(y, windows.counts);
}

//===----------------------------------------------------------------------===//
// Any body
//===----------------------------------------------------------------------===//

/// Reduces the windows of one dimension, in the order of their elements.
static SmallVector<Value> slide(StablehloOp &op, Reducer &reducer, SmallVector<Value> values,
                                const Windows &windows, int64_t axis) {
  Expressions e(op);
  const int64_t size = windows.sizes[axis], stride = windows.strides[axis],
                dilation = windows.dilations[axis], count = windows.counts[axis];
  auto take = [&](ArrayRef<Value> from, int64_t start, int64_t length, int64_t step) {
    return llvm::map_to_vector(from, [&](Value value) {
      return mapParts(op, value,
                      [&](Value part) { return e.slice(part, axis, start, length, step); });
    });
  };
  // The step over a single element leads nowhere.
  const int64_t step = count > 1 ? stride : 1;
  auto lengthOf = [&](ArrayRef<Value> of) { return shapeOf(op.realOf(of.front()))[axis]; };
  auto isBad = [](ArrayRef<Value> of) { return of.empty() || llvm::is_contained(of, Value()); };
  if (isBad(values))
    return {};
  // Element by element of the window, or by sums of 2, 4, 8... neighbours at every place.
  if (size - 1 <= 2 * int64_t(llvm::Log2_64_Ceil(size)) * stride && size <= kMostWindow) {
    SmallVector<SmallVector<Value>> parts;
    for (int64_t i = 0; i < size; ++i)
      parts.push_back(take(values, i * dilation, count, step));
    while (parts.size() > 1) {
      SmallVector<SmallVector<Value>> next;
      for (size_t i = 0; i + 1 < parts.size(); i += 2)
        next.push_back(reducer.combine(parts[i], parts[i + 1]));
      if (parts.size() % 2 != 0)
        next.push_back(parts.back());
      parts = std::move(next);
    }
    return parts.front();
  }
  SmallVector<Value> power = values, sum;
  int64_t covered = 0;
  for (int64_t bit = 1; bit <= size; bit *= 2) {
    if (isBad(power))
      return {};
    if (size & bit) {
      if (covered == 0) {
        sum = power;
      } else {
        const int64_t shift = covered * dilation,
                      length = std::min(lengthOf(sum), lengthOf(power) - shift);
        sum = reducer.combine(take(sum, 0, length, 1), take(power, shift, length, 1));
        if (isBad(sum))
          return {};
      }
      covered += bit;
    }
    if (2 * bit > size)
      break;
    const int64_t length = lengthOf(power) - bit * dilation;
    power = reducer.combine(take(power, 0, length, 1), take(power, bit * dilation, length, 1));
  }
  return take(sum, 0, count, step);
}

static LogicalResult importReduceWindow(StablehloOp &op) {
  const unsigned count = op.numOperands() / 2;
  if (op.numOperands() == 0 || op.numOperands() % 2 != 0 || op.numResults() != count)
    return op.error() << "(C1) expected as many operands as initial values and results, found "
                      << op.numOperands() << " operands and " << op.numResults() << " results";
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of another op";
  ArrayRef<int64_t> from = shapeOf(op.realOf(op.operand(0)));
  for (unsigned i = 0; i < count; ++i) {
    Value x = op.realOf(op.operand(i)), initial = op.realOf(op.operand(count + i));
    if (shapeOf(x) != from)
      return op.error() << "(C2) expected operands of one shape, found " << x.getType();
    if (rankOf(initial) != 0 || elementTypeOf(initial) != elementTypeOf(x) ||
        op.isComplex(op.operand(i)) != op.isComplex(op.operand(count + i)))
      return op.error() << "(C3) expected initial values of rank 0 and the operands' types, found "
                        << initial.getType();
  }
  FailureOr<Windows> windows = readWindows(op, from, /*hasDilations=*/true);
  Reducer reducer(op, 0, count, "C13");
  if (failed(windows) || failed(reducer.check(op.allOperands().take_front(count))))
    return failure();
  for (unsigned i = 0; i < count; ++i)
    if (op.resultType(i).getShape() != ArrayRef(windows->counts))
      return op.error() << "(C14, C15) expected results of shape [" << printList(windows->counts)
                        << "], found " << op.resultType(i);
  Expressions e(op);
  ArrayRef<Value> operands = op.allOperands();
  SmallVector<Value> values = reducer.convert(operands.take_front(count)),
                     initial = reducer.convert(operands.drop_front(count));
  // In windows without elements there are only initial values.
  if (llvm::is_contained(windows->counts, 0) || llvm::is_contained(from, 0)) {
    for (Value &value : initial)
      value = mapParts(op, value, [&](Value part) { return e.expand(part, windows->counts); });
    return op.results(initial);
  }
  // As in XLA, each window counts a known initial value once, whatever its padding: the sum of a
  // window that begins with 3 does not depend on how much of it is inside.
  SmallVector<Value> outside = initial;
  if (count == 1 && reducer.getKind() != BodyKind::Other) {
    Value known = makeCumulative(op, reducer, values.front(), *windows);
    if (!known)
      known = makePool(op, reducer, values.front(), *windows);
    if (known)
      return op.results(reducer.applyInitial(initial, {known}));
    outside = {reducer.makeNeutral(values.front())};
  }
  for (auto [value, number] : llvm::zip_equal(values, outside))
    value = mapParts(op, {value, number}, [&](ArrayRef<Value> parts) {
      return makePad(op, parts[0], windows->padding, parts[1]);
    });
  for (int64_t axis = windows->rank() - 1; axis >= 0; --axis)
    values = slide(op, reducer, values, *windows, axis);
  values = reducer.applyInitial(initial, values);
  values.resize(count);
  return op.results(values);
}

//===----------------------------------------------------------------------===//
// Select and scatter
//===----------------------------------------------------------------------===//

/// The place in each window that `select` keeps, counted in the order of the window.
static Value makeSelected(StablehloOp &op, Value x, const Windows &windows, int64_t positions) {
  Expressions e(op);
  const bool isPadded = !windows.padding.isNone();
  Value padded = makePad(op, x, windows.padding, 0.0), inside;
  if (isPadded)
    inside = makePad(op, e.splat(shapeOf(x), op.getBuilder().getI1Type(), 1), windows.padding, 0.0);
  Value best, place, isValid;
  SmallVector<int64_t> position(windows.rank(), 0);
  for (int64_t n = 0; n < positions; ++n) {
    SmallVector<int64_t> steps(windows.strides);
    for (int64_t i = 0; i < windows.rank(); ++i)
      if (windows.counts[i] < 2)
        steps[i] = 1;
    auto take = [&](Value from) {
      return op.create<SliceOp>(from, {op.attr("starts", position),
                                       op.attr("sizes", windows.counts), op.attr("steps", steps)});
    };
    Value candidate = take(padded), isInside = isPadded ? take(inside) : Value();
    for (int64_t i = windows.rank() - 1; i >= 0 && ++position[i] == windows.sizes[i]; --i)
      position[i] = 0;
    Type i32 = op.getBuilder().getI32Type();
    if (!best) {
      best = candidate;
      isValid = isInside;
      place = e.splat(windows.counts, i32, 0);
      continue;
    }
    FailureOr<SmallVector<Value>> kept = op.importBody(0, {best, candidate}, /*broadened=*/true);
    if (failed(kept))
      return {};
    Value isBetter = e.unary<NotOp>(kept->front());
    // Padding is not chosen before an element.
    if (isPadded) {
      isBetter = e.both(isInside, op.create<OrOp>({isBetter, e.unary<NotOp>(isValid)}));
      isValid = op.create<OrOp>({isValid, isInside});
    }
    best = e.where(isBetter, candidate, best);
    place = e.where(isBetter, e.number(place, n), place);
    if (!best || !place)
      return {};
  }
  return place;
}

static LogicalResult importSelectAndScatter(StablehloOp &op) {
  if (failed(op.checkOperands(3)))
    return failure();
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of another op";
  Value x = op.operand(0), source = op.operand(1), initial = op.operand(2);
  FailureOr<Windows> windows = readWindows(op, shapeOf(x), /*hasDilations=*/false);
  Reducer scatter(op, 1, 1, "C10");
  Block *select = op.body(0, 2);
  Type flag = RankedTensorType::get({}, op.getBuilder().getI1Type());
  if (failed(windows) || !select || failed(op.checkReturned(*select, flag, "C9")) ||
      failed(scatter.check(x)))
    return failure();
  if (elementTypeOf(source) != elementTypeOf(x) || rankOf(initial) != 0 ||
      elementTypeOf(initial) != elementTypeOf(x))
    return op.error() << "(C1, C3) expected operands of one element type and an initial value of "
                         "rank 0, found "
                      << x.getType() << ", " << source.getType() << " and " << initial.getType();
  if (shapeOf(source) != ArrayRef(windows->counts))
    return op.error() << "(C2) expected a source of shape [" << printList(windows->counts)
                      << "], found " << source.getType();
  Expressions e(op);
  SmallVector<Value> converted = scatter.convert({source});
  source = converted.front();
  initial = scatter.convert({initial}).front();
  Value result = e.expand(initial, shapeOf(x));
  if (llvm::is_contained(windows->counts, 0) || llvm::is_contained(shapeOf(x), 0))
    return op.results(result);
  int64_t positions = 1;
  for (int64_t size : windows->sizes)
    if ((positions *= size) > kMostWindow)
      return op.error() << "expected a window of at most " << kMostWindow << " elements, found "
                        << printList(windows->sizes, "x");
  Value place = makeSelected(op, x, *windows, positions);
  if (!place)
    return failure();
  bool isFirst = scatter.getKind() == BodyKind::Add && scatter.isNeutral({initial});
  SmallVector<int64_t> position(windows->rank(), 0);
  for (int64_t n = 0; n < positions; ++n) {
    // The elements at this place of all windows, where they are in the operand.
    PadCounts spread(windows->rank());
    for (int64_t i = 0; i < windows->rank(); ++i) {
      spread.low[i] = position[i] - windows->padding.low[i];
      spread.interior[i] = windows->strides[i] - 1;
      spread.high[i] =
          shapeOf(x)[i] - spread.low[i] - ((windows->counts[i] - 1) * windows->strides[i] + 1);
    }
    for (int64_t i = windows->rank() - 1; i >= 0 && ++position[i] == windows->sizes[i]; --i)
      position[i] = 0;
    Value isPlace = e.compare(ComparePredicate::EQ, place, static_cast<double>(n));
    if (scatter.getKind() == BodyKind::Add) {
      Value added = makePad(op, e.where(isPlace, source, 0.0), spread, 0.0);
      result = isFirst ? added : e.add(result, added);
      isFirst = false;
      continue;
    }
    Value isHere = makePad(op, isPlace, spread, 0.0), update = makePad(op, source, spread, 0.0);
    SmallVector<Value> combined = scatter.combine({result}, {update});
    if (combined.empty() || !isHere)
      return failure();
    result = e.where(isHere, combined.front(), result);
  }
  return op.results(result);
}

void mlir::ttc::registerStablehloWindowOps(StablehloRegistry &registry) {
  registry.add("reduce_window", importReduceWindow, OnComplex::Handled);
  registry.add("select_and_scatter", importSelectAndScatter, OnComplex::Refused,
               "windows of more than 4096 elements");
}
