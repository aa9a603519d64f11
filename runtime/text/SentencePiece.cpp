// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Byte-pair encoding as SentencePiece has it: over whole texts, by the rank of what a merge makes,
// with a token for each byte of characters that the vocabulary lacks.

#include "text/Tokenizer.h"
#include "text/Utf8.h"

#include <queue>

namespace ttrt::language {

namespace {
/// A part of the text, which may be no token; parts are a linked list.
struct Part {
  std::string_view text; ///< empty once it is merged into the part before
  int32_t before, after; ///< -1: none
};

struct Candidate {
  int32_t rank, position;
  size_t size; ///< of the merged text, for which it was found
  /// The queue's top is the merge of the lowest rank, the leftmost of those.
  bool operator<(const Candidate &other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};
} // namespace

/// SentencePiece writes a space as U+2581, and so cannot tell them apart.
std::string Tokenizer::withSpaces(std::string_view text) {
  static constexpr std::string_view kSpace = "\u2581";
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool isSpace = text.substr(at, kSpace.size()) == kSpace;
    result += isSpace ? ' ' : text[at];
    at += isSpace ? kSpace.size() : 1;
  }
  return result;
}

/// The text with the vocabulary's spaces, and with one at its beginning and after each name of a
/// control token if the vocabulary wants it.
std::string Tokenizer::spaceSentences(std::string_view text, bool control) const {
  const std::string plain = withSpaces(text);
  if (!addsSpace_)
    return plain;
  std::string result;
  bool isFirst = true;
  for (size_t at = 0; at < plain.size();) {
    int32_t token = -1;
    const size_t named = namedAt(std::string_view(plain).substr(at), control, token);
    const bool isText = !named || types[static_cast<size_t>(token)] == kUserDefined;
    if (isText && isFirst)
      result += ' ';
    isFirst = !isText;
    const size_t length = std::max<size_t>(named, 1);
    result.append(plain, at, length);
    at += length;
  }
  return result;
}

void Tokenizer::encodeSentence(std::string_view text, std::vector<int32_t> &tokens) const {
  std::vector<Part> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t length = std::max<size_t>(utf8Length(text.substr(at)), 1);
    const auto number = static_cast<int32_t>(parts.size());
    parts.push_back({text.substr(at, length), number - 1, number + 1});
    at += length;
  }
  if (parts.empty())
    return;
  parts.back().after = -1;
  std::priority_queue<Candidate> candidates;
  auto consider = [&](int32_t position) {
    const Part &part = parts[static_cast<size_t>(position)];
    if (part.after < 0)
      return;
    const std::string_view both(
        part.text.data(), part.text.size() + parts[static_cast<size_t>(part.after)].text.size());
    if (const int32_t token = find(both); token >= 0)
      candidates.push({ranks[static_cast<size_t>(token)], position, both.size()});
  };
  for (size_t i = 0; i + 1 < parts.size(); ++i)
    consider(static_cast<int32_t>(i));
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    Part &left = parts[static_cast<size_t>(best.position)];
    // Earlier merges may have changed either part.
    if (left.text.empty() || left.after < 0)
      continue;
    Part &right = parts[static_cast<size_t>(left.after)];
    if (left.text.size() + right.text.size() != best.size)
      continue;
    left.text = std::string_view(left.text.data(), best.size);
    right.text = {};
    left.after = right.after;
    if (left.after >= 0)
      parts[static_cast<size_t>(left.after)].before = best.position;
    consider(best.position);
    if (left.before >= 0)
      consider(left.before);
  }
  for (int32_t at = 0; at >= 0; at = parts[static_cast<size_t>(at)].after) {
    const std::string_view part = parts[static_cast<size_t>(at)].text;
    if (const int32_t token = find(part); token >= 0)
      tokens.push_back(token);
    else
      for (char c : part)
        tokens.push_back(byteTokens[static_cast<unsigned char>(c)]);
  }
}

} // namespace ttrt::language
