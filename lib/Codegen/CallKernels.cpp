// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProgramBody.h"
#include "ZoneCalls.h"
#include "dialects/Ttc/ConstantEvaluation/ConstantBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "ttc/Codegen/Passes.h"
#include "ttc/Support/Target.h"

namespace mlir::ttc {
#define GEN_PASS_DEF_CALLKERNELS
#include "ttc/Codegen/Passes.h.inc"
} // namespace mlir::ttc

using namespace mlir;
using namespace mlir::ttc;

namespace {

class KernelCallBuilder {
public:
  KernelCallBuilder(ProgramOp program, KernelOpInterface kernel, ModuleOp module)
      : program(program), module(module), builder(program.getContext()), kernel(kernel),
        result(kernel->getResult(0)) {
    int64_t lanes = getVectorLength(getCpuTarget(program));
    // A kernel that stores other types than f32 exchanges words with its epilogue.
    storesWords = kernel.canStore(builder.getI32Type());
    vector = VectorType::get({lanes},
                             storesWords ? Type(builder.getI32Type()) : Type(builder.getF32Type()));
    kernel.getKernelParams(params);
    // Rows that no element of the program's result needs, none of the kernel's does.
    if (WithinAttr within = program.getNumResults() == 1 ? program.getWithin(0) : WithinAttr())
      if (auto dims = within.getFactors(cast<RankedTensorType>(program.getResultTypes()[0])))
        isBounded = kernel.getBounds(*dims, bounds, params);
  }

  /// The tail as func.func @epilogue(acc, row, column, lanes, operands).
  LogicalResult buildEpilogue() {
    builder.setInsertionPointToEnd(module.getBody());
    Type i64 = builder.getI64Type(), pointer = LLVM::LLVMPointerType::get(builder.getContext());
    epilogue =
        func::FuncOp::create(builder, program.getLoc(), kEpilogueName,
                             builder.getFunctionType({vector, i64, i64, i64, pointer}, {vector}));
    epilogue->setAttr(kEpilogueAttrName,
                      builder.getI64IntegerAttr(kernel.getMaxEpilogueConstants()));
    Block *block = epilogue.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    DenseMap<Value, Value> values;
    values[result] = block->getArgument(0);
    Operation *terminator = nullptr;
    for (Operation &op : program.getBody().front()) {
      if (isa<ReturnOp>(op)) {
        terminator = &op;
        break; // the module follows
      }
      if (&op == kernel.getOperation() || matchPattern(&op, m_Constant()))
        continue;
      auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
      if (!elementwise)
        return op.emitError("expected an elementwise op after a kernel, found ") << op.getName();
      SmallVector<Value> elements;
      for (Value operand : op.getOperands()) {
        Value &value = values[operand];
        if (!value) {
          FailureOr<Value> loaded = load(&op, operand, block);
          if (failed(loaded))
            return failure();
          value = *loaded;
        }
        elements.push_back(value);
      }
      Value value = elementwise.emitElement(builder, op.getLoc(), elements);
      values[op.getResult(0)] = value;
    }
    Value value = values.lookup(terminator->getOperand(0));
    func::ReturnOp::create(builder, program.getLoc(), storesWords ? toWords(value) : value);
    return success();
  }

