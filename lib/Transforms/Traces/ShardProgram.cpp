// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShardProgram.h"
#include "StridedOperands.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "ttrt/format/bundle_format.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;

using ValueDims = DenseMap<Value, SmallVector<int64_t>>;

/// From the result back to the arguments: the dimension of the result with which each dimension of
/// a value is partitioned.
static bool findDims(ProgramOp program, ArrayRef<int64_t> parts, ValueDims &values) {
  Block &block = program.getBody().front();
  Value result = block.getTerminator()->getOperand(0);
  SmallVector<int64_t> all;
  for (auto [i, count] : llvm::enumerate(parts))
    all.push_back(count == 1 ? -1 : static_cast<int64_t>(i));
  values[result] = all;
  for (Operation &op : llvm::drop_begin(llvm::reverse(block))) {
    if (op.getNumResults() != 1 || !values.contains(op.getResult(0)))
      return false;
    SmallVector<int64_t> own = values[op.getResult(0)];
    SmallVector<int64_t> ownParts =
        llvm::map_to_vector(own, [&](int64_t dim) { return dim < 0 ? 1 : parts[dim]; });
    SmallVector<SmallVector<int64_t>> partitions;
    if (!getOperandPartitions(&op, ownParts, partitions))
      return false;
    for (auto [operand, partition] : llvm::zip_equal(op.getOperands(), partitions)) {
      for (int64_t &dim : partition)
        dim = dim < 0 ? -1 : own[dim];
      auto [it, isNew] = values.try_emplace(operand, partition);
      // All readers must use the same part of a value.
      if (!isNew && it->second != partition)
        return false;
    }
  }
  return true;
}

static SmallVector<int64_t> wholeOf(Type type) {
  return SmallVector<int64_t>(cast<RankedTensorType>(type).getRank(), -1);
}

std::optional<ProgramPartition> mlir::ttc::partitionProgram(ProgramOp program,
                                                            ArrayRef<int64_t> parts) {
  if (!program.hasTensorBody() || program.getNumResults() != 1 || program.getShards())
    return std::nullopt;
  auto type = cast<RankedTensorType>(program.getResultTypes()[0]);
  for (auto [size, count] : llvm::zip_equal(type.getShape(), parts))
    if (size % count != 0)
      return std::nullopt;
  ValueDims values;
  if (!findDims(program, parts, values))
    return std::nullopt;
  ProgramPartition partition{SmallVector<int64_t>(parts), {}};
  for (Value argument : program.getBody().getArguments()) {
    auto it = values.find(argument);
    partition.dims.push_back(it == values.end() ? wholeOf(argument.getType()) : it->second);
  }
  partition.dims.push_back(values[program.getBody().front().getTerminator()->getOperand(0)]);
  return partition;
}

static RankedTensorType partOf(RankedTensorType type, ArrayRef<int64_t> partition,
                               ArrayRef<int64_t> parts) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, partition))
    if (dim >= 0)
      size /= parts[dim];
  return RankedTensorType::get(shape, type.getElementType());
}

/// Gives every value in the body the type of its part.
static void narrowBody(ProgramOp program, ArrayRef<int64_t> parts) {
  ValueDims values;
  bool found = findDims(program, parts, values);
  assert(found && "partitioned before");
  (void)found;
  for (auto &[value, partition] : values)
    Value(value).setType(partOf(tensorType(value), partition, parts));
  for (auto constant : program.getBody().front().getOps<ConstantOp>()) {
    auto type = cast<RankedTensorType>(constant.getOutput().getType());
    if (constant.getValue().getType() != type)
      constant.setValueAttr(
          DenseElementsAttr::get(type, constant.getValue().getSplatValue<Attribute>()));
  }
}

/// The strided layout of a part within its shard, or within the whole tensor; null if it is
/// contiguous.
static FailureOr<StridedAttr> getPartStrided(RankedTensorType whole, ArrayRef<int64_t> parts) {
  SmallVector<int64_t> shards = *getShardParts(whole), shape, finer;
  for (auto [size, count, shard] : llvm::zip_equal(whole.getShape(), parts, shards)) {
    shape.push_back(size / shard);
    finer.push_back(count / shard);
  }
  std::optional<StridedRange> rows = getBoxRange(shape, finer);
  if (!rows)
    return failure();
  if (rows->isContiguous())
    return StridedAttr();
  int64_t element = getTensorBytes(whole) / whole.getNumElements();
  int64_t bits =
      rows->row * element | rows->pitch * element | static_cast<int64_t>(ttrt::kBufferAlignment);
  return StridedAttr::get(whole.getContext(), rows->row, rows->pitch, bits & -bits);
}

ProgramOp mlir::ttc::makePartProgram(ProgramOp program, const ProgramPartition &partition,
                                     ArrayRef<RankedTensorType> wholes) {
  ProgramOp made = program.clone();
  // The grid: the partitioned dimensions of the result.
  SmallVector<int64_t> grid, gridDim;
  for (int64_t count : partition.parts) {
    gridDim.push_back(count == 1 ? -1 : static_cast<int64_t>(grid.size()));
    if (count != 1)
      grid.push_back(count);
  }
  narrowBody(made, partition.parts);
  // Its sizes are those of the whole.
  made.removeResultAttr(0, StringAttr::get(made.getContext(), kWithinAttrName));
  SmallVector<Type> arguments(made.getBody().getArgumentTypes());
  Type result = made.getBody().front().getTerminator()->getOperand(0).getType();
  made.setFunctionType(FunctionType::get(made.getContext(), arguments, {result}));
  made.setShards(grid);
  for (auto [i, whole] : llvm::enumerate(wholes)) {
    SmallVector<int64_t> parts = partition.getParts(i);
    bool isPartitioned = llvm::any_of(parts, [](int64_t count) { return count != 1; });
    if (!isPartitioned && !getShardedLayout(whole))
      continue;
    SmallVector<int64_t> gridDims = llvm::map_to_vector(
        partition.dims[i], [&](int64_t dim) { return dim < 0 ? -1 : gridDim[dim]; });
    made.setShard(i, ShardAttr::get(made.getContext(), whole, gridDims));
    FailureOr<StridedAttr> rows = getPartStrided(whole, parts);
    int64_t count = cast<RankedTensorType>(made.getOperandType(i)).getNumElements();
    if (failed(rows) ||
        (*rows &&
         !acceptsStrided(made, i, StridedRange{0, count, (*rows).getRow(), (*rows).getPitch()}))) {
      made.erase();
      return {};
    }
    if (*rows)
      made.setStrided(i, *rows);
  }
  return made;
}
