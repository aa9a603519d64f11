// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_TRACEEVENTS_H
#define TTC_TOOLING_FORMATS_TRACEEVENTS_H

#include "Formats/Json.h"

#include <fmt/format.h>
#include <iterator>
#include <string>

namespace ttrun {

/// Writes JSON in Chrome's trace event format, one event a line, in the order of the calls. Viewers
/// show a process as a group of rows and a thread as a row. Times are nanoseconds since a begin
/// that all events share.
class TraceEvents {
public:
  /// `what`: "process_name" or "thread_name".
  void name(const char *what, uint32_t process, uint32_t thread, const std::string &text) {
    next(R"({{"ph": "M", "pid": {}, "tid": {}, "name": "{}", "args": {{"name": {}}}}})", process,
         thread, what, quoteJson(text));
  }
  /// `what`: "process_sort_index" or "thread_sort_index".
  void order(const char *what, uint32_t process, uint32_t thread, uint64_t index) {
    next(R"({{"ph": "M", "pid": {}, "tid": {}, "name": "{}", "args": {{"sort_index": {}}}}})",
         process, thread, what, index);
  }

  /// Leaves its arguments open: argument() adds one, close() ends it.
  void slice(uint32_t process, uint32_t thread, const char *category, const std::string &title,
             int64_t begin, int64_t end) {
    next(R"({{"ph": "X", "pid": {}, "tid": {}, "cat": "{}", "name": {}, "ts": {:.3f}, )"
         R"("dur": {:.3f}, "args": {{)",
         process, thread, category, quoteJson(title), microseconds(begin),
         microseconds(end - begin));
  }
  /// Leaves its arguments open. `scope`: t a thread, p a process, g everything.
  void instant(uint32_t process, uint32_t thread, const char *category, const std::string &title,
               int64_t time, char scope) {
    next(R"({{"ph": "i", "pid": {}, "tid": {}, "cat": "{}", "name": {}, "ts": {:.3f}, )"
         R"("s": "{}", "args": {{)",
         process, thread, category, quoteJson(title), microseconds(time), scope);
  }
  template <typename T> void argument(std::string_view key, const T &value) {
    add("{}{}: {}", isFirstArgument ? "" : ", ", quoteJson(key), value);
    isFirstArgument = false;
  }
  /// Omits an empty one.
  void argument(std::string_view key, const std::string &value) {
    if (!value.empty())
      argument<std::string>(key, quoteJson(value));
  }
  void close() { json += "}}"; }

  /// A slice that need not nest in those of its row. `id` tells them apart.
  void overlapping(uint32_t process, uint32_t thread, const char *category, uint64_t id,
                   const std::string &title, int64_t begin, int64_t end) {
    for (const auto &[phase, time] : {std::pair("b", begin), std::pair("e", end)})
      next(R"({{"ph": "{}", "pid": {}, "tid": {}, "cat": "{}", "id": {}, "name": {}, )"
           R"("ts": {:.3f}}})",
           phase, process, thread, category, id, quoteJson(title), microseconds(time));
  }
  void counter(uint32_t process, const char *title, int64_t time, uint64_t bytes) {
    next(R"({{"ph": "C", "pid": {}, "tid": 0, "name": "{}", "ts": {:.3f}, )"
         R"("args": {{"bytes": {}}}}})",
         process, title, microseconds(time), bytes);
  }

  std::string take() { return std::move(json) + "\n]}\n"; }

private:
  static double microseconds(int64_t ns) { return static_cast<double>(ns) * 1e-3; }

  template <typename... T> void add(fmt::format_string<T...> pattern, T &&...values) {
    fmt::format_to(std::back_inserter(json), pattern, std::forward<T>(values)...);
  }
  template <typename... T> void next(fmt::format_string<T...> pattern, T &&...values) {
    json += isFirst ? "\n" : ",\n";
    isFirst = false;
    isFirstArgument = true;
    add(pattern, std::forward<T>(values)...);
  }

  // The object form of the format, which allows further fields; not the older array.
  std::string json = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  bool isFirst = true, isFirstArgument = true;
};

} // namespace ttrun

#endif // TTC_TOOLING_FORMATS_TRACEEVENTS_H
