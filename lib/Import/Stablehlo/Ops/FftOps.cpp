// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms of up to three dimensions.
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"
#include "lib/Import/Tensors/FourierTransform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {
enum class Transform { Complex, ToComplex, ToReal };
} // namespace

/// How many numbers of a spectrum of real numbers are kept.
static int64_t getHalf(int64_t length) { return length == 0 ? 0 : length / 2 + 1; }

/// Transforms one dimension of numbers whose parts are in the last dimension, to `length` numbers.
static Value transformDim(StablehloOp &op, Value x, int64_t dim, int64_t length, bool isInverse,
                          Transform kind) {
  if (!x)
    return {};
  Expressions e(op);
  const int64_t rank = rankOf(x);
  SmallVector<int64_t> order;
  for (int64_t i : llvm::seq<int64_t>(0, rank))
    if (i != dim && i != rank - 1)
      order.push_back(i);
  order.append({dim, rank - 1});
  SmallVector<int64_t> inverse(rank), shape;
  for (auto [place, from] : llvm::enumerate(order)) {
    inverse[from] = static_cast<int64_t>(place);
    shape.push_back(shapeOf(x)[from]);
  }
  const int64_t rows = llvm::product_of(ArrayRef(shape).drop_back(2));
  const int64_t parts = shape[rank - 1], size = shape[rank - 2];
  x = e.reshape(e.transpose(x, order), {rows, size, parts});
  if (kind == Transform::ToReal)
    x = mirrorSpectrum(op, x, length);
  const int64_t results = kind == Transform::ToComplex ? length / 2 + 1 : length;
  Value y = FourierTransform(op, isInverse).apply(x, results, kind == Transform::ToReal);
  if (isInverse)
    y = e.mul(y, 1.0 / static_cast<double>(length));
  shape[rank - 2] = results;
  shape[rank - 1] = kind == Transform::ToReal ? 1 : 2;
  return e.transpose(e.reshape(y, shape), inverse);
}

static LogicalResult importFft(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  StringRef kind = op.getEnum("fft_type", "fft_type");
  SmallVector<int64_t> lengths = op.getInts("fft_length");
  if (op.hasFailed())
    return failure();
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of a reduction or a sort";
  const bool isInverse = kind == "IFFT" || kind == "IRFFT";
  const bool isToReal = kind == "IRFFT", isFromReal = kind == "RFFT";
  if (kind != "FFT" && kind != "IFFT" && !isToReal && !isFromReal)
    return op.error() << "expected fft_type to be FFT, IFFT, RFFT or IRFFT, found " << kind;
  Value x = op.operand(0);
  SmallVector<int64_t> shape(shapeOf(op.realOf(x)));
  const auto rank = static_cast<int64_t>(shape.size());
  const auto count = static_cast<int64_t>(lengths.size());
  if (count < 1 || count > 3 || count > rank)
    return op.error() << "(C1, C3) expected fft_length to have 1 to 3 elements, no more than "
                      << x.getType() << " has dimensions, found [" << printList(lengths) << "]";
  if (op.isComplex(x) == isFromReal)
    return op.error() << "(C2) expected " << (isFromReal ? "real" : "complex")
                      << " numbers for fft_type " << kind;
  for (auto [i, length] : llvm::enumerate(lengths)) {
    const int64_t size = shape[rank - count + static_cast<int64_t>(i)];
    const bool isHalf = isToReal && static_cast<int64_t>(i) == count - 1;
    if (length < 0 || length > kLongestTransform || size != (isHalf ? getHalf(length) : length))
      return op.error() << cite(isToReal     ? "C4, C5"
                                : isFromReal ? "C4"
                                             : "")
                        << "expected fft_length to be the sizes of the last dimensions, at most "
                        << kLongestTransform << ", found [" << printList(lengths) << "] for shape ["
                        << printList(shape) << "]";
  }
  SmallVector<int64_t> expected(shape);
  if (isFromReal)
    expected.back() = getHalf(shape.back());
  else if (isToReal)
    expected.back() = lengths.back();
  RankedTensorType type = op.resultType();
  if (type.getShape() != ArrayRef(expected))
    return op.error() << "(C5) expected a result of shape [" << printList(expected) << "], found "
                      << type;
  Expressions e(op);
  auto getEmpty = [&] { return e.splat(type.getShape(), type.getElementType(), 0); };
  if (type.getNumElements() == 0 || llvm::is_contained(shape, 0)) {
    Value empty = getEmpty();
    return op.results(isToReal ? empty : op.complex(empty, getEmpty()));
  }

  if (op.isComplex(x))
    x = e.concat({e.unsqueeze(op.realOf(x), rank), e.unsqueeze(op.imaginaryOf(x), rank)}, rank);
  else
    x = e.unsqueeze(x, rank);
  // The last dimension is the one of which real numbers need only half; it is the first to be
  // transformed, and the last on the way back.
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(rank - count, rank));
  if (!isToReal)
    std::reverse(dims.begin(), dims.end());
  for (int64_t dim : dims) {
    const bool isLast = dim == rank - 1;
    x = transformDim(op, x, dim, lengths[dim - (rank - count)], isInverse,
                     isLast && isFromReal ? Transform::ToComplex
                     : isLast && isToReal ? Transform::ToReal
                                          : Transform::Complex);
  }
  if (isToReal)
    return op.results(e.squeeze(x, rank));
  return op.results(op.complex(e.take(x, rank, 0), e.take(x, rank, 1)));
}

void mlir::ttc::registerStablehloFftOps(StablehloRegistry &registry) {
  registry.add("fft", importFft, OnComplex::Handled, "lengths of more than 2^24");
}
