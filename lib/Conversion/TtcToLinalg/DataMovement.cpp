// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that only move elements, to places that are known at compile time.
#include "TtcToLinalg.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"

using namespace mlir;
using namespace mlir::ttc;
using namespace mlir::ttc::to_linalg;

namespace {

Value copyBody(OpBuilder &, Location, ValueRange elements) { return elements[0]; }

SmallVector<OpFoldResult> indexAttrs(OpBuilder &b, ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(b.getContext(), values);
}

template <typename Op> struct ConvertMovement : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  virtual Value build(OpBuilder &b, Op op, typename Op::Adaptor adaptor,
                      RankedTensorType type) const = 0;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    auto type = cast<RankedTensorType>(this->getTypeConverter()->convertType(op.getType()));
    b.replaceOp(op, build(b, op, adaptor, type));
    return success();
  }
};

struct ConvertReshape : ConvertMovement<ReshapeOp> {
  using ConvertMovement::ConvertMovement;
  Value build(OpBuilder &b, ReshapeOp op, OpAdaptor adaptor, RankedTensorType type) const override {
    return reshapeTensor(b, op.getLoc(), adaptor.getX(), type);
  }
};

struct ConvertTranspose : ConvertMovement<TransposeOp> {
  using ConvertMovement::ConvertMovement;
  Value build(OpBuilder &b, TransposeOp op, OpAdaptor adaptor,
              RankedTensorType type) const override {
    SmallVector<AffineExpr> read(type.getRank());
    for (auto [to, from] : llvm::enumerate(op.getPermutation()))
      read[from] = b.getAffineDimExpr(to);
    auto map = AffineMap::get(type.getRank(), 0, read, b.getContext());
    return mapElements(b, op.getLoc(), type, adaptor.getX(), map, copyBody);
  }
};

struct ConvertExpand : ConvertMovement<ExpandOp> {
  using ConvertMovement::ConvertMovement;
  Value build(OpBuilder &b, ExpandOp op, OpAdaptor adaptor, RankedTensorType type) const override {
    return mapElements(b, op.getLoc(), type, adaptor.getX(), copyBody);
  }
};

/// The elements of `x` from `starts` on; a forward slice is a map, a backward one computed.
Value sliceOf(OpBuilder &b, Location loc, Value x, RankedTensorType type, ArrayRef<int64_t> starts,
              ArrayRef<int64_t> steps) {
  if (llvm::all_of(llvm::zip_equal(steps, type.getShape()), [](auto pair) {
        auto [step, size] = pair;
        return step > 0 || size <= 1;
      })) {
    // A loop that reads a dimension by its index alone must, for linalg, run over all of it.
    ArrayRef<int64_t> whole = tensorType(x).getShape();
    SmallVector<int64_t> front(whole), zeros(type.getRank(), 0), ones(type.getRank(), 1);
    for (auto [i, start] : llvm::enumerate(starts))
      if (start == 0 && steps[i] == 1)
        front[i] = type.getDimSize(i);
    if (front != whole)
      x = tensor::ExtractSliceOp::create(b, loc, x, indexAttrs(b, zeros), indexAttrs(b, front),
                                         indexAttrs(b, ones));
    SmallVector<AffineExpr> read;
    for (auto [i, start] : llvm::enumerate(starts))
      read.push_back(type.getDimSize(i) == 1 ? b.getAffineConstantExpr(start)
                                             : b.getAffineDimExpr(i) * steps[i] + start);
    auto map = AffineMap::get(type.getRank(), 0, read, b.getContext());
    return mapElements(b, loc, type, x, map, copyBody);
  }
  return pullElements(b, loc, type, [&](OpBuilder &nested, Location loc, ValueRange at) {
    SmallVector<Value> indices;
    for (auto [i, index] : llvm::enumerate(at))
      indices.push_back(linearIndex(nested, loc, index, steps[i], starts[i]));
    return tensor::ExtractOp::create(nested, loc, x, indices).getResult();
  });
}

struct ConvertSlice : ConvertMovement<SliceOp> {
  using ConvertMovement::ConvertMovement;
  Value build(OpBuilder &b, SliceOp op, OpAdaptor adaptor, RankedTensorType type) const override {
    return sliceOf(b, op.getLoc(), adaptor.getX(), type, op.getStarts(), op.getSteps());
  }
};

struct ConvertSplit : OpConversionPattern<SplitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SplitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    SmallVector<Value> results;
    int64_t rank = tensorType(adaptor.getX()).getRank();
    SmallVector<int64_t> starts(rank, 0), steps(rank, 1);
    for (Value output : op.getOutputs()) {
      auto type = cast<RankedTensorType>(getTypeConverter()->convertType(output.getType()));
      results.push_back(sliceOf(b, op.getLoc(), adaptor.getX(), type, starts, steps));
      starts[op.getAxis()] += type.getDimSize(op.getAxis());
    }
    b.replaceOp(op, results);
    return success();
  }
};

