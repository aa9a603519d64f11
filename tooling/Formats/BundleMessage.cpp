// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of opening a bundle, with the remedy where there is one.

#include "Formats/BundleMessage.h"
#include "ttrt/format/bundle_format.h"

#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>

namespace ttrun {

/// Whether the file begins as a bundle does; `header` is then its header.
static bool readHeader(const std::string &path, ttrt::FileHeader &header) {
  std::ifstream file(path, std::ios::binary);
  return file.read(reinterpret_cast<char *>(&header), sizeof(header)) &&
         memcmp(header.magic, ttrt::kFileMagic, sizeof(header.magic)) == 0;
}

std::string bundleMessage(const std::string &path, ttrt_status status, const std::string &message) {
  // Messages of the operating system name the file already.
  if (message.find("'" + path + "'") != std::string::npos)
    return message;
  const std::string named = fmt::format("{}: {}: {}", path, ttrt_status_name(status), message);
  if (status == TTRT_FAILED && message.find(" than the declared ") != std::string::npos)
    return named + "; inputs decide it: --input gives them here, --input-value fixes them in ttc";
  ttrt::FileHeader header;
  if (!readHeader(path, header)) {
    const std::filesystem::path file(path), extension = file.extension();
    if (status != TTRT_BAD_BUNDLE ||
        (extension != ".onnx" && extension != ".gguf" && extension != ".mlir"))
      return named;
    return fmt::format("{0}: this is {1}; compile it first: ttc {0} -o {2}", path,
                       extension == ".onnx"   ? "an ONNX model"
                       : extension == ".gguf" ? "a GGUF model"
                                              : "MLIR",
                       file.filename().replace_extension("ttcb").string());
  }
  if (status != TTRT_UNSUPPORTED || header.version == ttrt::kFormatVersion)
    return named;
  return fmt::format("{}; compile the model again with ttc {}{}", named, ttrt_version(),
                     header.version < ttrt::kFormatVersion ? "" : ", or install the newer ttrun");
}

ttrt_verify verifyLevel(const std::string &word) {
  return word == "full"        ? TTRT_VERIFY_FULL
         : word == "structure" ? TTRT_VERIFY_STRUCTURE
                               : TTRT_VERIFY_NONE;
}

} // namespace ttrun
