// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which constants of different functions are equal. Functions of one module that were imported from
// one model compute with the same weights, and change them alike.
#ifndef TTC_ANALYSIS_CONSTANTNUMBERS_H
#define TTC_ANALYSIS_CONSTANTNUMBERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace mlir::ttc {

/// Numbers for values that are constants, or are computed from constants alone: two values of one
/// number have the same elements. (Values of different numbers may have, too: no element is
/// compared, only attributes and ops.)
class ConstantNumbers {
public:
  /// The number of `value`; nothing if it depends on more than constants. Ops must not change
  /// between calls.
  std::optional<int64_t> get(Value value);

private:
  using Key = std::vector<const void *>;

  DenseMap<Operation *, std::optional<int64_t>> byOp;
  std::map<Key, int64_t> byKey;
};

} // namespace mlir::ttc

#endif // TTC_ANALYSIS_CONSTANTNUMBERS_H
