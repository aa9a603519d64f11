// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans memory: a CSV of buffers with lifetimes in, the same with offsets out.
#include "ttc/Planner/Csv.h"
#include "ttc/Planner/Validator.h"
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>

using namespace ttc::planner;

static const char usage[] =
    R"(ttc-plan: gives every buffer an offset so that buffers alive at one time do not overlap

usage: ttc-plan PROBLEM.csv [-o PLAN.csv] [--capacity=BYTES]

PROBLEM.csv  columns id, lower, upper, size; alignment and offset (a fixed one) if there.
             A buffer is alive from lower up to, not including, upper. - is standard input.
-o           where the plan goes, the same columns with offset; - is standard output (default)
--capacity   exit with status 1 if the plan is higher than that

Height, lower bound and time go to standard error.
)";

static int fail(const std::string &message) {
  std::cerr << "ttc-plan: error: " << message << '\n';
  return 2;
}

int main(int argc, char **argv) {
  std::string input, output = "-";
  std::optional<int64_t> capacity;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::cout << usage;
      return 0;
    }
    if (argument == "-o" && i + 1 < argc) {
      output = argv[++i];
    } else if (argument.rfind("--capacity=", 0) == 0) {
      const char *text = argument.c_str() + strlen("--capacity=");
      auto [end, status] = std::from_chars(text, text + strlen(text), capacity.emplace());
      if (status != std::errc() || *end)
        return fail("expected a number of bytes, found '" + argument + "'");
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

  std::ifstream file;
  if (input != "-") {
    file.open(input);
    if (!file)
      return fail("cannot open '" + input + "'");
  }
  std::string error;
  std::optional<Problem> problem = readCsv(input == "-" ? std::cin : file, error);
  if (!problem)
    return fail(input + ": " + error);

  auto start = std::chrono::steady_clock::now();
  Plan result = plan(problem->buffers);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (auto faults = validate(problem->buffers, result); !faults.empty())
    return fail("the plan is wrong: " + faults.front().message);

  if (output == "-") {
    writeCsv(std::cout, *problem, result);
  } else {
    std::ofstream out(output);
    writeCsv(out, *problem, result);
    out.close();
    if (!out)
      return fail("cannot write '" + output + "'");
  }
  std::cerr << "buffers " << problem->buffers.size() << ", height " << result.height
            << ", lower bound " << lowerBound(problem->buffers) << ", " << seconds.count()
            << " s\n";
  if (capacity && result.height > *capacity) {
    std::cerr << "ttc-plan: expected a height of at most " << *capacity << ", found "
              << result.height << '\n';
    return 1;
  }
  return 0;
}
