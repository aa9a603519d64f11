// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linalg ops on memrefs to loops that LLVM vectorises well: as few loops as possible, the one
// with contiguous accesses innermost, addresses linear in the loops' counters, sums in
// registers where the innermost loop is a reduction.
#include "LoopNest.h"
#include "ProgramBody.h"
#include "ZoneCalls.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "ttc/Codegen/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_LINALGTOLOOPS
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

class NestEmitter {
public:
  NestEmitter(RewriterBase &b, linalg::GenericOp op, LoopNest nest)
      : b(b), op(op), loc(op.getLoc()), nest(std::move(nest)) {}

  void emit() {
    SmallVector<Value> addresses =
        llvm::map_to_vector(nest.operands, [](NestOperand &operand) { return operand.offset; });
    SmallVector<Value> counters(op.getNumLoops());
    for (auto [level, loop] : llvm::enumerate(nest.loops)) {
      if (level + 1 == nest.loops.size()) {
        loadInvariant(loop, addresses);
        return loop.kind == utils::IteratorType::reduction
                   ? emitReduction(loop, addresses, counters)
                   : emitInnermost(loop, addresses, counters);
      }
      auto nested = scf::ForOp::create(b, loc, index(0), extent(loop), index(1));
      b.setInsertionPoint(nested.getBody()->getTerminator());
      enter(loop, nested.getInductionVar(), addresses, counters);
    }
    emitElement(addresses, counters);
  }

private:
  unsigned numInputs() { return op.getNumDpsInputs(); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value extent(const NestLoop &loop) {
    return loop.extent ? index(*loop.extent) : loop.dynamicExtent;
  }

  void enter(const NestLoop &loop, Value counter, SmallVectorImpl<Value> &addresses,
             SmallVectorImpl<Value> &counters) {
    counters[loop.dim] = counter;
    for (auto [address, stride] : llvm::zip_equal(addresses, loop.strides)) {
      if (stride == 0)
        continue;
      Value step = counter;
      if (stride != 1)
        step = arith::MulIOp::create(b, loc, counter, index(stride));
      address = arith::AddIOp::create(b, loc, address, step);
    }
  }

  void emitElement(ArrayRef<Value> addresses, ArrayRef<Value> counters) {
    SmallVector<Value> elements = loadAll(addresses, /*alsoResults=*/true);
    SmallVector<Value> results = emitBody(elements, counters);
    for (auto [number, result] : llvm::enumerate(results))
      storeResult(number, result, addresses);
  }

  /// The iterations in which `condition`, that the counter of `loop` plus a constant is below
  /// another, is true.
  std::optional<std::pair<int64_t, int64_t>> whereTrue(const NestLoop &loop,
                                                       arith::CmpIOp condition) {
    std::optional<int64_t> bound = getConstantIntValue(condition.getRhs());
    if (condition.getPredicate() != arith::CmpIPredicate::ult || !bound || *bound < 0)
      return std::nullopt;
    Value counter = condition.getLhs();
    int64_t offset = 0;
    if (auto sum = counter.getDefiningOp<arith::AddIOp>()) {
      std::optional<int64_t> constant = getConstantIntValue(sum.getRhs());
      if (!constant)
        return std::nullopt;
      offset = *constant;
      counter = sum.getLhs();
    }
    auto at = counter.getDefiningOp<linalg::IndexOp>();
    if (!at || at.getDim() != loop.dim || !counter.getType().isIndex())
      return std::nullopt;
    auto inLoop = [&](int64_t place) { return std::clamp<int64_t>(place, 0, *loop.extent); };
    return std::pair(inLoop(-offset), inLoop(*bound - offset));
  }

  /// One loop, or one for each part of it in which the conditions on its counter are constant:
  /// inside of padding and outside, accesses are contiguous and nothing is chosen.
  void emitInnermost(const NestLoop &loop, ArrayRef<Value> addresses, ArrayRef<Value> counters) {
    SmallVector<std::pair<Operation *, std::pair<int64_t, int64_t>>> conditions;
    SmallVector<int64_t> cuts;
    if (loop.extent) {
      cuts = {0, *loop.extent};
      for (auto condition : op.getBody()->getOps<arith::CmpIOp>())
        if (auto range = whereTrue(loop, condition)) {
          conditions.push_back({condition, *range});
          cuts.append({range->first, range->second});
        }
      llvm::sort(cuts);
      cuts.erase(llvm::unique(cuts), cuts.end());
    }
    constexpr size_t kMostParts = 5;
    if (conditions.empty() || cuts.size() > kMostParts + 1)
      return emitPart(loop, index(0), extent(loop), loop.extent, addresses, counters);
    for (auto [begin, end] : llvm::zip(cuts, ArrayRef(cuts).drop_front())) {
      for (auto [condition, range] : conditions)
        decided[condition] = range.first <= begin && end <= range.second;
      emitPart(loop, index(begin), index(end), end - begin, addresses, counters);
    }
  }

  void emitPart(const NestLoop &loop, Value begin, Value end, std::optional<int64_t> length,
                ArrayRef<Value> outside, ArrayRef<Value> outsideCounters) {
    OpBuilder::InsertionGuard guard(b);
    auto nested = scf::ForOp::create(b, loc, begin, end, index(1));
    if (length)
      keepForVectors(loop, *length, nested);
    b.setInsertionPoint(nested.getBody()->getTerminator());
    SmallVector<Value> addresses(outside), counters(outsideCounters);
    enter(loop, nested.getInductionVar(), addresses, counters);
    emitElement(addresses, counters);
  }

  /// Keeps LLVM from unrolling the loop before it vectorises loops: it would take the loop around
  /// it instead, whose accesses are scattered, and peel iterations off that conditions single out,
  /// with vectors left that are not whole.
  void keepForVectors(const NestLoop &loop, int64_t length, scf::ForOp nested) {
    constexpr int64_t kLongestVector = 16;
    bool isContiguous = llvm::all_of(ArrayRef(loop.strides).drop_front(numInputs()),
                                     [](int64_t stride) { return stride == 1; });
    if (length >= kLongestVector && isContiguous)
      keepForVectors(nested);
  }

  void keepForVectors(scf::ForOp nested) {
    MLIRContext *context = b.getContext();
    auto annotation = [&](LLVM::LoopVectorizeAttr vectorize, LLVM::LoopUnrollAttr unroll) {
      return LLVM::LoopAnnotationAttr::get(context, {}, vectorize, {}, unroll, {}, {}, {}, {}, {},
                                           {}, {}, {}, {}, {}, {});
    };
    auto vectorize = LLVM::LoopVectorizeAttr::get(context, {}, {}, {}, {}, {}, {},
                                                  /*followupAll=*/annotation({}, {}));
    auto unroll =
        LLVM::LoopUnrollAttr::get(context, /*disable=*/b.getBoolAttr(true), {}, {}, {}, {}, {}, {});
    nested->setAttr(kLoopAnnotationAttrName, annotation(vectorize, unroll));
  }

  /// Inputs that stay the same throughout the innermost loop become scalars in front of it. LLVM
  /// does that only where it can tell them from what the loop stores, and does not vectorise where
  /// not.
  void loadInvariant(const NestLoop &loop, ArrayRef<Value> addresses) {
    for (unsigned number = 0; number < numInputs(); ++number) {
      NestOperand &operand = nest.operands[number];
      if (operand.isScalar || loop.strides[number] != 0)
        continue;
      if (Value value = load(number, addresses))
        operand = {value, Value(), /*isScalar=*/true};
    }
  }

  Value load(unsigned number, ArrayRef<Value> addresses) {
    NestOperand &operand = nest.operands[number];
    if (op.getBody()->getArgument(number).use_empty())
      return Value();
    if (operand.isScalar)
      return operand.base;
    return memref::LoadOp::create(b, loc, operand.base, addresses[number]);
  }

  SmallVector<Value> loadAll(ArrayRef<Value> addresses, bool alsoResults) {
    SmallVector<Value> elements(nest.operands.size());
    for (unsigned number = 0; number < elements.size(); ++number)
      if (alsoResults || number < numInputs())
        elements[number] = load(number, addresses);
    return elements;
  }

  void storeResult(unsigned number, Value result, ArrayRef<Value> addresses) {
    unsigned operand = numInputs() + number;
    memref::StoreOp::create(b, loc, result, nest.operands[operand].base, addresses[operand]);
  }

  /// The op's body on these elements.
  SmallVector<Value> emitBody(ArrayRef<Value> elements, ArrayRef<Value> counters) {
    IRMapping mapping;
    for (auto [argument, element] : llvm::zip_equal(op.getBody()->getArguments(), elements))
      if (element)
        mapping.map(argument, element);
    for (Operation &nested : op.getBody()->without_terminator()) {
      if (auto at = dyn_cast<linalg::IndexOp>(nested)) {
        mapping.map(at.getResult(), counters[at.getDim()]);
        continue;
      }
      if (auto known = decided.find(&nested); known != decided.end()) {
        mapping.map(nested.getResult(0),
                    arith::ConstantIntOp::create(b, loc, known->second, /*width=*/1));
        continue;
      }
      b.clone(nested, mapping)->walk([&](linalg::IndexOp at) {
        at.getResult().replaceAllUsesWith(counters[at.getDim()]);
        at.erase();
      });
    }
    SmallVector<Value> results;
    for (Value yielded : op.getBody()->getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(yielded));
    return results;
  }

  //===--- sums -------------------------------------------------------------------------===//

  /// The results that stay in place in the innermost loop.
  SmallVector<unsigned> getFolded(const NestLoop &loop) {
    return llvm::filter_to_vector(
        llvm::seq<unsigned>(0, op.getNumDpsInits()), [&](unsigned number) {
          const unsigned operand = numInputs() + number;
          return loop.strides[operand] == 0 && !nest.operands[operand].isScalar;
        });
  }

  /// Whether the op does nothing with a result but to add a float to it, or to multiply it by one.
  template <typename... Combine> bool isMadeBy(unsigned number) {
    Block &body = *op.getBody();
    Operation *combine = body.getTerminator()->getOperand(number).getDefiningOp();
    BlockArgument result = body.getArgument(numInputs() + number);
    return isa_and_nonnull<Combine...>(combine) && result.hasOneUse() &&
           *result.user_begin() == combine;
  }
  Value combine(unsigned number, Value left, Value right) {
    if (isMadeBy<arith::MulFOp>(number))
      return arith::MulFOp::create(b, loc, left, right);
    return arith::AddFOp::create(b, loc, left, right);
  }

  /// How many partial sums hide the latency of additions: few for few elements, none for fewer. A
  /// function takes longer than they do, and as many registers as there are.
  int64_t getLanes(const NestLoop &loop) {
    const bool isLong = llvm::any_of(op.getBody()->without_terminator(), [](Operation &nested) {
      return isa<math::MathDialect>(nested.getDialect());
    });
    const int64_t most = isLong ? kPart : 4 * kPart, length = loop.extent.value_or(kPart);
    return length >= 2 * most ? most : length >= kPart ? kPart : 0;
  }

  /// Sums, or products, as partial sums, element i in that of number i modulo `lanes`, and these by
  /// halves. The order does not depend on the CPU, unlike one that LLVM chooses: the same bits on
  /// all. The partial sums are in memory until LLVM has made vectors of the loop over them, and in
  /// registers then.
  void emitSums(const NestLoop &loop, int64_t lanes, ArrayRef<unsigned> folded,
                ArrayRef<Value> addresses, ArrayRef<Value> counters) {
    SmallVector<Value> partial(op.getNumDpsInits());
    for (unsigned number : folded) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&op->getParentOfType<FunctionOpInterface>().front());
      Type element = op.getBody()->getArgument(numInputs() + number).getType();
      partial[number] = memref::AllocaOp::create(b, loc, MemRefType::get({lanes}, element),
                                                 b.getI64IntegerAttr(kCacheLine));
    }
    for (unsigned number : folded) {
      Value sums = partial[number];
      Type vector = getPart(sums);
      Value none = arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(cast<VectorType>(vector),
                                 b.getFloatAttr(getElementTypeOrSelf(vector),
                                                isMadeBy<arith::MulFOp>(number) ? 1.0 : -0.0)));
      for (int64_t at = 0; at < lanes; at += kPart)
        vector::StoreOp::create(b, loc, none, sums, ValueRange{index(at)});
    }
    Value whole = extent(loop), size = index(lanes);
    Value blocks = loop.extent ? index(*loop.extent / lanes)
                               : arith::DivUIOp::create(b, loc, whole, size).getResult();
    auto first = [&](Value block) -> Value { return arith::MulIOp::create(b, loc, block, size); };
    auto outer = scf::ForOp::create(b, loc, index(0), blocks, index(1));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(outer.getBody()->getTerminator());
      emitLanes(loop, first(outer.getInductionVar()), size, partial, addresses, counters);
    }
    if (!loop.extent || *loop.extent % lanes != 0) {
      Value begin = first(blocks);
      emitLanes(loop, begin, arith::SubIOp::create(b, loc, whole, begin), partial, addresses,
                counters);
    }
    for (unsigned number : folded) {
      Value before = memref::LoadOp::create(b, loc, nest.operands[numInputs() + number].base,
                                            addresses[numInputs() + number]);
      Value sum = combine(number, before, combineByHalves(number, partial[number], lanes));
      storeResult(number, sum, addresses);
    }
  }

  /// Adds elements from `first` on, `count` of them, to the partial sums, which are null for other
  /// results.
  void emitLanes(const NestLoop &loop, Value first, Value count, ArrayRef<Value> partial,
                 ArrayRef<Value> outside, ArrayRef<Value> outsideCounters) {
    OpBuilder::InsertionGuard guard(b);
    auto nested = scf::ForOp::create(b, loc, index(0), count, index(1));
    keepForVectors(nested);
    b.setInsertionPoint(nested.getBody()->getTerminator());
    SmallVector<Value> addresses(outside), counters(outsideCounters);
    Value lane = nested.getInductionVar();
    enter(loop, arith::AddIOp::create(b, loc, first, lane), addresses, counters);
    SmallVector<Value> elements = loadAll(addresses, /*alsoResults=*/false);
    for (auto [number, sums] : llvm::enumerate(partial))
      elements[numInputs() + number] = sums ? memref::LoadOp::create(b, loc, sums, lane).getResult()
                                            : load(numInputs() + number, addresses);
    SmallVector<Value> results = emitBody(elements, counters);
    for (auto [number, result] : llvm::enumerate(results)) {
      if (partial[number])
        memref::StoreOp::create(b, loc, result, partial[number], lane);
      else
        storeResult(number, result, addresses);
    }
  }

  /// The sum of the partial sums.
  Value combineByHalves(unsigned number, Value sums, int64_t lanes) {
    SmallVector<Value> parts;
    for (int64_t at = 0; at < lanes; at += kPart)
      parts.push_back(
          vector::LoadOp::create(b, loc, cast<VectorType>(getPart(sums)), sums, index(at)));
    for (; parts.size() > 1; parts.resize(parts.size() / 2))
      for (size_t i = 0; i < parts.size() / 2; ++i)
        parts[i] = combine(number, parts[i], parts[i + parts.size() / 2]);
    Value sum = parts[0];
    for (int64_t half = kPart / 2; half > 0; half /= 2) {
      auto slice = [&](int64_t from) -> Value {
        return vector::ShuffleOp::create(b, loc, sum, sum,
                                         llvm::to_vector(llvm::seq<int64_t>(from, from + half)));
      };
      Value low = slice(0), high = slice(half);
      sum = combine(number, low, high);
    }
    return vector::ExtractOp::create(b, loc, sum, 0);
  }

  static constexpr int64_t kCacheLine = 64, kPart = 8;
  static Type getPart(Value sums) {
    return VectorType::get({kPart}, cast<MemRefType>(sums.getType()).getElementType());
  }

  /// The innermost loop with the results that it folds in registers.
  void emitReduction(const NestLoop &loop, SmallVector<Value> addresses,
                     SmallVector<Value> counters) {
    const SmallVector<unsigned> folded = getFolded(loop);
    if (const int64_t lanes = getLanes(loop);
        lanes != 0 && !folded.empty() && llvm::all_of(folded, [&](unsigned number) {
          return isMadeBy<arith::AddFOp, arith::MulFOp>(number);
        }))
      return emitSums(loop, lanes, folded, addresses, counters);
    SmallVector<Value> initial;
    for (unsigned number : folded)
      initial.push_back(memref::LoadOp::create(b, loc, nest.operands[numInputs() + number].base,
                                               addresses[numInputs() + number]));
    SmallVector<Value> outside = addresses;
    auto nested = scf::ForOp::create(
        b, loc, index(0), extent(loop), index(1), initial,
        [&](OpBuilder &, Location, Value counter, ValueRange carried) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToEnd(counter.getParentBlock());
          enter(loop, counter, addresses, counters);
          SmallVector<Value> elements = loadAll(addresses, /*alsoResults=*/false);
          for (unsigned number = 0; number < op.getNumDpsInits(); ++number)
            elements[numInputs() + number] = load(numInputs() + number, addresses);
          for (auto [number, value] : llvm::zip_equal(folded, carried))
            elements[numInputs() + number] = value;
          SmallVector<Value> results = emitBody(elements, counters);
          SmallVector<Value> next;
          for (auto [number, result] : llvm::enumerate(results)) {
            if (llvm::is_contained(folded, number))
              next.push_back(result);
            else
              storeResult(number, result, addresses);
          }
          scf::YieldOp::create(b, loc, next);
        });
    for (auto [number, result] : llvm::zip_equal(folded, nested.getResults()))
      storeResult(number, result, outside);
  }

  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  LoopNest nest;
  /// Conditions in the op's body that are constant in the part of the loop that is emitted.
  DenseMap<Operation *, bool> decided;
};

