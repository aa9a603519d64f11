// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Window.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Onnx/Core/OnnxRegistry.h"
#include "lib/Import/Tensors/Expressions.h"

#include "llvm/Support/MathExtras.h"

#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace mlir::ttc;

static LogicalResult checkSpatialRank(OnnxNode &node, Value x) {
  if (!x || (rankOf(x) >= 3 && rankOf(x) <= 5))
    return success(x);
  return node.error() << "expected the input to have 1 to 3 spatial dimensions, found "
                      << x.getType();
}

/// Lets a kernel that is wider than the padded operand end where that ends. With ceil mode, such a
/// window is valid, and no further element counts: classifiers have average pools of any width that
/// stand for global ones.
static void narrowKernel(Window &window, ArrayRef<int64_t> sizes) {
  for (auto [i, size] : llvm::enumerate(sizes)) {
    const int64_t padded = size + window.pads[i] + window.pads[sizes.size() + i];
    const int64_t room = padded - dilatedSize(window.kernel[i], window.dilations[i]);
    if (room < 0 && room > -window.strides[i])
      window.kernel[i] = (padded - 1) / window.dilations[i] + 1;
  }
}

template <typename OpTy>
static Value createPool(OnnxNode &node, Value x, SmallVector<NamedAttribute> attrs) {
  if (failed(checkSpatialRank(node, x)))
    return {};
  ArrayRef<int64_t> sizes = shapeOf(x).drop_front(2);
  FailureOr<Window> window = readWindow(node, sizes.size(), {});
  if (failed(window) || failed(resolveAutoPad(node, *window, sizes)))
    return {};
  if (node.getInt("ceil_mode", 0)) {
    attrs.push_back(node.flag("ceil_mode"));
    narrowKernel(*window, sizes);
  }
  attrs.push_back(node.attr("kernel", window->kernel));
  llvm::append_range(attrs, window->getAttrs(node));
  return node.create<OpTy>(x, attrs);
}

/// The number of windows along one axis. With ceil mode, a last window may extend past the end if
/// it starts inside the operand or the padding before it.
static int64_t countWindows(const Window &window, size_t axis, int64_t size, bool ceilMode) {
  const int64_t padded = size + window.pads[axis] + window.pads[window.kernel.size() + axis];
  const int64_t room = padded - dilatedSize(window.kernel[axis], window.dilations[axis]);
  if (room < 0)
    return 0;
  const int64_t stride = window.strides[axis];
  if (!ceilMode)
    return room / stride + 1;
  int64_t count = llvm::divideCeil(room, stride) + 1;
  return (count - 1) * stride >= size + window.pads[axis] ? count - 1 : count;
}

namespace {
/// Every element of all windows: its position in an image.
struct WindowTable {
  /// Windows, and elements of a window.
  int64_t windows = 1, taps = 1;
  /// Windows along each axis.
  SmallVector<int64_t> counts;
  /// `windows, taps`, in row-major and in column-major order. An element outside of the operand is
  /// replaced by one of the same window.
  SmallVector<int64_t> rowMajor, columnMajor;
};
} // namespace

/// Larger tables take long to write.
static constexpr int64_t kMostTableEntries = int64_t(1) << 26;

