// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops whose inputs that shape the result are computed at run time. Shapes are static nevertheless
// if the model declares the shape of the result.
#ifndef TTC_LIB_IMPORT_DECLAREDSHAPES_H
#define TTC_LIB_IMPORT_DECLAREDSHAPES_H

#include "lib/Import/Onnx/Core/OnnxNode.h"
#include "lib/Import/Tensors/Expressions.h"

#include "dialects/Ttc/TtcAttributes.h"

namespace mlir::ttc {

/// Whether an input that shapes a result is computed at run time while the shape of output 0 is
/// declared. Without elements it is as good as constant.
bool isShapedByDeclaration(OnnxNode &node, unsigned input);

/// `value` where the scalar `holds` is true. Otherwise the declared shape lost elements, or made
/// some up, which must show: NaN, and the integers that are farthest from zero.
Value spoilUnless(Expressions &e, Value holds, Value value);

/// Whether all elements of a vector of bools are true, as a scalar.
Value allOf(Expressions &e, Value bools);
/// What a message says of a result of another shape than `shape`, which is declared.
std::string describeContradiction(ArrayRef<int64_t> shape);
/// Requires element i of an input of integers, which describes the shape of output 0, to be one of
/// `allowed[i]`; any, if these are empty.
LogicalResult requireElements(OnnxNode &node, unsigned index,
                              ArrayRef<SmallVector<int64_t, 3>> allowed);
/// As above, with one number for each element.
LogicalResult requireElements(OnnxNode &node, unsigned index, ArrayRef<int64_t> expected);

/// Input 0 in the declared shape: Reshape, Squeeze and Unsqueeze by a shape or axes that are
/// computed.
LogicalResult reshapeToDeclared(OnnxNode &node);
/// Slice by bounds that are computed: gathers as many elements as declared.
LogicalResult sliceToDeclared(OnnxNode &node);
/// Pad by pads, a value or axes that are computed: gathers the elements along each dimension.
LogicalResult padToDeclared(OnnxNode &node, PadMode mode);

/// The axes over which a reduction of `from` gives the declared shape, in increasing order; several
/// if the shapes alone do not tell. `count` is the number of axes.
SmallVector<SmallVector<int64_t>> findReducedAxes(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                                  int64_t count, bool keepDims);
/// The value of the candidate that the axes (input `index`) name, computed for all of them.
Value selectByAxes(OnnxNode &node, unsigned index, int64_t rank,
                   ArrayRef<SmallVector<int64_t>> candidates, ArrayRef<Value> values);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_DECLAREDSHAPES_H