/// Parts side by side where they are written out; else each element is chosen.
struct ConvertConcat : ConvertMovement<ConcatOp> {
  using ConvertMovement::ConvertMovement;
  Value build(OpBuilder &b, ConcatOp op, OpAdaptor adaptor, RankedTensorType type) const override {
    Location loc = op.getLoc();
    int64_t axis = op.getAxis();
    if (!isWrittenOut(op))
      return pullElements(b, loc, type, [&](OpBuilder &nested, Location loc, ValueRange at) {
        return choose(nested, loc, adaptor.getInputs(), llvm::to_vector(at), axis);
      });
    Value result = emptyTensor(b, loc, type);
    SmallVector<int64_t> offsets(type.getRank(), 0), ones(type.getRank(), 1);
    for (Value input : adaptor.getInputs()) {
      result = tensor::InsertSliceOp::create(b, loc, input, result, indexAttrs(b, offsets),
                                             indexAttrs(b, tensorType(input).getShape()),
                                             indexAttrs(b, ones));
      offsets[axis] += tensorType(input).getDimSize(axis);
    }
    return result;
  }

  static Value choose(OpBuilder &b, Location loc, ValueRange inputs, SmallVector<Value> at,
                      int64_t axis) {
    if (inputs.size() == 1)
      return tensor::ExtractOp::create(b, loc, inputs[0], at);
    int64_t size = tensorType(inputs[0]).getDimSize(axis);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at[axis],
                                          indexConstant(b, loc, size));
    return scf::IfOp::create(
               b, loc, isFirst,
               [&](OpBuilder &nested, Location loc) {
                 scf::YieldOp::create(nested, loc,
                                      choose(nested, loc, inputs.take_front(1), at, axis));
               },
               [&](OpBuilder &nested, Location loc) {
                 SmallVector<Value> rest = at;
                 rest[axis] = linearIndex(nested, loc, at[axis], 1, -size);
                 scf::YieldOp::create(nested, loc,
                                      choose(nested, loc, inputs.drop_front(), rest, axis));
               })
        .getResult(0);
  }
};

/// The operand between slabs of the constant where it is written out; else each element is
/// chosen. Mirrored and repeated edges are computed places.
struct ConvertPad : ConvertMovement<PadOp> {
  using ConvertMovement::ConvertMovement;
  Value build(OpBuilder &b, PadOp op, OpAdaptor adaptor, RankedTensorType type) const override {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    ArrayRef<int64_t> low = op.getLow(), high = op.getHigh();
    TypedAttr value = numberAttr(type.getElementType(), op.getValue().convertToFloat());
    if (op.getMode() == PadMode::Constant && isWrittenOut(op))
      return assemble(b, loc, x, type, low, high, value);
    return pullElements(b, loc, type, [&](OpBuilder &nested, Location loc, ValueRange at) {
      SmallVector<Value> indices;
      SmallVector<int64_t> checked;
      for (auto [dim, index] : llvm::enumerate(at)) {
        Value from = linearIndex(nested, loc, index, 1, -low[dim]);
        if (low[dim] != 0 || high[dim] != 0) {
          from = inside(nested, loc, from, tensorType(x).getDimSize(dim), op.getMode());
          checked.push_back(dim);
        }
        indices.push_back(from);
      }
      if (op.getMode() != PadMode::Constant)
        checked.clear();
      Value outside = arith::ConstantOp::create(nested, loc, value);
      return extractOr(nested, loc, x, indices, checked, outside);
    });
  }

  /// The place in the operand that an index outside stands for.
  static Value inside(OpBuilder &b, Location loc, Value index, int64_t size, PadMode mode) {
    Value zero = indexConstant(b, loc, 0), last = indexConstant(b, loc, size - 1);
    if (mode == PadMode::Edge) {
      index = arith::MaxSIOp::create(b, loc, index, zero);
      return arith::MinSIOp::create(b, loc, index, last);
    }
    if (mode == PadMode::Wrap) {
      Value count = indexConstant(b, loc, size);
      Value rest = arith::RemSIOp::create(b, loc, index, count);
      Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rest, zero);
      Value shifted = arith::AddIOp::create(b, loc, rest, count);
      return arith::SelectOp::create(b, loc, negative, shifted, rest);
    }
    if (mode == PadMode::Reflect) {
      Value negated = arith::SubIOp::create(b, loc, zero, index);
      index = arith::MaxSIOp::create(b, loc, index, negated);
      Value mirrored = linearIndex(b, loc, index, -1, 2 * (size - 1));
      return arith::MinSIOp::create(b, loc, index, mirrored);
    }
    return index;
  }

  /// Slabs that do not overlap: those of dimension 0 are whole, those of the next are between
  /// them, and so on.
  static Value assemble(OpBuilder &b, Location loc, Value x, RankedTensorType type,
                        ArrayRef<int64_t> low, ArrayRef<int64_t> high, TypedAttr value) {
    int64_t rank = type.getRank();
    SmallVector<int64_t> offsets(rank, 0), sizes(type.getShape()), ones(rank, 1);
    Value result = emptyTensor(b, loc, type);
    auto insert = [&](Value part) {
      result = tensor::InsertSliceOp::create(b, loc, part, result, indexAttrs(b, offsets),
                                             indexAttrs(b, sizes), indexAttrs(b, ones));
    };
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t full = sizes[dim];
      for (auto [start, size] :
           {std::pair(int64_t(0), low[dim]), std::pair(full - high[dim], high[dim])}) {
        if (size == 0)
          continue;
        offsets[dim] = start;
        sizes[dim] = size;
        insert(filledTensor(b, loc, RankedTensorType::get(sizes, type.getElementType()), value));
      }
      offsets[dim] = low[dim];
      sizes[dim] = full - low[dim] - high[dim];
    }
    insert(x);
    return result;
  }
};

