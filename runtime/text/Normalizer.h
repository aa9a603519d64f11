// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How SentencePiece prepares text: by replacements that a vocabulary carries, and by its spaces.

#ifndef TTRT_TEXT_NORMALIZER_H
#define TTRT_TEXT_NORMALIZER_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ttrt::language {

class Normalizer {
public:
  struct Spaces {
    bool before = false; ///< one is put before a text
    bool merged = false; ///< runs of spaces become one; those at the ends are removed
  };

  /// `charsmap` is what SentencePiece's models call precompiled_charsmap; it may be empty. Throws
  /// Failure if it is damaged.
  Normalizer(std::string_view charsmap, Spaces spaces);

  /// The text as the vocabulary writes it, with ' ' where that has U+2581. `kept` returns how many
  /// bytes at the beginning of what it is given stay as they are.
  std::string run(std::string_view text, const std::function<size_t(std::string_view)> &kept) const;

private:
  std::string_view replace(std::string_view text, size_t &taken) const;

  // A double array: of the unit at which a prefix ends, an offset leads to those of longer ones.
  std::vector<uint32_t> units;
  std::string replacements; ///< each ends with a zero
  Spaces spaces;
};

} // namespace ttrt::language

#endif // TTRT_TEXT_NORMALIZER_H
