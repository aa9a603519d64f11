// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Builtins.h"

#include "text/Template/Strings.h"
#include "text/Utf8.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace ttrt::language::chat {

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

/// The element of `value` that a path such as 'function.name' leads to.
static Value atPath(Value value, const std::string &path) {
  for (const std::string &part : split(path, "."))
    value = elementOf(value, Value(part));
  return value;
}

/// select, reject, selectattr, rejectattr: the elements for which a test holds, or does not.
static Value selected(const Arguments &arguments, bool byAttribute, bool wanted) {
  const size_t first = byAttribute ? 2 : 1;
  std::vector<Value> result;
  for (const Value &item : arguments.positional[0].elements()) {
    Value tested = item;
    if (byAttribute)
      tested = atPath(item, requireText(arguments.get(1, "attribute"), "the name of a field"));
    bool holds = tested.isTrue();
    if (arguments.positional.size() > first) {
      Arguments of;
      of.positional = {tested};
      of.positional.insert(of.positional.end(),
                           arguments.positional.begin() + static_cast<ptrdiff_t>(first) + 1,
                           arguments.positional.end());
      holds = applyTest(requireText(arguments.positional[first], "the name of a test"), of);
    }
    if (holds == wanted)
      result.push_back(item);
  }
  return Value(std::move(result));
}

static Value mapped(const Arguments &arguments) {
  std::vector<Value> result;
  const Value attribute = arguments.get(SIZE_MAX, "attribute");
  const Value otherwise = arguments.get(SIZE_MAX, "default");
  for (const Value &item : arguments.positional[0].elements()) {
    if (!attribute.is<Undefined>()) {
      Value found = atPath(item, requireText(attribute, "the name of a field"));
      result.push_back(found.is<Undefined>() ? otherwise : found);
      continue;
    }
    Arguments of;
    of.positional = {item};
    if (arguments.positional.size() < 2)
      throw Failure("the filter 'map' needs a filter or attribute=...");
    of.positional.insert(of.positional.end(), arguments.positional.begin() + 2,
                         arguments.positional.end());
    of.named = arguments.named;
    result.push_back(applyFilter(requireText(arguments.positional[1], "the name of a filter"), of));
  }
  return Value(std::move(result));
}

static Value joined(const Arguments &arguments) {
  const std::string separator = arguments.get(1, "d", "").text();
  const Value attribute = arguments.get(2, "attribute");
  std::string result;
  bool first = true;
  for (const Value &item : arguments.positional[0].elements()) {
    if (!std::exchange(first, false))
      result += separator;
    result += attribute.is<Undefined>()
                  ? item.text()
                  : atPath(item, requireText(attribute, "the name of a field")).text();
    requireSize(result.size());
  }
  return Value(std::move(result));
}

static Value lengthOf(const Value &value) {
  if (const auto *dict = value.as<Dict>())
    return static_cast<int64_t>((*dict)->fields.size());
  if (value.is<List>())
    return static_cast<int64_t>(value.items().size());
  return static_cast<int64_t>(value.elements().size());
}

static Value toJson(const Arguments &arguments) {
  for (const auto &[name, value] : arguments.named)
    if (name == "separators" || name == "sort_keys")
      throw Failure(fmt::format("the argument '{}' of the filter 'tojson' is not supported", name));
  const Value indent = arguments.get(1, "indent", None());
  if (indent.is<None>())
    return arguments.positional[0].json();
  return arguments.positional[0].json(
      static_cast<int>(std::clamp<int64_t>(requireInteger(indent, "indent"), 0, 16)));
}

static Value indented(const Arguments &arguments) {
  const std::string &text = requireText(arguments.positional[0], "the filter 'indent'");
  const Value width = arguments.get(1, "width", int64_t(4));
  const std::string margin =
      width.is<std::string>()
          ? *width.as<std::string>()
          : std::string(
                static_cast<size_t>(std::clamp<int64_t>(requireInteger(width, "width"), 0, 1000)),
                ' ');
  const bool first = arguments.get(2, "first", false).isTrue();
  const bool blank = arguments.get(3, "blank", false).isTrue();
  std::string result;
  size_t number = 0;
  for (const std::string &line : split(text, "\n")) {
    if (number)
      result += '\n';
    if (number ? blank || !line.empty() : first)
      result += margin;
    result += line;
    ++number;
    requireSize(result.size());
  }
  return Value(std::move(result));
}

static Value itemsOf(const Value &value) {
  const auto *dict = value.as<Dict>();
  if (!dict)
    throw Failure(fmt::format("expected a dictionary, found {}", value.kind()));
  std::vector<Value> pairs;
  for (const auto &[key, field] : (*dict)->fields)
    pairs.emplace_back(std::vector<Value>{Value(key), field});
  return Value(std::move(pairs));
}

