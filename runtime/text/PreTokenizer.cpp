// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/PreTokenizer.h"

#include "support/ApiSupport.h"
#include "text/Utf8.h"
#include "ttrt/format/pre_tokenizers.h"

#include <fmt/format.h>

#ifdef TTRT_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

namespace ttrt::language {

// White_Space of Unicode. PCRE2's \s has U+180E, too, which is none since Unicode 6.3.
#define SPACE                                                                                      \
  "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}"      \
  "\\x{205f}\\x{3000}"

// What most expressions end with: runs of white space, the last of which belongs to what follows.
#define SPACES "|[" SPACE "]+(?![^" SPACE "])|[" SPACE "]+"
#define LINES "|[" SPACE "]*[\\r\\n]+"
#define ENDINGS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define WORDS "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+"
#define OTHERS "| ?[^" SPACE "\\p{L}\\p{N}]+"

static constexpr char kGpt2[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+" OTHERS SPACES;
static constexpr char kDigit[] = "\\p{N}";
static constexpr char kThreeDigits[] = "\\p{N}{1,3}";
static constexpr char kNumber[] = "\\p{N}+";
// Llama 3, Qwen 2 and others differ in the length of numbers.
#define LLAMA(number) ENDINGS "|" WORDS "|" number OTHERS "[\\r\\n]*" LINES SPACES
static constexpr char kLlama3[] = LLAMA("\\p{N}{1,3}");
static constexpr char kQwen2[] = LLAMA("\\p{N}");
static constexpr char kMiniCpm5[] = LLAMA("\\p{N}+");
static constexpr char kQwen35[] = ENDINGS "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^" SPACE
                                          "\\p{L}\\p{M}\\p{N}]+[\\r\\n]*" LINES SPACES;
static constexpr char kUfakzeka[] = WORDS "|\\p{N}" OTHERS "[\\r\\n]*" LINES SPACES;
static constexpr char kSeedCoder[] =
    ENDINGS "|" WORDS "|\\p{N}| ?[^" SPACE "\\p{L}\\p{N}\\r\\n]+" LINES SPACES;
static constexpr char kBailing[] =
    "'(?i:[sdmt]|ll|ve|re)|" WORDS "|\\p{N}" OTHERS "[\\r\\n]*|[" SPACE "]*[\\r\\n]" SPACES;
// Words that are separated by a space stay together. Possessive: otherwise each word would take
// memory until the match is complete.
static constexpr char kExaoneMoe[] = ENDINGS
    "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}[\\p{L}\\p{M}]*+(?: \\p{L}[\\p{L}\\p{M}]*+)*+|\\p{N}" OTHERS
    "[\\r\\n/]?|[" SPACE "]*[\\r\\n]" SPACES;
static constexpr char kJais2[] = ENDINGS
    "|" WORDS "|\\p{N}{1,3}" OTHERS "[\\r\\n]*" LINES "|[" SPACE "]{512}(?![^" SPACE "])|[" SPACE
    "]{256}(?![^" SPACE "])|[" SPACE "]{128}(?![^" SPACE "])|[" SPACE "]{64}(?![^" SPACE
    "])|[" SPACE "]{32}(?![^" SPACE "])|[" SPACE "]{16}(?![^" SPACE "])|[" SPACE "]{8}(?![^" SPACE
    "])|[" SPACE "]{4}(?![^" SPACE "])|[" SPACE "]{1,2}(?![^" SPACE "])|[" SPACE "]";

// Words end where small letters are followed by capital ones.
#define CASED(upper, lower, ending, number, last)                                                  \
  "[^\\r\\n\\p{L}\\p{N}]?" upper "*" lower "+" ending "|[^\\r\\n\\p{L}\\p{N}]?" upper "+" lower    \
  "*" ending "|" number OTHERS last LINES SPACES
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
static constexpr char kTekken[] = CASED(UPPER, LOWER, "", "\\p{N}", "[\\r\\n/]*");
static constexpr char kGpt4o[] = CASED(UPPER, LOWER, ENDINGS "?", "\\p{N}{1,3}", "[\\r\\n/]*");
static constexpr char kYoutu[] = CASED(UPPER, LOWER, ENDINGS "?", "\\p{N}", "[\\r\\n/]*");
// The same letters and marks, without those of Chinese.
#define NEITHER "\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}\\p{sc:Han}]"
static constexpr char kKimi[] = "\\p{sc:Han}+|" CASED(
    "[^\\p{Ll}" NEITHER, "[^\\p{Lu}\\p{Lt}" NEITHER, ENDINGS "?", "\\p{N}{1,3}", "[\\r\\n]*");

static constexpr char kNewline[] = "[\\r\\n]";
static constexpr char kLines[] = "[^\\n]+|\\n+";
static constexpr char kLatinWords[] =
    "[" SPACE "]?["
    "A-Za-z\\x{b5}\\x{c0}-\\x{d6}\\x{d8}-\\x{f6}\\x{f8}-\\x{1ba}\\x{1bc}-\\x{1bf}\\x{1c4}-"
    "\\x{293}\\x{295}-\\x{2af}\\x{370}-\\x{373}\\x{376}\\x{377}\\x{37b}-\\x{37d}\\x{37f}\\x{386}"
    "\\x{388}-\\x{38a}\\x{38c}\\x{38e}-\\x{3a1}\\x{3a3}-\\x{3f5}\\x{3f7}-\\x{481}\\x{48a}-"
    "\\x{52f}\\x{531}-\\x{556}\\x{10a0}-\\x{10c5}\\x{13a0}-\\x{13f5}\\x{13f8}-\\x{13fd}\\x{1c90}-"
    "\\x{1cba}\\x{1cbd}-\\x{1cbf}\\x{1d00}-\\x{1d2b}\\x{1d6b}-\\x{1d77}\\x{1d79}-\\x{1d9a}"
    "\\x{1e00}-\\x{1f15}\\x{1f18}-\\x{1f1d}\\x{1f20}-\\x{1f45}\\x{1f48}-\\x{1f4d}\\x{1f50}-"
    "\\x{1f57}\\x{1f59}\\x{1f5b}\\x{1f5d}\\x{1f5f}-\\x{1f7d}\\x{1f80}-\\x{1fb4}\\x{1fb6}-"
    "\\x{1fbc}\\x{1fbe}\\x{1fc2}-\\x{1fc4}\\x{1fc6}-\\x{1fcc}\\x{1fd0}-\\x{1fd3}\\x{1fd6}-"
    "\\x{1fdb}\\x{1fe0}-\\x{1fec}\\x{1ff2}-\\x{1ff4}\\x{1ff6}-\\x{1ffc}\\x{2102}\\x{2107}"
    "\\x{210a}-\\x{2113}\\x{2115}\\x{2119}-\\x{211d}\\x{2124}\\x{2126}\\x{2128}\\x{212a}-"
    "\\x{212d}\\x{212f}-\\x{2134}\\x{2139}\\x{213c}-\\x{213f}\\x{2145}-\\x{2149}\\x{214e}"
    "\\x{2183}\\x{2184}\\x{2c00}-\\x{2c7b}\\x{2c7e}-\\x{2ce4}\\x{2ceb}-\\x{2cee}\\x{2cf2}"
    "\\x{2cf3}\\x{a640}-\\x{a66d}\\x{a680}-\\x{a69b}\\x{a722}-\\x{a76f}\\x{a771}-\\x{a787}"
    "\\x{a78b}-\\x{a78e}\\x{ab70}-\\x{abbf}\\x{fb00}-\\x{fb06}\\x{fb13}-\\x{fb17}\\x{ff21}-"
    "\\x{ff3a}\\x{ff41}-\\x{ff5a}\\x{10400}-\\x{1044f}\\x{104b0}-\\x{104d3}\\x{104d8}-\\x{104fb}"
    "\\x{10c80}-\\x{10cb2}\\x{10cc0}-\\x{10cf2}\\x{118a0}-\\x{118df}\\x{1e900}-\\x{1e943}"
    "]+";
static constexpr char kWidePunctuation[] =
    "[" SPACE "]?[!-/:-~\\x{ff01}-\\x{ff0f}\\x{ff1a}-\\x{ff5e}\\x{2018}-\\x{201f}\\x{3000}-"
    "\\x{3002}]+";
// The last run of spaces: from its beginning, so that no other run is looked at more than once.
static constexpr char kLastSpaces[] = "(?<![" SPACE "])[" SPACE "]++\\z";
static constexpr char kAsianWords[] = "[\\x{800}-\\x{9fa5}\\x{ac00}-\\x{d7ff}]+";
static constexpr char kChineseWords[] = "[\\x{4e00}-\\x{9fa5}\\x{3040}-\\x{30ff}]+";
static constexpr char kYoutuScripts[] =
    "[\\x{ac00}-\\x{d7a3}\\x{3131}-\\x{318e}]+|[\\x{ff01}\\x{2026}\\x{201c}\\x{201d}\\x{2018}"
    "\\x{2019}\\x{2014}\\x{ff1a}\\x{ff1b}\\x{ff0c}\\x{3001}-\\x{303f}\\x{fe30}-\\x{fe4f}]+"
    "|[\\x{3105}-\\x{312f}]+|[\\x{4e00}-\\x{9fa5}\\x{3040}-\\x{30ff}]+";
static constexpr char kUnspacedScripts[] =
    "["
    "\\x{4e00}-\\x{9fff}\\x{3400}-\\x{4dbf}\\x{8c48}-\\x{faff}\\x{3040}-\\x{309f}\\x{30a0}-"
    "\\x{30ff}\\x{ff65}-\\x{ff9f}\\x{2f00}-\\x{2fdf}\\x{e40}-\\x{e7f}\\x{e80}-\\x{eff}\\x{1780}-"
    "\\x{17ff}\\x{1000}-\\x{109f}\\x{aa60}-\\x{aa7f}\\x{a9e0}-\\x{a9ff}\\x{ac00}-\\x{d7af}"
    "\\x{1100}-\\x{11ff}"
    "]+";
static constexpr char kSpacedWords[] = "[" SPACE "]?\\p{L}+";
static constexpr char kSpacedPunctuation[] = "[" SPACE "]?\\p{P}+";
#define DEEPSEEK                                                                                   \
  "[!-/:-@\\[-`{-~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+"
static constexpr char kDeepSeek3[] = DEEPSEEK "[\\r\\n]*" LINES SPACES;
static constexpr char kSpark[] = DEEPSEEK "|[\\r\\n]" SPACES;

static constexpr char kPunctuation[] = "[\\p{P}$+<=>^~|]+";
static constexpr char kPunctuationOfFalcon[] = "[\\p{P}$+<=>^~|`]+";
static constexpr char kThreeAsciiDigits[] = "[0-9][0-9][0-9]";
static constexpr char kBloom[] = " ?[^(|.,!?)\\x{2026}\\x{3002}\\x{ff0c}\\x{3001}\\x{964}"
                                 "\\x{6d4}\\x{60c}" SPACE "]+";
static constexpr char kSentinel[] = "<sentinel:[0-9]+>";
static constexpr char kImage[] = "IMGIMG[A-I]{1,4}Z";
static constexpr char kIndent[] = "[\\t\\n]|    |  ";
static constexpr char kPunctuationMark[] = "[\\p{P}!-/:-@\\[-`{-~]";
static constexpr char kDecimals[] = "\\p{Nd}++";
// A number that ends a word, as Oniguruma has words: with letters, marks, letter-like numbers and
// symbols, underscores, and the superscript digits and fractions of Latin 1.
static constexpr char kLastDecimals[] =
    "(?<!\\p{Nd})\\p{Nd}++(?![\\p{L}\\p{M}\\p{Nl}\\p{Pc}\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}"
    "\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}])";

namespace {
/// What becomes of a match.
enum class Cut {
  Around,     ///< it is a piece
  Thousands,  ///< and is cut into groups of three digits, the first of which may be shorter
  InThousands ///< there is a cut before each group of three digits, and none after the last
};
struct Expression {
  Expression(const char *expression, Cut how = Cut::Around) : text(expression), cut(how) {}
  const char *text;
  Cut cut;
};
struct Kind {
  const char *name;
  std::vector<Expression> expressions;
};
} // namespace

static const std::vector<Kind> &kinds() {
  static const std::vector<Kind> all = {
      {"afmoe", {{kNumber, Cut::Thousands}, kUnspacedScripts, kDeepSeek3}},
      {"bailingmoe", {kBailing}},
      {"bloom", {kBloom}},
      {"chameleon", {kSentinel, kImage, kIndent, kDigit, kPunctuationMark, kGpt2}},
      {"deepseek-coder", {kNewline, kSpacedWords, kSpacedPunctuation, kAsianWords, kDigit}},
      {"deepseek-llm",
       {kNewline, kLatinWords, kWidePunctuation, kLastSpaces, kAsianWords, kNumber}},
      {"deepseek-v3", {kThreeDigits, kChineseWords, kDeepSeek3}},
      {"default", {kPunctuation, kGpt2, kNumber, kThreeAsciiDigits}},
      {"exaone-moe", {kExaoneMoe}},
      {"falcon", {kPunctuationOfFalcon, kGpt2, kThreeAsciiDigits}},
      {"gemma4", {kLines}},
      {"gpt-2", {kGpt2}},
      {"gpt-4o", {kGpt4o}},
      {"jais-2", {kJais2}},
      {"kimi-k2", {kKimi}},
      {"laguna", {kLines, kQwen2}},
      {"llama-bpe", {kLlama3}},
      {"minicpm5", {kThreeDigits, kMiniCpm5}},
      {"qwen2", {kQwen2}},
      {"qwen35", {kQwen35}},
      {"sarvam-moe", {kLines}},
      {"seed-coder", {kSeedCoder}},
      {"smollm", {kDigit, kGpt2}},
      {"spark2_5", {kThreeDigits, kChineseWords, kSpark, kDigit}},
      {"superbpe", {kNumber, {kDecimals, Cut::InThousands}}},
      {"tekken", {kTekken}},
      {"tiny_aya", {{kLastDecimals, Cut::Thousands}, kGpt4o}},
      {"ufakzeka", {kUfakzeka}},
      {"viking", {kBloom, kDigit}},
      {"youtu", {kYoutuScripts, kYoutu}}};
  return all;
}

#ifdef TTRT_PCRE2
struct PreTokenizer::Stage {
  Cut cut;
  pcre2_code *code = nullptr;
  pcre2_match_context *limits = nullptr;

  explicit Stage(const Expression &expression) : cut(expression.cut) {
    int error;
    PCRE2_SIZE offset;
    code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.text), PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
    limits = pcre2_match_context_create(nullptr);
    if (!code || !limits)
      throw std::bad_alloc();
    // A long run of spaces is no reason to give up: the steps go by its length.
    pcre2_set_match_limit(limits, UINT32_MAX);
    pcre2_set_heap_limit(limits, UINT32_MAX);
  }
  ~Stage() {
    pcre2_match_context_free(limits);
    pcre2_code_free(code);
  }
  Stage(const Stage &) = delete;
  Stage &operator=(const Stage &) = delete;

  /// Where the first match from `from` on begins and ends; the end of the text twice if there is
  /// none.
  std::pair<size_t, size_t> find(std::string_view text, size_t from,
                                 pcre2_match_data *found) const {
    const int count = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                  from, PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, found, limits);
    if (count == PCRE2_ERROR_NOMATCH)
      return {text.size(), text.size()};
    if (count < 0)
      throw std::bad_alloc(); // the only other error of these expressions
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(found);
    return {ends[0], ends[1]};
  }
};

