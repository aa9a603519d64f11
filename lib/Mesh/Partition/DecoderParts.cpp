// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DecoderParts.h"
#include "dialects/Ttc/Tensors/BlockOps.h"
#include "dialects/Ttc/Tensors/CollectiveOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/GenerativeOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "kernels/BlockFormats.h"
#include "lib/Mesh/Sharding/HeadSections.h"
#include "ttrt/sampling.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ttc;
namespace kernels = ::ttc::kernels;

static int64_t columnsOf(Value value) { return tensorType(value).getDimSize(1); }

//===--- weights ----------------------------------------------------------------------===//

int64_t mlir::ttc::getBlockRows(Value w, BlockFormat format, int64_t columns) {
  return tensorType(w).getNumElements() /
         kernels::getFileRowBytes(static_cast<int64_t>(format), columns);
}

static RowView getView(BlockFormat format, int64_t columns, ArrayRef<int64_t> sections) {
  const kernels::BlockLayout block = kernels::getBlockLayout(static_cast<int64_t>(format));
  return {columns / block.columns, block.fileBytes, SmallVector<int64_t>(sections)};
}

static ElementsAttr getConstant(Value value) {
  return value.getDefiningOp<ConstantOp>().getValue();
}

ElementsAttr mlir::ttc::getWeightParts(PartsCache &cache, BlockMatmulOp op, const Axes &rows,
                                       const Axes &columns, MeshAttr mesh) {
  SmallVector<int64_t> sections{columnsOf(op.getY())};
  if (op.getGated())
    sections.push_back(sections[0]);
  else if (std::optional<HeadSections> heads = getHeadSections(op.getY()))
    sections = heads->sizes;
  return getRowParts(cache, getConstant(op.getW()),
                     getView(op.getFormat(), columnsOf(op.getX()), sections), rows, columns, mesh);
}

ElementsAttr mlir::ttc::getBiasParts(PartsCache &cache, BlockMatmulOp op, const Axes &columns,
                                     MeshAttr mesh) {
  RowView view;
  view.sections = {columnsOf(op.getY())};
  if (std::optional<HeadSections> heads = getHeadSections(op.getY()))
    view.sections = heads->sizes;
  return getRowParts(cache, getConstant(op.getBias()), view, columns, {}, mesh);
}

ElementsAttr mlir::ttc::getTableParts(PartsCache &cache, BlockGatherOp op, const Axes &rows,
                                      MeshAttr mesh) {
  const auto columns = static_cast<int64_t>(op.getColumns());
  const int64_t count = getBlockRows(op.getW(), op.getFormat(), columns);
  return getRowParts(cache, getConstant(op.getW()), getView(op.getFormat(), columns, count), rows,
                     {}, mesh);
}

//===--- sums -------------------------------------------------------------------------===//

static Value makeZero(OpBuilder &builder, Location loc) {
  auto type = RankedTensorType::get({1}, builder.getF32Type());
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, 0.0F));
}

/// Which of `rows` rows are before `count`.
static Value makeMask(OpBuilder &builder, Location loc, int64_t rows, Value count) {
  SmallVector<int32_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto type = RankedTensorType::get({rows, 1}, builder.getI32Type());
  Value all =
      ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  return CompareOp::create(builder, loc, ComparePredicate::LT, all, count);
}

Value mlir::ttc::addAfterSum(OpBuilder &builder, BlockMatmulOp op, Value sum, Value bias,
                             Value residual, DenseMap<Value, Value> &masks) {
  Location loc = op.getLoc();
  if (!bias && !residual)
    return sum;
  for (Value term : {bias, residual})
    if (term)
      sum = AddOp::create(builder, loc, sum.getType(), sum, term);
  if (!op.getCount())
    return sum;
  Value &mask = masks[op.getCount()];
  const int64_t rows = tensorType(sum).getDimSize(0);
  if (!mask || tensorType(mask).getDimSize(0) != rows)
    mask = makeMask(builder, loc, rows, op.getCount());
  return WhereOp::create(builder, loc, mask, sum, makeZero(builder, loc));
}

//===--- embeddings -------------------------------------------------------------------===//

/// `step` times the number of each device's part, i32.
static Value makeOffset(OpBuilder &builder, Location loc, int64_t step, const Axes &axes,
                        MeshAttr mesh) {
  SmallVector<int32_t> numbers;
  for (int64_t part = 0; part < getParts(mesh, axes); ++part)
    numbers.push_back(static_cast<int32_t>(part * step));
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, builder.getI32Type());
  return ConstantOp::create(
      builder, loc,
      getParts(DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)), Layout{axes}, mesh));
}

static Value makeNumber(OpBuilder &builder, Location loc, int64_t value) {
  auto type = RankedTensorType::get({1}, builder.getI32Type());
  return ConstantOp::create(builder, loc,
                            DenseElementsAttr::get(type, static_cast<int32_t>(value)));
}

Value mlir::ttc::gatherOwnRows(OpBuilder &builder, BlockGatherOp op, Value table, Value tokens,
                               const Axes &rows, MeshAttr mesh) {
  Location loc = op.getLoc();
  const auto columns = static_cast<int64_t>(op.getColumns());
  const int64_t count = getBlockRows(op.getW(), op.getFormat(), columns);
  const int64_t own = count / getParts(mesh, rows);
  // Tokens beyond the table read its first or last row, wherever that is.
  Value token = MaxOp::create(builder, loc, tokens, makeNumber(builder, loc, 0));
  token = MinOp::create(builder, loc, token, makeNumber(builder, loc, count - 1));
  token = SubOp::create(builder, loc, token, makeOffset(builder, loc, own, rows, mesh));
  Value found = BlockGatherOp::create(builder, loc, op.getType(), table, token, op.getFormat(),
                                      op.getColumns());
  Value isOwn = AndOp::create(
      builder, loc,
      CompareOp::create(builder, loc, ComparePredicate::GE, token, makeNumber(builder, loc, 0)),
      CompareOp::create(builder, loc, ComparePredicate::LT, token, makeNumber(builder, loc, own)));
  isOwn = ReshapeOp::create(builder, loc, isOwn, {tensorType(tokens).getDimSize(0), 1});
  return WhereOp::create(builder, loc, isOwn, found, makeZero(builder, loc));
}

