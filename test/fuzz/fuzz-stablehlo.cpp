// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as a module of StableHLO. Most inputs are modules in form: their names of ops, numbers,
// types and values are exchanged with others, and lines are dropped and doubled.

#include "Import.h"
#include "lib/Import/Stablehlo/Core/StablehloRegistry.h"
#include "ttc/Import/StablehloImport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <random>
#include <string>
#include <vector>

using namespace mlir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzzImport(
      data, size, "fuzz.mlir", [](const llvm::MemoryBuffer &buffer, MLIRContext *context) {
        const auto sources = std::make_shared<llvm::SourceMgr>();
        sources->AddNewSourceBuffer(
            llvm::MemoryBuffer::getMemBufferCopy(buffer.getBuffer(), "fuzz.mlir"), SMLoc());
        constexpr int64_t most = 1 << 12; // a loop that never ends would take a minute
        return ttc::parseStablehlo(sources, context, most);
      });
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

namespace {

/// The text in pieces: words (of letters, digits, '_', '.', '%'), and single other characters.
std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> pieces;
  bool inWord = false;
  for (const char c : text) {
    const bool isWord = llvm::isAlnum(c) || c == '_' || c == '.' || c == '%';
    if (isWord && inWord)
      pieces.back() += c;
    else
      pieces.emplace_back(1, c);
    inWord = isWord;
  }
  return pieces;
}

std::string change(const std::string &text, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](size_t count) { return random() % count; };
  std::vector<std::string> pieces = split(text);
  std::vector<size_t> words;
  for (size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].size() > 1 || llvm::isAlnum(pieces[i][0]))
      words.push_back(i);
  if (words.empty())
    return text;
  const size_t at = words[below(words.size())];
  std::string &word = pieces[at];
  static const SmallVector<StringRef> names = ttc::StablehloRegistry::get().names();
  static const char *const numbers[] = {
      "0", "1", "2", "3", "7", "64", "9223372036854775807", "4294967296"};
  static const char *const types[] = {"f32", "f64", "bf16", "i1",  "i8",
                                      "ui8", "i32", "ui32", "i64", "ui64"};
  if (word.find("stablehlo.") == 0 && below(2)) {
    const StringRef name = names[below(names.size())];
    word = (name.contains('.') ? "" : "stablehlo.") + name.str();
  } else if (llvm::isDigit(word[0]) && below(4)) {
    word = (below(4) == 0 && pieces[at - (at > 0)] != "-" ? "-" : "") +
           std::string(numbers[below(std::size(numbers))]);
  } else if (below(6) == 0) {
    // A line less, or one more.
    size_t begin = at, end = at;
    while (begin > 0 && pieces[begin - 1] != "\n")
      --begin;
    while (end < pieces.size() && pieces[end] != "\n")
      ++end;
    const std::vector<std::string> line(pieces.begin() + static_cast<ptrdiff_t>(begin),
                                        pieces.begin() + static_cast<ptrdiff_t>(end));
    if (below(2))
      pieces.erase(pieces.begin() + static_cast<ptrdiff_t>(begin),
                   pieces.begin() + static_cast<ptrdiff_t>(end));
    else
      pieces.insert(pieces.begin() + static_cast<ptrdiff_t>(begin), line.begin(), line.end());
  } else if (below(4) == 0) {
    // All tensors of one element type.
    const std::string from = types[below(std::size(types))], to = types[below(std::size(types))];
    for (std::string &piece : pieces)
      if (StringRef(piece).ends_with("x" + from))
        piece.replace(piece.size() - from.size(), from.size(), to);
      else if (piece == from)
        piece = to;
  } else {
    // Another word of the same kind.
    std::vector<size_t> alike;
    for (const size_t other : words)
      if (pieces[other][0] == word[0] ||
          (llvm::isDigit(pieces[other][0]) && llvm::isDigit(word[0])))
        alike.push_back(other);
    word = pieces[alike[below(alike.size())]];
  }
  std::string changed;
  for (const std::string &piece : pieces)
    changed += piece;
  return changed;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity,
                                          unsigned seed) {
  if (seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, capacity);
  std::string text(reinterpret_cast<const char *>(data), size);
  for (unsigned times = 1 + seed / 16 % 3; times > 0; --times)
    text = change(text, seed + times);
  if (text.empty() || text.size() > capacity)
    return LLVMFuzzerMutate(data, size, capacity);
  std::copy(text.begin(), text.end(), reinterpret_cast<char *>(data));
  return text.size();
}
