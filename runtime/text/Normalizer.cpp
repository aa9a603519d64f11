// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Normalizer.h"

#include "text/Template/Value.h"
#include "text/Utf8.h"

#include <algorithm>

namespace ttrt::language {

static constexpr std::string_view kSpaceLetter = "\u2581";

static uint32_t wordAt(std::string_view bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i)
    word |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return word;
}

Normalizer::Normalizer(std::string_view charsmap, Spaces given) : spaces(given) {
  if (charsmap.empty())
    return;
  const size_t bytes = charsmap.size() < 4 ? SIZE_MAX : wordAt(charsmap, 0);
  if (bytes > charsmap.size() - 4 || bytes % 4 != 0 || bytes == 0)
    throw chat::Failure("the tokenizer's 'charsmap': expected its size and a table of words");
  for (size_t at = 4; at < 4 + bytes; at += 4)
    units.push_back(wordAt(charsmap, at));
  replacements = charsmap.substr(4 + bytes);
  if (!replacements.ends_with('\0'))
    throw chat::Failure("the tokenizer's 'charsmap': expected replacements that end with a zero");
}

/// What the longest prefix of `text` that is listed becomes, or its first character. `taken` is the
/// length of the prefix.
std::string_view Normalizer::replace(std::string_view text, size_t &taken) const {
  // The fields of a unit: a letter, the distance of those that follow, and whether a value does.
  auto offset = [](uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); };
  constexpr uint32_t kLetter = 0x800000ff, kHasValue = 0x100, kValue = 0x7fffffff;
  constexpr size_t kMostFound = 32; // as in SentencePiece
  taken = 0;
  uint32_t value = 0;
  size_t place = units.empty() ? 0 : offset(units[0]), found = 0;
  for (size_t at = 0; at < text.size() && found < kMostFound; ++at) {
    const auto letter = static_cast<unsigned char>(text[at]);
    place ^= letter;
    if (place >= units.size() || (units[place] & kLetter) != letter)
      break;
    const uint32_t unit = units[place];
    place ^= offset(unit);
    if (!(unit & kHasValue))
      continue;
    if (place >= units.size())
      break;
    value = units[place] & kValue;
    taken = at + 1;
    ++found;
  }
  if (taken && value < replacements.size())
    return replacements.data() + value;
  taken = utf8Length(text);
  if (taken)
    return text.substr(0, taken);
  taken = 1;
  return "\ufffd";
}

std::string Normalizer::run(std::string_view text,
                            const std::function<size_t(std::string_view)> &kept) const {
  auto next = [&](size_t &taken) {
    taken = kept(text);
    return taken ? text.substr(0, taken) : replace(text, taken);
  };
  // Real replacements are shorter: the longest makes 18 characters of one.
  const size_t most = std::min<size_t>(64 * text.size(), size_t(256) << 20) + 1;
  size_t taken;
  while (spaces.merged && !text.empty() && next(taken) == " ")
    text.remove_prefix(taken);
  std::string result;
  if (text.empty())
    return result;
  if (spaces.before)
    result += ' ';
  bool afterSpace = spaces.merged;
  while (!text.empty()) {
    std::string_view part = next(taken);
    while (afterSpace && part.starts_with(' '))
      part.remove_prefix(1);
    if (result.size() + part.size() > most)
      throw chat::Failure("the tokenizer's 'charsmap': expected replacements that make at most "
                          "64 bytes of one, and 256 MiB of a text");
    if (!part.empty())
      afterSpace = spaces.merged && part.ends_with(' ');
    for (size_t at = 0; at < part.size();) {
      const bool isSpace = part.substr(at).starts_with(kSpaceLetter);
      result += isSpace ? ' ' : part[at];
      at += isSpace ? kSpaceLetter.size() : 1;
    }
    text.remove_prefix(taken);
  }
  while (spaces.merged && result.ends_with(' '))
    result.pop_back();
  return result;
}

} // namespace ttrt::language