/// The largest or smallest of a dimension as LLVM's intrinsics, which it vectorises; a comparison
/// and a selection for each of NaN and order, which others become, it does not. True if `op` is
/// gone.
template <typename From, typename To> bool keepExtremum(Operation *op) {
  auto extremum = dyn_cast<From>(op);
  if (!extremum || !extremum.getType().isF32())
    return false;
  OpBuilder b(op);
  auto flags = arith::convertArithFastMathFlagsToLLVM(extremum.getFastmath());
  Value result =
      To::create(b, op->getLoc(), extremum.getType(), extremum.getLhs(), extremum.getRhs(), flags);
  extremum.replaceAllUsesWith(result);
  extremum.erase();
  return true;
}

/// Lets LLVM contract the products whose sum folds a dimension away. It never reorders a sum: which
/// order it chose would depend on the CPU.
///
/// All other arithmetic is IEEE 754's: x * x - y * y is 0 where x is y, which a contracted product
/// would not give.
void relaxArithmetic(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return;
  auto relax = [](Operation *nested, arith::FastMathFlags more) {
    auto flags = dyn_cast<arith::ArithFastMathInterface>(nested);
    // Narrowing and widening again rounds. Contraction would fold the pair away and lose the
    // rounding.
    if (!flags || isa<CastOpInterface>(nested))
      return;
    arith::FastMathFlagsAttr attr = flags.getFastMathFlagsAttr();
    arith::FastMathFlags old = attr ? attr.getValue() : arith::FastMathFlags::none;
    nested->setAttr(flags.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(nested->getContext(), old | more));
  };
  using Flags = arith::FastMathFlags;
  for (BlockArgument accumulator : op.getBody()->getArguments().take_back(op.getNumDpsInits()))
    for (Operation *user : llvm::make_early_inc_range(accumulator.getUsers())) {
      // The order of extrema makes no difference.
      const bool isSum = isa<arith::AddFOp, arith::MulFOp>(user);
      relax(user, isSum ? Flags::contract : Flags::contract | Flags::reassoc);
      for (Value operand : user->getOperands())
        if (auto product = operand.getDefiningOp<arith::MulFOp>())
          relax(product, Flags::contract);
      if (!keepExtremum<arith::MaximumFOp, LLVM::MaximumOp>(user))
        keepExtremum<arith::MinimumFOp, LLVM::MinimumOp>(user);
    }
}

