// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_TEXT_JSON_H
#define TTRT_TEXT_JSON_H

#include "text/Template/Value.h"

namespace ttrt::language {

/// The value that JSON describes, with the fields of objects in their order. `what` names it in
/// messages. Throws Failure, also if it has more than `most` bytes, more than 64 levels, or an
/// object of more than 1000 fields.
chat::Value parseJson(std::string_view json, std::string_view what, size_t most);

} // namespace ttrt::language

#endif // TTRT_TEXT_JSON_H
