// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Conversion/TtcToLinalg.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_OUTLINEBODIES
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

/// Makes `func.func @body` in `module` from the program's tensor ops.
static FailureOr<func::FuncOp> buildBody(ProgramOp program, ModuleOp module) {
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
  auto body = func::FuncOp::create(b, loc, kBodyName, b.getFunctionType(arguments, {}));
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

namespace {
struct OutlineBodiesPass : mlir::ttc::impl::OutlineBodiesBase<OutlineBodiesPass> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    if (failed(verifyNotEmpty(program)))
      return signalPassFailure();
    if (!program.hasTensorBody() || findKernel(program))
      return;
    OpBuilder b = OpBuilder::atBlockEnd(&program.getBody().front());
    SmallVector<int64_t> inPlace = findInPlace(program);
    auto module = ModuleOp::create(b, program.getLoc());
    FailureOr<func::FuncOp> body = buildBody(program, module);
    if (failed(body))
      return signalPassFailure();
    if (!inPlace.empty())
      body->setArgAttr(program.getNumArguments(), ProgramOp::getInPlaceAttrName(),
                       b.getDenseI64ArrayAttr(inPlace));
    for (unsigned i = 0; i < program.getNumResults(); ++i)
      if (WithinAttr within = program.getWithin(i))
        body->setArgAttr(program.getNumArguments() + i, kWithinAttrName, within);
    while (module->getPrevNode())
      module->getPrevNode()->erase();
  }

  /// Nothing is made for tensors without elements: no tiles, no addresses.
  static LogicalResult verifyNotEmpty(ProgramOp program) {
    auto verify = [](Location loc, TypeRange types) -> LogicalResult {
      for (Type type : types)
        if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getNumElements() == 0)
          return emitError(loc) << "expected tensors with at least one element, found " << type;
      return success();
    };
    if (failed(verify(program.getLoc(), program.getArgumentTypes())) ||
        failed(verify(program.getLoc(), program.getResultTypes())))
      return failure();
    if (program.isExternal() || !program.hasTensorBody())
      return success();
    for (Operation &op : program.getBody().front())
      if (failed(verify(op.getLoc(), op.getResultTypes())))
        return failure();
    return success();
  }

  /// The arguments that elementwise ops alone turn into the one result: each of their elements is
  /// read for the result's element at the same place only.
  static SmallVector<int64_t> findInPlace(ProgramOp program) {
    SmallVector<int64_t> arguments;
    if (program.getNumResults() != 1)
      return arguments;
    for (Operation &op : program.getBody().front())
      if (!isa<ElementwiseOpInterface, ReturnOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
        return arguments;
    auto result = cast<RankedTensorType>(program.getResultTypes()[0]);
    unsigned index = program.getNumArguments();
    for (unsigned i = 0; i < index; ++i)
      if (auto type = cast<RankedTensorType>(program.getArgumentTypes()[i]);
          type.getShape() == result.getShape() && getTensorBytes(type) == getTensorBytes(result) &&
          program.getStrided(i) == program.getStrided(index) &&
          program.getShard(i) == program.getShard(index))
        arguments.push_back(i);
    return arguments;
  }
};
} // namespace