static FailureOr<WindowTable> getWindowTable(OnnxNode &node, const Window &window,
                                             ArrayRef<int64_t> sizes, bool ceilMode) {
  WindowTable table;
  const size_t rank = sizes.size();
  for (size_t i = 0; i < rank; ++i) {
    table.counts.push_back(countWindows(window, i, sizes[i], ceilMode));
    table.windows *= table.counts.back();
    table.taps *= window.kernel[i];
    if (table.counts.back() == 0 || table.windows > kMostTableEntries ||
        table.taps > kMostTableEntries || table.windows * table.taps > kMostTableEntries)
      return node.error() << "expected one to " << kMostTableEntries
                          << " elements of windows for the output Indices, found "
                          << printList(table.counts, " x ") << " windows of "
                          << printList(window.kernel, " x ");
  }
  for (int64_t index = 0; index < table.windows; ++index)
    for (int64_t tap = 0; tap < table.taps; ++tap) {
      int64_t restOfIndex = index, restOfTap = tap, rowMajor = 0, columnMajor = 0, stride = 1;
      for (size_t i = rank; i-- > 0;) {
        int64_t start = restOfIndex % table.counts[i] * window.strides[i] - window.pads[i];
        int64_t step = restOfTap % window.kernel[i], dilation = window.dilations[i];
        restOfIndex /= table.counts[i];
        restOfTap /= window.kernel[i];
        // The nearest tap inside, which every window has.
        int64_t first = start < 0 ? llvm::divideCeil(-start, dilation) : 0;
        int64_t last = (sizes[i] - 1 - start) / dilation;
        int64_t at = start + std::clamp(step, first, std::max(first, last)) * dilation;
        if (at >= sizes[i])
          return node.error() << "a window that lies in the padding has no Indices";
        rowMajor += at * stride;
        columnMajor = columnMajor * sizes[i] + at;
        stride *= sizes[i];
      }
      table.rowMajor.push_back(rowMajor);
      table.columnMajor.push_back(columnMajor);
    }
  return table;
}

/// The positions of the maxima in the whole tensor; with storage_order 1, as if the spatial
/// dimensions were stored in the reverse order.
static Value createMaxIndices(OnnxNode &node, const Window &window, bool ceilMode,
                              bool isColumnMajor) {
  Value x = node.input(0);
  ArrayRef<int64_t> sizes = shapeOf(x).drop_front(2);
  FailureOr<WindowTable> table = getWindowTable(node, window, sizes, ceilMode);
  if (failed(table))
    return {};
  const int64_t rows = shapeOf(x)[0] * shapeOf(x)[1], pixels = llvm::product_of(sizes);
  Expressions e(node);
  Type i64 = node.getBuilder().getI64Type();
  Value taken = e.gather(e.reshape(x, {rows, pixels}),
                         e.ints({table->windows, table->taps}, table->rowMajor, i64), 1);
  Value tap = node.create<ArgmaxOp>(taken, node.i64("axis", 2));
  Value firsts = e.mul(e.iota(table->windows, i64), static_cast<double>(table->taps));
  ArrayRef<int64_t> positions = isColumnMajor ? table->columnMajor : table->rowMajor;
  Value index =
      e.gather(e.ints(table->windows * table->taps, positions, i64), e.add(tap, firsts), 0);
  index = e.add(index, e.mul(e.iota(rows, 0, 2), static_cast<double>(pixels)));
  SmallVector<int64_t> shape(shapeOf(x).take_front(2));
  llvm::append_range(shape, table->counts);
  return e.reshape(index, shape);
}

static LogicalResult importMaxPool(OnnxNode &node) {
  const bool isColumnMajor = node.getInt("storage_order", 0);
  Value y = createPool<MaxPoolOp>(node, node.input(0), {});
  if (!y || !node.wantsOutput(1))
    return node.results(y);
  ArrayRef<int64_t> sizes = shapeOf(node.input(0)).drop_front(2);
  FailureOr<Window> window = readWindow(node, sizes.size(), {});
  if (failed(window) || failed(resolveAutoPad(node, *window, sizes)))
    return failure();
  return node.results(
      {y, createMaxIndices(node, *window, node.getInt("ceil_mode", 0), isColumnMajor)});
}

Value mlir::ttc::createAveragePool(OnnxNode &node, Value x) {
  SmallVector<NamedAttribute> attrs;
  if (node.getInt("count_include_pad", 0))
    attrs.push_back(node.flag("count_include_pad"));
  return createPool<AvgPoolOp>(node, x, attrs);
}

static LogicalResult importAveragePool(OnnxNode &node) {
  return node.results(createAveragePool(node, node.input(0)));
}

