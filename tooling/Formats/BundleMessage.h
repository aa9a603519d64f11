// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_BUNDLEMESSAGE_H
#define TTC_TOOLING_FORMATS_BUNDLEMESSAGE_H

#include "ttrt/ttrt.h"

#include <string>

namespace ttrun {

/// The runtime's message about the file at `path`, with the file's name and, where one is known,
/// the remedy: "x.ttcb: bad bundle: ...", "x.onnx: this is an ONNX model; compile it first: ...".
std::string bundleMessage(const std::string &path, ttrt_status status, const std::string &message);

/// What --verify means: "full", "structure" or "none".
ttrt_verify verifyLevel(const std::string &word);

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_BUNDLEMESSAGE_H
