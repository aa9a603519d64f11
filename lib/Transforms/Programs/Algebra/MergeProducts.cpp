// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "kernels/Budgets.h"
#include "lib/Transforms/Programs/Layouts/TransposeUtils.h"
#include "ttc/Support/PassCounter.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_MERGEPRODUCTS
#include "ttc/Transforms/Passes.h.inc"

namespace {

using Products = SmallVector<MatmulOp>;

/// Weights of fewer bytes stay in L1 from one product to the next, or take less time than copying
/// rows together.
constexpr int64_t kLeastWeightBytes = 16 * 1024;
/// What L2 delivers in the time of a dispatch that copies a few rows, 40 ns.
constexpr int64_t kCopyBytes = 8 * 1024;

//===--- what may be merged -----------------------------------------------------------===//

int64_t getColumns(MatmulOp op) { return tensorType(op.getY()).getShape().back(); }
int64_t getRows(MatmulOp op) { return tensorType(op.getY()).getNumElements() / getColumns(op); }
int64_t getDepth(MatmulOp op) {
  return tensorType(op.getB()).getDimSize(op.getTransposeB() ? 1 : 0);
}

/// Whether few rows are multiplied with many weights, which one product then streams once.
bool isWorthMerging(MatmulOp op) {
  const int64_t bytes =
      tensorType(op.getB()).getNumElements() * tensorType(op.getB()).getElementTypeBitWidth() / 8;
  return getRows(op) < ::ttc::kernels::kRowsForWeights && bytes >= kLeastWeightBytes;
}

/// Whether `value` is the same for all rows of a product with this many columns.
bool isSameForAllRows(Value value, int64_t columns) {
  auto type = tensorType(value);
  return type.getNumElements() == 1 ||
         (type.getNumElements() == columns && type.getShape().back() == columns);
}

/// A product of rows by a constant matrix, whose bias does not tell rows apart.
bool canMerge(MatmulOp op) {
  auto type = tensorType(op.getY());
  return type.getNumElements() > 0 && isWorthMerging(op) && !op.getTransposeA() &&
         tensorType(op.getB()).getRank() == 2 && getDepth(op) > 0 &&
         isConstantExpression(op.getB()) && !isConstantExpression(op.getA()) &&
         (!op.getBias() ||
          (isConstantExpression(op.getBias()) && isSameForAllRows(op.getBias(), getColumns(op))));
}

/// Whether the op only moves the elements of its one operand.
bool movesElements(Operation *op) {
  return op->hasTrait<SelectsElements>() && op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         !isa<ElementwiseOpInterface>(op);
}

/// The op of `block` that computes what `value` consists of, or null if that is known when the
/// block begins.
Operation *getRoot(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  while (op && op->getBlock() == block && movesElements(op))
    op = op->getOperand(0).getDefiningOp();
  return op && op->getBlock() == block ? op : nullptr;
}

bool isBefore(Operation *a, Operation *b) { return !a || (b && a->isBeforeInBlock(b)); }

/// Moves the ops that only move elements, from the root of `value` to it, before `first`.
void hoist(Value value, Operation *first) {
  Operation *last = first;
  for (Operation *op = value.getDefiningOp();
       op && op->getBlock() == first->getBlock() && !op->isBeforeInBlock(first);
       op = op->getOperand(0).getDefiningOp()) {
    op->moveBefore(last);
    last = op;
  }
}

void hoistConstant(Value value, Operation *first) {
  if (auto op = value.getDefiningOp<ConstantOp>();
      op && op->getBlock() == first->getBlock() && !op->isBeforeInBlock(first))
    op->moveBefore(first);
}

/// Sets of products that can be computed where their first one is, each in the order of the block:
/// the left operands are known there. As few sets as possible.
SmallVector<Products> getSets(ArrayRef<MatmulOp> products) {
  Block *block = products.front()->getBlock();
  SmallVector<Operation *> roots;
  for (MatmulOp op : products)
    roots.push_back(getRoot(op.getA(), block));
  SmallVector<size_t> byRoot = llvm::to_vector(llvm::seq<size_t>(0, products.size()));
  llvm::sort(byRoot, [&](size_t a, size_t b) {
    return roots[a] == roots[b] ? a < b : isBefore(roots[a], roots[b]);
  });
  SmallVector<Products> sets;
  SmallVector<bool> taken(products.size());
  auto next = byRoot.begin();
  for (size_t i = 0; i < products.size(); ++i) {
    if (taken[i])
      continue;
    Operation *first = products[i];
    // All products before the first one are taken: whose root is known here, can be computed here.
    SmallVector<size_t> members;
    for (; next != byRoot.end() && isBefore(roots[*next], first); ++next) {
      taken[*next] = true;
      members.push_back(*next);
    }
    llvm::sort(members);
    Products &set = sets.emplace_back();
    for (size_t member : members)
      set.push_back(products[member]);
  }
  return sets;
}

//===--- merging ----------------------------------------------------------------------===//

/// One left operand as rows of a tensor: `sizes` elements from `starts` on.
struct RowSlice {
  Value source;
  SmallVector<int64_t> starts, sizes;
};

/// Nothing if the rows are not a slice of another tensor that has rows of this length.
std::optional<RowSlice> getRowSlice(Value value) {
  const int64_t depth = tensorType(value).getShape().back();
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  auto slice = value.getDefiningOp<SliceOp>();
  if (!slice || slice.getSizes().size() < 2 || slice.getSizes().back() != depth ||
      tensorType(slice.getX()).getShape().back() != depth ||
      llvm::any_of(slice.getSteps(), [](int64_t step) { return step != 1; }))
    return std::nullopt;
  return RowSlice{slice.getX(), llvm::to_vector(slice.getStarts()),
                  llvm::to_vector(slice.getSizes())};
}

/// The dimension along which the slices lie next to each other, if they do so in the order
/// `order`, which is set. They are then one slice.
std::optional<int64_t> getSliceDim(ArrayRef<RowSlice> slices, SmallVectorImpl<size_t> &order) {
  const RowSlice &first = slices[0], &second = slices[1];
  auto differs = [&](int64_t dim) { return first.starts[dim] != second.starts[dim]; };
  if (first.source != second.source)
    return std::nullopt;
  auto dims = llvm::seq<int64_t>(0, first.starts.size());
  auto found = llvm::find_if(dims, differs);
  if (found == dims.end())
    return std::nullopt;
  const int64_t dim = *found;
  llvm::sort(order,
             [&](size_t a, size_t b) { return slices[a].starts[dim] < slices[b].starts[dim]; });
  RowSlice expected = slices[order.front()];
  for (size_t i : order) {
    expected.sizes[dim] = slices[i].sizes[dim];
    if (slices[i].source != expected.source || slices[i].starts != expected.starts ||
        slices[i].sizes != expected.sizes)
      return std::nullopt;
    expected.starts[dim] += expected.sizes[dim];
  }
  return dim;
}

/// Which part of a merged product each product is: of dimension `dim`.
struct Parts {
  int64_t dim;
  SmallVector<int64_t> starts, sizes;
};

/// Elementwise ops that are applied to all `values` alike, which are the parts of `whole`, are
/// applied to the whole: a kernel does that before it stores. `values` become what they are then.
Value mergeTails(OpBuilder &builder, Value whole, SmallVectorImpl<Value> &values,
                 SmallVectorImpl<Operation *> &replaced) {
  const int64_t columns = tensorType(whole).getShape().back();
  Block *block = builder.getInsertionBlock();
  Operation *before = &*builder.getInsertionPoint();
  while (llvm::all_of(values, [](Value value) { return value.hasOneUse(); })) {
    OpOperand &use = *values.front().use_begin();
    Operation *first = use.getOwner();
    const unsigned index = use.getOperandNumber();
    auto isAlike = [&](Value value) {
      OpOperand &other = *value.use_begin();
      Operation *user = other.getOwner();
      if (user->getBlock() != block || !isa<ElementwiseOpInterface>(user) ||
          user->getName() != first->getName() || other.getOperandNumber() != index ||
          user->getAttrDictionary() != first->getAttrDictionary() ||
          user->getNumOperands() != first->getNumOperands() ||
          user->getResult(0).getType() != value.getType())
        return false;
      // All other operands are the same constants, which do not tell rows apart.
      return llvm::all_of(llvm::enumerate(user->getOperands()), [&](auto operand) {
        auto [i, parameter] = operand;
        return i == index || (parameter == first->getOperand(i) &&
                              parameter.template getDefiningOp<ConstantOp>() &&
                              isSameForAllRows(parameter, columns));
      });
    };
    if (!llvm::all_of(values, isAlike))
      return whole;
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(first->getOperands())) {
      if (i == index) {
        operands.push_back(whole);
        continue;
      }
      hoistConstant(operand, before);
      SmallVector<int64_t> shape;
      if (tensorType(operand).getNumElements() != 1)
        shape.push_back(columns);
      operands.push_back(createReshape(builder, operand.getLoc(), operand, shape));
    }
    SmallVector<Location> locations;
    for (Value &value : values) {
      Operation *user = *value.user_begin();
      locations.push_back(user->getLoc());
      replaced.push_back(user);
      value = user->getResult(0);
    }
    Operation *tail = builder.clone(*first);
    tail->setOperands(operands);
    tail->setLoc(builder.getFusedLoc(locations));
    tail->getResult(0).setType(whole.getType());
    whole = tail->getResult(0);
  }
  return whole;
}

