// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of BERT's vocabularies.

#ifndef TTRT_TEXT_WORDSPLITTER_H
#define TTRT_TEXT_WORDSPLITTER_H

#include "text/PreTokenizer.h"

namespace ttrt::language {

class WordSplitter {
public:
  WordSplitter(bool lowercase, bool stripsAccents);
  /// Calls use(word) for all words, which have no space, no control character and, if wanted, no
  /// capital letters and no accents. Punctuation marks and Chinese characters are words.
  void split(std::string_view text, const std::function<void(std::string_view)> &use) const;

private:
  void fold(std::string_view word, std::string &to) const;

  Pattern removed, marks, words;
  bool lowercase, stripsAccents;
};

} // namespace ttrt::language

#endif // TTRT_TEXT_WORDSPLITTER_H
