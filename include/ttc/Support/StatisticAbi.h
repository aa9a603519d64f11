// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before everything else by the compile options of `ttc_mlir`.
//
// llvm::Statistic is one of two classes of different size, chosen by NDEBUG, and
// mlir::Pass::Statistic, whose constructor lies in libMLIR, derives from it. Debian's libMLIR is
// built with NDEBUG: seen without it, every pass with a statistic reads members that nobody
// constructed. So this one header is always read as libMLIR read it.

#ifndef TTC_SUPPORT_STATISTICABI_H
#define TTC_SUPPORT_STATISTICABI_H

#ifndef NDEBUG
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#else
#include "llvm/ADT/Statistic.h"
#endif

#endif // TTC_SUPPORT_STATISTICABI_H
