// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile/Counters.h"

#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "Profile/CounterSums.h"
#include "Profile/Summary.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <linux/perf_event.h>

namespace ttrun::report {

using namespace ttrt::profile;

//===----------------------------------------------------------------------===//
// Counts of commands
//===----------------------------------------------------------------------===//

uint32_t CountTable::add() {
  const size_t width = 2 + counters;
  cells.resize(cells.size() + width);
  return static_cast<uint32_t>(cells.size() / width - 1);
}

uint32_t CountTable::addSum(const CountTable &other, const std::vector<uint32_t> &rows) {
  for (uint32_t row : rows)
    if (row == kNone || !(other.ran(row) > 0))
      return kNone;
  if (rows.empty())
    return kNone;
  const uint32_t sum = add();
  for (uint32_t row : rows) {
    const double scale = std::max(other.enabled(row) / other.ran(row), 1.0);
    enabled(sum) += other.enabled(row);
    ran(sum) += other.ran(row);
    for (size_t i = 0; i < counters; ++i)
      value(sum, i) += other.value(row, i) * scale;
  }
  return sum;
}

std::vector<uint32_t> addCounts(const RingZones &zones, CountTable &table) {
  std::vector<uint32_t> rows;
  if (!zones.counts.empty())
    rows.resize(zones.spans.size(), kNone);
  for (const Count &count : zones.counts) {
    if (count.parent == kNone || zones.spans[count.parent].kind != MarkerKind::CommandBegin)
      continue;
    uint32_t &row = rows[count.parent];
    if (row == kNone)
      row = table.add();
    if (count.counter == kNone) {
      table.enabled(row) = static_cast<double>(count.enabled);
      table.ran(row) = static_cast<double>(count.value);
    } else {
      table.value(row, count.counter) = static_cast<double>(count.value);
    }
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Counts of ops
//===----------------------------------------------------------------------===//

void CountSamples::add(const Analysis &a, const OpRun &run) {
  values.resize(a.log.counters.size());
  if (run.counts == kNone)
    return;
  enabled += a.counts.enabled(run.counts);
  ran += a.counts.ran(run.counts);
  for (size_t i = 0; i < values.size(); ++i)
    if (a.log.counters[i].isCounted())
      values[i].push_back(a.counts.value(run.counts, i));
}

CountSum::CountSum(CountSamples samples) : enabled(samples.enabled), ran(samples.ran) {
  for (std::vector<double> &list : samples.values)
    values.push_back(spreadOf(std::move(list)));
}

void CountSum::add(const CountSum &other) {
  enabled += other.enabled;
  ran += other.ran;
  for (size_t i = 0; i < std::min(values.size(), other.values.size()); ++i)
    values[i].add(other.values[i]);
}

static const Spread *find(const Log &log, const CountSum &sum, std::string_view name) {
  for (size_t i = 0; i < sum.values.size(); ++i)
    if (log.counters[i].name == name && sum.values[i].count)
      return &sum.values[i];
  return nullptr;
}

Rates ratesOf(const Log &log, const CountSum &sum) {
  Rates rates;
  auto ratio = [](const Spread *part, const Spread *all, double unit) {
    return part && all && all->sum > 0 ? std::optional(unit * part->sum / all->sum) : std::nullopt;
  };
  const Spread *instructions = find(log, sum, "instructions");
  rates.instructionsPerCycle = ratio(instructions, find(log, sum, "cycles"), 1);
  rates.cacheMisses = ratio(find(log, sum, "cache-misses"), instructions, 1000);
  rates.branchMisses = ratio(find(log, sum, "branch-misses"), instructions, 1000);
  const Spread *half = find(log, sum, "fp-256"), *whole = find(log, sum, "fp-512");
  if (const Spread *operations = find(log, sum, "fp-ops"))
    rates.flops = operations->median;
  else if (half || whole) // packed f32; a fused multiply-add counts as two
    rates.flops = 8 * (half ? half->median : 0) + 16 * (whole ? whole->median : 0);
  return rates;
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

static bool isRaw(const CounterInfo &counter) { return counter.name.rfind("raw:", 0) == 0; }

/// Rare events: their median says nothing.
static bool isRare(const CounterInfo &counter) {
  return counter.name == "context-switches" || counter.name == "migrations" ||
         counter.name == "page-faults";
}

std::string columnOf(const CounterInfo &counter) {
  if (isRaw(counter))
    return "RAW " + counter.name.substr(4);
  std::string column;
  for (char c : counter.name)
    column += c == '-' ? ' ' : static_cast<char>(toupper(static_cast<unsigned char>(c)));
  return counter.name == "task-clock" ? column + " [ns]" : column;
}

size_t counterColumnCount(const Log &log) {
  return log.counters.empty() ? 0 : log.counters.size() + 1;
}

std::string counterColumns(const Log &log) {
  std::string columns;
  for (const CounterInfo &counter : log.counters)
    columns += "," + printable(columnOf(counter));
  return log.counters.empty() ? "" : columns + ",COUNTED [%]";
}

std::string counterCells(const Analysis &a, uint32_t row) {
  if (row == kNone)
    return std::string(counterColumnCount(a.log), ',');
  std::string cells;
  for (size_t i = 0; i < a.log.counters.size(); ++i)
    cells += a.log.counters[i].isCounted() ? fmt::format(",{:.0f}", a.counts.value(row, i)) : ",";
  return cells +
         fmt::format(",{:.1f}", std::min(100 * a.counts.ran(row) / a.counts.enabled(row), 100.0));
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

static std::string reasonOf(const CounterRecord &counter) {
  const bool inKernel =
      counter.type == PERF_TYPE_SOFTWARE && (counter.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                             counter.config == PERF_COUNT_SW_CPU_MIGRATIONS);
  switch (counter.problem) {
  case kUnknownEvent:
    return "no event is known that counts this on this CPU; 'flops' chooses those that are";
  case ENOENT:
  case ENODEV:
  case EOPNOTSUPP:
    return "this machine has no such event; a virtual machine has those of the CPU only if its "
           "host shares them";
  case EINVAL:
    return "the CPU has no such event, or cannot count it together with those before it: give "
           "fewer counters";
  case EACCES:
  case EPERM:
    if (const int32_t needed = inKernel ? 1 : 2; counter.paranoid > needed)
      return fmt::format("perf_event_paranoid is {}: needs at most {} (sysctl "
                         "kernel.perf_event_paranoid={}), or CAP_PERFMON",
                         counter.paranoid, needed, needed);
    return "not allowed: a container may forbid perf_event_open(), which CAP_PERFMON allows";
  case ENOSYS:
    return "the kernel has no perf_event_open()";
  default:
    return std::string("perf_event_open(): ") + strerror(counter.problem);
  }
}

std::vector<std::string> counterNotes(const Analysis &a) {
  std::vector<std::string> notes;
  bool isAnyCounted = false;
  std::vector<std::pair<std::string, std::string>> reasons; // and their counters, in order
  for (const CounterInfo &counter : a.log.counters) {
    isAnyCounted |= counter.isCounted();
    if (counter.isCounted())
      continue;
    const std::string reason = reasonOf(counter.record);
    const auto found = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto &entry) { return entry.first == reason; });
    if (found == reasons.end())
      reasons.emplace_back(reason, counter.name);
    else
      found->second += ", " + counter.name;
  }
  for (const auto &[reason, names] : reasons)
    notes.push_back(fmt::format("{}: not counted: {}", names, reason));
  if (!isAnyCounted)
    return notes;
  double enabled = 0, ran = 0;
  uint64_t missing = 0;
  for (const OpRun &run : a.ops) {
    if (run.counts == kNone) {
      // Without names, it may be a barrier.
      missing += a.models[run.device].op(run.step, run.command) != nullptr;
      continue;
    }
    enabled += a.counts.enabled(run.counts);
    ran += a.counts.ran(run.counts);
  }
  if (ran < enabled)
    notes.push_back(
        fmt::format("counters ran for {:.1f} % of the time, in turns with those of others: values "
                    "are scaled up, and marked ~",
                    100 * ran / enabled));
  if (missing)
    notes.push_back(fmt::format(
        "{} execution{} of ops {} no counts: events were in use by others, or could not be opened "
        "by a thread (too many open files)",
        missing, plural(missing), missing == 1 ? "has" : "have"));
  return notes;
}

//===----------------------------------------------------------------------===//
// Text and JSON
//===----------------------------------------------------------------------===//

/// "1234", "12.3M"
static std::string shortCount(double count) {
  constexpr const char *kUnits[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t unit = 0;
  for (; count >= 99999.5 && unit + 1 < std::size(kUnits); ++unit)
    count /= 1000;
  return unit ? fmt::format("{:.1f}{}", count, kUnits[unit]) : fmt::format("{:.0f}", count);
}

static std::string shortRate(const std::optional<double> &rate) {
  return rate ? fmt::format("{:.2f}", *rate) : "";
}

void printCounters(const Analysis &a, const Summary &summary, size_t rows) {
  std::vector<size_t> counted;
  for (size_t i = 0; i < a.log.counters.size(); ++i)
    if (a.log.counters[i].isCounted())
      counted.push_back(i);
  if (counted.empty())
    return;
  bool hasIpc = false, hasCache = false, hasBranch = false, hasFlops = false;
  for (const OpSum &op : summary.names) {
    const Rates rates = ratesOf(a.log, op.counts);
    hasIpc |= rates.instructionsPerCycle.has_value();
    hasCache |= rates.cacheMisses.has_value();
    hasBranch |= rates.branchMisses.has_value();
    hasFlops |= rates.flops.has_value();
  }
  std::string line;
  for (size_t i : counted)
    line += fmt::format("{:>10} ", printable(a.log.counters[i].name));
  line += hasIpc ? "   IPC " : "";
  line += hasCache ? "cache/k " : "";
  line += hasBranch ? "branch/k " : "";
  line += hasFlops ? " GFLOP/s " : "";
  fmt::print("\n{} program\n", line);
  bool hasRare = false;
  for (size_t k = 0; k < std::min(rows, summary.names.size()); ++k) {
    const OpSum &op = summary.names[k];
    line.clear();
    for (size_t i : counted) {
      const CounterInfo &counter = a.log.counters[i];
      const size_t width = std::max<size_t>(10, counter.name.size());
      const Spread *spread = i < op.counts.values.size() ? &op.counts.values[i] : nullptr;
      hasRare |= isRare(counter);
      std::string cell;
      if (spread && spread->count)
        cell = (op.counts.isScaled() ? "~" : "") +
               shortCount(isRare(counter) ? spread->sum : spread->median);
      line += fmt::format("{:>{}} ", cell, width);
    }
    const Rates rates = ratesOf(a.log, op.counts);
    if (hasIpc)
      line += fmt::format("{:>6} ", shortRate(rates.instructionsPerCycle));
    if (hasCache)
      line += fmt::format("{:>7} ", shortRate(rates.cacheMisses));
    if (hasBranch)
      line += fmt::format("{:>8} ", shortRate(rates.branchMisses));
    if (hasFlops)
      line += fmt::format("{:>8} ", rates.flops && op.time.median > 0
                                        ? shortRate(*rates.flops / op.time.median)
                                        : "");
    fmt::print("{} {}\n", line, shorten(printable(op.name), 32));
  }
  printLine("Medians, summed over a program's commands and all cores{}.",
            hasRare ? "; of page-faults, context-switches and migrations, sums over all executions"
                    : "");
}

void addCounterList(Json &json, const Analysis &a) {
  json.key("counters").beginArray();
  for (const CounterInfo &counter : a.log.counters) {
    json.beginObject(/*flat=*/true).field("name", counter.name);
    json.field("counted", counter.isCounted());
    if (!counter.isCounted())
      json.field("reason", reasonOf(counter.record));
    json.endObject();
  }
  json.endArray();
}

void addCounterFields(Json &json, const Log &log, const CountSum &sum) {
  bool isCounted = false;
  for (const Spread &spread : sum.values)
    isCounted |= spread.count != 0;
  if (!isCounted)
    return;
  json.key("counters").beginObject();
  for (size_t i = 0; i < sum.values.size(); ++i)
    if (const Spread &spread = sum.values[i]; spread.count)
      json.key(log.counters[i].name)
          .beginObject(/*flat=*/true)
          .field("count", spread.count)
          .field("sum", spread.sum)
          .field("min", spread.least)
          .field("median", spread.median)
          .field("p90", spread.p90)
          .field("deviation", spread.deviation)
          .endObject();
  json.endObject().field("counted_share", sum.enabled > 0 ? sum.ran / sum.enabled : 1);
  const Rates rates = ratesOf(log, sum);
  for (const auto &[name, rate] : {std::pair("instructions_per_cycle", rates.instructionsPerCycle),
                                   std::pair("cache_misses_per_1000", rates.cacheMisses),
                                   std::pair("branch_misses_per_1000", rates.branchMisses),
                                   std::pair("counted_flops", rates.flops)})
    if (rate)
      json.field(name, *rate);
}

} // namespace ttrun::report
