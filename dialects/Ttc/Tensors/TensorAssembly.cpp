// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The textual form of the ops on tensors.
#include "dialects/Ttc/Tensors/ConvolutionOps.h"
#include "dialects/Ttc/Tensors/QuantizationOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ttc;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The attribute of a list, or of a number without a type.
static Attribute toTensorAttribute(Builder &builder, Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute); number && number.getType().isF64())
    return builder.getF32FloatAttr(static_cast<float>(number.getValueAsDouble()));
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list)
    return attribute;
  if (llvm::all_of(list, [](Attribute element) {
        auto integer = dyn_cast<IntegerAttr>(element);
        return integer && integer.getType().isInteger(64);
      }))
    return builder.getDenseI64ArrayAttr(llvm::map_to_vector(
        list, [](Attribute element) { return cast<IntegerAttr>(element).getInt(); }));
  if (llvm::all_of(list, [](Attribute element) { return isa<FloatAttr>(element); }))
    return builder.getDenseF32ArrayAttr(llvm::map_to_vector(list, [](Attribute element) {
      return static_cast<float>(cast<FloatAttr>(element).getValueAsDouble());
    }));
  return attribute;
}

ParseResult mlir::ttc::parseTensorAttributes(OpAsmParser &parser, NamedAttrList &attributes) {
  NamedAttrList parsed;
  if (parser.parseOptionalAttrDict(parsed))
    return failure();
  for (NamedAttribute attribute : parsed) {
    Attribute value = attribute.getValue();
    // Attributes of other dialects (`dialect.name`) are parsed as usual.
    if (!attribute.getName().getValue().contains('.'))
      value = toTensorAttribute(parser.getBuilder(), value);
    attributes.append(attribute.getName(), value);
  }
  return success();
}

static void printTensorAttribute(OpAsmPrinter &printer, Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value); integer && integer.getType().isInteger(64)) {
    printer << integer.getInt();
  } else if (auto number = dyn_cast<FloatAttr>(value);
             number && number.getType().isF32() && number.getValue().isFinite()) {
    printer.printFloat(number.getValue());
  } else if (auto array = dyn_cast<DenseI64ArrayAttr>(value)) {
    printer << "[";
    llvm::interleaveComma(array.asArrayRef(), printer);
    printer << "]";
  } else if (auto array = dyn_cast<DenseF32ArrayAttr>(value)) {
    printer << "[";
    llvm::interleaveComma(array.asArrayRef(), printer,
                          [&](float element) { printer.printFloat(APFloat(element)); });
    printer << "]";
  } else {
    printer.printAttribute(value);
  }
}

void mlir::ttc::detail::printTensorAttributes(OpAsmPrinter &printer, DictionaryAttr attributes,
                                              DictionaryAttr defaults) {
  SmallVector<NamedAttribute> shown;
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName();
    bool isDefault = defaults && defaults.get(name) == attribute.getValue();
    // That of collectives is an integer.
    bool isEnumeration =
        !name.contains('.') && (isa<TtcDialect>(attribute.getValue().getDialect()) ||
                                isa<ReductionAttr>(attribute.getValue()));
    // What the op's format shows by keywords before operands.
    bool isSegments = name == "operandSegmentSizes";
    if (!isDefault && !isEnumeration && !isSegments)
      shown.push_back(attribute);
  }
  if (shown.empty())
    return;
  printer << " {";
  llvm::interleaveComma(shown, printer, [&](NamedAttribute attribute) {
    printer.printKeywordOrString(attribute.getName());
    if (isa<UnitAttr>(attribute.getValue()))
      return;
    printer << " = ";
    printTensorAttribute(printer, attribute.getValue());
  });
  printer << "}";
}

//===----------------------------------------------------------------------===//
// Ops that slide a window
//===----------------------------------------------------------------------===//

/// The default attributes of a window for a number of spatial dimensions.
static SmallVector<NamedAttribute> getWindowDefaults(Builder &builder, OperationName name,
                                                     int64_t numSpatial) {
  SmallVector<NamedAttribute> defaults;
  auto add = [&](StringRef attribute, int64_t size, int64_t value) {
    if (llvm::is_contained(name.getAttributeNames(), builder.getStringAttr(attribute)))
      defaults.push_back(builder.getNamedAttr(
          attribute, builder.getDenseI64ArrayAttr(SmallVector<int64_t>(size, value))));
  };
  add("strides", numSpatial, 1);
  add("dilations", numSpatial, 1);
  add("pads", 2 * numSpatial, 0);
  add("output_padding", numSpatial, 0);
  return defaults;
}

/// The number of spatial dimensions of an image operand; nothing if it is not an image.
static int64_t getNumSpatial(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? std::max<int64_t>(tensor.getRank() - 2, 0) : 0;
}

static ParseResult parseWindowOp(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parseTensorAttributes(parser, result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), location, result.operands))
    return failure();
  result.addTypes(type.getResults());
  int64_t numSpatial = type.getNumInputs() == 0 ? 0 : getNumSpatial(type.getInput(0));
  for (NamedAttribute attribute : getWindowDefaults(parser.getBuilder(), result.name, numSpatial))
    if (!result.attributes.get(attribute.getName()))
      result.attributes.append(attribute);
  return success();
}

template <typename OpTy> static void printWindowOp(OpAsmPrinter &printer, OpTy op) {
  Builder builder(op.getContext());
  NamedAttrList defaults = mlir::ttc::detail::getDefaultAttributes(op);
  defaults.append(getWindowDefaults(builder, op->getName(), getNumSpatial(op.getX().getType())));
  printer << " ";
  printer.printOperands(op->getOperands());
  mlir::ttc::detail::printTensorAttributes(printer, op->getAttrDictionary(),
                                           defaults.getDictionary(op.getContext()));
  printer << " : ";
  printer.printFunctionalType(op);
}

ParseResult ConvOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseWindowOp(parser, result);
}
void ConvOp::print(OpAsmPrinter &printer) { printWindowOp(printer, *this); }

ParseResult IntConvOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseWindowOp(parser, result);
}
void IntConvOp::print(OpAsmPrinter &printer) { printWindowOp(printer, *this); }

ParseResult ConvTransposeOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseWindowOp(parser, result);
}
void ConvTransposeOp::print(OpAsmPrinter &printer) { printWindowOp(printer, *this); }

ParseResult MaxPoolOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseWindowOp(parser, result);
}
void MaxPoolOp::print(OpAsmPrinter &printer) { printWindowOp(printer, *this); }

ParseResult AvgPoolOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseWindowOp(parser, result);
}
void AvgPoolOp::print(OpAsmPrinter &printer) { printWindowOp(printer, *this); }
