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

static constexpr char kGpt2[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^" SPACE "\\p{L}\\p{N}]+"
    "|[" SPACE "]+(?![^" SPACE "])|[" SPACE "]+";
static constexpr char kDigit[] = "\\p{N}";
// Llama 3 and Qwen 2 differ in the length of numbers.
#define LLAMA(number)                                                                              \
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" number "| ?[^" SPACE               \
  "\\p{L}\\p{N}]+[\\r\\n]*|[" SPACE "]*[\\r\\n]+|[" SPACE "]+(?![^" SPACE "])|[" SPACE "]+"
static constexpr char kLlama3[] = LLAMA("\\p{N}{1,3}");
static constexpr char kQwen2[] = LLAMA("\\p{N}");

namespace {
struct Kind {
  const char *name;
  std::vector<const char *> expressions;
  bool ignoresMerges = false;
};
} // namespace

static const std::vector<Kind> &kinds() {
  static const std::vector<Kind> all = {{"dbrx", {kLlama3}},
                                        {"gpt-2", {kGpt2}},
                                        {"llama-bpe", {kLlama3}, true},
                                        {"qwen2", {kQwen2}},
                                        {"smollm", {kDigit, kGpt2}}};
  return all;
}

#ifdef TTRT_PCRE2
struct PreTokenizer::Stage {
  pcre2_code *code = nullptr;
  pcre2_match_context *limits = nullptr;

  explicit Stage(const char *expression) {
    int error;
    PCRE2_SIZE offset;
    code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression), PCRE2_ZERO_TERMINATED,
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
  explicit Stage(const char *) {
    throw support::Error{TTRT_UNSUPPORTED,
                         "libttrt_text was built without PCRE2, which tokenizers need"};
  }
  std::pair<size_t, size_t> find(std::string_view text, size_t, void *) const {
    return {text.size(), text.size()};
  }
};
#endif

PreTokenizer::PreTokenizer(const std::string &name) {
  const std::string_view meant = findPreTokenizer(name);
  std::string known;
  for (const Kind &kind : kinds()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
    if (meant != kind.name)
      continue;
    for (const char *expression : kind.expressions)
      stages.push_back(std::make_unique<Stage>(expression));
    ignoresMerges_ = kind.ignoresMerges;
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
  for (size_t at = 0; at < text.size();) {
    const auto [begin, end] = stages[stage]->find(text, at, scratch.found);
    if (begin > at)
      splitFrom(stage + 1, text.substr(at, begin - at), scratch, use);
    if (end > begin)
      splitFrom(stage + 1, text.substr(begin, end - begin), scratch, use);
    at = end;
  }
}

void PreTokenizer::split(std::string_view text,
                         const std::function<void(std::string_view)> &use) const {
  if (text.empty())
    return;
  Scratch scratch;
  while (!text.empty()) {
    const bool good = utf8Length(text) != 0;
    size_t end = 0;
    while (end < text.size()) {
      const size_t length = utf8Length(text.substr(end));
      if ((length != 0) != good)
        break;
      end += length ? length : 1;
    }
    if (good)
      splitFrom(0, text.substr(0, end), scratch, use);
    else
      use(text.substr(0, end));
    text.remove_prefix(end);
  }
}

} // namespace ttrt::language
