// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OnnxRegistry.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ttc;

const OnnxRegistry &OnnxRegistry::get() {
  static const OnnxRegistry registry = [] {
    OnnxRegistry all;
    registerConstantOps(all);
    registerUnaryOps(all);
    registerBinaryOps(all);
    registerMatMulOps(all);
    registerConvolutionOps(all);
    registerPoolingOps(all);
    registerNormalizationOps(all);
    registerReductionOps(all);
    registerShapeOps(all);
    registerIndexingOps(all);
    registerResizeOps(all);
    return all;
  }();
  return registry;
}

SmallVector<StringRef> OnnxRegistry::names() const {
  auto keys = entries.keys();
  SmallVector<StringRef> sorted(keys.begin(), keys.end());
  llvm::sort(sorted);
  return sorted;
}
