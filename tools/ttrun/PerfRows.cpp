// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PerfRows.h"

#include "Describe/FloatOps.h"
#include "Formats/Json.h"
#include "Formats/Printing.h"

#include <algorithm>
#include <utility>

namespace ttrun {

namespace {
/// The commands of a bundle's traces, which are asked for in ascending order: a stream is walked
/// once.
class Commands {
public:
  explicit Commands(const ttrt::Bundle &bundle) : bundle(bundle) {}

  const ttrt::CommandHeader &at(uint32_t trace, uint32_t command) {
    if (!position || trace != this->trace || command < number) {
      position = bundle.stream(this->trace = trace);
      number = 0;
    }
    for (; number < command; ++number)
      position += header().size;
    return header();
  }

private:
  const ttrt::CommandHeader &header() const {
    return *reinterpret_cast<const ttrt::CommandHeader *>(position);
  }

  const ttrt::Bundle &bundle;
  const uint8_t *position = nullptr;
  uint32_t trace = 0, number = 0;
};
} // namespace

std::vector<PerfRow> makeRows(const ttrt::Bundle &bundle, PerfTimes &times) {
  const FloatOps floats(bundle);
  std::vector<PerfRow> rows;
  Commands commands(bundle);
  for (auto &[key, samples] : times.commands) {
    samples.finish();
    const auto &trace = *bundle.metadata().traces()->Get(key.first);
    const ttrt::CommandHeader &header = commands.at(key.first, key.second);
    PerfRow row;
    row.trace = ttrt::text(trace.name());
    row.command = std::to_string(key.second);
    row.least = samples.least();
    row.median = samples.median();
    row.p90 = samples.percentile(90);
    row.p99 = samples.percentile(99);
    if (key.second < ttrt::count(trace.sources()))
      row.source = bundle.location(trace.sources()->Get(key.second));
    const ttrt::Action action = ttrt::actionOf(header);
    row.name = action.info->name;
    row.isLoop = action.loop;
    if (action.loop && action.loop->flag == ttrt::kNoFlag)
      row.iterations = action.loop->iterations;
    row.floats = floats.typesOf(action);
    if (action.info->table == ttrt::IndexedTable::Program) {
      row.name = ttrt::text(bundle.metadata().programs()->Get(action.index)->symbol());
      row.grid = ttrt::gridOf(bundle.metadata(), action);
    } else if (action.info->table == ttrt::IndexedTable::Collective) {
      row.name = ttrt::text(bundle.metadata().collectives()->Get(action.index)->name());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<PerfRow> sumByProgram(const std::vector<PerfRow> &rows) {
  std::map<std::string, PerfRow> programs;
  for (const PerfRow &row : rows) {
    auto [found, isNew] = programs.try_emplace(row.name, row);
    if (isNew)
      continue;
    found->second.times += 1;
    found->second.least += row.least;
    found->second.median += row.median;
    found->second.p90 += row.p90;
    found->second.p99 += row.p99;
  }
  std::vector<PerfRow> sums;
  for (auto &[name, row] : programs)
    sums.push_back(std::move(row));
  std::sort(sums.begin(), sums.end(), [](const PerfRow &a, const PerfRow &b) {
    return a.median != b.median ? a.median > b.median : a.name < b.name;
  });
  return sums;
}

static double totalMedian(const std::vector<PerfRow> &rows) {
  double total = 0;
  for (const PerfRow &row : rows)
    total += row.median;
  return total > 0 ? total : 1;
}

/// `total`: what shares are of. With `floats`, a column has element types in place of the grid.
static void printRows(const std::vector<PerfRow> &rows, bool programs, double total, bool floats) {
  size_t width = 7, third = 6;
  for (const PerfRow &row : rows)
    third = std::max(third, floats ? row.floats.size() : 0);
  for (const PerfRow &row : rows)
    width = std::max(width, columnsOf(printable(row.name)));
  width = std::min<size_t>(width, 32);
  auto name = [&](const std::string &given) {
    std::string text = shorten(printable(given), width);
    return text + std::string(width - columnsOf(text), ' ');
  };
  fmt::print("\n{:>10} {:>6} {:>{}} {:>8}  {} {}\n", "median us", "share",
             floats ? "types" : "grid", third, programs ? "commands" : "command", name("program"),
             "source");
  for (const PerfRow &row : rows) {
    std::string line =
        fmt::format("{:10.2f} {:5.1f}% {:>{}} {:>8}  {}", row.median, 100 * row.median / total,
                    floats ? row.floats : std::to_string(row.grid), third,
                    programs ? std::to_string(row.times) : row.command, name(row.name));
    const std::string more = programs && row.times > 1 && !row.source.empty() ? ", ..." : "";
    const size_t used = columnsOf(line) + 1 + more.size();
    line += " " + shorten(printable(row.source), kColumns > used ? kColumns - used : 0) + more;
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

void printTable(const std::vector<PerfRow> &rows, bool programs) {
  printRows(rows, programs, totalMedian(rows), /*floats=*/false);
}

void printLoops(const std::vector<PerfRow> &rows) {
  bool isFirst = true;
  for (const PerfRow &row : rows) {
    if (!row.isLoop)
      continue;
    if (std::exchange(isFirst, false))
      fmt::print("\n{:>12} {:>12} {:>8}  source of the loop\n", "iteration us", "iterations",
                 "command");
    const std::string each =
        row.iterations ? fmt::format("{:.3f}", row.median / static_cast<double>(row.iterations))
                       : "-";
    const std::string line =
        fmt::format("{:>12} {:>12} {:>8}  ", each,
                    row.iterations ? std::to_string(row.iterations) : "by data", row.command);
    fmt::print("{}{}\n", line, shorten(printable(row.source), kColumns - line.size()));
  }
}

void printFloats(const std::vector<PerfRow> &rows) {
  std::vector<PerfRow> found;
  uint64_t commands = 0, all = 0;
  for (const PerfRow &row : rows) {
    all += row.times;
    if (row.floats.empty())
      continue;
    commands += row.times;
    found.push_back(row);
  }
  if (found.empty())
    return;
  const double total = totalMedian(rows), floats = totalMedian(found);
  fmt::print("\nin floats    {} of {} commands, {:.2f} of {:.2f} us ({:.1f}%)\n", commands, all,
             floats, total, 100 * floats / total);
  constexpr size_t kMost = 12;
  const size_t others = found.size() - std::min(found.size(), kMost);
  found.resize(found.size() - others);
  printRows(found, /*programs=*/true, total, /*floats=*/true);
  if (others)
    fmt::print("{:10.2f} {:5.1f}% in {} more\n", floats - totalMedian(found),
               100 * (floats - totalMedian(found)) / total, others);
}

std::string csvOf(const std::vector<PerfRow> &rows) {
  std::string csv = "trace,command,program,grid,source,min_us,median_us,p90_us,p99_us\n";
  for (const PerfRow &row : rows)
    csv += fmt::format("{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f}\n", csvField(row.trace),
                       row.command, csvField(row.name), row.grid, csvField(row.source), row.least,
                       row.median, row.p90, row.p99);
  return csv;
}

} // namespace ttrun
