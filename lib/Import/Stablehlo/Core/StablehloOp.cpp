// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StablehloOp.h"
#include "StablehloImporter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ttc;

StablehloOp::StablehloOp(Operation *source, StablehloImporter &importer,
                         const StablehloScope &scope, ArrayRef<Value> operands, Part part)
    : TensorBuilder(importer.getBuilder(), source->getLoc(), importer.getGeneratedBytes()),
      source(source), importer(importer), scope(scope), operands(operands), part(part) {}

InFlightDiagnostic StablehloOp::startError() { return source->emitOpError(); }

std::string mlir::ttc::cite(StringRef constraints) {
  return constraints.empty() ? std::string() : ("(" + constraints + ") ").str();
}

StringRef StablehloOp::name() const {
  StringRef name = source->getName().getStringRef();
  name.consume_front("stablehlo.");
  return name;
}

bool StablehloOp::isBroadened() const { return scope.isBroadened(); }

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult StablehloOp::checkOperands(unsigned count) {
  if (numOperands() == count)
    return success();
  return error() << "expected " << count << " operands, found " << numOperands();
}

LogicalResult StablehloOp::checkSameShape(StringRef constraint) {
  if (isBroadened() || operands.empty())
    return success();
  RankedTensorType first = sourceTypeOf(operands.front());
  for (Value operand : llvm::drop_begin(operands))
    if (sourceTypeOf(operand).getShape() != first.getShape())
      return error() << cite(constraint) << "expected operands of one shape, found " << first
                     << " and " << sourceTypeOf(operand);
  return success();
}

std::optional<SmallVector<int64_t>> StablehloOp::constantInts(unsigned index) const {
  ElementsAttr attr;
  if (!matchPattern(operand(index), m_Constant(&attr)) || !isa<IntegerType>(attr.getElementType()))
    return std::nullopt;
  FailureOr<SmallVector<int64_t>> values = readElements<int64_t>(attr);
  return succeeded(values) ? std::optional(*values) : std::nullopt;
}

std::optional<int64_t> mlir::ttc::getConstantInt(Value value) {
  ElementsAttr attr;
  if (!value || !matchPattern(value, m_Constant(&attr)) || attr.getNumElements() != 1 ||
      !isa<IntegerType>(attr.getElementType()))
    return std::nullopt;
  FailureOr<SmallVector<int64_t>> values = readElements<int64_t>(attr);
  return succeeded(values) ? std::optional(values->front()) : std::nullopt;
}

