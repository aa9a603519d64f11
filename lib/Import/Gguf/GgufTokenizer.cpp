// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GgufTokenizer.h"

#include "ttrt/format/pre_tokenizers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace mlir;
using namespace mlir::ttc;

/// Tokens that end a text, whatever the file says about them; chat models end with one of these.
static constexpr StringLiteral kStops[] = {
    "<|endoftext|>", "<|im_end|>", "<|end|>",       "<|end_of_text|>",
    "<|eot_id|>",    "<|eom_id|>", "<end_of_turn>", "<|return|>",
};

/// Splitters whose models begin each text with `bos` unless their file says otherwise.
static constexpr StringLiteral kBeginning[] = {"llama3", "llama-v3", "llama-bpe", "falcon3"};

/// In JSON, text is UTF-8; byte-level encoded tokens are.
static llvm::Error checkText(ArrayRef<StringRef> texts, StringRef what) {
  for (auto [i, text] : llvm::enumerate(texts))
    if (size_t at; !llvm::json::isUTF8(text, &at))
      return makeGgufError("expected " + what + " in UTF-8, found other bytes in number " +
                           Twine(i));
  return llvm::Error::success();
}

/// The order in which SentencePiece prefers tokens: 0 for those of the highest score. `problem`
/// says what such a vocabulary lacks.
static llvm::Expected<std::vector<int64_t>> readRanks(const GgufFile &file,
                                                      ArrayRef<StringRef> tokens,
                                                      ArrayRef<int64_t> types,
                                                      std::string &problem) {
  llvm::Expected<std::vector<float>> scores = file.getFloats("tokenizer.ggml.scores");
  if (!scores)
    return scores.takeError();
  if (scores->size() != tokens.size())
    return makeGgufError("expected " + Twine(tokens.size()) +
                         " elements, as of 'tokenizer.ggml.tokens', as "
                         "'tokenizer.ggml.scores', found " +
                         Twine(scores->size()));
  constexpr int64_t kByte = 6;
  std::set<StringRef> bytes;
  for (auto [token, type] : llvm::zip_equal(tokens, types))
    if (type == kByte)
      bytes.insert(token);
  if (bytes.size() != 256)
    problem = "expected tokens of 256 bytes in SentencePiece's vocabulary, found " +
              std::to_string(bytes.size());
  if (file.has("tokenizer.ggml.precompiled_charsmap"))
    problem = "expected a SentencePiece vocabulary that leaves text as it is, found "
              "'tokenizer.ggml.precompiled_charsmap'";
  std::vector<float> sorted = *scores;
  llvm::sort(sorted, std::greater<>());
  sorted.erase(llvm::unique(sorted), sorted.end());
  std::vector<int64_t> ranks;
  for (float score : *scores)
    ranks.push_back(llvm::lower_bound(sorted, score, std::greater<>()) - sorted.begin());
  return ranks;
}

