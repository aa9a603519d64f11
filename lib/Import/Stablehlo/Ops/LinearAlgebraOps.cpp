// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of matrices, and systems of equations with triangular ones.
#include "LinearAlgebraOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <limits>

using namespace mlir;
using namespace mlir::ttc;

/// Matrices have at most this many rows or columns: each of them is a step over the whole matrix.
static constexpr int64_t kLargestMatrix = 4096;

/// The cost model: at most this many steps are unrolled, and more are repeated by the device. A
/// step is about ten ops, each of which costs time to compile.
static constexpr int64_t kMostUnrolledSteps = 16;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
/// The number of a step, as a tensor of i32, and while compiling if steps are unrolled.
struct StepIndex {
  Value value;
  std::optional<int64_t> number;
};

/// Algorithms on batches of matrices, tensors of rank 3, that change the whole matrix once a row or
/// column. Elements that a step does not change are selected, not multiplied by 0: they may stand
/// beside infinities.
class MatrixSteps {
public:
  explicit MatrixSteps(StablehloOp &op) : op(op), e(op) {}

  /// U with U^T U = a, where `a` is symmetric and only its upper triangle is read, with arbitrary
  /// numbers in the other triangle; and the order of the first leading minor that is not positive,
  /// or 0. NaN is a failure, or spreads to what depends on it.
  std::pair<Value, Value> factorCholesky(Value a, bool isNanFailure);

  /// Solves M x = b, where M is triangular and `transposed` its transpose. The other triangle is
  /// not read; neither is the diagonal, if it is taken for ones.
  Value solve(Value transposed, Value b, bool isLower, bool isUnit);

  /// P a = L U by elimination with the largest pivot of each column. The factors share a matrix, as
  /// the diagonal of L is ones.
  struct Lu {
    Value factors;
    /// The row, counted from 1, that each row was swapped with.
    Value pivots;
    /// The first column, counted from 1, whose pivot is 0, or 0.
    Value info;
  };
  Lu factorLu(Value a);

  /// a = Q R, where Q is the product of reflections I - tau v v^T, one for each column. Their
  /// vectors are below the diagonal, after a one that is not stored, and R is above. Results are
  /// these and tau, as LAPACK's geqrf has them.
  std::pair<Value, Value> factorQr(Value a);
  /// The first columns of the product of reflections, as orgqr has them.
  Value multiplyReflections(Value a, Value tau);

  Type getIndexType() { return op.getBuilder().getI32Type(); }
  /// 0, 1, ... in one dimension of a tensor of rank 3.
  Value positions(int64_t count, int64_t dim) {
    SmallVector<int64_t> shape(3, 1);
    shape[dim] = count;
    return e.ints(shape, llvm::to_vector(llvm::seq<int64_t>(0, count)), getIndexType());
  }

private:
  using Values = SmallVector<Value>;
  /// What `count` steps make of the values, with the last step first if `isReversed`.
  Values repeat(int64_t count, bool isReversed, Values values,
                llvm::function_ref<Values(const StepIndex &, ArrayRef<Value>)> step);
  /// One index of a dimension, which stays with size 1.
  Value take(Value x, int64_t dim, const StepIndex &index) {
    return index.number ? e.slice(x, dim, *index.number, 1)
                        : e.gather(x, e.reshape(index.value, {1}), dim);
  }
  Value isAt(Value position, Value index) {
    return e.compare(ComparePredicate::EQ, position, index);
  }
  Value isAfter(Value position, const StepIndex &index) {
    return e.compare(ComparePredicate::GT, position, index.value);
  }
  Value either(Value condition, double yes, Value no) {
    return e.where(condition, e.number(no, yes), no);
  }
  /// The number of the step from 1, if it is the first that fails.
  Value noteFailure(Value info, Value fails, const StepIndex &index) {
    Value isFirst = e.both(fails, e.compare(ComparePredicate::EQ, info, 0.0));
    return e.where(isFirst, e.add(index.value, 1.0), info);
  }

  StablehloOp &op;
  Expressions e;
};
} // namespace

