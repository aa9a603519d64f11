// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What rules of several families need (Ttc_ExtentOpInterface).
#ifndef TTC_DIALECTS_TTC_TENSORS_EXTENTRULES_H
#define TTC_DIALECTS_TTC_TENSORS_EXTENTRULES_H

#include "dialects/Ttc/Interfaces/Extents.h"
#include "dialects/Ttc/Tensors/DataMovementOps.h"

namespace mlir::ttc {

/// On a gather, a `WithinAttr` with the factors of its operand's dimension `axis`: its indices
/// select only elements that are within. On a concatenation whose gaps such a gather leaves out, an
/// array of them, for its operands; units for those that count as a whole.
inline constexpr llvm::StringLiteral kReadsAttrName = "reads";

/// followLoops() for all dimensions of operands but these, of one operand.
LogicalResult followOtherLoops(Operation *op, ExtentScope &scope, unsigned operand,
                               ArrayRef<int64_t> dims);

/// The extent of a dimension; an error if padding lies between its elements.
FailureOr<Extent> getValidExtent(Operation *op, ExtentScope &scope, Value value, int64_t dim);

/// How many elements of a dimension are valid, with padding between them or not. Nothing if that is
/// no extent.
std::optional<Extent> countValid(ExtentScope &scope, Value value, int64_t dim);

/// The value without padding between its valid elements along a dimension of several factors, such
/// as the pixels of an image: element i of the result is the i-th one that is valid. Fails, with a
/// diagnostic at `op`, if their number is no extent.
FailureOr<Value> closeGaps(Operation *op, OpBuilder &builder, ExtentScope &scope, Value value,
                           int64_t dim);

/// For ops that count places along these dimensions of their first operand: closes its gaps.
/// Returns whether that is another one now.
FailureOr<bool> closeGapsOfOperand(Operation *op, OpBuilder &builder, ExtentScope &scope,
                                   ArrayRef<int64_t> dims);

/// Lets users of the op's result, but `except`, have `value`, whose op is compared with the
/// importer's shapes instead.
void replaceResult(Operation *op, Value value, Operation *except = nullptr);

/// Whether elements of the result within the extent depend on elements beyond that of the operand,
/// along a dimension that is `scale` times as large.
bool readsBeyond(ResizeOp op, int64_t scale);

/// Lets negative indices count from the end of what is valid. The last dimension of `indices` has
/// an index for each axis; that of one axis has no such dimension.
LogicalResult countFromExtents(Operation *op, OpBuilder &builder, ExtentScope &scope,
                               OpOperand &data, OpOperand &indices, ArrayRef<int64_t> axes);

/// A constant without dimensions.
Value makeNumber(OpBuilder &builder, Location loc, Type elementType, double number);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TENSORS_EXTENTRULES_H
