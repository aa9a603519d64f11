// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Mesh/MeshDescription.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace ttc {

namespace {

/// Machines of several devices. Links as their vendor states them: Ethernet of 100 Gbit/s, of which
/// neighbours have two (n300, t3000) or four (galaxy).
struct Machine {
  std::string_view name, mesh;
};
constexpr Machine kMachines[] = {
    {"wormhole_n300", "x:1,y:2:line:25e9:1000"},
    {"t3000", "x:2:line:25e9:1000,y:4:ring:25e9:1000"},
    {"galaxy", "x:8:ring:50e9:1000,y:4:ring:50e9:1000"},
};
constexpr std::string_view kDefaultNames[] = {"x", "y", "z", "w"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos)
      return parts;
    begin = end + 1;
  }
}

std::optional<int64_t> parseSize(std::string_view text) {
  int64_t size = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (status != std::errc() || end != text.data() + text.size() || size < 1)
    return std::nullopt;
  return size;
}

/// A number of at least 0, such as 12.5e9.
std::optional<int64_t> parseNumber(std::string_view text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || !(number >= 0) || number > 1e18)
    return std::nullopt;
  return static_cast<int64_t>(number);
}

bool isName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

/// Returns the problem.
std::string parseAxis(std::string_view text, MeshAxisDescription &axis) {
  const std::vector<std::string_view> parts = split(text, ':');
  const auto fail = [&](std::string_view expected, std::string_view found) {
    std::ostringstream message;
    message << "expected " << expected << ", found '" << found << "' in '" << text << "'";
    return message.str();
  };
  if (parts.size() < 2 || parts.size() > 5)
    return fail("an axis name:size[:topology[:bytes per second[:nanoseconds]]]", text);
  if (!isName(parts[0]))
    return fail("a name of letters, digits and _", parts[0]);
  axis.name = parts[0];
  const std::optional<int64_t> size = parseSize(parts[1]);
  if (!size)
    return fail("a number of devices", parts[1]);
  axis.size = *size;
  if (parts.size() > 2) {
    bool isKnown = false;
    for (MeshTopology topology : {MeshTopology::All, MeshTopology::Ring, MeshTopology::Line})
      if (parts[2] == nameOf(topology)) {
        axis.topology = topology;
        isKnown = true;
      }
    if (!isKnown)
      return fail("a topology (all, ring, line)", parts[2]);
  }
  std::optional<int64_t> bandwidth = 0, latency = 0;
  if (parts.size() > 3 && !(bandwidth = parseNumber(parts[3])))
    return fail("bytes per second", parts[3]);
  if (parts.size() > 4 && !(latency = parseNumber(parts[4])))
    return fail("nanoseconds", parts[4]);
  axis.linkBytesPerSecond = *bandwidth;
  axis.linkLatencyNs = *latency;
  return "";
}

} // namespace

const char *nameOf(MeshTopology topology) {
  return topology == MeshTopology::All ? "all" : topology == MeshTopology::Ring ? "ring" : "line";
}

MeshDescription describeMesh(std::string_view text) {
  MeshDescription mesh;
  if (text.ends_with(".json")) {
    std::ifstream file{std::string(text), std::ios::binary};
    const std::string json{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (file)
      return describeMeshInJson(json, text);
    mesh.problem = "cannot read '" + std::string(text) + "'";
    return mesh;
  }
  for (const Machine &machine : kMachines)
    if (text == machine.name)
      text = machine.mesh;
  if (text.find(':') != std::string_view::npos) {
    for (std::string_view part : split(text, ',')) {
      mesh.axes.emplace_back();
      mesh.problem = parseAxis(part, mesh.axes.back());
      if (!mesh.problem.empty())
        return mesh;
    }
    return mesh;
  }
  for (std::string_view part : split(text, 'x')) {
    const std::optional<int64_t> size = parseSize(part);
    if (!size || mesh.axes.size() >= std::size(kDefaultNames)) {
      mesh.problem = "expected a mesh such as 2, 2x4 or data:2,tensor:4:ring, one of "
                     "wormhole_n300, t3000, galaxy, or a .json file, found '" +
                     std::string(text) + "'";
      return mesh;
    }
    mesh.axes.push_back({std::string(kDefaultNames[mesh.axes.size()]), *size});
  }
  return mesh;
}

} // namespace ttc