llvm::Expected<std::optional<std::string>>
mlir::ttc::readTokenizer(const GgufFile &file, int64_t vocabulary, std::string &problem) {
  llvm::Expected<StringRef> kind = file.getText("tokenizer.ggml.model", "");
  if (!kind)
    return kind.takeError();
  const bool isSentencePiece = *kind == "llama";
  if (*kind != "gpt2" && !isSentencePiece) {
    if (!kind->empty() && *kind != "none" && *kind != "no_vocab")
      problem = ("expected the tokenizer gpt2 (byte-level BPE) or llama (SentencePiece's BPE), "
                 "found '" +
                 *kind + "'")
                    .str();
    return std::nullopt;
  }
  llvm::Expected<StringRef> pre = file.getText("tokenizer.ggml.pre", "default");
  if (!pre)
    return pre.takeError();
  if (!isSentencePiece && ttrt::findPreTokenizer(*pre).empty()) {
    problem = "expected one of the pre-tokenizers " +
              llvm::join(llvm::map_range(ttrt::kPreTokenizerNames,
                                         [](const auto &known) { return StringRef(known.name); }),
                         ", ") +
              "; found '" + pre->str() + "'";
    return std::nullopt;
  }
  llvm::Expected<ArrayRef<StringRef>> tokens = file.getTexts("tokenizer.ggml.tokens");
  if (!tokens)
    return tokens.takeError();
  llvm::Expected<ArrayRef<StringRef>> merges = file.getTexts("tokenizer.ggml.merges");
  if (!merges)
    return merges.takeError();
  llvm::Expected<std::vector<int64_t>> types = file.getIntegers("tokenizer.ggml.token_type", 0, 6);
  if (!types)
    return types.takeError();
  const int64_t count = tokens->size();
  if (count < 1 || count > vocabulary)
    return makeGgufError("expected 1 to " + Twine(vocabulary) +
                         " (the rows of the embedding) strings "
                         "as 'tokenizer.ggml.tokens', found " +
                         Twine(count));
  if (types->empty())
    types->assign(count, 1);
  if (int64_t(types->size()) != count)
    return makeGgufError("expected " + Twine(count) +
                         " elements, as of 'tokenizer.ggml.tokens', as "
                         "'tokenizer.ggml.token_type', found " +
                         Twine(types->size()));
  for (auto [texts, what] : {std::pair(*tokens, "tokens"), std::pair(*merges, "merges"),
                             std::pair(ArrayRef<StringRef>(*pre), "'tokenizer.ggml.pre'")})
    if (llvm::Error error = checkText(texts, what))
      return std::move(error);

  std::vector<int64_t> ranks;
  if (isSentencePiece) {
    llvm::Expected<std::vector<int64_t>> found = readRanks(file, *tokens, *types, problem);
    if (!found)
      return found.takeError();
    if (!problem.empty())
      return std::nullopt;
    ranks = std::move(*found);
  }

  constexpr int64_t kNone = -1;
  std::set<int64_t> stops;
  auto getToken = [&](StringRef name, int64_t &token) -> llvm::Error {
    llvm::Expected<int64_t> value =
        file.getInteger(("tokenizer.ggml." + name + "_token_id").str(), 0, count - 1, kNone);
    if (!value)
      return value.takeError();
    token = *value;
    if (token != kNone && name.starts_with("eo"))
      stops.insert(token);
    return llvm::Error::success();
  };
  int64_t bos, eos, eot, eom;
  for (auto [name, token] : std::initializer_list<std::pair<StringRef, int64_t *>>{
           {"bos", &bos}, {"eos", &eos}, {"eot", &eot}, {"eom", &eom}})
    if (llvm::Error error = getToken(name, *token))
      return std::move(error);
  for (auto [i, token] : llvm::enumerate(*tokens))
    if (llvm::is_contained(kStops, token) && (*types)[i] != 1)
      stops.insert(static_cast<int64_t>(i));
  llvm::Expected<bool> addBos = file.getBool(
      "tokenizer.ggml.add_bos_token", isSentencePiece || llvm::is_contained(kBeginning, *pre));
  if (!addBos)
    return addBos.takeError();
  llvm::Expected<bool> addSpace = file.getBool("tokenizer.ggml.add_space_prefix", isSentencePiece);
  if (!addSpace)
    return addSpace.takeError();

  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream); // without indentation: compact
  auto writeToken = [&](StringRef name, int64_t token) {
    json.attribute(name, token == kNone ? llvm::json::Value(nullptr) : llvm::json::Value(token));
  };
  auto writeAll = [&](StringRef name, const auto &values) {
    json.attributeArray(name, [&] {
      for (const auto &value : values)
        json.value(value);
    });
  };
  json.object([&] {
    json.attribute("model", isSentencePiece ? "spm" : "bpe");
    if (!isSentencePiece)
      json.attribute("pre", *pre);
    writeAll("vocab", *tokens);
    writeAll("types", *types);
    if (isSentencePiece)
      writeAll("ranks", ranks);
    else
      writeAll("merges", *merges);
    writeToken("bos", bos);
    writeToken("eos", eos);
    writeToken("eot", eot);
    json.attribute("add_bos", *addBos);
    json.attribute("add_space_prefix", *addSpace);
    writeAll("stop", stops);
  });
  return text;
}
