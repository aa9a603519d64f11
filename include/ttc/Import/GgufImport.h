// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Imports decoders in GGUF files as ttc ops on tensors.
#ifndef TTC_IMPORT_GGUFIMPORT_H
#define TTC_IMPORT_GGUFIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace mlir::ttc {

struct GgufImportOptions {
  /// Positions that the caches hold.
  int64_t context = 2048;
  /// Whether `context` is a default, which is lowered to what the model was trained for.
  bool isContextDefault = false;
  /// Texts that are generated at the same time.
  int64_t sequences = 1;
  /// Numbers of tokens that an entry point `prefill_N` takes, ascending.
  SmallVector<int64_t> prefill = {16, 64, 256};
  /// What the caches store: Q8, integers of 8 bits, 32 of which share a scale.
  enum class Cache { F32, F16, Q8 };
  Cache cache = Cache::F16;
  /// Whether products round activations to 8 bits, by blocks.
  bool activationsAreInt8 = true;
  /// Whether `decode` returns the logits, too.
  bool hasLogits = false;
};

/// Imports a decoder as a module of states and functions (docs/gguf-import.md). Large weights stay
/// in the buffer, which `owner` keeps alive; they are copied if it is null. Returns null and emits
/// an error if the file is damaged or needs something that ttc does not support.
OwningOpRef<ModuleOp> importGguf(const llvm::MemoryBuffer &buffer,
                                 std::shared_ptr<const void> owner, MLIRContext *context,
                                 const GgufImportOptions &options = {});

/// Adds --context, --sequences, --prefill, --cache, --activations and --logits to the command line,
/// for every translation that starts from GGUF.
void registerGgufImportCLOptions();

/// The options from the command line. Fails, with a message on stderr, if a value is wrong.
FailureOr<GgufImportOptions> getGgufImportOptionsFromCL();

/// Whether the command line has any of these options.
bool hasGgufImportOptions();

/// Adds --import-gguf to a translation tool.
void registerImportGguf();

} // namespace mlir::ttc

#endif // TTC_IMPORT_GGUFIMPORT_H
