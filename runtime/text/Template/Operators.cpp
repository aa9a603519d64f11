// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Builtins.h"

#include "text/Template/Characters.h"
#include "text/Template/Strings.h"
#include "text/Template/Writers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace ttrt::language::chat {

double realOf(const Value &value) {
  if (const auto *flag = value.as<bool>())
    return *flag;
  if (const auto *number = value.as<int64_t>())
    return static_cast<double>(*number);
  return *value.as<double>();
}

bool isInteger(const Value &value) { return value.is<int64_t>() || value.is<bool>(); }

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

[[noreturn]] static void failUse(const Value &value, const std::string &what) {
  throw Failure(fmt::format("expected a value with {}, found {}", what, value.kind()));
}

/// Undefined, for messages.
static Value unknown(const std::string &name, Budget &budget) {
  budget.read(name.size());
  budget.hold(name.size());
  return Undefined(name);
}

Value attributeOf(const Value &value, const std::string &name, Budget &budget) {
  if (value.is<Undefined>())
    failUse(value, "a field '" + printable(name) + "'");
  if (Value method = methodOf(value, name, budget); !method.is<Undefined>())
    return method;
  if (const auto *dict = value.as<Dict>())
    if (const Value *found = (*dict)->find(name, budget))
      return *found;
  return unknown(name, budget);
}

/// The character at `at`, which may be negative; null if there is none.
static Value characterAt(std::string_view text, int64_t at, Budget &budget) {
  const bool fromEnd = at < 0;
  for (uint64_t skipped = fromEnd ? -(at + 1) : at; !text.empty(); --skipped) {
    const std::string_view character = fromEnd ? lastCharacter(text) : firstCharacter(text);
    budget.scan(character.size());
    if (skipped == 0)
      return makeText(character, budget);
    if (fromEnd)
      text.remove_suffix(character.size());
    else
      text.remove_prefix(character.size());
  }
  return Undefined();
}

Value elementOf(const Value &value, const Value &index, Budget &budget) {
  if (const auto *name = index.as<std::string>()) {
    if (const auto *dict = value.as<Dict>())
      if (const Value *found = (*dict)->find(*name, budget))
        return *found;
    return attributeOf(value, *name, budget);
  }
  if (value.is<Undefined>())
    failUse(value, "elements");
  if (!isInteger(index))
    return Undefined();
  int64_t at = requireInteger(index, "an index");
  if (const auto *dict = value.as<Dict>())
    if (const Value *found = (*dict)->find(at, budget))
      return *found;
  if (const auto *text = value.as<std::string>())
    return characterAt(*text, at, budget);
  if (!value.is<List>())
    return Undefined();
  const std::vector<Value> &items = value.items();
  const auto size = static_cast<int64_t>(items.size());
  if (at < 0)
    at += size;
  return at >= 0 && at < size ? items[static_cast<size_t>(at)] : Value();
}

Value endOf(const Value &value, bool last, Budget &budget) {
  if (value.is<List>() || value.is<std::string>())
    return elementOf(value, Value(int64_t(last ? -1 : 0)), budget);
  const std::vector<Value> items = value.elements(budget);
  return items.empty() ? Value() : last ? items.back() : items.front();
}

namespace {
/// The elements from `from` to before `to`, every `stride`-th one; backwards if that is negative.
struct Slice {
  int64_t from, to, stride;

  /// Calls visit(place) for each of them.
  template <typename Visit> void each(Visit visit) const {
    for (int64_t at = from; stride > 0 ? at < to : at > to;) {
      visit(static_cast<size_t>(at));
      if (__builtin_add_overflow(at, stride, &at))
        break;
    }
  }
};
} // namespace

