// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Masks.h"
#include "dialects/Ttc/Interfaces/DimensionMap.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"
#include "dialects/Ttc/Tensors/ExtentRules.h"
#include "dialects/Ttc/Traces/LoopOps.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "ttc/Shapes/Passes.h"
#include "ttc/Shapes/Variants.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_MASKPADDING
#include "ttc/Shapes/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

ExtentSpace mlir::ttc::getExtentSpace(VariantAttr variant) {
  SmallVector<ExtentSpace::Dimension> dimensions;
  for (unsigned dim = 0; dim < variant.getNumDims(); ++dim)
    dimensions.push_back({variant.getDims()[dim].str(), variant.getLow()[dim],
                          variant.getHigh()[dim], variant.getStep(dim)});
  return ExtentSpace(dimensions);
}

namespace {

/// Rewrites one variant.
class Variant {
public:
  Variant(func::FuncOp function, VariantAttr variant, Value extents)
      : function(function), masks(function, getExtentSpace(variant), extents) {}

  LogicalResult run();
  int64_t getNumMasks() const { return masks.getNumMasks(); }
  int64_t numRewritten = 0;

private:
  void addDimensions();
  FailureOr<bool> closeGapsThatDiffer(Operation *op);
  LogicalResult checkProbes(Operation *op);
  FailureOr<bool> closeGapsOfResults(Operation *terminator);
  LogicalResult checkStates();
  LogicalResult setResultDims();

  func::FuncOp function;
  Masks masks;
};

} // namespace

/// Those that sizes from the importer take.
void Variant::addDimensions() {
  for (BlockArgument argument : function.getArguments())
    if (auto dims =
            function.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(), kDimsAttrName))
      masks.addDimensions(dims.getValue());
  for (Operation &op : function.getOps())
    for (StringRef name : {kDimsAttrName, kNumbersAttrName})
      if (auto map = op.getAttrOfType<AffineMapAttr>(name))
        masks.addDimensions(map.getValue());
}

/// Operands may have the same elements along a dimension, with padding between them in one and
/// after them in another. Returns whether one is without gaps now.
FailureOr<bool> Variant::closeGapsThatDiffer(Operation *op) {
  SmallVector<std::pair<OpOperand *, int64_t>> gaps;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (masks.isPadded(operand.get(), dim) && !masks.getExtent(operand.get(), dim))
        gaps.push_back({&operand, dim});
  }
  if (gaps.empty() || op->getNumOperands() == 1 || op->getNumRegions() != 0)
    return false;
  const DimensionMap map = getDimensionMap(op);
  for (auto [operand, dim] : gaps) {
    ArrayRef<int> loops = map.getIndex(operand->getOperandNumber(), dim).loops;
    for (OpOperand &other : op->getOpOperands())
      for (int64_t at = 0; at < map.getRank(other.getOperandNumber()); ++at) {
        if (loops.size() != 1 || map.getIndex(other.getOperandNumber(), at).loops != loops ||
            !masks.isPadded(other.get(), at) ||
            areEqual(masks.getSpace(), masks.getPadding(operand->get(), dim),
                     masks.getPadding(other.get(), at)))
          continue;
        OpBuilder builder(op);
        FailureOr<Value> closed = closeGaps(op, builder, masks, operand->get(), dim);
        if (failed(closed))
          return failure();
        operand->set(*closed);
        return true;
      }
  }
  return false;
}

