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

/// In JSON, text is UTF-8; byte-level encoded tokens are.
static llvm::Error checkText(ArrayRef<StringRef> texts, StringRef what) {
  for (auto [i, text] : llvm::enumerate(texts))
    if (size_t at; !llvm::json::isUTF8(text, &at))
      return makeGgufError("expected " + what + " in UTF-8, found other bytes in number " +
                           Twine(i));
  return llvm::Error::success();
}

static llvm::Expected<std::vector<float>> readScores(const GgufFile &file, size_t tokens) {
  llvm::Expected<std::vector<float>> scores = file.getFloats("tokenizer.ggml.scores");
  if (scores && scores->size() != tokens)
    return makeGgufError("expected " + Twine(tokens) +
                         " elements, as of 'tokenizer.ggml.tokens', as "
                         "'tokenizer.ggml.scores', found " +
                         Twine(scores->size()));
  return scores;
}

/// The order in which SentencePiece prefers tokens: 0 for those of the highest score. `problem`
/// says what such a vocabulary lacks.
static llvm::Expected<std::vector<int64_t>> readRanks(const GgufFile &file,
                                                      ArrayRef<StringRef> tokens,
                                                      ArrayRef<int64_t> types,
                                                      std::string &problem) {
  llvm::Expected<std::vector<float>> scores = readScores(file, tokens.size());
  if (!scores)
    return scores.takeError();
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
  const bool isSentencePiece = *kind == "llama", isUnigram = *kind == "t5";
  const bool isWordPiece = *kind == "bert", isGemma4 = *kind == "gemma4";
  const bool hasMerges = *kind == "gpt2" || isGemma4;
  if (!hasMerges && !isSentencePiece && !isUnigram && !isWordPiece) {
    if (!kind->empty() && *kind != "none" && *kind != "no_vocab")
      problem = ("expected the tokenizer gpt2 (byte-level BPE), gemma4 (the same of characters), "
                 "llama (SentencePiece's BPE), t5 (its unigram models) or bert (WordPiece), "
                 "found '" +
                 *kind + "'")
                    .str();
    return std::nullopt;
  }
  llvm::Expected<StringRef> pre = file.getText("tokenizer.ggml.pre", "default");
  if (!pre)
    return pre.takeError();
  if (isGemma4)
    *pre = "gemma4";
  else if (hasMerges && !file.has("tokenizer.ggml.pre"))
    problem = "expected 'tokenizer.ggml.pre', found none: text is split as by 'default', and may "
              "become other tokens than those for which the model was trained";
  const ttrt::PreTokenizerName *split = hasMerges ? ttrt::findPreTokenizer(*pre) : nullptr;
  if (hasMerges && !split) {
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

  std::vector<float> scores;
  std::string charsmap;
  if (isUnigram) {
    llvm::Expected<std::vector<float>> found = readScores(file, count);
    if (!found)
      return found.takeError();
    scores = std::move(*found);
    llvm::Expected<std::vector<int64_t>> bytes =
        file.getIntegers("tokenizer.ggml.precompiled_charsmap", -128, 255);
    if (!bytes)
      return bytes.takeError();
    charsmap = llvm::toHex(std::string(bytes->begin(), bytes->end()), /*LowerCase=*/true);
  }

  constexpr int64_t kNone = -1;
  std::set<int64_t> stops;
  auto getToken = [&](StringRef name, int64_t &token, int64_t otherwise = kNone) -> llvm::Error {
    llvm::Expected<int64_t> value =
        file.getInteger(("tokenizer.ggml." + name + "_token_id").str(), 0, count - 1, kNone);
    if (!value)
      return value.takeError();
    token = *value != kNone ? *value : otherwise < count ? otherwise : kNone;
    if (token != kNone && name.starts_with("eo"))
      stops.insert(token);
    return llvm::Error::success();
  };
  int64_t bos, eos, eot, eom;
  for (auto [name, token] : std::initializer_list<std::pair<StringRef, int64_t *>>{
           {"bos", &bos}, {"eos", &eos}, {"eot", &eot}, {"eom", &eom}})
    if (llvm::Error error = getToken(name, *token))
      return std::move(error);
  // Without the keys: as vocabularies of T5 and BERT have them.
  int64_t unknown, separator;
  if (llvm::Error error = getToken("unknown", unknown, isUnigram ? 2 : isWordPiece ? 100 : kNone))
    return std::move(error);
  if (llvm::Error error = getToken("seperator", separator, isWordPiece ? 102 : kNone))
    return std::move(error);
  if (isWordPiece && bos == kNone)
    if (llvm::Error error = getToken("cls", bos, 101))
      return std::move(error);
  if (isUnigram && eos == kNone && count > 1)
    eos = 1;
  for (auto [i, token] : llvm::enumerate(*tokens))
    if (llvm::is_contained(kStops, token) && (*types)[i] != 1)
      stops.insert(static_cast<int64_t>(i));
  llvm::Expected<bool> addBos = file.getBool(
      "tokenizer.ggml.add_bos_token", isSentencePiece || isWordPiece || (split && split->addsBos));
  if (!addBos)
    return addBos.takeError();
  // Files of Gemma 4 say that it does not, and the model needs it.
  if (split && split->meant == "gemma4" && bos != kNone)
    *addBos = true;
  llvm::Expected<bool> addSpace = file.getBool("tokenizer.ggml.add_space_prefix", isSentencePiece);
  if (!addSpace)
    return addSpace.takeError();

  llvm::Expected<bool> addEnd =
      file.getBool(isWordPiece ? "tokenizer.ggml.add_sep_token" : "tokenizer.ggml.add_eos_token",
                   isWordPiece || isUnigram);
  if (!addEnd)
    return addEnd.takeError();
  llvm::Expected<bool> mergesSpaces =
      file.getBool("tokenizer.ggml.remove_extra_whitespaces", false);
  if (!mergesSpaces)
    return mergesSpaces.takeError();
  llvm::Expected<bool> lowercase = file.getBool("tokenizer.ggml.normalizer.lowercase", true);
  if (!lowercase)
    return lowercase.takeError();
  llvm::Expected<bool> strips = file.getBool("tokenizer.ggml.normalizer.strip_accents", *lowercase);
  if (!strips)
    return strips.takeError();
  if ((isUnigram || isWordPiece) && unknown == kNone) {
    problem = "expected 'tokenizer.ggml.unknown_token_id', found none";
    return std::nullopt;
  }

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
    json.attribute("model", isSentencePiece ? "spm"
                            : isUnigram     ? "unigram"
                            : isWordPiece   ? "wordpiece"
                                            : "bpe");
    if (hasMerges)
      json.attribute("pre", *pre);
    writeAll("vocab", *tokens);
    writeAll("types", *types);
    if (isSentencePiece)
      writeAll("ranks", ranks);
    else if (hasMerges)
      writeAll("merges", *merges);
    if (isUnigram) {
      writeAll("scores", scores);
      json.attribute("charsmap", charsmap);
      json.attribute("merge_spaces", *mergesSpaces);
    }
    if (isWordPiece) {
      json.attribute("lowercase", *lowercase);
      json.attribute("strip_accents", *strips);
    }
    if (isUnigram || isWordPiece)
      writeToken("unknown", unknown);
    if (*addEnd)
      writeToken("add_end", isWordPiece ? separator : eos);
    writeToken("bos", bos);
    writeToken("eos", eos);
    writeToken("eot", eot);
    json.attribute("add_bos", *addBos);
    json.attribute("add_space_prefix", *addSpace);
    writeAll("stop", stops);
  });
  return text;
}
