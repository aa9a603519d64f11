// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of a decoder, as ops on tensors.
#ifndef TTC_LIB_IMPORT_GGUF_GGUFGRAPH_H
#define TTC_LIB_IMPORT_GGUF_GGUFGRAPH_H

#include "GgufModel.h"
#include "ttc/Import/GgufImport.h"

namespace mlir::ttc {

/// Adds the states of the model and its functions `decode` and `prefill_N` to the module. Large
/// weights stay where the model has them, and `owner`, unless it is null, keeps them alive.
LogicalResult buildDecoder(ModuleOp module, const GgufModel &model,
                           const GgufImportOptions &options, std::shared_ptr<const void> owner);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_GGUF_GGUFGRAPH_H
