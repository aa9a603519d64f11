// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Custom directives of assembly formats that several families of ops share.
#ifndef TTC_DIALECTS_TTC_TRACES_ASSEMBLYFORMAT_H
#define TTC_DIALECTS_TTC_TRACES_ASSEMBLYFORMAT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::ttc {

/// An address: hexadecimal.
ParseResult parseAddress(OpAsmParser &parser, IntegerAttr &address);
void printAddress(OpAsmPrinter &printer, Operation *op, IntegerAttr address);

/// `(@a, @b)`.
ParseResult parseSymbolList(OpAsmParser &parser, ArrayAttr &symbols);
void printSymbolList(OpAsmPrinter &printer, Operation *op, ArrayAttr symbols);

/// `(@a, @b + 64)`: buffers with offsets in bytes. The offsets are null if all are 0.
ParseResult parsePlaceList(OpAsmParser &parser, ArrayAttr &buffers, DenseI64ArrayAttr &offsets);
void printPlaceList(OpAsmPrinter &printer, Operation *op, ArrayAttr buffers,
                    DenseI64ArrayAttr offsets);

/// `@a` or `@a + 64`.
ParseResult parsePlace(OpAsmParser &parser, FlatSymbolRefAttr &buffer, IntegerAttr &offset);
void printPlace(OpAsmPrinter &printer, Operation *op, FlatSymbolRefAttr buffer, IntegerAttr offset);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TRACES_ASSEMBLYFORMAT_H
