// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ElementwiseOps.h"
#include "dialects/Ttc/Tensors/NormalizationOps.h"
#include "dialects/Ttc/Tensors/ReductionOps.h"
#include "dialects/Ttc/Tensors/SequentialOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "ttc/Transforms/Passes.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_WIDENFLOATS
#include "ttc/Transforms/Passes.h.inc"

namespace {

/// f16 or bf16, if the type is a tensor of them; otherwise null.
Type getNarrowFloat(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isa<Float16Type, BFloat16Type>(tensor.getElementType()))
    return {};
  return tensor.getElementType();
}

/// The type with f32 in the place of f16 and bf16.
Type widenType(Type type) {
  if (!getNarrowFloat(type))
    return type;
  return cast<RankedTensorType>(type).clone(Float32Type::get(type.getContext()));
}

/// The one narrow type of the op's operands, which all its narrow results have, too; otherwise
/// null.
Type getComputedType(Operation *op) {
  Type found;
  for (Type type : op->getOperandTypes())
    if (Type narrow = getNarrowFloat(type)) {
      if (found && found != narrow)
        return {};
      found = narrow;
    }
  for (Type type : op->getResultTypes())
    if (Type narrow = getNarrowFloat(type); narrow && narrow != found)
      return {};
  return found;
}

/// An op that computes results from tensors, and nothing else.
bool isTensorOp(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  return isa<TtcDialect>(op->getDialect()) && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<HostWorkOpInterface, DeviceWorkOpInterface>(op) &&
         llvm::all_of(op->getOperandTypes(), isTensor) &&
         llvm::all_of(op->getResultTypes(), isTensor);
}

/// Whether the op computes the same on `operands`, which are f32, with results that are f32, too.
bool canWiden(Operation *op, ArrayRef<Value> operands) {
  auto wanted = llvm::map_to_vector(op->getResultTypes(), widenType);
  if (auto inferred = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> types;
    return succeeded(inferred.inferReturnTypes(
               op->getContext(), /*location=*/std::nullopt, operands, op->getAttrDictionary(),
               op->getPropertiesStorage(), op->getRegions(), types)) &&
           types == wanted;
  }
  // An op with a given result type: of the operand's element type, unless it reads the bits.
  return llvm::all_of(op->getResultTypes(),
                      [](Type type) { return static_cast<bool>(getNarrowFloat(type)); });
}

/// Rewrites the ops of one function. Widened ops remain beside the new ones until all are
/// rewritten, so that what still uses their narrow results is known then.
class Widener {
public:
  Widener(FunctionOpInterface function, FloatRounding rounding)
      : function(function), rounding(rounding) {}

