// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that compute one shard.
#ifndef TTC_LIB_TRANSFORMS_SHARDPROGRAM_H
#define TTC_LIB_TRANSFORMS_SHARDPROGRAM_H

#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/TtcOps.h"

namespace mlir::ttc {

/// How a program of one result is cut when that is: `parts` of each dimension of the result, and
/// for each operand (arguments, then the result) the result's dimension along which each of its
/// dimensions is cut, or -1.
struct ProgramCut {
  SmallVector<int64_t> parts;
  SmallVector<SmallVector<int64_t>> cuts;

  /// Into how many parts each dimension of an operand is cut.
  SmallVector<int64_t> getParts(unsigned operand) const {
    return llvm::map_to_vector(cuts[operand],
                               [&](int64_t cut) { return cut < 0 ? 1 : parts[cut]; });
  }
};

/// Nothing where some op of the program cannot be cut that way (getOperandCuts()).
std::optional<ProgramCut> cutProgram(ProgramOp program, ArrayRef<int64_t> parts);

/// The program for one part, as a program on shards that stands nowhere yet: `wholes` are the
/// operands (arguments, then the result) as they lie. Null where one of them lies so that the
/// program cannot follow its rows.
ProgramOp makePartProgram(ProgramOp program, const ProgramCut &cut,
                          ArrayRef<RankedTensorType> wholes);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_SHARDPROGRAM_H