LogicalResult Variant::run() {
  addDimensions();
  const ExtentSpace &space = masks.getSpace();
  for (BlockArgument argument : function.getArguments()) {
    auto dims = function.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(), kDimsAttrName);
    if (!dims)
      continue;
    for (auto [dim, expr] : llvm::enumerate(dims.getValue().getResults())) {
      std::optional<Extent> extent = space.fromExpr(expr);
      if (!extent)
        return function.emitError("argument ")
               << argument.getArgNumber() << ": expected '" << kDimsAttrName
               << "' of sums of multiples of the extents, found " << dims;
      masks.setExtent(argument, static_cast<int64_t>(dim), *extent);
    }
  }
  Block &block = function.getBody().front();
  for (Operation *op = &block.front(), *next = nullptr; op; op = next) {
    Operation *previous = op->getPrevNode();
    next = op->getNextNode();
    if (op == block.getTerminator()) {
      FailureOr<bool> hasClosed = closeGapsOfResults(op);
      if (failed(hasClosed))
        return failure();
      if (!*hasClosed)
        break;
      next = previous ? previous->getNextNode() : &block.front();
      continue;
    }
    FailureOr<bool> isReplaced = closeGapsThatDiffer(op);
    if (failed(isReplaced) || *isReplaced) {
      // Below: the new ops come before.
    } else if (auto following = dyn_cast<ExtentOpInterface>(op)) {
      OpBuilder builder(op);
      isReplaced = following.followExtents(builder, masks);
    } else if (llvm::any_of(op->getOperands(), [&](Value v) { return masks.isPadded(v); }) &&
               op->getNumRegions() != 0) {
      return op->emitOpError("expected ops without regions in a variant");
    } else {
      isReplaced = failed(followLoops(op, masks)) ? FailureOr<bool>(failure()) : false;
    }
    if (failed(isReplaced))
      return failure();
    if (!*isReplaced && op->hasAttr(kNumbersAttrName))
      return op->emitOpError("depends on sizes by ")
             << op->getAttr(kNumbersAttrName)
             << "; expected an op that does not, or a slice or a constant";
    if (*isReplaced) {
      ++numRewritten;
      next = previous ? previous->getNextNode() : &block.front();
    } else if (failed(checkProbes(op))) {
      return failure();
    }
  }
  if (failed(checkStates()) || failed(setResultDims()))
    return failure();
  for (Operation &op : block) {
    op.removeAttr(kDimsAttrName);
    op.removeAttr(kProbedAttrName);
  }
  function->removeAttr(kProbesAttrName);
  return success();
}

/// Compares what the pass has found with what the importer has at other extents.
LogicalResult Variant::checkProbes(Operation *op) {
  auto probes = function->getAttrOfType<DenseI64ArrayAttr>(kProbesAttrName);
  auto probed = op->getAttrOfType<DenseI64ArrayAttr>(kProbedAttrName);
  if (!probes || !probed)
    return success();
  const ExtentSpace &space = masks.getSpace();
  const size_t numDims = space.getDimensions().size();
  ArrayRef<int64_t> sizes = probed.asArrayRef();
  for (ArrayRef<int64_t> left = probes.asArrayRef(); !left.empty();
       left = left.drop_front(numDims)) {
    ArrayRef<int64_t> extents = left.take_front(numDims);
    // Those of larger variants say nothing about this one.
    const bool fits = llvm::all_of(llvm::zip_equal(space.getDimensions(), extents), [](auto pair) {
      return std::get<1>(pair) <= std::get<0>(pair).high;
    });
    for (OpResult result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type)
        continue;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (sizes.empty())
          return success();
        int64_t size = type.getDimSize(dim);
        if (const Padding &padding = masks.getPadding(result, dim); !padding.empty()) {
          size = 1;
          for (const PaddingFactor &factor : padding)
            size *= factor.extent ? space.evaluate(*factor.extent, extents) : factor.size;
        }
        if (fits && size != sizes.front()) {
          std::string where;
          for (auto [dimension, extent] : llvm::zip_equal(space.getDimensions(), extents))
            where += (where.empty() ? "" : ", ") + dimension.name + " " + std::to_string(extent);
          return op->emitOpError("dimension ")
                 << dim << " of the result has " << sizes.front() << " elements with " << where
                 << ", expected " << size
                 << " from how its operands depend on the sizes: the model computes this shape in "
                    "a way that bucketed sizes do not support";
        }
        sizes = sizes.drop_front();
      }
    }
  }
  return success();
}

/// What a caller gets is valid from its first element on. Returns whether there are new ops before
/// the terminator.
FailureOr<bool> Variant::closeGapsOfResults(Operation *terminator) {
  bool hasClosed = false;
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (!masks.isPadded(operand.get(), dim) || masks.getExtent(operand.get(), dim))
        continue;
      OpBuilder builder(terminator);
      FailureOr<Value> closed = closeGaps(terminator, builder, masks, operand.get(), dim);
      if (failed(closed))
        return failure();
      operand.set(*closed);
      hasClosed = true;
      break; // the next dimension when the paddings of the new ops are known
    }
  }
  return hasClosed;
}

