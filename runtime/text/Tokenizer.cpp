// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Tokenizer.h"

#include "support/ApiSupport.h"
#include "text/Json.h"
#include "text/Utf8.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <queue>

namespace ttrt::language {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// How vocabularies write bytes: as letters that can be seen. 33 to 126, 161 to 172 and 174 to 255
/// are themselves; the others, in order, are U+0100 and so on.
struct Alphabet {
  std::array<int16_t, 0x144> byteOf;
  Alphabet() {
    byteOf.fill(-1);
    int16_t next = 0x100;
    for (int16_t byte = 0; byte < 256; ++byte) {
      const bool visible = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
      byteOf[static_cast<size_t>(visible ? byte : next++)] = byte;
    }
  }
  /// Appends the bytes of `letters`; returns whether all are of the alphabet.
  bool decode(std::string_view letters, std::string &bytes) const {
    while (!letters.empty()) {
      const size_t length = utf8Length(letters);
      const uint32_t code = length ? codePointOf(letters.substr(0, length)) : UINT32_MAX;
      if (code >= byteOf.size() || byteOf[code] < 0)
        return false;
      bytes += static_cast<char>(byteOf[code]);
      letters.remove_prefix(length);
    }
    return true;
  }
};
} // namespace

static const Alphabet &alphabet() {
  static const Alphabet letters;
  return letters;
}

/// What the metadata says, as it stands there.
struct Tokenizer::Source {
  chat::Value json;
  const std::vector<chat::Value> *vocabulary = &none(), *merges = &none();
  std::string pre;
  Model kind = Model::Bytes;
  std::vector<int32_t> ranks;
  std::vector<float> scores;
  std::string charsmap;
  std::optional<int32_t> unknown, end;
  bool mergesSpaces = false, lowercase = false, stripsAccents = false;
  std::vector<uint8_t> types;
  std::optional<int32_t> bos, eos, eot;
  bool addsBos = false, addsSpace = false;
  std::vector<int32_t> stops;

  explicit Source(std::string_view text) : json(parseJson(text, "the tokenizer", kMostBytes)) {
    const auto *root = json.as<chat::Dict>();
    if (!root)
      throw chat::Failure(
          fmt::format("the tokenizer: expected a dictionary, found {}", json.kind()));
    const std::string *model = nullptr;
    for (const auto &[name, value] : (*root)->fields) {
      const std::string what = fmt::format("the tokenizer's '{}'", printable(name));
      if (name == "model")
        model = &chat::requireText(value, what);
      else if (name == "pre")
        pre = chat::requireText(value, what);
      else if (name == "vocab")
        vocabulary = &listIn(value, what);
      else if (name == "merges")
        merges = &listIn(value, what);
      else if (name == "types")
        for (const chat::Value &type : listIn(value, what))
          types.push_back(static_cast<uint8_t>(integerIn(type, what, 255)));
      else if (name == "ranks")
        for (const chat::Value &rank : listIn(value, what))
          ranks.push_back(idIn(rank, what));
      else if (name == "scores")
        for (const chat::Value &score : listIn(value, what))
          scores.push_back(realIn(score, what));
      else if (name == "charsmap")
        charsmap = bytesIn(value, what);
      else if (name == "unknown" && !value.is<chat::None>())
        unknown = idIn(value, what);
      else if (name == "add_end" && !value.is<chat::None>())
        end = idIn(value, what);
      else if (name == "merge_spaces")
        mergesSpaces = flagIn(value, what);
      else if (name == "lowercase")
        lowercase = flagIn(value, what);
      else if (name == "strip_accents")
        stripsAccents = flagIn(value, what);
      else if (name == "bos" && !value.is<chat::None>())
        bos = idIn(value, what);
      else if (name == "eos" && !value.is<chat::None>())
        eos = idIn(value, what);
      else if (name == "eot" && !value.is<chat::None>())
        eot = idIn(value, what);
      else if (name == "add_bos")
        addsBos = flagIn(value, what);
      else if (name == "add_space_prefix")
        addsSpace = flagIn(value, what);
      else if (name == "stop")
        for (const chat::Value &token : listIn(value, what))
          stops.push_back(idIn(token, what));
    }
    check(model ? *model : "");
  }

private:
  static constexpr size_t kMostBytes = size_t(256) << 20;

