// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Lexer.h"

#include "text/Template/Value.h"
#include "text/Utf8.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace ttrt::language::chat {

void failAt(int line, const std::string &message) {
  throw Failure(fmt::format("line {}: {}", line, message));
}

static bool isSpace(char c) { return std::string_view(" \t\n\r\v\f").find(c) != std::string::npos; }
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

namespace {
class Lexer {
public:
  explicit Lexer(std::string_view source) {
    for (size_t i = 0; i < source.size(); ++i) // newlines are \n
      if (source[i] != '\r')
        text += source[i];
      else if (i + 1 == source.size() || source[i + 1] != '\n')
        text += '\n';
    if (text.ends_with('\n'))
      text.pop_back();
  }

  std::vector<Segment> run() {
    while (at < text.size()) {
      const size_t tag = findTag();
      lexText(std::string_view(text).substr(at, tag - at), tag);
      if (tag < text.size())
        lexTag(tag);
    }
    return std::move(segments);
  }

private:
  size_t findTag() const {
    for (size_t i = text.find('{', at); i != std::string::npos; i = text.find('{', i + 1))
      if (i + 1 < text.size() && std::string_view("{%#").find(text[i + 1]) != std::string::npos)
        return i;
    return text.size();
  }

  char charAt(size_t i) const { return i < text.size() ? text[i] : '\0'; }

  /// Text up to the tag at `tag`, which may remove spaces at its end.
  void lexText(std::string_view piece, size_t tag) {
    const char sign = charAt(tag + 2);
    const int first = line;
    line += static_cast<int>(std::count(piece.begin(), piece.end(), '\n'));
    at = tag;
    if (tag < text.size() && sign == '-') {
      while (!piece.empty() && isSpace(piece.back()))
        piece.remove_suffix(1);
    } else if (tag < text.size() && sign != '+' && charAt(tag + 1) != '{') {
      const size_t newline = piece.rfind('\n');
      const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
      const bool blank = std::all_of(piece.begin() + static_cast<ptrdiff_t>(begin), piece.end(),
                                     [](char c) { return isSpace(c); });
      if (blank && (begin > 0 || startsLine))
        piece = piece.substr(0, begin);
    }
    if (!piece.empty())
      segments.push_back({Segment::Kind::Text, first, std::string(piece), {}});
  }

  void lexTag(size_t tag) {
    const char open = text[tag + 1];
    const int first = line;
    at = tag + 2;
    if (open == '#') {
      const size_t end = text.find("#}", at);
      if (end == std::string::npos)
        failAt(first, "expected '#}' at the end of the comment");
      skipTo(end);
      const bool strips = end > tag + 2 && text[end - 1] == '-';
      return endTag(strips, /*trims=*/true);
    }
    if (charAt(at) == '-' || charAt(at) == '+')
      ++at;
    const char close = open == '{' ? '}' : '%';
    std::vector<Token> tokens;
    int brackets = 0;
    for (;;) {
      while (at < text.size() && isSpace(text[at]))
        skipTo(at + 1);
      if (at == text.size())
        failAt(first, fmt::format("expected '{}}}' at the end of the tag", close));
      if (brackets == 0) {
        const bool sign = text[at] == '-' || (text[at] == '+' && close == '%');
        if (charAt(at + sign) == close && charAt(at + sign + 1) == '}') {
          const bool strips = text[at] == '-', keeps = text[at] == '+';
          tokens.push_back({Token::Kind::End, "", line});
          segments.push_back({open == '{' ? Segment::Kind::Output : Segment::Kind::Statement, first,
                              "", std::move(tokens)});
          at += sign;
          return endTag(strips, /*trims=*/open == '%' && !keeps);
        }
      }
      tokens.push_back(lexToken());
      const std::string &token = tokens.back().text;
      if (tokens.back().kind == Token::Kind::Operator) {
        brackets += token == "(" || token == "[" || token == "{";
        brackets -= (token == ")" || token == "]" || token == "}") && brackets > 0;
      }
    }
  }