  /// The kernel's call, in the function of the program's name and ABI.
  FailureOr<LLVM::LLVMFuncOp> buildEntry() {
    Location loc = program.getLoc();
    builder.setInsertionPointToStart(module.getBody());
    MLIRContext *context = builder.getContext();
    Type i64 = builder.getI64Type(), voidType = LLVM::LLVMVoidType::get(context);
    auto pointer = LLVM::LLVMPointerType::get(context);

    auto paramsType = LLVM::LLVMArrayType::get(i64, params.size());
    auto global =
        LLVM::GlobalOp::create(builder, loc, paramsType, /*isConstant=*/true,
                               LLVM::Linkage::Internal, "params", builder.getI64TensorAttr(params));
    auto callee = LLVM::LLVMFuncOp::create(
        builder, loc, kernel.getKernelSymbol(),
        LLVM::LLVMFunctionType::get(voidType, {pointer, pointer, i64, pointer, pointer, pointer}));
    auto entry = LLVM::LLVMFuncOp::create(
        builder, loc, program.getSymName(),
        LLVM::LLVMFunctionType::get(voidType, {pointer, pointer, pointer, i64}));
    // LLVM replaces loops by calls of memcpy and the like, but there is no library to call.
    entry.setPassthroughAttr(builder.getArrayAttr({builder.getStringAttr("no-builtins")}));

    builder.setInsertionPointToStart(entry.addEntryBlock(builder));
    SmallVector<int64_t> slots; // the program's operand for each of the kernel's
    for (Value operand : kernel->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument)
        return kernel.emitOpError("expects operands that are inputs of the program");
      slots.push_back(argument.getArgNumber());
    }
    for (unsigned i = 0; i < kernel->getNumResults(); ++i)
      slots.push_back(program.getNumArguments() + i);
    const size_t boundsAt = slots.size();
    if (isBounded)
      slots.push_back(program.getWithin(0).getArgument());
    llvm::append_range(slots, extra);
    Value count =
        LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(slots.size()));
    Value array = LLVM::AllocaOp::create(builder, loc, pointer, pointer, count);
    for (auto [i, slot] : llvm::enumerate(slots)) {
      Value from = LLVM::GEPOp::create(builder, loc, pointer, i64, entry.getArgument(0),
                                       ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
      Value offset = LLVM::LoadOp::create(builder, loc, i64, from);
      Value address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(),
                                          entry.getArgument(1), ArrayRef<LLVM::GEPArg>{offset});
      if (isBounded && i == boundsAt)
        address = computeBounds(loc, address);
      Value to = LLVM::GEPOp::create(builder, loc, pointer, pointer, array,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(builder, loc, address, to);
    }
    Value paramsAddress = LLVM::AddressOfOp::create(builder, loc, global);
    // The address of a function that is not of the LLVM dialect yet.
    Value function = func::ConstantOp::create(builder, loc, epilogue.getFunctionType(),
                                              SymbolRefAttr::get(epilogue));
    Value epilogueAddress =
        UnrealizedConversionCastOp::create(builder, loc, pointer, function).getResult(0);
    ZoneCalls zones(module, builder);
    Value markers = zones.getMarkers(loc, program, entry.getArgument(2), kernel.getScratchBytes());
    StringRef name = kernel.getKernelSymbol();
    name.consume_front("ttc_kernel_");
    if (program.getMarkers())
      zones.beginMain(loc, markers, name);
    LLVM::CallOp::create(builder, loc, callee,
                         ValueRange{array, entry.getArgument(2), entry.getArgument(3),
                                    paramsAddress, epilogueAddress, markers});
    if (program.getMarkers())
      zones.endMain(loc, markers, name);
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    return entry;
  }

  /// The arguments that a result may be written over: what the tail alone reads, at the place
  /// where it then writes, and the operand that the kernel updates.
  SmallVector<int64_t> findInPlace(unsigned index) {
    SmallVector<int64_t> arguments;
    const unsigned operand = program.getNumArguments() + index;
    auto add = [&](int64_t argument, int64_t kernelUses) {
      Value value = program.getBody().getArgument(argument);
      if (value.getType() == program.getResultTypes()[index] &&
          llvm::count(kernel->getOperands(), value) == kernelUses &&
          program.getStrided(argument) == program.getStrided(operand) &&
          program.getShard(argument) == program.getShard(operand) &&
          !llvm::is_contained(arguments, argument))
        arguments.push_back(argument);
    };
    for (int64_t argument : extra)
      add(argument, /*kernelUses=*/0);
    if (std::optional<unsigned> updated = kernel.getUpdatedOperand(index))
      add(cast<BlockArgument>(kernel->getOperand(*updated)).getArgNumber(), /*kernelUses=*/1);
    return arguments;
  }

