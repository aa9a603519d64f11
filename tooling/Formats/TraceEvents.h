// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TTC_TOOLING_FORMATS_TRACEEVENTS_H
#define TTC_TOOLING_FORMATS_TRACEEVENTS_H

#include "Formats/Json.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>

namespace ttrun {

/// Writes JSON in Chrome's trace event format, one event a line, in the order of the calls. Viewers
/// show a process as a group of rows and a thread as a row. Times are nanoseconds since a begin
/// that all events share, and not negative.
///
/// Viewers differ. Tracy matches begins and ends of a row by their order in time and, where that is
/// equal, in the file, whatever their ids; it cuts fractions of nanoseconds off. So slices of a row
/// must nest, outer ones come first, and asynchronous ones are not written. Tracy also merges the
/// values of counters that have one name, in whatever process and counter, and takes messages with
/// "frame" in them for frames.
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

  /// Leaves its arguments open: argument() adds one, close() ends it. Nests in the slices of its
  /// row that come before it and have not ended.
  void slice(uint32_t process, uint32_t thread, const char *category, const std::string &title,
             int64_t begin, int64_t end) {
    next(R"({{"ph": "X", "pid": {}, "tid": {}, "cat": "{}", "name": {}, "ts": {}, )"
         R"("dur": {}, "args": {{)",
         process, thread, category, quoteJson(title), microseconds(begin),
         microseconds(end - begin));
  }
  /// Leaves its arguments open. `scope`: t a thread, p a process, g everything.
  void instant(uint32_t process, uint32_t thread, const char *category, const std::string &title,
               int64_t time, char scope) {
    next(R"({{"ph": "i", "pid": {}, "tid": {}, "cat": "{}", "name": {}, "ts": {}, )"
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

  /// A value of the row `title` of a process. `series` names it in viewers that merge the rows of
  /// all processes; if it ends in "_bytes", Tracy shows bytes.
  void counter(uint32_t process, const char *title, const std::string &series, int64_t time,
               uint64_t value) {
    next(R"({{"ph": "C", "pid": {}, "tid": 0, "name": "{}", "ts": {}, "args": {{{}: {}}}}})",
         process, title, microseconds(time), quoteJson(series), value);
  }

  std::string take() { return std::move(json) + "\n]}\n"; }

private:
  /// With a tenth of a nanosecond more: "1.003" times 1000 is less than 1003 in binary, and a
  /// reader that cuts the rest off would let a slice begin before the one in front of it ends.
  static std::string microseconds(int64_t ns) {
    ns = std::max<int64_t>(ns, 0);
    return fmt::format("{}.{:03}1", ns / 1000, ns % 1000);
  }

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
