// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/Nesting.h"

using namespace mlir;

static constexpr size_t kMostOpen = 256;

std::string mlir::ttc::checkNesting(StringRef ir, StringRef file) {
  if (ir.starts_with("ML\xefR"))
    return "";
  size_t open = 0, line = 1;
  for (size_t i = 0; i < ir.size(); ++i) {
    const char c = ir[i], next = i + 1 < ir.size() ? ir[i + 1] : 0;
    switch (c) {
    case '\n':
      ++line;
      break;
    case '"':
      while (++i < ir.size() && ir[i] != '"' && ir[i] != '\n')
        i += ir[i] == '\\';
      break;
    case '/':
      if (next == '/')
        i = std::min(ir.find('\n', i), ir.size()) - 1;
      break;
    case '-':
    case '<':
    case '>':
      // -> and the comparisons of integer sets are no brackets.
      if (next == (c == '-' ? '>' : '=')) {
        ++i;
        break;
      }
      if (c == '<')
        ++open;
      else if (c == '>' && open > 0)
        --open;
      break;
    case '(':
    case '[':
    case '{':
      ++open;
      break;
    case ')':
    case ']':
    case '}':
      open -= open > 0;
      break;
    }
    if (open > kMostOpen)
      return (file + ":" + Twine(line) + ": expected at most " + Twine(kMostOpen) +
              " open brackets, found more")
          .str();
  }
  return "";
}
