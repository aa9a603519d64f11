// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a memory plan, of any planner.
#include "Support/Error.h"
#include "Support/Options.h"
#include "ttc/Planner/Csv.h"
#include "ttc/Planner/Validator.h"
#include "ttrt/format/utf8.h"
#include <algorithm>
#include <iostream>
#include <map>
#include <new>

using namespace ttc::planner;

static int fail(const std::string &message) {
  std::cerr << "ttc-plan-check: error: " << ttrt::printable(message) << '\n';
  return 2;
}

/// Prints faults, one per line, up to a limit: a plan of another problem has thousands of them.
class Faults {
public:
  void add(const std::string &message) {
    if (++count <= kMost)
      std::cerr << ttrt::printable(message) << '\n';
  }
  /// Prints how many were omitted. True if there are any faults.
  bool any() const {
    if (count > kMost)
      std::cerr << "and " << count - kMost << " more\n";
    return count > 0;
  }

private:
  static constexpr size_t kMost = 20;
  size_t count = 0;
};

/// Collects the buffers of `problem` in the order of the plan, and reports those that differ.
static void arrange(const Problem &problem, const Problem &plan, std::vector<Buffer> &buffers,
                    Faults &faults) {
  auto describe = [](const Buffer &b) {
    return "[" + std::to_string(b.lower) + ", " + std::to_string(b.upper) + ") and " +
           std::to_string(b.size) + " bytes";
  };
  std::map<std::string, Buffer> byId;
  for (size_t i = 0; i < problem.ids.size(); ++i)
    byId.emplace(problem.ids[i], problem.buffers[i]);
  for (size_t i = 0; i < plan.ids.size(); ++i) {
    auto found = byId.find(plan.ids[i]);
    const Buffer &b = plan.buffers[i];
    if (found == byId.end()) {
      faults.add("expected a buffer of the problem, found " + plan.ids[i] + ", which is not one");
      continue;
    }
    const Buffer &expected = found->second;
    if (b.lower != expected.lower || b.upper != expected.upper || b.size != expected.size)
      faults.add(plan.ids[i] + ": expected " + describe(expected) + ", found " + describe(b));
    buffers.push_back(expected);
    byId.erase(found);
  }
  for (const auto &[id, buffer] : byId)
    faults.add("expected a row for " + id + ", found none");
}

static int run(int argc, char **argv, std::string &planPath) {
  std::string problemPath;
  uint64_t most = UINT64_MAX;
  ttrun::OptionParser parser(
      "ttc-plan-check", "PLAN.csv [options]",
      "Checks that no two buffers of a plan overlap while both are alive.\n\n"
      "PLAN.csv has the columns id, lower, upper, size, offset; optional: alignment. - is "
      "standard\n"
      "input. Exit status: 0 if the plan is valid; 1 if not, with the first 20 faults and the\n"
      "number of further ones on standard error; 2 if the plan cannot be read.",
      "");
  parser.text("problem", "PROBLEM.csv",
              "also check that the plan solves this problem: equal buffers,\nfixed offsets kept",
              problemPath);
  parser.number("capacity", "BYTES", "also check that no buffer ends above this number of bytes",
                most, 0, INT64_MAX);
  planPath = parser.requireOne("plan", parser.parse(argc - 1, argv + 1));
  std::optional<int64_t> capacity;
  if (most != UINT64_MAX)
    capacity = static_cast<int64_t>(most);

  Faults faults;
  std::string error;
  std::optional<Problem> rows = readCsvFile(planPath, error);
  if (!rows)
    return fail(error);
  Plan plan;
  std::vector<Buffer> buffers;
  for (size_t i = 0; i < rows->ids.size(); ++i) {
    Buffer buffer = rows->buffers[i];
    if (!buffer.offset)
      return fail(planPath + ": expected an offset for " + rows->ids[i] + ", found none");
    plan.offsets.push_back(*buffer.offset);
    plan.arenaSize = std::max(plan.arenaSize, *buffer.offset + buffer.size);
    buffer.offset.reset();
    buffers.push_back(buffer);
  }
  if (!problemPath.empty()) {
    std::optional<Problem> problem = readCsvFile(problemPath, error);
    if (!problem)
      return fail(error);
    buffers.clear();
    arrange(*problem, *rows, buffers, faults);
    if (faults.any())
      return 1;
  }
  for (const Fault &fault : validate(buffers, plan, capacity))
    faults.add(rows->ids[fault.first] + ": " + fault.message);
  if (faults.any())
    return 1;
  std::cout << buffers.size() << " buffers, arena size " << plan.arenaSize << ": valid\n"
            << std::flush;
  return std::cout ? 0 : fail("cannot write standard output");
}

int main(int argc, char **argv) {
  std::string planPath;
  try {
    return run(argc, argv, planPath);
  } catch (const ttrun::HelpShown &) {
    return 0;
  } catch (const std::bad_alloc &) {
    return fail(planPath + ": out of memory");
  } catch (const std::runtime_error &error) {
    return fail(error.what());
  }
}
