// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLS_TTRUN_READJSON_H
#define TTC_TOOLS_TTRUN_READJSON_H

#include "Bundle.h"

#include <string>

namespace ttrun {

/// The whole bundle, streams decoded, as one JSON object.
std::string bundleJson(const ttrt::Bundle &bundle);
/// What a step refers to, in words.
std::string stepText(const ttrt::Bundle &bundle, const ttrt::fb::EntryPoint &entry,
                     const ttrt::fb::Step &step);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_READJSON_H
