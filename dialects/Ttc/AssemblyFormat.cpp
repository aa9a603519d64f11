// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/AssemblyFormat.h"
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