SmallVector<Value>
MatrixSteps::repeat(int64_t count, bool isReversed, Values values,
                    llvm::function_ref<Values(const StepIndex &, ArrayRef<Value>)> step) {
  auto hasFailed = [&] { return op.hasFailed() || llvm::is_contained(values, Value()); };
  const Values none(values.size());
  auto makeIndex = [&](int64_t number) {
    return StepIndex{e.ints({}, number, getIndexType()), number};
  };
  if (count <= kMostUnrolledSteps) {
    for (int64_t number : llvm::seq<int64_t>(0, count))
      values = step(makeIndex(isReversed ? count - 1 - number : number), values);
    return values;
  }
  values.push_back(makeIndex(isReversed ? count - 1 : 0).value);
  if (hasFailed())
    return none;
  auto begin = LoopBeginOp::create(op.getBuilder(), op.getLoc(), values, count,
                                   /*is_while=*/false, /*fails_at_limit=*/false);
  values.assign(begin.getValues().begin(), begin.getValues().end());
  Value index = values.pop_back_val();
  values = step({index, std::nullopt}, values);
  values.push_back(e.add(index, isReversed ? -1.0 : 1.0));
  if (hasFailed())
    return none;
  ValueRange results = LoopEndOp::create(op.getBuilder(), op.getLoc(), values).getValues();
  return llvm::to_vector(results.drop_back());
}

std::pair<Value, Value> MatrixSteps::factorCholesky(Value a, bool isNanFailure) {
  const int64_t batch = shapeOf(a)[0], n = shapeOf(a)[1];
  Value rows = positions(n, 1), columns = positions(n, 2);
  Value info = e.splat({batch, 1, 1}, getIndexType(), 0);
  Values results = repeat(n, false, {a, info}, [&](const StepIndex &j, ArrayRef<Value> values) {
    Value row = take(values[0], 1, j), pivot = take(row, 2, j);
    Value fails = isNanFailure ? e.unary<NotOp>(e.compare(ComparePredicate::GT, pivot, 0.0))
                               : e.compare(ComparePredicate::LE, pivot, 0.0);
    Value root = e.unary<SqrtOp>(pivot);
    // The root of infinity is no quotient of it.
    row = e.where(isAt(columns, j.value), root, e.div(row, root));
    Value rest = e.sub(values[0], e.mul(e.reshape(row, {batch, n, 1}), row));
    rest = e.where(isAfter(rows, j), rest, values[0]);
    return Values{e.where(isAt(rows, j.value), row, rest), noteFailure(values[1], fails, j)};
  });
  return {results[0], results[1]};
}

Value MatrixSteps::solve(Value transposed, Value b, bool isLower, bool isUnit) {
  const int64_t batch = shapeOf(b)[0], n = shapeOf(b)[1];
  Value rows = positions(n, 1);
  return repeat(n, !isLower, {b}, [&](const StepIndex &j, ArrayRef<Value> values) {
    Value column = take(transposed, 1, j), x = take(values[0], 1, j);
    if (!isUnit)
      x = e.div(x, take(column, 2, j));
    Value rest = e.sub(values[0], e.mul(e.reshape(column, {batch, n, 1}), x));
    Value remains = isLower ? isAfter(rows, j) : e.compare(ComparePredicate::LT, rows, j.value);
    return Values{e.where(isAt(rows, j.value), x, e.where(remains, rest, values[0]))};
  })[0];
}