static Slice clippedSlice(int64_t size, const Value &begin, const Value &end, const Value &step) {
  auto given = [](const Value &part) { return !part.is<Undefined>() && !part.is<None>(); };
  const int64_t stride = given(step) ? requireInteger(step, "the step of a slice") : 1;
  if (stride == 0)
    throw Failure("the step of a slice is 0");
  // As Python clips them: to the elements, and for steps back to those before them.
  auto clip = [&](const Value &part, int64_t otherwise) {
    if (!given(part))
      return otherwise;
    int64_t at = requireInteger(part, "an end of a slice");
    if (at < 0)
      at = at < -size ? -1 : at + size;
    return std::clamp<int64_t>(at, stride > 0 ? 0 : -1, stride > 0 ? size : size - 1);
  };
  return {clip(begin, stride > 0 ? 0 : size - 1), clip(end, stride > 0 ? size : -1), stride};
}

static Value sliceOfText(std::string_view text, const Slice &slice, Budget &budget) {
  TextWriter result(budget);
  if (slice.stride < 0) {
    auto place = static_cast<int64_t>(countCharacters(text)) - 1;
    slice.each([&](size_t next) {
      for (; place > static_cast<int64_t>(next); --place)
        text.remove_suffix(lastCharacter(text).size());
      result.add(lastCharacter(text));
    });
    return result.share();
  }
  size_t at = 0; // in bytes
  int64_t place = 0;
  auto goTo = [&](int64_t next) {
    for (; place < next && at < text.size(); ++place)
      at += firstCharacter(text.substr(at)).size();
  };
  goTo(slice.from);
  if (const size_t begin = at; slice.stride == 1) {
    goTo(slice.to);
    result.add(text.substr(begin, at - begin));
    return result.share();
  }
  slice.each([&](size_t next) {
    goTo(static_cast<int64_t>(next));
    if (at < text.size())
      result.add(firstCharacter(text.substr(at)));
  });
  return result.share();
}

Value sliceOf(const Value &value, const Value &begin, const Value &end, const Value &step,
              Budget &budget) {
  if (const auto *text = value.as<std::string>()) {
    auto isFromStart = [](const Value &part) {
      const auto *at = part.as<int64_t>();
      return at && *at >= 0;
    };
    // A beginning can be cut off without the number of characters, which are at most the bytes.
    if (isFromStart(end) && !step.isNumber()) {
      const auto most = static_cast<int64_t>(text->size());
      const Slice slice = clippedSlice(most, begin, end, step);
      if (!begin.isNumber() || isFromStart(begin)) {
        budget.scan(std::min<uint64_t>(4 * static_cast<uint64_t>(slice.to), text->size()));
        return sliceOfText(*text, slice, budget);
      }
    }
    budget.scan(3 * text->size()); // to count the characters, and to find some of them
    return sliceOfText(*text,
                       clippedSlice(static_cast<int64_t>(countCharacters(*text)), begin, end, step),
                       budget);
  }
  if (!value.is<List>())
    failUse(value, "elements in an order");
  const std::vector<Value> &items = value.items();
  ListWriter result(budget);
  clippedSlice(static_cast<int64_t>(items.size()), begin, end, step).each([&](size_t at) {
    result.add(items[at]);
  });
  return Value(result.take());
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

bool contains(const Value &container, const Value &element, Budget &budget) {
  if (const auto *text = container.as<std::string>())
    return findFirst(*text, requireText(element, "'in'"), budget) != std::string::npos;
  if (const auto *dict = container.as<Dict>()) {
    const auto *name = element.as<std::string>();
    const auto *number = element.as<int64_t>();
    return (name && (*dict)->find(*name, budget)) || (number && (*dict)->find(*number, budget));
  }
  if (!container.is<List>())
    return !container.elements(budget).empty(); // undefined, or a Failure
  return std::any_of(container.items().begin(), container.items().end(),
                     [&](const Value &item) { return item.equals(element, budget); });
}

static int compare(const std::string &name, const Value &left, const Value &right, Budget &budget) {
  if (left.isNumber() && right.isNumber()) {
    if (isInteger(left) && isInteger(right)) {
      const int64_t a = requireInteger(left, name), b = requireInteger(right, name);
      return (a > b) - (a < b);
    }
    const double a = realOf(left), b = realOf(right);
    return (a > b) - (a < b);
  }
  const auto *a = left.as<std::string>(), *b = right.as<std::string>();
  if (!a || !b)
    throw Failure(fmt::format("'{}': expected two numbers or two strings, found {} and {}", name,
                              left.kind(), right.kind()));
  budget.read(std::min(a->size(), b->size()));
  const int order = a->compare(*b);
  return (order > 0) - (order < 0);
}

Value integerArithmetic(char name, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = false;
  switch (name) {
  case '+':
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case '-':
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case '*':
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  default: { // '//' and '%' round down, as in Python
    if (b == 0)
      throw Failure("division by zero");
    overflow = a == std::numeric_limits<int64_t>::min() && b == -1;
    if (overflow)
      break;
    int64_t quotient = a / b, rest = a % b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
      --quotient;
      rest += b;
    }
    result = name == '%' ? rest : quotient;
  }
  }
  if (overflow)
    throw Failure("a result is not an integer of 64 bits");
  return Value(result);
}

