// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokenizer and the chat template of a bundle, as objects of Python.

#ifndef TTRT_PYTHON_TEXT_H
#define TTRT_PYTHON_TEXT_H

#include "Device.h"

#include "ttrt/text.h"

namespace ttrt::python {

class Text {
public:
  /// Throws. Needs the device no more afterwards.
  explicit Text(const Device &device);
  ~Text() { ttrt_text_close(text_); }
  Text(const Text &) = delete;
  Text &operator=(const Text &) = delete;

  const ttrt_text *handle() const { return text_; }
  /// Number of tokens, bos, eos, tokens that end an answer, whether there is a chat template.
  nb::tuple info() const;
  nb::list encode(nb::str text, bool control, bool bos) const;
  nb::str decode(nb::handle tokens, bool control) const;
  /// The tokens of a prompt, whose messages, tools and variables are JSON; the latter two may be
  /// None.
  nb::list chat(const std::string &messages, nb::handle tools, nb::handle variables,
                bool generationPrompt) const;
  nb::str chatText(const std::string &messages, nb::handle tools, nb::handle variables,
                   bool generationPrompt) const;

private:
  ttrt_text *text_ = nullptr;
};

class TextStream {
public:
  /// Throws.
  TextStream(const Text &text, bool control);
  ~TextStream() { ttrt_text_stream_close(stream_); }
  TextStream(const TextStream &) = delete;
  TextStream &operator=(const TextStream &) = delete;

  nb::str push(nb::handle token);
  nb::str finish();

private:
  ttrt_text_stream *stream_ = nullptr;
};

} // namespace ttrt::python

#endif // TTRT_PYTHON_TEXT_H
