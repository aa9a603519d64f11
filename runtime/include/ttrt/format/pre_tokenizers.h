// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pre-tokenizers of byte-level vocabularies, by the names that GGUF files give them. The
// compiler asks whether libttrt_text has one. Header only.

#ifndef TTRT_FORMAT_PRE_TOKENIZERS_H
#define TTRT_FORMAT_PRE_TOKENIZERS_H

#include <string_view>

namespace ttrt {

/// Another name of a pre-tokenizer: many vocabularies have the expressions of an earlier one.
struct PreTokenizerName {
  std::string_view name;
  std::string_view meant; ///< as docs/generation.md lists it
};

inline constexpr PreTokenizerName kPreTokenizerNames[] = {
    {"dbrx", "dbrx"},           {"gpt-2", "gpt-2"},
    {"gpt2", "gpt-2"},          {"mpt", "gpt-2"},
    {"olmo", "gpt-2"},          {"phi-2", "gpt-2"},
    {"llama-bpe", "llama-bpe"}, {"falcon3", "llama-bpe"},
    {"llama-v3", "llama-bpe"},  {"llama3", "llama-bpe"},
    {"pixtral", "llama-bpe"},   {"smaug-bpe", "llama-bpe"},
    {"qwen2", "qwen2"},         {"deepseek-r1-qwen", "qwen2"},
    {"megrez", "qwen2"},        {"stablelm2", "qwen2"},
    {"smollm", "smollm"},       {"codeshell", "smollm"},
    {"command-r", "smollm"},    {"exaone", "smollm"},
    {"refact", "smollm"},       {"starcoder", "smollm"},
};

/// The pre-tokenizer of that name; empty if there is none.
constexpr std::string_view findPreTokenizer(std::string_view name) {
  for (const PreTokenizerName &known : kPreTokenizerNames)
    if (known.name == name)
      return known.meant;
  return {};
}

} // namespace ttrt

#endif // TTRT_FORMAT_PRE_TOKENIZERS_H