  static const std::vector<chat::Value> &none() {
    static const std::vector<chat::Value> empty;
    return empty;
  }
  static const std::vector<chat::Value> &listIn(const chat::Value &value, const std::string &what) {
    if (!value.is<chat::List>())
      throw chat::Failure(fmt::format("{}: expected a list, found {}", what, value.kind()));
    return value.items();
  }
  static bool flagIn(const chat::Value &value, const std::string &what) {
    if (const auto *flag = value.as<bool>())
      return *flag;
    throw chat::Failure(fmt::format("{}: expected a boolean, found {}", what, value.kind()));
  }
  static int64_t integerIn(const chat::Value &value, const std::string &what, int64_t most) {
    const auto *number = value.as<int64_t>();
    if (!number || *number < 0 || *number > most)
      throw chat::Failure(fmt::format("{}: expected an integer from 0 to {}, found {}", what, most,
                                      number ? std::to_string(*number) : value.kind()));
    return *number;
  }
  static float realIn(const chat::Value &value, const std::string &what) {
    const auto *real = value.as<double>();
    const auto *integer = value.as<int64_t>();
    const float number = real      ? static_cast<float>(*real)
                         : integer ? static_cast<float>(*integer)
                                   : NAN;
    if (!std::isfinite(number))
      throw chat::Failure(fmt::format("{}: expected a finite number, found {}", what,
                                      real ? std::to_string(*real) : value.kind()));
    return number;
  }
  /// Bytes in hexadecimal digits.
  static std::string bytesIn(const chat::Value &value, const std::string &what) {
    const std::string &digits = chat::requireText(value, what);
    std::string bytes;
    for (size_t i = 0; i + 1 < digits.size(); i += 2) {
      unsigned byte = 0;
      if (std::from_chars(&digits[i], &digits[i] + 2, byte, 16).ptr != &digits[i] + 2)
        break;
      bytes += static_cast<char>(byte);
    }
    if (2 * bytes.size() != digits.size())
      throw chat::Failure(what + ": expected pairs of hexadecimal digits");
    return bytes;
  }
  static int32_t idIn(const chat::Value &value, const std::string &what) {
    return static_cast<int32_t>(integerIn(value, what, (int64_t(1) << 24) - 1));
  }

  void check(const std::string &model) {
    const size_t tokens = vocabulary->size();
    kind = model == "spm"         ? Model::SentencePiece
           : model == "unigram"   ? Model::Unigram
           : model == "wordpiece" ? Model::WordPiece
                                  : Model::Bytes;
    if (kind == Model::Bytes && model != "bpe")
      throw support::Error{
          TTRT_UNSUPPORTED,
          fmt::format(
              "expected a tokenizer of model 'bpe', 'spm', 'unigram' or 'wordpiece', found '{}'",
              printable(model))};
    if (tokens == 0 || tokens > size_t(1) << 24)
      throw chat::Failure(
          fmt::format("expected a vocabulary of 1 to {} tokens, found {}", 1 << 24, tokens));
    if (types.empty())
      types.assign(tokens, kNormal);
    if (types.size() != tokens)
      throw chat::Failure(
          fmt::format("expected types of {} tokens, found {}", tokens, types.size()));
    if (kind == Model::SentencePiece && ranks.size() != tokens)
      throw chat::Failure(
          fmt::format("expected ranks of {} tokens, found {}", tokens, ranks.size()));
    if (kind == Model::Unigram && scores.size() != tokens)
      throw chat::Failure(
          fmt::format("expected scores of {} tokens, found {}", tokens, scores.size()));
    if ((kind == Model::Unigram || kind == Model::WordPiece) && !unknown)
      throw chat::Failure("expected a token for what is not in the vocabulary, found none");
    for (const std::optional<int32_t> &end : {eos, eot})
      if (end)
        stops.push_back(*end);
    std::sort(stops.begin(), stops.end());
    stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
    std::vector<int32_t> given = stops;
    for (const std::optional<int32_t> &token : {bos, unknown, end})
      if (token)
        given.push_back(*token);
    for (int32_t token : given)
      if (static_cast<size_t>(token) >= tokens)
        throw chat::Failure(fmt::format("token {} is not in the vocabulary of {}", token, tokens));
    if (addsBos && !bos)
      throw chat::Failure("the tokenizer adds a token at the beginning, but names none");
  }
};

