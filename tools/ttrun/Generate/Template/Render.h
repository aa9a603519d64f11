// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLS_TTRUN_GENERATE_TEMPLATE_RENDER_H
#define TTC_TOOLS_TTRUN_GENERATE_TEMPLATE_RENDER_H

#include "Syntax.h"

#include <map>

namespace ttrun::chat {

/// The text that a template makes of values with these names. Throws Failure: "line 3: ...".
std::string render(const Body &body, std::map<std::string, Value> names);

} // namespace ttrun::chat

#endif // TTC_TOOLS_TTRUN_GENERATE_TEMPLATE_RENDER_H
