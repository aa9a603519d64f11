// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_JSON_H
#define TTC_TOOLING_FORMATS_JSON_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ttrun {

/// A string of JSON, with its quotes.
std::string quoteJson(std::string_view raw);

/// Makes JSON safe inside a script element: no tag, comment or entity can begin in it.
std::string insideScript(std::string_view json);

/// Writes indented JSON in the order of the calls. key() names the value that follows.
class Json {
public:
  Json &key(std::string_view name);
  /// `flat`: on one line, including everything inside.
  Json &beginObject(bool flat = false) { return open('{', flat); }
  Json &endObject() { return close('}'); }
  Json &beginArray(bool flat = false) { return open('[', flat); }
  Json &endArray() { return close(']'); }
  Json &value(std::string_view text);
  Json &value(const char *text) { return value(std::string_view(text)); }
  Json &value(double number);
  Json &value(uint64_t number);
  Json &value(int64_t number);
  Json &value(uint32_t number) { return value(static_cast<uint64_t>(number)); }
  Json &value(int number) { return value(static_cast<int64_t>(number)); }
  Json &value(bool flag);

  template <typename T> Json &field(std::string_view name, const T &content) {
    return key(name).value(content);
  }

  /// Returns the text, with a newline at the end.
  std::string take() { return std::move(text) + "\n"; }

private:
  Json &open(char bracket, bool flat = false);
  Json &close(char bracket);
  void separate();
  void raw(std::string_view piece);

  std::string text;
  int depth = 0;
  int flatFrom = 0; ///< depth from which on everything is on one line; 0: nowhere
  bool first = true;
  bool afterKey = false;
};

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_JSON_H
