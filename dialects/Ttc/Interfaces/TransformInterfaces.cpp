// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Ttc/Interfaces/TransformInterfaces.h"

using namespace mlir;
using namespace mlir::ttc;

#include "dialects/Ttc/TtcTransformInterfaces.cpp.inc"
