// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fusions, programs and dispatches.
#include "dialects/Ttc/Programs/ProgramOps.h"
#include "dialects/Ttc/Layout/Shards.h"
#include "dialects/Ttc/Traces/Symbols.h"
#include "dialects/Ttc/Traces/TraceOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "ttrt/format/program_markers.h"

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

/// Verifies `within` of result `index` of a fusion or a program.
static LogicalResult verifyWithin(Operation *op, StringRef constraint, WithinAttr within,
                                  TypeRange inputs, TypeRange results, unsigned index) {
  auto result = cast<RankedTensorType>(results[index]);
  if (!within.getFactors(result))
    return op->emitOpError() << constraint << " expected sizes that divide the dimensions of "
                             << result << ", found " << within;
  const auto expected = RankedTensorType::get(within.getBounds().getNumSymbols(),
                                              IntegerType::get(op->getContext(), 32));
  if (within.getArgument() >= static_cast<int64_t>(inputs.size()) ||
      inputs[within.getArgument()] != expected)
    return op->emitOpError() << constraint << " expected an operand of type " << expected
                             << " as the argument of " << within << ", found "
                             << (within.getArgument() < static_cast<int64_t>(inputs.size())
                                     ? inputs[within.getArgument()]
                                     : Type(NoneType::get(op->getContext())));
  return success();
}

LogicalResult FusionOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError("(C1) expected one block argument for each of its ")
           << getInputs().size() << " operands, found " << block.getNumArguments();
  for (auto [i, argument, input] : llvm::enumerate(block.getArguments(), getInputs()))
    if (argument.getType() != input.getType())
      return emitOpError("(C1) expected block argument ")
             << i << " of its operand's type " << input.getType() << ", found "
             << argument.getType();
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("(C2) expected its region to end with ttc.yield, found ")
           << block.back().getName();
  if (yield.getValues().getTypes() != getResultTypes())
    return emitOpErrorOn(yield, *this)
           << "(C2) expected values of the fusion's result types (" << getResultTypes()
           << "), found (" << yield.getValues().getTypes() << ")";
  for (Operation &op : block)
    if (isa<FusionOp>(op))
      return emitOpErrorOn(&op, *this)
             << "(C3) expected no fusion in another one, found " << op.getName();
  if (!getWithin())
    return success();
  if (getNumResults() != 1)
    return emitOpError("(C4) expected one result with 'within', found ") << getNumResults();
  return verifyWithin(*this, "(C4)", *getWithin(), getInputs().getTypes(), getResultTypes(), 0);
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
    return emitOpError("(C2) expected at most one block in its body, found ")
           << getBody().getBlocks().size();
  Block &block = getBody().front();
  if (block.getArgumentTypes() != TypeRange(getArgumentTypes()))
    return emitOpError("(C2) expected block arguments of the program's input types (")
           << getArgumentTypes() << "), found (" << block.getArgumentTypes() << ")";
  return success();
}

/// Verifies (C6) and (C7).
static LogicalResult verifyShards(ProgramOp program) {
  ArrayRef<int64_t> grid = program.getShards().value_or(ArrayRef<int64_t>());
  if (llvm::any_of(grid, [](int64_t size) { return size < 1; }))
    return program.emitOpError("(C6) expected shards of at least 1 in each dimension, found [")
           << grid << "]";
  if (IntegerAttr workgroups = program.getGridAttr();
      program.getShards() && workgroups && workgroups.getInt() != llvm::product_of(grid))
    return program.emitOpError("(C6) expected a grid of its ")
           << llvm::product_of(grid) << " shards, found " << workgroups.getInt();
  for (unsigned i = 0, e = program.getNumArguments() + program.getNumResults(); i < e; ++i) {
    ShardAttr shard = program.getShard(i);
    if (!shard)
      continue;
    if (!program.getShards())
      return program.emitOpError(
          "(C7) expected 'shards' where an operand has 'ttc.shard', found none");
    if (llvm::any_of(shard.getPartition(),
                     [&](int64_t dim) { return dim >= static_cast<int64_t>(grid.size()); }))
      return program.emitOpError("(C7) expected a partition by its ")
             << grid.size() << " dimensions of shards, found " << shard;
    RankedTensorType whole = shard.getWhole();
    auto part = cast<RankedTensorType>(program.getOperandType(i));
    SmallVector<int64_t> parts = shard.getParts(grid);
    bool fits = part.getRank() == whole.getRank() && !part.getEncoding() &&
                part.getElementType() == whole.getElementType();
    for (int64_t d = 0; fits && d < whole.getRank(); ++d)
      fits = part.getDimSize(d) * parts[d] == whole.getDimSize(d);
    if (!fits)
      return program.emitOpError("(C7) expected parts of ")
             << whole << ", partitioned into [" << parts << "], found " << part;
    if (!program.isExternal())
      for (auto [finer, coarser] : llvm::zip_equal(parts, *getShardParts(whole)))
        if (finer % coarser != 0)
          return program.emitOpError("(C7) expected parts of one shard each of ")
                 << whole << ", found it partitioned into [" << parts << "]";
  }
  return success();
}

