// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/ConstantEvaluation/ConstantEvaluation.h"
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "lib/Transforms/Programs/Layouts/TransposeUtils.h"
#include "ttc/Support/PassCounter.h"
#include "ttc/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_STRASSEN
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// The least sizes of products, where one is constant (its sums are made while compiling), and
/// where both come at run time.
constexpr int64_t kLeastRows = 128, kLeastDepth = 512, kLeastColumns = 512;
constexpr int64_t kLeastRunTimeSize = 1024;

/// A product of a matrix of all rows of `a` by another matrix.
struct Sizes {
  int64_t rows, depth, columns;
};

/// The rule of the pass's description; nothing if the product stays as it is.
std::optional<Sizes> getSizes(MatmulOp op) {
  auto a = tensorType(op.getA()), b = tensorType(op.getB()), y = tensorType(op.getY());
  if (!y.getElementType().isF32() || op.getTransposeA() || b.getRank() != 2 ||
      y.getNumElements() == 0 || isConstantExpression(op.getA()))
    return std::nullopt;
  Sizes sizes{y.getNumElements() / y.getShape().back(), a.getShape().back(), y.getShape().back()};
  if (sizes.depth % 2 != 0 || sizes.columns % 2 != 0)
    return std::nullopt;
  const bool isLarge =
      isConstantExpression(op.getB())
          ? sizes.rows >= kLeastRows && sizes.depth >= kLeastDepth && sizes.columns >= kLeastColumns
          : std::min({sizes.rows, sizes.depth, sizes.columns}) >= kLeastRunTimeSize;
  return isLarge ? std::optional(sizes) : std::nullopt;
}

/// The quarters of a matrix, row by row.
using Quarters = std::array<Value, 4>;

Quarters getQuarters(OpBuilder &builder, Location loc, Value matrix) {
  auto shape = tensorType(matrix).getShape();
  const int64_t rows = shape[0] / 2, columns = shape[1] / 2;
  Quarters quarters;
  for (int64_t i : {0, 1})
    for (int64_t j : {0, 1})
      quarters[2 * i + j] =
          SliceOp::create(builder, loc, matrix, ArrayRef<int64_t>{i * rows, j * columns},
                          ArrayRef<int64_t>{rows, columns}, ArrayRef<int64_t>{1, 1});
  return quarters;
}

/// One product, with all that is made of it.
class Rewriter {
public:
  Rewriter(MatmulOp op, const Sizes &sizes) : op(op), sizes(sizes), builder(op), loc(op.getLoc()) {}

  void run() {
    parts[op.getY()] = multiply();
    if (Value bias = op.getBias()) {
      // Read like an operand of an elementwise op.
      std::optional<Quarters> quarters = getOperand(bias);
      Quarters &sums = parts[op.getY()];
      if (quarters) {
        for (auto [sum, part] : llvm::zip_equal(sums, *quarters))
          sum = add(sum, part);
      } else {
        Value whole = join(sums);
        whole = createReshape(builder, loc, whole, tensorType(op.getY()).getShape());
        op.getY().replaceAllUsesWith(add(whole, bias));
        op.erase();
        return;
      }
    }
    SetVector<Operation *> replaced = pushTails();
    for (auto &[value, quarters] : parts) {
      auto isReplaced = [&](OpOperand &use) { return replaced.contains(use.getOwner()); };
      if (llvm::all_of(value.getUses(), isReplaced))
        continue;
      builder.setInsertionPoint(op);
      Value whole =
          createReshape(builder, value.getLoc(), join(quarters), tensorType(value).getShape());
      Value(value).replaceUsesWithIf(whole, [&](OpOperand &use) { return !isReplaced(use); });
    }
    for (Operation *tail : llvm::reverse(replaced))
      tail->erase();
    op.erase();
  }

private:
  Value add(Value a, Value b) { return AddOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return SubOp::create(builder, loc, a, b); }

  /// The quarters of the product: Winograd's form of Strassen's algorithm. Each sum of products
  /// ends one of them, so that a kernel's epilogue computes it, except for the last quarter.
  Quarters multiply() {
    Value a = createReshape(builder, loc, op.getA(), {sizes.rows, sizes.depth});
    if (sizes.rows % 2 != 0)
      a = PadOp::create(builder, loc, a, ArrayRef<int64_t>{0, 0}, ArrayRef<int64_t>{1, 0},
                        PadMode::Constant, llvm::APFloat(0.0f));
    auto [a11, a12, a21, a22] = getQuarters(builder, loc, a);
    auto [b11, b12, b21, b22] = getQuarters(builder, loc, op.getB());
    if (op.getTransposeB())
      std::swap(b12, b21);
    auto times = [&](Value left, Value right) -> Value {
      return MatmulOp::create(builder, loc, left, right, /*bias=*/Value(), /*transpose_a=*/false,
                              op.getTransposeB());
    };
    Value t1 = sub(b12, b11), t2 = sub(b22, t1), t3 = sub(b22, b12), t4 = sub(t2, b21);
    Value s1 = add(a21, a22), s2 = sub(s1, a11), s3 = sub(a11, a21), s4 = sub(a12, s2);
    Value p1 = times(a11, b11);
    Value c11 = add(times(a12, b21), p1);
    Value u2 = add(times(s2, t2), p1);
    Value u3 = add(times(s3, t3), u2);
    Value c21 = sub(u3, times(a22, t4));
    Value p5 = times(s1, t1);
    Value c12 = add(add(times(s4, b22), u2), p5);
    return {c11, c12, c21, add(u3, p5)};
  }

