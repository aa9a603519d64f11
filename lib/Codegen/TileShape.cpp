// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TileShape.h"
#include "kernels/Budgets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// Elements that a tile of several ops computes: its intermediate values stay in the first
/// level cache. A tile of one op has none, it only has to be large against the loop around it.
constexpr int64_t kFusedTileWork = 4 * 1024;
constexpr int64_t kSingleTileWork = 16 * 1024;
/// Tiles are not cut narrower than this along contiguous elements.
constexpr int64_t kMinRow = 64;
/// Rows of fewer elements than this are not worth a tile that is as wide as it is high.
constexpr int64_t kLeastTransposed = 16;

constexpr int64_t kNone = -1;

/// A producer as the root reads it: the root's dimension that each of its loops follows.
struct Reach {
  linalg::LinalgOp op;
  SmallVector<int64_t> follows;
  int64_t cost;
};

int64_t iterations(linalg::LinalgOp op) {
  int64_t count = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    count *= extent;
  return count;
}

int64_t opCost(linalg::LinalgOp op) { return iterations(op) * bodyCost(op); }

/// Every producer that tile-by-tile computation would reach from the root, once for each way.
SmallVector<Reach> reachedFrom(linalg::LinalgOp root) {
  SmallVector<Reach> reached;
  reached.push_back(
      {root, llvm::to_vector(llvm::seq<int64_t>(0, root.getNumLoops())), opCost(root)});
  for (size_t at = 0; at < reached.size(); ++at) {
    linalg::LinalgOp op = reached[at].op;
    SmallVector<int64_t> follows = reached[at].follows;
    for (OpOperand &operand : op->getOpOperands()) {
      auto producer = operand.get().getDefiningOp<linalg::LinalgOp>();
      if (!producer)
        continue;
      unsigned number = cast<OpResult>(operand.get()).getResultNumber();
      AffineMap read = op.getMatchingIndexingMap(&operand);
      AffineMap written = producer.getMatchingIndexingMap(producer.getDpsInitOperand(number));
      SmallVector<int64_t> producerFollows(producer.getNumLoops(), kNone);
      for (auto [readExpr, writtenExpr] :
           llvm::zip_equal(read.getResults(), written.getResults())) {
        auto from = dyn_cast<AffineDimExpr>(readExpr);
        auto to = dyn_cast<AffineDimExpr>(writtenExpr);
        if (from && to)
          producerFollows[to.getPosition()] = follows[from.getPosition()];
      }
      bool isNew = llvm::none_of(reached, [&](const Reach &other) {
        return other.op == producer && other.follows == producerFollows;
      });
      if (isNew)
        reached.push_back({producer, producerFollows, opCost(producer)});
    }
  }
  return reached;
}

/// The root's dimension along which the elements of a transposed operand are contiguous, if those
/// of the result are along `last`: of the operand that all reached ops read most of.
int64_t findTransposed(ArrayRef<Reach> reached, ArrayRef<int64_t> extents, int64_t last) {
  int64_t found = kNone, most = 0;
  for (const Reach &reach : reached) {
    linalg::LinalgOp op = reach.op;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (operand->get().getDefiningOp<linalg::LinalgOp>() || map.getNumResults() < 2)
        continue;
      SmallVector<int64_t> dims; // innermost first
      for (AffineExpr expr : llvm::reverse(map.getResults())) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        const int64_t of = dim ? reach.follows[dim.getPosition()] : kNone;
        if (of != kNone && extents[of] == 1)
          continue;
        dims.push_back(of);
      }
      // It has the result's rows, too, and is not a row that is read again and again.
      if (dims.empty() || dims.front() == kNone || dims.front() == last ||
          !llvm::is_contained(dims, last))
        continue;
      int64_t size = 1;
      for (int64_t dim : dims)
        size *= dim == kNone ? 1 : extents[dim];
      if (size > most) {
        most = size;
        found = dims.front();
      }
    }
  }
  return found;
}

/// What computing these ops and everything before them costs.
int64_t costUpTo(ArrayRef<Operation *> ops) {
  SmallVector<Operation *> worklist(ops);
  llvm::SmallPtrSet<Operation *, 16> seen(ops.begin(), ops.end());
  int64_t cost = 0;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      cost += opCost(linalgOp);
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *definition = operand.getDefiningOp();
            definition && definition->getBlock() == op->getBlock() &&
            seen.insert(definition).second)
          worklist.push_back(definition);
    });
  }
  return cost;
}

/// Values that bodies read at computed places, not through an indexing map.
void capturedProducers(linalg::LinalgOp op, SmallVectorImpl<Operation *> &producers) {
  op->walk([&](tensor::ExtractOp extract) {
    if (Operation *definition = extract.getTensor().getDefiningOp();
        definition && definition->getBlock() == op->getBlock())
      producers.push_back(definition);
  });
}

/// The largest divisor of `extent` up to `wanted` when it is not much smaller than that.
int64_t tileNear(int64_t extent, int64_t wanted) {
  for (int64_t size = wanted; size * 2 > wanted; --size)
    if (extent % size == 0)
      return size;
  return wanted;
}

} // namespace

