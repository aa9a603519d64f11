// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a report says of counters: values from the system call to each file, and what is missing.

#include "Profile/Analysis.h"
#include "Profile/Files.h"
#include "Profile/Report.h"
#include "Profile/Summary.h"
#include "test/unit/Support/FakeCounters.h"

#include <linux/perf_event.h>

using namespace ttrt;
using namespace ttrt::profile;
using namespace ttrt::test;
using namespace ttrun::report;

namespace {

class Counters : public CounterRecordings {
protected:
  Analysis report() { return analyse(readLog(close() + "/" + kLogName), ""); }
};

std::string cell(const std::string &csv, const std::string &column, size_t row) {
  std::vector<std::vector<std::string>> rows(1);
  std::string text;
  bool isQuoted = false;
  for (char c : csv) {
    isQuoted ^= c == '"';
    if ((c == ',' || c == '\n') && !isQuoted) {
      rows.back().push_back(std::exchange(text, ""));
      if (c == '\n')
        rows.emplace_back();
    } else {
      text += c;
    }
  }
  for (size_t i = 0; i < rows[0].size(); ++i)
    if (rows[0][i] == column)
      return rows.at(row).at(i);
  return "no column " + column;
}

/// The sum over cores, from the system call to the CSV.
TEST_F(Counters, AreInTheReport) {
  open("cycles,instructions,cache-misses,branch-misses,fp-ops,raw:0x1c7");
  runSample(2, 5);
  const Analysis a = report();
  const std::string csv = opsCsv(a);
  // Rows 1 and 2 are the write and the first command.
  EXPECT_EQ(cell(csv, "OP TYPE", 2), "device");
  EXPECT_EQ(cell(csv, "CORE COUNT", 2), "2");
  EXPECT_EQ(cell(csv, "CYCLES", 2), "2000");
  EXPECT_EQ(cell(csv, "INSTRUCTIONS", 2), "4000");
  EXPECT_EQ(cell(csv, "CACHE MISSES", 2), "6000");
  EXPECT_EQ(cell(csv, "RAW 0x1c7", 2), "12000");
  EXPECT_EQ(cell(csv, "COUNTED [%]", 2), "100.0");
  EXPECT_EQ(cell(csv, "CYCLES", 1), ""); // of a transfer
  const Summary summary = summarise(a);
  const OpSum &op = summary.ops.at(0);
  ASSERT_EQ(op.counts.values.size(), 6u);
  EXPECT_EQ(op.counts.values[1].count, 5u);
  EXPECT_EQ(op.counts.values[1].median, 4000);
  const Rates rates = ratesOf(a.log, op.counts);
  EXPECT_EQ(rates.instructionsPerCycle, 2);
  EXPECT_EQ(rates.cacheMisses, 1500);
  EXPECT_EQ(rates.branchMisses, 2000);
  EXPECT_EQ(rates.flops, 10000);
  const std::string json = summaryJson(a, summary, "");
  EXPECT_NE(json.find("\"instructions_per_cycle\": 2"), json.npos);
  EXPECT_NE(json.find("\"counted_flops\": 10000"), json.npos);
  EXPECT_NE(timelineJson(a).find(", \"cycles\": 1000, \"instructions\": 2000"), json.npos);
  EXPECT_NE(markersCsv(a).find(",,counter,0,0,cycles\n"), json.npos);
  EXPECT_NE(pageHtml(a, summary).find("\"ipc\": 2"), json.npos);
  EXPECT_TRUE(counterNotes(a).empty());
}

TEST_F(Counters, VectorsAreFlops) {
  source.cpu = kIntel;
  open("fp-256,fp-512");
  run(2, 1, 1);
  const Analysis a = report();
  EXPECT_EQ(ratesOf(a.log, summarise(a).ops.at(0).counts).flops, 8 * 1000 + 16 * 2000);
}

TEST_F(Counters, ThatTakeTurnsAreScaled) {
  source.ranPercent = 40;
  open("cycles,instructions");
  runSample(2, 3);
  const Analysis a = report();
  const std::string csv = opsCsv(a);
  EXPECT_EQ(cell(csv, "CYCLES", 2), "5000"); // 2 x 1000 / 40 %
  EXPECT_EQ(cell(csv, "COUNTED [%]", 2), "40.0");
  ASSERT_EQ(counterNotes(a).size(), 1u);
  EXPECT_NE(counterNotes(a)[0].find("ran for 40.0 % of the time"), std::string::npos);
  const Summary summary = summarise(a);
  testing::internal::CaptureStdout();
  ttrun::ReportOptions options;
  options.rows = 5;
  options.counters = true;
  printSummary(a, summary, "", options);
  const std::string text = testing::internal::GetCapturedStdout();
  // Two commands of each program.
  EXPECT_NE(text.find("~10000       ~20000   2.00  test_add"), text.npos) << text;
}

/// Counters that never ran have no value.
TEST_F(Counters, ThatNeverRanAreEmpty) {
  source.ranPercent = 0;
  open("cycles");
  run(2, 1, 1);
  const std::string csv = opsCsv(report());
  EXPECT_EQ(cell(csv, "CYCLES", 2), "");
  EXPECT_EQ(cell(csv, "OP TYPE", 2), "device");
}

/// What is refused is listed with its reason, and the others are counted.
TEST_F(Counters, ThatAreRefusedAreListed) {
  source.refused[{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES}] = ENOENT;
  source.refused[{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES}] = ENOENT;
  source.refused[{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES}] = EINVAL;
  source.refused[{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS}] = ENOSYS;
  open("cycles,instructions,branch-misses,migrations,fp-256,cache-misses");
  run(2, 1, 1);
  const Analysis a = report();
  const std::vector<std::string> notes = counterNotes(a);
  ASSERT_EQ(notes.size(), 4u); // a reason each
  EXPECT_EQ(notes[0].find("cycles, cache-misses: not counted: this machine has no such event"), 0u)
      << notes[0];
  EXPECT_EQ(notes[1].find("branch-misses: not counted: the CPU has no such event, or"), 0u);
  EXPECT_EQ(notes[2].find("migrations: not counted: the kernel has no perf_event_open()"), 0u);
  EXPECT_EQ(notes[3].find("fp-256: not counted: no event is known"), 0u) << notes[3];
  const std::string csv = opsCsv(a);
  EXPECT_EQ(cell(csv, "CYCLES", 2), "");
  EXPECT_EQ(cell(csv, "INSTRUCTIONS", 2), "1000");
  EXPECT_EQ(cell(csv, "FP 256", 2), "");
  const std::string json = summaryJson(a, summarise(a), "");
  EXPECT_NE(json.find("{\"name\": \"cycles\", \"counted\": false, \"reason\": \"this machine"),
            json.npos)
      << json;
}

TEST_F(Counters, SayWhatForbidsThem) {
  auto noteOf = [](const CounterRecord &record) {
    Analysis a;
    a.log.counters.push_back({record, "x"});
    return counterNotes(a).at(0);
  };
  EXPECT_EQ(noteOf({0, EACCES, PERF_TYPE_HARDWARE, 4, 0}),
            "x: not counted: perf_event_paranoid is 4: needs at most 2 (sysctl "
            "kernel.perf_event_paranoid=2), or CAP_PERFMON");
  EXPECT_EQ(noteOf({0, EACCES, PERF_TYPE_SOFTWARE, 2, PERF_COUNT_SW_CPU_MIGRATIONS}),
            "x: not counted: perf_event_paranoid is 2: needs at most 1 (sysctl "
            "kernel.perf_event_paranoid=1), or CAP_PERFMON");
  EXPECT_NE(noteOf({0, EPERM, PERF_TYPE_HARDWARE, 2, 0}).find("a container may forbid"),
            std::string::npos);
}

TEST_F(Counters, ThatCannotBeOpenedByAThreadAreMissingNotZero) {
  open("cycles,instructions");
  source.opensNothing = true;
  run(4, 1, 2);
  source.opensNothing = false;
  const Analysis a = report();
  ASSERT_EQ(a.ops.size(), 8u);
  for (const OpRun &op : a.ops)
    EXPECT_EQ(op.counts, kNone);
  const std::string notes = counterNotes(a).at(0);
  EXPECT_NE(notes.find("have no counts"), std::string::npos) << notes;
}

} // namespace
