// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_TEXT_PRETOKENIZER_H
#define TTRT_TEXT_PRETOKENIZER_H

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ttrt::language {

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

private:
  struct Stage;
  struct Scratch;
  void splitFrom(size_t stage, std::string_view text, Scratch &scratch,
                 const std::function<void(std::string_view)> &use) const;

  std::vector<std::unique_ptr<Stage>> stages; ///< each cuts the pieces of the one before
  bool ignoresMerges_ = false;
};

} // namespace ttrt::language

#endif // TTRT_TEXT_PRETOKENIZER_H
