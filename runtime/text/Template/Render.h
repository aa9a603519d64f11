// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_TEXT_TEMPLATE_RENDER_H
#define TTRT_TEXT_TEMPLATE_RENDER_H

#include "text/Template/Syntax.h"

#include <map>

namespace ttrt::language::chat {

/// The text that a template makes of values with these names. Throws Failure: "line 3: ...".
std::string render(const Body &body, std::map<std::string, Value> names, Budget &budget);

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_RENDER_H
