// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that expressions of a chat template have: those of Python that Jinja shows.

#ifndef TTRT_TEXT_TEMPLATE_VALUE_H
#define TTRT_TEXT_TEMPLATE_VALUE_H

#include "text/Template/Budget.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ttrt::language::chat {

/// An error in JSON, a vocabulary or a template, or one that a template raises; without the line,
/// which the caller adds.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Value;
class TextWriter;
struct Arguments;

/// Shared, so that a copy of a value costs the same however long its text is.
using Text = std::shared_ptr<const std::string>;

/// What a name stands for that has no value. It can be tested and printed, but not used.
struct Undefined {
  Undefined() = default;
  explicit Undefined(const std::string &name) : name(std::make_shared<const std::string>(name)) {}
  Text name; ///< may be null
};
struct None {};

struct ListBody;
struct DictBody;
struct FunctionBody;
using List = std::shared_ptr<const ListBody>;
using Function = std::shared_ptr<const FunctionBody>;
/// In the order of insertion. Shared by all that hold it; only namespaces change.
using Dict = std::shared_ptr<DictBody>;

class Value {
public:
  Value() : held(Undefined()) {}
  Value(Undefined undefined) : held(std::move(undefined)) {}
  Value(None none) : held(none) {}
  Value(bool flag) : held(flag) {}
  Value(int64_t number) : held(number) {}
  Value(double number) : held(number) {}
  Value(Text text) : held(std::move(text)) {}
  Value(std::string text) : held(std::make_shared<const std::string>(std::move(text))) {}
  Value(const char *text) : Value(std::string(text)) {}
  Value(std::vector<Value> items);
  Value(Dict dict) : held(std::move(dict)) {}
  Value(Function function) : held(std::move(function)) {}

  /// The value as this type (a string as std::string); null if it is of another one. What it points
  /// to is part of the value, so there is none of a temporary.
  template <typename T> const T *as() const & {
    if constexpr (std::is_same_v<T, std::string>) {
      const Text *text = std::get_if<Text>(&held);
      return text ? text->get() : nullptr;
    } else {
      return std::get_if<T>(&held);
    }
  }
  template <typename T> const T *as() const && = delete;
  template <typename T> bool is() const { return as<T>() != nullptr; }
  bool isNumber() const { return is<int64_t>() || is<double>() || is<bool>(); }
  /// The elements of a list, which this value is.
  const std::vector<Value> &items() const &;
  const std::vector<Value> &items() const && = delete;

  bool isTrue() const;
  bool equals(const Value &other, Budget &budget) const;
  /// As {{ }} prints it.
  void print(TextWriter &to) const;
  Text text(Budget &budget) const;
  /// As Python's repr() writes it.
  void represent(TextWriter &to) const;
  /// As Python's json.dumps(ensure_ascii=ascii) writes it; with indent < 0 on one line.
  void json(TextWriter &to, int indent = -1, bool ascii = false, int level = 0) const;
  /// "a string", for messages.
  std::string kind() const;
  /// The elements that a loop visits: of a list, the keys of a dictionary, the characters of a
  /// string. Throws Failure for other values.
  std::vector<Value> elements(Budget &budget) const;
  /// Levels of lists, dictionaries and their methods.
  int depth() const;

private:
  std::variant<Undefined, None, bool, int64_t, double, Text, List, Dict, Function> held;
};

/// A key of a dictionary: a text, or the digits of an integer, which no text equals.
struct Key : std::string {
  Key(std::string text) : std::string(std::move(text)) {}
  explicit Key(int64_t number) : std::string(std::to_string(number)), isInteger(true) {}
  bool isInteger = false;

  Value value(Budget &budget) const;
};
using Fields = std::vector<std::pair<Key, Value>>;

/// A text that the filter 'safe' made: of what is added to it, Jinja replaces characters that HTML
/// reserves.
bool isMarkup(const Value &value);
Value makeMarkup(const Text &text, Budget &budget);

struct ListBody {
  std::vector<Value> items;
  int depth;
};

struct DictBody {
  Fields fields;
  int depth = 1;
  bool isNamespace = false;

  const Value *find(std::string_view name) const;
  /// Throws Failure if the value is nested too deeply.
  void set(const Key &name, Value value);

  /// The same for templates, which pay.
  const Value *find(std::string_view name, Budget &budget) const;
  const Value *find(int64_t number, Budget &budget) const;
  void set(const Key &name, Value value, Budget &budget);
};

/// Called with a budget, which its arguments carry.
struct FunctionBody {
  std::function<Value(const Arguments &)> call;
  int depth; ///< as deep as what it is a method of, so that no chain of methods is endless
};

Value makeFunction(std::function<Value(const Arguments &)> call);
Value makeMethod(const Value &of, std::function<Value(const Arguments &)> call, Budget &budget);

/// What a function, filter or test is called with.
struct Arguments {
  explicit Arguments(Budget &budget) : budget(budget) {}

  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
  Budget &budget; ///< of the render

  /// The argument at `index`, or of this name; `otherwise` if it is not given.
  Value get(size_t index, std::string_view name, Value otherwise = {}) const;
  /// Appends the positional arguments of `other` from `first` on.
  void append(const Arguments &other, size_t first);
};

/// Of texts alone.
Value makeDict(Fields fields);
Value makeDict(Fields fields, Budget &budget);

/// Throws Failure unless the value is of this kind; `what` names it. The string is part of the
/// value, so there is none of a temporary.
const std::string &requireText(const Value &value, std::string_view what);
const std::string &requireText(const Value &&value, std::string_view what) = delete;
int64_t requireInteger(const Value &value, std::string_view what);
/// Throws Failure if a value of a template would become larger than any that a prompt needs.
void requireSize(uint64_t bytes);

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_VALUE_H
