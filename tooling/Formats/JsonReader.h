// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_JSONREADER_H
#define TTC_TOOLING_FORMATS_JSONREADER_H

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ttrun {

/// A value of JSON. Accessors of another kind of value give an empty one: the reader of a file asks
/// for what it needs and checks what it got.
class JsonValue {
public:
  /// Throws UserError: "line 1, column 12: syntax error ...".
  static JsonValue parse(std::string_view text);

  double number = 0; ///< of a bool, 0 or 1
  std::string string;
  std::vector<JsonValue> items;
  std::map<std::string, JsonValue> fields;

  /// A field of an object; a null value if there is none.
  const JsonValue &operator[](const std::string &name) const;
  bool isNumber() const { return isNumber_; }

private:
  bool isNumber_ = false;
};

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_JSONREADER_H
