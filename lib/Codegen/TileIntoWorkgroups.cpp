// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles a body on tensors and shares the tiles out over workgroups.
//
// What is written to an output is a root. A root is computed tile by tile in a loop over the
// tiles of its workgroup; each tile is written straight into its part of the output, and what
// it reads of other ops is computed for just this tile, so that intermediate values are small
// and hot. The number of tiles and of workgroups depends on shapes only.
#include "ProgramBody.h"
#include "TileShape.h"
#include "dialects/Ttc/Programs/KernelParams.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Support/PassCounter.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_TILEINTOWORKGROUPS
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;
using bufferization::MaterializeInDestinationOp;

namespace {

/// A linalg op and where its results go: a memref for each result, null for unused ones.
struct Root {
  linalg::LinalgOp op;
  SmallVector<Value> destinations;
};

//===--- roots ------------------------------------------------------------------------===//

/// Rewrites what is written to the outputs until each write is of a linalg op's result:
/// a reshape or an insertion moves into a view of the destination, anything else is copied.
class RootFinder {
public:
  explicit RootFinder(func::FuncOp body) : body(body), builder(body) {}

  SmallVector<Root> find() {
    SmallVector<MaterializeInDestinationOp> writes(body.getOps<MaterializeInDestinationOp>());
    for (MaterializeInDestinationOp write : writes) {
      builder.setInsertionPoint(write);
      pending.push_back({write.getLoc(), write.getSource(), write.getDest(), {}});
      // Not by recursion: a concatenation has as many insertions as operands.
      while (!pending.empty())
        add(pending.pop_back_val());
      write.erase();
    }
    return std::move(roots);
  }

private:
  /// `source` is written to `destination`, or to the part of it where `insert` puts it.
  struct Write {
    Location loc;
    Value source, destination;
    tensor::InsertSliceOp insert;
  };

  void add(const Write &write) {
    Location loc = write.loc;
    Value source = write.source, destination = write.destination;
    if (tensor::InsertSliceOp part = write.insert)
      destination = memref::SubViewOp::create(builder, loc, destination, part.getMixedOffsets(),
                                              part.getMixedSizes(), part.getMixedStrides());
    Operation *op = source.getDefiningOp();
    if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
      return;
    if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
      destination = memref::ExpandShapeOp::create(builder, loc, collapse.getSrcType().getShape(),
                                                  destination, collapse.getReassociationIndices());
      return pending.push_back({loc, collapse.getSrc(), destination, {}});
    }
    auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op);
    if (expand && memref::CollapseShapeOp::isGuaranteedCollapsible(
                      cast<MemRefType>(destination.getType()), expand.getReassociationIndices())) {
      destination = memref::CollapseShapeOp::create(builder, loc, destination,
                                                    expand.getReassociationIndices());
      return pending.push_back({loc, expand.getSrc(), destination, {}});
    }
    if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op);
        insert && insert.getSourceType().getRank() == insert.getType().getRank()) {
      pending.push_back({loc, insert.getSource(), destination, insert});
      return pending.push_back({loc, insert.getDest(), destination, {}}); // is next
    }
    auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
    if (!linalgOp)
      return addCopy(loc, source, destination);
    unsigned number = cast<OpResult>(source).getResultNumber();
    auto [place, isNew] = places.try_emplace(op, roots.size());
    if (isNew || roots[place->second].destinations[number]) {
      place->second = roots.size();
      roots.push_back({linalgOp, SmallVector<Value>(op->getNumResults())});
    }
    roots[place->second].destinations[number] = destination;
  }

  void addCopy(Location loc, Value source, Value destination) {
    auto type = cast<RankedTensorType>(source.getType());
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
    AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto copy =
        linalg::GenericOp::create(builder, loc, type, source, empty, ArrayRef{identity, identity},
                                  iterators, [](OpBuilder &b, Location loc, ValueRange elements) {
                                    linalg::YieldOp::create(b, loc, elements[0]);
                                  });
    roots.push_back({cast<linalg::LinalgOp>(copy.getOperation()), {destination}});
  }

  func::FuncOp body;
  OpBuilder builder;
  SmallVector<Write> pending; ///< the last one is next
  SmallVector<Root> roots;
  DenseMap<Operation *, size_t> places; ///< the last root of an op
};