  /// Verifies that the kernel can follow the rows of its operands and of the result.
  LogicalResult verifyRows() {
    auto accepts = [&](unsigned index, StridedAttr rows) {
      return !rows ||
             kernel.acceptsStrided(index, StridedRange{0, 0, rows.getRow(), rows.getPitch()});
    };
    for (auto [i, operand] : llvm::enumerate(kernel->getOperands()))
      if (StridedAttr rows = getOperandStrided(operand); !accepts(i, rows))
        return kernel->emitOpError("expects operand ")
               << i << " in rows that it can read, found " << rows;
    for (unsigned i = 0; i < kernel->getNumResults(); ++i)
      if (StridedAttr rows = getResultStrided(kernel, i);
          !accepts(kernel->getNumOperands() + i, rows))
        return kernel->emitOpError("expects a result in rows that it can write, found ") << rows;
    return success();
  }

  /// Verifies that the program's results are the kernel's: all of several, or what the tail makes
  /// of one.
  LogicalResult verifyResults() {
    const unsigned count = kernel->getNumResults();
    // The module that is being built follows.
    auto returned = (*program.getBody().front().getOps<ReturnOp>().begin()).getValues();
    if (returned.size() != count) {
      if (count == 1)
        return program.emitError("expected one result of a program with a kernel, found ")
               << returned.size();
      return program.emitError("expected the ")
             << count << " results of its kernel, found " << returned.size();
    }
    if (count > 1 && returned != kernel->getResults())
      return program.emitError("expected the results of its kernel, in their order, found others");
    return success();
  }

private:
  /// The address of the kernel's bounds, each within its size.
  Value computeBounds(Location loc, Value extents) {
    Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    auto load = [&](unsigned index) -> Value {
      Value at = LLVM::GEPOp::create(builder, loc, pointer, i32, extents,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      return arith::ExtSIOp::create(builder, loc, i64, LLVM::LoadOp::create(builder, loc, i32, at));
    };
    Value count =
        LLVM::ConstantOp::create(builder, loc, i64, builder.getI64IntegerAttr(bounds.size()));
    Value array = LLVM::AllocaOp::create(builder, loc, pointer, i64, count);
    for (auto [i, factor] : llvm::enumerate(bounds)) {
      Value value = computeBound(builder, loc, factor, i64, load);
      Value to = LLVM::GEPOp::create(builder, loc, pointer, i64, array,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(builder, loc, value, to);
    }
    return array;
  }

  /// A float's bits, or an integer's value, as i32.
  Value toWords(Value value) {
    Location loc = program.getLoc();
    Type type = cast<VectorType>(value.getType()).getElementType();
    if (type.isInteger(32))
      return value;
    if (type.isF32())
      return arith::BitcastOp::create(builder, loc, vector, value);
    return arith::ExtUIOp::create(builder, loc, vector, value);
  }

  /// The type of elements in arith: integers are signless.
  static Type getScalarType(Type type) {
    auto integer = dyn_cast<IntegerType>(type);
    return integer ? IntegerType::get(type.getContext(), integer.getWidth()) : type;
  }

  /// The elements of another operand of the tail at the vector's place.
  FailureOr<Value> load(Operation *user, Value operand, Block *block) {
    Location loc = user->getLoc();
    auto type = cast<RankedTensorType>(operand.getType());
    ElementsAttr constant;
    Type scalarType = getScalarType(type.getElementType());
    VectorType loaded = vector.clone(scalarType);
    if (matchPattern(operand, m_Constant(&constant)) && constant.isSplat()) {
      auto element = constant.getSplatValue<Attribute>();
      if (auto integer = dyn_cast<IntegerAttr>(element))
        element = IntegerAttr::get(scalarType, integer.getValue());
      return Value(
          arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(loaded, element)));
    }
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || !kernel.canStore(scalarType))
      return user->emitError("expected ")
             << (storesWords ? "f32, i32 or 8-bit" : "f32")
             << " inputs of the program after a kernel, found " << type;

    auto whole = cast<RankedTensorType>(result.getType());
    int64_t cols = whole.getShape().back();
    Value row = block->getArgument(1), col = block->getArgument(2), lanes = block->getArgument(3);
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Type i64 = builder.getI64Type();
    int64_t index = kernel->getNumOperands() + kernel->getNumResults() + isBounded + extra.size();
    extra.push_back(argument.getArgNumber());
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, block->getArgument(4),
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    Value base = LLVM::LoadOp::create(builder, loc, pointer, slot);
    if (type.getNumElements() == 1) {
      Value scalar = LLVM::LoadOp::create(builder, loc, scalarType, base);
      return Value(vector::BroadcastOp::create(builder, loc, loaded, scalar));
    }
    Value offset = col;
    if (type.getShape() == whole.getShape()) {
      StridedAttr rows = getOperandStrided(argument);
      if (rows && rows.getRow() != cols)
        return user->emitError("expected rows of the kernel's ")
               << cols << " columns, found " << rows;
      Value step = arith::ConstantOp::create(
          builder, loc, builder.getI64IntegerAttr(rows ? rows.getPitch() : cols));
      offset =
          arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, row, step), col);
    } else if (type.getNumElements() != cols || type.getShape().back() != cols) {
      return user->emitError("expected an operand of the kernel's shape ")
             << whole << ", one along its last dimension, or a scalar, found " << type;
    }
    Value address = LLVM::GEPOp::create(builder, loc, pointer, scalarType, base,
                                        ArrayRef<LLVM::GEPArg>{offset});
    // Only valid lanes: there may be no memory after the last row.
    SmallVector<int64_t> numbers(llvm::to_vector(llvm::seq<int64_t>(0, vector.getDimSize(0))));
    auto indices = VectorType::get(vector.getShape(), i64);
    Value iota = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(indices, ArrayRef<int64_t>(numbers)));
    Value bound = vector::BroadcastOp::create(builder, loc, indices, lanes);
    Value mask = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, iota, bound);
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(loaded));
    int64_t alignment = scalarType.getIntOrFloatBitWidth() / 8;
    return Value(LLVM::MaskedLoadOp::create(builder, loc, loaded, address, mask, zero,
                                            builder.getI32IntegerAttr(alignment)));
  }

  ProgramOp program;
  ModuleOp module;
  OpBuilder builder;
  KernelOpInterface kernel;
  Value result;
  func::FuncOp epilogue;
  VectorType vector; ///< of the epilogue's argument and result
  bool storesWords;
  SmallVector<int64_t> extra; ///< the program's operands that the epilogue reads
  SmallVector<int64_t> params;
  BoundedFactors bounds; ///< what the kernel is told of the elements that count
  bool isBounded = false;
};