static Value realArithmetic(const std::string &name, double a, double b) {
  if (name == "+")
    return Value(a + b);
  if (name == "-")
    return Value(a - b);
  if (name == "*")
    return Value(a * b);
  if (b == 0)
    throw Failure("division by zero");
  if (name == "/")
    return Value(a / b);
  if (name == "//")
    return Value(std::floor(a / b));
  return Value(a - b * std::floor(a / b));
}

/// Adds `part` with what HTML reserves replaced.
static void addHtml(TextWriter &to, std::string_view part) {
  to.budget.scan(part.size());
  for (char c : part) {
    const size_t found = std::string_view("&<>'\"").find(c);
    constexpr std::string_view kBy[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
    if (found == std::string_view::npos)
      to.fill(1, c);
    else
      to.add(kBy[found]);
  }
}

static Value repeated(const std::string &text, int64_t times, Budget &budget) {
  TextWriter result(budget);
  result.repeat(text, static_cast<uint64_t>(std::max<int64_t>(times, 0)));
  return result.share();
}

Value binary(const std::string &name, const Value &left, const Value &right, Budget &budget) {
  if (name == "==")
    return left.equals(right, budget);
  if (name == "!=")
    return !left.equals(right, budget);
  if (name == "in")
    return contains(right, left, budget);
  if (name == "not in")
    return !contains(right, left, budget);
  if (name == "<" || name == "<=" || name == ">" || name == ">=") {
    const int order = compare(name, left, right, budget);
    return Value(name[0] == '<' ? order < 0 || (order == 0 && name.size() == 2)
                                : order > 0 || (order == 0 && name.size() == 2));
  }
  if (name == "~") {
    TextWriter text(budget);
    left.print(text);
    right.print(text);
    return text.share();
  }
  if (left.isNumber() && right.isNumber()) {
    if (isInteger(left) && isInteger(right) && name != "/")
      return integerArithmetic(name[0], requireInteger(left, name), requireInteger(right, name));
    return realArithmetic(name, realOf(left), realOf(right));
  }
  const auto *a = left.as<std::string>(), *b = right.as<std::string>();
  if (name == "+" && a && b) {
    TextWriter text(budget);
    const bool markup = isMarkup(left) || isMarkup(right);
    auto add = [&](const Value &value) {
      const std::string &part = *value.as<std::string>();
      if (markup && !isMarkup(value))
        addHtml(text, part);
      else
        text.add(part);
    };
    add(left);
    add(right);
    return markup ? makeMarkup(text.share(), budget) : Value(text.share());
  }
  if (name == "+" && left.is<List>() && right.is<List>()) {
    ListWriter items(budget);
    items.addAll(left.items());
    items.addAll(right.items());
    return Value(items.take());
  }
  if (name == "*" && a && isInteger(right))
    return repeated(*a, requireInteger(right, name), budget);
  if (name == "*" && b && isInteger(left))
    return repeated(*b, requireInteger(left, name), budget);
  throw Failure(fmt::format("'{}': expected two numbers{}, found {} and {}", name,
                            name == "+" ? ", two strings or two lists" : "", left.kind(),
                            right.kind()));
}

} // namespace ttrt::language::chat
