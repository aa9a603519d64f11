// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_SUPPORT_FILENAMES_H
#define TTC_TOOLING_SUPPORT_FILENAMES_H

#include <string>
#include <string_view>

namespace ttc {

/// Whether the name ends with `extension`, which has small letters: "MODEL.ONNX" with ".onnx".
bool hasExtension(std::string_view file, std::string_view extension);

/// The folder for temporary files: that of TMPDIR, or /tmp. Throws ttrun::UserError, with the name,
/// if it is none.
std::string temporaryFolder();

} // namespace ttc

#endif // TTC_TOOLING_SUPPORT_FILENAMES_H