/// Verifies (C8).
static LogicalResult verifyHostFunction(ProgramOp program) {
  HostFunctionAttr function = program.getHostFunctionAttr();
  if (!function)
    return success();
  auto refuse = [&](const Twine &found) {
    return program.emitOpError("(C8) expected a program of contiguous operands, without code, for "
                               "the host function ")
           << function.getName() << ", found " << found;
  };
  if (!program.isExternal())
    return refuse("a body");
  if (program.getShards())
    return refuse("shards");
  for (unsigned i = 0, e = program.getNumArguments() + program.getNumResults(); i < e; ++i)
    if (program.getStrided(i))
      return refuse("operand " + Twine(i) + " with ttc.strided");
  for (unsigned i = 0; i < program.getNumResults(); ++i)
    if (!program.getInPlace(i).empty())
      return refuse("result " + Twine(i) + " with ttc.in_place");
  if (program.getGrid().value_or(1) != 1 || program.getScratchBytes().value_or(0) != 0)
    return refuse("a grid of " + Twine(program.getGrid().value_or(1)) + " and " +
                  Twine(program.getScratchBytes().value_or(0)) + " bytes of scratch");
  if (program.getMarkers())
    return refuse("markers");
  if (!isAbsentBeforeLast(function.getAbsentInputs(), program.getNumArguments()) ||
      !isAbsentBeforeLast(function.getAbsentOutputs(), program.getNumResults()))
    return refuse("absent positions beyond its last operand or result");
  return success();
}

LogicalResult ProgramOp::verify() {
  for (auto [what, types] :
       {std::pair("input", getArgumentTypes()), std::pair("result", getResultTypes())})
    for (auto [i, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape())
        return emitOpError("(C1) expected ")
               << what << " " << i << " to be a ranked tensor of static shape, found " << type;
    }
  unsigned operands = getNumArguments() + getNumResults();
  for (unsigned i = 0; i < operands; ++i) {
    auto type = cast<RankedTensorType>(getOperandType(i));
    StridedAttr strided = getStrided(i);
    if (strided && (type.getNumElements() == 0 || type.getNumElements() % strided.getRow() != 0))
      return emitOpError("(C4) expected complete rows of ")
             << strided.getRow() << " elements, found " << type;
  }
  if (failed(verifyShards(*this)) || failed(verifyHostFunction(*this)))
    return failure();
  for (unsigned result = 0; result < getNumResults(); ++result)
    if (WithinAttr within = getWithin(result))
      if (failed(
              verifyWithin(*this, "(C10)", within, getArgumentTypes(), getResultTypes(), result)))
        return failure();
  for (unsigned result = 0; result < getNumResults(); ++result)
    for (int64_t argument : getInPlace(result)) {
      unsigned index = getNumArguments() + result;
      if (argument < 0 || argument >= getNumArguments())
        return emitOpError("(C5) expected 'ttc.in_place' to name one of its ")
               << getNumArguments() << " arguments, found " << argument;
      ByteSpan to = getSpan(index), from = getSpan(argument);
      if (to.bytes != from.bytes || to.row != from.row || to.pitch != from.pitch ||
          getShard(index) != getShard(argument))
        return emitOpError(
                   "(C5) expected 'ttc.in_place' to name an argument with the layout of result ")
               << result << ", found argument " << argument << " of " << getOperandType(argument);
    }
  if (IntegerAttr grid = getGridAttr(); grid && grid.getInt() < 1)
    return emitOpError("(C3) expected a grid of at least 1 workgroup, found ") << grid.getInt();
  if (IntegerAttr scratch = getScratchBytesAttr(); scratch && scratch.getInt() < 0)
    return emitOpError("(C3) expected at least 0 scratch bytes, found ") << scratch.getInt();
  if (IntegerAttr flops = getFlopsAttr(); flops && flops.getInt() < 0)
    return emitOpError("(C3) expected at least 0 operations, found ") << flops.getInt();
  using ttrt::profile::ProgramMarkers;
  constexpr int64_t kMarkerBytes = sizeof(ProgramMarkers), kAlignment = alignof(ProgramMarkers);
  if (IntegerAttr scratch = getScratchBytesAttr();
      getMarkers() && scratch && !hasTensorBody() &&
      (scratch.getInt() < kMarkerBytes || scratch.getInt() % kAlignment != 0))
    return emitOpError("(C9) expected scratch of a multiple of ")
           << kAlignment << " bytes that holds " << kMarkerBytes << " bytes of markers, found "
           << scratch.getInt();
  return success();
}

Type ProgramOp::getOperandType(unsigned index) {
  return index < getNumArguments() ? getArgumentTypes()[index]
                                   : getResultTypes()[index - getNumArguments()];
}

RankedTensorType ProgramOp::getWholeType(unsigned index) {
  if (ShardAttr shard = getShard(index))
    return shard.getWhole();
  return cast<RankedTensorType>(getOperandType(index));
}

