// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Text.h"

#include <optional>

namespace ttrt::python {

/// Calls `call(buffer, capacity, count, error)` without the GIL, again if the result is larger than
/// `guess`.
template <typename Result, typename Call> static Result resultOf(size_t guess, Call call) {
  Result result;
  size_t count = 0;
  ttrt_error error;
  ttrt_status status;
  requireInterpreter();
  {
    const Unlocked unlocked;
    result.resize(guess);
    status = call(result.data(), result.size(), &count, &error);
    if (count > result.size()) {
      result.resize(count);
      status = call(result.data(), result.size(), &count, &error);
    }
    result.resize(count);
  }
  check(status, error);
  return result;
}

static nb::list toList(const std::vector<int32_t> &tokens) {
  nb::list list;
  for (int32_t token : tokens)
    list.append(token);
  return list;
}

/// Text of the library: bytes that are no UTF-8 become U+FFFD.
static nb::str toStr(std::string_view bytes) {
  PyObject *text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (!text)
    throw nb::python_error();
  return nb::steal<nb::str>(text);
}

/// Throws TypeError for what is no integer.
static int32_t toToken(nb::handle value) {
  const long token = PyLong_AsLong(value.ptr());
  if (token == -1 && PyErr_Occurred())
    throw nb::python_error();
  if (token != static_cast<int32_t>(token))
    raise(TTRT_INVALID_ARGUMENT, "expected the number of a token, found " + std::to_string(token));
  return static_cast<int32_t>(token);
}

Text::Text(const Device &device) {
  device.requireOpen();
  ttrt_error error;
  check(ttrt_text_open(device.bundle(), &text_, &error), error);
}

nb::tuple Text::info() const {
  ttrt_text_info info = TTRT_TEXT_INFO_INIT;
  ttrt_error error;
  check(ttrt_text_query(text_, &info, &error), error);
  return nb::make_tuple(info.tokens, info.bos, info.eos,
                        toList({info.stop, info.stop + info.stop_count}),
                        info.has_chat_template != 0);
}

nb::list Text::encode(nb::str text, bool control, bool bos) const {
  const std::string bytes = bytesOf(text);
  ttrt_text_encoding options = TTRT_TEXT_ENCODING_INIT;
  options.control = control;
  options.no_bos = !bos;
  return toList(resultOf<std::vector<int32_t>>(bytes.size() + 1, [&](auto... result) {
    return ttrt_text_encode(text_, bytes.data(), bytes.size(), &options, result...);
  }));
}

nb::str Text::decode(nb::handle tokens, bool control) const {
  std::vector<int32_t> numbers;
  for (nb::handle token : tokens)
    numbers.push_back(toToken(token));
  ttrt_text_decoding options = TTRT_TEXT_DECODING_INIT;
  options.control = control;
  return toStr(resultOf<std::string>(8 * numbers.size(), [&](auto... result) {
    return ttrt_text_decode(text_, numbers.data(), numbers.size(), &options, result...);
  }));
}

/// Calls `function` with the options of a chat.
template <typename Result, typename Function>
static Result chatWith(Function function, const ttrt_text *text, const std::string &messages,
                       nb::handle tools, nb::handle variables, bool generationPrompt) {
  auto jsonOf = [](nb::handle json) {
    return json.is_none() ? std::nullopt : std::optional(nb::cast<std::string>(json));
  };
  const std::optional<std::string> toolsJson = jsonOf(tools), variablesJson = jsonOf(variables);
  ttrt_text_chat_options options = TTRT_TEXT_CHAT_OPTIONS_INIT;
  options.no_generation_prompt = !generationPrompt;
  options.tools = toolsJson ? toolsJson->c_str() : nullptr;
  options.variables = variablesJson ? variablesJson->c_str() : nullptr;
  return resultOf<Result>(messages.size() + 1024, [&](auto... result) {
    return function(text, messages.c_str(), &options, result...);
  });
}

nb::list Text::chat(const std::string &messages, nb::handle tools, nb::handle variables,
                    bool generationPrompt) const {
  return toList(chatWith<std::vector<int32_t>>(ttrt_text_chat, text_, messages, tools, variables,
                                               generationPrompt));
}

nb::str Text::chatText(const std::string &messages, nb::handle tools, nb::handle variables,
                       bool generationPrompt) const {
  return toStr(chatWith<std::string>(ttrt_text_chat_text, text_, messages, tools, variables,
                                     generationPrompt));
}

TextStream::TextStream(const Text &text, bool control) {
  ttrt_text_decoding options = TTRT_TEXT_DECODING_INIT;
  options.control = control;
  ttrt_error error;
  check(ttrt_text_stream_open(text.handle(), &options, &stream_, &error), error);
}

// Both keep the GIL, so threads take turns.

nb::str TextStream::push(nb::handle token) {
  const char *piece;
  size_t size;
  ttrt_error error;
  check(ttrt_text_stream_push(stream_, toToken(token), &piece, &size, &error), error);
  return toStr({piece, size});
}

nb::str TextStream::finish() {
  const char *piece;
  size_t size;
  ttrt_error error;
  check(ttrt_text_stream_finish(stream_, &piece, &size, &error), error);
  return toStr({piece, size});
}

} // namespace ttrt::python
