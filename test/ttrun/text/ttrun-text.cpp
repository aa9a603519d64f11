// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: ttrun-text encode TOKENIZER.json   [[hexadecimal bytes, parse names of control tokens],
//                                            ...]
//        ttrun-text decode TOKENIZER.json   [[token, ...], ...]
//        ttrun-text protect TOKENIZER.json  [[text, in front of it, after it], ...]
//        ttrun-text render TEMPLATE.jinja   [{name: value, ...}, ...]
//        ttrun-text split PRE-TOKENIZER     [text, ...]
//
// Reads JSON from standard input and writes an array of as many results: tokens; the pieces of
// text, one for each token and one at the end; the tokens of a message with text of the template
// around it; {"text": ...} or {"error": ...}; the pieces that a pre-tokenizer makes.

#include "support/ApiSupport.h"
#include "text/PreTokenizer.h"
#include "ttrt/text.h"

#include <charconv>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

using Json = nlohmann::ordered_json; // the order of fields is seen in templates

static std::string contentsOf(std::istream &stream) {
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

static std::string bytesOf(const std::string &digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

struct Failed {
  ttrt_error error;
};
static void check(ttrt_status status, const ttrt_error &error) {
  if (status != TTRT_OK)
    throw Failed{error};
}

/// Calls twice: for the size, and for the contents.
template <typename Result, typename Call> static Result resultOf(Call call) {
  Result result;
  ttrt_error error;
  size_t count = 0;
  ttrt_status status = call(nullptr, 0, &count, &error);
  if (count) {
    result.resize(count);
    status = call(result.data(), result.size(), &count, &error);
  }
  check(status, error);
  return result;
}
using Tokens = std::vector<int32_t>;

class Text {
public:
  Text(const std::string &tokenizer, const std::string *chat) {
    ttrt_error error;
    check(ttrt_text_open_metadata(tokenizer.data(), tokenizer.size(), chat ? chat->data() : nullptr,
                                  chat ? chat->size() : 0, &handle, &error),
          error);
  }
  ~Text() { ttrt_text_close(handle); }
  Text(const Text &) = delete;
  Text &operator=(const Text &) = delete;

  Json encode(const Json &input) const {
    const std::string bytes = bytesOf(input.at(0));
    ttrt_text_encoding options = TTRT_TEXT_ENCODING_INIT;
    options.control = input.at(1).get<bool>();
    return resultOf<Tokens>([&](auto... result) {
      return ttrt_text_encode(handle, bytes.data(), bytes.size(), &options, result...);
    });
  }
  Json decode(const Json &tokens) const {
    ttrt_error error;
    ttrt_text_decoding options = TTRT_TEXT_DECODING_INIT;
    options.control = 1;
    ttrt_text_stream *stream;
    check(ttrt_text_stream_open(handle, &options, &stream, &error), error);
    Json pieces = Json::array();
    const char *piece;
    size_t size;
    for (int32_t token : tokens) {
      check(ttrt_text_stream_push(stream, token, &piece, &size, &error), error);
      pieces.push_back(std::string(piece, size));
    }
    check(ttrt_text_stream_finish(stream, &piece, &size, &error), error);
    pieces.push_back(std::string(piece, size));
    ttrt_text_stream_close(stream);
    return pieces;
  }
  Json protect(const Json &input) const {
    const std::string messages = Json::array({input.at(0)}).dump();
    const std::string variables = Json{{"before", input.at(1)}, {"after", input.at(2)}}.dump();
    ttrt_text_chat_options options = TTRT_TEXT_CHAT_OPTIONS_INIT;
    options.variables = variables.c_str();
    return resultOf<Tokens>([&](auto... result) {
      return ttrt_text_chat(handle, messages.c_str(), &options, result...);
    });
  }
  Json render(Json names) const {
    auto take = [&](const char *name) -> std::optional<std::string> {
      const Json value = names.contains(name) ? names[name] : Json();
      names.erase(name);
      return value.is_null() ? std::nullopt : std::optional(value.dump());
    };
    const std::string messages = take("messages").value_or("null");
    const std::optional<std::string> tools = take("tools");
    ttrt_text_chat_options options = TTRT_TEXT_CHAT_OPTIONS_INIT;
    options.no_generation_prompt = take("add_generation_prompt") == "false";
    const std::string variables = names.dump();
    options.tools = tools ? tools->c_str() : nullptr;
    options.variables = variables.c_str();
    try {
      return {{"text", resultOf<std::string>([&](auto... result) {
                 return ttrt_text_chat_text(handle, messages.c_str(), &options, result...);
               })}};
    } catch (const Failed &failed) {
      return {{"error", failed.error.message}};
    }
  }

private:
  ttrt_text *handle;
};

static int split(const std::string &name) try {
  const ttrt::language::PreTokenizer splitter(name);
  Json results = Json::array();
  for (const Json &input : Json::parse(contentsOf(std::cin))) {
    Json pieces = Json::array();
    splitter.split(input.get<std::string>(), [&](std::string_view piece) { pieces += piece; });
    results += pieces;
  }
  std::cout << results << "\n";
  return 0;
} catch (const ttrt::support::Error &error) {
  std::cerr << error.message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: ttrun-text encode|decode|protect|render|split FILE < INPUTS\n";
    return 2;
  }
  const std::string what = argv[1];
  if (what == "split")
    return split(argv[2]);
  std::ifstream file(argv[2], std::ios::binary);
  const std::string contents = contentsOf(file);
  const std::string around = "{{ before }}{{ messages[0] }}{{ after }}";
  const std::string any = R"({"model": "bpe", "pre": "gpt-2", "vocab": ["a"]})";
  try {
    const bool renders = what == "render";
    const Text text(renders ? any : contents, renders ? &contents : &around);
    Json results = Json::array();
    for (const Json &input : Json::parse(contentsOf(std::cin)))
      results.push_back(what == "encode"    ? text.encode(input)
                        : what == "decode"  ? text.decode(input)
                        : what == "protect" ? text.protect(input)
                                            : text.render(input));
    std::cout << results << "\n";
  } catch (const Failed &failed) {
    std::cerr << failed.error.message << "\n";
    return 1;
  }
}