struct CallKernelsPass : mlir::ttc::impl::CallKernelsBase<CallKernelsPass> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    KernelOpInterface kernel = findKernel(program);
    if (!kernel)
      return;
    if (!kernel.isPlanned()) {
      kernel->emitOpError("expected a plan before its program is lowered, found none");
      return signalPassFailure();
    }
    OpBuilder builder = OpBuilder::atBlockEnd(&program.getBody().front());
    auto module = ModuleOp::create(builder, program.getLoc());
    KernelCallBuilder body(program, kernel, module);
    if (failed(body.verifyResults()) || failed(body.verifyRows()) || failed(body.buildEpilogue()))
      return signalPassFailure();
    FailureOr<LLVM::LLVMFuncOp> entry = body.buildEntry();
    if (failed(entry))
      return signalPassFailure();
    for (unsigned i = 0; i < program.getNumResults(); ++i)
      if (SmallVector<int64_t> inPlace = body.findInPlace(i); !inPlace.empty())
        program.setResultAttr(i, ProgramOp::getInPlaceAttrName(),
                              builder.getDenseI64ArrayAttr(inPlace));
    setRequirements(program, *entry, kernel.getGrid(),
                    addMarkerBytes(program, kernel.getScratchBytes()));
    while (module->getPrevNode())
      module->getPrevNode()->erase();
  }
};

} // namespace