int64_t mlir::ttc::bodyCost(linalg::LinalgOp op) {
  int64_t cost = 1;
  op.getBlock()->walk([&](Operation *nested) {
    if (isa<math::MathDialect>(nested->getDialect()))
      cost += isa<math::AbsFOp, math::AbsIOp, math::FmaOp>(nested) ? 1 : 12;
    else if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::RemSIOp, arith::DivUIOp,
                 arith::RemUIOp, tensor::ExtractOp>(nested))
      cost += 5;
    else if (!nested->hasTrait<OpTrait::ConstantLike>() && !isa<linalg::YieldOp>(nested))
      cost += 1;
  });
  return cost;
}

TileShape mlir::ttc::chooseTileShape(linalg::LinalgOp root, const GridOptions &options) {
  SmallVector<Reach> reached = reachedFrom(root);
  TileShape shape;
  shape.extents = root.getStaticLoopRanges();
  shape.tiles = shape.extents;
  int64_t totalCost = 0, totalIterations = 0;
  for (Reach &reach : reached) {
    totalCost += reach.cost;
    totalIterations += iterations(reach.op);
  }
  // One simple instruction on each of four bytes is about as fast as memory.
  int64_t work = std::max(totalCost, 4 * totalIterations);
  shape.grid = ::ttc::kernels::getEvenGroups(std::clamp<int64_t>(
      llvm::divideCeil(work, options.workgroupBytes), 1, options.maxWorkgroups));

  // A dimension can be cut unless a costly producer would then be computed again for every piece.
  auto canCut = [&](int64_t dim) {
    if (root.getIteratorTypesArray()[dim] != utils::IteratorType::parallel)
      return false;
    int64_t pieces = llvm::divideCeil(shape.extents[dim], kMinRow);
    return llvm::all_of(reached, [&](const Reach &reach) {
      bool followsNone = llvm::all_of(reach.follows, [](int64_t at) { return at == kNone; });
      return followsNone || llvm::is_contained(reach.follows, dim) ||
             (reach.cost * 8 < totalCost && reach.cost * pieces * 4 < totalCost);
    });
  };

  bool hasTemporaries = llvm::any_of(reached, [&](const Reach &reach) {
    return reach.op != root && !isa<linalg::FillOp>(reach.op);
  });
  int64_t target = hasTemporaries ? kFusedTileWork : kSingleTileWork;
  target = std::min(target, std::max<int64_t>(totalIterations / shape.grid, 1));
  // From the outermost dimension of the output inwards, until a tile is small enough.
  AffineMap output = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  int64_t perTile = totalIterations;
  // Squares, whose lines stay in L1 until all of them is used.
  AffineExpr innermost = output.getNumResults() > 1 ? output.getResults().back() : AffineExpr();
  if (auto lastExpr = dyn_cast_if_present<AffineDimExpr>(innermost)) {
    const int64_t last = lastExpr.getPosition();
    const int64_t across = findTransposed(reached, shape.extents, last);
    if (across != kNone && canCut(last) && shape.extents[last] >= kLeastTransposed &&
        shape.extents[across] >= kLeastTransposed && perTile > target)
      for (int64_t dim : {last, across})
        if (shape.extents[dim] > kMinRow && canCut(dim)) {
          perTile /= shape.extents[dim];
          shape.tiles[dim] = tileNear(shape.extents[dim], kMinRow);
          perTile *= shape.tiles[dim];
        }
  }
  for (auto [position, expr] : llvm::enumerate(output.getResults())) {
    auto dimExpr = dyn_cast<AffineDimExpr>(expr);
    if (perTile <= target)
      break;
    if (!dimExpr || !canCut(dimExpr.getPosition()))
      continue;
    int64_t dim = dimExpr.getPosition(), extent = shape.extents[dim];
    if (extent <= 1 || shape.tiles[dim] < extent)
      continue;
    int64_t wanted = std::max<int64_t>(1, target / std::max<int64_t>(1, perTile / extent));
    if (position + 1 == output.getNumResults())
      wanted = std::max(kMinRow, wanted / 16 * 16);
    if (wanted >= extent)
      continue;
    shape.tiles[dim] = tileNear(extent, wanted);
    perTile = perTile / extent * shape.tiles[dim];
  }

  SmallVector<Operation *> outside;
  for (Reach &reach : reached) {
    capturedProducers(reach.op, outside);
    bool isCut = llvm::any_of(reach.follows, [&](int64_t dim) {
      return dim != kNone && shape.tiles[dim] < shape.extents[dim];
    });
    if (!isCut && reach.op != root && shape.numTiles() > 1) {
      shape.hoisted.insert(reach.op);
      outside.push_back(reach.op);
    }
  }
  int64_t repeated = costUpTo(outside);
  shape.gridLimit =
      repeated <= kFusedTileWork
          ? options.maxWorkgroups
          : std::clamp<int64_t>((totalCost - repeated) / (8 * repeated), 1, options.maxWorkgroups);
  shape.grid = std::min(shape.grid, std::max<int64_t>(1, shape.numTiles()));
  return shape;
}
