// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a bundle carries of a GGUF file beside its tensors (docs/bundle-format.md).
#ifndef TTC_LIB_IMPORT_GGUF_GGUFTOKENIZER_H
#define TTC_LIB_IMPORT_GGUF_GGUFTOKENIZER_H

#include "GgufFile.h"

namespace mlir::ttc {

/// The tokenizer as one JSON object; nothing if the file has none, or one of another kind than
/// those that libttrt_text has. `problem` says what was expected and found then, and where the file
/// leaves open what its tokenizer is.
llvm::Expected<std::optional<std::string>> readTokenizer(const GgufFile &file, int64_t vocabulary,
                                                         std::string &problem);

} // namespace mlir::ttc

#endif // TTC_LIB_IMPORT_GGUF_GGUFTOKENIZER_H
