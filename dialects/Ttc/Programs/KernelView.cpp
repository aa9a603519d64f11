// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strided views of kernel operands, and how transposes, slices and reshapes compose with them.
#include "dialects/Ttc/Programs/KernelParams.h"
#include "dialects/Ttc/TtcAttributes.h"

using namespace mlir;
using namespace mlir::ttc;

LogicalResult ViewAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, int64_t offset) {
  if (shape.size() != strides.size())
    return emitError() << "(C1) expected as many strides as dimensions (" << shape.size()
                       << "), found " << strides.size();
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return emitError() << "(C1) expected sizes of 0 or more, found [" << shape << "]";
  return success();
}

ViewAttr ViewAttr::getIdentity(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t i = type.getRank() - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * type.getDimSize(i + 1);
  return get(type.getContext(), type.getShape(), strides, 0);
}

ViewAttr ViewAttr::transposed(ArrayRef<int64_t> permutation) const {
  SmallVector<int64_t> shape, strides;
  for (int64_t source : permutation) {
    shape.push_back(getShape()[source]);
    strides.push_back(getStrides()[source]);
  }
  return get(getContext(), shape, strides, getOffset());
}

ViewAttr ViewAttr::sliced(ArrayRef<int64_t> starts, ArrayRef<int64_t> sizes,
                          ArrayRef<int64_t> steps) const {
  SmallVector<int64_t> strides(getStrides());
  int64_t offset = getOffset();
  for (auto [i, start] : llvm::enumerate(starts)) {
    offset += start * strides[i];
    strides[i] *= steps[i];
  }
  return get(getContext(), sizes, strides, offset);
}

ViewAttr ViewAttr::reshaped(ArrayRef<int64_t> newShape) const {
  if (llvm::product_of(newShape) != llvm::product_of(getShape()))
    return {};
  // Walk both shapes from the inside: each group of old dimensions that covers a group of new
  // ones must itself be evenly strided.
  SmallVector<int64_t> strides(newShape.size(), 0);
  int64_t from = getRank() - 1, to = static_cast<int64_t>(newShape.size()) - 1;
  while (from >= 0 || to >= 0) {
    while (from >= 0 && getShape()[from] == 1)
      --from;
    if (from < 0) {
      // Only unit dimensions are left; their stride is never used.
      for (; to >= 0; --to)
        strides[to] = 0;
      break;
    }
    int64_t have = getShape()[from], stride = getStrides()[from], made = 1;
    while (made < have || (to >= 0 && newShape[to] == 1)) {
      if (to < 0)
        return {};
      strides[to] = made * stride;
      made *= newShape[to--];
      while (made > have) {
        // The new dimensions reach into the next old one: it has to continue this one.
        if (--from < 0)
          return {};
        if (getShape()[from] == 1)
          continue;
        if (getStrides()[from] != have * stride)
          return {};
        have *= getShape()[from];
      }
    }
    if (made != have)
      return {};
    --from;
  }
  return get(getContext(), newShape, strides, getOffset());
}

ViewAttr ViewAttr::inStrided(StridedAttr rows) const {
  return rows ? inStrided(rows.getRow(), rows.getPitch()) : *this;
}

ViewAttr ViewAttr::inStrided(int64_t row, int64_t pitch) const {
  SmallVector<int64_t> strides(getStrides());
  int64_t column = getOffset() % row, first = column, last = column;
  for (auto [size, stride] : llvm::zip_equal(getShape(), strides)) {
    if (size == 1)
      continue;
    if (stride % row == 0)
      stride = stride / row * pitch;
    else
      (stride < 0 ? first : last) += (size - 1) * stride;
  }
  if (first < 0 || last >= row)
    return {};
  return get(getContext(), getShape(), strides, getOffset() / row * pitch + column);
}

SmallVector<BatchDim> mlir::ttc::getMergedBatch(ArrayRef<ViewAttr> views) {
  const ViewAttr result = views.back();
  const int64_t rank = result.getRank();
  SmallVector<BatchDim> batch;
  for (int64_t i = 0; i < rank - 2; ++i) {
    BatchDim dim{result.getShape()[i], {}};
    if (dim.size == 1)
      continue;
    for (ViewAttr view : views) {
      const int64_t at = view ? i - (rank - view.getRank()) : -1;
      dim.strides.push_back(at < 0 || view.getShape()[at] == 1 ? 0 : view.getStrides()[at]);
    }
    if (!batch.empty() &&
        llvm::all_of_zip(batch.back().strides, dim.strides,
                         [&](int64_t outer, int64_t inner) { return outer == dim.size * inner; })) {
      dim.size *= batch.back().size;
      batch.back() = std::move(dim);
    } else {
      batch.push_back(std::move(dim));
    }
  }
  return batch;
}