/// |x|^p and its inverse.
static Value raise(OnnxNode &node, Value x, int64_t p) {
  Expressions e(node);
  x = e.abs(x);
  if (p == 1)
    return x;
  return p == 2 ? e.mul(x, x) : node.create<PowOp>({x, e.number(x, static_cast<double>(p))});
}
static Value root(OnnxNode &node, Value x, int64_t p) {
  if (p == 1)
    return x;
  if (p == 2)
    return node.create<SqrtOp>(x);
  return node.create<PowOp>({x, node.scalarLike(x, 1 / static_cast<double>(p))});
}

static FailureOr<int64_t> readNorm(OnnxNode &node) {
  int64_t p = node.getInt("p", 2);
  if (p < 1)
    return node.error() << "attribute 'p' is " << p << " (supported: 1 and more)";
  return p;
}

/// The norm of each window. Sums are convolutions of every channel by itself, with weights of 1.
static LogicalResult importLpPool(OnnxNode &node) {
  Value x = node.input(0);
  FailureOr<int64_t> p = readNorm(node);
  if (failed(checkSpatialRank(node, x)) || failed(p))
    return failure();
  ArrayRef<int64_t> sizes = shapeOf(x).drop_front(2);
  FailureOr<Window> window = readWindow(node, sizes.size(), {});
  if (failed(window) || failed(resolveAutoPad(node, *window, sizes)))
    return failure();
  const bool ceilMode = node.getInt("ceil_mode", 0);
  const size_t rank = sizes.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = (countWindows(*window, i, sizes[i], ceilMode) - 1) * window->strides[i] +
                     dilatedSize(window->kernel[i], window->dilations[i]);
    window->pads[rank + i] = std::max(window->pads[rank + i], extent - sizes[i] - window->pads[i]);
  }
  Expressions e(node);
  Type elementType = elementTypeOf(x);
  const int64_t channels = shapeOf(x)[1];
  SmallVector<int64_t> weightShape = {channels, 1};
  llvm::append_range(weightShape, window->kernel);
  Type arithmetic = getArithmeticType(elementType);
  SmallVector<NamedAttribute> attrs = window->getAttrs(node);
  attrs.push_back(node.i64("groups", channels));
  Value powers = raise(node, node.cast(x, arithmetic), *p);
  Value sums = node.create<ConvOp>({powers, e.splat(weightShape, arithmetic, 1)}, attrs);
  return node.results(node.cast(root(node, sums, *p), elementType));
}

static LogicalResult importGlobalLpPool(OnnxNode &node) {
  Value x = node.input(0);
  FailureOr<int64_t> p = readNorm(node);
  if (failed(p))
    return failure();
  if (rankOf(x) < 3)
    return node.error() << "expected the input to have spatial dimensions, found " << x.getType();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, rankOf(x)));
  Type elementType = elementTypeOf(x);
  Value powers = raise(node, node.cast(x, getArithmeticType(elementType)), *p);
  Value sums = Expressions(node).sum(powers, axes, /*keepDims=*/true);
  return node.results(node.cast(root(node, sums, *p), elementType));
}

template <typename OpTy> static LogicalResult importGlobalPool(OnnxNode &node) {
  return node.results(node.create<OpTy>(node.input(0)));
}

void mlir::ttc::registerPoolingOps(OnnxRegistry &registry) {
  registry.add("AveragePool", {1, 1}, importAveragePool, {}, "1 to 3 spatial dimensions");
  registry.add("GlobalAveragePool", {1, 1}, importGlobalPool<GlobalAvgPoolOp>);
  registry.add("GlobalLpPool", {1, 1}, importGlobalLpPool);
  registry.add("GlobalMaxPool", {1, 1}, importGlobalPool<GlobalMaxPoolOp>);
  registry.add("LpPool", {1, 1}, importLpPool, {}, "1 to 3 spatial dimensions");
  registry.add("MaxPool", {1, 1}, importMaxPool, {}, "1 to 3 spatial dimensions");
}
