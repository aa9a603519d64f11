// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text to token ids and back: byte-pair encoding, of bytes as GPT-2, Llama 3 and Qwen use it, or of
// characters as SentencePiece has it for Llama 2, Mistral and Gemma; SentencePiece's unigram
// models, as T5 has one; and WordPiece, as BERT has it. The vocabulary is metadata of a bundle
// (docs/generation.md).

#ifndef TTRT_TEXT_TOKENIZER_H
#define TTRT_TEXT_TOKENIZER_H

#include "text/Normalizer.h"
#include "text/PreTokenizer.h"
#include "text/Template/Value.h"
#include "text/WordSplitter.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ttrt::language {

class Tokenizer {
public:
  /// Reads the metadata `tokenizer` of a bundle. Throws Failure if it is damaged, and
  /// support::Error if it is none of this library's.
  explicit Tokenizer(std::string_view json);

  /// Names of control tokens, which are no text: beginnings and ends of messages.
  enum class Control {
    AsText,     ///< are text like any other
    Parse,      ///< become these tokens
    ParseMarked ///< too, except those in parts that protect() has marked
  };

  /// Appends the tokens of `text`.
  void encode(std::string_view text, Control control, std::vector<int32_t> &tokens) const;
  /// Appends the bytes of a token; none of a control token, unless `control` is set. A token may
  /// end in the middle of a UTF-8 sequence (Utf8Stream).
  void decode(int32_t token, std::string &bytes, bool control = false) const;

  /// Marks the names of control tokens in `text`, so that they stay text wherever the result is
  /// inserted: what a user types cannot end a message. Control::ParseMarked removes the marks.
  std::string protect(std::string_view text) const;
  /// The text without marks.
  static std::string unmarked(std::string_view text);

  int32_t size() const { return static_cast<int32_t>(begins.size()) - 1; }
  /// Bytes of the longest token.
  size_t longest() const { return longest_; }
  bool isControl(int32_t token) const { return types[static_cast<size_t>(token)] == kControl; }
  std::optional<int32_t> bos() const { return bos_; }
  std::optional<int32_t> eos() const { return eos_; }
  bool addsBos() const { return addsBos_; }
  /// The token at the end of a text that is no prompt: of T5 and BERT.
  std::optional<int32_t> end() const { return end_; }
  /// Tokens that end a text, in ascending order.
  const std::vector<int32_t> &stops() const { return stops_; }

private:
  // The types of GGUF files.
  static constexpr uint8_t kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5,
                           kByte = 6;
  /// Is in no UTF-8 text; protect() writes it twice where it stands for itself.
  static constexpr char kMark = '\xff';

  enum class Model { Bytes, SentencePiece, Unigram, WordPiece };

  struct Merge {
    int32_t left = -1, right = -1;
    int32_t rank = 0, merged = 0;
  };

  struct Source;
  explicit Tokenizer(const Source &source);
  void addTokens(const std::vector<chat::Value> &vocabulary);
  void addMerges(const std::vector<chat::Value> &lines);
  std::string_view bytesOf(int32_t token) const;
  int32_t find(std::string_view bytes) const;
  const Merge *findMerge(int32_t left, int32_t right) const;
  size_t namedAt(std::string_view text, bool control, int32_t &token) const;
  void encodeText(std::string_view text, bool marked, std::vector<int32_t> &tokens) const;
  static std::string withSpaces(std::string_view text);
  std::string spaceSentences(std::string_view text, bool control) const;
  void encodeSentence(std::string_view text, std::vector<int32_t> &tokens) const;
  void sortTokens();
  template <typename Use> void eachPrefix(std::string_view text, Use use) const;
  size_t definedPrefix(std::string_view text) const;
  void encodeUnigram(std::string_view text, std::vector<int32_t> &tokens) const;
  void encodeWords(std::string_view text, std::vector<int32_t> &tokens) const;
  void encodePiece(std::string_view piece, std::vector<int32_t> &tokens) const;

  std::string bytes; ///< of all tokens, one after another
  std::vector<uint32_t> begins;
  std::vector<uint8_t> types;
  std::vector<int32_t> table;          ///< tokens of text by their bytes: open addressing, -1: free
  std::vector<int32_t> ranks;          ///< of SentencePiece: the lowest is merged first
  std::vector<Merge> merges;           ///< by their two tokens: open addressing
  std::array<int32_t, 256> byteTokens; ///< -1: the vocabulary lacks it
  /// Tokens with names, by their first byte, the longest first.
  std::array<std::vector<int32_t>, 256> named;
  Model model = Model::Bytes;
  std::optional<PreTokenizer> preTokenizer;  ///< of Model::Bytes
  std::optional<Normalizer> normalizer;      ///< of Model::Unigram
  std::unique_ptr<const WordSplitter> words; ///< of Model::WordPiece
  std::vector<float> scores;                 ///< of Model::Unigram
  float unknownScore_ = 0;
  std::vector<int32_t> sorted; ///< tokens of text by their bytes, of Model::Unigram
  std::optional<int32_t> unknown_, end_;
  bool hasBytes_ = false; ///< a token for each byte
  std::optional<int32_t> bos_, eos_;
  bool isPlain_ = false; ///< tokens are characters, with U+2581 for a space
  bool addsBos_ = false, addsSpace_ = false;
  size_t longest_ = 0;
  std::vector<int32_t> stops_;
};

} // namespace ttrt::language

#endif // TTRT_TEXT_TOKENIZER_H
