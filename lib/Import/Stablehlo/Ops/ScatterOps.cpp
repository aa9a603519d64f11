// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that write elements at positions that are computed at run time.
#include "Bodies.h"
#include "Indexing.h"
#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ttc;

/// Updates are applied one after the other, each with ops of its own, up to this number.
static constexpr int64_t kMostSteps = 256;

//===----------------------------------------------------------------------===//
// Windows as rows
//===----------------------------------------------------------------------===//

namespace {
/// Windows of an operand as rows of a matrix: those dimensions after the last one that is indexed
/// are the columns.
struct Rows {
  int64_t count = 1, columns = 1;
  /// The row that each row of the updates changes; one that the matrix does not have is left out.
  Value positions;
};
} // namespace

/// Windows of `sizes` of a tensor of that shape begin at `indices`, as for a gather. Those that
/// leave the tensor are left out; `areInside` states that none does.
static Rows makeRows(StablehloOp &op, ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes,
                     ArrayRef<Value> indices, ArrayRef<int64_t> batching,
                     ArrayRef<int64_t> batchShape, bool areInside) {
  Expressions e(op);
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t leading = rank;
  while (leading > 0 && sizes[leading - 1] == shape[leading - 1])
    --leading;
  Rows rows;
  SmallVector<int64_t> strides(leading);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    if (dim >= leading) {
      rows.columns *= shape[dim];
      continue;
    }
    strides[dim] = rows.count;
    rows.count *= shape[dim];
  }
  LinearIndices linear(op, batchShape, sizes.take_front(leading), rows.count + 1);
  Value isInside;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (Value index = indices[dim]) {
      if (!areInside) {
        Value fits = e.both(
            e.compare(ComparePredicate::GE, index, 0.0),
            e.compare(ComparePredicate::LE, index, static_cast<double>(shape[dim] - sizes[dim])));
        isInside = isInside ? e.both(isInside, fits) : fits;
      }
      if (dim < leading)
        linear.add(index, strides[dim]);
    }
    if (dim >= leading)
      continue;
    if (batching[dim] >= 0)
      linear.addPlace(batching[dim], strides[dim]);
    linear.addPlace(static_cast<int64_t>(batchShape.size()) + dim, strides[dim]);
  }
  rows.positions = linear.get();
  if (!rows.positions)
    return rows;
  if (isInside) {
    SmallVector<int64_t> extended(batchShape);
    extended.resize(batchShape.size() + leading, 1);
    rows.positions =
        e.where(e.reshape(isInside, extended), rows.positions, static_cast<double>(rows.count));
  }
  rows.positions =
      e.reshape(rows.positions, {tensorType(rows.positions).getNumElements(), int64_t(1)});
  return rows;
}

static Value writeRows(StablehloOp &op, Value data, Value positions, Value updates,
                       ScatterReduction reduction) {
  return op.create<ScatterNdOp>(
      {data, positions, updates},
      op.attr("reduction", ScatterReductionAttr::get(op.context(), reduction)));
}

//===----------------------------------------------------------------------===//
// What an update does
//===----------------------------------------------------------------------===//

namespace {
/// What the body of a scatter does with an element and an update.
enum class Update { Keep, Replace, Add, Subtract, Mul, Max, Min, And, Or, Xor, Other };
} // namespace

/// Recognises a result of a body of `count` elements and as many updates.
static Update recognize(Block &body, Value result, unsigned index, unsigned count) {
  auto isArgument = [&](Value value, unsigned number) { return value == body.getArgument(number); };
  if (isArgument(result, index))
    return Update::Keep;
  if (isArgument(result, count + index))
    return Update::Replace;
  Operation *made = result.getDefiningOp();
  if (!made || made->getNumOperands() != 2)
    return Update::Other;
  StringRef name = made->getName().getStringRef();
  if (!name.consume_front("stablehlo."))
    return Update::Other;
  const bool isInOrder =
      isArgument(made->getOperand(0), index) && isArgument(made->getOperand(1), count + index);
  const bool isSwapped =
      isArgument(made->getOperand(1), index) && isArgument(made->getOperand(0), count + index);
  if (name == "subtract" && isInOrder)
    return Update::Subtract;
  if (!isInOrder && !isSwapped)
    return Update::Other;
  return llvm::StringSwitch<Update>(name)
      .Case("add", Update::Add)
      .Case("multiply", Update::Mul)
      .Case("maximum", Update::Max)
      .Case("minimum", Update::Min)
      .Case("and", Update::And)
      .Case("or", Update::Or)
      .Case("xor", Update::Xor)
      .Default(Update::Other);
}