static Value toInteger(const Arguments &arguments) {
  const Value &value = arguments.positional[0];
  const Value otherwise = arguments.get(1, "default", int64_t(0));
  if (isInteger(value))
    return requireInteger(value, "int");
  if (const auto *number = value.as<double>())
    return std::fabs(*number) < 0x1p63 ? Value(static_cast<int64_t>(*number)) : otherwise;
  if (const auto *text = value.as<std::string>())
    return integerOf(strip(*text, None(), true, true), otherwise);
  return otherwise;
}

static Value toReal(const Arguments &arguments) {
  const Value &value = arguments.positional[0];
  if (value.isNumber())
    return realOf(value);
  const Value otherwise = arguments.get(1, "default", 0.0);
  if (const auto *text = value.as<std::string>())
    return realOf(strip(*text, None(), true, true), otherwise);
  return otherwise;
}

static Value reversed(const Value &value) {
  std::vector<Value> items = value.elements();
  std::reverse(items.begin(), items.end());
  if (!value.is<std::string>())
    return Value(std::move(items));
  std::string text;
  for (const Value &item : items)
    text += *item.as<std::string>();
  return Value(std::move(text));
}

static Value unique(const Value &value) {
  std::vector<Value> items;
  for (const Value &item : value.elements())
    if (std::none_of(items.begin(), items.end(),
                     [&](const Value &other) { return other.equals(item); }))
      items.push_back(item);
  return Value(std::move(items));
}

using Filter = Value (*)(const Arguments &);

/// Filters that are methods of strings, too, get what is printed of their value.
static const std::map<std::string, Filter> &filters() {
  static const std::map<std::string, Filter> all = {
      {"trim",
       [](const Arguments &a) {
         return Value(strip(a.positional[0].text(), a.get(1, "chars"), true, true));
       }},
      {"upper", [](const Arguments &a) { return Value(upper(a.positional[0].text())); }},
      {"lower", [](const Arguments &a) { return Value(lower(a.positional[0].text())); }},
      {"capitalize", [](const Arguments &a) { return Value(capitalized(a.positional[0].text())); }},
      {"title", [](const Arguments &a) { return Value(titled(a.positional[0].text())); }},
      {"replace",
       [](const Arguments &a) {
         return Value(replaced(a.positional[0].text(), a.get(1, "old").text(),
                               a.get(2, "new").text(), a.get(3, "count", int64_t(-1))));
       }},
      {"length", [](const Arguments &a) { return lengthOf(a.positional[0]); }},
      {"count", [](const Arguments &a) { return lengthOf(a.positional[0]); }},
      {"first",
       [](const Arguments &a) {
         const std::vector<Value> items = a.positional[0].elements();
         return items.empty() ? Value() : items.front();
       }},
      {"last",
       [](const Arguments &a) {
         const std::vector<Value> items = a.positional[0].elements();
         return items.empty() ? Value() : items.back();
       }},
      {"join", joined},
      {"default",
       [](const Arguments &a) {
         const Value &value = a.positional[0];
         const bool use =
             a.get(2, "boolean", false).isTrue() ? !value.isTrue() : value.is<Undefined>();
         return use ? a.get(1, "default_value", "") : value;
       }},
      {"string", [](const Arguments &a) { return Value(a.positional[0].text()); }},
      {"safe", [](const Arguments &a) { return Value(a.positional[0].text()); }},
      {"list", [](const Arguments &a) { return Value(a.positional[0].elements()); }},
      {"items",
       [](const Arguments &a) {
         return a.positional[0].is<Undefined>() ? Value(std::vector<Value>())
                                                : itemsOf(a.positional[0]);
       }},
      {"int", toInteger},
      {"float", toReal},
      {"abs",
       [](const Arguments &a) {
         const Value &value = a.positional[0];
         if (isInteger(value))
           return requireInteger(value, "abs") < 0
                      ? integerArithmetic('-', 0, requireInteger(value, "abs"))
                      : value;
         return value.is<double>() ? Value(std::fabs(*value.as<double>()))
                                   : throw Failure("expected a number, found " + value.kind());
       }},
      {"reverse", [](const Arguments &a) { return reversed(a.positional[0]); }},
      {"unique", [](const Arguments &a) { return unique(a.positional[0]); }},
      {"indent", indented},
      {"tojson", toJson},
      {"map", mapped},
      {"select", [](const Arguments &a) { return selected(a, false, true); }},
      {"reject", [](const Arguments &a) { return selected(a, false, false); }},
      {"selectattr", [](const Arguments &a) { return selected(a, true, true); }},
      {"rejectattr", [](const Arguments &a) { return selected(a, true, false); }}};
  return all;
}

