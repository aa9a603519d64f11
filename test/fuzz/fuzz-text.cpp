// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as the tokenizer, the chat template or the messages of a chat: text that comes back, or
// an error. The first byte says which.

#include "ttrt/format/utf8.h"
#include "ttrt/text.h"

#include <cstdlib>
#include <string>
#include <vector>

static void require(bool condition) {
  if (!condition)
    abort();
}

/// Whether the call succeeded; otherwise it must say why.
static bool isGood(ttrt_status status, const ttrt_error &error) {
  require(status == error.status && status != TTRT_INTERNAL);
  require((status == TTRT_OK) == (error.message[0] == 0));
  return status == TTRT_OK;
}

static ttrt_text *open(std::string_view tokenizer, const std::string_view *chat) {
  ttrt_error error;
  ttrt_text *text;
  const bool good = isGood(ttrt_text_open_metadata(tokenizer.data(), tokenizer.size(),
                                                   chat ? chat->data() : nullptr,
                                                   chat ? chat->size() : 0, &text, &error),
                           error);
  require(good == (text != nullptr));
  return text;
}

static void testText(ttrt_text *opened, int control) {
  const std::string text = "a <|end|>b\n\n  12 ab\xf0\x9f\x99\x82\xff 'll";
  ttrt_error error;
  ttrt_text_info info = TTRT_TEXT_INFO_INIT;
  require(isGood(ttrt_text_query(opened, &info, &error), error));
  ttrt_text_encoding encoding = TTRT_TEXT_ENCODING_INIT;
  encoding.control = control;
  encoding.no_bos = 1; // a chat has it
  // Replacements of a vocabulary can make many characters of one.
  std::vector<int32_t> tokens(1000);
  size_t count = 0;
  ttrt_status status = ttrt_text_encode(opened, text.data(), text.size(), &encoding, tokens.data(),
                                        tokens.size(), &count, &error);
  if (count > tokens.size()) {
    tokens.resize(count);
    status = ttrt_text_encode(opened, text.data(), text.size(), &encoding, tokens.data(),
                              tokens.size(), &count, &error);
  }
  if (!isGood(status, error)) {
    require(status == TTRT_BAD_BUNDLE); // the replacements are too long
    return;
  }
  ttrt_text_decoding decoding = TTRT_TEXT_DECODING_INIT;
  decoding.control = 1;
  std::string shown;
  const char *piece;
  size_t size;
  ttrt_text_stream *stream;
  require(isGood(ttrt_text_stream_open(opened, &decoding, &stream, &error), error));
  for (size_t i = 0; i < count; ++i) {
    require(tokens[i] >= 0 && static_cast<uint32_t>(tokens[i]) < info.tokens);
    require(isGood(ttrt_text_stream_push(stream, tokens[i], &piece, &size, &error), error));
    shown.append(piece, size);
  }
  require(isGood(ttrt_text_stream_finish(stream, &piece, &size, &error), error));
  shown.append(piece, size);
  ttrt_text_stream_close(stream);
  for (std::string_view rest = shown; !rest.empty(); rest.remove_prefix(ttrt::utf8Length(rest)))
    require(ttrt::utf8Length(rest) != 0);
  size_t most = 0; // names of tokens may be longer than what they stand for
  isGood(ttrt_text_decode(opened, tokens.data(), count, &decoding, nullptr, 0, &most, &error),
         error);
  std::string bytes(most, '\0');
  require(isGood(ttrt_text_decode(opened, tokens.data(), count, &decoding, bytes.data(),
                                  bytes.size(), &size, &error),
                 error));
}

static void testChat(const ttrt_text *opened, const char *messages) {
  std::vector<int32_t> tokens(1000);
  ttrt_text_chat_options options = TTRT_TEXT_CHAT_OPTIONS_INIT;
  options.tools = messages;
  size_t count = 0;
  ttrt_error error;
  for (const ttrt_text_chat_options *given : {static_cast<const ttrt_text_chat_options *>(&options),
                                              static_cast<const ttrt_text_chat_options *>(nullptr)})
    isGood(ttrt_text_chat(opened, messages, given, tokens.data(), tokens.size(), &count, &error),
           error);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  const std::string_view any = R"({"model": "bpe", "pre": "gpt-2", "vocab": ["a", "<|end|>"],
      "types": [1, 3], "bos": 1, "eos": 1})";
  std::string_view chat = "{{ bos_token }}{{ messages | tojson }}{{ tools }}{{ messages[0] }}";
  const char *messages = R"([{"role": "system", "content": "S"}, {"role": "user",
      "content": " a\nb "}, {"role": "assistant", "content": "\u4f60<|end|>"}, {"role": "user",
      "content": "c"}])";
  const std::string_view own = text;
  if (data[0] % 2)
    chat = own;
  else if (data[0] % 4 == 2)
    messages = text.c_str();
  ttrt_text *opened = open(data[0] % 4 ? any : own, &chat);
  if (!opened)
    return 0;
  testText(opened, 0);
  testText(opened, 1);
  testChat(opened, messages);
  ttrt_text_close(opened);
  return 0;
}
