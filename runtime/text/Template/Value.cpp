// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Value.h"

#include "text/Utf8.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ttrt::language::chat {

/// Values are nested deeper only by mistake or to harm. A namespace counts as that deep, so nothing
/// holds one, and none holds itself.
static constexpr int kDeepest = 64;

static int checkedDepth(int inner) {
  if (inner >= kDeepest)
    throw Failure(
        "expected values nested at most 64 levels deep, and no namespace in another value");
  return inner + 1;
}

static int depthOf(const std::vector<Value> &items) {
  int depth = 0;
  for (const Value &item : items)
    depth = std::max(depth, item.depth());
  return checkedDepth(depth);
}

Value::Value(std::vector<Value> items) {
  const int depth = depthOf(items);
  held = std::make_shared<const ListBody>(ListBody{std::move(items), depth});
}

const std::vector<Value> &Value::items() const { return (*as<List>())->items; }

int Value::depth() const {
  if (const auto *list = as<List>())
    return (*list)->depth;
  if (const auto *dict = as<Dict>())
    return (*dict)->isNamespace ? kDeepest : (*dict)->depth;
  return 0;
}

const Value *DictBody::find(std::string_view name) const {
  for (const auto &[key, value] : fields)
    if (key == name)
      return &value;
  return nullptr;
}

void DictBody::set(const std::string &name, Value value) {
  depth = std::max(depth, checkedDepth(value.depth()));
  for (auto &[key, old] : fields)
    if (key == name) {
      old = std::move(value);
      return;
    }
  fields.emplace_back(name, std::move(value));
}

Value makeDict(std::vector<std::pair<std::string, Value>> fields) {
  auto dict = std::make_shared<DictBody>();
  for (auto &[name, value] : fields)
    dict->set(name, std::move(value));
  return Value(std::move(dict));
}

Value Arguments::get(size_t index, std::string_view name, Value otherwise) const {
  if (index < positional.size())
    return positional[index];
  for (const auto &[given, value] : named)
    if (given == name)
      return value;
  return otherwise;
}

bool Value::isTrue() const {
  if (const auto *flag = as<bool>())
    return *flag;
  if (const auto *number = as<int64_t>())
    return *number != 0;
  if (const auto *number = as<double>())
    return *number != 0;
  if (const auto *text = as<std::string>())
    return !text->empty();
  if (is<List>())
    return !items().empty();
  if (const auto *dict = as<Dict>())
    return (*dict)->isNamespace || !(*dict)->fields.empty();
  return is<Function>();
}

static double numberOf(const Value &value) {
  if (const auto *flag = value.as<bool>())
    return *flag;
  if (const auto *number = value.as<int64_t>())
    return static_cast<double>(*number);
  return *value.as<double>();
}

bool Value::equals(const Value &other) const {
  if (isNumber() && other.isNumber()) {
    if (is<int64_t>() && other.is<int64_t>())
      return *as<int64_t>() == *other.as<int64_t>();
    return numberOf(*this) == numberOf(other);
  }
  if (held.index() != other.held.index())
    return false;
  if (const auto *text = as<std::string>())
    return *text == *other.as<std::string>();
  if (is<List>()) {
    const std::vector<Value> &left = items(), &right = other.items();
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const Value &a, const Value &b) { return a.equals(b); });
  }
  if (const auto *dict = as<Dict>()) {
    const DictBody &left = **dict, &right = **other.as<Dict>();
    return &left == &right ||
           (left.fields.size() == right.fields.size() &&
            std::all_of(left.fields.begin(), left.fields.end(), [&](const auto &field) {
              const Value *found = right.find(field.first);
              return found && found->equals(field.second);
            }));
  }
  return is<None>() || is<Undefined>();
}

