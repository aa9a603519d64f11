// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Run/Text.h"

#include "Support/Error.h"

namespace ttrun {

void Text::check(ttrt_status status, const ttrt_error &error) const {
  if (status != TTRT_OK)
    throw UserError(path + ": " + error.message);
}

Text::Text(const std::string &path, std::string_view tokenizer, const std::string *chat)
    : path(path) {
  ttrt_text *opened;
  ttrt_error error;
  check(ttrt_text_open_metadata(tokenizer.data(), tokenizer.size(), chat ? chat->data() : nullptr,
                                chat ? chat->size() : 0, &opened, &error),
        error);
  handle.reset(opened);
  check(ttrt_text_query(opened, &info, &error), error);
}

/// `guess` tokens may not be all.
template <typename Call> std::vector<int32_t> Text::tokensOf(size_t guess, Call call) const {
  std::vector<int32_t> tokens(guess);
  size_t count = 0;
  ttrt_error error;
  ttrt_status status = call(tokens.data(), tokens.size(), &count, &error);
  if (count > tokens.size()) {
    tokens.resize(count);
    status = call(tokens.data(), tokens.size(), &count, &error);
  }
  check(status, error);
  tokens.resize(count);
  if (tokens.empty())
    throw UserError("expected a prompt of at least one token");
  return tokens;
}

std::vector<int32_t> Text::encode(std::string_view text, bool control) const {
  ttrt_text_encoding options = TTRT_TEXT_ENCODING_INIT;
  options.control = control;
  options.no_end = 1; // the text is continued
  return tokensOf(text.size() + 1, [&](auto... result) {
    return ttrt_text_encode(handle.get(), text.data(), text.size(), &options, result...);
  });
}

std::vector<int32_t> Text::chat(const std::string &messages, const ChatNames &names) const {
  ttrt_text_chat_options options = TTRT_TEXT_CHAT_OPTIONS_INIT;
  options.tools = names.tools.empty() ? nullptr : names.tools.c_str();
  options.variables = names.variables.empty() ? nullptr : names.variables.c_str();
  return tokensOf(messages.size(), [&](auto... result) {
    return ttrt_text_chat(handle.get(), messages.c_str(), &options, result...);
  });
}

TextStream::TextStream(const Text *text) : text(text) {
  if (!text)
    return;
  ttrt_text_stream *opened;
  ttrt_error error;
  text->check(ttrt_text_stream_open(text->handle.get(), nullptr, &opened, &error), error);
  handle.reset(opened);
}

std::string TextStream::push(int32_t token) {
  if (!text || static_cast<uint32_t>(token) >= text->info.tokens)
    return "";
  const char *piece;
  size_t size;
  ttrt_error error;
  text->check(ttrt_text_stream_push(handle.get(), token, &piece, &size, &error), error);
  return {piece, size};
}

std::string TextStream::finish() {
  if (!text)
    return "";
  const char *piece;
  size_t size;
  ttrt_error error;
  text->check(ttrt_text_stream_finish(handle.get(), &piece, &size, &error), error);
  return {piece, size};
}

} // namespace ttrun
