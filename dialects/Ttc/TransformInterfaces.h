// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_TRANSFORMINTERFACES_H
#define TTC_DIALECTS_TTC_TRANSFORMINTERFACES_H

#include "dialects/Ttc/Rows.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/Ttc/TtcTransformInterfaces.h.inc"

#endif // TTC_DIALECTS_TTC_TRANSFORMINTERFACES_H
