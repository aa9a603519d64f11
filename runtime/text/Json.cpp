// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/Json.h"

#include "text/Utf8.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ttrt::language {

using chat::Failure;
using chat::Value;

namespace {
/// What nlohmann's parser calls. Not its own tree: that sorts the fields of objects, or searches
/// all of them for each one.
class Builder {
public:
  explicit Builder(std::string_view what) : what(what) {}

  bool null() { return add(chat::None()); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) {
    return value > INT64_MAX ? add(static_cast<double>(value)) : add(static_cast<int64_t>(value));
  }
  bool number_float(double value, const std::string &) { return add(value); }
  bool string(std::string &value) { return add(std::move(value)); }
  bool binary(std::vector<uint8_t> &) { return false; }
  bool start_object(size_t) { return open(true); }
  bool start_array(size_t) { return open(false); }
  bool key(std::string &name) {
    // Templates search fields one by one.
    constexpr size_t kMostFields = 1000;
    if (levels.back().fields.size() == kMostFields)
      throw Failure(fmt::format("{}: expected objects of at most {} fields", what, kMostFields));
    levels.back().fields.emplace_back(std::move(name), Value());
    return true;
  }
  bool end_object() {
    Value value = chat::makeDict(std::move(levels.back().fields));
    levels.pop_back();
    return add(std::move(value));
  }
  bool end_array() {
    Value value(std::move(levels.back().items));
    levels.pop_back();
    return add(std::move(value));
  }
  bool parse_error(size_t, const std::string &, const std::exception &error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
    std::string_view message = error.what();
    const size_t at = message.find("line ");
    message.remove_prefix(at == message.npos ? 0 : at);
    throw Failure(fmt::format("{}: {}", what, printable(message)));
  }

  Value result;

private:
  struct Level {
    bool isObject;
    chat::Fields fields;
    std::vector<Value> items;
  };

  bool open(bool isObject) {
    constexpr size_t kDeepest = 64; // as values of templates
    if (levels.size() == kDeepest)
      throw Failure(fmt::format("{}: expected at most {} levels", what, kDeepest));
    levels.push_back({isObject, {}, {}});
    return true;
  }
  bool add(Value value) {
    if (levels.empty())
      result = std::move(value);
    else if (levels.back().isObject)
      levels.back().fields.back().second = std::move(value);
    else
      levels.back().items.push_back(std::move(value));
    return true;
  }

  std::string_view what;
  std::vector<Level> levels;
};
} // namespace

Value parseJson(std::string_view json, std::string_view what, size_t most) {
  if (json.size() > most)
    throw Failure(fmt::format("{}: expected at most {} bytes, found {}", what, most, json.size()));
  Builder builder(what);
  nlohmann::json::sax_parse(json, &builder);
  return std::move(builder.result);
}

} // namespace ttrt::language
