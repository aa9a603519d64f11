// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as the tokenizer or the chat template of a bundle: text that comes back, or an error.
// The first byte says which.

#include "Formats/Printing.h"
#include "Support/Error.h"
#include "text/ChatTemplate.h"
#include "text/Error.h"
#include "text/Tokenizer.h"
#include "text/Utf8.h"

#include <cstdlib>

using namespace ttrun;

static void require(bool condition) {
  if (!condition)
    abort();
}

static void testTokenizer(std::string_view json) {
  const Tokenizer tokenizer(json);
  const std::string text = "a <|end|>b\n\n  12 ab\xf0\x9f\x99\x82\xff 'll";
  for (auto control : {Tokenizer::Control::AsText, Tokenizer::Control::Parse}) {
    std::vector<int32_t> tokens;
    tokenizer.encode(text, control, tokens);
    std::string bytes, shown;
    Utf8Stream stream;
    for (int32_t token : tokens) {
      require(token >= 0 && token < tokenizer.size());
      std::string own;
      tokenizer.decode(token, own, /*control=*/true);
      bytes += own;
      shown += stream.push(own);
    }
    shown += stream.finish();
    for (std::string_view rest = shown; !rest.empty(); rest.remove_prefix(utf8Length(rest)))
      require(utf8Length(rest) != 0);
    require(bytes.size() <= text.size()); // what the vocabulary lacks is dropped
  }
  std::vector<int32_t> marked;
  tokenizer.encode(tokenizer.protect(text), Tokenizer::Control::ParseMarked, marked);
}

static void testTemplate(std::string_view source) {
  const ChatTemplate chat(source);
  chat.prompt(
      {{"system", "S"}, {"user", " a\nb "}, {"assistant", "\xe4\xbd\xa0\xff"}, {"user", "c"}},
      "<s>", "</s>");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
  try {
    data[0] % 2 ? testTemplate(text) : testTokenizer(text);
  } catch (const TextError &error) {
    require(error.what()[0] != 0);
  }
  return 0;
}
