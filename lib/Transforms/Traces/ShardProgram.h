// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that compute one shard.
#ifndef TTC_LIB_TRANSFORMS_SHARDPROGRAM_H
#define TTC_LIB_TRANSFORMS_SHARDPROGRAM_H

#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/Programs/ProgramOps.h"

namespace mlir::ttc {

/// How a program with one result is partitioned: the number of parts of each dimension of the
/// result and, for each operand (arguments, then the result) and each of its dimensions, the
/// dimension of the result with which it is partitioned, or -1.
struct ProgramPartition {
  SmallVector<int64_t> parts;
  SmallVector<SmallVector<int64_t>> dims;

  /// The number of parts of each dimension of an operand.
  SmallVector<int64_t> getParts(unsigned operand) const {
    return llvm::map_to_vector(dims[operand],
                               [&](int64_t dim) { return dim < 0 ? 1 : parts[dim]; });
  }
};

/// Returns nothing if an op of the program cannot be partitioned that way (getOperandPartitions()).
std::optional<ProgramPartition> partitionProgram(ProgramOp program, ArrayRef<int64_t> parts);

/// The program for one part, which is not inserted anywhere yet. `wholes` are the types of the
/// whole operands (arguments, then the result). Null if the program does not support the strided
/// layout of one of them.
ProgramOp makePartProgram(ProgramOp program, const ProgramPartition &partition,
                          ArrayRef<RankedTensorType> wholes);

} // namespace mlir::ttc

#endif // TTC_LIB_TRANSFORMS_SHARDPROGRAM_H
