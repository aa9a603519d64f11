// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect's enumerations, attributes and types.
#ifndef TTC_DIALECTS_TTC_TTCATTRIBUTES_H
#define TTC_DIALECTS_TTC_TTCATTRIBUTES_H

#include "dialects/Ttc/Layout/BoundedFactors.h"
#include "dialects/Ttc/Layout/StridedRange.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include "dialects/Ttc/TtcEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Ttc/TtcAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Ttc/TtcTypes.h.inc"

namespace mlir::ttc {

/// The strided layout of an operand of an op in a program. Null if the operand is contiguous, or
/// not an argument of the program.
StridedAttr getOperandStrided(Value operand);

/// The strided layout of a result of the program around `kernel`. Null if it is contiguous.
StridedAttr getResultStrided(Operation *kernel, unsigned result = 0);

/// Whether they are distinct devices of a mesh in ascending order, at least one.
bool isDeviceList(ArrayRef<int64_t> devices);

/// Whether positions that a host function leaves out come before the last one of `present` values.
bool isAbsentBeforeLast(DenseI64ArrayAttr absent, size_t present);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TTCATTRIBUTES_H
