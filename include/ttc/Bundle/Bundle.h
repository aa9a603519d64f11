// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planned module (level 4) and a bundle say the same thing. Writer and reader are inverse to each
// other: a bundle read and written again is the same file, byte for byte.
#ifndef TTC_BUNDLE_BUNDLE_H
#define TTC_BUNDLE_BUNDLE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ttc {

/// Writes the module as a bundle. Fails with diagnostics if it is not a planned module: buffers
/// and streams with addresses, one binary.
LogicalResult writeBundle(ModuleOp module, llvm::raw_ostream &output);

/// Reads a bundle. `file` stays alive and unchanged as long as the context: constants and code are
/// not copied. Returns null, with diagnostics, if the file is damaged.
OwningOpRef<ModuleOp> readBundle(std::unique_ptr<llvm::MemoryBuffer> file, MLIRContext *context);

/// Adds --ttc-to-bundle and --bundle-to-ttc to a translation tool.
void registerBundleTranslations();

} // namespace mlir::ttc

#endif // TTC_BUNDLE_BUNDLE_H
