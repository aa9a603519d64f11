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
#include <vector>

namespace ttrun {

struct ChatMessage {
  std::string role; ///< "system", "user" or "assistant"
  std::string content;
};

class ChatTemplate {
public:
  /// Throws TextError: "the chat template, line 3: expected ..., found ...".
  explicit ChatTemplate(std::string_view source);

  /// The prompt for the next message of the assistant. `bos` and `eos` are the names of these
  /// tokens. Throws TextError.
  std::string prompt(const std::vector<ChatMessage> &messages, const std::string &bos,
                     const std::string &eos) const;
  /// What the template makes of values with these names. Throws TextError.
  std::string render(std::map<std::string, chat::Value> names) const;

private:
  chat::Body body;
};

} // namespace ttrun

#endif // TTRT_TEXT_CHATTEMPLATE_H