//===--- bounds -----------------------------------------------------------------------===//

/// Innermost loops up to this length have a constant one. Longer ones end after a multiple of
/// kVectors: what is left of vectors of several registers would be computed one by one.
constexpr int64_t kShortLoop = 128, kVectors = 64;

/// The elements that count of the loops of a root, and their number in this run; null for loops of
/// which all do.
class RootBounds {
public:
  RootBounds(func::FuncOp body, Root root) : values(root.op.getNumLoops()) {
    std::optional<SmallVector<BoundedFactors>> dims;
    for (auto [number, destination] : llvm::enumerate(root.destinations)) {
      // What several results need is not compared.
      if (!destination || dims)
        return;
      dims = getFactors(body, destination);
      if (!dims)
        return;
      output = root.op.getMatchingIndexingMap(root.op.getDpsInitOperand(number));
    }
    if (!dims)
      return;
    for (auto [position, factors] : llvm::enumerate(*dims)) {
      auto loop = dyn_cast<AffineDimExpr>(output.getResult(position));
      BoundedFactors merged = mergeFactors(factors);
      if (!loop || areWhole(merged))
        continue;
      // Short innermost loops are for vectors of a constant number.
      const bool isInnermost = position > 0 && position + 1 == dims->size();
      const int64_t size = llvm::product_of(
          llvm::map_range(merged, [](const BoundedFactor &part) { return part.size; }));
      if (isInnermost && size <= kShortLoop)
        continue;
      // All before the last one that counts.
      BoundedFactor factor = merged.front();
      for (const BoundedFactor &inner : ArrayRef(merged).drop_front()) {
        if (factor.bound)
          factor.bound = factor.bound * inner.size;
        factor.size *= inner.size;
      }
      if (factor.bound)
        values[loop.getPosition()] =
            compute(body, root.op.getLoc(), factor, isInnermost ? kVectors : 1);
    }
  }

  Value operator[](int64_t loop) const { return values[loop]; }

private:
  /// The factors of the dimensions of a view of a result.
  std::optional<SmallVector<BoundedFactors>> getFactors(func::FuncOp body, Value view) {
    if (auto argument = dyn_cast<BlockArgument>(view)) {
      auto within = body.getArgAttrOfType<WithinAttr>(argument.getArgNumber(), kWithinAttrName);
      if (!within)
        return std::nullopt;
      extents = body.getArgument(within.getArgument());
      auto type = cast<MemRefType>(argument.getType());
      return within.getFactors(RankedTensorType::get(type.getShape(), type.getElementType()));
    }
    Operation *op = view.getDefiningOp();
    if (!isa_and_present<memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      return std::nullopt;
    std::optional<SmallVector<BoundedFactors>> from = getFactors(body, op->getOperand(0));
    if (!from)
      return std::nullopt;
    BoundedFactors all;
    for (const BoundedFactors &factors : *from)
      all.append(factors);
    SmallVector<BoundedFactors> dims;
    BoundedFactors left = all;
    for (int64_t size : cast<MemRefType>(view.getType()).getShape()) {
      std::optional<BoundedFactors> own = takeFactors(left, size);
      if (!own)
        return std::nullopt;
      dims.push_back(std::move(*own));
    }
    return dims;
  }

  /// The number that counts, rounded up to a multiple of `step` within the size.
  Value compute(func::FuncOp body, Location loc, const BoundedFactor &factor, int64_t step) {
    OpBuilder builder(body.getBody().front().getTerminator());
    Value bound =
        computeBound(builder, loc, factor, builder.getIndexType(), [&](unsigned index) -> Value {
          Value at = arith::ConstantIndexOp::create(builder, loc, index);
          Value extent = memref::LoadOp::create(builder, loc, extents, ValueRange{at});
          return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), extent);
        });
    if (step == 1)
      return bound;
    AffineExpr count = builder.getAffineDimExpr(0);
    auto map = AffineMap::get(
        1, 0, {builder.getAffineConstantExpr(factor.size), count.ceilDiv(step) * step},
        builder.getContext());
    return affine::AffineMinOp::create(builder, loc, map, bound).getResult();
  }

  SmallVector<Value> values;
  Value extents;
  AffineMap output;
};

