// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StablehloImporter.h"
#include "StablehloOp.h"
#include "StablehloRegistry.h"

#include "ttc/Import/StablehloImport.h"

#include "dialects/Ttc/TtcDialect.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::ttc;

/// Calls and bodies within each other.
static constexpr unsigned kMostDepth = 256;
static constexpr unsigned kMostErrors = 30;

std::optional<Value> StablehloScope::lookup(Value source) const {
  for (const StablehloScope *scope = this; scope; scope = scope->outer)
    if (auto it = scope->values.find(source); it != scope->values.end())
      return it->second;
  return std::nullopt;
}

/// Whether the type is a tensor of static shape, of elements that may be complex.
static bool isStaticTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && getNumElementsChecked(tensor.getShape());
}

Value StablehloImporter::getOperand(Operation *op, Value operand, const StablehloScope &scope) {
  std::optional<Value> value = scope.lookup(operand);
  if (!value)
    op->emitOpError("expected operands that are defined before it");
  return value.value_or(nullptr);
}

LogicalResult StablehloImporter::importOp(Operation *op, StablehloScope &scope) {
  if (++importedOps > opLimit)
    return op->emitOpError("expected at most ")
           << opLimit << " ops, with loops unrolled and calls inlined: shorten the loop, or call "
           << "the bundle once for each part of it";
  StringRef name = op->getName().getStringRef();
  name.consume_front("stablehlo.");
  const StablehloOpEntry *entry = StablehloRegistry::get().lookup(name);
  if (!entry)
    return op->emitOpError("cannot be imported: docs/stablehlo.md lists the ops that can");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getOperand(op, operand, scope));
    if (!operands.back())
      return failure();
  }
  bool isComplex = false;
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                            SmallVector<Type>(op->getResultTypes()))) {
    if (!isStaticTensor(type))
      return op->emitOpError("expected tensors of static shape, found ")
             << type << ": ttc compiles static shapes; give the function examples of fixed sizes";
    auto tensor = cast<RankedTensorType>(type);
    if (scope.isBroadened() && tensor.getRank() != 0)
      return op->emitOpError("expected numbers (tensors of rank 0) in this body, found ") << type;
    isComplex |= isa<ComplexType>(tensor.getElementType());
  }
  if (isComplex && entry->onComplex == OnComplex::Refused)
    if (const StablehloOpEntry *other = StablehloRegistry::get().lookupComplex(name))
      entry = other;
  if (isComplex && entry->onComplex == OnComplex::Refused)
    return op->emitOpError("cannot be imported for complex numbers");

  auto run = [&](ArrayRef<Value> values, StablehloOp::Part part) -> FailureOr<SmallVector<Value>> {
    StablehloOp importing(op, *this, scope, values, part);
    if (failed(entry->handler(importing)) || failed(importing.checkAllAttrsUsed()))
      return failure();
    return llvm::to_vector(importing.getResults());
  };
  if (!isComplex || entry->onComplex == OnComplex::Handled) {
    FailureOr<SmallVector<Value>> results = run(operands, StablehloOp::Part::Whole);
    if (failed(results))
      return failure();
    for (auto [source, made] : llvm::zip_equal(op->getResults(), *results))
      scope.define(source, made);
    return success();
  }

  // What is real would be taken for both parts. Indices and conditions are none of them.
  for (Type type : op->getOperandTypes())
    if (!isa<ComplexType, IntegerType>(getElementTypeOrSelf(type)))
      return op->emitOpError("expected operands of complex numbers, found ") << type;
  for (Type type : op->getResultTypes())
    if (!isa<ComplexType>(getElementTypeOrSelf(type)))
      return op->emitOpError("expected results of complex numbers, found ") << type;
  SmallVector<Value> real, imaginary;
  for (Value operand : operands) {
    const bool isPair = StablehloOp::isComplex(operand);
    real.push_back(StablehloOp::realOf(operand));
    imaginary.push_back(isPair ? StablehloOp::imaginaryOf(operand) : operand);
  }
  FailureOr<SmallVector<Value>> reals = run(real, StablehloOp::Part::Real);
  if (failed(reals))
    return failure();
  FailureOr<SmallVector<Value>> imaginaries = run(imaginary, StablehloOp::Part::Imaginary);
  if (failed(imaginaries))
    return failure();
  StablehloOp pairing(op, *this, scope, operands, StablehloOp::Part::Whole);
  for (auto [index, source] : llvm::enumerate(op->getResults()))
    scope.define(source, pairing.complex((*reals)[index], (*imaginaries)[index]));
  return success();
}