/// The reduction of ttc.scatter_nd that the update is, for elements of this type.
static std::optional<ScatterReduction> getReduction(Update update, Type type, bool isComplex) {
  const bool isBool = type.isInteger(1);
  switch (update) {
  case Update::Replace:
    return ScatterReduction::None;
  case Update::Add:
    return isBool ? ScatterReduction::Max : ScatterReduction::Add;
  case Update::Subtract:
    return isBool ? std::nullopt : std::optional(ScatterReduction::Add);
  case Update::Mul:
    return isComplex ? std::nullopt
                     : std::optional(isBool ? ScatterReduction::Min : ScatterReduction::Mul);
  case Update::Max:
    return isComplex ? std::nullopt : std::optional(ScatterReduction::Max);
  case Update::Min:
    return isComplex ? std::nullopt : std::optional(ScatterReduction::Min);
  case Update::And:
    return isBool ? std::optional(ScatterReduction::Min) : std::nullopt;
  case Update::Or:
    return isBool ? std::optional(ScatterReduction::Max) : std::nullopt;
  case Update::Xor:
    return isBool ? std::optional(ScatterReduction::Add) : std::nullopt;
  default:
    return std::nullopt;
  }
}

static Value update(StablehloOp &op, Value data, const Rows &rows, Value updates, Update kind,
                    ScatterReduction reduction) {
  Expressions e(op);
  Type type = data ? elementTypeOf(data) : Type();
  if (!data || !updates)
    return {};
  // Bools are numbers while they are compared or counted.
  Type byte = IntegerType::get(op.context(), 8);
  const bool isCounted = type.isInteger(1) && reduction != ScatterReduction::None;
  if (isCounted) {
    data = e.cast(data, byte);
    updates = e.cast(updates, byte);
  }
  if (kind == Update::Subtract)
    updates = type.isUnsignedInteger() ? op.create<SubOp>({op.scalarLike(updates, 0), updates})
                                       : e.unary<NegOp>(updates);
  Value result = writeRows(op, data, rows.positions, updates, reduction);
  if (!isCounted)
    return result;
  if (kind == Update::Xor)
    result = op.create<BitAndOp>({result, op.scalarLike(result, 1)});
  return e.cast(result, type);
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

static const IndexedDimsNames kScatterNames = {"update_window_dims",
                                               "inserted_window_dims",
                                               "input_batching_dims",
                                               "scatter_indices_batching_dims",
                                               "scatter_dims_to_operand_dims",
                                               "C2",
                                               "C7, C8",
                                               "C9, C10, C11",
                                               "C9, C12, C13",
                                               "C9",
                                               "C14, C15, C16",
                                               "C17, C18",
                                               "C19",
                                               "C20, C21",
                                               "C22"};

/// Calls the body with elements and updates of the same shape.
static FailureOr<SmallVector<Value>> combine(StablehloOp &op, ArrayRef<Value> elements,
                                             ArrayRef<Value> updates) {
  SmallVector<Value> arguments(elements);
  arguments.append(updates.begin(), updates.end());
  FailureOr<SmallVector<Value>> values = op.importBody(0, arguments, /*broadened=*/true);
  if (failed(values))
    return failure();
  // Constants are single numbers.
  Expressions e(op);
  for (auto [value, like] : llvm::zip_equal(*values, updates))
    value = mapParts(op, {value, like},
                     [&](ArrayRef<Value> parts) { return e.expand(parts[0], shapeOf(parts[1])); });
  return values;
}

/// Any body: rows are read, combined and written, all at once if each is written once, else one
/// after the other.
static LogicalResult updateByBody(StablehloOp &op, SmallVector<Value> &data, const Rows &rows,
                                  ArrayRef<Value> updates, bool isUnique) {
  Expressions e(op);
  if (!rows.positions)
    return failure();
  const int64_t count = shapeOf(rows.positions)[0];
  if (!isUnique && count > kMostSteps)
    return op.error()
           << "expected a body that is one of add, subtract, multiply, minimum, maximum, "
              "of bools and, or and xor, or the update alone; another one with "
              "unique_indices, or at most "
           << kMostSteps << " updates, found " << count;
  Value readable = e.min(rows.positions, static_cast<double>(rows.count - 1));
  const int64_t step = isUnique ? count : 1;
  for (int64_t first = 0; first < count; first += step) {
    Value positions = e.slice(rows.positions, 0, first, step);
    Value read = e.squeeze(e.slice(readable, 0, first, step), 1);
    SmallVector<Value> old, given;
    for (auto [tensor, update] : llvm::zip_equal(data, updates)) {
      old.push_back(mapParts(op, tensor, [&](Value part) { return e.gather(part, read, 0); }));
      given.push_back(
          mapParts(op, update, [&](Value part) { return e.slice(part, 0, first, step); }));
    }
    FailureOr<SmallVector<Value>> made = combine(op, old, given);
    if (failed(made))
      return failure();
    for (auto [tensor, value] : llvm::zip_equal(data, *made))
      tensor = mapParts(op, {tensor, value}, [&](ArrayRef<Value> parts) {
        return writeRows(op, parts[0], positions, parts[1], ScatterReduction::None);
      });
  }
  return success();
}

static LogicalResult importScatter(StablehloOp &op) {
  op.ignoreAttrs({"indices_are_sorted"});
  if (op.numOperands() < 3 || op.numOperands() % 2 == 0)
    return op.error() << "(C5) expected operands, indices and as many updates, found "
                      << op.numOperands() << " operands";
  const unsigned count = op.numOperands() / 2;
  const bool isUnique = op.getBool("unique_indices", false);
  StablehloFields fields = op.getFields("scatter_dimension_numbers", "scatter");
  Block *body = op.body(0, 2 * count);
  if (op.hasFailed())
    return failure();
  StringRef other = fields.findOther({"update_window_dims", "inserted_window_dims",
                                      "input_batching_dims", "scatter_indices_batching_dims",
                                      "scatter_dims_to_operand_dims", "index_vector_dim"});
  if (!other.empty())
    return op.error() << "field '" << other << "' of 'scatter_dimension_numbers' is not supported";
  auto get = [&](StringRef field) { return SmallVector<int64_t>(fields.getInts(field)); };
  IndexedDims dims{get("update_window_dims"),           get("inserted_window_dims"),
                   get("input_batching_dims"),          get("scatter_indices_batching_dims"),
                   get("scatter_dims_to_operand_dims"), fields.getInt("index_vector_dim", 0)};
  Value indices = op.operand(count);
  if (op.isComplex(indices))
    return op.error() << "expected indices of integers, found " << op.sourceTypeOf(indices);
  SmallVector<int64_t> shape(shapeOf(op.realOf(op.operand(0))));
  SmallVector<int64_t> updateShape(shapeOf(op.realOf(op.operand(count + 1))));
  const auto rank = static_cast<int64_t>(shape.size());
  const auto updateRank = static_cast<int64_t>(updateShape.size());
  for (unsigned i = 0; i < count; ++i)
    if (shapeOf(op.realOf(op.operand(i))) != ArrayRef(shape) ||
        shapeOf(op.realOf(op.operand(count + 1 + i))) != ArrayRef(updateShape))
      return op.error() << "(C1, C3) expected operands of one shape, and updates of one shape";
  for (unsigned i = 0; i < count; ++i) {
    RankedTensorType type = op.sourceTypeOf(op.operand(i)),
                     update = op.sourceTypeOf(op.operand(count + 1 + i));
    if (type.getElementType() != update.getElementType())
      return op.error() << "(C6) expected updates of the elements of " << type << ", found "
                        << update;
  }
  if (failed(checkIndexedDims(op, dims, kScatterNames, shape, shapeOf(indices), updateRank)))
    return failure();
  SmallVector<int64_t> batchShape = getBatchShape(dims, shapeOf(indices));
  SmallVector<int64_t> windowDims = getWindowDims(dims, rank);
  // Dimensions of the updates: those of the batch, then those of the window.
  SmallVector<int64_t> order, sizes(rank, 1), batchSizes;
  for (int64_t dim = 0; dim < updateRank; ++dim)
    if (!llvm::is_contained(dims.window, dim)) {
      order.push_back(dim);
      batchSizes.push_back(updateShape[dim]);
    }
  order.append(dims.window);
  bool fits = batchSizes == batchShape;
  for (auto [dim, from] : llvm::zip_equal(windowDims, dims.window)) {
    sizes[dim] = updateShape[from];
    fits &= sizes[dim] <= shape[dim];
  }
  if (!fits)
    return op.error() << "(C4) expected updates for indices of shape [" << printList(batchShape)
                      << "] and windows of an operand of shape [" << printList(shape)
                      << "], found [" << printList(updateShape) << "]";
  Reducer reducer(op, 0, count, "C23");
  if (failed(reducer.check(op.allOperands().take_front(count))))
    return failure();
  SmallVector<Value> data = reducer.convert(op.allOperands().take_front(count)),
                     given = reducer.convert(op.allOperands().drop_front(count + 1));
  if (llvm::is_contained(updateShape, 0) || llvm::is_contained(shape, 0))
    return op.results(data);

  SmallVector<int64_t> batching(rank, -1);
  for (auto [dim, from] : llvm::zip_equal(dims.batching, dims.indicesBatching))
    batching[dim] = from - (from > dims.vectorDim);
  Rows rows = makeRows(op, shape, sizes, splitIndices(op, indices, dims, rank), batching,
                       batchShape, /*areInside=*/false);
  if (!rows.positions)
    return op.results(Value());
  Expressions e(op);
  SmallVector<Value> updates;
  for (unsigned i = 0; i < count; ++i) {
    data[i] = mapParts(op, data[i],
                       [&](Value part) { return e.reshape(part, {rows.count, rows.columns}); });
    updates.push_back(mapParts(op, given[i], [&](Value part) {
      return e.reshape(e.transpose(part, order), {shapeOf(rows.positions)[0], rows.columns});
    }));
  }

  Operation &end = body->back();
  SmallVector<Update> kinds;
  SmallVector<std::optional<ScatterReduction>> reductions;
  for (unsigned i = 0; i < count; ++i) {
    kinds.push_back(recognize(*body, end.getOperand(i), i, count));
    reductions.push_back(
        getReduction(kinds[i], op.resultElementType(i), StablehloOp::isComplex(data[i])));
  }
  const bool isKnown = llvm::all_of(llvm::zip_equal(kinds, reductions), [](auto pair) {
    return std::get<0>(pair) == Update::Keep || std::get<1>(pair);
  });
  if (!isKnown && failed(updateByBody(op, data, rows, updates, isUnique)))
    return failure();
  for (unsigned i = 0; i < count; ++i) {
    if (isKnown && kinds[i] != Update::Keep)
      data[i] = mapParts(op, {data[i], updates[i]}, [&](ArrayRef<Value> parts) {
        return update(op, parts[0], rows, parts[1], kinds[i], *reductions[i]);
      });
    data[i] = mapParts(op, data[i], [&](Value part) { return e.reshape(part, shape); });
  }
  return op.results(data);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// A part of the operand replaced; `starts` are known.
static Value replacePart(Expressions &e, Value x, Value part, ArrayRef<int64_t> starts,
                         int64_t dim) {
  if (!x || !part || shapeOf(x) == shapeOf(part))
    return part;
  const int64_t size = shapeOf(part)[dim], extent = shapeOf(x)[dim], end = starts[dim] + size;
  Value middle = replacePart(e, e.slice(x, dim, starts[dim], size), part, starts, dim + 1);
  SmallVector<Value> parts;
  if (starts[dim] > 0)
    parts.push_back(e.slice(x, dim, 0, starts[dim]));
  parts.push_back(middle);
  if (end < extent)
    parts.push_back(e.slice(x, dim, end, extent - end));
  return e.concat(parts, dim);
}

static LogicalResult importDynamicUpdateSlice(StablehloOp &op) {
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of a reduction or a sort";
  if (op.numOperands() < 2)
    return op.error() << "expected an operand and an update";
  Value x = op.operand(0), part = op.operand(1);
  const int64_t rank = rankOf(x);
  if (rankOf(part) != rank || op.numOperands() != rank + 2)
    return op.error() << "(C3, C4) expected an update of rank " << rank << " and as many start "
                      << "indices, found " << part.getType() << " and " << op.numOperands() - 2;
  if (elementTypeOf(part) != elementTypeOf(x))
    return op.error() << "(C2) expected an update of the elements of " << x.getType() << ", found "
                      << part.getType();
  SmallVector<int64_t> shape(shapeOf(x)), sizes(shapeOf(part)), first(rank, 0);
  SmallVector<Value> starts(rank);
  Expressions e(op);
  bool isKnown = true;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (sizes[dim] > shape[dim])
      return op.error() << "(C6) expected an update that is no larger than " << x.getType()
                        << ", found " << part.getType();
    Value start = op.operand(dim + 2);
    if (rankOf(start) != 0)
      return op.error() << "expected start indices of rank 0, found " << start.getType();
    // The slice is moved until it fits.
    starts[dim] = clampIndex(op, makeSignedIndex(op, start), shape[dim], sizes[dim]);
    if (sizes[dim] == shape[dim]) {
      starts[dim] = {};
    } else if (std::optional<int64_t> known = getConstantInt(starts[dim])) {
      first[dim] = *known;
    } else {
      isKnown = false;
    }
  }
  if (op.hasFailed())
    return failure();
  if (llvm::is_contained(sizes, 0))
    return op.results(x);
  if (isKnown)
    return op.results(replacePart(e, x, part, first, 0));
  Rows rows = makeRows(op, shape, sizes, starts, SmallVector<int64_t>(rank, -1), {},
                       /*areInside=*/true);
  if (!rows.positions)
    return op.results(Value());
  Value y = writeRows(op, e.reshape(x, {rows.count, rows.columns}), rows.positions,
                      e.reshape(part, {shapeOf(rows.positions)[0], rows.columns}),
                      ScatterReduction::None);
  return op.results(e.reshape(y, shape));
}

void mlir::ttc::registerStablehloScatterOps(StablehloRegistry &registry) {
  registry.add("dynamic_update_slice", importDynamicUpdateSlice, OnComplex::ByParts);
  registry.add("scatter", importScatter, OnComplex::Handled,
               "a body that is not one op, unless indices are unique or few");
}