SmallVector<SmallVector<int64_t>> mlir::ttc::getDividingDims(ViewAttr view, RankedTensorType type) {
  SmallVector<int64_t> order; // innermost last
  for (int64_t i = 0; i < view.getRank(); ++i)
    if (view.getShape()[i] > 1)
      order.push_back(i);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::pair(-view.getStrides()[a], a) < std::pair(-view.getStrides()[b], b);
  });
  SmallVector<SmallVector<int64_t>> dims(type.getRank());
  int64_t step = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    const int64_t size = type.getDimSize(dim), whole = step * size;
    // What is further inside must not reach into the next element of this dimension.
    int64_t inner = view.getOffset() % step, expected = step;
    bool divides = size > 1 && view.getOffset() / step % size == 0;
    for (int64_t i : llvm::reverse(order)) {
      const int64_t stride = view.getStrides()[i], extent = view.getShape()[i];
      divides &= stride >= 0;
      if (stride < step) {
        inner += (extent - 1) * stride;
      } else if (stride < whole) {
        divides &= stride == expected;
        expected *= extent;
        dims[dim].push_back(i);
      }
    }
    if (!divides || inner >= step || expected != whole)
      dims[dim].clear();
    std::reverse(dims[dim].begin(), dims[dim].end());
    step = whole;
  }
  return dims;
}

SmallVector<BoundedFactors> mlir::ttc::boundView(ViewAttr view, RankedTensorType type,
                                                 ArrayRef<BoundedFactors> dims) {
  SmallVector<BoundedFactors> bounded;
  for (int64_t size : view.getShape())
    bounded.push_back({BoundedFactor{size, {}}});
  for (auto [factors, dividing] : llvm::zip_equal(dims, getDividingDims(view, type))) {
    BoundedFactors left = factors;
    for (int64_t dim : dividing) {
      std::optional<BoundedFactors> own = takeFactors(left, view.getShape()[dim]);
      if (!own)
        break;
      bounded[dim] = std::move(*own);
    }
  }
  return bounded;
}

BoundedFactors mlir::ttc::boundBatch(BoundedFactors &left, ArrayRef<int64_t> sizes) {
  BoundedFactors bounds;
  for (int64_t size : sizes) {
    std::optional<BoundedFactors> own = takeFactors(left, size);
    if (own)
      *own = mergeFactors(*own);
    bounds.push_back(own && own->size() == 1 ? own->front() : BoundedFactor{size, {}});
  }
  return bounds;
}

bool mlir::ttc::boundImage(ArrayRef<BoundedFactors> dims, BoundedFactors &bounds) {
  auto asOne = [](ArrayRef<BoundedFactors> parts) {
    BoundedFactors all;
    int64_t size = 1;
    for (const BoundedFactors &factors : parts)
      for (const BoundedFactor &factor : factors) {
        all.push_back(factor);
        size *= factor.size;
      }
    all = mergeFactors(all);
    return all.size() == 1 ? all.front() : BoundedFactor{size, {}};
  };
  const size_t pixels = dims.size() - 2;
  BoundedFactors found{asOne(dims.take_front()), asOne(dims.slice(1, pixels - 1)),
                       asOne(dims.slice(pixels, 1))};
  if (areWhole(found))
    return false;
  bounds.append(found);
  return true;
}

bool mlir::ttc::canFollowRows(ViewAttr view, ViewAttr result, const StridedRange &rows) {
  ViewAttr stored = view.inStrided(rows.row, rows.pitch);
  if (!stored)
    return false;
  auto batch = result.getShape().drop_back(2);
  if (batch.size() - llvm::count(batch, 1) <= 3)
    return true;
  auto merges = [](ViewAttr of, int64_t outer, int64_t inner) {
    return of.getStrides()[outer] == of.getShape()[inner] * of.getStrides()[inner];
  };
  int64_t inner = -1;
  for (int64_t i = view.getRank() - 2; i >= 0; --i) {
    if (view.getShape()[i] == 1)
      continue;
    if (inner >= 0 && merges(view, i, inner) && !merges(stored, i, inner))
      return false;
    inner = i;
  }
  return true;
}

bool ViewAttr::isIdentity(RankedTensorType type) const {
  if (getShape() != type.getShape() || getOffset() != 0)
    return false;
  int64_t expected = 1;
  for (int64_t i = getRank() - 1; i >= 0; --i) {
    if (getShape()[i] != 1 && getStrides()[i] != expected)
      return false;
    expected *= getShape()[i];
  }
  return true;
}
