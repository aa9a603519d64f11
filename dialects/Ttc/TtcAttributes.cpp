// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/TtcAttributes.h"
#include "dialects/Ttc/Layout/Shards.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ttc;

#include "dialects/Ttc/TtcEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Ttc/TtcAttributes.cpp.inc"

void TtcDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Ttc/TtcAttributes.cpp.inc"
      >();
}

//===--- layout -----------------------------------------------------------------------===//

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, MemorySpace memory,
                                 Sharding sharding, ArrayRef<int64_t> grid) {
  bool isSharded = sharding != Sharding::Interleaved;
  if (isSharded && memory == MemorySpace::Host)
    return emitError() << "(C1) expected a sharded layout in l1 or dram, found "
                       << stringifyMemorySpace(memory);
  if (isSharded && memory == MemorySpace::Dram) {
    if (sharding != Sharding::HeightSharded)
      return emitError() << "(C1) expected height_sharded in dram, found "
                         << stringifySharding(sharding);
    if (grid.empty())
      return emitError() << "(C1) expected a grid of a sharded layout in dram, found none";
  }
  if (grid.empty())
    return success();
  if (!isSharded)
    return emitError() << "(C2) expected a grid of a sharded layout only, found [" << grid << "]";
  if (grid.size() != 2 || grid[0] < 1 || grid[1] < 1)
    return emitError() << "(C2) expected a grid of rows and columns, at least 1 each, found ["
                       << grid << "]";
  if (sharding == Sharding::HeightSharded && grid[1] != 1)
    return emitError()
           << "(C3) expected one column of shards where the height is partitioned, found [" << grid
           << "]";
  if (sharding == Sharding::WidthSharded && grid[0] != 1)
    return emitError() << "(C3) expected one row of shards where the width is partitioned, found ["
                       << grid << "]";
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (!hasGrid() || getShardParts(shape, getGrid()[0], getGrid()[1]))
    return success();
  return emitError() << "(C4) expected a shape that a grid of [" << getGrid()
                     << "] partitions into equal boxes, found [" << shape << "]";
}

//===--- shard ------------------------------------------------------------------------===//

LogicalResult ShardAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                RankedTensorType whole, ArrayRef<int64_t> partition) {
  if (static_cast<int64_t>(partition.size()) != whole.getRank())
    return emitError() << "(C1) expected a partition of each of " << whole.getRank()
                       << " dimensions, found [" << partition << "]";
  for (auto [i, dim] : llvm::enumerate(partition)) {
    if (dim < -1)
      return emitError() << "(C1) expected a partition of -1 or more in each dimension, found ["
                         << partition << "]";
    if (dim != -1 && llvm::is_contained(partition.drop_front(i + 1), dim))
      return emitError() << "(C2) expected no two dimensions to have the same partition, found ["
                         << partition << "]";
  }
  if (LayoutAttr layout = getShardedLayout(whole); layout && !layout.hasGrid())
    return emitError() << "(C3) expected a sharded whole with a grid, found " << whole;
  return success();
}

LayoutAttr ShardAttr::getLayout() const { return getShardedLayout(getWhole()); }

SmallVector<int64_t> ShardAttr::getParts(ArrayRef<int64_t> grid) const {
  return llvm::map_to_vector(getPartition(), [&](int64_t dim) { return dim < 0 ? 1 : grid[dim]; });
}

bool ShardAttr::isOwn(ArrayRef<int64_t> grid) const {
  LayoutAttr layout = getLayout();
  if (!layout || layout.getNumShards() != llvm::product_of(grid) ||
      ArrayRef(getParts(grid)) != ArrayRef(*getShardParts(getWhole())))
    return false;
  // Workgroups in the order of the parts.
  int64_t last = -1;
  for (int64_t dim : getPartition()) {
    if (dim < 0 || grid[dim] == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

//===--- strided ----------------------------------------------------------------------===//

LogicalResult StridedAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t row,
                                  int64_t pitch, int64_t alignment) {
  if (row < 1 || pitch < row)
    return emitError() << "(C1) expected 'row' of at least 1 and 'pitch' of at least 'row', found "
                       << row << " and " << pitch;
  if (alignment < 1 || !llvm::isPowerOf2_64(alignment))
    return emitError() << "(C1) expected an alignment that is a power of two, found " << alignment;
  return success();
}

std::optional<SmallVector<int64_t>> StridedAttr::getStrides(ArrayRef<int64_t> shape) const {
  return getRowStrides(shape, getRow(), getPitch());
}

int64_t StridedAttr::getSpan(int64_t count) const {
  return StridedRange{0, count, getRow(), getPitch()}.getSpan();
}
