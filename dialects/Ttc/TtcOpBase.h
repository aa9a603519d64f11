// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the op classes need. Each family of ops has a header of its own, which the build writes:
// dialects/Ttc/Tensors/ElementwiseOps.h has the classes of ElementwiseOps.td.
#ifndef TTC_DIALECTS_TTC_TTCOPBASE_H
#define TTC_DIALECTS_TTC_TTCOPBASE_H

#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"
#include "dialects/Ttc/Interfaces/ExecutionInterfaces.h"
#include "dialects/Ttc/Interfaces/SerializationInterfaces.h"
#include "dialects/Ttc/Interfaces/TransformInterfaces.h"
#include "dialects/Ttc/Tensors/TensorOps.h"
#include "dialects/Ttc/TtcAttributes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::ttc {
class TraceOp; // the parent of the commands of two families
} // namespace mlir::ttc

#endif // TTC_DIALECTS_TTC_TTCOPBASE_H
