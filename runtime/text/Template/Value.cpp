// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Template/Value.h"

#include "text/Template/Characters.h"
#include "text/Template/Writers.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

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

const std::vector<Value> &Value::items() const & { return (*as<List>())->items; }

int Value::depth() const {
  if (const auto *list = as<List>())
    return (*list)->depth;
  if (const auto *dict = as<Dict>())
    return (*dict)->isNamespace ? kDeepest : (*dict)->depth;
  if (const auto *function = as<Function>())
    return (*function)->depth;
  return 0;
}

/// The place of a field in `fields`; their number if there is none.
static size_t placeOf(const DictBody &dict, std::string_view name, bool isInteger) {
  size_t place = 0;
  while (place < dict.fields.size() && (dict.fields[place].first.isInteger != isInteger ||
                                        std::string_view(dict.fields[place].first) != name))
    ++place;
  return place;
}

Value Key::value(Budget &budget) const {
  if (!isInteger)
    return makeText(*this, budget);
  int64_t number = 0;
  std::from_chars(data(), data() + size(), number);
  return number;
}

const Value *DictBody::find(std::string_view name) const {
  const size_t place = placeOf(*this, name, /*isInteger=*/false);
  return place < fields.size() ? &fields[place].second : nullptr;
}

void DictBody::set(const Key &name, Value value) {
  depth = std::max(depth, checkedDepth(value.depth()));
  const size_t place = placeOf(*this, name, name.isInteger);
  if (place < fields.size())
    fields[place].second = std::move(value);
  else
    fields.emplace_back(name, std::move(value));
}

/// Keys may be long texts, of which all that have the length of `name` are compared with it.
static void paySearch(const DictBody &dict, std::string_view name, Budget &budget) {
  budget.search(dict.fields.size() + 1);
  if (name.size() >= 16)
    for (const auto &[key, value] : dict.fields)
      if (key.size() == name.size())
        budget.read(name.size());
}

const Value *DictBody::find(std::string_view name, Budget &budget) const {
  paySearch(*this, name, budget);
  return find(name);
}

const Value *DictBody::find(int64_t number, Budget &budget) const {
  budget.search(fields.size() + 1);
  const size_t place = placeOf(*this, std::to_string(number), /*isInteger=*/true);
  return place < fields.size() ? &fields[place].second : nullptr;
}

void DictBody::set(const Key &name, Value value, Budget &budget) {
  paySearch(*this, name, budget);
  const size_t before = fields.size();
  set(name, std::move(value));
  if (fields.size() > before) {
    budget.read(name.size());
    budget.hold(sizeof(fields[0]) + name.size());
  }
}

Value makeDict(Fields fields) {
  auto dict = std::make_shared<DictBody>();
  std::map<std::string_view, size_t> places; // set() would look at all fields for each one
  for (auto &[name, value] : fields) {
    const auto [place, isNew] = places.try_emplace(name, dict->fields.size());
    if (isNew)
      dict->fields.emplace_back(name, Value());
    dict->depth = std::max(dict->depth, checkedDepth(value.depth()));
    dict->fields[place->second].second = std::move(value);
  }
  return Value(std::move(dict));
}

Value makeDict(Fields fields, Budget &budget) {
  budget.hold(sizeof(DictBody));
  auto dict = std::make_shared<DictBody>();
  for (auto &[name, value] : fields)
    dict->set(name, std::move(value), budget);
  return Value(std::move(dict));
}

namespace {
/// How a text is released, by which one that is markup is known.
struct ReleaseMarkup {
  void operator()(const std::string *text) const { delete text; }
};
} // namespace

bool isMarkup(const Value &value) {
  const auto *text = value.as<Text>();
  return text && std::get_deleter<ReleaseMarkup>(*text);
}

Value makeMarkup(const Text &text, Budget &budget) {
  return Text(new std::string(*makeText(*text, budget)), ReleaseMarkup());
}

Value makeFunction(std::function<Value(const Arguments &)> call) {
  return Value(std::make_shared<const FunctionBody>(FunctionBody{std::move(call), 0}));
}

Value makeMethod(const Value &of, std::function<Value(const Arguments &)> call, Budget &budget) {
  budget.hold(2 * sizeof(FunctionBody)); // with what is bound
  return Value(std::make_shared<const FunctionBody>(FunctionBody{std::move(call), of.depth()}));
}

Value Arguments::get(size_t index, std::string_view name, Value otherwise) const {
  if (index < positional.size())
    return positional[index];
  budget.search(named.size());
  for (const auto &[given, value] : named)
    if (given == name)
      return value;
  return otherwise;
}

void Arguments::append(const Arguments &other, size_t first) {
  budget.step(other.positional.size() - first);
  positional.insert(positional.end(), other.positional.begin() + static_cast<ptrdiff_t>(first),
                    other.positional.end());
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

bool Value::equals(const Value &other, Budget &budget) const {
  budget.step(); // lists share elements: the pairs may be far more than the values
  if (isNumber() && other.isNumber()) {
    if (is<int64_t>() && other.is<int64_t>())
      return *as<int64_t>() == *other.as<int64_t>();
    return numberOf(*this) == numberOf(other);
  }
  if (held.index() != other.held.index())
    return false;
  if (const auto *text = as<std::string>()) {
    const std::string &right = *other.as<std::string>();
    if (text->size() != right.size())
      return false;
    budget.read(right.size());
    return *text == right;
  }
  if (is<List>()) {
    const std::vector<Value> &left = items(), &right = other.items();
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [&](const Value &a, const Value &b) { return a.equals(b, budget); });
  }
  if (const auto *dict = as<Dict>()) {
    const DictBody &left = **dict, &right = **other.as<Dict>();
    return &left == &right ||
           (left.fields.size() == right.fields.size() &&
            std::all_of(left.fields.begin(), left.fields.end(), [&](const auto &field) {
              const Value *found = right.find(field.first, budget);
              if (field.first.isInteger) {
                const Value number = field.first.value(budget);
                found = right.find(*number.as<int64_t>(), budget);
              }
              return found && found->equals(field.second, budget);
            }));
  }
  return is<None>() || is<Undefined>();
}

std::string Value::kind() const {
  if (const auto *undefined = as<Undefined>())
    return !undefined->name || undefined->name->empty()
               ? "an undefined value"
               : fmt::format("'{}', which is undefined", *undefined->name);
  constexpr const char *kKinds[] = {"",         "none",   "a boolean",    "an integer", "a number",
                                    "a string", "a list", "a dictionary", "a function"};
  return kKinds[held.index()];
}

std::vector<Value> Value::elements(Budget &budget) const {
  ListWriter result(budget);
  if (is<List>()) {
    result.addAll(items());
  } else if (const auto *dict = as<Dict>()) {
    for (const auto &field : (*dict)->fields)
      result.add(field.first.value(budget));
  } else if (const auto *text = as<std::string>()) {
    for (std::string_view rest = *text; !rest.empty();) {
      const std::string_view character = firstCharacter(rest);
      result.addText(character);
      rest.remove_prefix(character.size());
    }
  } else if (!is<Undefined>()) {
    throw Failure(fmt::format("expected a list, found {}", kind()));
  }
  return result.take();
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

void requireSize(uint64_t bytes) {
  constexpr uint64_t kMost = uint64_t(64) << 20;
  if (bytes > kMost)
    throw Failure("expected values of at most 64 MiB");
}

} // namespace ttrt::language::chat
