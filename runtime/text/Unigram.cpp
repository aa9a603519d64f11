// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unigram models of SentencePiece: of all ways to cut a text into tokens, the one whose scores have
// the greatest sum.

#include "text/Tokenizer.h"
#include "text/Utf8.h"

#include <algorithm>
#include <fmt/format.h>

namespace ttrt::language {

static size_t characterLength(std::string_view text) {
  return std::max<size_t>(utf8Length(text), 1);
}

/// Sorts the tokens that text can become, so that those that begin alike are neighbours.
void Tokenizer::sortTokens() {
  // Each position of a text is compared with tokens up to this length.
  constexpr size_t kLongest = 4096;
  if (longest_ > kLongest)
    throw chat::Failure(
        fmt::format("expected tokens of at most {} bytes, found {}", kLongest, longest_));
  float least = 0;
  bool isFirst = true;
  for (size_t i = 0; i < types.size(); ++i) {
    const bool isText = types[i] == kNormal || types[i] == kUserDefined || types[i] == kUnused;
    if (isText && types[i] != kUnused && !bytesOf(static_cast<int32_t>(i)).empty())
      sorted.push_back(static_cast<int32_t>(i));
    if (types[i] != kNormal)
      continue;
    least = isFirst ? scores[i] : std::min(least, scores[i]);
    isFirst = false;
  }
  // Better than all others, whose scores are logarithms of probabilities; as SentencePiece has it.
  constexpr float kDefined = 0.5;
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i] == kUserDefined)
      scores[i] = kDefined;
  constexpr float kPenalty = 10;
  unknownScore_ = least - kPenalty;
  std::sort(sorted.begin(), sorted.end(), [&](int32_t a, int32_t b) {
    const int order = bytesOf(a).compare(bytesOf(b));
    return order ? order < 0 : a < b;
  });
}

/// Calls use(token, length) for all tokens that `text` begins with.
template <typename Use> void Tokenizer::eachPrefix(std::string_view text, Use use) const {
  auto from = sorted.begin(), to = sorted.end();
  for (size_t at = 0; at < text.size() && from != to; ++at) {
    // All tokens here agree with the text up to `at`, and are longer.
    const auto wanted = static_cast<unsigned char>(text[at]);
    auto letter = [&](int32_t token) { return static_cast<unsigned char>(bytesOf(token)[at]); };
    from = std::lower_bound(from, to, wanted,
                            [&](int32_t token, int) { return letter(token) < wanted; });
    to = std::upper_bound(from, to, wanted,
                          [&](int, int32_t token) { return wanted < letter(token); });
    for (; from != to && bytesOf(*from).size() == at + 1; ++from)
      use(*from, at + 1);
  }
}

/// How many bytes `text` begins with of a token that the user defined, in which a space is U+2581:
/// they are not normalised.
size_t Tokenizer::definedPrefix(std::string_view text) const {
  constexpr std::string_view kSpaceLetter = "\u2581";
  auto lengthOf = [&](std::string_view name) -> size_t {
    size_t at = 0;
    for (char c : name) {
      const std::string_view wanted = c == ' ' ? kSpaceLetter : std::string_view(&c, 1);
      if (!text.substr(at).starts_with(wanted))
        return 0;
      at += wanted.size();
    }
    return at;
  };
  size_t longest = 0;
  const char first = text.starts_with(kSpaceLetter) ? ' ' : text[0];
  for (int32_t token : named[static_cast<unsigned char>(first)])
    if (types[static_cast<size_t>(token)] == kUserDefined)
      longest = std::max(longest, lengthOf(bytesOf(token)));
  return longest;
}

void Tokenizer::encodeUnigram(std::string_view original, std::vector<int32_t> &tokens) const {
  const std::string text =
      normalizer->run(original, [&](std::string_view rest) { return definedPrefix(rest); });
  // The best way to each position: its score, and its last token, or -1 for an unknown character.
  // Of equal ones the first counts. In floats, as SentencePiece adds them.
  struct Way {
    float score = 0;
    int32_t token = -1;
    int64_t from = -1;
  };
  std::vector<Way> ways(text.size() + 1);
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const size_t single = std::min(characterLength(rest), rest.size());
    auto consider = [&](int32_t token, size_t length, float score) {
      score += ways[at].score;
      Way &way = ways[at + length];
      if (way.from < 0 || score > way.score)
        way = {score, token, static_cast<int64_t>(at)};
    };
    bool hasSingle = false;
    eachPrefix(rest, [&](int32_t token, size_t length) {
      consider(token, length, scores[static_cast<size_t>(token)]);
      hasSingle |= length == single;
    });
    if (!hasSingle)
      consider(-1, single, unknownScore_);
    at += single;
  }
  const size_t begin = tokens.size();
  bool wasUnknown = false;
  for (size_t at = text.size(); at > 0;) {
    const Way &way = ways[at];
    const auto from = static_cast<size_t>(way.from);
    if (way.token >= 0) {
      tokens.push_back(way.token);
    } else if (hasBytes_) {
      for (size_t i = at; i > from; --i)
        tokens.push_back(byteTokens[static_cast<unsigned char>(text[i - 1])]);
    } else if (!wasUnknown) { // one for a run of them
      tokens.push_back(*unknown_);
    }
    wasUnknown = way.token < 0;
    at = from;
  }
  std::reverse(tokens.begin() + static_cast<ptrdiff_t>(begin), tokens.end());
}

} // namespace ttrt::language
