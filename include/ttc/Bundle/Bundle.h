// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bundles from planned modules (level 4), and back. Reader and writer are inverse to each other: a
// bundle that is read and written again is the same file, byte for byte.
#ifndef TTC_BUNDLE_BUNDLE_H
#define TTC_BUNDLE_BUNDLE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::ttc {

/// Writes the module as a bundle, with the dataflow of each entry point (docs/proof.md). Fails,
/// with diagnostics, if the module is not planned (buffers and streams need addresses, programs
/// need one binary), or if its default schedules read what has not been written.
LogicalResult writeBundle(ModuleOp module, llvm::raw_ostream &output);

/// Reads a bundle. Returns null, with diagnostics, if the file is damaged. Constants and code are
/// not copied: the context keeps `file` alive, and its contents must not change.
OwningOpRef<ModuleOp> readBundle(std::unique_ptr<llvm::MemoryBuffer> file, MLIRContext *context);

/// Adds --ttc-to-bundle and --bundle-to-ttc to a translation tool.
void registerBundleTranslations();

/// Whether a translation writes a bundle: all whose names end with "-to-bundle" do.
inline bool writesBundle(StringRef translation) { return translation.ends_with("-to-bundle"); }

} // namespace mlir::ttc

#endif // TTC_BUNDLE_BUNDLE_H
