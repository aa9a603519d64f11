// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated definitions of all ops; what is written by hand stands in the family's own file.
#include "dialects/Ttc/TtcOps.h"
#include "dialects/Ttc/AssemblyFormat.h"

using namespace mlir;
using namespace mlir::ttc;

#define GET_OP_CLASSES
#include "dialects/Ttc/TtcOps.cpp.inc"
