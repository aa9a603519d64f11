// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/ChatTemplate.h"

#include "text/Template/Render.h"

namespace ttrun {

template <typename Run> static auto named(Run run) {
  try {
    return run();
  } catch (const chat::Failure &failure) {
    throw TextError(std::string("the chat template, ") + failure.what());
  }
}

ChatTemplate::ChatTemplate(std::string_view source)
    : body(named([&] { return chat::parse(source); })) {}

std::string ChatTemplate::render(std::map<std::string, chat::Value> names) const {
  return named([&] { return chat::render(body, std::move(names)); });
}

std::string ChatTemplate::prompt(const std::vector<ChatMessage> &messages, const std::string &bos,
                                 const std::string &eos) const {
  std::vector<chat::Value> list;
  for (const ChatMessage &message : messages)
    list.push_back(chat::makeDict({{"role", message.role}, {"content", message.content}}));
  return render({{"messages", chat::Value(std::move(list))},
                 {"add_generation_prompt", true},
                 {"tools", chat::None()},
                 {"documents", chat::None()},
                 {"bos_token", bos},
                 {"eos_token", eos}});
}

} // namespace ttrun
