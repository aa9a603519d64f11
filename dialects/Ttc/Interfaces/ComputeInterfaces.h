// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_INTERFACES_COMPUTEINTERFACES_H
#define TTC_DIALECTS_TTC_INTERFACES_COMPUTEINTERFACES_H

#include "dialects/Ttc/Layout/StridedRange.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/Ttc/TtcComputeInterfaces.h.inc"

#endif // TTC_DIALECTS_TTC_INTERFACES_COMPUTEINTERFACES_H
