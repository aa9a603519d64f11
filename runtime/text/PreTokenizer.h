// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_TEXT_PRETOKENIZER_H
#define TTRT_TEXT_PRETOKENIZER_H

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ttrt::language {

/// A regular expression.
class Pattern {
public:
  explicit Pattern(const char *expression);
  ~Pattern();
  Pattern(Pattern &&) noexcept;
  Pattern &operator=(Pattern &&) noexcept;
  /// Calls use(part, whether it is a match) for all of the text but bytes that are not UTF-8.
  void each(std::string_view text, const std::function<void(std::string_view, bool)> &use) const;

private:
  struct Code;
  std::unique_ptr<const Code> code;
};

/// Cuts text into the pieces that are tokenised by themselves, roughly words: by regular
/// expressions that belong to the vocabulary and have a name in GGUF files.
class PreTokenizer {
public:
  /// Throws support::Error if the name is unknown; the message lists all.
  explicit PreTokenizer(const std::string &name);
  ~PreTokenizer();
  PreTokenizer(PreTokenizer &&) noexcept;
  PreTokenizer &operator=(PreTokenizer &&) noexcept;

  /// Calls use(piece) for all pieces, which are all of the text, in order. Bytes that are not UTF-8
  /// are pieces of their own.
  void split(std::string_view text, const std::function<void(std::string_view)> &use) const;
  /// A piece that is a token is that token, even if merges would give others.
  bool ignoresMerges() const { return ignoresMerges_; }
  /// A piece of newlines that is a token is that token.
  bool keepsNewlines() const { return keepsNewlines_; }
  /// Tokens are written as characters (hasPlainTokens() of pre_tokenizers.h).
  bool hasPlainTokens() const { return hasPlainTokens_; }

private:
  friend class Pattern;
  struct Stage;
  struct Scratch;
  void splitFrom(size_t stage, std::string_view text, Scratch &scratch,
                 const std::function<void(std::string_view)> &use) const;

  std::vector<std::unique_ptr<Stage>> stages; ///< each cuts the pieces of the one before
  bool ignoresMerges_ = false, keepsNewlines_ = false, hasPlainTokens_ = false;
};

} // namespace ttrt::language

#endif // TTRT_TEXT_PRETOKENIZER_H