/// A state is kept as a whole, whatever size the next run has.
LogicalResult Variant::checkStates() {
  auto check = [&](Value value, Attribute state, StringRef what) -> LogicalResult {
    for (int64_t dim = 0; state && dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim)
      if (masks.isPadded(value, dim))
        return function.emitError("expected a state of one size in all runs, found ")
               << state << ": dimension " << dim << " of its " << what
               << " value has a size of its own in each run";
    return success();
  };
  for (BlockArgument argument : function.getArguments())
    if (failed(
            check(argument, function.getArgAttr(argument.getArgNumber(), kStateAttrName), "old")))
      return failure();
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    if (failed(check(value, function.getResultAttr(index, kStateAttrName), "new")))
      return failure();
  return success();
}

LogicalResult Variant::setResultDims() {
  const ExtentSpace &space = masks.getSpace();
  MLIRContext *context = function.getContext();
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto declared = function.getResultAttrOfType<AffineMapAttr>(index, kDimsAttrName);
    if (!masks.isPadded(value) && !declared)
      continue;
    SmallVector<AffineExpr> exprs;
    bool isAsDeclared = true;
    for (int64_t dim = 0; dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim) {
      std::optional<Extent> extent = masks.getExtent(value, dim);
      exprs.push_back(space.getExpr(*extent, context));
      std::optional<Extent> wanted =
          declared ? space.fromExpr(declared.getValue().getResult(dim)) : std::nullopt;
      isAsDeclared &= wanted && space.areEqual(*wanted, *extent);
    }
    auto dims = AffineMapAttr::get(AffineMap::get(0, space.getDimensions().size(), exprs, context));
    if (declared && !isAsDeclared)
      return function.emitError("result ") << index << ": expected '" << kDimsAttrName << "' of "
                                           << dims << ", found " << declared;
    if (!declared)
      function.setResultAttr(index, kDimsAttrName, dims);
  }
  return success();
}

/// Where a variant has a single size, nothing is padded, so its results do not tell that they
/// follow the extent. All variants of a model say the same of their results.
static void unifyResultDims(ArrayRef<func::FuncOp> variants) {
  func::FuncOp largest = variants.back();
  for (func::FuncOp function : variants.drop_back()) {
    ExtentSpace space = getExtentSpace(function->getAttrOfType<VariantAttr>(kVariantAttrName));
    for (unsigned index = 0; index < function.getNumResults(); ++index) {
      auto wanted = largest.getResultAttrOfType<AffineMapAttr>(index, kDimsAttrName);
      auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[index]);
      if (!wanted || !type)
        continue;
      auto own = function.getResultAttrOfType<AffineMapAttr>(index, kDimsAttrName);
      space.addDimensions(wanted.getValue());
      if (own)
        space.addDimensions(own.getValue());
      auto isSame = [&](int64_t dim) {
        std::optional<Extent> a = space.fromExpr(wanted.getValue().getResult(dim));
        std::optional<Extent> b = own ? space.fromExpr(own.getValue().getResult(dim))
                                      : space.getConstant(type.getDimSize(dim));
        return a && b && space.areEqual(*a, *b);
      };
      if (llvm::all_of(llvm::seq<int64_t>(0, type.getRank()), isSame))
        function.setResultAttr(index, kDimsAttrName, wanted);
    }
  }
}

namespace {
struct MaskPadding : mlir::ttc::impl::MaskPaddingBase<MaskPadding> {
  void runOnOperation() override {
    llvm::MapVector<StringRef, SmallVector<func::FuncOp>> models;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto variant = function->getAttrOfType<VariantAttr>(kVariantAttrName);
      if (!variant || function.isDeclaration())
        continue;
      for (auto loop : function.getOps<LoopBeginOp>()) {
        loop.emitError("expected a model without loops for ranges of sizes ('")
            << variant.getOf() << "'), found one; expected one size for each --dim";
        return signalPassFailure();
      }
      Value extents;
      for (BlockArgument argument : function.getArguments())
        if (auto name =
                function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttrName);
            name && name.getValue() == kExtentsName)
          extents = argument;
      Variant rewriter(function, variant, extents);
      if (failed(rewriter.run()))
        return signalPassFailure();
      numMasks += rewriter.getNumMasks();
      numRewritten += rewriter.numRewritten;
      models[variant.getOf()].push_back(function);
    }
    for (const auto &[name, variants] : models)
      unifyResultDims(variants);
  }

  PassCounter numMasks{*this, "masks", "Masks inserted"};
  PassCounter numRewritten{*this, "rewritten", "Ops replaced by others"};
};
} // namespace
