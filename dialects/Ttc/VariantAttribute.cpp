// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variants of a model, and the valid sizes of their ports.
#include "dialects/Ttc/Layout/ValidSize.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ttc;

template <typename T> static std::string text(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

LogicalResult VariantAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef of,
                                  ArrayRef<StringAttr> dims, ArrayRef<int64_t> low,
                                  ArrayRef<int64_t> high, ArrayRef<int64_t> step) {
  if (of.empty())
    return emitError() << "(C1) expected the name of a model, found none";
  if (dims.empty())
    return emitError() << "(C1) expected at least one dimension, found none";
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim.empty() || llvm::is_contained(dims.drop_front(i + 1), dim))
      return emitError() << "(C1) expected distinct names of dimensions, found " << dim
                         << (dim.empty() ? "" : " twice");
  if (low.size() != dims.size() || high.size() != dims.size() ||
      (!step.empty() && step.size() != dims.size()))
    return emitError() << "(C2) expected bounds of each of " << dims.size()
                       << " dimensions, found low = [" << low << "], high = [" << high
                       << "] and step = [" << step << "]";
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t unit = step.empty() ? 1 : step[i];
    if (low[i] < 0 || high[i] < std::max<int64_t>(low[i], 1) || high[i] > INT32_MAX || unit < 1 ||
        low[i] % unit != 0 || high[i] % unit != 0)
      return emitError() << "(C2) expected bounds of " << dim
                         << " from 0 to 2147483647 that are multiples of the step, found " << low[i]
                         << " to " << high[i] << " by " << unit;
  }
  return success();
}

RankedTensorType VariantAttr::getExtentsType() const {
  return RankedTensorType::get(getNumDims(), IntegerType::get(getContext(), 32));
}

LogicalResult VariantAttr::verifyDims(AffineMap dims, ShapedType type,
                                      function_ref<InFlightDiagnostic()> emitError) const {
  if (dims.getNumDims() != 0 || dims.getNumSymbols() != getNumDims() || !type.hasRank() ||
      dims.getNumResults() != type.getRank())
    return emitError() << "(D1) expected '" << kDimsAttrName << "' to map " << getNumDims()
                       << " symbols to the dimensions of " << type << ", found " << text(dims);
  for (auto [i, expr] : llvm::enumerate(dims.getResults())) {
    std::optional<ValidSize> size = ValidSize::get(expr, getNumDims());
    auto fits = [](int64_t number) { return 0 <= number && number <= INT32_MAX; };
    auto isWritable = [&](const ValidSize &part) {
      return fits(part.divisor) && llvm::all_of(part.multipliers, fits);
    };
    auto isPositive = [&](const ValidSize::Product &product) {
      return product.times > 0 && llvm::all_of(product.factors, isWritable);
    };
    if (!size || !isWritable(*size) || !llvm::all_of(size->products, isPositive))
      return emitError() << "(D2) expected a sum of multiples, products and quotients, found "
                         << text(expr);
    std::optional<int64_t> most = size->at(getHigh()), least = size->at(getLow());
    if (!most || *most != type.getDimSize(i) || !least || *least < 0)
      return emitError() << "(D3) expected a size of " << type.getDimSize(i) << " in dimension "
                         << i << " at the extents [" << getHigh() << "], and of at least 0 at ["
                         << getLow() << "], found " << text(expr);
  }
  return success();
}
