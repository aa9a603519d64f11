// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Interfaces/ComputeInterfaces.h"

using namespace mlir;
using namespace mlir::ttc;

#include "dialects/Ttc/TtcComputeInterfaces.cpp.inc"
