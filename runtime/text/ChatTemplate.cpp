// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/ChatTemplate.h"

#include "text/Template/Render.h"

namespace ttrt::language {

template <typename Run> static auto named(Run run) {
  try {
    return run();
  } catch (const chat::Failure &failure) {
    throw chat::Failure(std::string("the chat template, ") + failure.what());
  }
}

ChatTemplate::ChatTemplate(std::string_view source)
    : body(named([&] { return chat::parse(source); })) {}

std::string ChatTemplate::render(std::map<std::string, chat::Value> names) const {
  chat::Budget budget;
  return named([&] { return chat::render(body, std::move(names), budget); });
}

} // namespace ttrt::language
