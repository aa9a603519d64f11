// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The description of a mesh in a JSON file. Its grammar needs objects, arrays, strings without
// escapes and numbers, so this reads those and says where it found something else.

#include "ttc/Mesh/MeshDescription.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>

namespace ttc {

namespace {

class Reader {
public:
  Reader(std::string_view text, std::string_view path) : text(text), path(path) {}

  MeshDescription read() {
    bool hasAxes = false;
    object([&](const std::string &key) {
      if (key == "name" || key == "comment")
        string("a string");
      else if (key == "axes")
        hasAxes = true, axes();
      else
        fail("one of the keys name, comment, axes", "'" + key + "'");
    });
    space();
    if (at < text.size())
      fail("the end", found());
    if (!hasAxes || mesh.axes.empty())
      fail("\"axes\" with at least one axis", "none");
    return std::move(mesh);
  }

private:
  bool failed() const { return !mesh.problem.empty(); }
  /// The first problem counts.
  void fail(const std::string &expected, const std::string &what) {
    if (failed())
      return;
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    mesh.problem = std::string(path) + ":" + std::to_string(line) + ": expected " + expected +
                   ", found " + what;
  }
  std::string found() const {
    if (at == text.size())
      return "the end of the file";
    return "'" + std::string(text.substr(at, text.find_first_of(" \t\r\n,}]", at + 1) - at)) + "'";
  }
  void space() { at = std::min(text.find_first_not_of(" \t\r\n", at), text.size()); }
  bool take(char wanted) {
    space();
    if (at == text.size() || text[at] != wanted)
      return false;
    ++at;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted))
      fail("'" + std::string(1, wanted) + "'", found());
  }

  void object(const std::function<void(const std::string &)> &field) {
    std::vector<std::string> keys;
    expect('{');
    for (bool more = !failed() && !take('}'); more && !failed();) {
      const std::string key = string("a key");
      if (std::find(keys.begin(), keys.end(), key) != keys.end())
        fail("each key once", "'" + key + "' twice");
      keys.push_back(key);
      expect(':');
      if (!failed())
        field(key);
      more = take(',');
      if (!more)
        expect('}');
    }
  }

  std::string string(const char *what) {
    space();
    const size_t end = at < text.size() && text[at] == '"' ? text.find('"', at + 1) : text.npos;
    if (end == text.npos) {
      fail(what, found());
      return "";
    }
    std::string value(text.substr(at + 1, end - at - 1));
    if (value.find_first_of("\\\n") != value.npos)
      fail(std::string(what) + " without escapes", "'" + value + "'");
    else
      at = end + 1;
    return value;
  }

  int64_t number(const char *what, int64_t least) {
    space();
    double value = 0;
    const char *end = text.data() + text.size();
    const auto [last, status] = std::from_chars(text.data() + at, end, value);
    if (status != std::errc() || !(value >= static_cast<double>(least)) || value > 1e18 ||
        value != std::floor(value)) {
      fail(what, found());
      return least;
    }
    at = static_cast<size_t>(last - text.data());
    return static_cast<int64_t>(value);
  }

  void axes() {
    expect('[');
    for (bool more = !failed() && !take(']'); more && !failed();) {
      axis();
      more = take(',');
      if (!more)
        expect(']');
    }
  }

  void axis() {
    MeshAxisDescription axis;
    bool hasSize = false;
    object([&](const std::string &key) {
      if (key == "name")
        name(axis);
      else if (key == "size")
        hasSize = true, axis.size = number("a number of devices, at least 1", 1);
      else if (key == "topology")
        topology(axis);
      else if (key == "link_bytes_per_second")
        axis.linkBytesPerSecond = number("whole bytes per second, at least 0", 0);
      else if (key == "link_latency_ns")
        axis.linkLatencyNs = number("whole nanoseconds, at least 0", 0);
      else
        fail("one of the keys name, size, topology, link_bytes_per_second, link_latency_ns",
             "'" + key + "'");
    });
    if (axis.name.empty())
      fail("an axis with a \"name\"", "none");
    if (!hasSize)
      fail("a \"size\" of axis '" + axis.name + "'", "none");
    mesh.axes.push_back(std::move(axis));
  }

  void name(MeshAxisDescription &axis) {
    axis.name = string("the name of the axis as a string");
    for (char c : axis.name)
      if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'))
        fail("a name of letters, digits and _", "'" + axis.name + "'");
    for (const MeshAxisDescription &other : mesh.axes)
      if (other.name == axis.name)
        fail("axes of distinct names", "two of '" + axis.name + "'");
  }

  void topology(MeshAxisDescription &axis) {
    constexpr const char *kExpected = "\"all\", \"ring\" or \"line\"";
    const std::string given = string(kExpected);
    for (MeshTopology topology : {MeshTopology::All, MeshTopology::Ring, MeshTopology::Line})
      if (given == nameOf(topology)) {
        axis.topology = topology;
        return;
      }
    fail(kExpected, "'" + given + "'");
  }

  std::string_view text, path;
  size_t at = 0;
  MeshDescription mesh;
};

} // namespace

MeshDescription describeMeshInJson(std::string_view json, std::string_view path) {
  return Reader(json, path).read();
}

} // namespace ttc