Tokenizer::Tokenizer(std::string_view json) : Tokenizer(Source(json)) {}

Tokenizer::Tokenizer(const Source &source)
    : types(source.types), ranks(source.ranks), model(source.kind), scores(source.scores),
      unknown_(source.unknown), end_(source.end), bos_(source.bos), eos_(source.eos),
      addsBos_(source.addsBos), addsSpace_(source.addsSpace), stops_(source.stops) {
  if (model == Model::Bytes)
    preTokenizer.emplace(source.pre);
  isPlain_ = !preTokenizer || preTokenizer->hasPlainTokens();
  addTokens(*source.vocabulary);
  hasBytes_ = std::find(byteTokens.begin(), byteTokens.end(), -1) == byteTokens.end();
  if (model == Model::Bytes)
    addMerges(*source.merges);
  if (model == Model::Unigram) {
    normalizer.emplace(source.charsmap, Normalizer::Spaces{addsSpace_, source.mergesSpaces});
    sortTokens();
  }
  if (model == Model::WordPiece)
    words = std::make_unique<const WordSplitter>(source.lowercase, source.stripsAccents);
  if (model == Model::SentencePiece && !hasBytes_)
    throw support::Error{TTRT_UNSUPPORTED, "expected a token for each of the 256 bytes"};
}

static size_t hashOf(std::string_view bytes) { return std::hash<std::string_view>()(bytes); }

static size_t hashOf(int32_t left, int32_t right) {
  uint64_t key = static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
  key *= 0x9e3779b97f4a7c15;
  return key ^ (key >> 32);
}

void Tokenizer::addTokens(const std::vector<chat::Value> &vocabulary) {
  table.assign(std::bit_ceil(2 * vocabulary.size()), -1);
  byteTokens.fill(-1);
  begins.push_back(0);
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto token = static_cast<int32_t>(i);
    const size_t begin = bytes.size();
    const bool isText = types[i] == kNormal || types[i] == kByte;
    const std::string &name = chat::requireText(vocabulary[i], "the tokenizer's 'vocab'");
    bool isBytes; // of text, which find() is asked for
    if (!isPlain_) {
      isBytes = isText && alphabet().decode(name, bytes);
      if (!isBytes) {
        bytes.resize(begin);
        bytes += name;
      }
    } else if (types[i] == kByte) {
      unsigned byte = 0;
      if (name.size() == 6)
        std::from_chars(name.data() + 3, name.data() + 5, byte, 16);
      if (name != fmt::format("<0x{:02X}>", byte))
        throw chat::Failure(fmt::format("token {}: expected the name of a byte such as <0x0A>, "
                                        "found '{}'",
                                        i, printable(name)));
      bytes += static_cast<char>(byte);
      byteTokens[byte] = token;
      isBytes = false;
    } else {
      isBytes = types[i] == kNormal || types[i] == kUserDefined || types[i] == kUnused;
      bytes += isBytes ? withSpaces(name) : name;
    }
    begins.push_back(static_cast<uint32_t>(bytes.size()));
    const std::string_view own = bytesOf(token);
    longest_ = std::max(longest_, own.size());
    if (own.empty())
      continue;
    if (types[i] == kUnknown || types[i] == kControl || types[i] == kUserDefined)
      named[static_cast<unsigned char>(own[0])].push_back(token);
    if (!isBytes)
      continue;
    size_t at = hashOf(own) & (table.size() - 1);
    while (table[at] >= 0 && bytesOf(table[at]) != own)
      at = (at + 1) & (table.size() - 1);
    table[at] = token;
    if (!isPlain_ && own.size() == 1)
      byteTokens[static_cast<unsigned char>(own[0])] = token;
  }
  for (std::vector<int32_t> &tokens : named)
    std::sort(tokens.begin(), tokens.end(), [&](int32_t left, int32_t right) {
      const size_t leftSize = bytesOf(left).size(), rightSize = bytesOf(right).size();
      return leftSize != rightSize ? leftSize > rightSize : left < right;
    });
}

