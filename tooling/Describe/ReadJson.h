// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_DESCRIBE_READJSON_H
#define TTC_TOOLING_DESCRIBE_READJSON_H

#include "Bundle/Bundle.h"

#include <string>

namespace ttrun {

/// The sections of a bundle, as selected on the command line.
struct Sections {
  bool entries = false, target = false, programs = false, traces = false, memory = false,
       buffers = false, schedules = false, sizes = false, metadata = false, mesh = false;
  bool any() const {
    return entries || target || programs || traces || memory || buffers || schedules || sizes ||
           metadata || mesh;
  }
  static Sections everything() {
    return {true, true, true, true, true, true, true, true, true, true};
  }
};

/// One JSON object with decoded streams, documented in docs/ttrun-json.md.
std::string bundleJson(const ttrt::Bundle &bundle, const Sections &sections);

} // namespace ttrun

#endif // TTC_TOOLING_DESCRIBE_READJSON_H