/// Replaces products, with the ops that are applied to all of them alike, by parts of `whole`.
void replaceByParts(OpBuilder &builder, ArrayRef<MatmulOp> products, Value whole,
                    const Parts &parts) {
  SmallVector<Value> values;
  SmallVector<Operation *> replaced;
  for (MatmulOp op : products) {
    values.push_back(op.getY());
    replaced.push_back(op);
  }
  whole = mergeTails(builder, whole, values, replaced);
  for (auto [value, start, size] : llvm::zip_equal(values, parts.starts, parts.sizes)) {
    SmallVector<int64_t> sizes(tensorType(whole).getShape()), starts(sizes.size(), 0);
    starts[parts.dim] = start;
    sizes[parts.dim] = size;
    Value part = SliceOp::create(builder, value.getLoc(), whole, starts, sizes,
                                 SmallVector<int64_t>(sizes.size(), 1));
    value.replaceAllUsesWith(
        createReshape(builder, value.getLoc(), part, tensorType(value).getShape()));
  }
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

Location getLocation(OpBuilder &builder, ArrayRef<MatmulOp> products) {
  SmallVector<Location> locations;
  for (MatmulOp op : products)
    locations.push_back(op.getLoc());
  return builder.getFusedLoc(locations);
}

/// Whether `value`, after elementwise ops on it alone, is a result of the function: it would be
/// copied.
bool isReturned(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (!isa<ElementwiseOpInterface>(user) || llvm::any_of(user->getOperands(), [&](Value operand) {
          return operand != value && !isConstantExpression(operand);
        }))
      break;
    value = user->getResult(0);
  }
  return llvm::any_of(value.getUsers(),
                      [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
}

/// Whether the weights that are not read again are twice the bytes that could be moved in the time
/// of the copies that merging may need: of results, and of left operands that are `joined`.
bool isWorthCopying(ArrayRef<MatmulOp> products, bool joined) {
  int64_t copies = 0, bytes = 0;
  for (MatmulOp op : products) {
    if (joined) {
      ++copies;
      bytes += getTensorBytes(tensorType(op.getA()));
    }
    if (isReturned(op.getY())) {
      ++copies;
      bytes += getTensorBytes(tensorType(op.getY()));
    }
  }
  const int64_t saved =
      (products.size() - 1) * getTensorBytes(tensorType(MatmulOp(products.front()).getB()));
  return 2 * (copies * kCopyBytes + bytes) <= saved;
}

/// Makes one product of those of several left operands by the same matrix.
/// Returns how many products there are less.
int64_t mergeRows(ArrayRef<MatmulOp> products) {
  if (products.size() < 2)
    return 0;
  MatmulOp first = products.front();
  SmallVector<RowSlice> slices;
  for (MatmulOp op : products)
    if (std::optional<RowSlice> slice = getRowSlice(op.getA()))
      slices.push_back(*slice);
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, products.size()));
  std::optional<int64_t> dim;
  if (slices.size() == products.size())
    dim = getSliceDim(slices, order);
  if (!isWorthCopying(products, /*joined=*/!dim))
    return 0;

  OpBuilder builder(first);
  Location loc = getLocation(builder, products);
  Value rows;
  Parts parts{dim.value_or(0), {}, {}};
  if (dim) {
    const RowSlice &lowest = slices[order.front()], &highest = slices[order.back()];
    SmallVector<int64_t> sizes(lowest.sizes);
    sizes[*dim] = highest.starts[*dim] + highest.sizes[*dim] - lowest.starts[*dim];
    rows = lowest.source;
    if (ArrayRef<int64_t>(sizes) != tensorType(rows).getShape())
      rows = SliceOp::create(builder, loc, rows, lowest.starts, sizes,
                             SmallVector<int64_t>(sizes.size(), 1));
    for (const RowSlice &slice : slices) {
      parts.starts.push_back(slice.starts[*dim] - lowest.starts[*dim]);
      parts.sizes.push_back(slice.sizes[*dim]);
    }
  } else {
    SmallVector<Value> operands;
    int64_t start = 0;
    for (MatmulOp op : products) {
      hoist(op.getA(), first);
      parts.starts.push_back(start);
      parts.sizes.push_back(getRows(op));
      operands.push_back(createReshape(builder, loc, op.getA(), {getRows(op), getDepth(op)}));
      start += getRows(op);
    }
    rows = ConcatOp::create(builder, loc, operands, 0);
  }
  Value bias = first.getBias();
  if (bias) {
    SmallVector<int64_t> shape;
    if (tensorType(bias).getNumElements() != 1)
      shape.push_back(getColumns(first));
    bias = createReshape(builder, loc, bias, shape);
  }
  Value whole = MatmulOp::create(builder, loc, rows, first.getB(), bias, /*transpose_a=*/false,
                                 first.getTransposeB());
  replaceByParts(builder, products, whole, parts);
  return products.size() - 1;
}

/// What products that may become one have in common: the matrix, whether it is transposed, the
/// bias; and how many loops begin and end before them, since ops of a loop are computed in each
/// iteration.
using Common = std::tuple<Value, unsigned, Value, unsigned>;

struct MergeProducts : impl::MergeProductsBase<MergeProducts> {
  PassCounter numProducts{*this, "products", "Products that became parts of others"};

  void runOnOperation() override {
    getOperation()->walk([&](Block *block) {
      llvm::MapVector<Common, Products> groups;
      unsigned marks = 0;
      for (Operation &op : *block) {
        marks += LoopBeginOp::isMark(&op);
        if (auto product = dyn_cast<MatmulOp>(op); product && canMerge(product))
          groups[{product.getB(), product.getTransposeB(), product.getBias(), marks}].push_back(
              product);
      }
      // In the order of their first products: rows of what became one product are slices of one
      // tensor, when the next ones are merged.
      for (auto &[common, products] : groups) {
        if (products.size() < 2)
          continue;
        for (const Products &set : getSets(products))
          numProducts += mergeRows(set);
      }
    });
  }
};

} // namespace
} // namespace mlir::ttc
