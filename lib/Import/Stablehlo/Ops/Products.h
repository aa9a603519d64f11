// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products of matrices and convolutions have in common.
#ifndef TTC_LIB_IMPORT_STABLEHLO_PRODUCTS_H
#define TTC_LIB_IMPORT_STABLEHLO_PRODUCTS_H

#include "lib/Import/Stablehlo/Core/StablehloOp.h"

namespace mlir::ttc {

/// The element type that products of `lhs` and `rhs` are summed in, for a result of this type. Null
/// is reported.
Type getProductType(StablehloOp &op, Type lhs, Type rhs, Type result);
/// Whether the product is one of bytes with sums of i32, which has kernels of its own.
bool isProductOfBytes(Value lhs, Value rhs, Type result);
/// `multiply` for real operands; for complex ones the products of their parts.
Value makeComplexProduct(StablehloOp &op, Value lhs, Value rhs,
                         llvm::function_ref<Value(Value, Value)> multiply);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_STABLEHLO_PRODUCTS_H