  /// The whole of four quarters, without the row that was added.
  Value join(const Quarters &quarters) {
    Value upper = ConcatOp::create(builder, loc, ValueRange{quarters[0], quarters[1]}, 1);
    Value lower = ConcatOp::create(builder, loc, ValueRange{quarters[2], quarters[3]}, 1);
    Value whole = ConcatOp::create(builder, loc, ValueRange{upper, lower}, 0);
    if (sizes.rows % 2 == 0)
      return whole;
    return SliceOp::create(builder, loc, whole, ArrayRef<int64_t>{0, 0},
                           ArrayRef<int64_t>{sizes.rows, sizes.columns}, ArrayRef<int64_t>{1, 1});
  }

  /// What of an elementwise op's operand belongs to each quarter of the result; nothing if that is
  /// not known before the product, or no quarter of it.
  std::optional<Quarters> getOperand(Value value) {
    if (auto found = parts.find(value); found != parts.end())
      return found->second;
    Operation *producer = value.getDefiningOp();
    if (producer && producer->getBlock() == op->getBlock() && !producer->isBeforeInBlock(op)) {
      if (!isa<ConstantOp>(producer))
        return std::nullopt;
      producer->moveBefore(op);
    }
    auto type = tensorType(value);
    const int64_t count = type.getNumElements(), half = sizes.columns / 2;
    if (count == 1) {
      Value scalar = createReshape(builder, loc, value, {});
      return Quarters{scalar, scalar, scalar, scalar};
    }
    if (count == sizes.columns && type.getShape().back() == sizes.columns) {
      Value vector = createReshape(builder, loc, value, {sizes.columns});
      auto slice = [&](int64_t start) -> Value {
        return SliceOp::create(builder, loc, vector, ArrayRef<int64_t>{start},
                               ArrayRef<int64_t>{half}, ArrayRef<int64_t>{1});
      };
      Value left = slice(0), right = slice(half);
      return Quarters{left, right, left, right};
    }
    if (type.getShape() == tensorType(op.getY()).getShape() && sizes.rows % 2 == 0)
      return getQuarters(builder, loc,
                         createReshape(builder, loc, value, {sizes.rows, sizes.columns}));
    return std::nullopt;
  }

  /// Applies elementwise ops on the product to its quarters instead, if they need nothing that
  /// comes later. Returns these ops, in the order of the block.
  SetVector<Operation *> pushTails() {
    SetVector<Operation *> replaced;
    SmallVector<Value> values{op.getY()};
    for (size_t next = 0; next < values.size(); ++next) {
      SmallVector<Operation *> users;
      for (Operation *user : values[next].getUsers())
        if (user->getBlock() == op->getBlock())
          users.push_back(user);
      llvm::sort(users, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
      for (Operation *user : users)
        if (!replaced.contains(user) && pushTail(user)) {
          replaced.insert(user);
          values.push_back(user->getResult(0));
        }
    }
    SmallVector<Operation *> ordered(replaced.begin(), replaced.end());
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return SetVector<Operation *>(ordered.begin(), ordered.end());
  }

  bool pushTail(Operation *user) {
    if (!isa<ElementwiseOpInterface>(user) ||
        tensorType(user->getResult(0)).getShape() != tensorType(op.getY()).getShape())
      return false;
    SmallVector<Quarters> operands;
    for (Value operand : user->getOperands()) {
      std::optional<Quarters> quarters = getOperand(operand);
      if (!quarters)
        return false;
      operands.push_back(*quarters);
    }
    Quarters &results = parts[user->getResult(0)];
    for (size_t i = 0; i < results.size(); ++i) {
      Operation *clone = builder.clone(*user);
      for (auto [j, quarters] : llvm::enumerate(operands))
        clone->setOperand(j, quarters[i]);
      auto shape = tensorType(parts.front().second[i]).getShape();
      clone->getResult(0).setType(tensorType(user->getResult(0)).clone(shape));
      results[i] = clone->getResult(0);
    }
    return true;
  }

  MatmulOp op;
  Sizes sizes;
  OpBuilder builder;
  Location loc;
  /// The quarters of the product, which is first, and of what elementwise ops make of it.
  llvm::MapVector<Value, Quarters> parts;
};

struct Strassen : impl::StrassenBase<Strassen> {
  PassCounter numProducts{*this, "products", "Products that became seven of half the size"};

  void runOnOperation() override {
    SmallVector<std::pair<MatmulOp, Sizes>> products;
    getOperation()->walk([&](MatmulOp op) {
      if (std::optional<Sizes> sizes = getSizes(op))
        products.emplace_back(op, *sizes);
    });
    for (auto [op, sizes] : products) {
      Rewriter(op, sizes).run();
      ++numProducts;
    }
  }
};

} // namespace
} // namespace mlir::ttc