void Tokenizer::addMerges(const std::vector<chat::Value> &lines) {
  merges.assign(std::bit_ceil(2 * lines.size() + 1), {});
  std::string pair;
  auto append = [&](std::string_view letters) {
    if (!isPlain_)
      return alphabet().decode(letters, pair);
    pair += withSpaces(letters);
    return true;
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = chat::requireText(lines[i], "the tokenizer's 'merges'");
    const size_t space = line.find(' ');
    pair.clear();
    Merge merge;
    merge.rank = static_cast<int32_t>(i);
    if (space != std::string_view::npos && append(line.substr(0, space))) {
      const size_t middle = pair.size();
      if (append(line.substr(space + 1))) {
        merge.left = find(std::string_view(pair).substr(0, middle));
        merge.right = find(std::string_view(pair).substr(middle));
        merge.merged = find(pair);
      }
    }
    if (merge.left < 0 || merge.right < 0 || merge.merged < 0)
      throw chat::Failure(fmt::format(
          "merge {}: expected two tokens that make a third one, found '{}'", i, printable(line)));
    size_t at = hashOf(merge.left, merge.right) & (merges.size() - 1);
    while (merges[at].left >= 0 &&
           (merges[at].left != merge.left || merges[at].right != merge.right))
      at = (at + 1) & (merges.size() - 1);
    merges[at] = merge;
  }
}

std::string_view Tokenizer::bytesOf(int32_t token) const {
  const auto i = static_cast<size_t>(token);
  return std::string_view(bytes).substr(begins[i], begins[i + 1] - begins[i]);
}

int32_t Tokenizer::find(std::string_view wanted) const {
  size_t at = hashOf(wanted) & (table.size() - 1);
  while (table[at] >= 0 && bytesOf(table[at]) != wanted)
    at = (at + 1) & (table.size() - 1);
  return table[at];
}

const Tokenizer::Merge *Tokenizer::findMerge(int32_t left, int32_t right) const {
  size_t at = hashOf(left, right) & (merges.size() - 1);
  while (merges[at].left >= 0 && (merges[at].left != left || merges[at].right != right))
    at = (at + 1) & (merges.size() - 1);
  return merges[at].left >= 0 ? &merges[at] : nullptr;
}

//===----------------------------------------------------------------------===//
// Text to tokens
//===----------------------------------------------------------------------===//

