// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLS_TTC_COMPILE_H
#define TTC_TOOLS_TTC_COMPILE_H

#include <string>
#include <string_view>
#include <vector>

namespace ttc {

/// Whether the name is that of a model which compile() takes: .onnx, .gguf or .mlir.
bool isModel(std::string_view file);

/// `ttc compile`: models to a bundle. Returns the exit status.
int compile(const std::vector<std::string> &arguments);

} // namespace ttc

#endif // TTC_TOOLS_TTC_COMPILE_H
