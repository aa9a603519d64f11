// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Make the values of a render, which pay for every byte and element, and have at most 64 MiB.

#ifndef TTRT_TEXT_TEMPLATE_WRITERS_H
#define TTRT_TEXT_TEMPLATE_WRITERS_H

#include "text/Template/Value.h"

#include <algorithm>

namespace ttrt::language::chat {

class TextWriter {
public:
  explicit TextWriter(Budget &budget) : budget(budget) { budget.hold(kOverhead); }

  void add(std::string_view more) {
    pay(more.size());
    text += more;
  }
  void fill(size_t count, char c) {
    pay(count);
    text.append(count, c);
  }
  void repeat(std::string_view more, uint64_t times) {
    uint64_t bytes;
    pay(__builtin_mul_overflow(more.size(), times, &bytes) ? UINT64_MAX / 2 : bytes);
    const size_t begin = text.size(), end = begin + bytes;
    if (bytes)
      text.append(more);
    while (text.size() < end)
      text.append(text, begin, std::min(text.size() - begin, end - text.size()));
  }
  size_t size() const { return text.size(); }
  std::string take() { return std::move(text); }
  /// The same as Text, which costs nothing more.
  Text share() { return std::make_shared<const std::string>(std::move(text)); }

  Budget &budget;

private:
  static constexpr size_t kOverhead = sizeof(std::string) + 2 * sizeof(void *);

  void pay(uint64_t bytes) {
    requireSize(text.size() + bytes);
    budget.read(bytes);
    budget.hold(bytes);
  }

  std::string text;
};

/// What a render makes of `text`.
inline Text makeText(std::string_view text, Budget &budget) {
  TextWriter writer(budget);
  writer.add(text);
  return writer.share();
}

class ListWriter {
public:
  explicit ListWriter(Budget &budget) : budget(budget) { budget.hold(sizeof(ListBody)); }

  void add(Value value) {
    budget.step();
    budget.hold(sizeof(Value));
    requireSize((items.size() + 1) * sizeof(Value));
    items.push_back(std::move(value));
  }
  void addText(std::string_view text) { add(makeText(text, budget)); }
  void addAll(const std::vector<Value> &more) {
    for (const Value &value : more)
      add(value);
  }
  std::vector<Value> take() { return std::move(items); }

private:
  Budget &budget;
  std::vector<Value> items;
};

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_WRITERS_H
