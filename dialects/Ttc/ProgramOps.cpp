// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fusions, programs and dispatches.
#include "dialects/Ttc/Symbols.h"
#include "dialects/Ttc/TtcOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::ttc;

//===--- fusion -----------------------------------------------------------------------===//

void FusionOp::build(OpBuilder &builder, OperationState &state, TypeRange outputs,
                     ValueRange inputs) {
  state.addOperands(inputs);
  state.addTypes(outputs);
  Block &block = state.addRegion()->emplaceBlock();
  for (Value input : inputs)
    block.addArgument(input.getType(), input.getLoc());
}

ParseResult FusionOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc operandsLoc = parser.getCurrentLocation();
  auto parseInput = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(arguments.back().type));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseInput) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types = llvm::map_to_vector(arguments, [](auto &a) { return a.type; });
  return failure(parser.resolveOperands(operands, types, operandsLoc, result.operands) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void FusionOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()), printer,
                        [&](auto pair) {
                          auto [argument, input] = pair;
                          printer << argument << " = " << input << " : " << input.getType();
                        });
  printer << ")";
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult FusionOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError("expects one block argument for each of its ")
           << getInputs().size() << " operands, found " << block.getNumArguments();
  for (auto [i, argument, input] : llvm::enumerate(block.getArguments(), getInputs()))
    if (argument.getType() != input.getType())
      return emitOpError("expects block argument ")
             << i << " of its operand's type " << input.getType() << ", found "
             << argument.getType();
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("expects its region to end with ttc.yield, found ")
           << block.back().getName();
  if (yield.getValues().getTypes() != getResultTypes())
    return yield.emitOpError("expects values of the fusion's result types (")
           << getResultTypes() << "), found (" << yield.getValues().getTypes() << ")";
  for (Operation &op : block)
    if (isa<FusionOp>(op))
      return op.emitOpError("expects to stand outside of other fusions");
  return success();
}

//===--- program ----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void ProgramOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

bool ProgramOp::hasTensorBody() {
  return !isExternal() && !getBody().front().empty() && isa<ReturnOp>(getBody().front().back());
}

LogicalResult ProgramOp::verifyBody() {
  if (isExternal())
    return success();
  if (!getBody().hasOneBlock())
    return emitOpError("expects at most one block in its body, found ")
           << getBody().getBlocks().size();
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(getArgumentTypes()))
    return emitOpError("expects block arguments of the program's input types (")
           << getArgumentTypes() << "), found (" << block.getArgumentTypes() << ")";
  return success();
}

LogicalResult ProgramOp::verify() {
  for (auto [what, types] :
       {std::pair("input", getArgumentTypes()), std::pair("result", getResultTypes())})
    for (auto [i, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape())
        return emitOpError("expects ")
               << what << " " << i << " to be a ranked tensor of static shape, found " << type;
    }
  if (IntegerAttr grid = getGridAttr(); grid && grid.getInt() < 1)
    return emitOpError("expects a grid of at least 1 workgroup, found ") << grid.getInt();
  if (IntegerAttr scratch = getScratchBytesAttr(); scratch && scratch.getInt() < 0)
    return emitOpError("expects at least 0 scratch bytes, found ") << scratch.getInt();
  return success();
}

LogicalResult ReturnOp::verify() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  if (getValues().getTypes() != TypeRange(program.getResultTypes()))
    return emitOpError("expects values of the program's result types (")
           << program.getResultTypes() << "), found (" << getValues().getTypes() << ")";
  return success();
}

//===--- dispatch ---------------------------------------------------------------------===//

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyProgramCall(*this, symbols, getProgramAttr(), getInputs().getTypes(),
                           getOutputs().getTypes());
}

void DispatchOp::encode(OpBuilder &builder, ArrayRef<FlatSymbolRefAttr> inputs,
                        ArrayRef<FlatSymbolRefAttr> outputs) {
  auto toArray = [&](ArrayRef<FlatSymbolRefAttr> buffers) {
    return builder.getArrayAttr(SmallVector<Attribute>(buffers.begin(), buffers.end()));
  };
  CmdDispatchOp::create(builder, getLoc(), getProgramAttr(), toArray(inputs), toArray(outputs));
}
