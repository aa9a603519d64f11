// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans memory: reads a CSV file of buffers with lifetimes, writes it with offsets.
#include "Support/WriteFile.h"
#include "ttc/Planner/Csv.h"
#include "ttc/Planner/Validator.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <new>
#include <sstream>
#include <string_view>

using namespace ttc::planner;

static const char usage[] =
    R"(ttc-plan: assigns offsets to buffers so that buffers alive at the same time do not overlap

usage: ttc-plan PROBLEM.csv [-o PLAN.csv] [--capacity=BYTES] [--timeout=SECONDS] [--nodes=N]

PROBLEM.csv  columns id, lower, upper, size; optional: alignment, offset (a fixed one).
             A buffer is alive in the half-open interval [lower, upper). - is standard input.
-o           where to write the plan: the same columns plus offset; - is standard output (default)
--capacity   stop at a plan whose arena has at most this size; if none is found, the smallest one
             is written, and the exit status is 1.
             Without it, the search ends when the arena size equals the lower bound
--timeout    limit the search to this time (default 60)
--nodes      limit the search to this number of placements; without --timeout, the time is not limited then, and
             equal problems get equal plans. 0: first-fit only

The arena size, the lower bound, the nodes searched and the time are printed on standard error.
ttc-plan-check checks a plan.
)";

static int fail(const std::string &message) {
  std::cerr << "ttc-plan: error: " << message << '\n';
  return 2;
}

static std::optional<std::string_view> valueOf(std::string_view argument, std::string_view option) {
  if (!argument.starts_with(option))
    return std::nullopt;
  return argument.substr(option.size());
}

template <typename T> static bool parse(std::string_view text, T &value) {
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size();
}

static int run(int argc, char **argv, std::string &input) {
  std::string output = "-";
  SearchLimits limits;
  std::optional<double> timeout;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    for (const char *option : {"-o", "--capacity", "--nodes", "--timeout"})
      if (argument == option) {
        if (i + 1 == argc)
          return fail("expected a value after " + argument + "; see --help");
        argument += std::string("=") + argv[++i];
      }
    if (argument == "--help" || argument == "-h") {
      std::cout << usage;
      return 0;
    }
    if (auto text = valueOf(argument, "-o=")) {
      output = *text;
    } else if (auto text = valueOf(argument, "--capacity=")) {
      if (!parse(*text, limits.capacity.emplace()) || *limits.capacity < 0)
        return fail("expected a number of bytes, found '" + argument + "'");
    } else if (auto text = valueOf(argument, "--nodes=")) {
      if (!parse(*text, limits.nodes.emplace()) || *limits.nodes < 0)
        return fail("expected a number of placements, found '" + argument + "'");
    } else if (auto text = valueOf(argument, "--timeout=")) {
      if (!parse(*text, timeout.emplace()) || !(*timeout >= 0))
        return fail("expected a number of seconds, found '" + argument + "'");
    } else if (argument.size() > 1 && argument[0] == '-') {
      return fail("unknown option '" + argument + "'; see --help");
    } else if (input.empty()) {
      input = argument;
    } else {
      return fail("expected one problem, found '" + input + "' and '" + argument + "'");
    }
  }
  if (input.empty())
    return fail("expected a problem, found none; see --help");

  std::string error;
  std::optional<Problem> problem = readCsvFile(input, error);
  if (!problem)
    return fail(error);

  auto start = std::chrono::steady_clock::now();
  if (timeout || !limits.nodes)
    limits.time = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(std::min(timeout.value_or(60), 1e9)));
  Solution solution = solve(problem->buffers, limits);
  const Plan &result = solution.plan;
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (auto faults = validate(problem->buffers, result); !faults.empty())
    return fail("the plan is wrong: " + faults.front().message);

  std::ostringstream csv;
  writeCsv(csv, *problem, result);
  try {
    ttc::writeFile(output, {csv.view()});
  } catch (const std::runtime_error &error) {
    return fail(error.what());
  }
  std::cerr << "buffers " << problem->buffers.size() << ", arena size " << result.arenaSize
            << ", lower bound " << solution.lowerBound << ", nodes " << solution.nodes << ", "
            << seconds.count() << " s" << (solution.isOptimal ? ", optimal" : "") << '\n';
  if (limits.capacity && result.arenaSize > *limits.capacity) {
    std::cerr << "ttc-plan: expected an arena size of at most " << *limits.capacity << ", found "
              << result.arenaSize << '\n';
    return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  std::string input;
  try {
    return run(argc, argv, input);
  } catch (const std::bad_alloc &) {
    return fail(input + ": out of memory");
  }
}
