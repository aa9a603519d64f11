// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_TTCOPS_H
#define TTC_DIALECTS_TTC_TTCOPS_H

#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"
#include "dialects/Ttc/Interfaces/ExecutionInterfaces.h"
#include "dialects/Ttc/Interfaces/SerializationInterfaces.h"
#include "dialects/Ttc/Interfaces/TransformInterfaces.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "dialects/Ttc/TtcDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "dialects/Ttc/TtcEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Ttc/TtcAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Ttc/TtcTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Ttc/TtcOps.h.inc"

namespace mlir::ttc {

/// How an operand of an op in a program lies, where it is an argument of the program; null:
/// contiguously, or not an argument.
StridedAttr getOperandStrided(Value operand);

/// How the one result of a program lies that the kernel and its tail make up; null: contiguously.
StridedAttr getResultStrided(Operation *kernel);

} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TTCOPS_H
