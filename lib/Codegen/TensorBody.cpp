// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a program's tensor ops to linalg on tensors, and from there to memrefs.
#include "ProgramBody.h"
#include "TileShape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ttc/Conversion/TtcToLinalg.h"

using namespace mlir;
using namespace mlir::ttc;

FailureOr<func::FuncOp> ttc::buildTensorBody(ProgramOp program, ModuleOp module) {
  TypeConverter types;
  populateTtcToLinalgTypes(types);
  OpBuilder b(module.getBodyRegion());
  Location loc = program.getLoc();
  SmallVector<Type> arguments;
  for (unsigned i = 0, e = program.getNumArguments() + program.getNumResults(); i < e; ++i) {
    auto tensor = cast<RankedTensorType>(types.convertType(program.getOperandType(i)));
    MemRefLayoutAttrInterface layout;
    if (StridedAttr rows = program.getStrided(i)) {
      std::optional<SmallVector<int64_t>> strides = rows.getStrides(tensor.getShape());
      if (!strides)
        return program.emitError("expected rows that end where a dimension of ")
               << tensor << " ends, found " << rows;
      layout = StridedLayoutAttr::get(b.getContext(), /*offset=*/0, *strides);
    }
    arguments.push_back(MemRefType::get(tensor.getShape(), tensor.getElementType(), layout));
  }
  arguments.push_back(b.getIndexType());
  auto body = func::FuncOp::create(b, loc, "body", b.getFunctionType(arguments, {}));
  body.setPrivate();
  Block *block = body.addEntryBlock();
  b.setInsertionPointToStart(block);

  auto castTo = [&](Value v, Type type) -> Value {
    return v.getType() == type ? v
                               : UnrealizedConversionCastOp::create(b, loc, type, v).getResult(0);
  };
  IRMapping mapping;
  for (auto [argument, input] :
       llvm::zip(block->getArguments(), program.getBody().getArguments())) {
    Value tensor = bufferization::ToTensorOp::create(b, loc, types.convertType(input.getType()),
                                                     argument, /*restrict=*/true);
    mapping.map(input, castTo(tensor, input.getType()));
  }
  for (Operation &op : program.getBody().front()) {
    auto done = dyn_cast<ReturnOp>(op);
    if (!done) {
      b.clone(op, mapping);
      continue;
    }
    unsigned next = program.getNumArguments();
    for (Value value : done.getValues()) {
      Value tensor = castTo(mapping.lookup(value), types.convertType(value.getType()));
      auto write = bufferization::MaterializeInDestinationOp::create(b, loc, Type(), tensor,
                                                                     block->getArgument(next++));
      write.setRestrict(true);
      write.setWritable(true);
    }
    break;
  }
  func::ReturnOp::create(b, loc);
  return body;
}

//===--- fusion -----------------------------------------------------------------------===//

/// Whether the producer of this operand is worth computing inside its consumer.
static bool isWorthFusing(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer)
    return true;
  constexpr int64_t kCheap = 4;
  if (bodyCost(producer) <= kCheap)
    return true;
  auto count = [](linalg::LinalgOp op) {
    int64_t product = 1;
    for (int64_t extent : op.getStaticLoopRanges())
      product *= extent;
    return product;
  };
  return producer->hasOneUse() && count(consumer) <= count(producer);
}

LogicalResult ttc::fuseElementwise(func::FuncOp body) {
  MLIRContext *context = body.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, isWorthFusing);
  linalg::populateInlineConstantOperandsPatterns(patterns);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  if (failed(applyPatternsGreedily(body, std::move(patterns))))
    return failure();
  IRRewriter rewriter(context);
  DominanceInfo dominance(body);
  eliminateCommonSubExpressions(rewriter, dominance, body);
  return success();
}

//===--- bufferization ----------------------------------------------------------------===//

LogicalResult ttc::bufferizeBody(func::FuncOp body) {
  bufferization::OneShotBufferizationOptions options;
  // Copies become linalg ops, which are lowered like all others; never a call of memcpy.
  options.memCpyFn = [](OpBuilder &b, Location loc, Value from, Value to) -> LogicalResult {
    if (from != to)
      linalg::CopyOp::create(b, loc, from, to);
    return success();
  };
  bufferization::BufferizationState state;
  return bufferization::runOneShotBufferize(body, options, state);
}
