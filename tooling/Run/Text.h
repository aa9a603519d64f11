// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_RUN_TEXT_H
#define TTC_TOOLING_RUN_TEXT_H

#include "ttrt/text.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ttrun {

/// The tokenizer and the chat template of a bundle.
class Text {
public:
  /// From its metadata; `chat` may be null. Throws UserError, as all functions here.
  Text(const std::string &path, std::string_view tokenizer, const std::string *chat);

  /// At least one token.
  std::vector<int32_t> encode(std::string_view text, bool control) const;
  /// What a chat template sees beside messages, in JSON; what is empty is not given.
  struct ChatNames {
    std::string tools, variables;
  };
  /// The prompt of messages, an array of JSON.
  std::vector<int32_t> chat(const std::string &messages, const ChatNames &names) const;
  /// Tokens that end a text.
  std::vector<int32_t> stops() const { return {info.stop, info.stop + info.stop_count}; }

private:
  friend class TextStream;
  void check(ttrt_status status, const ttrt_error &error) const;
  template <typename Call> std::vector<int32_t> tokensOf(size_t guess, Call call) const;

  std::string path;
  std::unique_ptr<ttrt_text, void (*)(ttrt_text *)> handle{nullptr, ttrt_text_close};
  ttrt_text_info info = TTRT_TEXT_INFO_INIT;
};

/// Whole characters of tokens.
class TextStream {
public:
  /// `text` may be null: then tokens give nothing. Throws UserError, as all functions here.
  explicit TextStream(const Text *text);
  /// The characters that are complete with the token; one that the vocabulary lacks gives none.
  std::string push(int32_t token);
  std::string finish();

private:
  const Text *text;
  std::unique_ptr<ttrt_text_stream, void (*)(ttrt_text_stream *)> handle{nullptr,
                                                                         ttrt_text_stream_close};
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_TEXT_H