//===--- tiling -----------------------------------------------------------------------===//

/// Generates the loop over one root's tiles.
class RootTiler {
public:
  RootTiler(func::FuncOp body, Root root, TileShape shape, int64_t grid)
      : body(body), root(root), shape(std::move(shape)), grid(grid), bounds(body, root),
        rewriter(body) {}

  LogicalResult run() {
    rewriter.setInsertionPoint(body.getBody().front().getTerminator());
    Location loc = root.op.getLoc();
    SmallVector<OpFoldResult> offsets(shape.extents.size(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(body.getContext(), shape.extents);
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (bounds[dim])
        size = limit(loc, shape.extents[dim], bounds[dim], index(loc, 0));
    int64_t tiles = shape.numTiles();
    if (grid > 1 || tiles > 1) {
      Value tile = beginLoop(loc, tiles);
      place(loc, tile, offsets, sizes);
    }
    return tileRoot(loc, offsets, sizes);
  }

private:
  Value index(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  /// Whether the tiles of a dimension are those of the elements that count.
  bool isBounded(int64_t dim) const { return shape.tiles[dim] < shape.extents[dim] && bounds[dim]; }

  /// The tiles of a dimension.
  Value countTiles(Location loc, int64_t dim) {
    if (isBounded(dim))
      return arith::CeilDivUIOp::create(rewriter, loc, bounds[dim], index(loc, shape.tiles[dim]));
    return index(loc, llvm::divideCeil(shape.extents[dim], shape.tiles[dim]));
  }

  /// min(size, bound - offset)
  OpFoldResult limit(Location loc, int64_t size, Value bound, Value offset) {
    AffineExpr from = rewriter.getAffineDimExpr(0), to = rewriter.getAffineDimExpr(1);
    auto map = AffineMap::get(2, 0, {rewriter.getAffineConstantExpr(size), to - from},
                              rewriter.getContext());
    return affine::AffineMinOp::create(rewriter, loc, map, ValueRange{offset, bound}).getResult();
  }

  /// for tile = workgroup * tiles / grid to (workgroup + 1) * tiles / grid
  Value beginLoop(Location loc, int64_t tiles) {
    Value total;
    for (size_t dim = 0; dim < shape.extents.size(); ++dim)
      if (isBounded(dim) && !total)
        total = index(loc, 1);
    for (size_t dim = 0; total && dim < shape.extents.size(); ++dim)
      total = arith::MulIOp::create(rewriter, loc, total, countTiles(loc, dim));
    Value lower = index(loc, 0), upper = total ? total : index(loc, tiles);
    if (grid > 1) {
      Value workgroup = body.getArguments().back();
      auto bound = [&](Value number) -> Value {
        if (!total && tiles % grid == 0)
          return arith::MulIOp::create(rewriter, loc, number, index(loc, tiles / grid));
        Value scaled =
            arith::MulIOp::create(rewriter, loc, number, total ? total : index(loc, tiles));
        return arith::DivUIOp::create(rewriter, loc, scaled, index(loc, grid));
      };
      lower = bound(workgroup);
      upper = bound(arith::AddIOp::create(rewriter, loc, workgroup, index(loc, 1)));
    }
    auto loop = scf::ForOp::create(rewriter, loc, lower, upper, index(loc, 1));
    rewriter.setInsertionPoint(loop.getBody()->getTerminator());
    return loop.getInductionVar();
  }

  /// The tile's place in the iteration space.
  void place(Location loc, Value tile, SmallVectorImpl<OpFoldResult> &offsets,
             SmallVectorImpl<OpFoldResult> &sizes) {
    SmallVector<int64_t> tiled;
    for (auto [dim, extent] : llvm::enumerate(shape.extents))
      if (shape.tiles[dim] < extent)
        tiled.push_back(dim);
    for (int64_t dim : llvm::reverse(tiled)) {
      int64_t extent = shape.extents[dim], size = shape.tiles[dim];
      Value number = tile;
      if (dim != tiled.front()) {
        Value count = countTiles(loc, dim);
        number = arith::RemUIOp::create(rewriter, loc, tile, count);
        tile = arith::DivUIOp::create(rewriter, loc, tile, count);
      }
      Value offset = arith::MulIOp::create(rewriter, loc, number, index(loc, size));
      offsets[dim] = offset;
      sizes[dim] = rewriter.getIndexAttr(size);
      // Tiles begin before the bound, so that one element is whole.
      if (bounds[dim] && size > 1) {
        sizes[dim] = limit(loc, size, bounds[dim], offset);
      } else if (!bounds[dim] && extent % size != 0) {
        AffineExpr position = rewriter.getAffineDimExpr(0);
        auto map = AffineMap::get(1, 0, {rewriter.getAffineConstantExpr(size), extent - position},
                                  rewriter.getContext());
        sizes[dim] = affine::AffineMinOp::create(rewriter, loc, map, offset).getResult();
      }
    }
  }

  LogicalResult tileRoot(Location loc, ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) {
    auto tiling = cast<TilingInterface>(root.op.getOperation());
    FailureOr<TilingResult> tiled = tiling.getTiledImplementation(rewriter, offsets, sizes);
    if (failed(tiled) || tiled->tiledOps.size() != 1)
      return root.op.emitOpError("expects to be tileable");
    worklist.append(tiled->generatedSlices);
    auto tiledOp = cast<linalg::LinalgOp>(tiled->tiledOps.front());
    uniteSlices(tiledOp);
    if (failed(fuseProducers()))
      return failure();
    for (auto [number, destination] : llvm::enumerate(root.destinations)) {
      if (!destination)
        continue;
      SmallVector<OpFoldResult> resultOffsets, resultSizes;
      rewriter.setInsertionPoint(tiledOp);
      if (failed(tiling.getResultTilePosition(rewriter, number, offsets, sizes, resultOffsets,
                                              resultSizes)))
        return root.op.emitOpError("expects results with known tile positions");
      SmallVector<OpFoldResult> ones(resultOffsets.size(), rewriter.getIndexAttr(1));
      Value view =
          memref::SubViewOp::create(rewriter, loc, destination, resultOffsets, resultSizes, ones);
      writeInto(loc, tiledOp, number, view);
      rewriter.setInsertionPointAfter(tiledOp);
      auto write = MaterializeInDestinationOp::create(rewriter, loc, Type(),
                                                      tiledOp->getResult(number), view);
      write.setRestrict(true);
      write.setWritable(true);
    }
    return success();
  }

  /// Lets the op write its result `number` into `view`: finds the empty tensor that the chain
  /// of destinations begins with and puts the view in its place.
  void writeInto(Location loc, linalg::LinalgOp op, unsigned number, Value view) {
    OpOperand *init = op.getDpsInitOperand(number);
    while (auto producer = init->get().getDefiningOp<linalg::LinalgOp>()) {
      if (!init->get().hasOneUse() || producer->getBlock() != op->getBlock())
        return;
      init = producer.getDpsInitOperand(cast<OpResult>(init->get()).getResultNumber());
    }
    if (!init->get().getDefiningOp<tensor::EmptyOp>())
      return;
    Operation *first = init->getOwner();
    hoistBefore(view.getDefiningOp(), first);
    rewriter.setInsertionPoint(first);
    Value tensor = bufferization::ToTensorOp::create(rewriter, loc, init->get().getType(), view,
                                                     /*restrict=*/true, /*writable=*/true);
    init->set(tensor);
  }

  /// Operands that are the same value, read at places a constant distance apart (a window's
  /// elements), are slices from the same place on, of different sizes: the distance is in the
  /// operand's map. They become slices of the largest one, so that it is computed once.
  void uniteSlices(linalg::LinalgOp op) {
    llvm::MapVector<Value, SmallVector<OpOperand *>> sameSource;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (auto slice = operand->get().getDefiningOp<tensor::ExtractSliceOp>();
          slice && slice.getSource().getDefiningOp<linalg::LinalgOp>() && slice.hasUnitStride())
        sameSource[slice.getSource()].push_back(operand);
    for (auto &[source, operands] : sameSource) {
      AffineMap first = op.getMatchingIndexingMap(operands.front());
      auto firstSlice = operands.front()->get().getDefiningOp<tensor::ExtractSliceOp>();
      int64_t rank = first.getNumResults();
      SmallVector<int64_t> furthest(rank, 0);
      bool areConstant = true;
      for (OpOperand *operand : operands) {
        AffineMap map = op.getMatchingIndexingMap(operand);
        for (int64_t i = 0; i < rank; ++i) {
          AffineExpr difference = simplifyAffineExpr(map.getResult(i) - first.getResult(i),
                                                     map.getNumDims(), map.getNumSymbols());
          auto distance = dyn_cast<AffineConstantExpr>(difference);
          areConstant &= distance && distance.getValue() >= 0;
          if (areConstant)
            furthest[i] = std::max(furthest[i], distance.getValue());
        }
      }
      if (!areConstant || llvm::all_of(furthest, [](int64_t distance) { return distance == 0; }))
        continue;
      // In front of the first of the slices, where the places that all need are known.
      for (OpOperand *operand : operands)
        hoistBefore(firstSlice, operand->get().getDefiningOp());
      rewriter.setInsertionPoint(firstSlice);
      Location loc = firstSlice.getLoc();
      SmallVector<OpFoldResult> sizes = firstSlice.getMixedSizes();
      SmallVector<OpFoldResult> zeros(rank, rewriter.getIndexAttr(0));
      SmallVector<OpFoldResult> ones(rank, rewriter.getIndexAttr(1));
      for (auto [size, distance] : llvm::zip_equal(sizes, furthest))
        size = affine::makeComposedFoldedAffineApply(
            rewriter, loc, rewriter.getAffineDimExpr(0) + distance, {size});
      auto whole = tensor::ExtractSliceOp::create(rewriter, loc, source,
                                                  firstSlice.getMixedOffsets(), sizes, ones);
      worklist.push_back(whole);
      for (OpOperand *operand : operands) {
        auto slice = operand->get().getDefiningOp<tensor::ExtractSliceOp>();
        rewriter.setInsertionPoint(slice);
        operand->set(tensor::ExtractSliceOp::create(rewriter, loc, slice.getType(), whole, zeros,
                                                    slice.getMixedSizes(), ones));
      }
    }
  }

  /// Computes, for each slice that tiled ops read of another op, just this slice.
  LogicalResult fuseProducers() {
    while (!worklist.empty()) {
      auto slice = dyn_cast<tensor::ExtractSliceOp>(worklist.pop_back_val());
      if (!slice || slice->use_empty())
        continue;
      if (slice.getSource().getDefiningOp<tensor::EmptyOp>()) {
        rewriter.setInsertionPoint(slice);
        rewriter.replaceOpWithNewOp<tensor::EmptyOp>(slice, slice.getMixedSizes(),
                                                     slice.getType().getElementType());
        continue;
      }
      auto result = dyn_cast<OpResult>(slice.getSource());
      auto producer = result ? dyn_cast<linalg::LinalgOp>(result.getOwner()) : nullptr;
      if (!producer || !slice.hasUnitStride() || shape.hoisted.contains(producer))
        continue;
      if (failed(fuse(slice, result, producer)))
        return failure();
    }
    return success();
  }

  LogicalResult fuse(tensor::ExtractSliceOp slice, OpResult result, linalg::LinalgOp producer) {
    auto tiling = cast<TilingInterface>(producer.getOperation());
    SmallVector<OpFoldResult> offsets, sizes;
    rewriter.setInsertionPoint(slice);
    if (failed(tiling.getIterationDomainTileFromResultTile(rewriter, result.getResultNumber(),
                                                           slice.getMixedOffsets(),
                                                           slice.getMixedSizes(), offsets, sizes)))
      return success(); // It is computed as a whole.
    for (TiledProducer &known : known)
      if (known.op == producer && known.offsets == offsets && known.sizes == sizes) {
        // The earlier slice may come after this one in the block: the tile moves to where both see
        // it.
        hoistBefore(known.tiled, slice);
        rewriter.replaceOp(slice, known.tiled->getResult(result.getResultNumber()));
        return success();
      }
    FailureOr<TilingResult> tiled = tiling.getTiledImplementation(rewriter, offsets, sizes);
    if (failed(tiled) || tiled->tiledOps.size() != 1)
      return producer.emitOpError("expects to be tileable");
    worklist.append(tiled->generatedSlices);
    known.push_back({producer, offsets, sizes, tiled->tiledOps.front()});
    rewriter.replaceOp(slice, tiled->tiledValues[result.getResultNumber()]);
    return success();
  }

  /// Moves `op` and what it needs of the same block before `place`.
  void hoistBefore(Operation *op, Operation *place) {
    if (op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
      return;
    SmallVector<Value> needed(op->getOperands());
    op->walk([&](Operation *nested) { llvm::append_range(needed, nested->getOperands()); });
    for (Value operand : needed)
      if (Operation *definition = operand.getDefiningOp();
          definition && definition->getBlock() == place->getBlock())
        hoistBefore(definition, place);
    op->moveBefore(place);
  }

  struct TiledProducer {
    Operation *op;
    SmallVector<OpFoldResult> offsets, sizes;
    Operation *tiled;
  };

  func::FuncOp body;
  Root root;
  TileShape shape;
  int64_t grid;
  RootBounds bounds;
  IRRewriter rewriter;
  SmallVector<Operation *> worklist;
  SmallVector<TiledProducer> known;
};

struct TileIntoWorkgroupsPass : mlir::ttc::impl::TileIntoWorkgroupsBase<TileIntoWorkgroupsPass> {
  using TileIntoWorkgroupsBase::TileIntoWorkgroupsBase;
  PassCounter numTiles{*this, "tiles", "Tiles of all workgroups together"};

  void getDependentDialects(DialectRegistry &registry) const override {
    TileIntoWorkgroupsBase::getDependentDialects(registry);
    linalg::registerAllDialectInterfaceImplementations(registry);
  }

  void runOnOperation() override {
    func::FuncOp body = getOperation();
    if (body.getNumArguments() == 0 || !body.getArgumentTypes().back().isIndex()) {
      body.emitOpError("expects the workgroup's number, an index, as its last argument, found ")
          << body.getFunctionType();
      return signalPassFailure();
    }
    GridOptions options{workgroupBytes, maxWorkgroups > 0 ? maxWorkgroups : getMaxWorkgroups(body)};
    SmallVector<Root> roots = RootFinder(body).find();
    SmallVector<TileShape> shapes;
    int64_t grid = 1;
    for (Root &root : roots) {
      shapes.push_back(chooseTileShape(root.op, options));
      grid = std::max(grid, shapes.back().grid);
    }
    // Work outside of the tiles is done by every workgroup.
    for (TileShape &shape : shapes)
      grid = std::min(grid, shape.gridLimit);
    for (auto [root, shape] : llvm::zip_equal(roots, shapes)) {
      numTiles += shape.numTiles();
      if (failed(RootTiler(body, root, shape, grid).run()))
        return signalPassFailure();
    }
    for (unsigned i = 0; i < body.getNumArguments(); ++i)
      body.removeArgAttr(i, kWithinAttrName);
    body->setAttr(kWorkgroupsAttrName, Builder(body).getI64IntegerAttr(grid));
  }
};

} // namespace
