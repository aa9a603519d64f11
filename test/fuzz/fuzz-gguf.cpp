// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a GGUF file.

#include "Import.h"
#include "ttc/Import/GgufImport.h"

using namespace mlir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzzImport(data, size, "fuzz.gguf",
                    [](const llvm::MemoryBuffer &buffer, MLIRContext *context) {
                      ttc::GgufImportOptions options;
                      options.context = 32;
                      options.prefill = {4};
                      return ttc::importGguf(buffer, /*owner=*/nullptr, context, options);
                    });
}