MatrixSteps::Lu MatrixSteps::factorLu(Value a) {
  const int64_t batch = shapeOf(a)[0], m = shapeOf(a)[1], n = shapeOf(a)[2], k = std::min(m, n);
  Value rows = positions(m, 1), columns = positions(n, 2), places = positions(k, 1);
  Value pivots = e.splat({batch, k, 1}, getIndexType(), 0);
  Value info = e.splat({batch, 1, 1}, getIndexType(), 0);
  Values results =
      repeat(k, false, {a, pivots, info}, [&](const StepIndex &j, ArrayRef<Value> values) {
        Value column = take(values[0], 2, j), row = take(values[0], 1, j);
        Value size = e.where(e.compare(ComparePredicate::GE, rows, j.value), e.abs(column), -1.0);
        Value place = e.cast(op.create<ArgmaxOp>(size, {op.i64("axis", 1), op.flag("keepdims")}),
                             getIndexType());
        Value other = e.gatherElements(values[0], e.expand(place, {batch, 1, n}), 1);
        Value isOther = isAt(rows, place), isBelow = isAfter(rows, j);
        Value swapped = e.where(isAt(rows, j.value), other, e.where(isOther, row, values[0]));
        Value pivot = take(other, 2, j), isZero = e.compare(ComparePredicate::EQ, pivot, 0.0);
        // The column after the swap. Below the pivot, all is 0 if the pivot is.
        Value lower = e.where(isOther, take(row, 2, j), column);
        lower = e.where(isZero, lower, e.div(lower, pivot));
        Value rest = e.where(isAfter(columns, j), e.sub(swapped, e.mul(lower, other)),
                             e.where(isAt(columns, j.value), lower, swapped));
        return Values{e.where(isBelow, rest, swapped),
                      e.where(isAt(places, j.value), e.add(place, 1.0), values[1]),
                      noteFailure(values[2], isZero, j)};
      });
  return {results[0], results[1], results[2]};
}

std::pair<Value, Value> MatrixSteps::factorQr(Value a) {
  const int64_t batch = shapeOf(a)[0], m = shapeOf(a)[1], n = shapeOf(a)[2], k = std::min(m, n);
  Value rows = positions(m, 1), columns = positions(n, 2), places = positions(k, 1);
  Value taus = e.splat({batch, k, 1}, elementTypeOf(a), 0);
  Values results = repeat(k, false, {a, taus}, [&](const StepIndex &j, ArrayRef<Value> values) {
    Value column = take(values[0], 2, j), alpha = take(column, 1, j);
    Value isHere = isAt(rows, j.value), isBelow = isAfter(rows, j);
    Value below = e.where(isBelow, column, 0.0);
    // Divided by the largest element, so that no square is out of range.
    Value rest = e.reduce<ReduceMaxOp>(e.abs(below), {1}), size = e.max(rest, e.abs(alpha));
    Value unit = either(e.compare(ComparePredicate::EQ, size, 0.0), 1, size);
    Value squares = e.sum(e.square(e.div(below, unit)), {1}, /*keepDims=*/true);
    Value norm = e.mul(e.unary<SqrtOp>(e.add(squares, e.square(e.div(alpha, unit)))), unit);
    // The sign that cancels nothing. A column of zeros below is not reflected.
    Value beta = e.where(e.compare(ComparePredicate::LT, alpha, 0.0), norm, e.sub(0.0, norm));
    Value isDone = e.compare(ComparePredicate::EQ, rest, 0.0);
    Value tau = either(isDone, 0, e.div(e.sub(beta, alpha), beta));
    Value vector = e.where(isBelow, e.div(below, e.sub(alpha, beta)), 0.0);
    vector = either(isDone, 0, vector);
    Value whole = either(isHere, 1, vector);
    Value isReflected = op.create<OrOp>({isHere, isBelow});
    Value products = e.where(isReflected, e.mul(whole, values[0]), 0.0);
    Value change = e.mul(e.mul(tau, whole), e.sum(products, {1}, /*keepDims=*/true));
    Value reflected = e.where(isReflected, e.sub(values[0], change), values[0]);
    Value own = e.where(isBelow, vector, e.where(isHere, e.where(isDone, alpha, beta), column));
    Value next =
        e.where(isAfter(columns, j), reflected, e.where(isAt(columns, j.value), own, values[0]));
    return Values{next, e.where(isAt(places, j.value), tau, values[1])};
  });
  return {results[0], results[1]};
}