/// What PCRE2 writes while it matches: a call's own, so that threads can share the expressions.
struct PreTokenizer::Scratch {
  pcre2_match_data *found = pcre2_match_data_create(1, nullptr);

  Scratch() {
    if (!found)
      throw std::bad_alloc();
  }
  ~Scratch() { pcre2_match_data_free(found); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
};
#else
struct PreTokenizer::Scratch {
  void *found = nullptr;
};
struct PreTokenizer::Stage {
  Cut cut = Cut::Around;
  explicit Stage(const Expression &) {
    throw support::Error{TTRT_UNSUPPORTED,
                         "libttrt_text was built without PCRE2, which tokenizers need"};
  }
  std::pair<size_t, size_t> find(std::string_view text, size_t, void *) const {
    return {text.size(), text.size()};
  }
};
#endif

PreTokenizer::PreTokenizer(const std::string &name) {
  const PreTokenizerName *named = findPreTokenizer(name);
  std::string known;
  for (const Kind &kind : kinds()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
    if (!named || named->meant != kind.name)
      continue;
    for (const Expression &expression : kind.expressions)
      stages.push_back(std::make_unique<Stage>(expression));
    ignoresMerges_ = named->ignoresMerges;
    keepsNewlines_ = named->meant == "gemma4";
    hasPlainTokens_ = ttrt::hasPlainTokens(*named);
    return;
  }
  throw support::Error{
      TTRT_UNSUPPORTED,
      fmt::format("expected one of the pre-tokenizers {}, found '{}'", known, printable(name))};
}

PreTokenizer::~PreTokenizer() = default;
PreTokenizer::PreTokenizer(PreTokenizer &&) noexcept = default;
PreTokenizer &PreTokenizer::operator=(PreTokenizer &&) noexcept = default;

void PreTokenizer::splitFrom(size_t stage, std::string_view text, Scratch &scratch,
                             const std::function<void(std::string_view)> &use) const {
  if (stage == stages.size())
    return use(text);
  // The next stage sees a piece and nothing after it, which decides what a space is followed by.
  size_t at = 0;
  auto cutAt = [&](size_t position) {
    if (position > at)
      splitFrom(stage + 1, text.substr(at, position - at), scratch, use);
    at = position;
  };
  for (size_t from = 0; from < text.size();) {
    const auto [begin, end] = stages[stage]->find(text, from, scratch.found);
    const Cut cut = begin < end ? stages[stage]->cut : Cut::Around;
    if (cut == Cut::Around || cut == Cut::Thousands)
      cutAt(begin);
    if (cut != Cut::Around) {
      size_t digits = 0;
      for (size_t i = begin; i < end; ++digits)
        i += utf8Length(text.substr(i));
      for (size_t i = begin; i < end; --digits) {
        if (digits % 3 == 0)
          cutAt(i);
        i += utf8Length(text.substr(i));
      }
    }
    if (cut != Cut::InThousands)
      cutAt(end);
    from = end;
  }
  cutAt(text.size());
}

/// Calls use(part, whether it is UTF-8) for parts as long as possible.
template <typename Use> static void eachWellFormed(std::string_view text, Use use) {
  while (!text.empty()) {
    const bool good = utf8Length(text) != 0;
    size_t end = 0;
    while (end < text.size()) {
      const size_t length = utf8Length(text.substr(end));
      if ((length != 0) != good)
        break;
      end += length ? length : 1;
    }
    use(text.substr(0, end), good);
    text.remove_prefix(end);
  }
}

void PreTokenizer::split(std::string_view text,
                         const std::function<void(std::string_view)> &use) const {
  if (text.empty())
    return;
  Scratch scratch;
  eachWellFormed(text, [&](std::string_view part, bool good) {
    if (good)
      splitFrom(0, part, scratch, use);
    else
      use(part);
  });
}

struct Pattern::Code {
  explicit Code(const char *expression) : stage(Expression(expression)) {}
  PreTokenizer::Stage stage;
};

Pattern::Pattern(const char *expression) : code(std::make_unique<const Code>(expression)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern &&) noexcept = default;
Pattern &Pattern::operator=(Pattern &&) noexcept = default;

void Pattern::each(std::string_view text,
                   const std::function<void(std::string_view, bool)> &use) const {
  if (text.empty())
    return;
  PreTokenizer::Scratch scratch;
  eachWellFormed(text, [&](std::string_view part, bool good) {
    for (size_t at = 0; good && at < part.size();) {
      const auto [begin, end] = code->stage.find(part, at, scratch.found);
      if (begin > at)
        use(part.substr(at, begin - at), false);
      if (end > begin)
        use(part.substr(begin, end - begin), true);
      at = end;
    }
  });
}

} // namespace ttrt::language
