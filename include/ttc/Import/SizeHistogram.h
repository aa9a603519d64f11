// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of requests that a user has had: a CSV file, for --dims-from.
#ifndef TTC_IMPORT_SIZEHISTOGRAM_H
#define TTC_IMPORT_SIZEHISTOGRAM_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <string>
#include <vector>

namespace mlir::ttc {

/// How often each choice of sizes was requested.
struct SizeHistogram {
  std::vector<std::string> dims; ///< names of dimensions, as the columns of the file
  std::map<std::vector<int64_t>, int64_t> counts; ///< one size for each of `dims`

  bool empty() const { return counts.empty(); }
  /// Some of the dimensions, under other names.
  SizeHistogram select(ArrayRef<std::pair<size_t, std::string>> columns) const;
  /// The different sizes of a dimension, ascending.
  SmallVector<int64_t> getSizes(size_t dim) const;
};

/// Parses lines of comma-separated values. The first names the dimensions; each of the others has
/// the sizes of a request, or of as many as its column `count` says. Returns an error message, or
/// an empty string.
std::string parseSizeHistogram(StringRef text, SizeHistogram &histogram);

} // namespace mlir::ttc

#endif // TTC_IMPORT_SIZEHISTOGRAM_H
