// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API of ttrt/text.h.

#include "ttrt/text.h"

#include "support/ApiSupport.h"
#include "text/ChatTemplate.h"
#include "text/Json.h"
#include "text/Tokenizer.h"
#include "text/Utf8.h"

#include <algorithm>
#include <charconv>
#include <memory>

using namespace ttrt::language;
using namespace ttrt::support;

namespace {
constexpr size_t kMostText = size_t(64) << 20;
constexpr size_t kMostTemplate = size_t(1) << 20;
constexpr size_t kMostMessages = size_t(16) << 20;

/// Turns a Failure into an error of this status.
template <typename Run> auto as(ttrt_status status, Run run) -> decltype(run()) {
  try {
    return run();
  } catch (const chat::Failure &failure) {
    throw Error{status, failure.what()};
  }
}

struct Model {
  /// `rows`: how many tokens the model can choose; 0 if that is not known.
  Model(std::string_view json, const std::string_view *source, uint64_t rows)
      : tokenizer(as(TTRT_BAD_BUNDLE, [&] { return Tokenizer(json); })),
        lastToken(static_cast<int32_t>(
            std::clamp<uint64_t>(rows, static_cast<uint64_t>(tokenizer.size()), INT32_MAX) - 1)),
        hasChat(source) {
    if (!source)
      return;
    try {
      if (source->size() > kMostTemplate)
        throw chat::Failure("the chat template, line 1: expected at most 1 MiB");
      chat.emplace(*source);
    } catch (const chat::Failure &failure) {
      chatError = failure.what();
    }
  }

  std::string nameOf(std::optional<int32_t> token) const {
    std::string name;
    if (token)
      decode(*token, name, /*control=*/true);
    return name;
  }
  void requireToken(int32_t token) const {
    if (token < 0 || token > lastToken)
      fail(TTRT_INVALID_ARGUMENT, "expected a token from 0 to %d, found %d", lastToken, token);
  }
  /// Appends the bytes of a token. Those that pad the model's vocabulary have none.
  void decode(int32_t token, std::string &bytes, bool control) const {
    if (token < tokenizer.size())
      tokenizer.decode(token, bytes, control);
  }
  /// The tokens of a text, with the one at the beginning, if the vocabulary adds it.
  std::vector<int32_t> encode(std::string_view text, Tokenizer::Control control, bool bos,
                              bool end) const {
    if (text.size() > kMostText)
      fail(TTRT_INVALID_ARGUMENT, "expected a text of at most %zu bytes, found %zu", kMostText,
           text.size());
    std::vector<int32_t> tokens;
    as(TTRT_BAD_BUNDLE, [&] { tokenizer.encode(text, control, tokens); });
    if (bos && tokenizer.addsBos() && (tokens.empty() || tokens[0] != *tokenizer.bos()))
      tokens.insert(tokens.begin(), *tokenizer.bos());
    if (end && tokenizer.end())
      tokens.push_back(*tokenizer.end());
    return tokens;
  }
  /// A value whose strings cannot name control tokens.
  chat::Value protect(const chat::Value &value) const;
  std::string prompt(const char *messages, const ttrt_text_chat_options &options) const;

  const Tokenizer tokenizer;
  const int32_t lastToken;
  const bool hasChat;
  std::optional<ChatTemplate> chat;
  std::string chatError;
};
} // namespace

struct ttrt_text {
  std::shared_ptr<const Model> model;
};

struct ttrt_text_stream {
  std::shared_ptr<const Model> model;
  bool control;
  std::string bytes; ///< of the last token
  Utf8Stream utf8;
};

chat::Value Model::protect(const chat::Value &value) const {
  if (const auto *text = value.as<std::string>())
    return tokenizer.protect(*text);
  if (value.is<chat::List>()) {
    std::vector<chat::Value> items;
    for (const chat::Value &item : value.items())
      items.push_back(protect(item));
    return items;
  }
  if (const auto *dict = value.as<chat::Dict>()) {
    chat::Fields fields;
    for (const auto &[name, field] : (*dict)->fields)
      fields.emplace_back(tokenizer.protect(name), protect(field));
    return chat::makeDict(std::move(fields));
  }
  return value;
}

