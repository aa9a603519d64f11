// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WordPiece: words, and of each the longest tokens from its beginning on.

#include "text/Tokenizer.h"
#include "text/Utf8.h"

#include <algorithm>

namespace ttrt::language {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {
struct Lower {
  uint32_t first, last, distance;
  int32_t delta;
};
struct Base {
  uint32_t first, last, base;
};
struct Bases {
  uint32_t code, bases[3];
};
#include "text/Folding.inc"
} // namespace

/// The entry of a table that `code` may be in: the last that does not begin after it.
template <typename Entry, size_t N>
static const Entry *entryFor(const Entry (&table)[N], uint32_t code, uint32_t Entry::*first) {
  const Entry *after =
      std::upper_bound(table, table + N, code,
                       [&](uint32_t wanted, const Entry &entry) { return wanted < entry.*first; });
  return after == table ? nullptr : after - 1;
}

static uint32_t lowerOf(uint32_t code) {
  const Lower *entry = entryFor(kLower, code, &Lower::first);
  if (!entry || code > entry->last || (code - entry->first) % entry->distance != 0)
    return code;
  return static_cast<uint32_t>(static_cast<int32_t>(code) + entry->delta);
}

/// Calls use(code) for what the canonical decomposition of `code` has beside marks.
template <typename Use> static void eachBase(uint32_t code, Use use) {
  if (code >= 0xac00 && code <= 0xd7a3) { // syllables of Hangul
    const uint32_t syllable = code - 0xac00, end = syllable % 28;
    use(0x1100 + syllable / 588);
    use(0x1161 + syllable % 588 / 28);
    if (end)
      use(0x11a7 + end);
    return;
  }
  if (const Base *entry = entryFor(kBases, code, &Base::first); entry && code <= entry->last)
    return use(entry->base);
  const Bases *entry = entryFor(kSeveralBases, code, &Bases::code);
  if (!entry || entry->code != code)
    return use(code);
  for (uint32_t base : entry->bases)
    if (base)
      use(base);
}

#define SPACE                                                                                      \
  "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}"               \
  "\\x{202f}\\x{205f}\\x{3000}"
#define MARK "\\p{P}!-/:-@\\[-`{-~"
#define CHINESE                                                                                    \
  "\\x{4e00}-\\x{9fff}\\x{3400}-\\x{4dbf}\\x{20000}-\\x{2a6df}\\x{2a700}-\\x{2b73f}"               \
  "\\x{2b740}-\\x{2b81f}\\x{2b920}-\\x{2ceaf}\\x{f900}-\\x{faff}\\x{2f800}-\\x{2fa1f}"

WordSplitter::WordSplitter(bool lower, bool strips)
    : removed("[\\x{0}-\\x{8}\\x{b}\\x{c}\\x{e}-\\x{1f}\\x{7f}-\\x{9f}\\p{Cf}\\p{Co}\\x{fffd}]+"),
      marks("\\p{Mn}+"), words("[" CHINESE "]|[" MARK "]|[^" SPACE MARK CHINESE "]+"),
      lowercase(lower), stripsAccents(strips) {}

void WordSplitter::fold(std::string_view text, std::string &to) const {
  while (!text.empty()) {
    const size_t length = utf8Length(text);
    const uint32_t code = codePointOf(text.substr(0, length));
    auto add = [&](uint32_t base) {
      constexpr uint32_t kDotted = 0x130; // the one letter whose small one is two characters
      if (lowercase && base == kDotted)
        to += "i\u0307";
      else
        appendUtf8(to, lowercase ? lowerOf(base) : base);
    };
    if (stripsAccents)
      eachBase(code, add);
    else
      add(code);
    text.remove_prefix(length);
  }
}

void WordSplitter::split(std::string_view text,
                         const std::function<void(std::string_view)> &use) const {
  std::string clean, folded;
  removed.each(text, [&](std::string_view part, bool found) {
    if (!found)
      clean += part;
  });
  // Chinese characters are words before they are folded.
  words.each(clean, [&](std::string_view word, bool found) {
    folded.clear();
    if (!found)
      return;
    if (!stripsAccents)
      fold(word, folded);
    else
      marks.each(word, [&](std::string_view part, bool isMark) {
        if (!isMark)
          fold(part, folded);
      });
    // Some become punctuation marks.
    words.each(folded, [&](std::string_view part, bool) { use(part); });
  });
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

void Tokenizer::encodeWords(std::string_view text, std::vector<int32_t> &tokens) const {
  constexpr size_t kLongestWord = 100; // in characters: longer ones are unknown
  std::string spaced;
  std::vector<size_t> ends; // of the characters of a word
  words->split(text, [&](std::string_view word) {
    spaced = ' ';
    spaced += word;
    ends.clear();
    for (size_t at = 1; at < spaced.size() && ends.size() <= kLongestWord;)
      ends.push_back(at += utf8Length(std::string_view(spaced).substr(at)));
    const size_t before = tokens.size();
    size_t done = 0, at = 0;
    while (done < ends.size() && ends.size() <= kLongestWord) {
      size_t last = ends.size();
      int32_t token = -1;
      for (; last > done; --last) {
        const size_t length = ends[last - 1] - at;
        if (length <= longest_)
          token = find(std::string_view(spaced).substr(at, length));
        if (token >= 0)
          break;
      }
      if (token < 0)
        break;
      tokens.push_back(token);
      at = ends[last - 1];
      done = last;
    }
    if (done < ends.size()) {
      tokens.resize(before);
      tokens.push_back(*unknown_);
    }
  });
}

} // namespace ttrt::language