//===--- logits -----------------------------------------------------------------------===//

/// Logits are gathered by runs of this many columns: the k largest logits are in the k runs of the
/// largest maxima. 0: a device's columns are not whole runs.
static int64_t getRunLength(RankedTensorType logits, const Axes &axes, MeshAttr mesh) {
  const int64_t own = logits.getDimSize(1) / getParts(mesh, axes);
  for (int64_t length : {16, 8, 4})
    if (own % length == 0)
      return length;
  return 0;
}

bool mlir::ttc::choosesFromParts(SampleOp op, DimensionClasses &classes) {
  if (!hasOnlyUse(op.getLogits()))
    return false;
  const Layout layout = classes.getLayout(op.getLogits());
  const int64_t length = getRunLength(tensorType(op.getLogits()), layout[1], classes.getMesh());
  return layout[0].empty() && !layout[1].empty() && length != 0 &&
         columnsOf(op.getLogits()) / getParts(classes.getMesh(), layout[1]) / length >
             TTRT_SAMPLING_BEST;
}

Value mlir::ttc::gatherBest(OpBuilder &builder, Location loc, Value logits, const Axes &axes,
                            MeshAttr mesh) {
  MLIRContext *context = builder.getContext();
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  const int64_t rows = tensorType(logits).getDimSize(0), own = columnsOf(logits);
  const int64_t parts = getParts(mesh, axes), best = TTRT_SAMPLING_BEST;
  const int64_t length = getRunLength(RankedTensorType::get({rows, own * parts}, f32), axes, mesh);
  const int64_t runs = own / length;
  auto lowest = [&](ArrayRef<int64_t> shape) {
    APFloat value = APFloat::getInf(APFloat::IEEEsingle(), /*Negative=*/true);
    return ConstantOp::create(builder, loc,
                              DenseElementsAttr::get(RankedTensorType::get(shape, f32), value));
  };
  // Numbers of the runs that begin in each row of the logits.
  auto rowBegins = [&](int64_t ofRow) -> Value {
    SmallVector<int32_t> begins;
    for (int64_t row = 0; row < rows; ++row)
      begins.push_back(static_cast<int32_t>(row * ofRow));
    return ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get({rows, 1}, i32), ArrayRef<int32_t>(begins)));
  };

  // The best runs of this device. What is no number is never chosen.
  Value isNumber = CompareOp::create(builder, loc, ComparePredicate::EQ, logits, logits);
  Value clean = WhereOp::create(builder, loc, isNumber, logits, lowest({1}));
  Value all = ReshapeOp::create(builder, loc, clean, {rows, runs, length});
  Value maxima = ReduceMaxOp::create(builder, loc, all, {2}, /*keepdims=*/false);
  Value chosen = ArgsortOp::create(builder, loc, maxima, /*axis=*/1, best, /*largest=*/true);
  chosen = CastOp::create(builder, loc, RankedTensorType::get({rows, best}, i32), chosen);
  Value places = AddOp::create(builder, loc, chosen, rowBegins(runs));
  all = ReshapeOp::create(builder, loc, all, {rows * runs, length});
  Value values = GatherOp::create(builder, loc, all, places, /*axis=*/0);
  // With their numbers among those of all devices, which f32 has exactly: one exchange is enough.
  Value numbers = AddOp::create(builder, loc, chosen, makeOffset(builder, loc, runs, axes, mesh));
  numbers = CastOp::create(builder, loc, RankedTensorType::get({rows, best}, f32), numbers);
  numbers = ReshapeOp::create(builder, loc, numbers, {rows, best, 1});
  Value packed = ConcatOp::create(builder, loc, ValueRange{values, numbers}, 2);
  SmallVector<StringRef> names;
  for (unsigned axis : axes)
    names.push_back(mesh.getAxes()[axis].getName());
  Value gathered = AllGatherOp::create(builder, loc,
                                       RankedTensorType::get({rows, parts * best, length + 1}, f32),
                                       packed, builder.getStrArrayAttr(names), /*dimension=*/1);

  // To where they were.
  values =
      SliceOp::create(builder, loc, gathered, {0, 0, 0}, {rows, parts * best, length}, {1, 1, 1});
  numbers =
      SliceOp::create(builder, loc, gathered, {0, 0, length}, {rows, parts * best, 1}, {1, 1, 1});
  numbers = ReshapeOp::create(builder, loc, numbers, {rows, parts * best});
  numbers = CastOp::create(builder, loc, RankedTensorType::get({rows, parts * best}, i32), numbers);
  numbers = AddOp::create(builder, loc, numbers, rowBegins(runs * parts));
  numbers = ReshapeOp::create(builder, loc, numbers, {rows * parts * best, 1});
  values = ReshapeOp::create(builder, loc, values, {rows * parts * best, length});
  Value whole =
      ScatterNdOp::create(builder, loc, lowest({rows * runs * parts, length}), numbers, values,
                          ScatterReductionAttr::get(context, ScatterReduction::None));
  return ReshapeOp::create(builder, loc, whole, {rows, own * parts});
}
