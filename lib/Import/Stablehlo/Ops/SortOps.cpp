// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that order elements.
#include "SortOps.h"
#include "ElementwiseMath.h"
#include "dialects/Ttc/Tensors/BitwiseOps.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "lib/Import/Stablehlo/Core/StablehloOp.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ttc;

/// The most pairs that a comparator is computed for.
static constexpr int64_t kMostPairs = int64_t(1) << 24;
/// Ops of an expression within a comparator.
static constexpr unsigned kMostCompared = 4096;

//===----------------------------------------------------------------------===//
// Comparators
//===----------------------------------------------------------------------===//

namespace {
/// What a comparator orders by: an expression of one side's elements.
struct SortKey {
  Value left, right;
  bool isDescending = false;
  bool isTotal = false;
};

/// Reads a comparator as an order by keys, the first of which counts most.
class KeyReader {
public:
  explicit KeyReader(Block &body) : body(body) {}
  bool read(Value result, SmallVectorImpl<SortKey> &keys);

private:
  /// Whether `a` and `b` are the same expression; with `swapped`, of opposite sides.
  bool areSame(Value a, Value b, bool swapped);
  std::optional<SortKey> readComparison(Value value, bool isEqual);

  Block &body;
  unsigned steps = 0;
};
} // namespace

static Operation *getOp(Value value, StringRef name) {
  Operation *op = value.getDefiningOp();
  StringRef found = op ? op->getName().getStringRef() : "";
  return found.consume_front("stablehlo.") && found == name ? op : nullptr;
}

bool KeyReader::areSame(Value a, Value b, bool swapped) {
  if (++steps > kMostCompared)
    return false;
  auto argument = dyn_cast<BlockArgument>(a);
  if (argument && argument.getOwner() == &body) {
    // The sides of operand i are 2i and 2i + 1.
    const unsigned number = argument.getArgNumber();
    return b == body.getArgument(swapped ? number ^ 1 : number);
  }
  Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
  if (!left || !right || left->getBlock() != &body || right->getBlock() != &body)
    return a == b;
  return left->getName() == right->getName() && left->getNumRegions() == 0 &&
         right->getNumRegions() == 0 &&
         left->getPropertiesAsAttribute() == right->getPropertiesAsAttribute() &&
         left->getDiscardableAttrDictionary() == right->getDiscardableAttrDictionary() &&
         left->getResultTypes() == right->getResultTypes() &&
         cast<OpResult>(a).getResultNumber() == cast<OpResult>(b).getResultNumber() &&
         left->getNumOperands() == right->getNumOperands() &&
         llvm::all_of(llvm::zip_equal(left->getOperands(), right->getOperands()), [&](auto pair) {
           return areSame(std::get<0>(pair), std::get<1>(pair), swapped);
         });
}

/// Whether the expression has elements of the left side.
static bool isOfLeft(Value value, Block &body, unsigned &steps) {
  if (++steps > kMostCompared)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &body && argument.getArgNumber() % 2 == 0;
  Operation *op = value.getDefiningOp();
  return op->getBlock() == &body && llvm::any_of(op->getOperands(), [&](Value operand) {
           return isOfLeft(operand, body, steps);
         });
}

std::optional<SortKey> KeyReader::readComparison(Value value, bool isEqual) {
  Operation *op = getOp(value, "compare");
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  Value a = op->getOperand(0), b = op->getOperand(1);
  StringRef direction =
      parseStablehloEnum(getStablehloAttr(op, "comparison_direction"), "comparison_direction");
  const bool isTotal =
      parseStablehloEnum(getStablehloAttr(op, "compare_type"), "comparison_type") == "TOTALORDER";
  if (!areSame(a, b, /*swapped=*/true))
    return std::nullopt;
  const bool isSwapped = !isOfLeft(a, body, steps);
  if (isSwapped)
    std::swap(a, b);
  if (isEqual)
    return direction == "EQ" ? std::optional(SortKey{a, b, false, isTotal}) : std::nullopt;
  if (direction != "LT" && direction != "GT")
    return std::nullopt;
  return SortKey{a, b, (direction == "GT") != isSwapped, isTotal};
}

