// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Builtins.h"

#include "text/Template/Characters.h"
#include "text/Template/Strings.h"
#include "text/Template/Writers.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

namespace ttrt::language::chat {

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

/// The element of `value` that a path such as 'function.name' leads to.
static Value atPath(Value value, const Value &path, Budget &budget) {
  split(requireText(path, "the name of a field"), ".", -1, budget,
        [&](std::string_view part) { value = elementOf(value, makeText(part, budget), budget); });
  return value;
}

/// select, reject, selectattr, rejectattr: the elements for which a test holds, or does not.
static Value selected(const Arguments &arguments, bool byAttribute, bool wanted) {
  Budget &budget = arguments.budget;
  const size_t first = byAttribute ? 2 : 1;
  const Value attribute = byAttribute ? arguments.get(1, "attribute") : Value();
  ListWriter result(budget);
  if (!arguments.positional[0].isTrue()) // also none
    return Value(result.take());
  for (const Value &item : arguments.positional[0].elements(budget)) {
    const Value tested = byAttribute ? atPath(item, attribute, budget) : item;
    bool holds = tested.isTrue();
    if (arguments.positional.size() > first) {
      Arguments of(budget);
      of.positional = {tested};
      of.append(arguments, first + 1);
      holds = applyTest(requireText(arguments.positional[first], "the name of a test"), of);
    }
    if (holds == wanted)
      result.add(item);
  }
  return Value(result.take());
}

static Value mapped(const Arguments &arguments) {
  Budget &budget = arguments.budget;
  ListWriter result(budget);
  const Value attribute = arguments.get(SIZE_MAX, "attribute");
  const Value otherwise = arguments.get(SIZE_MAX, "default");
  if (!arguments.positional[0].isTrue())
    return Value(result.take());
  for (const Value &item : arguments.positional[0].elements(budget)) {
    if (!attribute.is<Undefined>()) {
      const Value found = atPath(item, attribute, budget);
      result.add(found.is<Undefined>() ? otherwise : found);
      continue;
    }
    Arguments of(budget);
    of.positional = {item};
    if (arguments.positional.size() < 2)
      throw Failure("the filter 'map' needs a filter or attribute=...");
    of.append(arguments, 2);
    budget.step(arguments.named.size());
    for (const auto &[name, value] : arguments.named)
      budget.read(name.size());
    of.named = arguments.named;
    result.add(applyFilter(requireText(arguments.positional[1], "the name of a filter"), of));
  }
  return Value(result.take());
}

static Value joined(const Arguments &arguments) {
  Budget &budget = arguments.budget;
  const Text separator = arguments.get(1, "d", "").text(budget);
  const Value attribute = arguments.get(2, "attribute");
  TextWriter result(budget);
  bool isFirst = true;
  for (const Value &item : arguments.positional[0].elements(budget)) {
    if (!std::exchange(isFirst, false))
      result.add(*separator);
    if (attribute.is<Undefined>())
      item.print(result);
    else
      atPath(item, attribute, budget).print(result);
  }
  return result.share();
}

static Value lengthOf(const Value &value, Budget &budget) {
  if (const auto *dict = value.as<Dict>())
    return static_cast<int64_t>((*dict)->fields.size());
  if (value.is<List>())
    return static_cast<int64_t>(value.items().size());
  if (const auto *text = value.as<std::string>()) {
    budget.scan(text->size());
    return static_cast<int64_t>(countCharacters(*text));
  }
  return static_cast<int64_t>(value.elements(budget).size()); // none, or a Failure
}

static Value toJson(const Arguments &arguments) {
  for (const auto &[name, value] : arguments.named)
    if (name == "separators" || name == "sort_keys")
      throw Failure(fmt::format("the argument '{}' of the filter 'tojson' is not supported", name));
  const Value indent = arguments.get(1, "indent", None());
  TextWriter result(arguments.budget);
  arguments.positional[0].json(result,
                               indent.is<None>() ? -1
                                                 : static_cast<int>(std::clamp<int64_t>(
                                                       requireInteger(indent, "indent"), 0, 16)),
                               arguments.get(SIZE_MAX, "ensure_ascii", false).isTrue());
  return result.share();
}

static Value indented(const Arguments &arguments) {
  Budget &budget = arguments.budget;
  const std::string &text = requireText(arguments.positional[0], "the filter 'indent'");
  const Value width = arguments.get(1, "width", int64_t(4));
  const std::string margin =
      width.is<std::string>()
          ? ""
          : std::string(
                static_cast<size_t>(std::clamp<int64_t>(requireInteger(width, "width"), 0, 1000)),
                ' ');
  const bool first = arguments.get(2, "first", false).isTrue();
  const bool blank = arguments.get(3, "blank", false).isTrue();
  TextWriter result(budget);
  bool isFirst = true;
  split(text, "\n", -1, budget, [&](std::string_view line) {
    if (!isFirst)
      result.add("\n");
    if (isFirst ? first : blank || !line.empty())
      result.add(width.is<std::string>() ? *width.as<std::string>() : margin);
    result.add(line);
    isFirst = false;
  });
  return result.share();
}

static Value itemsOf(const Value &value, Budget &budget) {
  const auto *dict = value.as<Dict>();
  if (!dict)
    throw Failure(fmt::format("expected a dictionary, found {}", value.kind()));
  ListWriter pairs(budget);
  for (const auto &[key, field] : (*dict)->fields) {
    ListWriter pair(budget);
    pair.add(key.value(budget));
    pair.add(field);
    pairs.add(pair.take());
  }
  return Value(pairs.take());
}

static Value toInteger(const Arguments &arguments) {
  const Value &value = arguments.positional[0];
  const Value otherwise = arguments.get(1, "default", int64_t(0));
  if (isInteger(value))
    return requireInteger(value, "int");
  if (const auto *number = value.as<double>())
    return std::fabs(*number) < 0x1p63 ? Value(static_cast<int64_t>(*number)) : otherwise;
  if (const auto *text = value.as<std::string>())
    return integerOf(strip(*text, None(), true, true, arguments.budget), otherwise,
                     arguments.budget);
  return otherwise;
}

static Value toReal(const Arguments &arguments) {
  const Value &value = arguments.positional[0];
  if (value.isNumber())
    return realOf(value);
  const Value otherwise = arguments.get(1, "default", 0.0);
  if (const auto *text = value.as<std::string>())
    return realOf(strip(*text, None(), true, true, arguments.budget), otherwise, arguments.budget);
  return otherwise;
}

static Value reversed(const Value &value, Budget &budget) {
  if (value.is<std::string>())
    return sliceOf(value, None(), None(), Value(int64_t(-1)), budget);
  std::vector<Value> items = value.elements(budget);
  std::reverse(items.begin(), items.end());
  return Value(std::move(items));
}

static Value unique(const Value &value, Budget &budget) {
  ListWriter result(budget);
  std::vector<Value> seen;
  for (const Value &item : value.elements(budget))
    if (std::none_of(seen.begin(), seen.end(),
                     [&](const Value &other) { return other.equals(item, budget); })) {
      seen.push_back(item);
      result.add(item);
    }
  return Value(result.take());
}

/// What dictsort, sort, min and max compare: texts without regard to case, unless they are asked
/// to.
static Value orderKey(const Value &value, bool caseSensitive, Budget &budget) {
  if (const auto *text = value.as<std::string>(); text && !caseSensitive)
    return lower(*text, budget);
  if (const auto *number = value.as<double>(); number && std::isnan(*number))
    throw Failure("expected values that have an order, found nan");
  return value;
}

/// The items in the order of their keys, of which there are as many.
static Value ordered(std::vector<Value> items, const std::vector<Value> &keys, bool reverse,
                     Budget &budget) {
  std::vector<size_t> places(items.size());
  for (size_t i = 0; i < places.size(); ++i)
    places[i] = i;
  auto isBefore = [&](size_t a, size_t b) {
    budget.step();
    return binary("<", keys[reverse ? b : a], keys[reverse ? a : b], budget).isTrue();
  };
  // By merging: also if rounded numbers have no consistent order, nothing is out of bounds.
  std::vector<size_t> merged(places.size());
  const auto count = static_cast<ptrdiff_t>(places.size());
  for (ptrdiff_t width = 1; width < count; width *= 2) {
    for (ptrdiff_t begin = 0; begin < count; begin += 2 * width) {
      const auto middle = places.begin() + std::min(begin + width, count);
      std::merge(places.begin() + begin, middle, middle,
                 places.begin() + std::min(begin + 2 * width, count), merged.begin() + begin,
                 isBefore);
    }
    places.swap(merged);
  }
  ListWriter result(budget);
  for (size_t place : places)
    result.add(items[place]);
  return Value(result.take());
}

static Value sortedFields(const Arguments &arguments) {
  Budget &budget = arguments.budget;
  const bool caseSensitive = arguments.get(1, "case_sensitive", false).isTrue();
  const Value by = arguments.get(2, "by", "key");
  const std::string &which = requireText(by, "dictsort");
  if (which != "key" && which != "value")
    throw Failure("dictsort: expected by='key' or 'value', found '" + printable(which) + "'");
  const Value pairs = itemsOf(arguments.positional[0], budget);
  std::vector<Value> keys;
  for (const Value &pair : pairs.items())
    keys.push_back(orderKey(pair.items()[which == "key" ? 0 : 1], caseSensitive, budget));
  return ordered(pairs.items(), keys, arguments.get(3, "reverse", false).isTrue(), budget);
}

/// The elements of a list, and what they are ordered by.
struct Keyed {
  std::vector<Value> items, keys;
};

static Keyed keyed(const Arguments &arguments, size_t caseIndex, size_t attributeIndex) {
  Budget &budget = arguments.budget;
  const bool caseSensitive = arguments.get(caseIndex, "case_sensitive", false).isTrue();
  const Value attribute = arguments.get(attributeIndex, "attribute", None());
  Keyed result{arguments.positional[0].elements(budget), {}};
  for (const Value &item : result.items) {
    const Value key = attribute.is<None>() ? item : atPath(item, attribute, budget);
    result.keys.push_back(orderKey(key, caseSensitive, budget));
  }
  return result;
}

static Value sorted(const Arguments &arguments) {
  Keyed all = keyed(arguments, 2, 3);
  return ordered(std::move(all.items), all.keys, arguments.get(1, "reverse", false).isTrue(),
                 arguments.budget);
}

/// The first of the least or greatest elements; undefined if there is none.
static Value extreme(const Arguments &arguments, const char *better) {
  const Keyed all = keyed(arguments, 1, 2);
  size_t best = 0;
  for (size_t i = 1; i < all.items.size(); ++i)
    if (binary(better, all.keys[i], all.keys[best], arguments.budget).isTrue())
      best = i;
  return all.items.empty() ? Value() : all.items[best];
}

using Filter = Value (*)(const Arguments &);

/// A filter that makes text of what is printed of its value.
template <Text (*Change)(std::string_view, Budget &)> static Value changed(const Arguments &a) {
  return Change(*a.positional[0].text(a.budget), a.budget);
}

/// Filters that are methods of strings, too, get what is printed of their value.
static const std::map<std::string, Filter> &filters() {
  static const std::map<std::string, Filter> all = {
      {"trim",
       [](const Arguments &a) {
         const Text text = a.positional[0].text(a.budget);
         return Value(makeText(strip(*text, a.get(1, "chars"), true, true, a.budget), a.budget));
       }},
      {"upper", changed<upper>},
      {"lower", changed<lower>},
      {"capitalize", changed<capitalized>},
      {"title", changed<titled>},
      {"replace",
       [](const Arguments &a) {
         const Text text = a.positional[0].text(a.budget), old = a.get(1, "old").text(a.budget),
                    by = a.get(2, "new").text(a.budget);
         return Value(replaced(*text, *old, *by, a.get(3, "count", int64_t(-1)), a.budget));
       }},
      {"length", [](const Arguments &a) { return lengthOf(a.positional[0], a.budget); }},
      {"count", [](const Arguments &a) { return lengthOf(a.positional[0], a.budget); }},
      {"first", [](const Arguments &a) { return endOf(a.positional[0], false, a.budget); }},
      {"last", [](const Arguments &a) { return endOf(a.positional[0], true, a.budget); }},
      {"join", joined},
      {"default",
       [](const Arguments &a) {
         const Value &value = a.positional[0];
         const bool use =
             a.get(2, "boolean", false).isTrue() ? !value.isTrue() : value.is<Undefined>();
         return use ? a.get(1, "default_value", "") : value;
       }},
      {"string", [](const Arguments &a) { return Value(a.positional[0].text(a.budget)); }},
      {"safe",
       [](const Arguments &a) { return makeMarkup(a.positional[0].text(a.budget), a.budget); }},
      {"list", [](const Arguments &a) { return Value(a.positional[0].elements(a.budget)); }},
      {"items",
       [](const Arguments &a) {
         return a.positional[0].is<Undefined>() ? Value(std::vector<Value>())
                                                : itemsOf(a.positional[0], a.budget);
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
      {"reverse", [](const Arguments &a) { return reversed(a.positional[0], a.budget); }},
      {"dictsort", sortedFields},
      {"sort", sorted},
      {"min", [](const Arguments &a) { return extreme(a, "<"); }},
      {"max", [](const Arguments &a) { return extreme(a, ">"); }},
      {"unique", [](const Arguments &a) { return unique(a.positional[0], a.budget); }},
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
  const Budget::Level deeper(arguments.budget); // a filter 'map' may apply another one
  return lookUp(filters(), "filter", name == "d" ? "default" : name)(arguments);
}

//===----------------------------------------------------------------------===//
// Tests and global functions
//===----------------------------------------------------------------------===//

using Test = bool (*)(const Value &, const Value &argument, Budget &);

static const std::map<std::string, Test> &tests() {
  using V = const Value &;
  using B = Budget &;
  static const Test equal = [](V value, V other, B budget) { return value.equals(other, budget); };
  static const std::map<std::string, Test> all = {
      {"defined", [](V value, V, B) { return !value.is<Undefined>(); }},
      {"undefined", [](V value, V, B) { return value.is<Undefined>(); }},
      {"none", [](V value, V, B) { return value.is<None>(); }},
      {"string", [](V value, V, B) { return value.is<std::string>(); }},
      {"boolean", [](V value, V, B) { return value.is<bool>(); }},
      {"integer", [](V value, V, B) { return value.is<int64_t>(); }},
      {"float", [](V value, V, B) { return value.is<double>(); }},
      {"number", [](V value, V, B) { return value.isNumber(); }},
      {"mapping", [](V value, V, B) { return value.is<Dict>(); }},
      {"sequence",
       [](V value, V, B) {
         return value.is<List>() || value.is<Dict>() || value.is<std::string>() ||
                value.is<Undefined>();
       }},
      {"iterable",
       [](V value, V, B) {
         return value.is<List>() || value.is<Dict>() || value.is<std::string>() ||
                value.is<Undefined>();
       }},
      {"callable", [](V value, V, B) { return value.is<Function>(); }},
      {"true", [](V value, V, B) { return value.is<bool>() && value.isTrue(); }},
      {"false", [](V value, V, B) { return value.is<bool>() && !value.isTrue(); }},
      {"odd", [](V value, V, B) { return requireInteger(value, "odd") % 2 != 0; }},
      {"even", [](V value, V, B) { return requireInteger(value, "even") % 2 == 0; }},
      {"divisibleby",
       [](V value, V by, B) {
         const Value rest = integerArithmetic('%', requireInteger(value, "divisibleby"),
                                              requireInteger(by, "divisibleby"));
         return requireInteger(rest, "divisibleby") == 0;
       }},
      {"in", [](V value, V in, B budget) { return contains(in, value, budget); }},
      {"eq", equal},
      {"equalto", equal},
      {"sameas", equal},
      {"==", equal},
      {"ne", [](V value, V other, B budget) { return !value.equals(other, budget); }},
      {"!=", [](V value, V other, B budget) { return !value.equals(other, budget); }}};
  return all;
}

bool applyTest(const std::string &name, const Arguments &arguments) {
  return lookUp(tests(), "test", name)(arguments.positional[0], arguments.get(1, ""),
                                       arguments.budget);
}

static Value range(const Arguments &arguments) {
  const bool one = arguments.positional.size() < 2;
  const int64_t begin = one ? 0 : requireInteger(arguments.get(0, ""), "range");
  const int64_t end = requireInteger(arguments.get(one ? 0 : 1, ""), "range");
  const int64_t step = requireInteger(arguments.get(2, "", int64_t(1)), "range");
  if (step == 0)
    throw Failure("the step of a range is 0");
  ListWriter items(arguments.budget);
  for (int64_t at = begin, count = 1; step > 0 ? at < end : at > end; ++count) {
    items.add(at);
    if (count > 100'000)
      throw Failure("expected a range of at most 100000 numbers");
    if (__builtin_add_overflow(at, step, &at))
      break;
  }
  return Value(items.take());
}

static Value now(const Arguments &arguments) {
  const Value given = arguments.get(0, "format");
  const std::string &format = requireText(given, "strftime_now");
  constexpr size_t kMostFormat = 1000;
  if (format.size() > kMostFormat)
    throw Failure(fmt::format("strftime_now: expected a format of at most {} bytes, found {}",
                              kMostFormat, format.size()));
  const time_t seconds = time(nullptr);
  tm local = {};
  localtime_r(&seconds, &local);
  char text[256];
  return makeText({text, strftime(text, sizeof(text), format.c_str(), &local)}, arguments.budget);
}

/// Fields that the caller gives by name.
static Value fieldsOf(const Arguments &arguments) {
  Fields fields;
  for (const auto &[name, value] : arguments.named)
    fields.emplace_back(name, value);
  return makeDict(std::move(fields), arguments.budget);
}

static Value namespaceOf(const Arguments &arguments) {
  const Value made = fieldsOf(arguments);
  (*made.as<Dict>())->isNamespace = true;
  return made;
}

static Value refuse(const Arguments &arguments) {
  constexpr size_t kMostWords = 1000; // an error has room for as many
  const Text words = arguments.get(0, "message").text(arguments.budget);
  throw Failure("the template refuses the messages: " +
                printable(std::string_view(*words).substr(0, kMostWords)));
}

std::map<std::string, Value> globals() {
  return {{"range", makeFunction(range)},
          {"dict", makeFunction(fieldsOf)},
          {"namespace", makeFunction(namespaceOf)},
          {"raise_exception", makeFunction(refuse)},
          {"strftime_now", makeFunction(now)}};
}

} // namespace ttrt::language::chat
