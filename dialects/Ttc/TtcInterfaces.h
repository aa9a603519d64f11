// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_TTCINTERFACES_H
#define TTC_DIALECTS_TTC_TTCINTERFACES_H

#include "dialects/Ttc/StridedRange.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/Ttc/TtcOpInterfaces.h.inc"

#endif // TTC_DIALECTS_TTC_TTCINTERFACES_H
