// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that expressions of a chat template have: those of Python that Jinja shows.

#ifndef TTRT_TEXT_TEMPLATE_VALUE_H
#define TTRT_TEXT_TEMPLATE_VALUE_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
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
struct Arguments;
using Function = std::function<Value(const Arguments &)>;

/// What a name stands for that has no value. It can be tested and printed, but not used.
struct Undefined {
  std::string name;
};
struct None {};

struct ListBody;
struct DictBody;
using List = std::shared_ptr<const ListBody>;
/// In the order of insertion. Shared by all that hold it; only namespaces change.
using Dict = std::shared_ptr<DictBody>;

class Value {
public:
  Value() : held(Undefined{}) {}
  Value(Undefined undefined) : held(std::move(undefined)) {}
  Value(None none) : held(none) {}
  Value(bool flag) : held(flag) {}
  Value(int64_t number) : held(number) {}
  Value(double number) : held(number) {}
  Value(std::string text) : held(std::move(text)) {}
  Value(const char *text) : held(std::string(text)) {}
  Value(std::vector<Value> items);
  Value(Dict dict) : held(std::move(dict)) {}
  Value(Function function) : held(std::move(function)) {}

  template <typename T> const T *as() const { return std::get_if<T>(&held); }
  template <typename T> bool is() const { return as<T>() != nullptr; }
  bool isNumber() const { return is<int64_t>() || is<double>() || is<bool>(); }
  /// The elements of a list, which this value is.
  const std::vector<Value> &items() const;

  bool isTrue() const;
  bool equals(const Value &other) const;
  /// As {{ }} prints it.
  std::string text() const;
  /// As Python's repr() writes it.
  std::string representation() const;
  /// As Python's json.dumps(ensure_ascii=False) writes it; with indent < 0 on one line.
  std::string json(int indent = -1, int depth = 0) const;
  /// "a string", for messages.
  std::string kind() const;
  /// The elements that a loop visits: of a list, the keys of a dictionary, the characters of a
  /// string. Throws Failure for other values.
  std::vector<Value> elements() const;
  /// Levels of lists and dictionaries.
  int depth() const;

private:
  std::variant<Undefined, None, bool, int64_t, double, std::string, List, Dict, Function> held;
};

struct ListBody {
  std::vector<Value> items;
  int depth;
};

struct DictBody {
  std::vector<std::pair<std::string, Value>> fields;
  int depth = 1;
  bool isNamespace = false;

  const Value *find(std::string_view name) const;
  /// Throws Failure if the value is nested too deeply.
  void set(const std::string &name, Value value);
};

/// What a function, filter or test is called with.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  /// The argument at `index`, or of this name; `otherwise` if it is not given.
  Value get(size_t index, std::string_view name, Value otherwise = {}) const;
};

Value makeDict(std::vector<std::pair<std::string, Value>> fields);

/// The code points of a string, each by itself. Bytes that are no UTF-8 count as one each.
std::vector<std::string_view> charactersOf(std::string_view text);
/// Throws Failure unless the value is of this kind; `what` names it.
const std::string &requireText(const Value &value, std::string_view what);
int64_t requireInteger(const Value &value, std::string_view what);
/// Throws Failure if a value of a template would become larger than any that a prompt needs.
void requireSize(size_t bytes);

} // namespace ttrt::language::chat

#endif // TTRT_TEXT_TEMPLATE_VALUE_H