ShardAttr ProgramOp::getShard(unsigned index) {
  return index < getNumArguments()
             ? getArgAttrOfType<ShardAttr>(index, getShardAttrName())
             : getResultAttrOfType<ShardAttr>(index - getNumArguments(), getShardAttrName());
}

int64_t ProgramOp::getOwnGrid(unsigned index) {
  ShardAttr shard = getShard(index);
  return shard && shard.isOwn(*getShards()) ? llvm::product_of(*getShards()) : 0;
}

static void setOperandAttr(ProgramOp program, unsigned index, StringRef name, Attribute attr) {
  if (index < program.getNumArguments())
    program.setArgAttr(index, name, attr);
  else
    program.setResultAttr(index - program.getNumArguments(), name, attr);
}

void ProgramOp::setShard(unsigned index, ShardAttr shard) {
  setOperandAttr(*this, index, getShardAttrName(), shard);
}

void ProgramOp::setStrided(unsigned index, StridedAttr strided) {
  setOperandAttr(*this, index, getStridedAttrName(), strided);
}

StridedAttr ProgramOp::getStrided(unsigned index) {
  return index < getNumArguments()
             ? getArgAttrOfType<StridedAttr>(index, getStridedAttrName())
             : getResultAttrOfType<StridedAttr>(index - getNumArguments(), getStridedAttrName());
}

WithinAttr ProgramOp::getWithin(unsigned index) {
  return getResultAttrOfType<WithinAttr>(index, kWithinAttrName);
}

ArrayRef<int64_t> ProgramOp::getInPlace(unsigned index) {
  auto arguments = getResultAttrOfType<DenseI64ArrayAttr>(index, getInPlaceAttrName());
  return arguments ? arguments.asArrayRef() : ArrayRef<int64_t>();
}

ByteSpan ProgramOp::getSpan(unsigned index) {
  auto type = cast<RankedTensorType>(getOperandType(index));
  if (ShardAttr shard = getShard(index)) {
    // What all workgroups access together: the whole, or its shards, one L1 apart.
    LayoutAttr layout = shard.getLayout();
    int64_t bytes = getTensorBytes(layout ? getShardType(shard.getWhole()) : shard.getWhole());
    auto module = (*this)->getParentOfType<ModuleOp>();
    auto target = module ? module->getAttrOfType<TargetAttr>(kTargetAttrName) : TargetAttr();
    if (!layout || !target)
      return {0, bytes, bytes, bytes};
    return {0, (layout.getNumShards() - 1) * target.getL1Bytes() + bytes, bytes,
            target.getL1Bytes(), shard.isOwn(*getShards())};
  }
  int64_t bytes = getTensorBytes(type);
  StridedAttr rows = getStrided(index);
  if (!rows)
    return {0, bytes, bytes, bytes};
  int64_t element = bytes / std::max<int64_t>(type.getNumElements(), 1);
  return {0, rows.getSpan(type.getNumElements()) * element, rows.getRow() * element,
          rows.getPitch() * element};
}

LogicalResult ReturnOp::verify() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  if (getValues().getTypes() != TypeRange(program.getResultTypes()))
    return emitOpError("(C1) expected values of the program's result types (")
           << program.getResultTypes() << "), found (" << getValues().getTypes() << ")";
  return success();
}

//===--- dispatch ---------------------------------------------------------------------===//

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(succeeded(verifyProgramCall(*this, symbols, getProgramAttr(),
                                             getInputs().getTypes(), getOutputs().getTypes())) &&
                 succeeded(verifyHasCode(*this, symbols, getProgramAttr(), "(C3)")));
}

void DispatchOp::encode(OpBuilder &builder, ArrayRef<BufferRef> inputs,
                        ArrayRef<BufferRef> outputs) {
  CmdDispatchOp::create(builder, getLoc(), getProgramAttr(), inputs, outputs);
}

void DispatchOp::getInPlaceOperands(unsigned index, SymbolTableCollection &symbols,
                                    SmallVectorImpl<unsigned> &operands) {
  auto program = symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getProgramAttr());
  for (int64_t operand : program.getInPlace(index))
    operands.push_back(operand);
}

int64_t DispatchOp::getScratchBytes(SymbolTableCollection &symbols) {
  return getScratchBytesOf(*this, symbols, getProgramAttr());
}

std::optional<StridedRange> DispatchOp::getStridedRange(unsigned index,
                                                        SymbolTableCollection &symbols) {
  auto program = symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getProgramAttr());
  StridedAttr rows = program.getStrided(index);
  if (!rows || program.getShard(index)) // a part's rows: the whole is contiguous
    return std::nullopt;
  int64_t count = cast<RankedTensorType>(program.getOperandType(index)).getNumElements();
  return StridedRange{0, count, rows.getRow(), rows.getPitch()};
}

int64_t DispatchOp::getOwnGrid(unsigned index, SymbolTableCollection &symbols) {
  return symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getProgramAttr()).getOwnGrid(index);
}

bool DispatchOp::takesShards(unsigned index, SymbolTableCollection &symbols) {
  auto program = symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getProgramAttr());
  return program.getShard(index) && program.getShard(index).getLayout();
}