/// What the template writes, with marks where strings of messages name control tokens.
std::string Model::prompt(const char *messages, const ttrt_text_chat_options &options) const {
  if (!hasChat)
    fail(TTRT_NOT_FOUND, "there is no chat template");
  if (!chat)
    throw Error{TTRT_BAD_BUNDLE, chatError};
  require(messages, "messages is NULL");
  std::map<std::string, chat::Value> names = {{"tools", chat::None()},
                                              {"documents", chat::None()},
                                              {"bos_token", nameOf(tokenizer.bos())},
                                              {"eos_token", nameOf(tokenizer.eos())}};
  as(TTRT_INVALID_ARGUMENT, [&] {
    if (options.variables) {
      const chat::Value given = parseJson(options.variables, "variables", kMostMessages);
      const auto *fields = given.as<chat::Dict>();
      if (!fields)
        fail(TTRT_INVALID_ARGUMENT, "variables: expected an object, found %s",
             given.kind().c_str());
      for (const auto &[name, value] : (*fields)->fields) {
        if (name == "messages" || name == "tools" || name == "add_generation_prompt")
          fail(TTRT_INVALID_ARGUMENT, "variables: expected no '%s', which is an argument",
               name.c_str());
        names[name] = value;
      }
    }
    const chat::Value said = parseJson(messages, "messages", kMostMessages);
    if (!said.is<chat::List>())
      fail(TTRT_INVALID_ARGUMENT, "messages: expected a list, found %s", said.kind().c_str());
    names["messages"] = protect(said);
    if (options.tools)
      names["tools"] = protect(parseJson(options.tools, "tools", kMostMessages));
  });
  names["add_generation_prompt"] = options.no_generation_prompt == 0;
  return as(TTRT_FAILED, [&] { return chat->render(std::move(names)); });
}

/// Writes a result to the caller's buffer, if it has room for all of it.
template <typename Result, typename Element>
static void writeTo(Element *buffer, size_t capacity, size_t *count, const Result &result) {
  *count = result.size();
  if (result.size() > capacity)
    fail(TTRT_INVALID_ARGUMENT, "expected room for %zu elements, found %zu", result.size(),
         capacity);
  if (!result.empty())
    memcpy(buffer, result.data(), result.size() * sizeof(Element));
}

static void openText(std::string_view tokenizer, const std::string_view *chat, uint64_t rows,
                     ttrt_text **text) {
  *text = new ttrt_text{std::make_shared<const Model>(tokenizer, chat, rows)};
}

/// The metadata of a key. Throws Error, if the bundle must have it.
static std::optional<std::string_view> metadataOf(const ttrt_bundle *bundle, const char *key,
                                                  bool required) {
  const void *value;
  uint64_t bytes;
  ttrt_error error;
  const ttrt_status status = ttrt_bundle_metadata(bundle, key, &value, &bytes, &error);
  if (status == TTRT_NOT_FOUND && !required)
    return std::nullopt;
  if (status != TTRT_OK)
    throw Error{status, error.message};
  return std::string_view(static_cast<const char *>(value), bytes);
}