/// Python's repr() of a float: the shortest digits that give it back.
static std::string textOf(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string Value::text() const {
  if (const auto *text = as<std::string>())
    return *text;
  if (is<Undefined>())
    return "";
  return representation();
}

static std::string quotedText(std::string_view text) {
  const bool hasSingle = text.find('\'') != std::string_view::npos;
  const char quote = hasSingle && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string result(1, quote);
  for (char c : text) {
    if (c == quote || c == '\\')
      result += {'\\', c};
    else if (c == '\n' || c == '\r' || c == '\t')
      result += {'\\', c == '\n' ? 'n' : c == '\r' ? 'r' : 't'};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + quote;
}

std::string Value::representation() const {
  if (const auto *flag = as<bool>())
    return *flag ? "True" : "False";
  if (const auto *number = as<int64_t>())
    return std::to_string(*number);
  if (const auto *number = as<double>())
    return textOf(*number);
  if (const auto *text = as<std::string>())
    return quotedText(*text);
  if (is<None>())
    return "None";
  if (is<Undefined>())
    return "Undefined";
  if (is<Function>())
    throw Failure("expected a value to print, found a function");
  std::string result, separator;
  if (is<List>()) {
    for (const Value &item : items()) {
      result += separator + item.representation();
      separator = ", ";
      requireSize(result.size());
    }
    return "[" + result + "]";
  }
  for (const auto &[name, value] : (*as<Dict>())->fields) {
    result += separator + quotedText(name) + ": " + value.representation();
    separator = ", ";
    requireSize(result.size());
  }
  return "{" + result + "}";
}

static std::string jsonString(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    const size_t escape = std::string_view("\"\\\b\f\n\r\t").find(c);
    if (escape != std::string_view::npos)
      result += {'\\', "\"\\bfnrt"[escape]};
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + "\"";
}

std::string Value::json(int indent, int depth) const {
  if (const auto *flag = as<bool>())
    return *flag ? "true" : "false";
  if (const auto *text = as<std::string>())
    return jsonString(*text);
  if (is<None>())
    return "null";
  if (is<Undefined>() || is<Function>())
    throw Failure(fmt::format("expected a value that JSON has, found {}", kind()));
  if (isNumber())
    return representation();
  std::vector<std::string> pieces;
  if (is<List>())
    for (const Value &item : items())
      pieces.push_back(item.json(indent, depth + 1));
  else
    for (const auto &[name, value] : (*as<Dict>())->fields)
      pieces.push_back(jsonString(name) + ": " + value.json(indent, depth + 1));
  const char *brackets = is<List>() ? "[]" : "{}";
  auto lineOf = [&](int levels) {
    return "\n" + std::string(static_cast<size_t>(indent) * static_cast<size_t>(levels), ' ');
  };
  const bool lines = indent >= 0 && !pieces.empty();
  const std::string inner = fmt::format(
      "{}", fmt::join(pieces, indent >= 0 ? "," + lineOf(depth + 1) : std::string(", ")));
  requireSize(inner.size());
  return brackets[0] + (lines ? lineOf(depth + 1) : "") + inner + (lines ? lineOf(depth) : "") +
         brackets[1];
}

std::string Value::kind() const {
  if (const auto *undefined = as<Undefined>())
    return undefined->name.empty() ? "an undefined value"
                                   : fmt::format("'{}', which is undefined", undefined->name);
  constexpr const char *kKinds[] = {"",         "none",   "a boolean",    "an integer", "a number",
                                    "a string", "a list", "a dictionary", "a function"};
  return kKinds[held.index()];
}

std::vector<Value> Value::elements() const {
  if (is<List>())
    return items();
  std::vector<Value> result;
  if (const auto *dict = as<Dict>()) {
    for (const auto &field : (*dict)->fields)
      result.emplace_back(field.first);
    return result;
  }
  if (const auto *text = as<std::string>()) {
    for (std::string_view character : charactersOf(*text))
      result.emplace_back(std::string(character));
    return result;
  }
  if (is<Undefined>())
    return result;
  throw Failure(fmt::format("expected a list, found {}", kind()));
}

std::vector<std::string_view> charactersOf(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    const size_t length = std::max<size_t>(utf8Length(text), 1);
    characters.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return characters;
}

const std::string &requireText(const Value &value, std::string_view what) {
  if (const auto *text = value.as<std::string>())
    return *text;
  throw Failure(fmt::format("{}: expected a string, found {}", what, value.kind()));
}

int64_t requireInteger(const Value &value, std::string_view what) {
  if (const auto *number = value.as<int64_t>())
    return *number;
  if (const auto *flag = value.as<bool>())
    return *flag;
  throw Failure(fmt::format("{}: expected an integer, found {}", what, value.kind()));
}

void requireSize(size_t bytes) {
  constexpr size_t kMost = size_t(64) << 20;
  if (bytes > kMost)
    throw Failure("expected values of at most 64 MiB");
}

} // namespace ttrt::language::chat
