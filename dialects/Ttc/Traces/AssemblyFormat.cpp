// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Traces/AssemblyFormat.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Format.h"

using namespace mlir;

ParseResult mlir::ttc::parseAddress(OpAsmParser &parser, IntegerAttr &address) {
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  address = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

void mlir::ttc::printAddress(OpAsmPrinter &printer, Operation *, IntegerAttr address) {
  printer.getStream() << llvm::format("0x%llx", static_cast<unsigned long long>(address.getInt()));
}

ParseResult mlir::ttc::parseSymbolList(OpAsmParser &parser, ArrayAttr &symbols) {
  SmallVector<Attribute> list;
  auto parseSymbol = [&]() -> ParseResult {
    StringAttr name;
    if (parser.parseSymbolName(name))
      return failure();
    list.push_back(FlatSymbolRefAttr::get(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseSymbol))
    return failure();
  symbols = parser.getBuilder().getArrayAttr(list);
  return success();
}

void mlir::ttc::printSymbolList(OpAsmPrinter &printer, Operation *, ArrayAttr symbols) {
  printer << "(";
  llvm::interleaveComma(symbols, printer, [&](Attribute symbol) { printer << symbol; });
  printer << ")";
}

ParseResult mlir::ttc::parsePlaceList(OpAsmParser &parser, ArrayAttr &buffers,
                                      DenseI64ArrayAttr &offsets) {
  SmallVector<Attribute> list;
  SmallVector<int64_t> bytes;
  auto parsePlace = [&]() -> ParseResult {
    StringAttr name;
    if (parser.parseSymbolName(name))
      return failure();
    list.push_back(FlatSymbolRefAttr::get(name));
    bytes.push_back(0);
    return failure(succeeded(parser.parseOptionalPlus()) && parser.parseInteger(bytes.back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parsePlace))
    return failure();
  buffers = parser.getBuilder().getArrayAttr(list);
  if (llvm::any_of(bytes, [](int64_t offset) { return offset != 0; }))
    offsets = parser.getBuilder().getDenseI64ArrayAttr(bytes);
  return success();
}

ParseResult mlir::ttc::parsePlace(OpAsmParser &parser, FlatSymbolRefAttr &buffer,
                                  IntegerAttr &offset) {
  StringAttr name;
  int64_t bytes = 0;
  if (parser.parseSymbolName(name) ||
      (succeeded(parser.parseOptionalPlus()) && parser.parseInteger(bytes)))
    return failure();
  buffer = FlatSymbolRefAttr::get(name);
  offset = parser.getBuilder().getI64IntegerAttr(bytes);
  return success();
}

void mlir::ttc::printPlace(OpAsmPrinter &printer, Operation *, FlatSymbolRefAttr buffer,
                           IntegerAttr offset) {
  printer << buffer;
  if (offset && offset.getInt() != 0)
    printer << " + " << offset.getInt();
}

void mlir::ttc::printPlaceList(OpAsmPrinter &printer, Operation *, ArrayAttr buffers,
                               DenseI64ArrayAttr offsets) {
  printer << "(";
  llvm::interleaveComma(llvm::enumerate(buffers), printer, [&](auto entry) {
    printer << entry.value();
    if (offsets && entry.index() < static_cast<size_t>(offsets.size()) &&
        offsets[entry.index()] != 0)
      printer << " + " << offsets[entry.index()];
  });
  printer << ")";
}
