// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_DIALECTS_TTC_TTCDIALECT_H
#define TTC_DIALECTS_TTC_TTCDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialects/Ttc/TtcDialect.h.inc"

#endif // TTC_DIALECTS_TTC_TTCDIALECT_H
