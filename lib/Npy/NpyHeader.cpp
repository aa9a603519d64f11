// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Npy/NpyHeader.h"

#include <set>

namespace ttc {

namespace {
/// The header's Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
/// The first problem counts.
class Parser {
public:
  Parser(std::string_view text, NpyHeader &header) : text(text), header(header) {}

  void parse() {
    expect('{');
    while (isGood() && !accept('}')) {
      const std::string key = quoted();
      if (!keys.insert(key).second)
        fail("the key '" + key + "' for the second time");
      expect(':');
      if (key == "descr")
        header.descr = quoted();
      else if (key == "fortran_order")
        parseOrder();
      else if (key == "shape")
        parseShape();
      else
        fail("unknown key '" + key + "'");
      if (!accept(',') && peek() != '}')
        fail("expected ',' or '}'");
    }
    if (peek() || at != text.size())
      fail("text after the dictionary");
    if (keys.size() != 3)
      fail("expected the keys descr, fortran_order and shape");
  }

private:
  bool isGood() const { return header.problem.empty(); }
  void fail(const std::string &what) {
    if (isGood())
      header.problem = "malformed .npy header, at character " + std::to_string(at) + ": " + what;
  }
  char peek() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
    return at < text.size() ? text[at] : 0;
  }
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(std::string("expected '") + c + "'");
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      fail("expected a string; structured arrays are not supported");
      return "";
    }
    const size_t end = text.find(quote, ++at);
    if (end == text.npos) {
      fail("unterminated string");
      return "";
    }
    const std::string_view value = text.substr(at, end - at);
    at = end + 1;
    return std::string(value);
  }
  void parseOrder() {
    peek();
    for (bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text.substr(at).starts_with(word)) {
        at += word.size();
        header.fortran = value;
        return;
      }
    }
    fail("expected True or False");
  }
  void parseShape() {
    expect('(');
    while (isGood() && !accept(')')) {
      auto isDigit = [&](size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
      peek();
      if (!isDigit(at))
        fail("expected a dimension");
      if (isDigit(at) && text[at] == '0' && isDigit(at + 1))
        fail("expected a dimension without a zero before it");
      uint64_t value = 0;
      for (; isGood() && isDigit(at); ++at)
        if (value = value * 10 + static_cast<uint64_t>(text[at] - '0'); value > (uint64_t(1) << 48))
          fail("dimension is too large");
      header.shape.push_back(static_cast<int64_t>(value));
      if (header.shape.size() > 64)
        fail("more than 64 dimensions");
      const bool hasComma = accept(',');
      if (!hasComma && peek() != ')')
        fail("expected ',' or ')'");
      // In Python (3) is a number.
      if (!hasComma && header.shape.size() == 1)
        fail("expected ',' after the only dimension");
    }
  }

  std::string_view text;
  NpyHeader &header;
  size_t at = 0;
  std::set<std::string> keys;
};
} // namespace

NpyHeader readNpyHeader(std::string_view file) {
  NpyHeader header;
  auto byte = [&](size_t i) { return static_cast<unsigned char>(file[i]); };
  if (file.size() < 8 || !file.starts_with("\x93NUMPY")) {
    header.problem = file.starts_with("version https://git-lfs")
                         ? "a pointer of Git LFS to a .npy file: 'git lfs pull' fetches it"
                         : "not a .npy file";
    return header;
  }
  const unsigned version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0) {
    header.problem = ".npy version " + std::to_string(version) + "." + std::to_string(byte(7)) +
                     "; expected 1.0, 2.0 or 3.0";
    return header;
  }
  const size_t start = version == 1 ? 10 : 12;
  size_t length = 0;
  for (size_t i = start; i > 8 && file.size() >= start; --i)
    length = length << 8 | byte(i - 1);
  header.bytes = start + length;
  if (length > kMostNpyHeaderBytes - 12)
    header.problem = "its header has " + std::to_string(length) + " bytes";
  else if (file.size() < start || file.size() < header.bytes)
    header.problem = "ends in its header";
  else
    Parser(file.substr(start, length), header).parse();
  return header;
}

} // namespace ttc
