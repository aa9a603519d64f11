// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chat templates: programs in a part of Jinja that make a prompt of messages. docs/generation.md
// lists what they may use.

#ifndef TTRT_TEXT_CHATTEMPLATE_H
#define TTRT_TEXT_CHATTEMPLATE_H

#include "text/Template/Syntax.h"

#include <map>
#include <string>
#include <string_view>

namespace ttrt::language {

class ChatTemplate {
public:
  /// Throws Failure: "the chat template, line 3: expected ..., found ...".
  explicit ChatTemplate(std::string_view source);

  /// What the template makes of values with these names. Throws Failure.
  std::string render(std::map<std::string, chat::Value> names) const;

private:
  chat::Body body;
};

} // namespace ttrt::language

#endif // TTRT_TEXT_CHATTEMPLATE_H
