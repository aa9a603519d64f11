// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Builtins.h"

#include "text/Utf8.h"

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

Value attributeOf(const Value &value, const std::string &name) {
  if (value.is<Undefined>())
    failUse(value, "a field '" + printable(name) + "'");
  if (Value method = methodOf(value, name); !method.is<Undefined>())
    return method;
  if (const auto *dict = value.as<Dict>())
    if (const Value *found = (*dict)->find(name))
      return *found;
  return Undefined{name};
}

Value elementOf(const Value &value, const Value &index) {
  if (const auto *name = index.as<std::string>()) {
    if (const auto *dict = value.as<Dict>())
      if (const Value *found = (*dict)->find(*name))
        return *found;
    return attributeOf(value, *name);
  }
  if (value.is<Undefined>())
    failUse(value, "elements");
  if (!isInteger(index))
    return Undefined{};
  int64_t at = requireInteger(index, "an index");
  const bool isText = value.is<std::string>();
  if (!isText && !value.is<List>())
    return Undefined{};
  const std::vector<Value> elements = isText ? value.elements() : std::vector<Value>();
  const std::vector<Value> &items = isText ? elements : value.items();
  const auto size = static_cast<int64_t>(items.size());
  if (at < 0)
    at += size;
  return at >= 0 && at < size ? items[static_cast<size_t>(at)] : Value(Undefined{});
}

Value sliceOf(const Value &value, const Value &begin, const Value &end, const Value &step) {
  const bool isText = value.is<std::string>();
  if (!isText && !value.is<List>())
    failUse(value, "elements in an order");
  auto given = [](const Value &part) { return !part.is<Undefined>() && !part.is<None>(); };
  const int64_t stride = given(step) ? requireInteger(step, "the step of a slice") : 1;
  if (stride == 0)
    throw Failure("the step of a slice is 0");
  const std::vector<Value> items = value.elements();
  const auto size = static_cast<int64_t>(items.size());
  // As Python clips them: to the elements, and for steps back to those before them.
  auto clip = [&](const Value &part, int64_t otherwise) {
    if (!given(part))
      return otherwise;
    int64_t at = requireInteger(part, "an end of a slice");
    if (at < 0)
      at = at < -size ? -1 : at + size;
    return std::clamp<int64_t>(at, stride > 0 ? 0 : -1, stride > 0 ? size : size - 1);
  };
  const int64_t from = clip(begin, stride > 0 ? 0 : size - 1),
                to = clip(end, stride > 0 ? size : -1);
  std::vector<Value> result;
  for (int64_t at = from; stride > 0 ? at < to : at > to;) {
    result.push_back(items[static_cast<size_t>(at)]);
    if (__builtin_add_overflow(at, stride, &at))
      break;
  }
  if (!isText)
    return Value(std::move(result));
  std::string text;
  for (const Value &character : result)
    text += *character.as<std::string>();
  return Value(std::move(text));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

bool contains(const Value &container, const Value &element) {
  if (const auto *text = container.as<std::string>())
    return text->find(requireText(element, "'in'")) != std::string::npos;
  if (const auto *dict = container.as<Dict>()) {
    const auto *name = element.as<std::string>();
    return name && (*dict)->find(*name);
  }
  const std::vector<Value> items = container.elements();
  return std::any_of(items.begin(), items.end(),
                     [&](const Value &item) { return item.equals(element); });
}

static int compare(const std::string &name, const Value &left, const Value &right) {
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

static Value repeated(const std::string &text, int64_t times) {
  const auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  size_t bytes;
  requireSize(__builtin_mul_overflow(text.size(), count, &bytes) ? SIZE_MAX : bytes);
  std::string result;
  for (size_t i = 0; i < count && !text.empty(); ++i)
    result += text;
  return Value(std::move(result));
}

Value binary(const std::string &name, const Value &left, const Value &right) {
  if (name == "==")
    return left.equals(right);
  if (name == "!=")
    return !left.equals(right);
  if (name == "in")
    return contains(right, left);
  if (name == "not in")
    return !contains(right, left);
  if (name == "<" || name == "<=" || name == ">" || name == ">=") {
    const int order = compare(name, left, right);
    return Value(name[0] == '<' ? order < 0 || (order == 0 && name.size() == 2)
                                : order > 0 || (order == 0 && name.size() == 2));
  }
  if (name == "~") {
    std::string text = left.text() + right.text();
    requireSize(text.size());
    return Value(std::move(text));
  }
  if (left.isNumber() && right.isNumber()) {
    if (isInteger(left) && isInteger(right) && name != "/")
      return integerArithmetic(name[0], requireInteger(left, name), requireInteger(right, name));
    return realArithmetic(name, realOf(left), realOf(right));
  }
  const auto *a = left.as<std::string>(), *b = right.as<std::string>();
  if (name == "+" && a && b) {
    requireSize(a->size() + b->size());
    return Value(*a + *b);
  }
  if (name == "+" && left.is<List>() && right.is<List>()) {
    std::vector<Value> items = left.items();
    items.insert(items.end(), right.items().begin(), right.items().end());
    requireSize(items.size() * sizeof(Value));
    return Value(std::move(items));
  }
  if (name == "*" && a && isInteger(right))
    return repeated(*a, requireInteger(right, name));
  if (name == "*" && b && isInteger(left))
    return repeated(*b, requireInteger(left, name));
  throw Failure(fmt::format("'{}': expected two numbers{}, found {} and {}", name,
                            name == "+" ? ", two strings or two lists" : "", left.kind(),
                            right.kind()));
}

} // namespace ttrt::language::chat