/// Each dimension as two, of repeats and of elements.
struct ConvertTile : ConvertMovement<TileOp> {
  using ConvertMovement::ConvertMovement;
  Value build(OpBuilder &b, TileOp op, OpAdaptor adaptor, RankedTensorType type) const override {
    RankedTensorType from = tensorType(adaptor.getX());
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> read;
    for (auto [dim, repeats] : llvm::enumerate(op.getRepeats())) {
      shape.append({repeats, from.getDimSize(dim)});
      read.push_back(b.getAffineDimExpr(2 * dim + 1));
    }
    auto map = AffineMap::get(shape.size(), 0, read, b.getContext());
    Value result = mapElements(b, op.getLoc(), RankedTensorType::get(shape, type.getElementType()),
                               adaptor.getX(), map, copyBody);
    return reshapeTensor(b, op.getLoc(), result, type);
  }
};

/// x as `split`, its dimensions permuted, as `type`.
Value permuteBlocks(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> split,
                    ArrayRef<int64_t> permutation, RankedTensorType type) {
  Type element = type.getElementType();
  Value blocks = reshapeTensor(b, loc, x, RankedTensorType::get(split, element));
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> read(split.size());
  for (auto [to, from] : llvm::enumerate(permutation)) {
    shape.push_back(split[from]);
    read[from] = b.getAffineDimExpr(to);
  }
  auto map = AffineMap::get(split.size(), 0, read, b.getContext());
  Value moved = mapElements(b, loc, RankedTensorType::get(shape, element), blocks, map, copyBody);
  return reshapeTensor(b, loc, moved, type);
}

struct ConvertDepthToSpace : ConvertMovement<DepthToSpaceOp> {
  using ConvertMovement::ConvertMovement;
  Value build(OpBuilder &b, DepthToSpaceOp op, OpAdaptor adaptor,
              RankedTensorType type) const override {
    ArrayRef<int64_t> from = tensorType(adaptor.getX()).getShape(), block = op.getBlock();
    const bool isLast = op.getChannelsLast(), blocksFirst = op.getMode() == DepthToSpaceMode::DCR;
    const int64_t spatial = block.size();
    const int64_t depth = isLast ? type.getShape().back() : type.getDimSize(1);
    // The channels are split into blocks and depth; then each block follows its pixels.
    SmallVector<int64_t> split(from.take_front(1)), permutation{0};
    if (isLast)
      llvm::append_range(split, from.drop_front(1).drop_back(1));
    const int64_t atDepth = split.size() + (blocksFirst ? spatial : 0);
    const int64_t atBlocks = split.size() + (blocksFirst ? 0 : 1);
    if (!blocksFirst)
      split.push_back(depth);
    llvm::append_range(split, block);
    if (blocksFirst)
      split.push_back(depth);
    const int64_t atSpatial = isLast ? 1 : split.size();
    if (!isLast) {
      llvm::append_range(split, from.drop_front(2));
      permutation.push_back(atDepth);
    }
    for (int64_t i = 0; i < spatial; ++i)
      permutation.append({atSpatial + i, atBlocks + i});
    if (isLast)
      permutation.push_back(atDepth);
    return permuteBlocks(b, op.getLoc(), adaptor.getX(), split, permutation, type);
  }
};

struct ConvertSpaceToDepth : ConvertMovement<SpaceToDepthOp> {
  using ConvertMovement::ConvertMovement;
  Value build(OpBuilder &b, SpaceToDepthOp op, OpAdaptor adaptor,
              RankedTensorType type) const override {
    ArrayRef<int64_t> from = tensorType(adaptor.getX()).getShape();
    int64_t block = op.getBlock();
    return permuteBlocks(b, op.getLoc(), adaptor.getX(),
                         {from[0], from[1], from[2] / block, block, from[3] / block, block},
                         {0, 3, 5, 1, 2, 4}, type);
  }
};

} // namespace

void to_linalg::populateDataMovement(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<ConvertReshape, ConvertTranspose, ConvertExpand, ConvertSlice, ConvertSplit,
               ConvertConcat, ConvertPad, ConvertTile, ConvertDepthToSpace, ConvertSpaceToDepth>(
      types, patterns.getContext());
}
