// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans memory: a CSV of buffers with lifetimes in, the same with offsets out.
#include "WriteFile.h"
#include "ttc/Planner/Csv.h"
#include "ttc/Planner/Validator.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <sstream>
#include <string_view>

using namespace ttc::planner;

static const char usage[] =
    R"(ttc-plan: gives every buffer an offset so that buffers alive at one time do not overlap

usage: ttc-plan PROBLEM.csv [-o PLAN.csv] [--capacity=BYTES] [--timeout=SECONDS] [--nodes=N]

PROBLEM.csv  columns id, lower, upper, size; alignment and offset (a fixed one) if there.
             A buffer is alive from lower up to, not including, upper. - is standard input.
-o           where the plan goes, the same columns with offset; - is standard output (default)
--capacity   a plan of at most this height is good enough; if none was found, the lowest one is
             written all the same, and the exit status is 1.
             Without it the search goes on until the height is the lower bound
--timeout    search for at most so long (default 60)
--nodes      search for at most so many placements; with it the default is no timeout, and equal
             problems get equal plans. 0: first-fit alone

Height, lower bound, nodes searched and time go to standard error. ttc-plan-check checks a plan.
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

int main(int argc, char **argv) {
  std::string input, output = "-";
  SearchLimits limits;
  std::optional<double> timeout;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    for (const char *option : {"-o", "--capacity", "--nodes", "--timeout"})
      if (argument == option) {
        if (i + 1 == argc)
          return fail("expected a value behind " + argument + "; see --help");
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
  std::cerr << "buffers " << problem->buffers.size() << ", height " << result.height
            << ", lower bound " << solution.lowerBound << ", nodes " << solution.nodes << ", "
            << seconds.count() << " s" << (solution.isOptimal ? ", no plan is lower" : "") << '\n';
  if (limits.capacity && result.height > *limits.capacity) {
    std::cerr << "ttc-plan: expected a height of at most " << *limits.capacity << ", found "
              << result.height << '\n';
    return 1;
  }
  return 0;
}
