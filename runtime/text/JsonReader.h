// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTRT_TEXT_JSONREADER_H
#define TTRT_TEXT_JSONREADER_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ttrun {

/// Reads JSON in its order, without a tree: for files of many values. Whoever reads says what comes
/// next; everything throws TextError: "byte 12: expected ':'".
class JsonCursor {
public:
  enum class Kind { Null, Bool, Number, String, Array, Object };

  explicit JsonCursor(std::string_view text) : text(text) {}

  /// The kind of the next value.
  Kind kind();
  void readNull();
  bool readBool();
  double readNumber();
  /// A number without a fraction, from `least` to `most`.
  int64_t readInteger(int64_t least, int64_t most);
  void readString(std::string &to);
  /// Calls element() before each element, which it must read.
  template <typename Element> void readArray(Element element) {
    for (bool more = enter('[', ']'); more; more = another(']'))
      element();
  }
  /// Calls field(name) before the value of each field, which it must read.
  template <typename Field> void readObject(Field field) {
    for (bool more = enter('{', '}'); more; more = another('}'))
      field(readName());
  }
  /// Reads any value.
  void skip();
  /// Requires that nothing follows.
  void finish();

private:
  [[noreturn]] void fail(const char *expected) const;
  char next();
  bool take(char wanted);
  bool takeWord(std::string_view word);
  bool enter(char open, char close);
  bool another(char close);
  std::string readName();
  uint32_t readCodeUnit();
  void readEscape(std::string &to);

  std::string_view text;
  size_t at = 0;
  int depth = 0;
};

/// A value of JSON. Accessors of another kind of value give an empty one: the reader of a file asks
/// for what it needs and checks what it got.
class JsonValue {
public:
  using Kind = JsonCursor::Kind;

  /// Throws TextError: "byte 12: expected ':'".
  static JsonValue parse(std::string_view text);

  Kind kind = Kind::Null;
  double number = 0; ///< of a bool, 0 or 1
  std::string string;
  std::vector<JsonValue> items;
  std::map<std::string, JsonValue> fields;

  /// A field of an object; a null value if there is none.
  const JsonValue &operator[](const std::string &name) const;
  bool isNumber() const { return kind == Kind::Number; }

private:
  static JsonValue read(JsonCursor &cursor);
};

} // namespace ttrun

#endif // TTRT_TEXT_JSONREADER_H