struct LinalgToLoopsPass : mlir::ttc::impl::LinalgToLoopsBase<LinalgToLoopsPass> {
  void runOnOperation() override {
    markZones(getOperation());
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(lower(rewriter, op)))
        return signalPassFailure();
  }

  LogicalResult lower(IRRewriter &rewriter, Operation *op) {
    rewriter.setInsertionPoint(op);
    // A copy is a nest like any other: never a call of memcpy.
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      op = rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(), copy.getTarget());
    if (!cast<linalg::LinalgOp>(op).hasPureBufferSemantics())
      return op->emitOpError("expects operands in memory, found tensors");
    auto generic = dyn_cast<linalg::GenericOp>(op);
    rewriter.setInsertionPoint(op);
    if (!generic) {
      FailureOr<linalg::GenericOp> generalized =
          linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
      if (failed(generalized))
        return op->emitOpError("expects to have a generic form");
      generic = *generalized;
    }
    rewriter.setInsertionPoint(generic);
    std::optional<LoopNest> nest = analyzeNest(rewriter, generic);
    relaxArithmetic(generic);
    if (nest)
      NestEmitter(rewriter, generic, std::move(*nest)).emit();
    else if (failed(linalg::linalgOpToLoops(rewriter, generic)))
      return generic.emitOpError("expects to have a form as loops");
    rewriter.eraseOp(generic);
    return success();
  }
};

} // namespace