// `a < b`, or `a < b || (a == b && next)`.
bool KeyReader::read(Value result, SmallVectorImpl<SortKey> &keys) {
  for (;;) {
    if (std::optional<SortKey> key = readComparison(result, false)) {
      keys.push_back(*key);
      return true;
    }
    Operation *either = getOp(result, "or");
    if (!either || either->getNumOperands() != 2)
      return false;
    Value next;
    for (unsigned side = 0; side < 2 && !next; ++side) {
      std::optional<SortKey> key = readComparison(either->getOperand(side), false);
      Operation *both = getOp(either->getOperand(1 - side), "and");
      if (!key || !both || both->getNumOperands() != 2)
        continue;
      for (unsigned part = 0; part < 2 && !next; ++part) {
        std::optional<SortKey> equal = readComparison(both->getOperand(part), true);
        // NaN equals NaN in the total order only.
        if (equal && equal->isTotal == key->isTotal && areSame(equal->left, key->left, false) &&
            (key->isTotal ||
             !isa<FloatType>(cast<RankedTensorType>(key->left.getType()).getElementType()))) {
          keys.push_back(*key);
          next = both->getOperand(1 - part);
        }
      }
    }
    if (!next)
      return false;
    result = next;
  }
}

/// `x` if the value is `select(x != x, NaN, select(x == 0, 0, x))`, as jax writes keys: a total
/// order of them is the order of ttc.argsort.
static Value getCanonical(Value value) {
  auto isCompare = [](Value condition, StringRef direction, Value a) {
    Operation *op = getOp(condition, "compare");
    return op && op->getNumOperands() == 2 && op->getOperand(0) == a &&
           parseStablehloEnum(getStablehloAttr(op, "comparison_direction"),
                              "comparison_direction") == direction;
  };
  auto getConstant = [](Value constant) -> std::optional<APFloat> {
    Operation *op = getOp(constant, "constant");
    auto attr = op ? dyn_cast_if_present<DenseFPElementsAttr>(getStablehloAttr(op, "value"))
                   : DenseFPElementsAttr();
    return attr && attr.isSplat() ? std::optional(attr.getSplatValue<APFloat>()) : std::nullopt;
  };
  Operation *outer = getOp(value, "select");
  if (!outer || outer->getNumOperands() != 3)
    return {};
  std::optional<APFloat> nan = getConstant(outer->getOperand(1));
  Operation *inner = getOp(outer->getOperand(2), "select");
  if (!nan || !nan->isNaN() || nan->isNegative() || !inner || inner->getNumOperands() != 3)
    return {};
  Value x = inner->getOperand(2);
  std::optional<APFloat> zero = getConstant(inner->getOperand(1));
  if (!zero || !zero->isPosZero() || !isCompare(inner->getOperand(0), "EQ", x) ||
      !isCompare(outer->getOperand(0), "NE", x))
    return {};
  std::optional<APFloat> compared =
      getConstant(inner->getOperand(0).getDefiningOp()->getOperand(1));
  const bool isNanTest = outer->getOperand(0).getDefiningOp()->getOperand(1) == x;
  return compared && compared->isZero() && isNanTest ? x : Value();
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

static Value sortPlaces(StablehloOp &op, Value key, int64_t axis, int64_t count, bool largest) {
  SmallVector<NamedAttribute> attrs = {op.i64("axis", axis), op.i64("count", count)};
  if (largest)
    attrs.push_back(op.flag("largest"));
  return op.create<ArgsortOp>(key, attrs);
}

/// Where the elements come from, by keys that the comparator names.
static Value orderByKeys(StablehloOp &op, ArrayRef<SortKey> keys, int64_t axis,
                         ArrayRef<int64_t> shape) {
  Expressions e(op);
  SmallVector<Value> arguments, wanted;
  for (Value operand : op.allOperands())
    arguments.append({operand, operand});
  SmallVector<bool> isTotal;
  for (const SortKey &key : keys) {
    Value canonical = key.isTotal ? getCanonical(key.left) : Value();
    isTotal.push_back(key.isTotal && !canonical);
    wanted.push_back(canonical ? canonical : key.left);
  }
  FailureOr<SmallVector<Value>> values =
      op.importBodyValues(0, arguments, wanted, /*broadened=*/true);
  if (failed(values))
    return {};
  // From the key that counts least: each sort keeps the order of what is equal.
  Value places;
  for (size_t i = keys.size(); i-- > 0;) {
    Value key = e.expand((*values)[i], shape);
    if (isTotal[i])
      key = makeTotalOrder(op, key);
    if (places)
      key = e.gatherElements(key, places, axis);
    Value sorted = sortPlaces(op, key, axis, shape[axis], keys[i].isDescending);
    places = places ? e.gatherElements(places, sorted, axis) : sorted;
  }
  return places;
}

/// Any comparator: the place of an element is the number of those that come before it, which are
/// counted.
static Value orderByCounting(StablehloOp &op, int64_t axis, ArrayRef<int64_t> shape) {
  Expressions e(op);
  const int64_t size = shape[axis];
  const auto rank = static_cast<int64_t>(shape.size());
  // Element j of dimension `axis + 1` is compared with element i of dimension `axis`.
  SmallVector<int64_t> pairs(shape);
  pairs.insert(pairs.begin() + axis, size);
  const int64_t count = llvm::product_of(pairs);
  if (count > kMostPairs) {
    op.error() << "expected a comparator of the order of keys, as jax.numpy.sort, argsort and "
                  "lexsort write it, or at most "
               << kMostPairs << " pairs of elements to compare, found " << count;
    return {};
  }
  SmallVector<Value> arguments, reversed;
  for (Value operand : op.allOperands()) {
    auto spread = [&](int64_t dim) -> Value {
      auto part = [&](Value value) { return e.expand(e.unsqueeze(value, dim), pairs); };
      return StablehloOp::isComplex(operand) ? op.complex(part(StablehloOp::realOf(operand)),
                                                          part(StablehloOp::imaginaryOf(operand)))
                                             : part(operand);
    };
    Value other = spread(axis), own = spread(axis + 1);
    arguments.append({other, own});
    reversed.append({own, other});
  }
  FailureOr<SmallVector<Value>> before = op.importBody(0, arguments, /*broadened=*/true);
  if (failed(before))
    return {};
  FailureOr<SmallVector<Value>> after = op.importBody(0, reversed, /*broadened=*/true);
  if (failed(after))
    return {};
  // Of two that are equal, the first one comes first.
  Type counted = op.getBuilder().getI32Type();
  Value isEarlier = e.compare(ComparePredicate::LT, e.iota(size, axis + 1, rank + 1),
                              e.iota(size, axis, rank + 1));
  Value isBefore = e.expand(before->front(), pairs);
  Value isTie = op.create<NotOp>(op.create<OrOp>({isBefore, e.expand(after->front(), pairs)}));
  Value precedes = op.create<OrOp>({isBefore, e.both(isTie, isEarlier)});
  Value ranks = e.sum(e.cast(precedes, counted), axis + 1);
  Value places = e.expand(e.cast(e.iota(size, axis, rank), counted), shape);
  return op.create<ScatterElementsOp>({places, ranks, places}, op.i64("axis", axis));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static LogicalResult importSort(StablehloOp &op) {
  // The order of what is equal is kept in any case.
  op.ignoreAttrs({"is_stable"});
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of a reduction or a sort";
  if (op.numOperands() == 0)
    return op.error() << "(C1) expected at least one operand";
  SmallVector<int64_t> shape(shapeOf(op.realOf(op.operand(0))));
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t axis = op.getInt("dimension", rank - 1);
  for (Value operand : op.allOperands())
    if (shapeOf(op.realOf(operand)) != ArrayRef(shape))
      return op.error() << "(C3) expected operands of one shape, found [" << printList(shape)
                        << "] and [" << printList(shapeOf(op.realOf(operand))) << "]";
  if (axis < -rank || axis >= rank)
    return op.error() << "(C4) expected dimension to be from " << -rank << " to " << rank - 1
                      << ", found " << axis;
  if (axis < 0)
    axis += rank;
  Block *body = op.body(0, 2 * op.numOperands());
  if (!body)
    return failure();
  Type flag = RankedTensorType::get({}, op.getBuilder().getI1Type());
  if (failed(op.checkReturned(*body, flag, "C5")))
    return failure();
  if (shape[axis] < 2 || llvm::is_contained(shape, 0))
    return op.results(op.allOperands());

  SmallVector<SortKey> keys;
  Value places = KeyReader(*body).read(body->back().getOperand(0), keys)
                     ? orderByKeys(op, keys, axis, shape)
                     : orderByCounting(op, axis, shape);
  if (op.hasFailed() || !places)
    return op.results(Value());
  Expressions e(op);
  SmallVector<Value> sorted;
  for (Value operand : op.allOperands()) {
    auto part = [&](Value value) { return e.gatherElements(value, places, axis); };
    sorted.push_back(StablehloOp::isComplex(operand)
                         ? op.complex(part(StablehloOp::realOf(operand)),
                                      part(StablehloOp::imaginaryOf(operand)))
                         : part(operand));
  }
  return op.results(sorted);
}

/// The largest elements of the last dimension, the largest first, in the total order of floats.
static LogicalResult importTopK(StablehloOp &op) {
  if (failed(op.checkOperands(1)))
    return failure();
  if (op.isBroadened())
    return op.error() << "cannot be imported in the body of another op";
  if (!op.getBool("largest", true))
    return op.error() << "expected attribute 'largest' to be true, found false";
  Value x = op.operand(0);
  const int64_t axis = rankOf(x) - 1, count = op.getInt("k");
  if (op.hasFailed())
    return failure();
  if (axis < 0 || count < 0 || count > shapeOf(x)[axis] || op.numResults() != 2)
    return op.error() << "expected k to be from 0 to the size of the last dimension of "
                      << x.getType() << ", found " << count;
  Expressions e(op);
  Value places = sortPlaces(op, makeTotalOrder(op, x), axis, count, /*largest=*/true);
  return op.results({e.gatherElements(x, places, axis), e.cast(places, op.resultElementType(1))});
}

LogicalResult mlir::ttc::importApproxTopK(StablehloOp &op) {
  if (failed(op.checkOperands(4)))
    return failure();
  if (op.isBroadened() || llvm::any_of(op.allOperands(), StablehloOp::isComplex))
    return op.error() << "cannot be imported in the body of another op, or of complex numbers";
  // JAX writes them beside the string that older compilers read.
  auto options = dyn_cast_if_present<DictionaryAttr>(op.getAttr("mhlo.backend_config"));
  auto dimension = options ? options.getAs<IntegerAttr>("reduction_dim") : IntegerAttr();
  auto called = dyn_cast_if_present<ArrayAttr>(op.getAttr("called_computations"));
  auto name =
      called && called.size() == 1 ? dyn_cast<FlatSymbolRefAttr>(called[0]) : FlatSymbolRefAttr();
  auto comparator = name ? dyn_cast_if_present<func::FuncOp>(
                               SymbolTable::lookupNearestSymbolFrom(op.getSource(), name))
                         : func::FuncOp();
  SmallVector<SortKey> keys;
  if (comparator && comparator.getBody().hasOneBlock() && comparator.getNumArguments() == 4) {
    Block &body = comparator.getBody().front();
    if (body.back().getNumOperands() != 1 || !KeyReader(body).read(body.back().getOperand(0), keys))
      keys.clear();
  }
  if (keys.size() != 1 || !isa<BlockArgument>(keys[0].left) ||
      cast<BlockArgument>(keys[0].left).getArgNumber() != 0)
    return op.error() << "expected 'ApproxTopK' to call a comparison of values";
  Value x = op.operand(0), indices = op.operand(1);
  const int64_t axis = dimension ? dimension.getInt() : -1;
  auto result = dyn_cast<RankedTensorType>(op.getSource()->getResult(0).getType());
  if (axis < 0 || axis >= rankOf(x) || shapeOf(indices) != shapeOf(x) || op.numResults() != 2 ||
      !result || result.getRank() != rankOf(x) || result.getDimSize(axis) > shapeOf(x)[axis])
    return op.error() << "expected 'ApproxTopK' to take some elements of a dimension, found "
                      << x.getType() << " and reduction_dim " << axis;
  Expressions e(op);
  Value places = sortPlaces(op, keys[0].isTotal ? makeTotalOrder(op, x) : x, axis,
                            result.getDimSize(axis), keys[0].isDescending);
  return op.results({e.gatherElements(x, places, axis), e.gatherElements(indices, places, axis)});
}

void mlir::ttc::registerStablehloSortOps(StablehloRegistry &registry) {
  registry.add("chlo.top_k", importTopK, OnComplex::Refused, "the smallest elements");
  registry.add("sort", importSort, OnComplex::Handled,
               "a comparator that is no order of keys, of more than 2^24 pairs");
}