extern "C" {

ttrt_status ttrt_text_open(const ttrt_bundle *bundle, ttrt_text **text, ttrt_error *error) {
  if (text)
    *text = nullptr;
  return guarded(error, [&] {
    require(bundle && text, "bundle or text is NULL");
    const std::string_view tokenizer = *metadataOf(bundle, "tokenizer", /*required=*/true);
    const auto chat = metadataOf(bundle, "chat_template", /*required=*/false);
    const auto vocabulary = metadataOf(bundle, "vocabulary", /*required=*/false);
    uint64_t rows = 0;
    if (vocabulary) {
      const char *end = vocabulary->data() + vocabulary->size();
      const auto [read, status] = std::from_chars(vocabulary->data(), end, rows);
      if (status != std::errc() || read != end)
        fail(TTRT_BAD_BUNDLE, "expected a number as the metadata 'vocabulary'");
    }
    openText(tokenizer, chat ? &*chat : nullptr, rows, text);
  });
}

ttrt_status ttrt_text_open_metadata(const void *tokenizer, size_t tokenizer_bytes,
                                    const void *chat_template, size_t template_bytes,
                                    ttrt_text **text, ttrt_error *error) {
  if (text)
    *text = nullptr;
  return guarded(error, [&] {
    require(tokenizer && text, "tokenizer or text is NULL");
    const std::string_view chat(static_cast<const char *>(chat_template),
                                chat_template ? template_bytes : 0);
    openText({static_cast<const char *>(tokenizer), tokenizer_bytes},
             chat_template ? &chat : nullptr, /*rows=*/0, text);
  });
}

void ttrt_text_close(ttrt_text *text) { delete text; }

ttrt_status ttrt_text_query(const ttrt_text *text, ttrt_text_info *info, ttrt_error *error) {
  return guarded(error, [&] {
    require(text && info, "text or info is NULL");
    const Tokenizer &tokenizer = text->model->tokenizer;
    ttrt_text_info result = TTRT_TEXT_INFO_INIT;
    result.tokens = static_cast<uint32_t>(tokenizer.size());
    result.bos = tokenizer.bos().value_or(-1);
    result.eos = tokenizer.eos().value_or(-1);
    result.adds_bos = tokenizer.addsBos();
    result.has_chat_template = text->model->hasChat;
    result.stop = tokenizer.stops().data();
    result.stop_count = tokenizer.stops().size();
    writeResult(info, result, "ttrt_text_info");
  });
}

ttrt_status ttrt_text_encode(const ttrt_text *text, const char *bytes, size_t size,
                             const ttrt_text_encoding *options, int32_t *tokens, size_t capacity,
                             size_t *count, ttrt_error *error) {
  return guarded(error, [&] {
    require(text && (bytes || !size) && (tokens || !capacity) && count,
            "text, bytes, tokens or count is NULL");
    const ttrt_text_encoding how = readOptions(options, "ttrt_text_encoding");
    writeTo(tokens, capacity, count,
            text->model->encode(
                {bytes, size}, how.control ? Tokenizer::Control::Parse : Tokenizer::Control::AsText,
                !how.no_bos, !how.no_end));
  });
}

ttrt_status ttrt_text_decode(const ttrt_text *text, const int32_t *tokens, size_t token_count,
                             const ttrt_text_decoding *options, char *bytes, size_t capacity,
                             size_t *count, ttrt_error *error) {
  return guarded(error, [&] {
    require(text && (tokens || !token_count) && (bytes || !capacity) && count,
            "text, tokens, bytes or count is NULL");
    const bool control = readOptions(options, "ttrt_text_decoding").control != 0;
    std::string result;
    for (size_t i = 0; i < token_count; ++i) {
      text->model->requireToken(tokens[i]);
      text->model->decode(tokens[i], result, control);
    }
    writeTo(bytes, capacity, count, result);
  });
}

ttrt_status ttrt_text_stream_open(const ttrt_text *text, const ttrt_text_decoding *options,
                                  ttrt_text_stream **stream, ttrt_error *error) {
  if (stream)
    *stream = nullptr;
  return guarded(error, [&] {
    require(text && stream, "text or stream is NULL");
    const bool control = readOptions(options, "ttrt_text_decoding").control != 0;
    const size_t longest = text->model->tokenizer.longest();
    auto opened = std::make_unique<ttrt_text_stream>(text->model, control, std::string(),
                                                     Utf8Stream(longest));
    opened->bytes.reserve(longest);
    *stream = opened.release();
  });
}

ttrt_status ttrt_text_stream_push(ttrt_text_stream *stream, int32_t token, const char **piece,
                                  size_t *size, ttrt_error *error) {
  return guarded(error, [&] {
    require(stream && piece && size, "stream, piece or size is NULL");
    stream->model->requireToken(token);
    stream->bytes.clear();
    stream->model->decode(token, stream->bytes, stream->control);
    const std::string_view text = stream->utf8.push(stream->bytes);
    *piece = text.data();
    *size = text.size();
  });
}

ttrt_status ttrt_text_stream_finish(ttrt_text_stream *stream, const char **piece, size_t *size,
                                    ttrt_error *error) {
  return guarded(error, [&] {
    require(stream && piece && size, "stream, piece or size is NULL");
    const std::string_view text = stream->utf8.finish();
    *piece = text.data();
    *size = text.size();
  });
}

void ttrt_text_stream_close(ttrt_text_stream *stream) { delete stream; }

ttrt_status ttrt_text_chat(const ttrt_text *text, const char *messages,
                           const ttrt_text_chat_options *options, int32_t *tokens, size_t capacity,
                           size_t *count, ttrt_error *error) {
  return guarded(error, [&] {
    require(text && (tokens || !capacity) && count, "text, tokens or count is NULL");
    const Model &model = *text->model;
    const std::string prompt =
        model.prompt(messages, readOptions(options, "ttrt_text_chat_options"));
    writeTo(tokens, capacity, count,
            model.encode(prompt, Tokenizer::Control::ParseMarked, /*bos=*/true, /*end=*/false));
  });
}

ttrt_status ttrt_text_chat_text(const ttrt_text *text, const char *messages,
                                const ttrt_text_chat_options *options, char *bytes, size_t capacity,
                                size_t *count, ttrt_error *error) {
  return guarded(error, [&] {
    require(text && (bytes || !capacity) && count, "text, bytes or count is NULL");
    const std::string prompt =
        text->model->prompt(messages, readOptions(options, "ttrt_text_chat_options"));
    writeTo(bytes, capacity, count, Tokenizer::unmarked(prompt));
  });
}

} // extern "C"
