// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pre-tokenizers of vocabularies with merges, by the names that GGUF files give them. The
// compiler asks whether libttrt_text has one. Header only.

#ifndef TTRT_FORMAT_PRE_TOKENIZERS_H
#define TTRT_FORMAT_PRE_TOKENIZERS_H

#include <string_view>

namespace ttrt {

/// A name that GGUF files give; many vocabularies have the expressions of an earlier one.
struct PreTokenizerName {
  std::string_view name;
  std::string_view meant;     ///< as docs/generation.md lists it
  bool ignoresMerges = false; ///< a piece that is a token is that token, whatever merges give
  bool addsBos = false;       ///< texts begin with `bos` unless the file says otherwise
};

inline constexpr PreTokenizerName kPreTokenizerNames[] = {
    {"afmoe", "afmoe"},
    {"bailingmoe", "bailingmoe"},
    {"bailingmoe2", "bailingmoe"},
    {"llada-moe", "bailingmoe"},
    {"bloom", "bloom"},
    {"gpt3-finnish", "bloom"},
    {"poro-chat", "bloom"},
    {"chameleon", "chameleon", false, true},
    {"deepseek-coder", "deepseek-coder"},
    {"deepseek-llm", "deepseek-llm"},
    {"deepseek-v3", "deepseek-v3"},
    {"hunyuan-dense", "deepseek-v3"},
    {"hy_v4", "deepseek-v3"},
    {"joyai-llm", "deepseek-v3"},
    {"default", "default"},
    {"exaone-moe", "exaone-moe"},
    {"falcon", "falcon"},
    {"gemma4", "gemma4", false, true},
    {"granite-embed-multi-311m", "gemma4", false, true},
    {"sarvam-moe", "sarvam-moe"},
    {"gpt-2", "gpt-2"},
    {"a.x-4.0", "gpt-2"},
    {"exaone4", "gpt-2"},
    {"gigachat", "gpt-2"},
    {"gpt2", "gpt-2"},
    {"granite-docling", "gpt-2"},
    {"jais", "gpt-2"},
    {"jina-de", "gpt-2"},
    {"jina-es", "gpt-2"},
    {"jina-v1-en", "gpt-2"},
    {"jina-v2-code", "gpt-2"},
    {"jina-v2-de", "gpt-2"},
    {"jina-v2-es", "gpt-2"},
    {"mellum", "gpt-2"},
    {"modern-bert", "gpt-2"},
    {"mpt", "gpt-2"},
    {"olmo", "gpt-2"},
    {"phi-2", "gpt-2"},
    {"roberta-bpe", "gpt-2"},
    {"trillion", "gpt-2"},
    {"gpt-4o", "gpt-4o"},
    {"granite-embed-multi-97m", "gpt-4o", true},
    {"kanana2", "gpt-4o"},
    {"llama4", "gpt-4o"},
    {"minimax-m2", "gpt-4o"},
    {"talkie", "gpt-4o"},
    {"jais-2", "jais-2"},
    {"kimi-k2", "kimi-k2"},
    {"laguna", "laguna"},
    {"llama-bpe", "llama-bpe", true, true},
    {"chatglm-bpe", "llama-bpe"},
    {"dbrx", "llama-bpe"},
    {"falcon-h1", "llama-bpe", true, true},
    {"falcon3", "llama-bpe", true, true},
    {"glm4", "llama-bpe", true},
    {"glm5", "llama-bpe", true},
    {"jina-v5-nano", "llama-bpe", true, true},
    {"lfm2", "llama-bpe", true, true},
    {"llama-v3", "llama-bpe", true, true},
    {"llama3", "llama-bpe", true, true},
    {"midm-2.0", "llama-bpe", true, true},
    {"pixtral", "llama-bpe", true, true},
    {"smaug-bpe", "llama-bpe"},
    {"minicpm5", "minicpm5", true},
    {"qwen2", "qwen2"},
    {"deepseek-r1-qwen", "qwen2"},
    {"f2llmv2", "qwen2"},
    {"grok-2", "qwen2"},
    {"hunyuan", "qwen2"},
    {"kormo", "qwen2"},
    {"megrez", "qwen2"},
    {"solar-open", "qwen2"},
    {"stablelm2", "qwen2"},
    {"qwen35", "qwen35"},
    {"seed-coder", "seed-coder"},
    {"smollm", "smollm"},
    {"codeshell", "smollm"},
    {"command-r", "smollm"},
    {"exaone", "smollm"},
    {"mellum2", "smollm"},
    {"minerva-7b", "smollm"},
    {"refact", "smollm"},
    {"starcoder", "smollm"},
    {"spark2_5", "spark2_5"},
    {"superbpe", "superbpe"},
    {"tekken", "tekken", true, true},
    {"tiny_aya", "tiny_aya"},
    {"cohere2moe", "tiny_aya"},
    {"ufakzeka", "ufakzeka"},
    {"viking", "viking"},
    {"youtu", "youtu", true},
};

/// The pre-tokenizer of that name; null if there is none.
constexpr const PreTokenizerName *findPreTokenizer(std::string_view name) {
  for (const PreTokenizerName &known : kPreTokenizerNames)
    if (known.name == name)
      return &known;
  return nullptr;
}

/// Whether such a vocabulary writes its tokens as characters, with U+2581 for a space and tokens
/// such as <0x0A> for the bytes of what it lacks, and not as letters that stand for bytes.
constexpr bool hasPlainTokens(const PreTokenizerName &name) {
  return name.meant == "gemma4" || name.meant == "sarvam-moe";
}

} // namespace ttrt

#endif // TTRT_FORMAT_PRE_TOKENIZERS_H