bool StablehloOp::isConstant(unsigned index, double number) const {
  DenseElementsAttr attr;
  if (!operand(index) || !matchPattern(operand(index), m_Constant(&attr)) || !attr.isSplat())
    return false;
  // By bits: minus zero is no zero.
  return attr.getSplatValue<Attribute>() == getNumberAttr(attr.getElementType(), number);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

RankedTensorType StablehloOp::resultType(unsigned index) const {
  auto type = cast<RankedTensorType>(source->getResult(index).getType());
  if (auto complex = dyn_cast<ComplexType>(type.getElementType()))
    return RankedTensorType::get(type.getShape(), complex.getElementType());
  return type;
}

bool StablehloOp::hasComplexResult(unsigned index) const {
  return isa<ComplexType>(
      cast<RankedTensorType>(source->getResult(index).getType()).getElementType());
}

LogicalResult StablehloOp::results(ArrayRef<Value> values) {
  if (llvm::is_contained(values, Value()) && !hasFailed())
    error() << "these operands do not fit together";
  if (hasFailed())
    return failure();
  if (values.size() != numResults())
    return error() << "expected " << values.size() << " results, found " << numResults();
  for (auto [index, value] : llvm::enumerate(values)) {
    RankedTensorType expected = resultType(index);
    const bool isPair = hasComplexResult(index) && part == Part::Whole;
    if (isPair != isComplex(value))
      return error() << "expected result " << index << " to be " << (isPair ? "real" : "complex")
                     << ", found " << source->getResult(index).getType();
    for (Value each : {realOf(value), imaginaryOf(value)}) {
      auto type = each ? tensorType(each) : expected;
      if (isBroadened() ? type.getElementType() != expected.getElementType() : type != expected)
        return error() << "expected result " << index << " to be " << type << ", found "
                       << expected;
    }
  }
  made.assign(values.begin(), values.end());
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute StablehloOp::getAttr(StringRef name) {
  usedAttrs.insert(name);
  return getStablehloAttr(source, name);
}

int64_t StablehloOp::getInt(StringRef name, std::optional<int64_t> defaultValue) {
  Attribute attr = getAttr(name);
  if (auto integer = dyn_cast_if_present<IntegerAttr>(attr);
      integer && integer.getValue().getSignificantBits() <= 64)
    return integer.getType().isUnsignedInteger() || integer.getType().isInteger(1)
               ? static_cast<int64_t>(integer.getValue().getZExtValue())
               : integer.getValue().getSExtValue();
  if (!attr && defaultValue)
    return *defaultValue;
  error() << "expected attribute '" << name << "' to be an integer, found "
          << (attr ? "another one" : "none");
  return 0;
}

bool StablehloOp::getBool(StringRef name, bool defaultValue) {
  Attribute attr = getAttr(name);
  if (!attr)
    return defaultValue;
  if (auto flag = dyn_cast<BoolAttr>(attr))
    return flag.getValue();
  error() << "expected attribute '" << name << "' to be a bool, found " << attr;
  return defaultValue;
}

SmallVector<int64_t> StablehloOp::getInts(StringRef name,
                                          std::optional<ArrayRef<int64_t>> defaultValue) {
  Attribute attr = getAttr(name);
  if (auto array = dyn_cast_if_present<DenseI64ArrayAttr>(attr))
    return llvm::to_vector(array.asArrayRef());
  if (auto array = dyn_cast_if_present<DenseBoolArrayAttr>(attr))
    return llvm::map_to_vector(array.asArrayRef(), [](bool flag) -> int64_t { return flag; });
  // Such as padding, and all arrays of older versions.
  if (auto elements = dyn_cast_if_present<DenseIntElementsAttr>(attr)) {
    FailureOr<SmallVector<int64_t>> values = readElements<int64_t>(elements);
    if (succeeded(values))
      return *values;
  }
  if (!attr && defaultValue)
    return llvm::to_vector(*defaultValue);
  auto diagnostic = error() << "expected attribute '" << name << "' to be integers, found ";
  attr ? diagnostic << attr : diagnostic << "none";
  return {};
}

StringRef StablehloOp::getEnum(StringRef name, StringRef kind, StringRef defaultValue) {
  Attribute attr = getAttr(name);
  if (!attr && !defaultValue.empty())
    return defaultValue;
  StringRef value = parseStablehloEnum(attr, kind);
  if (value.empty()) {
    auto diagnostic = error() << "expected attribute '" << name << "' to be #stablehlo<" << kind
                              << " ...>, found ";
    attr ? diagnostic << attr : diagnostic << "none";
  }
  return value;
}

StringRef StablehloOp::getString(StringRef name, StringRef defaultValue) {
  Attribute attr = getAttr(name);
  if (auto text = dyn_cast_if_present<StringAttr>(attr))
    return text.getValue();
  if (attr)
    error() << "expected attribute '" << name << "' to be a string, found " << attr;
  return defaultValue;
}

StablehloFields StablehloOp::getFields(StringRef name, StringRef kind) {
  Attribute attr = getAttr(name);
  if (!attr)
    return {};
  if (std::optional<StablehloFields> fields = StablehloFields::parse(attr, kind))
    return *fields;
  error() << "expected attribute '" << name << "' to be #stablehlo." << kind << "<...>, found "
          << attr;
  return {};
}

void StablehloOp::ignoreAttrs(ArrayRef<StringRef> names) {
  for (StringRef name : names)
    usedAttrs.insert(name);
}

LogicalResult StablehloOp::checkAllAttrsUsed() {
  auto check = [&](DictionaryAttr attrs) -> LogicalResult {
    for (NamedAttribute attr : attrs)
      if (!usedAttrs.contains(attr.getName()) && !attr.getName().getValue().contains('.'))
        return error() << "attribute '" << attr.getName().getValue() << "' is not supported";
    return success();
  };
  if (auto properties = dyn_cast_if_present<DictionaryAttr>(source->getPropertiesAsAttribute()))
    if (failed(check(properties)))
      return failure();
  return check(source->getDiscardableAttrDictionary());
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Block *StablehloOp::body(unsigned index, unsigned arguments) {
  if (index >= source->getNumRegions() || !llvm::hasSingleElement(source->getRegion(index))) {
    error() << "expected a body " << index << " of one block";
    return nullptr;
  }
  Block &block = source->getRegion(index).front();
  if (block.empty()) {
    error() << "expected body " << index << " to end with a return";
    return nullptr;
  }
  if (block.getNumArguments() == arguments)
    return &block;
  error() << "expected body " << index << " to have " << arguments << " arguments, found "
          << block.getNumArguments();
  return nullptr;
}

LogicalResult StablehloOp::checkReturned(Block &body, TypeRange types, StringRef constraint) {
  TypeRange found = body.back().getOperandTypes();
  if (found == types)
    return success();
  return error() << cite(constraint) << "expected body " << body.getParent()->getRegionNumber()
                 << " to return (" << types << "), found (" << found << ")";
}

LogicalResult StablehloOp::checkArguments(Block &block, const Twine &name,
                                          ArrayRef<Value> arguments, bool broadened,
                                          StringRef constraint) {
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments)) {
    RankedTensorType type = sourceTypeOf(value);
    if (broadened)
      type = RankedTensorType::get({}, type.getElementType());
    if (argument.getType() != type)
      return error() << cite(constraint) << "expected argument " << argument.getArgNumber()
                     << " of " << name << " to be " << type << ", found " << argument.getType();
  }
  return success();
}

FailureOr<SmallVector<Value>> StablehloOp::importBody(unsigned index, ArrayRef<Value> arguments,
                                                      bool broadened) {
  return importBodyValues(index, arguments, std::nullopt, broadened);
}

FailureOr<SmallVector<Value>> StablehloOp::importBodyValues(unsigned index,
                                                            ArrayRef<Value> arguments,
                                                            std::optional<ArrayRef<Value>> wanted,
                                                            bool broadened) {
  Block *block = body(index, arguments.size());
  broadened |= isBroadened();
  if (!block || llvm::is_contained(arguments, Value()) ||
      failed(checkArguments(*block, "body " + Twine(index), arguments, broadened, "")))
    return failure();
  FailureOr<SmallVector<Value>> values =
      importer.importBlock(*block, arguments, &scope, broadened, wanted);
  // What failed has been reported at the op of the body.
  if (failed(values))
    setFailed();
  return values;
}

FailureOr<SmallVector<Value>> StablehloOp::importCallee(StringRef attr, ArrayRef<Value> arguments,
                                                        StringRef constraint) {
  auto callee = dyn_cast_if_present<FlatSymbolRefAttr>(getAttr(attr));
  if (!callee)
    return error() << "expected attribute '" << attr << "' to name a function";
  FailureOr<Block *> body = importer.getCalled(source, callee.getValue(), arguments.size());
  if (failed(body) || failed(checkArguments(**body, "'" + callee.getValue() + "'", arguments,
                                            isBroadened(), constraint)))
    return failure();
  FailureOr<SmallVector<Value>> values =
      importer.importBlock(**body, arguments, nullptr, isBroadened());
  if (failed(values))
    setFailed();
  return values;
}

//===----------------------------------------------------------------------===//
// Complex numbers
//===----------------------------------------------------------------------===//

// A pair is a cast of its parts to a tuple. No op of the compiled model uses it, so it is dead when
// the import is done.
Value StablehloOp::complex(Value real, Value imaginary) {
  if (hasFailed() || !real || !imaginary)
    return {};
  Type type = TupleType::get(context(), {real.getType(), imaginary.getType()});
  return UnrealizedConversionCastOp::create(builder, loc, type, ValueRange{real, imaginary})
      .getResult(0);
}

Value StablehloOp::realOf(Value value) {
  return isComplex(value) ? value.getDefiningOp<UnrealizedConversionCastOp>().getInputs()[0]
                          : value;
}

RankedTensorType StablehloOp::sourceTypeOf(Value value) {
  RankedTensorType type = tensorType(realOf(value));
  return isComplex(value) ? type.clone(ComplexType::get(type.getElementType())) : type;
}

Value StablehloOp::imaginaryOf(Value value) {
  return isComplex(value) ? value.getDefiningOp<UnrealizedConversionCastOp>().getInputs()[1]
                          : Value();
}
