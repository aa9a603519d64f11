// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/JsonReader.h"

#include "Support/Error.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace ttrun {

const JsonValue &JsonValue::operator[](const std::string &name) const {
  static const JsonValue none;
  const auto found = fields.find(name);
  return found == fields.end() ? none : found->second;
}

JsonValue JsonValue::parse(std::string_view text) {
  auto check = [](int depth, nlohmann::json::parse_event_t, const nlohmann::json &) {
    // A file is nested deeper only by mistake or to harm.
    if (depth > 64)
      throw UserError("expected JSON of at most 64 levels");
    return true;
  };
  auto toValue = [](auto &self, nlohmann::json &json) -> JsonValue {
    JsonValue value;
    value.isNumber_ = json.is_number();
    if (value.isNumber_ || json.is_boolean())
      value.number = json.is_boolean() ? json.get<bool>() : json.get<double>();
    else if (json.is_string())
      value.string = std::move(json.get_ref<std::string &>());
    else if (json.is_array())
      for (nlohmann::json &item : json)
        value.items.push_back(self(self, item));
    else if (json.is_object())
      for (auto &[name, field] : json.get_ref<nlohmann::json::object_t &>())
        value.fields.emplace(name, self(self, field));
    return value;
  };
  try {
    nlohmann::json json = nlohmann::json::parse(text, check);
    return toValue(toValue, json);
  } catch (const nlohmann::json::exception &error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
    const char *message = strstr(error.what(), "line ");
    throw UserError(message ? message : error.what());
  }
}

} // namespace ttrun
