// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Planner/Csv.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unordered_set>

namespace ttc::planner {
namespace {

constexpr int64_t kMostBytes = int64_t(1) << 60;

std::vector<std::string> splitLine(std::string line) {
  if (!line.empty() && line.back() == '\r')
    line.pop_back();
  std::vector<std::string> cells(1);
  for (char c : line)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

/// A line as messages show it: a file that is no CSV can have any.
std::string shorten(const std::string &line) {
  constexpr size_t most = 100;
  std::string text = line.substr(0, most);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return line.size() > most ? text + "..." : text;
}

bool parseNumber(const std::string &text, int64_t &value) {
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size();
}

} // namespace

std::optional<Problem> readCsv(std::istream &input, std::string &error) {
  std::string line;
  if (!std::getline(input, line)) {
    error = "expected a header line, found an empty file";
    return std::nullopt;
  }
  std::vector<std::string> header = splitLine(line);
  auto column = [&](const char *name) {
    return static_cast<size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  size_t id = column("id"), lower = column("lower"), upper = column("upper"), size = column("size"),
         alignment = column("alignment"), offset = column("offset");
  for (auto [name, index] :
       {std::pair("id", id), {"lower", lower}, {"upper", upper}, {"size", size}})
    if (index == header.size()) {
      error = std::string("line 1: expected a column '") + name + "', found " + shorten(line);
      return std::nullopt;
    }

  for (const char *name : {"id", "lower", "upper", "size", "alignment", "offset"})
    if (std::count(header.begin(), header.end(), name) > 1) {
      error =
          std::string("line 1: expected each column once, found the column '") + name + "' twice";
      return std::nullopt;
    }

  Problem problem;
  std::unordered_set<std::string> seen;
  int64_t bytes = 0; // an upper bound on the arena size
  for (int64_t number = 2; std::getline(input, line); ++number) {
    if (line.empty() || line == "\r")
      continue;
    std::vector<std::string> cells = splitLine(line);
    Buffer buffer;
    bool good = cells.size() == header.size() && parseNumber(cells[lower], buffer.lower) &&
                parseNumber(cells[upper], buffer.upper) && parseNumber(cells[size], buffer.size);
    if (good && alignment != header.size())
      good = parseNumber(cells[alignment], buffer.alignment);
    if (good && offset != header.size() && !cells[offset].empty())
      good = parseNumber(cells[offset], buffer.offset.emplace());
    if (!good) {
      error = "line " + std::to_string(number) + ": expected " + std::to_string(header.size()) +
              " cells, integers except for the id, found " + shorten(line);
      return std::nullopt;
    }
    if (buffer.size < 0 || buffer.alignment < 1 || buffer.lower >= buffer.upper ||
        buffer.offset.value_or(0) < 0) {
      error =
          "line " + std::to_string(number) +
          ": expected a size and an offset of at least 0, an alignment of at least 1 and lower < "
          "upper, "
          "found " +
          shorten(line);
      return std::nullopt;
    }
    // Larger values could overflow in sums of offsets and sizes.
    for (int64_t value : {buffer.size, buffer.alignment, buffer.offset.value_or(0)})
      bytes = value < kMostBytes ? std::min(kMostBytes, bytes + std::max<int64_t>(0, value))
                                 : kMostBytes;
    if (bytes >= kMostBytes) {
      error = "line " + std::to_string(number) +
              ": expected sizes, alignments and offsets that add up to less than 2^60 bytes, "
              "found more at " +
              shorten(line);
      return std::nullopt;
    }
    if (!seen.insert(cells[id]).second) {
      error = "line " + std::to_string(number) + ": expected each id once, found " +
              shorten(cells[id]) + " again";
      return std::nullopt;
    }
    problem.ids.push_back(cells[id]);
    problem.buffers.push_back(buffer);
  }
  return problem;
}

std::optional<Problem> readCsvFile(const std::string &path, std::string &error) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    std::error_code status;
    if (!file || std::filesystem::is_directory(path, status)) {
      error = "cannot read '" + path + "': " + strerror(file ? EISDIR : errno);
      return std::nullopt;
    }
  }
  std::optional<Problem> problem = readCsv(path == "-" ? std::cin : file, error);
  if (!problem)
    error = (path == "-" ? "standard input" : path) + ": " + error;
  return problem;
}

void writeCsv(std::ostream &output, const Problem &problem, const Plan &plan) {
  bool aligned = std::any_of(problem.buffers.begin(), problem.buffers.end(),
                             [](const Buffer &buffer) { return buffer.alignment != 1; });
  output << "id,lower,upper,size," << (aligned ? "alignment," : "") << "offset\n";
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    output << problem.ids[i] << ',' << buffer.lower << ',' << buffer.upper << ',' << buffer.size
           << ',';
    if (aligned)
      output << buffer.alignment << ',';
    output << plan.offsets[i] << '\n';
  }
}

} // namespace ttc::planner