  /// Returns how many ops were widened.
  int64_t run() {
    SmallVector<Operation *> ops;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      visit(op);
    for (Operation *op : llvm::reverse(widened)) {
      for (Value result : op->getResults())
        if (!result.use_empty())
          result.replaceAllUsesWith(createNarrow(result));
      op->erase();
    }
    for (Operation *op : llvm::reverse(conversions))
      if (op->use_empty())
        op->erase();
    return widened.size();
  }

private:
  void visit(Operation *op) {
    if (auto cast = dyn_cast<CastOp>(op)) {
      if (!getNarrowFloat(cast.getX().getType()) ||
          cast.getType() != widenType(cast.getX().getType()))
        return;
      cast.replaceAllUsesWith(getWide(cast.getX()));
      cast.erase();
      return;
    }
    Type type = getComputedType(op);
    if (!type || !isTensorOp(op) || staysNarrow(op))
      return;
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) { return getWide(operand); });
    if (!canWiden(op, operands))
      return;
    OpBuilder builder(op);
    auto softmax = dyn_cast<SoftmaxOp>(op);
    bool rounds = roundsEachOp(type) && !isExact(op, cast<FloatType>(type));
    Operation *clone = rounds && softmax && isShort(softmax)
                           ? createInSteps(builder, softmax, operands[0], type)
                           : createOnF32(builder, op, operands);
    for (auto [from, to] : llvm::zip_equal(op->getResults(), clone->getResults())) {
      if (!getNarrowFloat(from.getType()))
        from.replaceAllUsesWith(to);
      else
        computed[from] = rounds ? createRounding(builder, to, type, hasNarrowNan(op, type)) : to;
    }
    widened.push_back(op);
  }

  bool roundsEachOp(Type type) const {
    return rounding == FloatRounding::Ops || (rounding == FloatRounding::Auto && type.isBF16());
  }

  /// Whether the results on numbers of the type need no rounding to it.
  static bool isExact(Operation *op, FloatType type) {
    auto exact = dyn_cast<ExactOpInterface>(op);
    return op->hasTrait<SelectsElements>() || (exact && exact.isExactIn(type));
  }

  /// Whether every NaN of the op's result in f32 is a number of the type, as its operands are.
  static bool hasNarrowNan(Operation *op, Type type) {
    return op->hasTrait<PassesNan>() && llvm::all_of(op->getOperandTypes(), [&](Type operand) {
             return getNarrowFloat(operand) == type;
           });
  }

  template <typename OpTy> static bool writesElements(Operation *op) {
    auto scatter = dyn_cast<OpTy>(op);
    return scatter && scatter.getReduction() == ScatterReduction::None;
  }

  /// Whether the op only moves elements that are stored in 16 bits.
  bool staysNarrow(Operation *op) const {
    if (op->hasTrait<ConvertsItself>())
      return true;
    // A few elements are written into a stored tensor, such as a cache: narrow, they can be written
    // in place.
    if (writesElements<ScatterNdOp>(op) || writesElements<ScatterElementsOp>(op))
      return !computed.contains(op->getOperand(0));
    return op->hasTrait<SelectsElements>() && !isa<ElementwiseOpInterface>(op) &&
           llvm::none_of(op->getOperands(), [&](Value value) { return computed.contains(value); });
  }

  //===--- values -----------------------------------------------------------------------===//

  /// The value as f32; itself if it is not narrow.
  Value getWide(Value value) {
    Type type = getNarrowFloat(value.getType());
    if (!type)
      return value;
    if (Value wide = computed.lookup(value))
      return wide;
    Value &wide = extended[value];
    if (wide)
      return wide;
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(value);
    // A cast of the model that rounds, and the way back, in one op.
    if (auto cast = value.getDefiningOp<CastOp>();
        cast && cast.getX().getType() == widenType(value.getType()))
      return wide = createRounding(builder, cast.getX(), type);
    auto cast = CastOp::create(builder, value.getLoc(), value, builder.getF32Type());
    conversions.push_back(cast);
    return wide = cast;
  }

  /// The narrow result of a widened op, from what it is computed as.
  Value createNarrow(Value result) {
    Value wide = computed.lookup(result);
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(wide);
    if (auto rounded = wide.getDefiningOp<ReducePrecisionOp>())
      wide = rounded.getX(); // the cast rounds
    return CastOp::create(builder, result.getLoc(), wide, getNarrowFloat(result.getType()));
  }

  Value createRounding(OpBuilder &builder, Value value, Type type, bool narrowNan = false) {
    auto op = ReducePrecisionOp::create(builder, value.getLoc(), value.getType(), value,
                                        TypeAttr::get(type),
                                        narrowNan ? builder.getUnitAttr() : UnitAttr());
    conversions.push_back(op);
    return op;
  }

  //===--- ops --------------------------------------------------------------------------===//

  static Operation *createOnF32(OpBuilder &builder, Operation *op, ArrayRef<Value> operands) {
    Operation *clone = builder.clone(*op);
    clone->setOperands(operands);
    for (Value result : clone->getResults())
      result.setType(widenType(result.getType()));
    return clone;
  }

  /// The longest softmax that is computed in steps. In a sum that is rounded after each addition,
  /// the error grows with the number of summands; with 16 it is still of the size of the other
  /// roundings.
  static constexpr int64_t maxSteps = 16;

  static bool isShort(SoftmaxOp op) {
    int64_t size = tensorType(op.getX()).getDimSize(op.getAxis());
    return size > 0 && size <= maxSteps;
  }

  /// exp(x - max(x)) / sum(exp(x - max(x))), rounded after each op and each addition of the sum.
  Operation *createInSteps(OpBuilder &builder, SoftmaxOp op, Value x, Type type) {
    Location loc = op.getLoc();
    auto round = [&](Value value) { return createRounding(builder, value, type); };
    SmallVector<int64_t> axes{op.getAxis()}, starts(tensorType(x).getRank(), 0),
        steps(tensorType(x).getRank(), 1), sizes(tensorType(x).getShape());
    Value largest = ReduceMaxOp::create(builder, loc, x, axes, /*keepdims=*/true);
    Value exp = round(ExpOp::create(builder, loc, round(SubOp::create(builder, loc, x, largest))));
    sizes[op.getAxis()] = 1;
    Value sum;
    for (int64_t &i = starts[op.getAxis()]; i < tensorType(x).getDimSize(op.getAxis()); ++i) {
      Value summand = SliceOp::create(builder, loc, exp, starts, sizes, steps);
      sum = sum ? round(AddOp::create(builder, loc, sum, summand)) : summand;
    }
    return DivOp::create(builder, loc, exp, sum);
  }

  FunctionOpInterface function;
  FloatRounding rounding;
  SmallVector<Operation *> widened;
  /// Casts and roundings that may turn out to be unused.
  SmallVector<Operation *> conversions;
  /// The results of widened ops as f32, and other narrow values that were cast to f32.
  DenseMap<Value, Value> computed, extended;
};

struct WidenFloats : impl::WidenFloatsBase<WidenFloats> {
  using WidenFloatsBase::WidenFloatsBase;
  PassCounter numWidened{*this, "widened", "Ops on f16 or bf16 that are computed in f32"};

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!isa<ProgramOp>(function))
        numWidened += Widener(function, floatRounding).run();
  }
};

} // namespace
} // namespace mlir::ttc