template <typename Map>
static const typename Map::mapped_type &lookUp(const Map &map, const char *what,
                                               const std::string &name) {
  const auto found = map.find(name);
  if (found != map.end())
    return found->second;
  std::string known;
  for (const auto &entry : map)
    known += (known.empty() ? "" : ", ") + entry.first;
  throw Failure(
      fmt::format("the {} '{}' is not supported; {}s are {}", what, printable(name), what, known));
}

Value applyFilter(const std::string &name, const Arguments &arguments) {
  return lookUp(filters(), "filter", name == "d" ? "default" : name)(arguments);
}

//===----------------------------------------------------------------------===//
// Tests and global functions
//===----------------------------------------------------------------------===//

using Test = bool (*)(const Value &, const Value &argument);

static const std::map<std::string, Test> &tests() {
  using V = const Value &;
  static const Test equal = [](V value, V other) { return value.equals(other); };
  static const std::map<std::string, Test> all = {
      {"defined", [](V value, V) { return !value.is<Undefined>(); }},
      {"undefined", [](V value, V) { return value.is<Undefined>(); }},
      {"none", [](V value, V) { return value.is<None>(); }},
      {"string", [](V value, V) { return value.is<std::string>(); }},
      {"boolean", [](V value, V) { return value.is<bool>(); }},
      {"integer", [](V value, V) { return value.is<int64_t>(); }},
      {"float", [](V value, V) { return value.is<double>(); }},
      {"number", [](V value, V) { return value.isNumber(); }},
      {"mapping", [](V value, V) { return value.is<Dict>(); }},
      {"sequence",
       [](V value, V) {
         return value.is<List>() || value.is<Dict>() || value.is<std::string>() ||
                value.is<Undefined>();
       }},
      {"iterable",
       [](V value, V) {
         return value.is<List>() || value.is<Dict>() || value.is<std::string>() ||
                value.is<Undefined>();
       }},
      {"callable", [](V value, V) { return value.is<Function>(); }},
      {"true", [](V value, V) { return value.is<bool>() && value.isTrue(); }},
      {"false", [](V value, V) { return value.is<bool>() && !value.isTrue(); }},
      {"odd", [](V value, V) { return requireInteger(value, "odd") % 2 != 0; }},
      {"even", [](V value, V) { return requireInteger(value, "even") % 2 == 0; }},
      {"divisibleby",
       [](V value, V by) {
         return *integerArithmetic('%', requireInteger(value, "divisibleby"),
                                   requireInteger(by, "divisibleby"))
                     .as<int64_t>() == 0;
       }},
      {"in", [](V value, V in) { return contains(in, value); }},
      {"eq", equal},
      {"equalto", equal},
      {"sameas", equal},
      {"==", equal},
      {"ne", [](V value, V other) { return !value.equals(other); }},
      {"!=", [](V value, V other) { return !value.equals(other); }}};
  return all;
}

bool applyTest(const std::string &name, const Arguments &arguments) {
  return lookUp(tests(), "test", name)(arguments.positional[0], arguments.get(1, ""));
}

static Value range(const Arguments &arguments) {
  const bool one = arguments.positional.size() < 2;
  const int64_t begin = one ? 0 : requireInteger(arguments.get(0, ""), "range");
  const int64_t end = requireInteger(arguments.get(one ? 0 : 1, ""), "range");
  const int64_t step = requireInteger(arguments.get(2, "", int64_t(1)), "range");
  if (step == 0)
    throw Failure("the step of a range is 0");
  std::vector<Value> items;
  for (int64_t at = begin; step > 0 ? at < end : at > end;) {
    items.emplace_back(at);
    if (items.size() > 100'000)
      throw Failure("expected a range of at most 100000 numbers");
    if (__builtin_add_overflow(at, step, &at))
      break;
  }
  return Value(std::move(items));
}

static Value now(const Arguments &arguments) {
  const std::string &format = requireText(arguments.get(0, "format"), "strftime_now");
  const time_t seconds = time(nullptr);
  tm local = {};
  localtime_r(&seconds, &local);
  char text[256];
  return Value(std::string(text, strftime(text, sizeof(text), format.c_str(), &local)));
}

std::map<std::string, Value> globals() {
  return {
      {"range", Value(Function(range))},
      {"dict",
       Value(Function([](const Arguments &arguments) { return makeDict(arguments.named); }))},
      {"namespace", Value(Function([](const Arguments &arguments) {
         Value made = makeDict(arguments.named);
         (*made.as<Dict>())->isNamespace = true;
         return made;
       }))},
      {"raise_exception", Value(Function([](const Arguments &arguments) -> Value {
         throw Failure("the template refuses the messages: " +
                       printable(arguments.get(0, "message").text()));
       }))},
      {"strftime_now", Value(Function(now))},
  };
}

} // namespace ttrt::language::chat