Value MatrixSteps::multiplyReflections(Value a, Value tau) {
  const int64_t batch = shapeOf(a)[0], m = shapeOf(a)[1], n = shapeOf(a)[2];
  Value rows = positions(m, 1), isDiagonal = isAt(rows, positions(n, 2));
  Value identity = e.expand(e.cast(isDiagonal, elementTypeOf(a)), {batch, m, n});
  return repeat(shapeOf(tau)[1], true, {identity}, [&](const StepIndex &j, ArrayRef<Value> values) {
    Value vector = e.where(isAfter(rows, j), take(a, 2, j), 0.0);
    vector = either(isAt(rows, j.value), 1, vector);
    Value products = e.sum(e.mul(vector, values[0]), {1}, /*keepDims=*/true);
    return Values{e.sub(values[0], e.mul(e.mul(take(tau, 1, j), vector), products))};
  })[0];
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Reports an operand that is not a batch of matrices of floats that can be factored.
static LogicalResult checkMatrices(StablehloOp &op, Value x, StringRef constraint) {
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of a reduction or a sort";
  if (op.isComplex(x) || !isa<FloatType>(elementTypeOf(x)))
    return op.error() << "expected matrices of floats, found " << StablehloOp::sourceTypeOf(x)
                      << (op.isComplex(x)
                              ? ": write an equation of complex numbers as one of twice as many "
                                "real ones"
                              : "");
  if (rankOf(x) < 2)
    return op.error() << cite(constraint) << "expected at least 2 dimensions, found "
                      << x.getType();
  for (int64_t size : shapeOf(x).take_back(2))
    if (size > kLargestMatrix)
      return op.error() << "expected matrices of at most " << kLargestMatrix
                        << " rows and columns, found " << x.getType();
  return success();
}

static LogicalResult checkSquare(StablehloOp &op, Value x, StringRef constraint) {
  ArrayRef<int64_t> shape = shapeOf(x);
  if (shape[shape.size() - 2] == shape.back())
    return success();
  return op.error() << cite(constraint) << "expected square matrices, found " << x.getType();
}

static bool hasNoElements(Value x) { return tensorType(x).getNumElements() == 0; }

/// The matrices as a tensor of rank 3, of the type that is computed in.
static Value collapse(StablehloOp &op, Value x) {
  ArrayRef<int64_t> shape = shapeOf(x);
  Expressions e(op);
  x = e.cast(x, getArithmeticType(elementTypeOf(x)));
  return e.reshape(
      x, {llvm::product_of(shape.drop_back(2)), shape[shape.size() - 2], shape[shape.size() - 1]});
}

/// A tensor of rank 3 in the form of another one.
static Value restore(StablehloOp &op, Value x, Value like) {
  Expressions e(op);
  return e.cast(x ? e.reshape(x, shapeOf(like)) : x, elementTypeOf(like));
}

static Value swapRowsAndColumns(StablehloOp &op, Value x) {
  return Expressions(op).transpose(x, {0, 2, 1});
}

//===----------------------------------------------------------------------===//
// Cholesky factors and triangular systems
//===----------------------------------------------------------------------===//

/// The factor in one triangle, and the order of the first leading minor that is not positive.
/// For LAPACK, elements of the other triangle are those of `a`, and NaN is no failure, as in the
/// library that JAX calls; else they are 0.
static std::pair<Value, Value> getCholesky(StablehloOp &op, Value a, bool isLower, bool isLapack) {
  Expressions e(op);
  MatrixSteps steps(op);
  a = collapse(op, a);
  const int64_t n = shapeOf(a)[1];
  auto [factor, info] = steps.factorCholesky(isLower ? swapRowsAndColumns(op, a) : a, !isLapack);
  if (isLower)
    factor = swapRowsAndColumns(op, factor);
  Value isKept = e.compare(isLower ? ComparePredicate::GE : ComparePredicate::LE,
                           steps.positions(n, 1), steps.positions(n, 2));
  return {isLapack ? e.where(isKept, factor, a) : e.where(isKept, factor, 0.0), info};
}

static LogicalResult importCholesky(StablehloOp &op) {
  const bool isLower = op.getBool("lower", false);
  if (failed(op.checkOperands(1)) || op.hasFailed())
    return failure();
  Value a = op.operand(0);
  if (failed(checkMatrices(op, a, "C2")) || failed(checkSquare(op, a, "C3")))
    return failure();
  if (hasNoElements(a))
    return op.results(a);
  // Undefined by the specification if there is no factor; XLA makes all of the matrix NaN.
  Expressions e(op);
  auto [factor, info] = getCholesky(op, a, isLower, /*isLapack=*/false);
  factor = e.where(e.compare(ComparePredicate::EQ, info, 0.0), factor,
                   std::numeric_limits<double>::quiet_NaN());
  return op.results(restore(op, factor, a));
}

namespace {
struct TriangularSystem {
  bool isLeft, isLower, isUnit, isTransposed;
};
} // namespace

/// Imports the op on `a` and `b`, which have been checked one by one.
static LogicalResult importSystem(StablehloOp &op, TriangularSystem system,
                                  StringRef typeConstraint, StringRef rankConstraint,
                                  StringRef shapeConstraint) {
  Value a = op.operand(0), b = op.operand(1);
  if (elementTypeOf(a) != elementTypeOf(b))
    return op.error() << cite(typeConstraint) << "expected operands of one element type, found "
                      << a.getType() << " and " << b.getType();
  if (rankOf(a) != rankOf(b))
    return op.error() << cite(rankConstraint) << "expected operands of one rank, found "
                      << a.getType() << " and " << b.getType();
  if (failed(checkSquare(op, a, shapeConstraint)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(b);
  if (shapeOf(a).drop_back(2) != shape.drop_back(2) ||
      shapeOf(a).back() != shape[shape.size() - (system.isLeft ? 2 : 1)])
    return op.error() << cite(shapeConstraint) << "expected operand 1 to have the batch of "
                      << a.getType() << ", and as many " << (system.isLeft ? "rows" : "columns")
                      << ", found " << b.getType();
  if (hasNoElements(b))
    return op.results(b);
  // x op(a) = b is op(a)^T x^T = b^T.
  Value matrices = collapse(op, a), x = collapse(op, b);
  const bool isTransposed = system.isTransposed == system.isLeft;
  if (!isTransposed)
    matrices = swapRowsAndColumns(op, matrices);
  if (!system.isLeft)
    x = swapRowsAndColumns(op, x);
  x = MatrixSteps(op).solve(matrices, x, system.isLower != isTransposed, system.isUnit);
  if (!system.isLeft)
    x = swapRowsAndColumns(op, x);
  return op.results(restore(op, x, b));
}

static LogicalResult importTriangularSolve(StablehloOp &op) {
  TriangularSystem system{};
  for (auto [name, flag] : {std::pair<StringRef, bool *>("left_side", &system.isLeft),
                            {"lower", &system.isLower},
                            {"unit_diagonal", &system.isUnit}}) {
    if (!op.getAttr(name))
      return op.error() << "expected attribute '" << name << "' to be a bool, found none";
    *flag = op.getBool(name, false);
  }
  StringRef kind = op.getEnum("transpose_a", "transpose");
  if (failed(op.checkOperands(2)) || op.hasFailed())
    return failure();
  if (!llvm::is_contained({"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}, kind))
    return op.error() << "expected transpose_a to be NO_TRANSPOSE, TRANSPOSE or ADJOINT, found "
                      << kind;
  system.isTransposed = kind != "NO_TRANSPOSE";
  if (failed(checkMatrices(op, op.operand(0), "C2")) ||
      failed(checkMatrices(op, op.operand(1), "C2")))
    return failure();
  return importSystem(op, system, "C1", "C2", "C3");
}

//===----------------------------------------------------------------------===//
// LAPACK
//===----------------------------------------------------------------------===//

namespace {
/// A call of a routine: its options are letters, and matrices are stored column by column.
class LapackCall {
public:
  LapackCall(StablehloOp &op, StringRef target, StringRef routine)
      : op(op), target(target), routine(routine) {}
  LogicalResult import();

private:
  /// Reads the options, and reports others than `names`.
  LogicalResult readOptions(ArrayRef<StringRef> names);
  /// The letter of an option, one of `letters`, which is not the first of them.
  bool isOther(StringRef name, StringRef letters);
  LogicalResult checkLayouts(StringRef name, TypeRange types, unsigned matrices);
  LogicalResult importPotrf();
  LogicalResult importTrsm();
  LogicalResult importGetrf();
  LogicalResult importGeqrf();
  LogicalResult importOrgqr();
  /// A number for each matrix of the operand.
  Value perMatrix(Value info) {
    return info ? op.reshape(info, shapeOf(op.operand(0)).drop_back(2)) : info;
  }

  StablehloOp &op;
  StringRef target, routine;
  DictionaryAttr options;
};
} // namespace

LogicalResult LapackCall::readOptions(ArrayRef<StringRef> names) {
  // JAX writes them beside the string that older compilers read.
  Attribute other = op.getAttr("mhlo.backend_config"), own = op.getAttr("backend_config");
  options = dyn_cast_if_present<DictionaryAttr>(other ? other : own);
  auto text = dyn_cast_if_present<StringAttr>(own);
  if (!options || (text && !text.getValue().empty()))
    return op.error() << "expected the backend_config of '" << target << "' to be a dictionary";
  for (NamedAttribute option : options)
    if (!llvm::is_contained(names, option.getName().getValue()))
      return op.error() << "option '" << option.getName().getValue() << "' of '" << target
                        << "' is not supported";
  return success();
}

bool LapackCall::isOther(StringRef name, StringRef letters) {
  auto letter = options.getAs<IntegerAttr>(name);
  const uint64_t code = letter ? letter.getValue().getLimitedValue() : 0;
  const size_t place = code < 128 ? letters.find(static_cast<char>(code)) : StringRef::npos;
  if (!letter || place == StringRef::npos) {
    auto diagnostic = op.error() << "expected option '" << name << "' of '" << target
                                 << "' to be the code of one of the letters " << letters
                                 << ", found ";
    letter ? diagnostic << code : diagnostic << "none";
  }
  return place != 0;
}

LogicalResult LapackCall::checkLayouts(StringRef name, TypeRange types, unsigned matrices) {
  auto layouts = dyn_cast_if_present<ArrayAttr>(op.getAttr(name));
  auto fits = [&](Attribute layout, int64_t rank, bool isMatrix) {
    SmallVector<int64_t> expected = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
    if (isMatrix)
      std::swap(expected[0], expected[1]);
    auto elements = dyn_cast<DenseIntElementsAttr>(layout);
    return elements && elements.getNumElements() == rank &&
           llvm::equal(expected, llvm::map_range(elements.getValues<APInt>(), [](const APInt &dim) {
                         return dim.getSExtValue();
                       }));
  };
  bool areRight = layouts && layouts.size() == types.size();
  for (auto [index, type] : llvm::enumerate(types))
    areRight =
        areRight && fits(layouts[index], cast<RankedTensorType>(type).getRank(), index < matrices);
  if (!areRight)
    return op.error() << "expected " << name << " of '" << target
                      << "' in which matrices are stored column by column, and all else is "
                         "row-major";
  return success();
}

LogicalResult LapackCall::import() {
  const unsigned matrices = routine == "trsm" ? 2 : 1;
  if (failed(op.checkOperands(routine == "orgqr" ? 2 : matrices)))
    return failure();
  const bool isDouble = target.starts_with("lapack_d");
  for (auto [index, operand] : llvm::enumerate(op.allOperands())) {
    if (index < matrices && failed(checkMatrices(op, operand, "")))
      return failure();
    Type type = elementTypeOf(operand);
    if (!(isDouble ? type.isF64() : type.isF32()))
      return op.error() << "expected '" << target << "' to have matrices of "
                        << (isDouble ? "f64" : "f32") << ", found " << operand.getType();
  }
  Operation *source = op.getSource();
  if (failed(checkLayouts("operand_layouts", source->getOperandTypes(), matrices)) ||
      failed(checkLayouts("result_layouts", source->getResultTypes(), 1)))
    return failure();
  return routine == "trsm"    ? importTrsm()
         : routine == "potrf" ? importPotrf()
         : routine == "geqrf" ? importGeqrf()
         : routine == "orgqr" ? importOrgqr()
                              : importGetrf();
}

LogicalResult LapackCall::importPotrf() {
  if (failed(readOptions({"uplo"})))
    return failure();
  const bool isUpper = isOther("uplo", "LU");
  Value a = op.operand(0);
  if (op.hasFailed() || failed(checkSquare(op, a, "")))
    return failure();
  if (hasNoElements(a))
    return op.results(
        {a, Expressions(op).splat(shapeOf(a).drop_back(2), MatrixSteps(op).getIndexType(), 0)});
  auto [factor, info] = getCholesky(op, a, !isUpper, /*isLapack=*/true);
  return op.results({restore(op, factor, a), perMatrix(info)});
}

LogicalResult LapackCall::importTrsm() {
  if (failed(readOptions({"diag", "side", "trans_x", "uplo"})))
    return failure();
  TriangularSystem system{};
  system.isLeft = !isOther("side", "LR");
  system.isLower = !isOther("uplo", "LU");
  system.isUnit = isOther("diag", "NU");
  system.isTransposed = isOther("trans_x", "NTC");
  return op.hasFailed() ? failure() : importSystem(op, system, "", "", "");
}

LogicalResult LapackCall::importGetrf() {
  if (failed(readOptions({})))
    return failure();
  Expressions e(op);
  MatrixSteps steps(op);
  Value a = op.operand(0);
  ArrayRef<int64_t> shape = shapeOf(a);
  SmallVector<int64_t> pivotShape(shape.drop_back(2));
  pivotShape.push_back(std::min(shape[shape.size() - 2], shape.back()));
  if (hasNoElements(a))
    return op.results({a, e.splat(pivotShape, steps.getIndexType(), 0),
                       e.splat(shape.drop_back(2), steps.getIndexType(), 0)});
  MatrixSteps::Lu lu = steps.factorLu(collapse(op, a));
  return op.results({restore(op, lu.factors, a),
                     lu.pivots ? op.reshape(lu.pivots, pivotShape) : lu.pivots,
                     perMatrix(lu.info)});
}

LogicalResult LapackCall::importGeqrf() {
  if (failed(readOptions({})))
    return failure();
  Value a = op.operand(0);
  ArrayRef<int64_t> shape = shapeOf(a);
  SmallVector<int64_t> tauShape(shape.drop_back(2));
  tauShape.push_back(std::min(shape[shape.size() - 2], shape.back()));
  if (hasNoElements(a))
    return op.results({a, Expressions(op).splat(tauShape, elementTypeOf(a), 0)});
  auto [factors, tau] = MatrixSteps(op).factorQr(collapse(op, a));
  return op.results({restore(op, factors, a), tau ? op.reshape(tau, tauShape) : tau});
}

LogicalResult LapackCall::importOrgqr() {
  if (failed(readOptions({})))
    return failure();
  Value a = op.operand(0), tau = op.operand(1);
  ArrayRef<int64_t> shape = shapeOf(a), tauShape = shapeOf(tau);
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  if (rankOf(tau) != rankOf(a) - 1 || tauShape.drop_back() != shape.drop_back(2) ||
      tauShape.back() > columns || columns > rows)
    return op.error() << "expected at most as many columns as rows, and numbers of at most as many "
                         "reflections, found "
                      << a.getType() << " and " << tau.getType();
  if (hasNoElements(a))
    return op.results(a);
  Value matrices = collapse(op, a);
  tau = op.reshape(tau, {shapeOf(matrices)[0], tauShape.back(), 1});
  return op.results(restore(op, MatrixSteps(op).multiplyReflections(matrices, tau), a));
}

LogicalResult mlir::ttc::importLapackCall(StablehloOp &op, StringRef target) {
  StringRef routine = target;
  if (routine.consume_front("lapack_") && routine.consume_back("_ffi") && !routine.empty()) {
    const char precision = routine.front();
    routine = routine.drop_front();
    if (llvm::is_contained({"potrf", "trsm", "getrf", "geqrf", "orgqr"}, routine)) {
      if (precision == 's' || precision == 'd')
        return LapackCall(op, target, routine).import();
      if (precision == 'c' || precision == 'z')
        return op.error() << "calls '" << target
                          << "' of LAPACK for complex numbers, which ttc has for f32 and f64 only: "
                             "write the equation as one of twice as many real numbers";
    }
  }
  return op.error()
         << "calls '" << target
         << "' of LAPACK, of which ttc has potrf, trsm, getrf, geqrf and orgqr for f32 and f64: "
            "compute it while compiling, or outside of the function";
}

void mlir::ttc::registerStablehloLinearAlgebraOps(StablehloRegistry &registry) {
  constexpr StringRef restrictions = "matrices of more than 4096 rows or columns";
  registry.add("cholesky", importCholesky, OnComplex::Refused, restrictions);
  registry.add("triangular_solve", importTriangularSolve, OnComplex::Refused, restrictions);
}