FailureOr<SmallVector<Value>>
StablehloImporter::importBlock(Block &block, ArrayRef<Value> arguments, const StablehloScope *outer,
                               bool broadened, std::optional<ArrayRef<Value>> wanted) {
  if (++depth > kMostDepth)
    return block.getParentOp()->emitOpError("expected at most ")
           << kMostDepth << " bodies and calls within each other";
  llvm::scope_exit leave([&] { --depth; });
  StablehloScope scope(outer, broadened);
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    scope.define(argument, value);
  if (block.empty())
    return block.getParentOp()->emitOpError("expected a body that ends with a return");
  bool failedOnce = false;
  // Its own return is no terminator to MLIR, which does not have the dialect.
  for (Operation &op : llvm::make_range(block.begin(), std::prev(block.end())))
    if (failed(importOp(&op, scope))) {
      failedOnce = true;
      for (Value result : op.getResults())
        scope.define(result, nullptr);
      // Each error once, and those of a loop in its first step.
      if (importedOps > opLimit || outer || ++errors >= kMostErrors)
        return failure();
    }
  if (failedOnce)
    return failure();
  SmallVector<Value> values;
  for (Value operand :
       wanted ? SmallVector<Value>(*wanted) : SmallVector<Value>(block.back().getOperands())) {
    values.push_back(getOperand(&block.back(), operand, scope));
    if (!values.back())
      return failure();
  }
  return values;
}

FailureOr<Block *> StablehloImporter::getCalled(Operation *call, StringRef callee,
                                                unsigned arguments) {
  auto function = symbols.lookup<func::FuncOp>(callee);
  if (!function || function.isExternal())
    return call->emitOpError("expected '") << callee << "' to be a function of the module";
  if (!llvm::hasSingleElement(function.getBody()) || function.getNumArguments() != arguments)
    return call->emitOpError("expected '")
           << callee << "' to have one block and " << arguments << " arguments";
  return &function.getBody().front();
}

/// Argument or result attributes of ttc alone: others say nothing to it.
static DictionaryAttr keepOwn(MLIRContext *context, DictionaryAttr attrs) {
  SmallVector<NamedAttribute> own;
  if (attrs)
    for (NamedAttribute attr : attrs)
      if (attr.getNameDialect() && attr.getNameDialect()->getNamespace() == "ttc")
        own.push_back(attr);
  return DictionaryAttr::get(context, own);
}

LogicalResult StablehloImporter::importFunction(func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError("expected one block");
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
    if (!isStaticTensor(type))
      return function.emitOpError("expected tensors of static shape, found ")
             << type << ": ttc compiles static shapes; give the function examples of fixed sizes";
    else if (isa<ComplexType>(cast<RankedTensorType>(type).getElementType()))
      return function.emitOpError("expected real arguments and results, found ")
             << type << ": pass real and imaginary parts as two tensors";

  builder.setInsertionPoint(function);
  auto made = func::FuncOp::create(builder, function.getLoc(), function.getName(),
                                   function.getFunctionType());
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    made.setArgAttrs(i, keepOwn(function.getContext(), function.getArgAttrDict(i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    made.setResultAttrs(i, keepOwn(function.getContext(), function.getResultAttrDict(i)));
  Block *entry = made.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  FailureOr<SmallVector<Value>> results =
      importBlock(function.getBody().front(), SmallVector<Value>(entry->getArguments()), nullptr,
                  /*broadened=*/false);
  if (failed(results)) {
    made.erase();
    return failure();
  }
  func::ReturnOp::create(builder, function.getBody().front().back().getLoc(), *results);
  // Pairs of parts, from the last to the first.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*entry)))
    if (isa<UnrealizedConversionCastOp>(op) && op.use_empty())
      op.erase();
  function.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

LogicalResult mlir::ttc::importStablehlo(ModuleOp module, int64_t opLimit) {
  for (StringRef count : {"mhlo.num_partitions", "mhlo.num_replicas"}) {
    auto attr = module->getAttrOfType<IntegerAttr>(count);
    if (attr && attr.getInt() > 1)
      return module.emitError("expected ")
             << count << " to be 1, found " << attr.getInt()
             << ": lower the function for one device; --mesh divides it";
  }
  // What custom calls compute with is no entry point, whatever its visibility.
  SymbolTable symbols(module);
  module.walk([&](Operation *op) {
    auto called = dyn_cast_if_present<ArrayAttr>(getStablehloAttr(op, "called_computations"));
    for (Attribute name : called ? called.getValue() : ArrayRef<Attribute>())
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(name))
        if (auto function = symbols.lookup<func::FuncOp>(symbol.getAttr()))
          function.setPrivate();
  });
  StablehloImporter importer(module, opLimit);
  LogicalResult result = success();
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!function.isPrivate() && !function.isExternal() &&
        failed(importer.importFunction(function)))
      result = failure();
  if (failed(result))
    return failure();
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function.isPrivate())
      function.erase();
  SmallVector<StringAttr> foreign;
  for (NamedAttribute attr : module->getDiscardableAttrDictionary())
    if (!attr.getNameDialect() || attr.getNameDialect()->getNamespace() != "ttc")
      foreign.push_back(attr.getName());
  for (StringAttr name : foreign)
    module->removeDiscardableAttr(name);
  return success();
}