  /// Continues after the two characters that close a tag.
  void endTag(bool strips, bool trims) {
    at += 2;
    const size_t begin = at;
    while (strips && at < text.size() && isSpace(text[at]))
      skipTo(at + 1);
    if (!strips && trims && charAt(at) == '\n')
      skipTo(at + 1);
    startsLine = at > begin && text[at - 1] == '\n';
  }

  void skipTo(size_t end) {
    line += static_cast<int>(std::count(text.begin() + static_cast<ptrdiff_t>(at),
                                        text.begin() + static_cast<ptrdiff_t>(end), '\n'));
    at = end;
  }

  Token lexToken() {
    const char c = text[at];
    if (c == '"' || c == '\'')
      return lexString(c);
    if (isDigit(c))
      return lexNumber();
    const size_t begin = at;
    if (isLetter(c)) {
      while (isLetter(charAt(at)) || isDigit(charAt(at)))
        ++at;
      return {Token::Kind::Name, text.substr(begin, at - begin), line};
    }
    for (const char *wide : {"==", "!=", "<=", ">=", "//", "**"})
      if (text.compare(at, 2, wide) == 0) {
        at += 2;
        return {Token::Kind::Operator, wide, line};
      }
    if (std::string_view("+-*/%~<>=.:|,()[]{}").find(c) == std::string::npos)
      failAt(line, fmt::format("expected an expression, found '{}'",
                               printable(std::string_view(text).substr(at, 1))));
    ++at;
    return {Token::Kind::Operator, std::string(1, c), line};
  }

  Token lexNumber() {
    const size_t begin = at;
    auto digits = [&] {
      while (isDigit(charAt(at)) || (charAt(at) == '_' && isDigit(charAt(at + 1))))
        ++at;
    };
    digits();
    bool real = false;
    if (charAt(at) == '.' && isDigit(charAt(at + 1))) {
      real = true;
      ++at;
      digits();
    }
    if (const char e = charAt(at); e == 'e' || e == 'E') {
      const bool sign = charAt(at + 1) == '-' || charAt(at + 1) == '+';
      if (isDigit(charAt(at + 1 + sign))) {
        real = true;
        at += 1 + sign;
        digits();
      }
    }
    std::string number = text.substr(begin, at - begin);
    number.erase(std::remove(number.begin(), number.end(), '_'), number.end());
    return {real ? Token::Kind::Real : Token::Kind::Integer, std::move(number), line};
  }

  Token lexString(char quote) {
    const int first = line;
    std::string value;
    for (++at;; ++at) {
      if (at >= text.size())
        failAt(first, "expected the end of a string");
      if (text[at] == quote)
        break;
      line += text[at] == '\n';
      if (text[at] != '\\') {
        value += text[at];
        continue;
      }
      ++at;
      lexEscape(value);
    }
    ++at;
    return {Token::Kind::String, std::move(value), first};
  }

  /// The escapes of Python. Others stay as they are.
  void lexEscape(std::string &value) {
    const char c = charAt(at);
    const size_t letter = std::string_view("\\'\"nrtabfv0").find(c);
    const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (c == '\n') {
      ++line;
    } else if (digits) {
      uint32_t code = 0;
      const char *begin = text.data() + std::min(at + 1, text.size());
      const char *end = std::min<const char *>(begin + digits, text.data() + text.size());
      if (static_cast<size_t>(end - begin) < digits ||
          std::from_chars(begin, end, code, 16).ptr != end || code > 0x10ffff ||
          (code >= 0xd800 && code < 0xe000))
        failAt(line, fmt::format("expected a code point in {} hexadecimal digits", digits));
      appendUtf8(value, code);
      at += digits;
    } else if (letter != std::string_view::npos && c != '\0') {
      value += std::string_view("\\'\"\n\r\t\a\b\f\v\0", 11)[letter];
    } else {
      value += '\\';
      --at;
    }
  }

  std::string text;
  size_t at = 0;
  int line = 1;
  bool startsLine = true; ///< no text of this line has been read
  std::vector<Segment> segments;
};
} // namespace

std::vector<Segment> lex(std::string_view source) { return Lexer(source).run(); }

} // namespace ttrt::language::chat