namespace {
/// A part of a piece that is a token; parts are a linked list.
struct Part {
  int32_t token;
  int32_t before, after; ///< -1: none
};

struct Candidate {
  int32_t rank, position;
  int32_t left, right; ///< tokens for which it was found
  int32_t merged;
  /// The queue's top is the merge of the lowest rank, the leftmost of those.
  bool operator<(const Candidate &other) const {
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};
} // namespace

void Tokenizer::encodePiece(std::string_view piece, std::vector<int32_t> &tokens) const {
  if (preTokenizer->ignoresMerges() || (preTokenizer->keepsNewlines() && piece[0] == '\n'))
    if (const int32_t token = find(piece); token >= 0)
      return tokens.push_back(token);
  std::vector<Part> parts;
  auto add = [&](int32_t token) {
    const auto at = static_cast<int32_t>(parts.size());
    parts.push_back({token, at - 1, at + 1});
  };
  for (size_t at = 0; at < piece.size();) {
    const size_t length = isPlain_ ? std::max<size_t>(utf8Length(piece.substr(at)), 1) : 1;
    const int32_t whole = isPlain_ ? find(piece.substr(at, length)) : -1;
    // Bytes that the vocabulary lacks are dropped, as other tokenizers do.
    for (char c : piece.substr(at, whole < 0 ? length : 0))
      if (const int32_t token = byteTokens[static_cast<unsigned char>(c)]; token >= 0)
        add(token);
    if (whole >= 0)
      add(whole);
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
    const int32_t right = parts[static_cast<size_t>(part.after)].token;
    if (const Merge *merge = findMerge(part.token, right))
      candidates.push({merge->rank, position, part.token, right, merge->merged});
  };
  for (size_t i = 0; i + 1 < parts.size(); ++i)
    consider(static_cast<int32_t>(i));
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    Part &left = parts[static_cast<size_t>(best.position)];
    // Earlier merges may have changed either part.
    if (left.token != best.left || left.after < 0 ||
        parts[static_cast<size_t>(left.after)].token != best.right)
      continue;
    Part &right = parts[static_cast<size_t>(left.after)];
    left.token = best.merged;
    left.after = right.after;
    right.token = -1;
    if (left.after >= 0)
      parts[static_cast<size_t>(left.after)].before = best.position;
    consider(best.position);
    if (left.before >= 0)
      consider(left.before);
  }
  for (int32_t at = 0; at >= 0; at = parts[static_cast<size_t>(at)].after)
    tokens.push_back(parts[static_cast<size_t>(at)].token);
}

std::string Tokenizer::unmarked(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at)
    if (text[at] != kMark || (++at < text.size() && text[at] == kMark))
      result += text[at];
    else
      --at;
  return result;
}

void Tokenizer::encodeText(std::string_view text, bool marked, std::vector<int32_t> &tokens) const {
  std::string without;
  if (marked && text.find(kMark) != std::string_view::npos)
    text = without = unmarked(text);
  if (model == Model::Unigram)
    return encodeUnigram(text, tokens);
  if (model == Model::WordPiece)
    return encodeWords(text, tokens);
  if (!preTokenizer)
    return encodeSentence(text, tokens);
  std::string plain;
  if (isPlain_)
    text = plain = withSpaces(text);
  if (addsSpace_ && !text.empty() && text[0] != ' ')
    text = without = fmt::format(" {}", text);
  preTokenizer->split(text, [&](std::string_view piece) { encodePiece(piece, tokens); });
}

/// The length of the name of a token that `text` begins with, the longest; 0 if there is none.
size_t Tokenizer::namedAt(std::string_view text, bool control, int32_t &token) const {
  for (int32_t candidate : named[static_cast<unsigned char>(text[0])])
    if (text.starts_with(bytesOf(candidate)) &&
        (types[static_cast<size_t>(candidate)] == kUserDefined ? model != Model::Unigram
                                                               : control)) {
      token = candidate;
      return bytesOf(candidate).size();
    }
  return 0;
}

void Tokenizer::encode(std::string_view text, Control control, std::vector<int32_t> &tokens) const {
  const bool marked = control == Control::ParseMarked;
  std::string spaced;
  if (model == Model::SentencePiece)
    text = spaced = spaceSentences(text, control != Control::AsText);
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    int32_t token;
    const size_t length = namedAt(text.substr(at), control != Control::AsText, token);
    if (!length) {
      ++at;
      continue;
    }
    encodeText(text.substr(begin, at - begin), marked, tokens);
    tokens.push_back(token);
    begin = at += length;
  }
  encodeText(text.substr(begin), marked, tokens);
}

std::string Tokenizer::protect(std::string_view text) const {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at) {
    int32_t token;
    const size_t length = namedAt(text.substr(at), /*control=*/true, token);
    result += text[at];
    if (text[at] == kMark || (length > 1 && types[static_cast<size_t>(token)] != kUserDefined))
      result += kMark;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Tokens to text
//===----------------------------------------------------------------------===//

void Tokenizer::decode(int32_t token, std::string &to, bool control) const {
  if (control || !isControl(token))
    to += bytesOf(token);
}

} // namespace ttrt::language
