// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans memory: reads a CSV file of buffers with lifetimes, writes it with offsets.
#include "Support/Error.h"
#include "Support/Options.h"
#include "Support/WriteFile.h"
#include "ttc/Planner/Csv.h"
#include "ttc/Planner/Validator.h"
#include "ttrt/format/utf8.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <new>
#include <sstream>

using namespace ttc::planner;

static int fail(const std::string &message) {
  std::cerr << "ttc-plan: error: " << ttrt::printable(message) << '\n';
  return 2;
}

static int run(int argc, char **argv, std::string &input) {
  std::string output = "-";
  constexpr uint64_t kMost = INT64_MAX, kNone = UINT64_MAX;
  uint64_t capacity = kNone, nodes = kNone;
  double timeout = -1;
  ttrun::OptionParser parser(
      "ttc-plan", "PROBLEM.csv [options]",
      "Assigns offsets to buffers so that buffers alive at the same time do not overlap.\n\n"
      "PROBLEM.csv has the columns id, lower, upper, size; optional: alignment, offset (a fixed\n"
      "one). A buffer is alive in the half-open interval [lower, upper). - is standard input.\n"
      "The arena size, the lower bound, the nodes searched and the time are printed on standard\n"
      "error. ttc-plan-check checks a plan.",
      "");
  parser.text("o", "PLAN.csv",
              "where to write the plan: the same columns plus offset;\n- is standard output "
              "(default)",
              output);
  parser.number("capacity", "BYTES",
                "stop at a plan whose arena has at most this size; if none is\nfound, the smallest "
                "one is written, and the exit status is 1.\nWithout it, the search ends when the "
                "arena size equals the\nlower bound",
                capacity, 0, kMost);
  parser.real("timeout", "SECONDS", "limit the search to this time (default 60)", timeout);
  parser.number(
      "nodes", "N",
      "limit the search to this number of placements; without\n--timeout, the time is not "
      "limited then, and equal problems\nget equal plans. 0: first-fit only",
      nodes, 0, kMost);
  input = parser.requireOne("problem", parser.parse(argc - 1, argv + 1));
  SearchLimits limits;
  if (capacity != kNone)
    limits.capacity = static_cast<int64_t>(capacity);
  if (nodes != kNone)
    limits.nodes = static_cast<int64_t>(nodes);
  if (timeout >= 0 || !limits.nodes)
    limits.time = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(timeout < 0 ? 60 : std::min(timeout, 1e9)));

  std::string error;
  std::optional<Problem> problem = readCsvFile(input, error);
  if (!problem)
    return fail(error);

  auto start = std::chrono::steady_clock::now();
  Solution solution = solve(problem->buffers, limits);
  const Plan &result = solution.plan;
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (auto faults = validate(problem->buffers, result); !faults.empty())
    return fail("the plan is wrong: " + faults.front().message);

  std::ostringstream csv;
  writeCsv(csv, *problem, result);
  ttc::writeFile(output, {csv.view()});
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
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is an error of the write
  std::string input;
  try {
    return run(argc, argv, input);
  } catch (const ttrun::HelpShown &) {
    return 0;
  } catch (const std::bad_alloc &) {
    return fail(input + ": out of memory");
  } catch (const std::runtime_error &error) {
    return fail(error.what());
  }
}
